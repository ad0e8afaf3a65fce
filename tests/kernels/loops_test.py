#!/usr/bin/env python3
"""Compares the states of Loop and Scan with ONNX Runtime: weights that do not change, states that
change, are swapped or start as constants, nested loops, loops that end by a counter. Runs the fast
kernels on one thread and on two, which must yield the same bits, the reference kernels, a list,
which must yield the bits of the converted model, and a recorded plan.

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
from model_run import difference, read_arguments, run_model  # noqa: E402

# ONNX's text format. Inputs: x float[5,1,8], h float[1,8], s float[8,8]; initializers: w, v
# float[8,8].
MODELS = {
    "weights that stay, until a counter ends it": """(float[5,1,8] x, float[1,8] h) => (float[N,1,8] y, float[1,8] last) {
        yes = Constant <value = bool {1}> ()
        zero = Constant <value = int32 {0}> ()
        shape = Shape (x)
        steps = Cast <to = 6> (shape)
        first = Constant <value = int64 {0}> ()
        bound = Gather (steps, first)
        n, same, m, last, y = Loop <body = step (int64 i, bool go, int32 at, int32 end, float[8,8] a, float[1,8] b)
            => (bool more, int32 next, int32 end2, float[8,8] a2, float[1,8] b2, float[1,8] out) {
            one = Constant <value = int32 {1}> ()
            next = Add (at, one)
            fnext = Cast <to = 1> (next)
            fend = Cast <to = 1> (end)
            more = Less (fnext, fend)
            row = Gather <axis = 0> (x, at)
            p = MatMul (b, a)
            q = MatMul (row, w)
            sum = Add (p, q)
            b2 = Tanh (sum)
            end1 = Identity (end)
            end2 = Identity (end1)
            a2 = Identity (a)
            out = Identity (b2)
        }> (, yes, zero, bound, v, h) }""",
    "a scan over rows": """(float[5,1,8] x, float[1,8] h) => (float[5,1,8] y, float[8,8] same, float[1,8] last) {
        same, last, y = Scan <num_scan_inputs = 1, scan_input_directions = [1], body =
            step (float[8,8] a, float[1,8] b, float[1,8] row) => (float[8,8] a2, float[1,8] b2, float[1,8] out) {
            p = Gemm (b, a, row)
            b2 = Sigmoid (p)
            a2 = Identity (a)
            out = Mul (b2, b)
        }> (w, h, x) }""",
    "three that go round": """(float[1,8] h, float[8,8] s) => (float[1,8] a, float[1,8] b, float[1,8] c) {
        yes = Constant <value = bool {1}> ()
        trips = Constant <value = int64 {4}> ()
        second = Neg (h)
        third = MatMul (h, s)
        a, b, c = Loop <body = step (int64 i, bool go, float[1,8] p, float[1,8] q, float[1,8] r)
            => (bool more, float[1,8] q2, float[1,8] r2, float[1,8] p2) {
            more = Identity (go)
            q2 = Identity (q)
            r2 = Identity (r)
            two = Constant <value = float {2}> ()
            p2 = Mul (p, two)
        }> (trips, yes, h, second, third) }""",
    "one value twice": """(float[5,1,8] x, float[1,8] h) => (float[1,8] a, float[1,8] b, float[5,1,8] y) {
        yes = Constant <value = bool {1}> ()
        trips = Constant <value = int64 {5}> ()
        a, b, y = Loop <body = step (int64 i, bool go, float[1,8] p, float[1,8] q)
            => (bool more, float[1,8] p2, float[1,8] q2, float[1,8] out) {
            more = Identity (go)
            row = Gather <axis = 0> (x, i)
            difference = Sub (p, q)
            p2 = Add (difference, row)
            q2 = Identity (p2)
            out = Identity (p2)
        }> (trips, yes, h, h) }""",
    "a constant of the body, and a view": """(float[1,8] h) => (float[1,8] a, float[8] b) {
        yes = Constant <value = bool {1}> ()
        trips = Constant <value = int64 {3}> ()
        flat = Constant <value = int64[1] {-1}> ()
        start = Reshape (h, flat)
        a, b = Loop <body = step (int64 i, bool go, float[1,8] p, float[8] q) => (bool more, float[1,8] p2, float[8] q2) {
            more = Identity (go)
            ones = Constant <value = float[1,8] {1, 2, 3, 4, 5, 6, 7, 8}> ()
            p2 = Identity (ones)
            sum = Add (p, ones)
            to = Constant <value = int64[1] {8}> ()
            q1 = Reshape (sum, to)
            q2 = Add (q1, q)
        }> (trips, yes, h, start) }""",
    "no step at all": """(float[1,8] h) => (float[8,8] a, float[1,8] b, float[0,1,8] y) {
        no = Constant <value = bool {0}> ()
        trips = Constant <value = int64 {3}> ()
        a, b, y = Loop <body = step (int64 i, bool go, float[8,8] p, float[1,8] q)
            => (bool more, float[8,8] p2, float[1,8] q2, float[1,8] out) {
            more = Identity (go)
            p2 = Identity (p)
            q2 = MatMul (q, p)
            out = Relu (q2)
        }> (trips, no, w, h) }""",
    "a loop within a loop": """(float[5,1,8] x, float[1,8] h) => (float[8,8] same, float[1,8] last, float[5,1,8] y) {
        yes = Constant <value = bool {1}> ()
        trips = Constant <value = int64 {5}> ()
        same, last, y = Loop <body = step (int64 i, bool go, float[8,8] p, float[1,8] q)
            => (bool more, float[8,8] p3, float[1,8] q3, float[1,8] out) {
            more = Identity (go)
            row = Gather <axis = 0> (x, i)
            two = Constant <value = int64 {2}> ()
            p2, q2 = Loop <body = inner (int64 k, bool on, float[8,8] a, float[1,8] b) => (bool off, float[8,8] a2, float[1,8] b2) {
                off = Identity (on)
                a2 = Identity (a)
                c = MatMul (b, a)
                d = Add (c, row)
                b2 = Tanh (d)
            }> (two, go, p, q)
            p3 = Identity (p2)
            q3 = Identity (q2)
            out = Exp (q3)
        }> (trips, yes, w, h) }""",
    "it ends by its numbers": """(float[1,8] h) => (float[1,8] last, int64 steps) {
        yes = Constant <value = bool {1}> ()
        zero = Constant <value = int64 {0}> ()
        last, steps = Loop <body = step (int64 i, bool go, float[1,8] p, int64 n) => (bool more, float[1,8] p2, int64 n2) {
            half = Constant <value = float {0.5}> ()
            p2 = Mul (p, half)
            size = ReduceL1 <keepdims = 0> (p2)
            little = Constant <value = float {0.25}> ()
            more = Greater (size, little)
            one = Constant <value = int64 {1}> ()
            n2 = Add (n, one)
        }> (, yes, h, zero) }""",
    "a branch in it": """(float[5,1,8] x, float[1,8] h) => (float[1,8] last) {
        yes = Constant <value = bool {1}> ()
        trips = Constant <value = int64 {5}> ()
        same, last = Loop <body = step (int64 i, bool go, float[8,8] p, float[1,8] q) => (bool more, float[8,8] p2, float[1,8] q2) {
            more = Identity (go)
            p2 = Identity (p)
            two = Constant <value = int64 {2}> ()
            early = Less (i, two)
            q2 = If <then_branch = yes () => (float[1,8] t) { t = MatMul (q, p) },
                     else_branch = no () => (float[1,8] e) { m = MatMul (q, p)  e = Sigmoid (m) }> (early)
        }> (trips, yes, w, h) }""",
    "a state that grows": """(float[1,8] h) => (float[N,8] last, float[8,8] same) {
        yes = Constant <value = bool {1}> ()
        trips = Constant <value = int64 {3}> ()
        same, last = Loop <body = step (int64 i, bool go, float[8,8] p, float[M,8] q) => (bool more, float[8,8] p2, float[K,8] q2) {
            more = Identity (go)
            p2 = Identity (p)
            m = MatMul (q, p)
            q2 = Concat <axis = 0> (m, h)
        }> (trips, yes, w, h) }""",
}
PLANNED_ONCE = ["weights that stay, until a counter ends it"]


def model_of(text, path, numbers):
    import onnx
    from onnx import numpy_helper
    model = onnx.parser.parse_model('<ir_version: 8, opset_import: ["" : 17]> g ' + text)
    del model.graph.value_info[:]
    for name in ("w", "v"):
        model.graph.initializer.append(numpy_helper.from_array(numbers.standard_normal((8, 8)).astype("f4"), name))
    onnx.save(model, path)
    return model


def same(first, second):
    return first.keys() == second.keys() and all(first[name].tobytes() == second[name].tobytes() for name in first)


def check_by_list(program, path, given, names, folder):
    converted = folder / "converted.onnx"
    done = subprocess.run([program.with_name("opledger"), "convert", path, "-o", converted, "--target-dtype", "bfloat16", "-q"],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        return f"convert: {done.stderr}"
    runs = [run_model(program, path, given, names, "fast", "--autocast", "bfloat16"),
            run_model(program, converted, given, names, "fast")]
    for status, _, said in runs:
        if status:
            return f"by a list: {said}"
    return "" if same(runs[0][1], runs[1][1]) else "with a list: other bits than the converted model's"


def check(name, text, program, folder):
    """Returns the problem, or ""."""
    import numpy
    import onnxruntime
    path, plan = folder / "model.onnx", folder / "plan.json"
    numbers = numpy.random.default_rng(7)
    model = model_of(text, path, numbers)
    given = {each.name: numbers.standard_normal([d.dim_value for d in each.type.tensor_type.shape.dim]).astype("f4")
             for each in model.graph.input}
    names = [each.name for each in model.graph.output]
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    wanted = dict(zip(names, session.run(names, given)))
    first = None
    for kernels, *options in (("fast", "--threads", "1"), ("fast", "--threads", "2"),
                              ("fast", "--threads", "1", "--write-plan", plan), ("reference",)):
        status, got, said = run_model(program, path, given, names, kernels, *options)
        if status:
            return f"{kernels}: {said}"
        for output, want in wanted.items():
            wrong = difference(got[output], want, 1e-5)
            if wrong:
                return f"{kernels}: {output}: {wrong}"
        first = got if first is None else first
        if kernels == "fast" and not same(first, got):
            return f"{' '.join(map(str, options))}: other bits"
    if name in PLANNED_ONCE and plan.read_text(encoding="utf-8").count('"scope"') != 2:
        return "its body is not planned exactly once"
    status, got, said = run_model(program, path, given, names, "fast", "--plan", plan)
    if status or not same(first, got):
        return f"with its plan: {said if status else 'other bits'}"
    return check_by_list(program, path, given, names, folder)


def main():
    options = read_arguments(__doc__)
    try:
        import onnx  # noqa: F401  # pylint: disable=unused-import
        import onnxruntime
    except ImportError:
        peers.require(options.bin, "onnx", "onnxruntime")
    onnxruntime.set_default_logger_severity(3)
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        for name, text in MODELS.items():
            wrong = check(name, text, options.bin.resolve() / "opledger-run", pathlib.Path(folder))
            if wrong:
                problems.append(f"{name}: {wrong}")
    for problem in problems:
        print(problem)
    print(f"{len(MODELS) - len(problems)} of {len(MODELS)} models agree with ONNX Runtime")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
