#!/usr/bin/env python3
"""Checks the names in comments: every C++ file that a comment names exists, and so does every other
file whose path begins with a folder of the project; every identifier in backquotes occurs in code.
A file may be named by the end of its path."""
# SPDX-License-Identifier: Apache-2.0

import re
import subprocess
import sys

from tree import CODE_FOLDERS, ROOT, code_files, files, relative, report

SUFFIXES = "h|cpp|cu|cuh|py|cmake|md|json|txt|sh"
FILE = re.compile(rf"(?<![\w./*<$~-])((?:[\w.-]+/)*[A-Za-z]\w*\.(?:{SUFFIXES}))(?![\w/(-])")
BACKQUOTED = re.compile(r"`([^`\n]+)`")
IDENTIFIER = re.compile(r"(?:[A-Za-z_]\w*(?:::|\.|->))*~?[A-Za-z_]\w*(?:\(\))?")
CODE = re.compile(r"\.(?:h|cpp|cu|cuh)$")
# Examples, and files of other projects.
FOREIGN = {"a.h", "lists.py", "b.h", "ops.h", "ops.py", "ops.cpp", "posix_acl_xattr.h", "rnn_impl.h", "pool.h", "device_lower_intrin.cc"}


def repository_files():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.split()
    return set(listed) or {relative(path) for path in ROOT.rglob("*") if path.is_file()}


def comments(path):
    """Yields (line, text) of each line that has a comment."""
    code = path.read_text()
    mark = "#" if path.suffix == ".py" else "//"
    for number, line in enumerate(code.split("\n"), 1):
        stripped = line.strip()
        if stripped.startswith("#include"):
            continue
        if stripped.startswith(mark):
            yield number, stripped
        elif mark == "//":
            comment = re.sub(r'"(?:\\.|[^"\\])*"', '""', line).partition("//")[2]
            if comment:
                yield number, comment


class Names:
    """Names that comments may use."""

    def __init__(self):
        self.paths = repository_files()
        self.words = set()
        for path in files((".h", ".cpp", ".cu", ".cuh", ".py", ".json", ".txt", ".cmake"), (
                "registry", "checker", "conversion", "kernels", "python", "tests", "schemas", "ci")):
            if path.name != "comments_test.py":
                text = path.read_text(errors="replace")
                self.words.update(re.findall(r"\w+", text if path.suffix == ".json" else without_comments(path, text)))

    def file_problem(self, name):
        ours = CODE.search(name) or name.split("/")[0] in CODE_FOLDERS[:-1] + ("schemas", "ci")
        if not ours or name.rsplit("/", 1)[-1] in FOREIGN or "NAME" in name or any(path == name or path.endswith("/" + name) for path in self.paths):
            return None
        return f"there is no file {name}"

    def identifier_problem(self, text):
        if not IDENTIFIER.fullmatch(text):
            return None
        missing = [word for word in re.findall(r"\w+", text) if word not in self.words]
        return f"no code contains `{missing[0]}`" if missing else None


def without_comments(path, text):
    if path.suffix in (".h", ".cpp", ".cu", ".cuh"):
        return re.sub(r"//[^\n]*", "", text)
    return re.sub(r"(?m)^\s*#.*$", "", text)


def problems_of(names, line):
    for name in FILE.findall(re.sub(r"https?://\S+", "", line)):
        if found := names.file_problem(name):
            yield found
    for text in BACKQUOTED.findall(line):
        if found := names.identifier_problem(text):
            yield found


def main():
    names = Names()
    problems = [f"{relative(path)}:{number}: {problem}" for path in code_files() + files((".py",))
                for number, line in comments(path) for problem in problems_of(names, line)]
    for line in ("// see no_such_file.h", "// as `NoSuchFunctionAnywhere` does"):
        if not list(problems_of(names, line)):
            problems.append(f"the comments test accepts '{line}'")
    return report(problems)


if __name__ == "__main__":
    sys.exit(main())
