#!/usr/bin/env python3
"""Tests `opledger characterize` on all kernels: each is measured, or has a reason why not; every
run prints the same bytes; the results for some operators are the mathematically known ones,
including those near zeros and poles, for small divisors and for long rows; and the rule agrees with
the lists of frameworks as far as README.md says.

Prints the agreement. Exit status: 0 success, 1 failure.
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
    "Exp": (("fp32", "range"), ("either", "rest")),  # e^64 overflows float16
    "Relu": (("either", "structure"), ("either", "structure")),
    "Where": (("widest", "structure"), ("widest", "structure")),
    "Mul": (("widest", "rest"), ("widest", "rest")),
    "MatMul": (("target", "gain"), ("target", "gain")),
    "Log": (("fp32", "range"), ("either", "rest")),  # 1e-8 is 0 in float16
    "Rsqrt": (("fp32", "range"), ("either", "rest")),
    "CrossEntropy": (("fp32", "loss"), ("fp32", "loss")),
    "Sin": (("either", "rest"), ("either", "rest")),  # its loss where it crosses 0 is the rounding of its argument
    "ReduceSum": (("fp32", "range"), ("either", "rest")),  # 4096 elements of one sign overflow float16
    "ReduceMean": (("either", "rest"), ("either", "rest")),  # in float32
}
STEPWISE = ("ReduceSum", "ReduceMean", "Softmax", "Normalise", "Softplus")  # fp32 if steps round
# List -> least percentage of agreement if every step is rounded.
AGREEMENT = {"mxnet/float16.json": 90, "pytorch/float16-cuda.json": 96, "onnx/float16.json": 91,
             "tensorflow/float16-cuda.json": 90, "tvm-relay/float16.json": 98}

# Kernel -> domains, and the least error (99th percentile, in units in the last place) in float16.
DOMAINS = {
    "Sqrt": {"positives": 0},  # these four, according to float64
    "Asin": {"-1 to 1": 0},
    "Acosh": {"above 1": 0},
    "Log1p": {"above -1": 0},
    "Log": {"zeros and poles": 1000},  # near 1
    "Sin": {"zeros and poles": 1000},  # near multiples of pi
    "Cos": {"zeros and poles": 1000},
    "Tan": {"zeros and poles": 1000},
    "Tanh": {"zeros and poles": 0},  # near 0: as exact as elsewhere
    "Div": {"small divisors": 0},
    "Softmax": {"reals 1, rows of 4096": 0, "reals 1, rows of 65536": 0},
    "ReduceMean": {"sizes 1, rows of 65536": 0},
    "Normalise": {"reals 1, rows of 65536": 0},
    "CumSum": {"sizes 1, rows of 65536": 0},
}

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


def check_domains(evidence):
    by_name = {op["operator"]: op for op in evidence["operators"] if op["dtype"] == "float16"}
    for name, expected in DOMAINS.items():
        domains = {domain["domain"]: domain for domain in by_name[name]["computed"]["domains"]}
        for domain, least in expected.items():
            expect(domain in domains and domains[domain]["p99"] >= least, name, "on", domain, domains.get(domain))
    softmax = by_name["Softmax"]
    for computed, stepwise in zip(softmax["computed"]["domains"], softmax["stepwise"]["domains"]):
        expect(computed["rows"] == stepwise["rows"] >= 8, "rows of Softmax are not judged", computed, stepwise)
        if computed["domain"].endswith("rows of 65536"):  # a sum of so many exponentials saturates in float16
            expect(computed["changed_rows"] == 0 and stepwise["changed_rows"] == 1, computed, stepwise)


def check_completeness(program, evidence):
    listed = subprocess.run([program, "--list-kernels", "json"], capture_output=True, text=True, check=True, timeout=60)
    kernels = {op["name"] for op in json.loads(listed.stdout)["operators"]}
    measured = {op["operator"] for op in evidence["operators"]}
    reasons = evidence["not_measured"]
    expect(len(kernels) > 100, "there are only", len(kernels), "kernels")
    missing = kernels - measured - reasons.keys()
    expect(not missing, "neither measured nor explained:", missing)
    expect(not measured & reasons.keys(), "both measured and not:", measured & reasons.keys())
    for kernel, reason in reasons.items():
        expect(reason, kernel, "is not measured, and kUnmeasured of kernels/evidence/probes.cpp does not say why")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    program = options.bin.resolve() / "opledger-run"
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        some = ["--operators", "^(" + "|".join([*KNOWN, *STEPWISE, *DOMAINS]) + ")$"]
        first = characterize(program, folder, "first.json", *some)
        check_policies(json.loads(first))
        check_domains(json.loads(first))
        check_completeness(program, json.loads(characterize(program, folder, "all.json", "--target-dtype", "float16")))
        if options.every == 1:
            expect(first == characterize(program, folder, "second.json", *some), "two runs differ")
            evidence = json.loads((folder / "all.json").read_bytes())
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
