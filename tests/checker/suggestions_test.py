#!/usr/bin/env python3
"""Measures how often the first or second suggested policy is the framework's own.
Tests every operator of each shipped list, with weights and priors learned from the other frameworks
only. registry/priors/policies.json must equal what all of them yield together.

    tests/checker/suggestions_test.py --bin BUILD/bin            prints the figures; 1 if one fell
    tests/checker/suggestions_test.py --bin BUILD/bin --write    makes registry/priors anew
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/scan"))
from real_test import NEWEST, OTHERS, require_sources  # noqa: E402

PRIORS = ROOT / "registry/priors/policies.json"
SOURCES = {NEWEST: "mxnet", **{name: row[0] for name, row in OTHERS.items()}}
# Percentage of operators for which the first and the first two suggestions were right, if only that
# operator was missing.
MEASURED = {
    ("mxnet", "bfloat16"): (90.5, 98.1),
    ("mxnet", "float16"): (88.4, 96.9),
    ("onnx", "bfloat16"): (78.4, 92.3),
    ("onnx", "float16"): (77.9, 92.3),
    ("pytorch", "bfloat16-cpu"): (93.8, 100.0),
    ("pytorch", "float16-cuda"): (90.6, 96.9),
    ("pytorch", "float16-mps"): (86.9, 96.0),
    ("pytorch", "float16-xpu"): (90.2, 96.7),
    ("tensorflow", "bfloat16-cpu"): (89.6, 95.4),
    ("tensorflow", "float16-cuda"): (90.1, 95.3),
    ("tvm-relax", "float16"): (98.3, 100.0),
    ("tvm-relay", "float16"): (83.3, 100.0),
}
MARGIN = 1.5  # per cent
ROUNDING = 0.011  # of a weight
OVER_PROMISE = 3  # per cent


def scan(program, manifests):
    """Writes MANIFESTS/DIALECT.json of every framework."""
    shipped = {name: path for name, dialect in SOURCES.items()
               if (path := ROOT / f"registry/operators/{dialect}.json").exists()}
    for path in shipped.values():
        (manifests / path.name).symlink_to(path)
    names = [name for name in SOURCES if name not in shipped]
    for name, folder in zip(names, require_sources(*names)):
        subprocess.run([program, "-C", folder, "--config", "none", "--dialect", SOURCES[name],
                        "--no-cache", "-o", manifests / f"{SOURCES[name]}.json"], check=True)


def check_figures(rows):
    """Prints the figures; returns those that fell."""
    problems = []
    print("list                      operators  majority |   one missing   | half missing | all missing"
          " | sure of: right")
    for row in rows:
        key = row["framework"], row["list"]
        count = row["operators"]

        def percent(part, of):
            return f"{100 * part / max(of, 1):5.1f}"

        one, half, none = row["one_missing"], row["half_missing"], row["all_missing"]
        pairs = ["{} {}".format(percent(score["first"], count), percent(score["second"], count))
                 for score in (one, half, none)]
        print(f"{'/'.join(key):25} {count:9} {percent(row['majority'], count):>9} |   {pairs[0]}   |"
              f"  {pairs[1]} | {pairs[2]} | {percent(one['sure'], count)}:"
              f" {percent(one['sure_right'], one['sure'])}")
        if key not in MEASURED:
            problems.append(f"{key}: no figure to compare with: add one to MEASURED")
            continue
        for what, expected in zip(("first", "second"), MEASURED[key]):
            found = 100 * one[what] / count
            if found < expected - MARGIN:
                problems.append(f"{key}: {what}: {found:.1f} %; measured before: {expected}")
    problems += [f"{key}: no such list" for key in MEASURED
                 if key not in {(row["framework"], row["list"]) for row in rows}]
    return problems


def check_calibration(rows):
    """Prints how often suggestions of each probability are right, on lists that were not learned
    from; returns those that promise too much. Each four suggestions count as one sample, since a
    framework's lists share operators."""
    print("probability of the first: right, of how many (promised on average), over all lists")
    problems = []
    for kind in ("one_missing", "half_missing", "all_missing", "unlisted"):
        scores = [row[kind] for row in rows if kind in row]
        cells = []
        for low, high in ((0, 5), (5, 7), (7, 9), (9, 10)):
            count, right, promised = (sum(sum(score[what][low:high]) for score in scores)
                                      for what in ("count", "right", "promised"))
            if not count:
                continue
            kept, said = 100 * right / count, 100 * promised / count
            cells.append(f"{kept:3.0f} of {count} ({said:.0f})")
            if kept < said - OVER_PROMISE - 200 * (0.25 / (count / 4)) ** 0.5:
                problems.append(f"{kind}: of {count} suggestions that promise {said:.0f} %, {kept:.0f} % are right")
        print(f"  {kind:13} {'; '.join(cells)}")
    return problems


def check_priors(made):
    shipped, learnt = (json.loads(path.read_text()) for path in (PRIORS, made))
    weights = shipped.pop("weights"), learnt.pop("weights")
    same = shipped == learnt and weights[0].keys() == weights[1].keys() and all(
        abs(weights[0][kind] - weights[1][kind]) < ROUNDING for kind in weights[0])
    return [] if same else [f"{PRIORS.relative_to(ROOT)} does not match the lists: run this test "
                            "with --write, and look at the figures"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    folder = options.bin.resolve()
    for path in (folder / "opledger-scan", folder / "suggestion-accuracy"):
        if not path.exists():
            print(f"SKIPPED: {path.name} was not built")
            return 77
    with tempfile.TemporaryDirectory(prefix="opledger-suggestions-") as scratch:
        manifests = pathlib.Path(scratch)
        scan(folder / "opledger-scan", manifests)
        made = PRIORS if options.write else manifests / "policies.json"
        done = subprocess.run([folder / "suggestion-accuracy", manifests, ROOT / "registry/lists", made],
                              check=True, stdout=subprocess.PIPE)
        rows = json.loads(done.stdout)
        problems = check_figures(rows) + check_calibration(rows) + check_priors(made)
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
