#!/usr/bin/env python3
"""Each table equals its folder: what rules.cpp lists is what stands in rules/, under the same name."""
# SPDX-License-Identifier: Apache-2.0

import re
import sys

from tree import ROOT, bare, report

# Table -> what the entries' constants end in: checker/rules/stale_entry.cpp is kStaleEntry in
# checker/rules.cpp, checker/reports/text.cpp is kTextReport in checker/reports.cpp.
TABLES = {
    "checker/rules": "",
    "checker/reports": "Report",
    "checker/commands": "Command",
}


def constant(stem, suffix):
    return "k" + "".join(word.capitalize() for word in stem.split("_")) + suffix


def table_problems(table, suffix):
    text = bare((ROOT / f"{table}.cpp").read_text())
    declared = re.findall(r"^extern const \w+ (k\w+);", text, re.MULTILINE)
    listed = re.findall(r"\bk[A-Z]\w*", re.sub(r"^extern .*", "", text, flags=re.MULTILINE))
    # A file with a header of its own serves the entries; an entry has none, the table declares it.
    stems = sorted(path.stem for path in (ROOT / table).glob("*.cpp")
                   if not path.with_suffix(".h").exists())
    expected = {constant(stem, suffix): stem for stem in stems}
    problems = []
    for name in expected.keys() - set(listed):
        problems.append(f"{table}/{expected[name]}.cpp: {name} is not listed in {table}.cpp")
    for name in set(declared) - expected.keys():
        problems.append(f"{table}.cpp: {name} has no file of its name in {table}/")
    for stem in stems:
        kebab = stem.replace("_", "-")
        if f'"{kebab}"' not in (ROOT / table / f"{stem}.cpp").read_text():
            problems.append(f'{table}/{stem}.cpp: its name "{kebab}" is not in it')
    return problems if stems else [f"{table}/ holds no file"]


def main():
    problems = []
    for table, suffix in TABLES.items():
        if (ROOT / f"{table}.cpp").exists():
            problems += table_problems(table, suffix)
        else:
            problems.append(f"{table}.cpp does not exist")
    return report(problems)


if __name__ == "__main__":
    sys.exit(main())
