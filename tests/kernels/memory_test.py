#!/usr/bin/env python3
"""A model's weights are in memory once while it is planned and run: neither the file nor
another copy stays beside the kernels' packed weights, and a loop that only passes them on makes no
copy. Measures the peak memory of `opledger run` beyond that of a small model, relative to the size
of the weights.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from make_onnx import model_bytes  # noqa: E402
from peak_memory import peak_memory  # noqa: E402

LAYERS = 16
WIDTHS = {"small.onnx": 64, "large.onnx": 1024}
# With float16, the file's elements and the rounded ones.
BOUNDS = {(): 1.35, ("--autocast", "float16"): 2.6}
BOUNDS_IN_A_LOOP = {(): 2.35}  # the loop is planned before the outer graph frees them


def weights_of(width):
    return {f"w{i}": ["float32", [width, width], [(k % 7 - 3 + i) / width for k in range(width)] * width]
            for i in range(LAYERS)}


def model(width):
    weights = weights_of(width)
    names = ["x", *(f"h{i}" for i in range(LAYERS - 1)), "y"]
    return model_bytes({"opset": 17, "inputs": {"x": ["float32", [1, width]]},
                        "outputs": {"y": ["float32", [1, width]]}, "initializers": weights,
                        "nodes": [["MatMul", [names[i], f"w{i}"], [names[i + 1]]] for i in range(LAYERS)]})


def loop_model(width):
    """The weights are a loop state that no step changes."""
    square, row = ["float32", [width, width]], ["float32", [1, width]]
    names = ["s", *(f"h{i}" for i in range(LAYERS - 1)), "out"]
    body = {"inputs": {"i": ["int64", []], "c": ["bool", []], "s": row, **{f"a{i}": square for i in range(LAYERS)}},
            "outputs": {"c2": ["bool", []], "out": row, **{f"b{i}": square for i in range(LAYERS)}},
            "nodes": [["Identity", ["c"], ["c2"]],
                      *(["MatMul", [names[i], f"a{i}"], [names[i + 1]]] for i in range(LAYERS)),
                      *(["Identity", [f"a{i}"], [f"b{i}"]] for i in range(LAYERS))]}
    weights = weights_of(width)
    last = [f"last{i}" for i in range(LAYERS)]
    return model_bytes({"opset": 17, "inputs": {"x": row}, "outputs": {"y": row},
                        "initializers": {**weights, "trips": ["int64", [], [3]], "yes": ["bool", [], [True]]},
                        "nodes": [["Loop", ["trips", "yes", "x", *weights], ["y", *last], {"body": body}]]})


def peak(program, path, arguments):
    """Returns the peak memory in bytes."""
    taken, status, said = peak_memory([program, path, "--threads", "1", "--input", "x=random", *arguments], path.parent)
    if status != 0:
        sys.exit(f"opledger-run ended with {status}: {said}")
    return taken


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    if options.every != 1:
        print("SKIPPED: the sanitizers keep freed memory")
        return 77
    program = options.bin.resolve() / "opledger-run"
    bad = False
    with tempfile.TemporaryDirectory() as folder:
        small, large = (pathlib.Path(folder) / name for name in WIDTHS)
        for make, bounds in ((model, BOUNDS), (loop_model, BOUNDS_IN_A_LOOP)):
            for path in (small, large):
                path.write_bytes(make(WIDTHS[path.name]))
            for arguments, bound in bounds.items():
                more = peak(program, large, arguments) - peak(program, small, arguments)
                part = more / (LAYERS * 4 * 1024 ** 2)
                print(make.__name__, " ".join(arguments) or "float32", f"{part:.2f} of the weights, at most {bound}")
                bad = bad or part > bound
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
