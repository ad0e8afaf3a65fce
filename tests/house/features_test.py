#!/usr/bin/env python3
"""Every test that tests/FEATURES.md names exists."""
# SPDX-License-Identifier: Apache-2.0

import re
import sys

from tree import ROOT, files, report

PAGE = ROOT / "tests/FEATURES.md"


def exists(name, unit_tests):
    """golden/FOLDER/CASE is a file, FOLDER/NAME a Python test, Suite.Name a GoogleTest."""
    if name.startswith("golden/"):
        return (ROOT / f"tests/{name}.txt").is_file()
    return (ROOT / f"tests/{name}_test.py").is_file() or name in unit_tests


def main():
    unit_tests = {f"{suite}.{name}" for path in files((".cpp",), ("tests",)) for suite, name in
                  re.findall(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", path.read_text(), re.MULTILINE)}
    rows = [line for line in PAGE.read_text().splitlines() if line.startswith("| ")][1:]
    problems = [] if rows else ["tests/FEATURES.md has no rows"]
    for row in rows:
        feature, *_, cell = [part.strip() for part in row.strip("|").split("|")]
        names = re.findall(r"`([^`]+)`", cell)
        problems += [f"{feature}: no test is named"] if not names else []
        problems += [f"{feature}: there is no test {name}" for name in names
                     if not exists(name, unit_tests)]
    for name, wanted in (("house/features", True), ("house/nowhere", False), ("golden/x", False)):
        if exists(name, unit_tests) != wanted:
            problems.append(f"this test is wrong about {name}")
    return report(problems)


if __name__ == "__main__":
    sys.exit(main())
