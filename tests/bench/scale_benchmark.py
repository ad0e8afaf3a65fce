#!/usr/bin/env python3
"""Measures the cost and gain of a distributed scan: one and two workers for equal work, with -j and
with concurrent shards, and the merge of 50,000 facts.

    tests/bench/scale_benchmark.py [--bin build/bin] [--source FOLDER=DIALECT ...]

Look at ratios and CPU time (user + system, including children); wall time depends on the load of
the machine. A shard outlines the whole tree and scans its part of it, so without a shared cache
each shard repeats that first step; in exhaustive mode, where units are expensive, it hardly
matters. Memory is the larger of the program's and this script's own. All manifests have to be
equal.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import hashlib
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
FACTS = 50_000
REPEATS = 5


class Cost:
    def __init__(self, wall, cpu, megabytes):
        self.wall, self.cpu, self.megabytes = wall, cpu, megabytes


def run(*commands, cwd=None):
    """Runs all commands concurrently; returns their wall time, total CPU time and the largest
    process's memory."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.perf_counter()
    processes = [subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL) for command in commands]
    usages = [os.wait4(process.pid, 0) for process in processes]
    wall = time.perf_counter() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    for process, (_, status, _) in zip(processes, usages):
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"exit {process.returncode}: {process.args}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(wall, cpu, max(usage.ru_maxrss for _, _, usage in usages) / 1024)


def median(costs):
    return Cost(*(statistics.median(getattr(cost, name) for cost in costs)
                  for name in ("wall", "cpu", "megabytes")))


def scaling(scanner, source, dialect, mode, folder):
    flags = ["--dialect", dialect, "--config", "none", "--no-cache", "--mode", mode]
    repeats = REPEATS if mode == "fast" else 1
    plain, merged = folder / "plain.json", folder / "merged.json"

    def whole(jobs):
        return [[scanner, *flags, "-j", str(jobs), "-o", plain]]

    def shards(count):
        return [[scanner, *flags, "-j", "1", "--shard", f"{number}/{count}", "-o", folder / f"{number}.facts"]
                for number in range(1, count + 1)]

    rows = {"-j 1": whole(1), "-j 2": whole(2), "1 shard": shards(1), "2 shards at once": shards(2)}
    run(*whole(1), cwd=source)
    units = json.loads(plain.read_text())["files"]
    print(f"\n{source.name}, {mode}: {units} translation units, no cache, median of {repeats}")
    costs = {name: [] for name in rows}
    for _ in range(repeats):  # interleaved, so that both see the same load
        for name, commands in rows.items():
            costs[name].append(run(*commands, cwd=source))
    base = median(costs["-j 1"])
    for name in rows:
        cost = median(costs[name])
        print(f"  {name:18} {units / cost.wall:8.0f} units/s wall ({base.wall / cost.wall:4.2f} x -j 1), "
              f"{units / cost.cpu:8.0f} units/s CPU; CPU {cost.cpu:6.3f} s ({cost.cpu / base.cpu:4.2f} x), "
              f"{cost.megabytes:4.0f} MB")
    merge = [scanner, "--merge", "--config", "none", folder / "1.facts", folder / "2.facts", "-o", merged]
    cost = median([run(merge, cwd=source) for _ in range(REPEATS)])
    size = sum((folder / f"{number}.facts").stat().st_size for number in (1, 2))
    print(f"  merge of {size / 1e6:.1f} MB   CPU {cost.cpu:6.3f} s ({cost.cpu / base.cpu:4.2f} x), "
          f"{cost.megabytes:4.0f} MB")
    if plain.read_bytes() != merged.read_bytes():
        sys.exit("the manifests differ")


def record(number):
    """Returns a file of about 1 kB that registers an operator."""
    name = f"operator_{number:06}"
    place = {"line": number % 900 + 10, "column": 18, "end_line": number % 900 + 10, "end_column": 34}
    fields = [{"field": "num_inputs", "value": "2"}, {"field": "num_outputs", "value": "1"},
              {"field": "attributes", "key": "FInferType", "value": "ElemwiseType<2, 1>"},
              {"field": "attributes", "order": 1, "key": "FInferShape", "value": "ElemwiseShape<2, 1>"},
              {"field": "attributes", "order": 2, "key": "FCompute<cpu>",
               "value": f"BinaryBroadcastCompute<cpu, mshadow_op::{name}>"},
              {"field": "attributes", "order": 3, "key": "FGradient", "condition": "USE_GRADIENT == 1",
               "value": f'ElemwiseGradUseIn{{"_backward_{name}"}}'}]
    return {"path": f"src/operator/folder_{number % 97}/file_{number:06}.cc",
            "content": hashlib.blake2b(name.encode(), digest_size=16).hexdigest(),
            "registrations": [{"name": name, **place, "macro": "NNVM_REGISTER_OP",
                               "call": {**place, "column": 1, "end_column": 17},
                               "aliases": [{"alias": f"_np_{name}", **place}], "fields": fields}]}


def many_facts(scanner, folder, count, shards=8):
    """Returns facts files of `shards` shards with `count` records in total."""
    (folder / "tree/src").mkdir(parents=True, exist_ok=True)
    (folder / "tree/src/a.cc").write_text("NNVM_REGISTER_OP(a);\n")
    paths = []
    for shard in range(1, shards + 1):
        path = folder / f"{count}-{shard}.facts"
        subprocess.run([scanner, "--dialect", "mxnet", "--config", "none", "--no-cache", "--shard",
                        f"{shard}/{shards}", "-o", path], cwd=folder / "tree", check=True)
        records = sorted((record(number) for number in range(shard - 1, count, shards)),
                         key=lambda each: each["path"])
        body = path.read_text().splitlines(keepends=True)[0] + "".join(
            json.dumps(each, separators=(",", ":")) + "\n" for each in records)
        path.write_text(f'{body}{{"sha256":"{hashlib.sha256(body.encode()).hexdigest()}"}}\n')
        paths.append(path)
    return paths


def merging(scanner, folder):
    print("\nmerge of generated facts, one record per registering file, 8 shards")
    before = None
    for count in (FACTS // 2, FACTS):
        paths = many_facts(scanner, folder, count)
        size = sum(path.stat().st_size for path in paths)
        output = folder / "many.json"
        cost = median([run([scanner, "--merge", "--config", "none", *paths, "-o", output])
                       for _ in range(3)])
        if output.read_text().count('\n{"name"') + output.read_text().count('{"name":"operator_') < count:
            sys.exit("operators are missing")
        grown = f", {cost.cpu / before:4.2f} x the CPU of half" if before else ""
        print(f"  {count} facts, {size / 1e6:.1f} MB: CPU {cost.cpu:.2f} s ({size / 1e6 / cost.cpu:.0f} MB/s), "
              f"wall {cost.wall:.2f} s, {cost.megabytes:.0f} MB{grown}")
        before = cost.cpu


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/bin")
    parser.add_argument("--source", action="append", default=[], metavar="FOLDER=DIALECT")
    options = parser.parse_args()
    scanner = (options.bin / "opledger-scan").resolve()
    with tempfile.TemporaryDirectory(prefix="opledger-scale-") as name:
        folder = pathlib.Path(name).resolve()
        for each in options.source:
            source, _, dialect = each.rpartition("=")
            for mode in ("fast", "exhaustive"):
                scaling(scanner, pathlib.Path(source).resolve(), dialect, mode, folder)
        merging(scanner, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
