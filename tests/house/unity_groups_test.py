#!/usr/bin/env python3
"""Sources that define the same names are not compiled as one in unity builds (ci/unity_groups.py); others are."""
# SPDX-License-Identifier: Apache-2.0

import pathlib
import re
import subprocess
import sys
import tempfile

from tree import ROOT, report

FILES = {
    "first.cpp": 'namespace a {\nnamespace {\nconstexpr int kMost = 1 << 2;\nstruct Part {};\nint Of(int x) '
                 '{ return x; }\n}\nint First() { return Of(kMost); }\n}\n',
    "same_constant.cpp": "namespace a {\nnamespace {\nconstexpr int kMost = 3;\n}\n}\n",
    "same_type.cpp": "namespace a {\nnamespace {\nclass Part { int x_ = 0; };\n}\n}\n",
    "same_function.cpp": "namespace a {\nnamespace {\nint Of(int y) { return y + 1; }\n}\n}\n",
    "same_static.cpp": "namespace a {\nstatic int Of(int y) { return y + 2; }\n}\n",
    "overload.cpp": "namespace a {\nnamespace {\nint Of(int y, int z) { return y + z; }\n}\n}\n",
    "other_namespace.cpp": "namespace a::b {\nnamespace {\nconstexpr int kMost = 4;\n}\n}\n",
    "macro.cpp": "#define WIDTH 3\n",
    "same_macro.cpp": "#define WIDTH 4\n",
    "undefined_macro.cpp": "#define WIDTH 5\n#undef WIDTH\n",
    "header.h": '#pragma once\nnamespace a {\nclass Shown;\nint Told(const char* text = "}{");\n}\n',
    "reads_header.cpp": '#include "header.h"\n',
    "same_as_header.cpp": "namespace a {\nnamespace {\nstruct Shown {};\n}\n}\n",
    "in_text.cpp": 'namespace a {\nnamespace {\nconst char* kText = "constexpr int kMost = 3;";  // struct Part {};\n}\n}\n',
}
# (files, whether they may be compiled as one)
EXPECTED = [
    (("first", "same_constant"), False), (("first", "same_type"), False), (("first", "same_function"), False),
    (("first", "same_static"), False), (("first", "overload"), True), (("first", "other_namespace"), True),
    (("macro", "same_macro"), False), (("macro", "undefined_macro"), True),
    (("reads_header", "same_as_header"), False), (("first", "in_text"), True), (("first", "macro"), True),
]


def groups(folder, names):
    line = f"library 32 {' '.join(str(folder / f'{name}.cpp') for name in names)}\n"
    made = subprocess.run([sys.executable, "-B", ROOT / "ci/unity_groups.py", folder], input=line, text=True,
                          capture_output=True, check=True).stdout
    return {pathlib.Path(path).stem: group
            for paths, group in re.findall(r"properties\((.*?)\n.*?UNITY_GROUP \"(\w+)\"", made)
            for path in paths.split()}


def main():
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name, text in FILES.items():
            (folder / name).write_text(text)
        for names, together in EXPECTED:
            found = groups(folder, names)
            if set(found) != set(names) or (len(set(found.values())) == 1) != together:
                problems.append(f"{names}: {found}; they may{'' if together else ' not'} be compiled as one")
    return report(problems)


if __name__ == "__main__":
    sys.exit(main())
