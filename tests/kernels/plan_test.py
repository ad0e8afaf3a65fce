#!/usr/bin/env python3
"""A run that records its plan yields the same bits as one that does not. Following a recorded plan
yields the same bits and the same plan, even where this process would have chosen otherwise: fewer
instruction sets, another way to multiply 16-bit values, another number of threads.

Networks of both formats, in float32 and with a list, models with inner graphs, 8-bit products,
loops with a plan for each step, and models planned in stages. Prints differences and the count.
Exit status: 0 all are equal, 1 otherwise, 77 the test data is missing.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/conversion")]
from make_onnx import model_bytes  # noqa: E402
from model_data import MXNET, ONNX, require  # noqa: E402

BERT = ["input_ids=1,8", "attention_mask=1,8", "token_type_ids=1,8"]
CASES = [  # model, shapes, other options
    (ONNX / "gen/resnet_tiny/model.onnx", ["data=1,3,64,64"], []),
    (ONNX / "gen/resnet_tiny/model.onnx", ["data=1,3,64,64"], ["--autocast", "bfloat16"]),
    (ONNX / "gen/resnet_tiny/model.onnx", ["data=1,3,64,64"], ["--autocast", "float16"]),
    (ONNX / "gen/bert_tiny/model.onnx", BERT, []),
    (ONNX / "gen/bert_tiny/model.onnx", BERT, ["--autocast", "bfloat16"]),
    (ONNX / "gen/bert_tiny/model.onnx", BERT, ["--kernels", "reference"]),
    (ONNX / "node/test_if/model.onnx", ["cond="], []),
    (ONNX / "node/test_scan9_sum/model.onnx", ["initial=2", "x=3,2"], []),
    (MXNET / "v10901/cond-symbol.json", ["a=3,4", "b=4,4"], []),
    (MXNET / "v10901/residual-symbol.json", ["data=2,3,8,8"], ["--autocast", "bfloat16"]),
]
WEIGHTS = [((37 * i * i + 11 * i) % 251 - 125) / 64 for i in range(96 * 96)]
GROWS = {"inputs": {"i": ["int64", []], "c": ["bool", []], "s": ["float32", None]},
         "outputs": {"c2": ["bool", []], "s2": ["float32", None]},
         "nodes": [["Identity", ["c"], ["c2"]], ["MatMul", ["s", "w"], ["m"]], ["Concat", ["m", "x"], ["s2"], {"axis": 0}]]}
MADE = {  # nodes of models that take x float32[8,96]
    "bytes": [["QuantizeLinear", ["x", "scale", "zero"], ["q"]], ["DequantizeLinear", ["q", "scale", "zero"], ["d"]],
              ["DequantizeLinear", ["b", "scale", "zero"], ["wd"]],
              ["MatMul", ["d", "wd"], ["y"]]],
    "grows": [["Loop", ["three", "yes", "x"], ["y"], {"body": GROWS}]],
    "stages": [["MatMul", ["x", "w"], ["h"]], ["Unique", ["h"], ["u"]], ["Relu", ["u"], ["r"]], ["NonZero", ["r"], ["n"]],
               ["MatMul", ["h", "w"], ["y"]]],
}


def made_cases(folder):
    for name, nodes in MADE.items():
        model = {"opset": 21, "inputs": {"x": ["float32", [8, 96]]},
                 "outputs": {"y": ["float32", None], **({"n": ["int64", None]} if name == "stages" else {})},
                 "initializers": {"w": ["float32", [96, 96], WEIGHTS], "b": ["int8", [96, 96], [i % 200 - 100 for i in range(96 * 96)]],
                                  "scale": ["float32", [], [0.02]], "zero": ["int8", [], [3]], "three": ["int64", [], [3]],
                                  "yes": ["bool", [], [True]]}, "nodes": nodes}
        path = folder / f"{name}.onnx"
        path.write_bytes(model_bytes(model))
        yield path, ["x=8,96"], []


# Environment when the plan is recorded, and when it is followed.
MAKES = {"OPLEDGER_BFLOAT16": "widened", "OPLEDGER_FLOAT16": "widened"}
FOLLOWS = {"OPLEDGER_BFLOAT16": "native", "OPLEDGER_FLOAT16": "native", "OPLEDGER_MAX_INSTRUCTION_SET": "avx2", "OMP_NUM_THREADS": "1"}

problems = []


def run(program, case, environment, *arguments):
    """Returns whether the exit status is 0; otherwise records the problem."""
    model, shapes, options = case
    words = [program, model, *options, *arguments]
    for shape in shapes:
        words += ["--input", shape.split("=")[0] + "=random", "--input-shape", shape]
    params = model.with_name(model.name.removesuffix("-symbol.json") + "-0000.params")
    if params.is_file():
        words += ["--params", params]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=300,
                          env={**os.environ, **environment})
    if done.returncode:
        problems.append(f"{model.relative_to(model.parents[2])} {' '.join(options)}: {done.stderr.strip()}")
    return done.returncode == 0


def check(program, case, folder):
    """Returns whether all runs succeeded."""
    first, second = folder / "first.json", folder / "second.json"
    if not (run(program, case, MAKES, "-o", folder / "plain") and
            run(program, case, MAKES, "--write-plan", first, "-o", folder / "first")):
        return False
    # the plan contains that
    options = [word for word in case[2] if word not in ("--kernels", "reference")]
    if not run(program, (*case[:2], options), FOLLOWS, "--plan", first, "--write-plan", second, "-o",
               folder / "second"):
        return False
    name = f"{case[0].parent.name}/{case[0].name} {' '.join(case[2])}"
    for made in sorted((folder / "first").iterdir()):
        for other in ("plain", "second"):
            if made.read_bytes() != (folder / other / made.name).read_bytes():
                problems.append(f"{name}: {made.name} differs from the {other} run's")
    plans = [[line for line in path.read_text().splitlines() if '"machine"' not in line] for path in (first, second)]
    if plans[0] != plans[1]:
        problems.append(f"{name}: the followed plan differs")
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    require(ONNX)
    program = options.bin.resolve() / "opledger-run"
    count = 0
    with tempfile.TemporaryDirectory() as models:
        for case in [*CASES[::min(options.every, 4)], *made_cases(pathlib.Path(models))]:
            with tempfile.TemporaryDirectory() as folder:
                count += check(program, case, pathlib.Path(folder))
    for problem in problems:
        print(problem)
    print(f"{count} plans followed bit for bit")
    return 1 if problems or not count else 0


if __name__ == "__main__":
    sys.exit(main())
