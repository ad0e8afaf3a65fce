#!/usr/bin/env python3
"""Tests `opledger bench` with ONNX Runtime: both sides are measured equally often, and the ratios
of a suite match its times; a model that one side cannot run is reported, and the other side is
measured.

Exit status: 0 success, 1 failure, 77 the package onnxruntime is missing.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import peers  # noqa: E402
from make_onnx import model_bytes  # noqa: E402

DENSE = {"opset": 17, "inputs": {"x": ["float32", ["n", 64]]}, "outputs": {"y": ["float32", ["n", 64]]},
         "initializers": {"w": ["float32", [64, 64], [i % 7 / 64 for i in range(64 * 64)]]},
         "nodes": [["MatMul", ["x", "w"], ["h"]], ["Relu", ["h"], ["y"]]]}
UNKNOWN = {"opset": 17, "inputs": {"x": ["float32", [2]]}, "outputs": {"y": ["float32", [2]]},
           "nodes": [["nowhere:Missing", ["x"], ["y"]]]}
RESHAPED = {"opset": 17, "inputs": {"x": ["float32", [2, 6]], "shape": ["int64", [3]]},
            "outputs": {"y": ["float32", ["a", "b"]]}, "nodes": [["Reshape", ["x", "shape"], ["y"]]]}
problems = []


def expect(condition, *what):
    if not condition:
        problems.append(" ".join(map(str, what)))


def bench(program, *arguments):
    done = subprocess.run([program, "--bench", *arguments, "--format", "json"], capture_output=True, text=True, check=False,
                          timeout=300)
    return done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr


def check_model(program, folder):
    status, said, errors = bench(program, folder / "dense.onnx", "--input-shape", "x=8,64", "--runs", "10", "--onnxruntime",
                                 sys.executable)
    expect(status == 0, "a model:", errors)
    times = {each["what"]: each for each in said["models"][0]["timings"]}
    expect(list(times) == ["ONNX Runtime", "float32", "float16 by list", "bfloat16 by list"], "ways:", list(times))
    for what, each in times.items():
        expect(len(each.get("rounds", ())) == 5 and min(each["rounds"]) > 0, what, "does not have five rounds:", each)
        expect(each.get("plan_seconds", 0) > 0, what, "has no planning time")
    expect(said.get("onnxruntime"), "ONNX Runtime has no version")


def check_suite(program, folder):
    suite = folder / "suite.json"
    suite.write_text(json.dumps({
        "families": [{"family": "dense", "models": [{"model": "dense.onnx", "input_shapes": {"x": [8, 64]}}] * 2}],
        "bars": [{"ratio": "float32", "each": 1e-6}, {"ratio": "planning", "mean": 1e6}]}))
    status, said, errors = bench(program, "--suite", suite, "--runs", "5", "--onnxruntime", sys.executable)
    expect(status == 1, "a missed bar:", status, errors)
    expect([bar["result"] for bar in said["bars"]] == ["missed", "met"], "bars:", said["bars"])
    ratios = []
    for model in said["models"]:
        theirs, ours = (next(each for each in model["timings"] if each["what"] == what)
                        for what in ("ONNX Runtime", "float32"))
        ratios.append(sorted(a / b for a, b in zip(ours["rounds"], theirs["rounds"]))[2])
        for each in (theirs, ours):
            expect(0 < each.get("memory_bytes", 0) < 1 << 28, each["what"], "takes", each.get("memory_bytes"))
    mean = said["families"][0]["ratios"]["float32"]
    expect(abs(mean / math.sqrt(ratios[0] * ratios[1]) - 1) < 1e-6, "the family's ratio is", mean, "of", ratios)
    expect(said["means"]["ratios"]["float32"] == mean, "one family's mean is another:", said["means"])


def check_other_rank(program, folder):
    import numpy
    numpy.save(folder / "shape.npy", numpy.int64([2, 2, 3]))
    status, said, errors = bench(program, folder / "reshaped.onnx", "--input", f"shape={folder}/shape.npy", "--runs", "1",
                                 "--onnxruntime", sys.executable)
    expect(status == 0 and "problem" not in said["models"][0]["timings"][0], "an output of another rank:", said, errors)


def check_failures(program, folder):
    status, _, errors = bench(program, folder / "unknown.onnx", "--onnxruntime", sys.executable)
    expect(status == 2 and "Missing" in errors, "an unknown operator:", status, errors)
    status, said, errors = bench(program, folder / "dense.onnx", "--input-shape", "x=8,64", "--runs", "1", "--onnxruntime",
                                 "/nowhere/python")
    problem = said["models"][0]["timings"][0].get("problem", "") if said else ""
    expect(status == 0 and "/nowhere/python" in problem, "no such Python:", status, problem, errors)
    folder.joinpath("x.npy").write_bytes(b"no array")
    status, _, errors = bench(program, folder / "dense.onnx", "--input", f"x={folder}/x.npy", "--onnxruntime",
                              sys.executable)
    expect(status == 2 and "x.npy" in errors, "no input:", status, errors)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    try:
        import onnxruntime  # noqa: F401
    except ImportError:
        peers.require(options.bin, "onnxruntime")
    program = options.bin.resolve() / "opledger-run"
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        folder.joinpath("dense.onnx").write_bytes(model_bytes(DENSE))
        folder.joinpath("unknown.onnx").write_bytes(model_bytes(UNKNOWN))
        check_model(program, folder)
        check_suite(program, folder)
        folder.joinpath("reshaped.onnx").write_bytes(model_bytes(RESHAPED))
        check_other_rank(program, folder)
        check_failures(program, folder)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
