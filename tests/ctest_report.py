#!/usr/bin/env python3
"""Summarizes ctest's JUnit reports for ci/test.

    ctest_report.py counts REPORT...          "PASSED FAILED SKIPPED"; golden folders count their cases
    ctest_report.py failures REPORT...        the end of the output of each failed test
    ctest_report.py slowest N REPORT...       the N slowest tests
    ctest_report.py skipped REPORT...         what was missing, the tests skipped for it, and the
                                              command that installs it
"""
# SPDX-License-Identifier: Apache-2.0

import collections
import os
import re
import sys
import xml.etree.ElementTree

CASES = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", re.MULTILINE)
ABSENT = ("notrun", "skipped", "disabled")
# (pattern of a missing requirement, command that installs it); the first match counts.
REMEDIES = (
    (r"ci/test-data", "ci/test-data, or OPLEDGER_TEST_DATA=FOLDER ci/test --data"),
    (r"ci/setup --(\w+)", r"ci/setup --\1"),
    (r"chromium", "ci/setup --browser"),
    (r"ci/setup", "ci/setup"),
    (r"requires mxnet-source", "ci/test-data, or OPLEDGER_TEST_DATA=FOLDER ci/test --data"),
    (r"GPU|CUDA|libcuda|opledger-cuda", "a machine with an NVIDIA GPU"),
    (r"AddressSanitizer|sanitizer", "the release build, where they run"),
    (r"Landlock|seccomp", "a kernel with Landlock and seccomp"),
    (r"was not built", "the packages that ci/setup names, and another configure"),
)


def cases(reports):
    for report in filter(os.path.exists, reports):
        for case in xml.etree.ElementTree.parse(report).iter("testcase"):
            yield report, case, (case.findtext("system-out") or "").strip()


def counts(reports):
    """Returns (passed, failed, skipped)."""
    total = [0, 0, 0]
    for _, case, said in cases(reports):
        inner = CASES.search(said) if case.get("name").startswith("golden/") else None
        if inner:
            total = [a + int(b) for a, b in zip(total, inner.groups())]
        else:
            status = case.get("status")
            total[1 if status == "fail" else 2 if status in ABSENT else 0] += 1
    return total


def tell_failures(reports):
    for report, case, said in cases(reports):
        if case.get("status") == "fail":
            print(f"== {case.get('name')} ({report})\n{said[-3000:]}")


def tell_slowest(count, reports):
    times = [(float(case.get("time")), case.get("name"), os.path.dirname(report)) for report, case, _ in cases(reports)]
    print(f"slowest of {len(times)} tests, which took {sum(each[0] for each in times):.0f} s in total:")
    for seconds, name, build in sorted(times, reverse=True)[:count]:
        print(f"{seconds:8.1f} s  {name} ({build})")


def reason(said):
    """Returns what a skipped test, or a skipped part of one, reports as missing."""
    line = re.search(r": Skipped\n(.*)", said) or re.search(r"SKIPPED:? ?(.*)", said) or re.search(r"(missing: .*|[^\n]*\bno .*|[^\n]*)\Z", said)
    text = line[1].strip() if line else "no reason"
    return re.sub(r"^(\S+\.txt: requires|missing:) ", lambda found: "" if found[1] == "missing:" else "requires ", text)


def remedy(text):
    for pattern, command in REMEDIES:
        found = re.search(pattern, text)
        if found:
            return found.expand(command)
    return "what the test names"


def tell_skipped(reports):
    groups = collections.defaultdict(lambda: collections.defaultdict(set))
    for _, case, said in cases(reports):
        if case.get("status") in ABSENT:
            text = reason(said)
            name = case.get("name").split("  # GetParam")[0]
            groups[remedy(text)][re.sub(r"[;(] ?ci/.*", "", text).strip()].add(name)
    for command, missing in sorted(groups.items()):
        tests = set().union(*missing.values())
        print(f"skipped: {len(tests)} {'test' if len(tests) == 1 else 'tests'}; what is missing comes with {command}:")
        for text, names in sorted(missing.items()):
            print(f"  {text}: {', '.join(sorted(names))}")


def main():
    what, *rest = sys.argv[1:]
    if what == "counts":
        print(*counts(rest))
    elif what == "failures":
        tell_failures(rest)
    elif what == "slowest":
        tell_slowest(int(rest[0]), rest[1:])
    elif what == "skipped":
        tell_skipped(rest)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
