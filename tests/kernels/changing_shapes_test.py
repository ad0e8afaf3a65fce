#!/usr/bin/env python3
"""Compares models whose shapes are known only at run time with ONNX Runtime: loops whose state
grows, branches of different shapes, computed sizes, and operators whose output size depends on the
input's elements. Runs each with the fast and the reference kernels. With a list, products beside
such an operator yield the bits of the converted model, although other values are known before they
run.

Exit status: 0 success, 1 failure, 77 the Python package onnx or onnxruntime is missing.
"""
# SPDX-License-Identifier: Apache-2.0

import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/conversion")]
import peers  # noqa: E402
from make_onnx import model_bytes  # noqa: E402
from model_run import read_arguments, run_model  # noqa: E402

# ONNX's text format. Inputs: x float[3,4], k int64, c bool, s float[6,4] boxes.
MODELS = {
    "grows by its number of steps": """(float[3,4] x, int64 k) => (float[N,4] y, float[k,4] z) {
        yes = Constant <value = bool {1}> ()
        y, z = Loop <body = step (int64 i, bool go, float[M,4] a) => (bool go_on, float[P,4] b, float[4] row) {
            go_on = Identity (go)
            b = Concat <axis = 0> (a, x)
            zero = Constant <value = int64[1] {0}> ()
            sum = ReduceSum <keepdims = 0> (b, zero)
            row = Relu (sum)
        }> (k, yes, x) }""",
    "takes more in each step": """(float[3,4] x, int64 k) => (float[N] y, float[k] z) {
        yes = Constant <value = bool {1}> ()
        none = Constant <value = float[1] {0}> ()
        y, z = Loop <body = step (int64 i, bool go, float[M] a) => (bool go_on, float[P] b, float sum) {
            go_on = Identity (go)
            one = Constant <value = int64[1] {1}> ()
            start = Constant <value = int64[1] {0}> ()
            minus = Constant <value = int64[1] {-1}> ()
            flat = Reshape (x, minus)
            end = Add (i, one)
            b = Slice (flat, start, end)
            sum = ReduceSum <keepdims = 0> (b)
        }> (k, yes, none) }""",
    "ends by its own count": """(float[3,4] x) => (float[N,4] y) {
        yes = Constant <value = bool {1}> ()
        zero = Constant <value = int64 {0}> ()
        count, y = Loop <body = step (int64 i, bool go, int64 n, float[M,4] a) => (bool go_on, int64 m, float[P,4] b) {
            one = Constant <value = int64 {1}> ()
            four = Constant <value = int64 {4}> ()
            m = Add (n, one)
            go_on = Less (m, four)
            b = Concat <axis = 0> (a, x)
        }> (, yes, zero, x) }""",
    "branches of two shapes, by the numbers": """(float[3,4] x) => (float[N,M] y) {
        sum = ReduceSum <keepdims = 0> (x)
        zero = Constant <value = float {0}> ()
        c = Greater (sum, zero)
        y = If <then_branch = yes () => (float[3,4] t) { t = Relu (x) },
                else_branch = no () => (float[4,3] e) { e = Transpose (x) }> (c) }""",
    "a size that is computed": """(float[3,4] x) => (float[N,4] y) {
        zero = Constant <value = float {0}> ()
        is = Greater (x, zero)
        number = Cast <to = 7> (is)
        count = ReduceMax <keepdims = 0> (number)
        one = Constant <value = int64[1] {1}> ()
        none = Constant <value = int64[1] {0}> ()
        end = Add (count, one)
        part = Slice (x, none, end)
        y = Sigmoid (part) }""",
    "boxes that stay": """(float[6,4] s, float[3,4] x) => (float[N,4] y) {
        axes = Constant <value = int64[1] {0}> ()
        shape = Constant <value = int64[3] {1, 2, 6}> ()
        doubled = Concat <axis = 0> (x, x)
        three = Constant <value = int64[1] {3}> ()
        half = Slice (doubled, axes, three)
        scores = Reshape (half, shape)
        boxes = Unsqueeze (s, axes)
        most = Constant <value = int64 {3}> ()
        overlap = Constant <value = float {0.4}> ()
        least = Constant <value = float {-0.5}> ()
        kept = NonMaxSuppression (boxes, scores, most, overlap, least)
        two = Constant <value = int64 {2}> ()
        which = Gather <axis = 1> (kept, two)
        y = Gather (s, which) }""",
    "numbers, each once": """(float[3,4] x) => (float[N] y, int64[N] first, int64[M] which, int64[N] count) {
        rounded = Round (x)
        y, first, which, count = Unique <sorted = 0> (rounded) }""",
    "what is not zero": """(float[3,4] x) => (float[N] y) {
        halves = Relu (x)
        where = NonZero (halves)
        places = Transpose (where)
        found = GatherND (x, places)
        y = Exp (found) }""",
}

def model_of(text, path):
    import onnx
    lines = [line for line in text.splitlines() if line.strip()]
    model = onnx.parser.parse_model('<ir_version: 8, opset_import: ["" : 18]> g ' + "\n".join(lines))
    del model.graph.value_info[:]
    onnx.save(model, path)
    return model


def check(name, text, program, folder):
    """Returns the problem, or ""."""
    import numpy
    import onnxruntime
    path = folder / "model.onnx"
    model = model_of(text, path)
    random = numpy.random.default_rng(7)
    corners = random.uniform(0, 4, (6, 2))
    all_inputs = {"x": random.standard_normal((3, 4)).astype("f4"), "k": numpy.array(3, "i8"),
                  "s": numpy.concatenate([corners, corners + random.uniform(1, 3, (6, 2))], 1).astype("f4")}
    given = {each.name: all_inputs[each.name] for each in model.graph.input}
    names = [each.name for each in model.graph.output]
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    wanted = session.run(names, given)
    for kernels in ("fast", "reference"):
        status, got, said = run_model(program, path, given, names, kernels)
        if status:
            return f"{kernels}: {said}"
        for output, want in zip(names, wanted):
            if got[output].shape != want.shape or not numpy.allclose(got[output], want, 1e-5, 1e-6):
                return f"{kernels}: {output}: {got[output]}, not {want}"
    return ""


def check_by_list(program, folder):
    """Returns the problem of a product beside Unique, or ""."""
    import numpy
    rows, inner, columns = 256, 512, 256

    def numbers(count, seed):
        return [((i * i * seed + 7 * i * seed * seed) % 1009 - 504) / 1009 for i in range(count)]

    model = {"opset": 17, "inputs": {"x": ["float32", [rows, inner]]},
             "outputs": {"y": ["float32", None], "u": ["float32", None]},
             "initializers": {"w": ["float32", [inner, inner], numbers(inner * inner, 37)],
                              "g": ["float32", [inner, columns], numbers(inner * columns, 53)],
                              "c": ["float32", [columns], numbers(columns, 11)]},
             "nodes": [["MatMul", ["x", "w"], ["h"]], ["Gemm", ["h", "g", "c"], ["y"]], ["Unique", ["h"], ["u"]]]}
    path, converted = folder / "model.onnx", folder / "converted.onnx"
    path.write_bytes(model_bytes(model))
    given = {"x": numpy.random.default_rng(1).standard_normal((rows, inner)).astype("f4")}
    for dtype in ("bfloat16", "float16"):
        subprocess.run([program.with_name("opledger"), "convert", path, "-o", converted, "--target-dtype", dtype, "-q"],
                       check=True)
        status, by_list, said = run_model(program, path, given, ["y", "u"], "fast", "--autocast", dtype)
        other, of_converted, also_said = run_model(program, converted, given, ["y", "u"], "fast")
        if status or other:
            return said if status else also_said
        if any(by_list[name].tobytes() != of_converted[name].tobytes() for name in by_list):
            return f"{dtype}: other bits than the converted model's"
    return ""


def main():
    options = read_arguments(__doc__)
    try:
        import onnx  # noqa: F401  # pylint: disable=unused-import
        import onnxruntime  # noqa: F401  # pylint: disable=unused-import
    except ImportError:
        peers.require(options.bin, "onnx", "onnxruntime")
    program = options.bin.resolve() / "opledger-run"
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        for name, text in MODELS.items():
            wrong = check(name, text, program, pathlib.Path(folder))
            if wrong:
                problems.append(f"{name}: {wrong}")
        wrong = check_by_list(program, pathlib.Path(folder))
    if wrong:
        problems.append(f"a product beside Unique by a list: {wrong}")
    for problem in problems:
        print(problem)
    print(f"{len(MODELS) + 1 - len(problems)} of {len(MODELS) + 1} models agree with ONNX Runtime or with the converted model")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
