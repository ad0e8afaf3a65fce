#!/usr/bin/env python3
"""Files of at most 500 lines and 100 in the median; functions of at most 60 (kernels: 80)."""
# SPDX-License-Identifier: Apache-2.0

import re
import statistics
import sys

from tree import bare, code_files, files, relative, report

LARGEST_FILE = 500
MEDIAN_FILE = 100
LARGEST_FUNCTION = 60
LARGEST_KERNEL = 80

# A brace after such text opens a scope in which functions stand.
SCOPE = re.compile(r'^(?:inline\s+)?namespace\b|^extern\s*""\s*$'
                   r"|^(?:template\s*<.*>\s*)?(?:struct|class|union)\b", re.DOTALL)


def functions(text):
    """(first line, name, lines) of every outermost function body in C++ text."""
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: "\n" * m[0].count("\n"), bare(text),
                  flags=re.MULTILINE)
    stack, start, line, found = [], 0, 1, []
    for position, character in enumerate(text):
        if character == "\n":
            line += 1
        elif character == ";" and all(kind == "scope" for kind, _, _ in stack):
            start = position + 1
        elif character == "{":
            head = re.sub(r"^(?:\s*(?:public|protected|private):)+", "", text[start:position]).strip()
            inside = any(kind == "body" for kind, _, _ in stack)
            kind = "scope" if not inside and SCOPE.match(head) else "body"
            stack.append((kind, head, line - head.count("\n")))
            if kind == "scope":
                start = position + 1
        elif character == "}" and stack:
            kind, head, first = stack.pop()
            if all(outer == "scope" for outer, _, _ in stack):
                if re.match(r"\s*[,{]", text[position + 1:]):
                    continue  # of a constructor's initialiser: its body is still to come
                start = position + 1
                name = re.search(r"([\w:~]+|operator\S+)\s*\(", head)
                if kind == "body" and name and head[-1] not in "=(,":
                    found.append((first, name[1], line - first + 1))
    return found


def check_itself():
    text = ("namespace a {\nclass B {\n public:\n  int F() const {\n    if (x) {\n      y();\n    }\n"
            "    return 1;\n  }\n};\nint table[] = {1,\n2};\n}\nvoid G(int a,\n       int b) { /* { */ }\n")
    expected = [(4, "F", 6), (14, "G", 2)]
    return [] if functions(text) == expected else [f"the sizes test finds {functions(text)}"]


def main():
    problems = check_itself()
    lengths = {}
    for file in code_files() + files((".py",)):
        lengths[relative(file)] = file.read_text().count("\n")
    for path, lines in lengths.items():
        if lines > LARGEST_FILE:
            problems.append(f"{path}: {lines} lines, more than {LARGEST_FILE}")
    for file in code_files():
        path = relative(file)
        limit = LARGEST_KERNEL if path.startswith("kernels/") else LARGEST_FUNCTION
        for line, name, lines in functions(file.read_text()):
            if lines > limit:
                problems.append(f"{path}:{line}: {name} has {lines} lines, more than {limit}")
    own = [lines for path, lines in lengths.items() if not path.startswith("tests/")]
    if own and statistics.median(own) > MEDIAN_FILE:
        problems.append(f"the median file has {statistics.median(own):g} lines, more than {MEDIAN_FILE}")
    if problems:
        tests = sum(lengths.values()) - sum(own)
        problems.append(f"totals: {len(own)} files, {sum(own)} lines; {tests} lines of tests")
    return report(problems)


if __name__ == "__main__":
    sys.exit(main())
