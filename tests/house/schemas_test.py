#!/usr/bin/env python3
"""Every JSON file that programs exchange validates against its schema: the shipped ones, the
demo's, and those that the programs write. Needs check-jsonschema (ci/setup); skipped without it."""
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from tree import ROOT, relative, report

# Glob -> schema. Each glob has to match a file.
FILES = {
    "registry/operators/onnx.json": "operators",
    "registry/operators/com.*.json": "operators",
    "registry/operators/*-types.json": "operator-types",
    "registry/operators/*-opsets.json": "opset-steps",
    "registry/dialects/*.json": "dialect",
    "registry/lists/*/*.json": "precision-list",
    "registry/profiles/*.json": "kernel-profile",
    "registry/priors/*.json": "policy-priors",
    "registry/atlas/*.json": "atlas",
    "registry/versions/*.json": "policy-versions",
    "tests/demo/lists/*.json": "precision-list",
    "tests/demo/opledger.json": "project",
    "tests/demo/suite.json": "bench-suite",
}

# Files that the programs write for the demo: arguments -> file, schema.
PRODUCED = {
    ("scan", "-o", "operators.json"): "operators",
    ("check", "--output-format", "json=report.json"): "report",
    ("history", "--format", "json", "-o", "history.json"): "history",
    ("doctor", "--format", "json", "-o", "doctor.json"): "doctor",
    ("doctor", "--report", "bundle.json"): "support-bundle",
    ("doctor", "--with-paths", "--report", "bundle-with-paths.json"): "support-bundle",
    ("docs", "--source-url", "https://example.com/{path}", "-o", "operator-docs.json"): "docs",
    ("convert", "model.onnx", "--dry-run", "--report", "conversion.json"): "conversion",
    ("compare", "model.onnx", "--autocast", "float16", "--input-shape", "pixels=2,8", "--format", "json",
     "-o", "comparison.json"): "comparison",
    ("bench", "model.onnx", "--input-shape", "pixels=2,8", "--runs", "1", "--by-kernel", "--format", "json",
     "-o", "bench.json"): "bench",
    ("bench", "--suite", "suite.json", "--runs", "1", "--format", "json", "-o", "suite-bench.json"): "bench",
    ("run", "model.onnx", "--input", "pixels=random", "--input-shape", "pixels=2,8", "--write-plan",
     "plan.json"): "execution-plan",
    ("characterize", "--operators", "^(Exp|ReduceSum|Resize)$", "--speed", "-o", "evidence.json"): "evidence",
    ("scan", "--shard", "1/2", "-o", "first.facts"): "facts",  # a file with one record per line
}


def find_validator(build):
    for folder in (build / "venv/bin", ROOT / "build/venv/bin"):
        if (folder / "check-jsonschema").exists():
            return str(folder / "check-jsonschema")
    return shutil.which("check-jsonschema")


# One process for all calls, since loading it takes longer than any of them.
CALLS = """
import json, sys
from check_jsonschema import main
from click.testing import CliRunner
for line in sys.stdin:
    done = CliRunner().invoke(main, json.loads(line))
    print(json.dumps([done.exit_code, done.output]), flush=True)
"""


class Validator:
    def __init__(self, program):
        python = pathlib.Path(program).resolve().parent / "python3"
        self.process = subprocess.Popen([python, "-c", CALLS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, *arguments):
        self.process.stdin.write(json.dumps(list(map(str, arguments))) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()

    def problems(self, schema, paths):
        status, output = self.run("--schemafile", ROOT / f"schemas/{schema}.schema.json", *paths)
        return [output.strip()] if status else []


def produced_problems(validator, build, folder):
    """Validates the demo's manifest and report, if the programs were built."""
    opledger = build / "bin/opledger"
    if not opledger.exists() or not (build / "bin/opledger-scan").exists():
        return []
    demo = folder / "demo"
    shutil.copytree(ROOT / "tests/demo", demo)
    subprocess.run("git init -q . && git add . && git -c user.name=a -c user.email=a@b commit -qm x", shell=True,
                   cwd=demo, check=True)
    problems = []
    for arguments, schema in PRODUCED.items():
        subprocess.run([opledger, *arguments], cwd=demo, capture_output=True, check=False,
                       env={**os.environ, "OPLEDGER_CACHE_DIR": str(folder / "cache")})
        path = demo / arguments[-1].split("=")[-1]
        if path.suffix == ".facts" and path.exists():
            lines = []
            for number, line in enumerate(path.read_text().splitlines()):
                lines.append(folder / f"line-{number}.json")
                lines[-1].write_text(line)
            problems += validator.problems(schema, lines)
        elif path.exists():
            problems += validator.problems(schema, [path])
        else:
            problems.append(f"`opledger {' '.join(arguments)}` wrote no {path.name}")
    return problems


def spoken(opledger, demo):
    """Returns (schema, line) of all lines that programs write for programs: diagnostics, progress,
    a tuning, a session."""
    json_errors = {**os.environ, "OPLEDGER_DIAGNOSTICS": "json"}
    failed = subprocess.run([opledger, "convert", "nowhere.onnx", "-o", "x.onnx"], cwd=demo, capture_output=True, text=True,
                            check=False, env=json_errors)
    tuned = subprocess.run([opledger, "tune", "model.onnx", "--input-shape", "pixels=2,8", "--max-error", "4e-4",
                            "--format", "json", "-o", "tuned.json"], cwd=demo, capture_output=True, text=True, check=True,
                           env=json_errors)
    lines = [("diagnostic", line) for line in (failed.stderr + tuned.stderr).splitlines()]
    versions = subprocess.run([opledger, "--version", "--json"], capture_output=True, text=True, check=True)
    lines += [("version", versions.stdout)]
    lines += [("tuning", tuned.stdout), ("precision-list", (demo / "tuned.json").read_text())]
    memory = os.memfd_create("session")
    os.ftruncate(memory, 4096)
    requests = [json.dumps({"inputs": [{"name": "pixels", "dtype": "float32", "shape": shape, "offset": 0}],
                            "room_at": 1024, "room": 512}) for shape in ([2, 8], [2, 7])]
    session = subprocess.run([opledger, "run", "--serve", str(memory), "model.onnx"], cwd=demo, capture_output=True,
                             text=True, check=True, input="".join(line + "\n" for line in requests), pass_fds=[memory])
    os.close(memory)
    lines += [("session", line) for line in (*requests, *session.stdout.splitlines())]
    return lines


def spoken_problems(validator, build, folder):
    opledger = build / "bin/opledger"
    if not (build / "bin/opledger-run").exists() or not (build / "bin/opledger-convert").exists():
        return []
    shutil.copytree(ROOT / "tests/demo", folder / "spoken")
    lines = spoken(opledger, folder / "spoken")
    problems = []
    for schema in sorted({schema for schema, _ in lines}):
        paths = []
        for line in (line for each, line in lines if each == schema):
            paths.append(folder / f"{schema}-{len(paths)}.json")
            paths[-1].write_text(line)
        problems += validator.problems(schema, paths)
    if [schema for schema, _ in lines].count("session") != 5:
        problems.append("a session of two requests must print a greeting, a reply and an error")
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    build = parser.parse_args().build.resolve()
    program = find_validator(build)
    if program is None:
        print("SKIPPED: check-jsonschema is missing; ci/setup installs it from PyPI")
        return 77
    validator = Validator(program)
    problems = []
    schemas = sorted((ROOT / "schemas").glob("*.schema.json"))
    status, output = validator.run("--check-metaschema", *schemas)
    if status or not schemas:
        problems.append(output)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        nonsense = folder / "nonsense.json"
        nonsense.write_text('{"no such field": 1}')
        for schema in schemas:
            status, _ = validator.run("--schemafile", schema, nonsense)
            if not status:
                problems.append(f"{relative(schema)} accepts an object with an unknown field")
        for pattern, schema in FILES.items():
            paths = sorted(ROOT.glob(pattern))
            problems += validator.problems(schema, paths) if paths else [f"{pattern}: no such file"]
        problems += produced_problems(validator, build, folder)
        problems += spoken_problems(validator, build, folder)
    validator.close()
    return report(problems)


if __name__ == "__main__":
    sys.exit(main())
