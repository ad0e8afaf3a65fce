#!/usr/bin/env python3
"""Measures the scan of 10,000 and of 100,000 files: CPU time per file, and peak memory.

    tests/bench/many_files_benchmark.py [--bin build/bin] [--files 10000 100000]

Sources of 2 kB, each of which includes another; one in a hundred registers an operator. Without a
cache, one worker. Exit status: 0 the memory bar (300 MB) is met and every operator is found,
otherwise 1.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import pathlib
import random
import sys
import tempfile

from scan_benchmark import ROOT, run

MEGABYTES = 300
DIALECT = {"name": "own", "sources": ["src/**"], "include_directories": ["include", "src"],
           "sinks": [{"macro": "REG_OP"}]}


def source(number, count, choice):
    """Returns one file's text and whether it registers an operator."""
    other = choice.randrange(count)
    lines = ['#include "registry.h"', f'#include "d{other // 200}/f{other % 200}.h"', "#ifdef USE_X",
             f"#define LOCAL_{number}(a) ((a)+{number})", "#endif", f"namespace n{number} {{"]
    registers = choice.random() < 0.01
    if registers:
        lines.append(f"REG_OP(op_{number});")
    while sum(map(len, lines)) < 1950:
        lines.append(f"static inline int f{number}_{len(lines)}(int a, int b) "
                     f"{{ return a * {choice.randrange(999)} + b; }}")
    return "\n".join([*lines, "}", ""]), registers


def generate(root, count):
    """Writes the tree; returns how many operators it registers."""
    choice = random.Random(7)
    (root / "include").mkdir(parents=True)
    (root / "include/registry.h").write_text(
        "#pragma once\nint add(const char*);\n#define REG_OP(n) static int r_##n = add(#n)\n")
    (root / "dialect.json").write_text(json.dumps(DIALECT))
    operators = 0
    for number in range(count):
        path = root / f"src/d{number // 200}/f{number % 200}.cc"
        path.parent.mkdir(parents=True, exist_ok=True)
        text, registers = source(number, count, choice)
        path.write_text(text)
        operators += registers
    return operators


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/bin")
    parser.add_argument("--files", type=int, nargs="+", default=[10_000, 100_000])
    options = parser.parse_args()
    good = True
    for count in options.files:
        with tempfile.TemporaryDirectory() as scratch:
            root = pathlib.Path(scratch) / "tree"
            operators = generate(root, count)
            out = pathlib.Path(scratch) / "operators.json"
            cost = run([options.bin.resolve() / "opledger", "scan", "--dialect", "./dialect.json", "--config", "none",
                        "--no-cache", "-j", "1", "-o", out], root)
            found = len(json.loads(out.read_text())["operators"])
        print(f"{count} files: {cost.cpu:.2f} CPU s, {cost.cpu / count * 1e6:.0f} us per file, {cost.memory:.0f} MB, "
              f"{found} of {operators} operators")
        good = good and found == operators and cost.memory <= MEGABYTES
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
