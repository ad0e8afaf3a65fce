#!/usr/bin/env python3
"""Measures how time and memory of scan and check grow with each kind of input.
Each input is doubled four times.

    tests/bench/input_growth_benchmark.py [--bin build/bin] [--only INPUT] [--smallest-part N]

Inputs: registrations of one operator; methods of one chain; operators and their entries; entries
that match no operator; findings in SARIF; flags and entries of a compile database; aliases of one
operator; misspelt entries; conditions of one entry; comments, ignore rules and a baseline that
silence findings; fixes; operators that are classified at once; a page of documentation; two
manifests compared. A row: size, CPU seconds, ratio to half the size, peak memory in MB. Bar: the
last doubling takes at most 2.6 times as long (if it takes at least 0.2 s). Exit status: 0 all bars
are met, 1 some are not.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

DOUBLINGS, GROWTH, MEASURABLE = 4, 2.6, 0.2
DIALECT = {"name": "demo", "sources": ["src/**"], "extensions": [".cc"], "sinks": [{"macro": "R"}],
           "chain": [{"method": "set_attr", "field": "attributes", "key": 0, "value": 1}]}
SCAN = ("opledger-scan", "--dialect", "dialect.json", "--no-cache", "-j1", "-o", "out.json")
CHECK = ("opledger", "check", "--config", "none", "--operators", "ops.json", "--list", "list.json", "-q")


def write_operators(folder, names):
    site = {"path": "src/a.cc", "line": 1, "column": 3, "end_line": 1, "end_column": 9}
    (folder / "ops.json").write_text(json.dumps(
        {"schema": "opledger-operators/1", "dialect": "demo",
         "operators": [{"name": name, "sites": [site]} for name in names]}))


def write_list(folder, names):
    (folder / "list.json").write_text(json.dumps({"framework": "demo", "target_dtype": "float16", "fp32": names}))


def names_of(count):
    return [f"operator_{i:07}" for i in range(count)]


def registrations(folder, count):
    (folder / "src/a.cc").write_text("R(a);\n" * count)
    return SCAN


def chained(folder, count):
    (folder / "src/a.cc").write_text("R(a)" + "".join(f'.set_attr<F>("k{i}", v{i})\n' for i in range(count)) + ";\n")
    return SCAN


def operators(folder, count):
    write_operators(folder, names_of(count))
    write_list(folder, names_of(count))
    return CHECK


def stale(folder, count):
    write_operators(folder, ["one"])
    write_list(folder, names_of(count))
    return (*CHECK, "--output-format", "concise")


def sarif(folder, count):
    write_operators(folder, names_of(count))
    write_list(folder, [])
    return (*CHECK, "--output-format", "sarif=out.sarif")


def flags(folder, count):
    (folder / "src/a.cc").write_text("R(a);\n")
    (folder / "compile_commands.json").write_text(json.dumps(
        [{"directory": ".", "file": "src/a.cc", "arguments": ["g++", *(f"-Ii{i}" for i in range(count))]}]))
    return (*SCAN, "-p", ".")


def entries(folder, count):
    for i in range(count):
        (folder / f"src/f{i}.cc").write_text(f"R(f{i});\n")
    (folder / "compile_commands.json").write_text(json.dumps(
        [{"directory": ".", "file": f"src/f{i}.cc", "arguments": ["g++", "-DX=1"]} for i in range(count)]))
    return (*SCAN, "-p", ".")


def aliases(folder, count):
    write_operators(folder, ["one"])
    operators = json.loads((folder / "ops.json").read_text())
    operators["operators"][0]["aliases"] = names_of(count)
    (folder / "ops.json").write_text(json.dumps(operators))
    write_list(folder, names_of(count))
    return (*CHECK, "--output-format", "concise")


def misspelt(folder, count):
    write_operators(folder, names_of(count))
    write_list(folder, [name.replace("operator", "oparator") for name in names_of(count)])
    return (*CHECK, "--output-format", "concise")


def conditions(folder, count):
    write_operators(folder, ["one"])
    clauses = [{"attribute": f"a{i}", "values": [f"v{i}"], "then": "fp32"} for i in range(count)]
    (folder / "list.json").write_text(json.dumps({"framework": "demo", "target_dtype": "float16",
                                                  "conditional": [{"op": "one", "clauses": clauses}]}))
    return (*CHECK, "--output-format", "concise")


def suppressed(folder, count):
    (folder / "src/a.cc").write_text("".join(
        f"// opledger-ignore(unclassified-operator): not ours\nR({name});\n" for name in names_of(count)))
    site = {"path": "src/a.cc", "column": 3, "end_column": 19}
    (folder / "ops.json").write_text(json.dumps(
        {"schema": "opledger-operators/1", "dialect": "demo", "operators":
         [{"name": name, "sites": [dict(site, line=2 * i + 2, end_line=2 * i + 2)]}
          for i, name in enumerate(names_of(count))]}))
    write_list(folder, [])
    return CHECK


def write_project(folder, **members):
    (folder / "opledger.json").write_text(json.dumps({"dialect": "dialect.json", "lists": ["list.json"], **members}))
    return ("opledger", "check", "--operators", "ops.json", "-q")


def ignored(folder, count):
    write_operators(folder, names_of(count))
    write_list(folder, [])
    return write_project(folder, ignore=[{"operator": name, "reason": "not ours"} for name in names_of(count)])


def baseline(folder, count):
    write_operators(folder, names_of(count))
    write_list(folder, [])
    (folder / "opledger-baseline.json").write_text(json.dumps(
        {"schema": "opledger-baseline/1", "findings":
         [{"framework": "demo", "rule": "unclassified-operator", "operator": name, "list": "float16"}
          for name in names_of(count)]}))
    return write_project(folder)


def fixes(folder, count):
    write_operators(folder, ["one"])
    write_list(folder, ["one", *names_of(count)])
    return (*write_project(folder), "--fix")


def classified(folder, count):
    write_operators(folder, names_of(count))
    write_list(folder, [])
    write_project(folder)
    (folder / "findings.json").write_text(json.dumps(
        {"schema": "opledger-report/1", "findings":
         [{"rule": "unclassified-operator", "operator": name, "list": "float16"} for name in names_of(count)]}))
    return ("opledger", "classify", "--operators", "ops.json", "--from", "findings.json", "--as", "fp32", "-q")


def page(folder, count):
    write_operators(folder, names_of(count))
    write_list(folder, names_of(count))
    return ("opledger", "docs", "--config", "none", "--operators", "ops.json", "--list", "list.json",
            "-o", "page.html", "-q")


def compared(folder, count):
    write_operators(folder, [name + "_old" for name in names_of(count)])
    (folder / "ops.json").rename(folder / "old.json")
    write_operators(folder, names_of(count))
    write_list(folder, [])
    return ("opledger", "diff", "--config", "none", "--list", "list.json", "old.json", "ops.json")


INPUTS = {"registrations": (registrations, 5000), "chained": (chained, 2500), "operators": (operators, 12_500),
          "stale": (stale, 12_500), "sarif": (sarif, 12_500), "flags": (flags, 5000),
          "entries": (entries, 500), "aliases": (aliases, 6000), "misspelt": (misspelt, 6000),
          "conditions": (conditions, 3000), "suppressed": (suppressed, 3000), "ignored": (ignored, 1500),
          "baseline": (baseline, 6000), "fixes": (fixes, 6000), "classified": (classified, 500),
          "page": (page, 3000), "compared": (compared, 6000)}


def measure(programs, folder, command):
    """Returns CPU seconds and peak bytes of the run and all its children."""
    with subprocess.Popen([programs / command[0], *command[1:]], cwd=folder, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1, 3):
        sys.exit(f"{command}: exit status {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/bin"))
    parser.add_argument("--only", choices=INPUTS)
    parser.add_argument("--smallest-part", type=int, default=1, help="smaller initial size")
    options = parser.parse_args()
    programs, missed = options.bin.resolve(), []
    for name, (write, smallest) in INPUTS.items():
        if options.only not in (None, name):
            continue
        print(f"{name}\n      size   CPU s  times     MB")
        before = None
        for doubling in range(DOUBLINGS + 1):
            size = smallest // options.smallest_part << doubling
            with tempfile.TemporaryDirectory() as scratch:
                folder = pathlib.Path(scratch)
                (folder / "src").mkdir()
                (folder / "dialect.json").write_text(json.dumps(DIALECT))
                seconds, peak = measure(programs, folder, write(folder, size))
            times = seconds / before if before else 0
            print(f"{size:10} {seconds:7.2f} {times or '':6.3} {peak / 1e6:6.0f}")
            before = max(seconds, 1e-3)
        if times > GROWTH and seconds > MEASURABLE:
            missed.append(f"{name}: {times:.2f} times at the last doubling")
    print("\n".join(missed) or "all bars are met")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
