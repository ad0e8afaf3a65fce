#!/usr/bin/env python3
"""The characters that are escaped because they are invisible are those with Unicode's property
Default_Ignorable_Code_Point, both in C++ and in Python. Compares with Perl's tables; skipped
without Perl.

    tests/registry/ignorable_test.py --bin build/bin
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from opledger.printable import IGNORABLE, printable  # noqa: E402

PROGRAM = r"""no warnings; for my $c (0 .. 0x10FFFF) { next if $c >= 0xD800 && $c < 0xE000;
print "$c\n" if chr($c) =~ /\p{Default_Ignorable_Code_Point}/ }"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.parse_args()
    problems = []
    source = (ROOT / "registry/text/utf8.cpp").read_text()
    table = source.partition("kIgnorable[] = {")[2].partition("};")[0]
    of_cpp = tuple((int(first, 16), int(last, 16)) for first, last in re.findall(r"\{0x(\w+), 0x(\w+)\}", table))
    if of_cpp != IGNORABLE:
        problems.append(f"C++ and Python differ: {sorted(set(of_cpp) ^ set(IGNORABLE))}")
    ours = {code for first, last in IGNORABLE for code in range(first, last + 1)}
    shown = [f"U+{code:04X}" for code in ours if printable(chr(code)) == chr(code)]
    if shown:
        problems.append(f"printable() does not escape {shown[:10]}")
    if printable("a é\u4e2d\U0001f600") != "a é\u4e2d\U0001f600":
        problems.append("printable() escapes a visible character")
    if shutil.which("perl") is None:
        print("\n".join(problems) or "SKIPPED: there is no perl")
        return 1 if problems else 77
    said = subprocess.run(["perl", "-e", PROGRAM], capture_output=True, text=True, check=True).stdout
    differ = sorted(ours ^ {int(each) for each in said.split()})
    if differ:
        problems.append(f"Perl differs at {[f'U+{code:04X}' for code in differ[:20]]}")
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
