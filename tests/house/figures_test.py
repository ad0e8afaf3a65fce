#!/usr/bin/env python3
"""The table of figures in README.md is what was measured, and every row names the command that measures it."""
# SPDX-License-Identifier: Apache-2.0

import copy
import json
import subprocess
import sys

from tree import ROOT, load_script, report

OUTPUT = """bert12          opledger                   176 casts     0.20 s       16 MB
bert12          onnxconverter-common       210 casts     5.20 s      900 MB
"""


def refused(module, rows, change):
    """Whether --check has an error for rows after `change`."""
    changed = copy.deepcopy(rows)
    change(changed[0])
    return bool(module.problems_of(changed)[0])


def main():
    module = load_script(ROOT / "ci/figures")
    rows = json.loads(module.ROWS.read_text())
    errors, _ = module.problems_of(rows)
    problems = list(errors)
    for what, change in {
            "without a command": lambda row: row.update(command=""),
            "without patterns": lambda row: row.update(patterns=[]),
            "whose script does not exist": lambda row: row.update(command="tests/bench/no_such_benchmark.py"),
            "that README.md does not have": lambda row: row.update(text="0 s")}.items():
        if not refused(module, rows, change):
            problems.append(f"ci/figures --check accepts a row {what}")
    bert = next(row for row in rows if row["id"] == "convert-bert")
    expected = "0.20 s, 16 MB; onnxconverter-common: 26 times as long"
    if (text := module.render(bert, OUTPUT)) != expected:
        problems.append(f"a row of made output is '{text}', not '{expected}'")
    try:
        module.render(bert, "nothing")
        problems.append("a row is made of output that has no figures")
    except ValueError:
        pass
    first = subprocess.run(["git", "rev-list", "--max-parents=0", "HEAD"], cwd=ROOT, capture_output=True, text=True,
                           check=False).stdout.split()
    old = [{**rows[0], "commit": first[-1]}] if first else []
    if old and module.age(old[0]) > module.MOST_COMMITS and not module.problems_of(old)[1]:
        problems.append("a row that was measured at the first commit is not called old")
    return report(problems)


if __name__ == "__main__":
    sys.exit(main())
