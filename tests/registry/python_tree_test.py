#!/usr/bin/env python3
"""Compares opledger's syntax trees of Python with CPython's: for generated programs, for the
standard library of the current Python, and for broken programs, which both have to reject."""
# SPDX-License-Identifier: Apache-2.0

import argparse
import pathlib
import random
import sys
import sysconfig
import tempfile
import warnings

from python_programs import Programs, broken
from python_witness import Witness, difference, dump

# Unsupported by opledger: the names of Unicode characters and of Python's codecs, and which letters
# a name may have.
NOT_KNOWN = ("unknown Unicode character name", "unknown encoding", "encoding problem", "invalid character")
# Rejected in a format string by older Pythons, but accepted by newer ones and opledger.
NEWER = ("f-string",) if sys.version_info < (3, 12) else ()
BATCH = 50


def library(every):
    folder = pathlib.Path(sysconfig.get_paths()["stdlib"])
    files = sorted(path for path in folder.rglob("*.py") if "site-packages" not in path.parts)
    return files[::every]


def witness_of(data):
    """Returns the tree, or CPython's error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return Witness(data).module(), None
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            return None, error


class Comparison:
    def __init__(self, program):
        self.program = program
        self.trees = self.refused = self.skipped = 0
        self.problems = []

    def one(self, name, data, own):
        try:
            data.decode("utf-8")
        except UnicodeDecodeError:
            self.skipped += 1  # Python reads other encodings, opledger rejects them
            if "error" not in own:
                self.problems.append(f"{name}: opledger accepts invalid UTF-8")
            return
        tree, error = witness_of(data)
        if error is not None:
            self.refused += 1
            if "error" not in own and not any(text in str(error) for text in (*NOT_KNOWN, *NEWER)):
                self.problems.append(f"{name}: CPython rejects it ({error}), opledger does not")
        elif "error" in own:
            self.problems.append(f"{name}: opledger rejects it: {own['error']}")
        else:
            self.trees += 1
            found = difference(own["tree"], tree, data)
            if found:
                self.problems.append(f"{name}: {found}")

    def files(self, paths):
        for start in range(0, len(paths), BATCH):
            batch = paths[start:start + BATCH]
            for path, own in zip(batch, dump(self.program, "tree", batch)):
                self.one(path, path.read_bytes(), own)

    def programs(self, texts, folder):
        paths = []
        for number, text in enumerate(texts):
            paths.append(folder / f"{number}.py")
            paths[-1].write_bytes(text.encode("utf-8"))
        self.files(paths)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--count", type=int, default=2000, help="generated programs")
    parser.add_argument("--every", type=int, default=1, help="number of files of the library")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--table", action="store_true", help="print the figures")
    options = parser.parse_args()
    sys.setrecursionlimit(20000)
    made = random.Random(options.seed)
    texts = [Programs(made).module() for _ in range(options.count)]
    texts += [broken(made, text) for text in texts]
    parts = {}
    with tempfile.TemporaryDirectory() as folder:
        parts["programs"] = Comparison(options.bin / "opledger-python-dump")
        parts["programs"].programs(texts, pathlib.Path(folder))
    parts["library"] = Comparison(options.bin / "opledger-python-dump")
    parts["library"].files(library(options.every))
    problems = [problem for part in parts.values() for problem in part.problems]
    for name, part in parts.items():
        if options.table or problems:
            print(f"{name}: {part.trees} trees, {part.refused} refused, {part.skipped} in other encodings, "
                  f"{len(part.problems)} differ")
        if part.trees == 0:
            problems.append(f"{name}: nothing was compared")
    for problem in problems[:40]:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
