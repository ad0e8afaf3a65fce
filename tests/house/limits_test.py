#!/usr/bin/env python3
"""registry/scan/LIMITS.md has a row for each limit in the code of the scanner and its conditions,
with its value. tests/scan/limits_test.py, or the test that a row names, checks whether exceeding it
is incomplete, an error, open or exact. A limit is a named constant, never a literal in a
comparison."""
# SPDX-License-Identifier: Apache-2.0

import re
import sys

from tree import ROOT, bare, files, relative, report

FOLDERS = ("registry/scan", "registry/condition")
PAGE = "registry/scan/LIMITS.md"
TEST = "tests/scan/limits_test.py"
CONSTANT = re.compile(r"\bconstexpr\s+[\w:]+(?:<[^=;]*>)?\s+(k(?:(?:Max|Most|Deepest|Longest|Largest|Farthest)\w*"
                      r"|FewKept|ManyKept))\s*=\s*([^;]+);")
COMPARED = re.compile(r"\s[<>]=? \d{2,}\b(?!;)")
ROW = re.compile(r"^\| `([\w/.]+)` \| `(\w+)` \| `?([^|`]*)`? \| ([^|]*) \| ([^|]*) \| ([^|]*) \|$", re.MULTILINE)
TESTED = ("incomplete", "error", "open", "exact")
OUTCOMES = (*TESTED, "text", "suggestion")
# Limits of the machine.
OTHERS = {"registry/condition/arithmetic.cpp": "bits of an integer",
          "registry/scan/ast/interpret_arithmetic.cpp": "bits of an integer",
          "registry/scan/lex/plain_lexer.cpp": "bytes at a time"}


def limits(text):
    code = bare(text)
    return {name: " ".join(value.split()) for name, value in CONSTANT.findall(code) if "numeric_limits" not in value}


def plain(value):
    return re.sub(r"std::size_t|std::chrono::\w+|[{}() ']|(?<=\d)U\b", "", value)


def row_problems(rows, found, cases):
    problems = [f"{PAGE}: {path} {name} has no row" for path, name in sorted(found.keys() - rows.keys())]
    problems += [f"{PAGE}: {path} {name} is not a limit in the code" for path, name in sorted(rows.keys() - found.keys())]
    for (path, name), (value, outcome, test) in rows.items():
        where = f"{PAGE}: {path} {name}:"
        if (path, name) in found and plain(found[path, name]) != plain(value):
            problems.append(f"{where} {value} is {found[path, name]} in the code")
        if outcome not in OUTCOMES:
            problems.append(f"{where} '{outcome}' is not a valid outcome")
        elif outcome in TESTED and test == "":
            alike = sum(1 for (_, other), row in rows.items() if other == name and row[1] in TESTED and row[2] == "")
            if sum(case.split()[0] == name for case in cases) < alike:
                problems.append(f"{where} {TEST} does not exceed it")
        elif test and not test.startswith("not tested: ") and not (ROOT / test.strip("`")).is_file():
            problems.append(f"{where} there is no {test}")
    return problems


def main():
    found, problems = {}, []
    for path in files((".h", ".cpp"), FOLDERS):
        code, here = bare(path.read_text()), relative(path)
        for name, value in limits(path.read_text()).items():
            found[here.removeprefix("registry/"), name] = value
        for number, line in enumerate(code.split("\n"), 1):
            for comparison in COMPARED.finditer(line) if here not in OTHERS else ():
                problems.append(f"{here}:{number}: name the limit {comparison[0].strip()}, and add it to {PAGE}")
    text = (ROOT / PAGE).read_text()
    rows = {(path, name): (value, outcome.strip(), test.strip())
            for path, name, value, _, outcome, test in ROW.findall(text)}
    if len(rows) != len(re.findall(r"(?m)^\| `", text)):
        problems.append(f"{PAGE}: a row is not in the form of the others")
    cases = re.findall(r'(?m)^@\w*case\("([^"]+)"', (ROOT / TEST).read_text())
    names = {name for _, name in rows}
    problems += [f"{TEST}: '{case}' is no limit of {PAGE}" for case in cases if case.split()[0] not in names]
    problems += row_problems(rows, found, cases)
    if len(row_problems({("a", "kMaxB"): ("2", "lost", "")}, {("a", "kMaxB"): "1", ("a", "kMaxC"): "1"}, [])) != 3:
        problems.append("the limits test accepts a table that differs from the code")
    return report(problems)


if __name__ == "__main__":
    sys.exit(main())
