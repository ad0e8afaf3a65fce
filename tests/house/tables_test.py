#!/usr/bin/env python3
"""Each table matches its folder: rules.cpp lists exactly the files of rules/, under the same
names."""
# SPDX-License-Identifier: Apache-2.0

import re
import sys

from tree import ROOT, bare, report

# A table lists its entries as constants that the files define: checker/rules/stale_entry.cpp is
# kStaleEntry in checker/rules/rules.cpp, checker/reports/text.cpp is kTextReport in checker/reports/reports.cpp.
CONSTANT_TABLES = {"checker/rules": "", "checker/reports": "Report",
                   "checker/docs": "Docs", "checker/commands": "Command"}


def pascal(stem):
    return "".join(word.capitalize() for word in stem.split("_"))


def table_file(table):
    return ROOT / table / f"{table.rsplit('/')[-1]}.cpp"


def entries(table):
    """Returns stem -> text of each entry's file."""
    # A file with its own header is shared code; an entry has none, since the table declares it.
    return {path.stem: path.read_text() for path in sorted((ROOT / table).glob("*.cpp"))
            if not path.with_suffix(".h").exists()}


def table_problems(table, listed, expected):
    """Compares the `listed` names in the table's file with `expected`: name -> stem."""
    problems = [f"{table}/{expected[name]}.cpp: '{name}' is not listed in {table}.cpp"
                for name in sorted(expected.keys() - listed)]
    problems += [f"{table}.cpp: '{name}' has no file of this name in {table}/"
                 for name in sorted(listed - expected.keys())]
    return problems if expected else [f"{table}/ has no files"]


def constant_table_problems(table, suffix):
    text = bare(table_file(table).read_text())
    listed = set(re.findall(r"\bk[A-Z]\w*(?=[,}\s])", re.sub(r"(?m)^extern .*", "", text)))
    files = entries(table)
    problems = table_problems(table, listed, {f"k{pascal(stem)}{suffix}": stem for stem in files})
    for stem, text in files.items():
        kebab = stem.replace("_", "-")
        if f'"{kebab}"' not in text:
            problems.append(f'{table}/{stem}.cpp: its name "{kebab}" is not in it')
    return problems


def main():
    problems = []
    for table, suffix in CONSTANT_TABLES.items():
        problems += constant_table_problems(table, suffix)
    if not table_problems("checker/rules", {"kA"}, {"kB": "b"}):
        problems.append("the tables test accepts a table that differs from its folder")
    return report(problems)


if __name__ == "__main__":
    sys.exit(main())
