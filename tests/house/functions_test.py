#!/usr/bin/env python3
"""No function is longer than the LineThreshold of readability-function-size in .clang-tidy. Counted
here as well, since clang-tidy takes minutes for files that include Clang's headers. NOLINT on the
line where a body begins exempts it."""
# SPDX-License-Identifier: Apache-2.0

import re
import sys

from tree import ROOT, bare, files, relative, report

FOLDERS = ("registry", "checker", "conversion", "kernels")
# Text between the end of one declaration and the brace that opens the next scope.
SCOPE = re.compile(r"^(?:\s|\[\[.*?\]\]|template\s*<.*?>|export|inline|static|typedef|alignas\(.*?\))*"
                   r'(?:(?:inline\s+)?namespace|class|struct|union|enum|extern\s+"")(?![\w(])', re.DOTALL)
FUNCTION = re.compile(r"\)\s*(?:const|noexcept|override|final|mutable|&&?|->[^;{}]*|:[^;{}]*|\(.*?\)|\s)*$", re.DOTALL)


def threshold():
    return int(re.search(r"function-size\.LineThreshold, value: '(\d+)'", (ROOT / ".clang-tidy").read_text())[1])


def long_functions(text, most):
    """Returns line and length of each function whose body has more lines than `most`."""
    code = re.sub(r"(?m)^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", lambda match: "\n" * match[0].count("\n"), bare(text))
    lines = text.split("\n")
    found, begin, inside, at, line = [], 0, [], 0, 1
    for token in re.finditer(r"[{};\n]", code):
        at = token.start()
        if token[0] == "\n":
            line += 1
            continue
        before = code[begin:at]
        begin = at + 1
        if token[0] == "{":
            of_scope = all(kind == "scope" for kind, _ in inside)
            function = of_scope and not SCOPE.match(before) and FUNCTION.search(before) is not None
            kind = "scope" if of_scope and SCOPE.match(before) else "function" if function else "block"
            inside.append((kind, line))
        elif token[0] == "}" and inside:
            kind, first = inside.pop()
            if kind == "function" and line - first > most and "NOLINT" not in lines[first - 1]:
                found.append((first, line - first))
    return found


def main():
    most = threshold()
    problems = []
    functions = 0
    for path in files((".cpp", ".h"), FOLDERS):
        text = path.read_text()
        functions += len(long_functions(text, -1))
        for line, length in long_functions(text, most):
            problems.append(f"{relative(path)}:{line}: this function has {length} lines, more than {most}")
    body = "  f();\n" * 70
    for text in (f"int F(int a) {{\n{body}}}\n", f"namespace a {{\nstruct B {{\n  B() : c(1) {{\n{body}  }}\n}};\n}}\n",
                 f"auto A::F() const -> std::vector<int> {{\n{body}}}\n",
                 f"int F(int a = {{}}) noexcept {{\n{body}}}\n"):
        if len(long_functions(text, most)) != 1:
            problems.append(f"the functions test misses a long function in {text[:40]!r}")
    if long_functions(f"struct A {{\n{body}}};\nconst int a[] = {{\n{body}}};\n", most):
        problems.append("the functions test takes a table for a function")
    if functions < 5000:
        problems.append(f"the functions test sees {functions} functions only")
    return report(problems)


if __name__ == "__main__":
    sys.exit(main())
