#!/usr/bin/env python3
"""`classify` on random operators of the real lists of MXNet, TensorFlow, TVM and PyTorch: the
framework's file still parses (CPython's ast, g++ -fsyntax-only), lines are added and removed one at
a time, a second run changes nothing, and `check` sees the new policy."""
# SPDX-License-Identifier: Apache-2.0

import argparse
import ast
import difflib
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from derived_mutants_test import FRAMEWORKS, MACRO_ROW, Repository, operator_of, rows_of  # noqa: E402

STUB = """#include <set>
#include <string>
using std::string;
namespace gtl { template <typename T> using FlatSet = std::set<T>; }
"""


def parses(framework, text):
    if framework.file.endswith(".py"):
        ast.parse(text)
        return True
    if framework.row is MACRO_ROW:
        # Defines each macro, with parameters that accept everything in a row.
        lines, macros, at = text.splitlines(), [], 0
        while at < len(lines):
            if lines[at].startswith("#define AT_FORALL_") and lines[at].rstrip().endswith("\\"):
                begin = at
                while lines[at].rstrip().endswith("\\"):
                    at += 1
                macros.append("\n".join(lines[begin:at + 1]))
            at += 1
        uses = "".join(f"{macro.split('(')[0].split()[1]}(ROW)\n" for macro in macros)
        text = "\n".join(macros) + "\n#define ROW(...) static_assert(sizeof(#__VA_ARGS__) > 1);\n" + uses
    else:
        # Only the functions that build a list.
        heads = [text.index(head) for head in framework.lists]
        parts = []
        for head in heads:
            begin = text.index("{\n", text.index("gtl::FlatSet<string>{\n", head))
            parts.append(text[begin:text.index(";", begin)])
        text = STUB + "".join(f"gtl::FlatSet<string> list{n} {part};\n" for n, part in enumerate(parts))
    done = subprocess.run(["g++", "-std=c++17", "-fsyntax-only", "-xc++", "-"], input=text, text=True,
                          capture_output=True, check=False)
    if done.returncode:
        print(done.stderr[:600])
    return done.returncode == 0


def code(framework, line):
    """Returns a line without its trailing separator."""
    line = line.rstrip()
    return line.rstrip("\\").rstrip() if framework.row is MACRO_ROW else line.rstrip(",")


def changed(framework, before, after):
    """Returns the lines removed and added, ignoring separators."""
    old = [code(framework, line) for line in before.splitlines()]
    new = [code(framework, line) for line in after.splitlines()]
    difference = list(difflib.ndiff(old, new)) if len(old) < 50 else [
        line for line in difflib.unified_diff(old, new, n=0) if not line.startswith(("---", "+++", "@@"))]
    return (sum(line.startswith("-") for line in difference), sum(line.startswith("+") for line in difference))


def one(repository, chance):
    framework, file = repository.framework, repository.folder / repository.framework.file
    policy = chance.choice([p for p in repository.rows if repository.rows[p]])
    listed = {operator_of(framework, name): p for p, rows in repository.rows.items() for _, name in rows}
    names = list(listed) + repository.names
    op = chance.choice(names)
    note = chance.choice(["", "--note 'see #12'", "--reason numeric"])
    if listed.get(op) == policy:
        note = ""  # notes would be lost: golden/checker/classify_rows_said
    label = {"pytorch": "--list float16-cuda --list float16-xpu", "tensorflow": "--list float16-cuda",
             "mxnet": "--list float16"}.get(repository.folder.name, "")
    command = f"opledger classify '{op}' --as {policy} {label} {note} --unchecked {repository.options}"
    before = file.read_text(encoding="utf-8")
    said = repository.run(command)
    after = file.read_text(encoding="utf-8")
    wrong = []
    if not parses(framework, after):
        wrong.append("does not parse")
    wanted = (0, 0) if listed.get(op) == policy else (1, 1) if op in listed else (0, 1)
    if changed(framework, before, after) != wanted:
        wrong.append(f"{changed(framework, before, after)} lines differ, not {wanted}")
    again = repository.run(command)
    if file.read_text(encoding="utf-8") != after or "is already under" not in again:
        wrong.append("a second run changes it")
    rows = rows_of(framework, after.splitlines(keepends=True))
    if framework.row is not MACRO_ROW and op not in [name for _, name in rows[policy]]:
        wrong.append("is not there")
    file.write_text(before, encoding="utf-8")
    for each in wrong:
        print(f"{repository.folder.name}: {command}: {each}\n{said}")
    return not wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--operators", type=int, default=40, help="in all")
    parser.add_argument("--framework", action="append")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    names = arguments.framework or list(FRAMEWORKS)
    total = wrong = 0
    with tempfile.TemporaryDirectory() as scratch:
        for name in names:
            repository = Repository(name, os.path.abspath(arguments.bin), pathlib.Path(scratch))
            chance = random.Random(arguments.seed)
            for _ in range(arguments.operators // len(names)):
                total += 1
                try:
                    wrong += not one(repository, chance)
                except (AssertionError, SyntaxError) as error:
                    print(f"{name}: {error}")
                    (repository.folder / repository.framework.file).write_text(repository.original, encoding="utf-8")
                    wrong += 1
    print(f"{total} operators, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
