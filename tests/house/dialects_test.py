#!/usr/bin/env python3
"""The page of dialects names every field of a dialect, and every example it names is a golden case."""
# SPDX-License-Identifier: Apache-2.0

import json
import re
import sys

from tree import ROOT, report

PAGE = ROOT / "registry/dialects/README.md"
PLAIN = {"$schema", "$comment", "name", "description", "root_markers", "sources", "exclude",
         "extensions", "include_directories", "separator", "default_configuration", "unlisted"}


def main():
    text = PAGE.read_text()
    fields = json.loads((ROOT / "schemas/dialect.schema.json").read_text())["properties"]
    rows = re.findall(r"(?m)^\| (`.*) \| .* \| (.*) \|$", text)
    named = {name for row, _ in rows for name in re.findall(r"`(\w+)", row)}
    problems = [f"{PAGE.name}: no row says what '{field}' is"
                for field in sorted(fields.keys() - PLAIN - named)]
    problems += [f"{PAGE.name}: example '{example}' is no golden case"
                 for _, examples in rows for example in re.findall(r"`([\w-]+)`", examples)
                 if not list(ROOT.glob(f"tests/golden/*/{example}.txt"))]
    if len(rows) < 10:
        problems.append(f"{PAGE.name}: the table of fields was not found")
    return report(problems)


if __name__ == "__main__":
    sys.exit(main())
