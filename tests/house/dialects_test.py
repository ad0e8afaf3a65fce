#!/usr/bin/env python3
"""The documentation of dialects names every field of a dialect, and every example it names is a
golden case. The reference is the output of `opledger explain dialect --markdown`, in which every
field has a description."""
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import pathlib
import re
import subprocess
import sys

from tree import ROOT, report

PAGE = ROOT / "registry/dialects/README.md"
REFERENCE = ROOT / "registry/dialects/REFERENCE.md"
PLAIN = {"$schema", "$comment", "name", "description", "root_markers", "sources", "exclude",
         "extensions", "include_directories", "separator", "default_configuration", "unlisted"}


def reference_problems(binaries):
    command = [str(binaries / "opledger"), "explain", "dialect", "--markdown"]
    page = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    problems = [f"{REFERENCE.name}: no meaning in {row}" for row in re.findall(r"(?m)^\| .*\|  \|$", page)]
    if page != REFERENCE.read_text():
        problems.append(f"{REFERENCE.name} is not what `opledger explain dialect --markdown` writes")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    text = PAGE.read_text()
    fields = json.loads((ROOT / "schemas/dialect.schema.json").read_text())["properties"]
    rows = re.findall(r"(?m)^\| (`.*) \| .* \| (.*) \|$", text)
    named = {name for row, _ in rows for name in re.findall(r"`(\w+)", row)}
    problems = [f"{PAGE.name}: no row says what '{field}' is"
                for field in sorted(fields.keys() - PLAIN - named)]
    problems += [f"{PAGE.name}: example '{example}' is not a golden case"
                 for _, examples in rows for example in re.findall(r"`([\w-]+)`", examples)
                 if not list(ROOT.glob(f"tests/golden/*/{example}.txt"))]
    if len(rows) < 10:
        problems.append(f"{PAGE.name}: the table of fields was not found")
    problems += reference_problems(arguments.bin)
    return report(problems)


if __name__ == "__main__":
    sys.exit(main())
