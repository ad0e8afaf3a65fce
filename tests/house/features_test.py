#!/usr/bin/env python3
"""Every test that tests/FEATURES.md names exists; a row without a test says that the feature is not
built. Each promise of SECURITY.md names an existing test."""
# SPDX-License-Identifier: Apache-2.0

import re
import sys

from tree import ROOT, files, report

PAGE = ROOT / "tests/FEATURES.md"
SECURITY = ROOT / "SECURITY.md"


def exists(name, unit_tests):
    """golden/FOLDER/CASE is a file, FOLDER/NAME a Python test, fuzz/NAME a target, Suite.Name a GoogleTest."""
    if name.startswith("golden/"):
        return (ROOT / f"tests/{name}.txt").is_file()
    if name.startswith("fuzz/"):
        return (ROOT / f"tests/{name}_fuzz.cpp").is_file()
    return (ROOT / f"tests/{name}_test.py").is_file() or name in unit_tests


def row_problems(row, unit_tests):
    """Returns problems of "| feature | what opledger does | tests |"."""
    feature, *what, cell = [part.strip() for part in row.strip("|").split("|")]
    names = re.findall(r"`([^`]+)`", cell)
    problems = [f"{feature}: there is no test {name}" for name in names if not exists(name, unit_tests)]
    absent = " ".join(what).startswith("not built: ")
    if absent and names:
        problems.append(f"{feature}: a test of a feature that is not built")
    if not absent and not names:
        problems.append(f"{feature}: names no test, and no reason why it is not built")
    return problems


def promise_problems(text, unit_tests):
    """Returns problems of "- **promise** ... (`test`, `test`)", for each promise."""
    problems = []
    for promise in re.split(r"\n- \*\*", text.split("## Promises", 1)[-1].split("\n## ", 1)[0])[1:]:
        title = " ".join(promise.split("**")[0].split())
        names = [name for group in re.findall(r"\((`[^()]*`)\)", promise)
                 for name in re.findall(r"`([^`]+[/.][^`]+)`", group)]
        problems += [f"SECURITY.md: {title}: there is no test {name}" for name in names
                     if not exists(name, unit_tests)]
        if not names:
            problems.append(f"SECURITY.md: {title}: no test is named")
    return problems or ([] if "\n- **" in text else ["SECURITY.md promises nothing"])


def main():
    unit_tests = {f"{suite}.{name}" for path in files((".cpp",), ("tests",)) for suite, name in
                  re.findall(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", path.read_text(), re.MULTILINE)}
    lines = PAGE.read_text().splitlines()
    rows = [line for line, below in zip(lines, lines[1:] + [""])
            if line.startswith("| ") and not below.startswith("|---")]
    problems = [] if rows else ["tests/FEATURES.md has no rows"]
    for row in rows:
        problems += row_problems(row, unit_tests)
    problems += promise_problems(SECURITY.read_text(), unit_tests)
    for text, wrong in (("## Promises\n\n- **A.** b (`house/features`)\n", False),
                        ("## Promises\n\n- **A.** b\n", True), ("## Promises\n\n- **A.** (`a/b`)\n", True)):
        if bool(promise_problems(text, unit_tests)) != wrong:
            problems.append(f"this test misjudges {text}")
    for name, wanted in (("house/features", True), ("house/nowhere", False), ("golden/x", False)):
        if exists(name, unit_tests) != wanted:
            problems.append(f"this test misjudges {name}")
    for row, wrong in (("| a | b | `house/features` |", False), ("| a | not built: c | |", False),
                       ("| a | b | |", True), ("| a | not built: c | `house/features` |", True),
                       ("| a | not built | |", True), ("| a | b | `house/nowhere` |", True)):
        if bool(row_problems(row, unit_tests)) != wrong:
            problems.append(f"this test misjudges {row}")
    return report(problems)


if __name__ == "__main__":
    sys.exit(main())
