#!/usr/bin/env python3
"""Only registry/files/open_file.cpp opens files, except where EXCEPTED gives a reason. (Listing a
folder opens no files.) Only registry/files/temporary_file.cpp replaces files; its outputs are old
or new, never partial."""
# SPDX-License-Identifier: Apache-2.0

import re
import sys

from tree import bare, code_files, relative, report

OPENING = re.compile(
    r"(?<![\w.>:])(?:::)?(?:open|openat|openat2|open64|creat|fopen|freopen|fopen64|tmpfile|mkstemp|"
    r"mkostemp|mkdtemp|popen|system|dlopen)\s*\((?!model)|std::(?:fopen|freopen|tmpfile|system)\b|"
    r"\b[io]?fstream\b|SYS_openat2?\b|MemoryBuffer::getFile|getRealFileSystem")
RENAMING = re.compile(r"(?<![\w.>])(?:renameat2?|rename|linkat|link)\s*\(|(?:std|fs|filesystem)::rename\b|"
                      r"SYS_renameat2?\b|\bcopy_file\b|::create_hard_link\b")
RENAMES = {
    "registry/files/temporary_file.cpp": "the place",
    "registry/platform/system_calls.cpp": "allows the call",
}
# Variables named `open` in conditions.
OWN = re.compile(r"\bOpenDimensions open\(")

EXCEPTED = {
    "registry/files/open_file.cpp": "the place",
    "registry/platform/system_calls.cpp": "allows the call",
    "registry/files/list_folder.cpp": "lists folders",
    "registry/scan/cache/cache.cpp": "maps records of its own folder, which have checksums",
    "kernels/bench/temporary_folder.cpp": "makes a private folder",
    "kernels/machine/peak_memory.cpp": "reads what the system says of itself",
    "kernels/machine/memory_limit.cpp": "reads what the system says of itself",
    "kernels/cuda/chain/loader.cpp": "loads the module that stands beside the program",
    "kernels/cuda/selftest/main.cpp": "a tool of its own, which writes where it is told to",
}


def lines_of(path, kind):
    """Yields (line number, code) of each line that opens, or renames, a file."""
    for number, line in enumerate(bare(path.read_text(encoding="utf-8")).split("\n"), 1):
        if kind.search(line) and not OWN.search(line) and not line.startswith("#include"):
            yield number, line.strip()


def check(kind, excepted, what):
    problems, used = [], set()
    for path in code_files():
        name = relative(path)
        if name.startswith("tests/"):
            continue
        for number, line in lines_of(path, kind):
            if name in excepted:
                used.add(name)
            else:
                problems.append(f"{name}:{number}: {what} a file directly: {line}")
    return problems + [f"{name}: {what} no file; take it out of the exceptions" for name in excepted
                       if name not in used]


def main():
    return report(check(OPENING, EXCEPTED, "opens") + check(RENAMING, RENAMES, "renames"))


if __name__ == "__main__":
    sys.exit(main())
