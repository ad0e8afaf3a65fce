#!/usr/bin/env python3
"""Compares the shipped lists of MXNet, TensorFlow, PyTorch and TVM, and the lists of tests/gold,
with the output of `lists sync` for the frameworks' sources: every operator must have the same
policy. Intended differences are listed here, with their reasons. Missing sources are skipped and
named."""
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import test_data  # noqa: E402

SOURCES = {"mxnet": "mxnet-b84609d3", "tensorflow": "tensorflow-2.14.1", "pytorch": "pytorch-2.6.0",
           "tvm-relay": "tvm-v0.18.0", "tvm-relax": "tvm-5d4dc872"}
POLICIES = ("target", "fp32", "widest", "conditional", "either")
GOLD = [test_data.GOLD, test_data.COLLECTION / "gold"]

# (list, operator) -> (policy of the shipped list, the framework's, why they differ)
DIFFERENT = {
    ("mxnet/bfloat16.json", "LayerNorm"): ("fp32", "either", "mean and variance are long sums; its float16 list has fp32"),
    ("mxnet/bfloat16.json", "clip"): ("either", "fp32", "it rounds nothing; its float16 list has either"),
}
# Rows of the framework that are not in the file of tests/gold.
NOT_IN_GOLD = {
    # functions that cast the inputs themselves
    ("pytorch", "float16-cuda"): {"aten::_cudnn_rnn", "aten::miopen_rnn"},
}

# The meaning of the lists in a gold file; a list that is not named is fp32.
PYTORCH = {"float16-cuda": "CUDA", "bfloat16-cpu": "CPU", "float16-mps": "MPS", "float16-xpu": "XPU"}
MEANING = {"lower_precision_fp": "target", "promote": "widest", "AllowList": "target", "InferList": "widest",
           "ClearList": "either", "DEFAULT_ALWAYS_LIST": "target", "DEFAULT_FOLLOW_LIST": "widest",
           "kAlways": "target", "kFollow": "widest"}
MXNET = {"FP32_FUNCS": "fp32", "FP16_FUNCS": "target", "BF16_FUNCS": "target", "FP16_FP32_FUNCS": "either",
         "BF16_FP32_FUNCS": "either", "WIDEST_TYPE_CASTS": "widest", "CONDITIONAL_FP32_FUNCS": "conditional"}


def policies(path):
    found = {}
    document = json.loads(path.read_text(encoding="utf-8"))
    for policy in POLICIES:
        for entry in document.get(policy, []):
            found.setdefault(entry if isinstance(entry, str) else entry["op"], []).append(policy)
    twice = {op: each for op, each in found.items() if len(each) > 1}
    assert not twice, f"{path}: {twice}"
    return {op: each[0] for op, each in found.items()}


def of_lists(lists):
    return {op: MEANING.get(name, "fp32") for name, ops in lists.items() for op in ops}


def gold_of(framework, label, folder):
    """Returns the gold file's policies for the list; None if it has none."""
    path = folder / f"{framework}{'' if framework == 'mxnet' else '-precision'}.json"
    if not path.is_file():
        return None
    gold = json.loads(path.read_text(encoding="utf-8"))
    if framework == "mxnet":
        return {op: MXNET[name] for op, name in gold["fp16" if label == "float16" else "bf16"].items()}
    if framework == "pytorch":
        return of_lists(gold[PYTORCH[label]])
    if framework == "tensorflow":
        return of_lists(gold["Cuda" if label == "float16-cuda" else "Mkl"])
    if framework == "tvm-relay":
        return of_lists(gold)
    return {op: MEANING[each[-1]] for op, each in gold["policy"].items()}


def difference(ours, theirs):
    return {op: (ours.get(op), theirs.get(op)) for op in sorted(ours.keys() | theirs.keys())
            if ours.get(op) != theirs.get(op)}


def compare(framework, folder):
    """Returns problems of a framework whose synced lists are in `folder`."""
    problems = []
    shipped = sorted((ROOT / "registry/lists" / framework).glob("*.json"))
    if {path.name for path in shipped} != {path.name for path in folder.iterdir()}:
        problems.append(f"{framework}: shipped are {[path.name for path in shipped]}")
    for path in shipped:
        own = policies(folder / path.name)
        name = f"{framework}/{path.name}"
        meant = {op: (ours, theirs) for (of, op), (ours, theirs, _) in DIFFERENT.items() if of == name}
        found = difference(policies(path), own)
        if found != meant:
            problems.append(f"registry/lists/{name}: (ours, the framework's): {found}")
        golds = [gold for each in GOLD if (gold := gold_of(framework, path.stem, each)) is not None]
        if not golds:
            problems.append(f"{name}: no gold file")
        expected = NOT_IN_GOLD.get((framework, path.stem), set())
        for gold in golds:
            found = difference(gold, own)
            if set(found) != expected:
                problems.append(f"{name}: (gold, the framework's): {found}")
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    options = parser.parse_args()
    if not (pathlib.Path(options.bin) / "opledger-scan").exists():
        print("SKIPPED: the scanner is not built")
        return 77
    problems, skipped, compared = [], [], 0
    for framework, name in SOURCES.items():
        source = test_data.source(name)
        if source is None:
            skipped.append(name)
            continue
        with tempfile.TemporaryDirectory() as scratch:
            done = subprocess.run([pathlib.Path(options.bin).resolve() / "opledger", "-C", source, "--config", "none",
                                   "--quiet", "lists", "sync", "--dialect", framework, "--output", scratch],
                                  capture_output=True, text=True, check=False)
            if done.returncode != 0:
                problems.append(f"{framework}: exit {done.returncode}: {done.stderr}")
                continue
            problems += compare(framework, pathlib.Path(scratch))
            compared += 1
    for problem in problems:
        print(problem)
    print(f"{compared} frameworks compared; skipped: {', '.join(skipped) or 'none'}")
    if problems:
        return 1
    return 0 if compared else 77


if __name__ == "__main__":
    sys.exit(main())
