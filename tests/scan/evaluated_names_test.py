#!/usr/bin/env python3
"""Tests names that require evaluation: the scan finds exactly those that the compiled program
registers, or is incomplete.

    tests/scan/evaluated_names_test.py --bin build/bin [--seed N] [--count N] [--doubts PERCENT] [--only N]
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from name_programs import OTHER, generate

DIALECT = {"name": "own", "sources": ["src/**"], "sinks": [{"macro": "REGISTER_OP", "form": "string"}]}
MAIN = """#include "other/names.h"
#include <cstdio>
static int program = 0;
static void Register(const std::string& name) { std::printf("%d %s\\n", program, name.c_str()); }
int Ask() { static int asked = 0; return asked++ % 5; }
void Touch(std::string& text) { text += "_touched"; }
#define REGISTER_OP(name) Register(name)
"""


def compiled(folder, programs):
    """Returns what each program registers at its start and later."""
    lines = [MAIN]
    for number in range(len(programs)):
        lines += [f"static int begin{number} = program = {number};", f'#include "../src/p{number}.cc"']
    lines += ["int main() {"]
    for number in range(len(programs)):
        lines += [f"  program = {number}; p{number}::Load(); p{number}::LoadNamed(\"given\");"]
    made = folder / "made"
    made.mkdir()
    (made / "main.cc").write_text("\n".join(lines + ["}", ""]))
    compiler = shutil.which("g++") or shutil.which("clang++")
    command = [compiler, "-std=gnu++20", "-O0", "-w", f"-I{folder / 'unseen'}", made / "main.cc", "-o", made / "main"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{compiler} failed on the generated programs:\n{done.stderr[:4000]}")
    ran = subprocess.run([made / "main"], capture_output=True, text=True, check=True, timeout=60)
    names = [set() for _ in programs]
    for line in ran.stdout.splitlines():
        number, _, name = line.partition(" ")
        names[int(number)].add(name)
    return names


def scanned(program, tree, mode, count):
    """Returns what the scanner finds in each program, and why it is incomplete."""
    output = tree.parent / f"{mode}.json"
    done = subprocess.run([program, "--dialect", "../dialect.json", "--mode", mode, "--no-cache", "--config", "none",
                           "-o", output], cwd=tree, capture_output=True, text=True, check=False)
    if not output.exists():
        sys.exit(f"{mode}: exit status {done.returncode}\n{done.stderr[:2000]}")
    manifest = json.loads(output.read_text())
    names, doubts = [{} for _ in range(count)], [[] for _ in range(count)]
    for operator in manifest["operators"]:
        for site in operator["sites"]:
            names[int(site["path"][5:-3])][operator["name"]] = site["line"]
    for line in done.stderr.splitlines():
        if line.startswith("src/p"):
            doubts[int(line[5:line.index(".cc")])].append(line)
    return names, doubts


def check(options, folder):
    programs = generate(options.seed, options.count, options.doubts)
    if options.only is not None:
        print(programs[options.only])
    tree = folder / "tree"
    (tree / "src").mkdir(parents=True)
    (folder / "src").symlink_to(tree / "src")
    (folder / "unseen" / "other").mkdir(parents=True)
    (folder / "unseen" / "other" / "names.h").write_text(OTHER)
    (folder / "dialect.json").write_text(json.dumps(DIALECT))
    for number, text in enumerate(programs):
        (tree / "src" / f"p{number}.cc").write_text(text)
    expected = compiled(folder, programs)
    wrong = 0
    for mode in ("fast", "exhaustive")[:1 if options.fast else 2]:
        names, doubts = scanned(options.bin / "opledger-scan", tree, mode, options.count)
        incomplete = [number for number in range(options.count) if doubts[number]]
        plain = [number for number in incomplete if number % 2 == 0]
        print(f"{mode}: {options.count} programs, {sum(map(len, expected))} names; incomplete: {len(incomplete)}, "
              f"of those with nothing unknown {len(plain)}")
        for number in range(options.count):
            if options.only in (None, number) and (options.verbose or options.only is not None):
                print("\n".join(line[:300] for line in doubts[number]))
            silent = set(names[number]) != expected[number] and not doubts[number]
            wrong += silent
            if silent:
                print(f"{mode}, program {number}: missing {sorted(expected[number] - set(names[number]))[:4]}, "
                      f"extra {[item for item in names[number].items() if item[0] not in expected[number]][:4]}")
        if len(plain) * 10 > options.count:
            print("too many programs without unknown parts are incomplete")
            wrong += 1
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--doubts", type=int, default=12)
    parser.add_argument("--only", type=int)
    parser.add_argument("--fast", action="store_true", help="only the fast mode")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    options.bin = options.bin.resolve()
    with tempfile.TemporaryDirectory(prefix="opledger-names-") as folder:
        return 1 if check(options, pathlib.Path(folder).resolve()) else 0


if __name__ == "__main__":
    sys.exit(main())
