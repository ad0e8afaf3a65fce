#!/usr/bin/env python3
"""File names are snake_case, after the one thing in the file; and each file opens with a comment
about its purpose."""
# SPDX-License-Identifier: Apache-2.0

import re
import sys

from tree import code_files, files, relative, report

EMPTY_WORDS = {"util", "utils", "utility", "utilities", "common", "helper", "helpers", "manager",
               "misc", "miscellaneous", "stuff", "base"}
LICENCE = "SPDX-License-Identifier: Apache-2.0"


def name_problem(path):
    stem = path.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    # Package files, and those named after the package that they replace.
    if path.startswith("python/") and (stem == "__init__" or path.startswith("python/opledger/compat/")):
        return None
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", stem):
        return "the name is not snake_case"
    words = EMPTY_WORDS.intersection(stem.split("_"))
    return f"'{words.pop()}' is too vague: name it after the thing in the file" if words else None


def opening_problem(text):
    """Checks for a comment of one to eight lines, then the license."""
    lines = []
    for line in text.split("\n"):
        if not line.startswith("//"):
            break
        lines.append(line)
    if not lines or lines[-1] != f"// {LICENCE}":
        return f"does not open with a comment that ends in '// {LICENCE}'"
    if not 1 <= len(lines) - 1 <= 8:
        return f"opens with {len(lines) - 1} lines of comment; it should be 1 to 8"
    return None


def main():
    problems = []
    for file in code_files():
        for found in (name_problem(relative(file)), opening_problem(file.read_text())):
            if found:
                problems.append(f"{relative(file)}: {found}")
    for file in files((".py",)):
        if name_problem(relative(file)):
            problems.append(f"{relative(file)}: {name_problem(relative(file))}")
        if LICENCE not in file.read_text():
            problems.append(f"{relative(file)}: no line '# {LICENCE}'")
    for path in ("registry/string_util.h", "registry/Manifest.cpp", "registry/__init__.py"):
        if not name_problem(path):
            problems.append(f"the names test accepts {path}")
    if not opening_problem("#pragma once\n") or not opening_problem(f"// {LICENCE}\n"):
        problems.append("the names test accepts a file without an opening comment")
    return report(problems)


if __name__ == "__main__":
    sys.exit(main())
