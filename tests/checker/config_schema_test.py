#!/usr/bin/env python3
"""Checks the schemas of `opledger config schema` as an editor uses them: check-jsonschema accepts
the good files and names each bad one. Skipped without check-jsonschema."""
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMES = ["exp", "aten::add.out", 'q"uote', "back\\slash", "ünïcode", "a$b"]
SITE = {"path": "src/a.cc", "line": 1, "column": 1, "end_line": 1, "end_column": 2}
LIST = {"framework": "demo", "target_dtype": "float16"}


def condition(**clause):
    return {**LIST, "conditional": [{"op": "exp", "then": "fp32", **clause}]}


def clauses(**clause):
    return {**LIST, "conditional": [{"op": "exp", "clauses": [{"then": "fp32", **clause}]}]}


# Conditions that the list reader accepts, and those that it rejects.
HOLD = [dict(attribute="k", values=["1"]), dict(attribute="k", range=[1, None]), dict(attribute="k", at_least=3),
        dict(attribute="k", at_least=3, at_most=5), dict(input="x", property="rank", at_most=3),
        dict(input=1, property="dimension -1", values=["3"]), dict(input=0, property="initializer", values=["true"])]
REFUSED = [dict(attribute="k"), dict(attribute="k", values=["1"], range=[1, 2]), dict(attribute="k", at_least="3"),
           dict(attribute="k", at_least=3, values=["1"]), dict(attribute="k", at_most=3, range=[1, 2]),
           dict(input="x", at_most=3), dict(property="rank", at_most=3), dict(input=-1, property="rank", at_most=3),
           dict(attribute="k", input="x", property="rank", at_most=3), dict(input="x", property="size", at_most=3),
           dict(attribute="k", property="rank", at_most=3), dict(at_most=3)]

# Schema -> good files, bad files.
FILES = {
    ("list",): ([{**LIST, "fp32": ["exp", "anything"]},
                 {**LIST, "either": [], "target_nodes": ["a"], "widest_nodes": ["b"]},
                 {**LIST, "target": [{"op": "exp", "accumulate": "float32", "output": "float32"}]},
                 *(make(**each) for each in HOLD for make in (condition, clauses))],
                [{**LIST, "fp23": ["exp"]}, {**LIST, "target_dtype": "float61"},
                 {**LIST, "target": [{"op": "exp", "output": "float23"}]},
                 *(make(**each) for each in REFUSED for make in (condition, clauses))]),
    ("list", "--with-ops"): (
        [{**LIST, "fp32": NAMES, "widest": ["also_exp"]},
         {**LIST, "$schema": "list.schema.json", "target": [{"op": "exp", "reason": "numeric"}],
          "conditional": [{"op": "a$b", "attribute": "x", "values": ["1"], "then": "fp32"}]}],
        [{**LIST, "fp32": ["epx"]}, {**LIST, "target": [{"op": "epx"}]},
         {**LIST, "conditional": [{"op": "epx", "attribute": "x", "values": ["1"], "then": "fp32"}]}]),
    ("project",): (
        [{"severities": {"stale-entry": "off", "$comment": "x"},
          "ignore": [{"rule": "stale-entry", "operator": "anything", "reason": "r"}]}],
        [{"severities": {"stale-entri": "off"}}, {"severities": {"stale-entry": "of"}},
         {"ignore": [{"rule": "stale-entri", "reason": "r"}]}, {"dialetc": "mxnet"}]),
    ("project", "--with-ops"): (
        [{"ignore": [{"operator": "exp", "reason": "r"}, {"operator": "ex*", "reason": "r"}]}],
        [{"ignore": [{"operator": "epx", "reason": "r"}]}]),
}


def find_validator(binaries):
    for folder in (binaries.parent / "venv/bin", ROOT / "build/venv/bin"):
        if (folder / "check-jsonschema").exists():
            return str(folder / "check-jsonschema")
    return shutil.which("check-jsonschema")


def check(validator, schema, paths):
    """Returns the names of the rejected files, or the output if all are rejected for another
    reason."""
    done = subprocess.run([validator, "--schemafile", schema, "-o", "json", *paths], text=True,
                          capture_output=True, check=False)
    try:
        return {pathlib.Path(error["filename"]).name for error in json.loads(done.stdout)["errors"]}
    except (ValueError, KeyError):
        return {done.stdout + done.stderr}


def problems_of(arguments, good, bad, opledger, validator, folder):
    done = subprocess.run([opledger, "config", "schema", "--file", *arguments, "--operators",
                           "operators.json"], cwd=folder, text=True, capture_output=True, check=False)
    if done.returncode:
        return [done.stderr]
    name = "".join(arguments)
    schema = folder / f"{name}.schema.json"
    schema.write_text(done.stdout)
    if json.loads(done.stdout)["$schema"] != "https://json-schema.org/draft/2020-12/schema":
        return [f"{name}: not a 2020-12 schema"]
    paths = []
    for kind, contents in (("good", good), ("bad", bad)):
        for number, content in enumerate(contents):
            paths.append(folder / f"{kind}-{number}-{name}.json")
            paths[-1].write_text(json.dumps(content))
    refused = check(validator, schema, paths)
    wanted = {path.name for path in paths if path.name.startswith("bad")}
    return [] if refused == wanted else [f"{name}: refused {sorted(refused)}, not {sorted(wanted)}"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    binaries = parser.parse_args().bin.resolve()
    validator = find_validator(binaries)
    if validator is None:
        print("SKIPPED: there is no check-jsonschema (ci/setup installs it)")
        return 77
    problems = []
    with tempfile.TemporaryDirectory(prefix="opledger-schema-") as scratch:
        folder = pathlib.Path(scratch)
        operators = [{"name": name, "sites": [SITE]} for name in NAMES]
        operators[0]["aliases"] = ["also_exp"]
        (folder / "operators.json").write_text(json.dumps(
            {"schema": "opledger-operators/1", "dialect": "demo", "operators": operators}))
        for arguments, (good, bad) in FILES.items():
            problems += problems_of(arguments, good, bad, binaries / "opledger", validator, folder)
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
