#!/usr/bin/env python3
"""Trees are read in one way, registry/source: only main functions and the source for the current
folder change that folder or depend on it. Every std::error_code is checked: a file that cannot be
examined is not a missing file."""
# SPDX-License-Identifier: Apache-2.0

import re
import sys

from tree import bare, code_files, relative, report

FOLDERS = ("registry/", "checker/")
CURRENT = re.compile(r"(?<![\w.>])f?chdir\s*\(|\bcurrent_path\b|\bgetcwd\s*\(|\bget_current_dir_name\b")
OF_THE_CURRENT = {
    "registry/platform/command_line.cpp": "-C, of all programs",
    "registry/source/disk_tree.cpp": "the source that stands for the current folder",
}
TAKES = re.compile(r"\bstd::error_code (\w+);")
# Calls whose failure does not matter.
UNIMPORTANT = {
    "registry/platform/sandbox.cpp": "a folder less may be read",
    "registry/scan/cache/cache.cpp": "a cache that cannot be written is none",
    "checker/config/doctor.cpp": "tells what it sees of the cache",
}


def unlooked(text):
    """Yields (line number, name) of each std::error_code that no later line of its block checks."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        taken = TAKES.search(line)
        if not taken:
            continue
        name, indent = taken[1], len(line) - len(line.lstrip())
        looks = re.compile(rf"if \(!?{name}\b|[!|&(] ?!?{name} [|&?]|!{name}\b|return !?{name}\b|\b{name}\.(?:value|message)|"
                           rf"\b{name} [!=]= |\b{name} \?|{name}\)$")
        for later in lines[number + 1:]:
            if later.strip() and len(later) - len(later.lstrip()) < indent:
                yield number + 1, name
                break
            if looks.search(re.sub(r"[\w:>.-]+\([^()]*\)", "", later)) or f"if ({name}" in later or f"!{name}" in later:
                break


def main():
    problems, used = [], set()
    for path in code_files():
        name = relative(path)
        if not name.startswith(FOLDERS) or path.suffix not in (".cpp", ".h"):
            continue
        text = bare(path.read_text(encoding="utf-8"))
        for number, line in enumerate(text.split("\n"), 1):
            if CURRENT.search(line):
                used.add(name)
                if name not in OF_THE_CURRENT:
                    problems.append(f"{name}:{number}: depends on the current folder; use a Source: {line.strip()}")
        for number, variable in unlooked(text):
            used.add(name)
            if name not in UNIMPORTANT:
                problems.append(f"{name}:{number}: nothing checks '{variable}'; only ENOENT and ENOTDIR mean that a file "
                                "is missing (registry/source)")
    for name in [*OF_THE_CURRENT, *UNIMPORTANT]:
        if name not in used:
            problems.append(f"{name}: no longer needs an exception")
    return report(problems)


if __name__ == "__main__":
    sys.exit(main())
