#!/usr/bin/env python3
"""Checks the converters' own block lists for ONNX with `opledger check` and the shipped manifest:
which operators are in no list, and which ones a list keeps in float32 although their schemas accept
float16.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLD = ROOT / "tests/gold"
BLOCKED = {"RandomUniformLike", "TopK", "RoiAlign", "Range", "CumSum", "Min", "Max"}
# List -> operators that it keeps in float32 although they accept float16.
CAPABLE = {"onnxconverter-common": BLOCKED,
           "onnxruntime-transformers": BLOCKED | {"ai.onnx.ml.TreeEnsemble"}}


def check(opledger, folder, name, entries):
    """Returns rule -> operators."""
    path = folder / f"{name}.json"
    path.write_text(json.dumps({"framework": "onnx", "target_dtype": "float16", "fp32": entries}))
    report = folder / f"{name}-report.json"
    subprocess.run([opledger, "check", "--config", "none", "--operators",
                    ROOT / "registry/operators/onnx.json", "--list", path, "-q",
                    "--output-format", f"json={report}"], cwd=folder, check=False)
    found = collections.defaultdict(set)
    for finding in json.loads(report.read_text())["findings"]:
        found[finding["rule"]].add(finding["operator"])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    opledger = parser.parse_args().bin.resolve() / "opledger"
    names = json.loads((GOLD / "onnx.json").read_text())
    lists = json.loads((GOLD / "onnx-precision.json").read_text())
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        for name, capable in CAPABLE.items():
            entries = lists[name]
            found = check(opledger, pathlib.Path(folder), name, entries)
            bare = {op.rsplit(".", 1)[-1]: op for op in names}
            listed = {bare[entry] for entry in entries}
            unlisted = {op for op in names if ".preview." not in op} - listed
            if found["unclassified-operator"] != unlisted:
                problems.append(f"{name}: in no list: {sorted(found['unclassified-operator'] ^ unlisted)}")
            if found["stale-entry"] or found["capable-kept-fp32"] != capable:
                problems.append(f"{name}: {sorted(found['stale-entry'])} {sorted(found['capable-kept-fp32'])}")
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
