#!/usr/bin/env python3
"""`opledger characterize` of all kernels: the same bytes on every run; what mathematics says of some
operators is what comes out; and the rule agrees with the lists of frameworks as far as README.md
says that it does.

Prints the agreement. Exit status: 0 all is well, 1 not.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

# Kernel -> policy and step of the rule in float16, then in bfloat16.
KNOWN = {
    "Exp": (("fp32", "range"), ("either", "rest")),  # e^64 is more than float16 has
    "Relu": (("either", "structure"), ("either", "structure")),
    "Where": (("widest", "structure"), ("widest", "structure")),
    "Mul": (("widest", "rest"), ("widest", "rest")),
    "MatMul": (("target", "gain"), ("target", "gain")),
    "Log": (("fp32", "range"), ("either", "rest")),  # 1e-8 is 0 in float16
    "Rsqrt": (("fp32", "range"), ("either", "rest")),
    "CrossEntropy": (("fp32", "loss"), ("fp32", "loss")),
    "Sin": (("either", "rest"), ("either", "rest")),  # what it loses where it crosses 0 is its argument's rounding
    "ReduceSum": (("fp32", "range"), ("either", "rest")),  # 4096 numbers of one sign are more than float16 has
    "ReduceMean": (("either", "rest"), ("either", "rest")),  # in float32, that is
}
STEPWISE = ("ReduceSum", "ReduceMean", "Softmax", "Normalise", "Softplus")  # fp32 where steps round
# List -> the least share that has to agree where every step is rounded, as a part of 100.
AGREEMENT = {"mxnet/float16.json": 91, "pytorch/float16-cuda.json": 90, "onnx/float16.json": 92,
             "tensorflow/float16-cuda.json": 91, "tvm-relay/float16.json": 96}

problems = []


def expect(condition, *what):
    if not condition:
        problems.append(" ".join(map(str, what)))


def characterize(program, folder, name, *options):
    path = folder / name
    done = subprocess.run([program, "--characterize", "--kernels", "reference", "-o", path, *options],
                          capture_output=True, text=True, check=False, timeout=900)
    expect(done.returncode == 0, "exit status", done.returncode, done.stderr)
    return path.read_bytes()


def check_policies(evidence):
    by_name = {(op["operator"], op["dtype"]): op for op in evidence["operators"]}
    for name, expected in KNOWN.items():
        for dtype, (policy, step) in zip(("float16", "bfloat16"), expected):
            computed = by_name[name, dtype]["computed"]
            expect((computed["policy"], computed["step"]) == (policy, step), name, dtype, computed)
    for name in STEPWISE:
        expect(by_name[name, "float16"]["stepwise"]["policy"] == "fp32", name, "step by step")
    for op in evidence["operators"]:
        expect("refusal" not in op, op["operator"], op.get("refusal"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    program = options.bin.resolve() / "opledger-run"
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        some = ["--operators", "^(" + "|".join([*KNOWN, *STEPWISE]) + ")$"]
        first = characterize(program, folder, "first.json", *some)
        check_policies(json.loads(first))
        if options.every == 1:
            expect(first == characterize(program, folder, "second.json", *some), "two runs differ")
            evidence = json.loads(characterize(program, folder, "all.json", "--target-dtype", "float16"))
            for each in evidence["agreement"]:
                share = 100 * each["stepwise"] / each["operators"]
                print(f"{each['list']}: {each['stepwise']} of {each['operators']} ({share:.0f} %)")
                expect(share >= AGREEMENT.get(each["list"], 0), each["list"], "agrees less than README.md says")
            expect(AGREEMENT.keys() <= {each["list"] for each in evidence["agreement"]}, "lists are missing")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
