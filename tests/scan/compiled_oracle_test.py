#!/usr/bin/env python3
"""Generated programs, compiled and run: the scanner finds exactly what they register, or says incomplete.

    tests/scan/compiled_oracle_test.py --bin build/bin [--seed N] [--count N] [--keep DIR] [--only SHAPE ...]

A scan of the union must find what some configuration has, other scans exactly what the program prints.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from compiled_programs import CONFIGURATIONS, REGISTRY, SHAPES, SINKS, generate

# Shapes that are left out: what is wrong with the scan of them.
KNOWN = {
    "inc_name": "what a file that a macro names registers is missing, or stands at no place, silently",
    "self_inclusion": "a header that includes itself is read as if its macros were undefined: a wrong name, silently",
    "function_in_if": "a pasted name in #if is 'unparsable', so the operator counts as one of every configuration",
}
# Shapes that may be incomplete as often as they like, and why.
MAY_BE_INCOMPLETE = {
    "function_alias": "calls through a pointer or reference to the function are not followed, which is said",
    "braced_argument": "'{...}' as a name is not evaluated, which is said",
}
SHARE = 0.05  # of a shape's uses that may be incomplete


def write(folder, programs):
    tree = folder / "tree"
    (tree / "include").mkdir(parents=True)
    (tree / "include" / "registry.h").write_text(REGISTRY)
    configurations = {name: {"undefined": []} for name in CONFIGURATIONS}
    for program in programs:
        home = tree / "src" / f"p{program.number}"
        home.mkdir(parents=True)
        for name, text in program.files.items():
            (home / name).write_text(text)
        for name, macros in program.macros.items():
            for macro, value in macros.items():
                if value is None and macro not in configurations[name]["undefined"]:
                    configurations[name]["undefined"].append(macro)
                elif value is not None:
                    configurations[name][macro] = value
    dialect = {"name": "own", "sources": ["src/**"], "include_directories": ["include"], "sinks": SINKS,
               "configurations": configurations}
    (folder / "dialect.json").write_text(json.dumps(dialect, indent=1))
    return tree


def registered(tree, program, configuration):
    """What the program prints when it runs."""
    made = tree.parent / f"p{program.number}_{configuration}"
    defines = [f"-D{macro}={value}" for macro, value in program.macros[configuration].items() if value is not None]
    compiler = shutil.which("g++") or shutil.which("clang++")
    command = [compiler, "-std=gnu++20", "-O0", "-w", f"-I{tree / 'include'}", *defines,
               tree / "src" / f"p{program.number}" / "unit.cc", "-o", made]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{compiler} failed on program {program.number}:\n{done.stderr[:3000]}")
    ran = subprocess.run([made], capture_output=True, text=True, timeout=60, check=False)
    made.unlink()
    return set(ran.stdout.split("\n")) - {""}


def scanned(binary, tree, mode, configuration):
    """Number of a program -> names; number -> (path, line, detail) of what is incomplete."""
    output = tree.parent / f"{mode}_{configuration}.json"
    done = subprocess.run([binary / "opledger-scan", "--dialect", "../dialect.json", "--mode", mode, "--no-cache",
                           "--config", "none", "--configuration", configuration, "-o", output],
                          cwd=tree, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 3):
        raise SystemExit(f"{mode}, {configuration}: exit status {done.returncode}\n{done.stderr[:2000]}")
    manifest = json.loads(output.read_text())
    names, doubts = collections.defaultdict(set), collections.defaultdict(list)
    for operator in manifest["operators"]:
        for site in operator["sites"]:
            home = site["path"].split("/")
            if len(home) == 3:
                names[int(home[1][1:])].add(operator["name"])
            else:
                print(f"{mode}, {configuration}: {operator['name']} has no place of its own: '{site['path']}:{site['line']}'")
    for entry in manifest["incomplete"] + manifest["dynamic"]:
        _, home, path = entry["path"].split("/")
        doubts[int(home[1:])].append((path, entry.get("line", 0), entry.get("detail", "")))
    if doubts and done.returncode == 0:
        raise SystemExit(f"{mode}, {configuration}: incomplete, with exit status 0")
    return names, doubts


def compare(programs, expected, found, label, union, table):
    names, doubts = found
    silent = 0
    for program in programs:
        number = program.number
        missing, extra = expected[number] - names[number], names[number] - expected[number]
        for shape in {program.shape_at(path, line) for path, line, _ in doubts[number]}:
            table[shape]["incomplete"] += 1
        if doubts[number] or not missing and (union or not extra):
            continue
        silent += 1
        for name in missing:
            table[program.shape_of(name)]["silent"] += 1
        for name in () if union else extra:
            table[program.shape_of(name)]["silent"] += 1
        print(f"{label}, program {number}: missing {sorted(missing)[:4]} {[program.shape_of(n) for n in sorted(missing)[:4]]}, "
              f"extra {[] if union else sorted(extra)[:4]} {[program.shape_of(n) for n in sorted(extra)[:4]]}")
    return silent


def check(options, folder, shapes):
    programs = generate(options.seed, options.count, shapes)
    tree = write(folder, programs)
    with concurrent.futures.ThreadPoolExecutor(max(2, len(os.sched_getaffinity(0)))) as pool:
        expected = {name: list(pool.map(lambda program, name=name: registered(tree, program, name), programs))
                    for name in CONFIGURATIONS[:1]}
        for name in CONFIGURATIONS[1:]:
            expected[name] = list(pool.map(
                lambda at, name=name: registered(tree, programs[at], name) if any(programs[at].macros.values())
                else expected[CONFIGURATIONS[0]][at], range(len(programs))))
    table = collections.defaultdict(collections.Counter)
    for program in programs:
        for shape, _, _ in program.parts:
            table[shape]["uses"] += 1
    either = [set().union(*sets) for sets in zip(*expected.values())]
    runs = [("fast", "c"), ("exhaustive", "c"), ("fast", "d"), ("fast", "union")]
    wrong = 0
    for mode, configuration in runs:
        wanted = expected.get(configuration, either)
        wrong += compare(programs, wanted, scanned(options.bin, tree, mode, configuration), f"{mode}, {configuration}",
                         configuration == "union", table)
    print(f"{len(programs)} programs, {sum(map(len, either))} names, {len(runs)} scans; silent: {wrong}")
    for shape in sorted(table, key=str):
        row = table[shape]
        often = row["incomplete"] > SHARE * row["uses"] * len(runs) and shape not in MAY_BE_INCOMPLETE
        wrong += often
        print(f"  {shape}: {row['uses']} uses, incomplete {row['incomplete']}, silent {row['silent']}"
              + (": too often incomplete" if often else ""))
    for shape, why in KNOWN.items():
        print(f"  left out: {shape}: {why}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--keep", type=pathlib.Path, help="a new folder for the programs and manifests")
    parser.add_argument("--only", nargs="+", choices=sorted(SHAPES), help="these shapes")
    options = parser.parse_args()
    options.bin = options.bin.resolve()
    shapes = options.only or [name for name in SHAPES if name not in KNOWN]
    if options.keep:
        options.keep.mkdir(parents=True)
        return 1 if check(options, options.keep.resolve(), shapes) else 0
    with tempfile.TemporaryDirectory(prefix="opledger-compiled-") as folder:
        return 1 if check(options, pathlib.Path(folder).resolve(), shapes) else 0


if __name__ == "__main__":
    sys.exit(main())
