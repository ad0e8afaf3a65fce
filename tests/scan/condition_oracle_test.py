#!/usr/bin/env python3
"""Scans generated headers with long and many conditions: each registration has its exact condition,
or is incomplete.

    tests/scan/condition_oracle_test.py --bin build/bin [--seed N] [--count N] [--keep DIR] [--only KIND ...]

The compiler's preprocessor determines which registrations each configuration keeps. A scan of that
configuration must list exactly those, and the conditions of the union must hold for exactly those.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from condition_headers import CONFIGURATIONS, KINDS, generate

BATCH = 60  # headers per tree
SHARE = 0.01  # share of headers that may be incomplete
OUTCOMES = ("right", "incomplete", "lost", "phantom", "condition")


def write(folder, headers):
    configurations = {name: {"undefined": []} for name in CONFIGURATIONS}
    for header in headers:
        home = folder / "src" / f"h{header.number}"
        home.mkdir(parents=True)
        for name, text in header.files.items():
            (home / name).write_text(text)
        for name in CONFIGURATIONS:
            # The command line could also define what headers derive.
            configurations[name]["undefined"] += [macro for macro in header.derived if macro not in header.macros[name]]
            for macro, value in header.macros[name].items():
                if value is None:
                    configurations[name]["undefined"].append(macro)
                else:
                    configurations[name][macro] = value
    dialect = {"name": "own", "sources": ["src/**"], "sinks": [{"macro": "OP"}], "configurations": configurations}
    (folder / "dialect.json").write_text(json.dumps(dialect))


class Scan:
    """Results of one configuration or the union, by the headers' numbers."""

    def __init__(self, binary, folder, configuration, seconds):
        self.sites = collections.defaultdict(list)  # (name, condition)
        output = folder / f"{configuration}.json"
        done = subprocess.run([binary / "opledger-scan", "--config", "none", "--dialect", "dialect.json", "--configuration", configuration,
                               "--no-cache", "--file-seconds", seconds, "-o", output], cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 3):
            raise SystemExit(f"{configuration} of {folder}: exit status {done.returncode}\n{done.stderr[:2000]}")
        manifest = json.loads(output.read_text())
        for operator in manifest["operators"]:
            for site in operator["sites"]:
                self.sites[number_of(site["path"])].append((operator["name"], site["condition"]))
        entries = manifest["incomplete"] + manifest["dynamic"]
        self.doubts = {number_of(entry["path"]) for entry in entries}
        if entries and done.returncode == 0:
            raise SystemExit(f"{configuration} of {folder}: incomplete, with exit status 0")


def number_of(path):
    return int(path.split("/")[1][1:])


def preprocess(folder, header, configuration, conditions):
    """Returns (remaining names, conditions that hold) in the configuration."""
    lines = []
    for index, condition in enumerate(conditions):
        lines += [f"#if {condition}", f"HOLDS({index})", "#endif"]
    defines = [f"-D{macro}={value}" for macro, value in header.macros[configuration].items() if value is not None]
    compiler = shutil.which("g++") or shutil.which("clang++")
    done = subprocess.run([compiler, "-E", "-P", "-w", "-x", "c++", "-std=gnu++20", *defines, "-I.", "-"],
                          cwd=folder / "src" / f"h{header.number}", input="\n".join(lines + ['#include "u.cc"', ""]),
                          capture_output=True, text=True, check=False)
    if done.returncode != 0 and conditions:  # about macros that the unit alone does not define
        return preprocess(folder, header, configuration, [])[0], None
    if done.returncode != 0:
        raise SystemExit(f"{compiler} failed on header {header.number} ({header.kind}):\n{done.stderr[:2000]}")
    return set(re.findall(r"\bOP\((\w+)\)", done.stdout)), set(map(int, re.findall(r"HOLDS\((\d+)\)", done.stdout)))


def for_preprocessor(condition, macros, unknown):
    """Returns the condition with values for atoms that no preprocessor supports; unknown ones
    become `unknown`."""
    def value(match):
        return str(int(str(macros.get(match[1])) == match[2]))

    condition = re.sub(r"\bis\((\w+),(\w*)\)", value, condition or "1")
    return re.sub(r'\bunparsable\("(?:[^"\\]|\\.)*"\)', unknown, condition)


def judge(folder, header, scans):
    """Returns (outcome, text to print)."""
    number = header.number
    sites = scans["union"].sites[number]
    outcome, said = collections.Counter(), []
    for configuration in CONFIGURATIONS:
        texts = [for_preprocessor(condition, header.macros[configuration], unknown) for unknown in "01" for _, condition in sites]
        expected, holding = preprocess(folder, header, configuration, texts)
        found = {name for name, _ in scans[configuration].sites[number]}
        by_condition = set()
        for index, (name, _) in enumerate(sites if holding is not None else ()):
            answers = {index in holding, index + len(sites) in holding}
            by_condition |= {name + " open"} if len(answers) > 1 else {name} if True in answers else set()
        if holding is None:
            by_condition.add("invalid")
        for word, names in (("lost", expected - found), ("phantom", found - expected), ("condition", by_condition ^ expected)):
            outcome[word] += len(names)
            if names:
                said.append(f"{word} in {configuration}: {' '.join(sorted(names)[:6])}")
    doubtful = any(number in scan.doubts for scan in scans.values())
    wrong = next((word for word in OUTCOMES[2:] if outcome[word]), "right")
    return ("incomplete" if doubtful else wrong), said


def check(options, folder):
    kinds = options.only or sorted(KINDS)
    headers = generate(options.seed, options.count, kinds)
    table, shown = collections.defaultdict(collections.Counter), 0
    jobs = options.jobs or max(2, len(os.sched_getaffinity(0)))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for start in range(0, len(headers), BATCH):
            batch = headers[start:start + BATCH]
            tree = folder / f"tree{start // BATCH}"
            write(tree, batch)
            scans = {name: Scan(options.bin, tree, name, options.seconds) for name in CONFIGURATIONS + ("union",)}
            judged = pool.map(lambda header, tree=tree, scans=scans: judge(tree, header, scans), batch)
            for header, (outcome, said) in zip(batch, judged):
                table[header.kind][outcome] += 1
                if outcome not in ("right", "incomplete") and shown < options.show:
                    shown += 1
                    print(f"{tree.name}, header {header.number}, {header.kind}: {'; '.join(said)}")
            if not options.keep:
                shutil.rmtree(tree)
    total = collections.Counter()
    print(f"{'kind':24}{'headers':>8}" + "".join(f"{word:>11}" for word in OUTCOMES))
    for name in sorted(table):
        total.update(table[name])
        print(f"{name:24}{sum(table[name].values()):8}" + "".join(f"{table[name][word]:11}" for word in OUTCOMES))
    print(f"{'all':24}{len(headers):8}" + "".join(f"{total[word]:11}" for word in OUTCOMES))
    if total["incomplete"] > SHARE * len(headers):
        print(f"too often incomplete: {total['incomplete'] / len(headers):.1%}")
        return 1
    return 1 if any(total[word] for word in OUTCOMES[2:]) else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=180)
    parser.add_argument("--jobs", type=int, help="number of concurrent preprocessors")
    parser.add_argument("--seconds", default="5", help="of CPU time that a unit may take")
    parser.add_argument("--show", type=int, default=20, help="number of wrong headers to print")
    parser.add_argument("--keep", type=pathlib.Path, help="a new folder for the headers and manifests")
    parser.add_argument("--only", nargs="+", choices=sorted(KINDS), metavar="KIND", help="these kinds: " + ", ".join(sorted(KINDS)))
    options = parser.parse_args()
    options.bin = options.bin.resolve()
    if options.keep:
        options.keep.mkdir(parents=True)
        return check(options, options.keep.resolve())
    with tempfile.TemporaryDirectory(prefix="opledger-conditions-") as folder:
        return check(options, pathlib.Path(folder).resolve())


if __name__ == "__main__":
    sys.exit(main())
