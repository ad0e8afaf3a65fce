"""Compares facts of the scanner with those of the running framework, for each kind: prints the
table of the tests runtime_*_test.py, and what falls below their figures."""
# SPDX-License-Identifier: Apache-2.0

import json
import os
import subprocess

from test_data import ROOT, skip

RUNTIMES = ROOT / "build/runtimes/bin/python"  # installed by ci/setup --runtimes
OTHERS = ("missing", "extra", "contradict")


class Comparison:
    """For each kind of fact, names that agree, are missing, are extra, or contradict."""

    def __init__(self):
        self.kinds = {}

    def add(self, kind, how, name):
        self.kinds.setdefault(kind, {"agree": [], **{other: [] for other in OTHERS}})[how].append(name)

    def same(self, kind, name, ours, theirs):
        how = "agree" if ours == theirs else "missing" if ours in (None, "", set()) else "contradict"
        self.add(kind, how, name)


def problems_of(kinds, explained, fewest, verbose):
    """Prints the table; returns as text what is below 99.5 % or below `fewest`."""
    problems = []
    for kind, hows in kinds.items():
        unexplained = [name for how in OTHERS for name in hows[how] if name not in explained.get(kind, {})]
        counts = " ".join(f"{how} {len(names)}" for how, names in hows.items())
        total = sum(len(names) for names in hows.values())
        print(f"{kind}: {counts} of {total} = {100 * len(hows['agree']) / total:.2f} %, "
              f"unexplained {len(unexplained)}")
        if verbose:
            print(*(f"  {how} {name}" for how in OTHERS for name in hows[how]), sep="\n")
        if len(unexplained) > total * 0.005:
            problems.append(f"{kind}: differs from the running framework: {', '.join(unexplained[:20])}")
        if len(hows["agree"]) < fewest.get(kind, 0):
            problems.append(f"{kind}: {len(hows['agree'])} agree, fewer than {fewest[kind]}")
    return problems


def ask(script, package):
    """Returns the output of `script --ask` with the running frameworks; exits as skipped without
    them."""
    if not RUNTIMES.exists():
        skip(f"{package} (ci/setup --runtimes)")
    done = subprocess.run([RUNTIMES, script, "--ask"], capture_output=True, text=True, check=False,
                          env=dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES=""))
    if done.returncode != 0:
        skip(f"{package} (ci/setup --runtimes)")
    return done.stdout


def decide_names(program, folder, framework, names, others):
    """Checks a list that names operators of the running framework and others that it does not have,
    on folder/union.json: prints the share; returns false and missing findings as text."""
    wrong = sorted(f"{name}_no_such" for name in names) + sorted(others)
    (folder / "names.json").write_text(json.dumps(
        {"framework": framework, "target_dtype": "bfloat16", "either": [*sorted(names), *wrong]}))
    done = subprocess.run([program, "check", "--operators", "union.json", "--list", "names.json", "--config", "none",
                           "--output-format", "json"], cwd=folder, capture_output=True, text=True, check=False)
    found = {finding["operator"] for finding in json.loads(done.stdout)["findings"]
             if finding["rule"] in ("stale-entry", "near-miss-name")}
    false, silent = sorted(found & set(names)), sorted(set(wrong) - found)
    print(f"stale-entry, near-miss-name: {len(set(wrong) & found)} of {len(wrong)} true findings fire, "
          f"{len(false)} are false")
    return [f"false finding: {name} is an operator" for name in false] + [f"no finding: {name}" for name in silent]
