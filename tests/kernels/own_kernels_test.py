#!/usr/bin/env python3
"""Checks opledger's own kernels against its own lists with its own checker.

`opledger-run --list-kernels json` prints the kernels of this build. Every kernel is in both lists
of registry/lists/opledger, without findings; the ONNX operator that it implements has the same
policy in the shipped lists, or one of its conditional policies there. If the scanner was built, a
scan of kernels/ yields exactly the same kernels and no findings, either; an entry removed from a
list is reported.

    tests/kernels/own_kernels_test.py --bin build/bin
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
LISTS = [ROOT / f"registry/lists/opledger/{dtype}.json" for dtype in ("float16", "bfloat16")]
POLICIES = ("target", "fp32", "widest", "conditional", "either")
SKIPPED = 77

# Kernel -> the ONNX operator that it implements, if their names differ.
ONNX_NAMES = {"BatchNorm": "BatchNormalization", "CausalConvolution": "CausalConvWithState",
              "CrossEntropy": "NegativeLogLikelihoodLoss", "Fmod": "Mod", "GatherNd": "GatherND",
              "GeluTanh": "Gelu", "Gru": "GRU", "LocalResponseNorm": "LRN", "LpNorm": "LpNormalization",
              "Lstm": "LSTM", "MaxOf": "Max", "MinOf": "Min", "Normalise": "LayerNormalization", "Rnn": "RNN",
              "ScatterNd": "ScatterND", "ShiftLeft": "BitShift", "ShiftRight": "BitShift",
              "Silu": "Swish"}

WHAT_TO_DO = """
A kernel that is registered has to be classified in both lists (`opledger explain unclassified-operator`):
    opledger classify NAME --as POLICY --list registry/lists/opledger/float16.json --note "why"
    opledger classify NAME --as POLICY --list registry/lists/opledger/bfloat16.json --note "why"
with `--reason numeric` where the policy is fp32. One that is gone leaves its entries behind:
`opledger check --fix` with the same lists takes them out."""

problems = []


def expect(condition, *what):
    if not condition:
        problems.append(" ".join(map(str, what)))


def policies(path):
    """Returns operator -> (policy, entry)."""
    entries = ((policy, entry) for policy in POLICIES for entry in json.loads(path.read_text()).get(policy, []))
    return {entry if isinstance(entry, str) else entry["op"]: (policy, entry) for policy, entry in entries}


def check(programs, manifest, lists):
    """Returns the findings of `opledger check`, notes included."""
    command = [programs / "opledger", "--config", "none", "check", "--operators", manifest,
               "--fail-on", "note", "--output-format", "concise"]
    for path in lists:
        command += ["--list", path]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def check_clean(programs, manifest, what):
    result = check(programs, manifest, LISTS)
    expect(result.returncode == 0, f"{what}:\n{result.stdout}{result.stderr}{WHAT_TO_DO}")


def check_notices(programs, manifest, folder):
    """A kernel without an entry is reported, and so is one that no list has ever named."""
    name = "MatMul"
    text = LISTS[0].read_text()
    lines = [line for line in text.splitlines(keepends=True) if f'"op": "{name}"' not in line]
    without = folder / "without.json"
    without.write_text("".join(lines).replace(',\n  ],\n  "fp32"', '\n  ],\n  "fp32"'))
    result = check(programs, manifest, [without])
    expect(result.returncode == 1 and f"operator '{name}' has no policy" in result.stdout,
           "a list without", name, "is not reported:", result.stdout, result.stderr)

    registered = json.loads(manifest.read_text())
    registered["operators"].append({**registered["operators"][0], "name": "zzz_new"})
    added = folder / "added.json"
    added.write_text(json.dumps(registered))
    result = check(programs, added, LISTS)
    expect(result.returncode == 1 and result.stdout.count("operator 'zzz_new' has no policy") == 2,
           "a new kernel is not reported:", result.stdout, result.stderr)


def check_conditions(programs, manifest, folder):
    """A condition may use only attributes that a kernel reads, with their known values."""
    conditions = {"ok.json": ("Pad", "mode", "reflect"), "value.json": ("Pad", "mode", "sideways"),
                  "name.json": ("Pad", "manner", "edge"), "none.json": ("Relu", "slope", "1"),
                  "open.json": ("ReduceSum", "keep", "1")}
    for file, (name, attribute, value) in conditions.items():
        path = folder / file
        path.write_text(json.dumps({"framework": "opledger", "target_dtype": "float16", "conditional": [
            {"op": name, "attribute": attribute, "values": [value], "then": "fp32", "otherwise": "either"}]}))
        found = check(programs, manifest, [path]).stdout
        wrong = file not in ("ok.json", "open.json")
        expect(("bad-condition" in found) == wrong, f"{name} with {attribute}={value}:", found[-300:])


def check_reasons():
    for path in LISTS:
        for name, (policy, entry) in policies(path).items():
            said = isinstance(entry, dict) and entry.get("note", "").strip()
            expect(said, f"{path.name}: {name} has no \"note\" that says why it is {policy}")
            expect(policy != "fp32" or not said or "reason" in entry,
                   f"{path.name}: {name} has no \"reason\" for fp32")


def check_onnx():
    for path in LISTS:
        theirs = policies(ROOT / "registry/lists/onnx" / path.name)
        same = 0
        for name, (policy, _) in policies(path).items():
            onnx = ONNX_NAMES.get(name, name)
            if onnx not in theirs:
                continue
            other = theirs[onnx][1]
            if isinstance(other, dict) and other.get("reason") == "no-kernel":
                continue  # in ONNX's list: opledger's may have one
            same += 1
            said = {other["then"], other["otherwise"]} if theirs[onnx][0] == "conditional" else {theirs[onnx][0]}
            expect(policy in said, f"{path.name}: {name} is {policy}, but {onnx} of ONNX is",
                   theirs[onnx][0])
        expect(same > 90, f"{path.name}: only {same} kernels have the name of an operator of ONNX")


def kernels(manifest):
    """Returns operator -> its kernels without their locations, sorted; and those under a condition,
    which a build may lack."""
    always, sometimes = {}, {}
    for op in json.loads(manifest.read_text())["operators"]:
        for kernel in op["kernels"]:
            said = json.dumps([kernel["device"], kernel["types"], kernel.get("details", {})], sort_keys=True)
            (sometimes if kernel.get("condition") else always).setdefault(op["name"], []).append(said)
    return ({name: sorted(said) for name, said in always.items()},
            {name: set(said) for name, said in sometimes.items()})


def check_scan(programs, running, folder):
    scanned = folder / "scanned.json"
    result = subprocess.run([programs / "opledger", "--config", "none", "scan", "--dialect", "opledger",
                             "--no-cache", "-o", scanned], cwd=ROOT, capture_output=True, text=True, check=False)
    expect(result.returncode == 0, "scan of kernels/:", result.returncode, result.stdout, result.stderr)
    if result.returncode != 0:
        return
    run, _ = kernels(running)
    read, conditional = kernels(scanned)
    for name in sorted(run.keys() | read.keys()):
        optional = conditional.get(name, set())
        registered = [said for said in run.get(name, []) if said not in optional]
        expect(registered == read.get(name, []), f"{name} registers\n  ", "\n   ".join(run.get(name, ["nothing"])),
               "\nand the scan reads\n  ", "\n   ".join(read.get(name, ["nothing"])))
    check_clean(programs, scanned, "a scan of kernels/ does not pass its check")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--every", help="ignored: there is nothing to leave out")
    programs = parser.parse_args().bin.resolve()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        running = folder / "running.json"
        running.write_text(subprocess.run([programs / "opledger-run", "--list-kernels", "json"],
                                          capture_output=True, text=True, check=True).stdout)
        expect(len(json.loads(running.read_text())["operators"]) > 100, "most kernels are not listed")
        check_clean(programs, running, "the registered kernels and their lists do not agree")
        check_conditions(programs, running, folder)
        check_notices(programs, running, folder)
        check_reasons()
        check_onnx()
        scanner = shutil.which("opledger-scan", path=programs)
        if scanner:
            check_scan(programs, running, folder)
    for problem in problems:
        print(problem)
    if not problems and not scanner:
        print("SKIPPED the scan of kernels/: opledger-scan was not built; everything else passed")
        return SKIPPED
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
