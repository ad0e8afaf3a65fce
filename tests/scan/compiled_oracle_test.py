#!/usr/bin/env python3
"""Compiles and runs generated programs: the scanner finds exactly what they register, or reports
incomplete.

    tests/scan/compiled_oracle_test.py --bin build/bin [--seed N] [--count N] [--keep DIR] [--only SHAPE ...]

A scan must find exactly what the program of its configuration prints. The union must find what any
configuration registers; anything else that it finds must have a condition.
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

import constant_programs  # pylint: disable=unused-import  # each adds its shapes
import function_programs  # pylint: disable=unused-import
import include_programs  # pylint: disable=unused-import
import reach_programs  # pylint: disable=unused-import
import sibling_programs  # pylint: disable=unused-import
import table_programs  # pylint: disable=unused-import
import value_programs  # pylint: disable=unused-import
from compiled_programs import CONFIGURATIONS, REGISTRY, SHAPES, SINKS, generate
from pending_shapes import PENDING, UNREACHABLE

# Shapes that may be incomplete in any number of uses, and why.
MAY_BE_INCOMPLETE = {
    "external_helper": "other files may call it with any name, which is said",
    "loop_bound": "a bound that a macro undefined in some configuration gives is unknown there, which is said",
    "inc_name_elsewhere": "an #include of what a macro of another file names is not followed, which is said",
}
SHARE = 0.05  # share of a shape's uses that may be incomplete


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


def registered(tree, program, configuration, compilers):
    """Returns the program's output; nine tenths of the programs use one of the compilers."""
    made = tree.parent / f"p{program.number}_{configuration}"
    defines = [f"-D{macro}={value}" for macro, value in program.macros[configuration].items() if value is not None]
    compiler = compilers[-1 if program.number % 10 == 9 else 0]
    linker = ["-fuse-ld=gold"] if shutil.which("ld.gold") else []
    command = [compiler, "-std=gnu++20", "-O0", "-w", "-no-pie", *linker, f"-I{tree / 'include'}", *defines,
               tree / "src" / f"p{program.number}" / "unit.cc", "-o", made]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{compiler} failed on program {program.number}:\n{done.stderr[:3000]}")
    ran = subprocess.run([made], capture_output=True, text=True, timeout=60, check=False)
    made.unlink()
    return set(ran.stdout.split("\n")) - {""}


def number_of(site):
    """Returns the number of the program that contains a site; None if there is none."""
    home = site["path"].split("/")
    return int(home[1][1:]) if len(home) == 3 else None


class Scan:
    """Results of one mode and configuration, by the programs' numbers."""

    def __init__(self, binary, tree, mode, configuration):
        self.label, self.union = f"{mode}, {configuration}", configuration == "union"
        self.names = collections.defaultdict(set)
        self.always = collections.defaultdict(set)  # names without a condition
        self.doubts = collections.defaultdict(list)  # (path, line) of incomplete places
        self.nowhere = []
        # names that never run, according to the scan
        self.unreachable = collections.defaultdict(set)
        output = tree.parent / f"{mode}_{configuration}.json"
        done = subprocess.run([binary / "opledger-scan", "--dialect", "../dialect.json", "--mode", mode, "--no-cache",
                               "--config", "none", "--configuration", configuration, "-o", output],
                              cwd=tree, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 3):
            raise SystemExit(f"{self.label}: exit status {done.returncode}\n{done.stderr[:2000]}")
        manifest = json.loads(output.read_text())
        for operator in manifest["operators"]:
            for site in operator["sites"]:
                self.add(operator["name"], site)
                if not site.get("reachable", operator.get("reachable", True)):
                    self.unreachable[number_of(site)].add(operator["name"])
        for entry in manifest["incomplete"] + manifest["dynamic"]:
            _, home, path = entry["path"].split("/")
            self.doubts[int(home[1:])].append((path, entry.get("line", 0)))
        if self.doubts and done.returncode == 0:
            raise SystemExit(f"{self.label}: incomplete, with exit status 0")

    def add(self, name, site):
        number = number_of(site)
        if number is None:
            self.nowhere.append(f"{name} at '{site['path']}:{site['line']}'")
            return
        self.names[number].add(name)
        if not site["condition"]:
            self.always[number].add(name)


def compare(programs, expected, scan, table):
    """Counts uses of shapes that agree, are incomplete, are wrong. An incomplete place excuses only
    its own shape."""
    silent = 0
    for program in programs:
        number = program.number
        names = scan.names[number]
        # What the union finds beyond both configurations must have a condition.
        extra = (scan.always[number] if scan.union else names) - expected[number]
        extra -= {name for name in scan.unreachable[number] if program.shape_of(name) in UNREACHABLE}
        doubts = {program.place_at(path, line) for path, line in scan.doubts[number]}
        wrong = collections.defaultdict(list)
        for name in sorted(expected[number] - names):
            wrong[program.place_of(name)].append("-" + name)
        for name in sorted(expected[number] & scan.unreachable[number]):
            wrong[program.place_of(name)].append("marked unreachable: " + name)
        for name in sorted(extra):
            wrong[program.place_of(name)].append("+" + name)
        for place, part in enumerate(program.parts):
            kind = "incomplete" if place in doubts or None in doubts else "silent" if place in wrong else "agree"
            table[part.shape][kind] += 1
        left = {place: words for place, words in wrong.items() if place not in doubts and None not in doubts}
        for place, words in left.items():
            silent += 1
            print(f"{scan.label}, program {number}, {'' if place is None else program.parts[place].shape}: {' '.join(words[:6])}")
    for text in scan.nowhere:
        print(f"{scan.label}: cannot be attributed to a shape: {text}")
    return silent + len(scan.nowhere)


def witnesses(seed, count, shapes, folder, jobs=None):
    """Returns the programs, their tree and, by configuration, the names that each registers."""
    programs = generate(seed, count, shapes)
    tree = write(folder, programs)
    compilers = [found for found in map(shutil.which, ("g++", "clang++")) if found]
    first = CONFIGURATIONS[0]
    expected = {}
    with concurrent.futures.ThreadPoolExecutor(jobs or max(2, len(os.sched_getaffinity(0)))) as pool:
        for name in CONFIGURATIONS:
            again = [p for p in programs if name == first or any(p.macros.values())]
            ran = dict(zip([p.number for p in again], pool.map(lambda p, name=name: registered(tree, p, name, compilers), again)))
            expected[name] = [ran.get(p.number, expected.get(first) and expected[first][p.number]) for p in programs]
    expected["union"] = [set().union(*sets) for sets in zip(*expected.values())]
    return programs, tree, expected


def judge(binary, programs, tree, expected):
    """Judges the folder's scanner; prints and returns how many uses of shapes are wrong, and which
    shapes are too often incomplete."""
    table = collections.defaultdict(collections.Counter)
    runs = [(mode, configuration) for mode in ("fast", "exhaustive") for configuration in expected]
    wrong = sum(compare(programs, expected[configuration], Scan(binary, tree, mode, configuration), table)
                for mode, configuration in runs)
    print(f"{len(programs)} programs, {sum(map(len, expected['union']))} names, {len(runs)} scans; silent or wrong: {wrong}")
    print(f"{'shape':24}{'programs':>9}{'agree':>8}{'incomplete':>11}{'silent':>8}")
    for shape in sorted(table):
        row = table[shape]
        uses = sum(row.values())
        # In at least two programs, since code after another shape's goto is unknown for all shapes.
        often = row["incomplete"] > max(SHARE * uses, 2 * len(runs)) and shape not in MAY_BE_INCOMPLETE
        wrong += often
        print(f"{shape:24}{uses // len(runs):9}{row['agree']:8}{row['incomplete'] / uses:11.1%}{row['silent']:8}"
              + ("  too often incomplete" if often else ""))
    return wrong


def check(options, folder, shapes):
    return judge(options.bin, *witnesses(options.seed, options.count, shapes, folder, options.jobs))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--jobs", type=int, help="number of concurrent compilers")
    parser.add_argument("--keep", type=pathlib.Path, help="a new folder for the programs and manifests")
    parser.add_argument("--only", nargs="+", choices=sorted(SHAPES), help="these shapes")
    options = parser.parse_args()
    options.bin = options.bin.resolve()
    shapes = options.only or [name for name in SHAPES if name not in PENDING]
    if options.keep:
        options.keep.mkdir(parents=True)
        return 1 if check(options, options.keep.resolve(), shapes) else 0
    with tempfile.TemporaryDirectory(prefix="opledger-compiled-") as folder:
        return 1 if check(options, pathlib.Path(folder).resolve(), shapes) else 0


if __name__ == "__main__":
    sys.exit(main())
