#!/usr/bin/env python3
"""convert --fuse: a fused chain of nodes is valid and computes the same in ONNX Runtime; similar
chains are not fused.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import peers  # noqa: E402

try:
    import numpy
    import onnx
    import onnx.parser
    import onnxruntime
except ImportError:
    onnx = None  # main() looks for a Python that has them

EPSILON = "e = Constant <value = float {1e-5}> ()\n"
CENTRED = "m = ReduceMean <axes = [-1]> (x)\n d = Sub (x, m)\n"
ROOTED = "s = ReduceMean <axes = [-1]> (q)\n v = Add (s, e)\n r = Sqrt (v)\n"
SQUARED = "two = Constant <value = float {2.0}> ()\n q = Pow (d, two)\n"
NORM = EPSILON + CENTRED + SQUARED + ROOTED + "n = Div (d, r)\n"
HALF = "h = Constant <value = float {0.5}> ()\n"
ERF = ("root = Constant <value = float {1.4142135}> ()\n one = Constant <value = float {1.0}> ()\n"
       "a = Div (x, root)\n f = Erf (a)\n g = Add (f, one)\n") + HALF
AXES = "axes = Constant <value = int64[1] {-1}> ()\n"
RMS = (AXES + EPSILON + "q = Mul (x, x)\n s = ReduceMean (q, axes)\n v = Add (e, s)\n r = Sqrt (v)\n")

SOFTMAX = (AXES + "t = ReduceMax <axes = [-1]> (x)\n c = Sub (x, t)\n e = Exp (c)\n s = ReduceSum (e, axes)\n")
# 1 + tanh(0.7978846 * (x + 0.044715 * x^3))
CUBE = "three = Constant <value = float {3.0}> ()\n c = Pow (x, three)\n"
TANH = ("one = Constant <value = float {1.0}> ()\n root2 = Constant <value = float {0.7978846}> ()\n"
        "z = Constant <value = float {0.044715}> ()\n") + HALF
TANH_END = "f = Tanh (i)\n g = Add (one, f)\n"
TANH_PLAIN = TANH + CUBE + "u = Mul (c, z)\n v = Add (x, u)\n i = Mul (v, root2)\n" + TANH_END

# opset, body of x: float[2,3,8] -> y, fused operator. w, b: float[8].
FUSED = [
    (17, NORM + "p = Mul (n, w)\n y = Add (p, b)", "LayerNormalization"),
    (17, NORM + "p = Mul (w, n)\n y = Add (b, p)", "LayerNormalization"),
    (17, NORM + "y = Mul (n, w)", "LayerNormalization"),
    (17, NORM + "p = Mul (n, w)\n t = Add (p, b)\n y = Add (t, x)", "LayerNormalization"),
    (17, EPSILON + CENTRED + "m2 = ReduceMean <axes = [2]> (x)\n d2 = Sub (x, m2)\n q = Mul (d2, d2)\n" + ROOTED +
     "n = Div (d, r)\n p = Mul (n, w)\n y = Add (p, b)", "LayerNormalization"),
    (18, (AXES + EPSILON + CENTRED + SQUARED + ROOTED).replace("<axes = [-1]> (x)", "(x, axes)").replace(
        "<axes = [-1]> (q)", "(q, axes)") + "i = Reciprocal (r)\n n = Mul (d, i)\n y = Mul (n, w)", "LayerNormalization"),
    (20, ERF + "p = Mul (x, g)\n y = Mul (p, h)", "Gelu"),
    (20, ERF + "p = Mul (g, h)\n y = Mul (p, x)", "Gelu"),
    (20, ERF + "p = Mul (h, x)\n y = Mul (p, g)", "Gelu"),
    (20, ERF.replace("1.4142135", "0.70710678").replace("Div", "Mul") + "p = Mul (x, g)\n y = Mul (p, h)", "Gelu"),
    (23, RMS + "n = Div (x, r)\n y = Mul (w, n)", "RMSNormalization"),
    (23, RMS + "one = Constant <value = float {1.0}> ()\n i = Div (one, r)\n n = Mul (x, i)\n y = Mul (w, n)",
     "RMSNormalization"),
    (23, RMS + "i = Reciprocal (r)\n n = Mul (i, x)\n y = Mul (n, w)", "RMSNormalization"),
    (13, SOFTMAX + "y = Div (e, s)", "Softmax"),
    (13, SOFTMAX.replace("[-1]", "[1]").replace("{-1}", "{1}") + "i = Reciprocal (s)\n y = Mul (i, e)", "Softmax"),
    (20, TANH_PLAIN + "p = Mul (x, g)\n y = Mul (p, h)", "Gelu"),
    (20, TANH + "q = Mul (x, x)\n c = Mul (x, q)\n u = Mul (z, c)\n v = Add (u, x)\n i = Mul (root2, v)\n" + TANH_END +
     "p = Mul (h, g)\n y = Mul (x, p)", "Gelu"),
    (20, TANH + "q = Mul (x, z)\n u = Mul (q, x)\n v = Add (u, one)\n w0 = Mul (x, root2)\n i = Mul (w0, v)\n" + TANH_END +
     "p = Mul (x, h)\n y = Mul (p, g)", "Gelu"),
    (20, "ab = Mul (x, x)\n" + (TANH_PLAIN + "p = Mul (x, g)\n y = Mul (p, h)").replace("x", "ab"), "Gelu"),
    (20, TANH_PLAIN.replace("g = Add (one, f)", "") + "p = Mul (x, f)\n d = Add (p, x)\n y = Mul (d, h)", "Gelu"),
    (18, "p = Softplus (x)\n t = Tanh (p)\n y = Mul (t, x)", "Mish"),
    (20, ERF.replace("float {0.5}", "float[1,1,1] {0.5}") + "p = Mul (x, g)\n y = Mul (p, h)", "Gelu"),
]
# Not fused: another computation, a value read elsewhere, or an older opset.
KEPT = [
    (16, NORM + "y = Mul (n, w)"), (17, NORM + "y = Add (n, b)"), (17, NORM + "p = Mul (n, w)\n y = Add (p, d)"),
    (17, NORM.replace("axes = [-1]> (q)", "axes = [1]> (q)") + "y = Mul (n, w)"),
    (17, NORM.replace("(d, two)", "(x, two)") + "y = Mul (n, w)"),
    (17, NORM.replace("float {2.0}", "float {3.0}") + "y = Mul (n, w)"),
    (17, NORM.replace("axes = [-1]> (x)", "axes = [-1], keepdims = 0> (k)") + "y = Mul (n, w)"),
    (17, NORM + "y = Mul (n, n)"), (17, NORM + "y = Mul (n, x)"), (17, NORM + "y = Mul (n, wide)"),
    (17, NORM + "p = Mul (n, w)\n y = Add (p, n)"),
    (20, ERF.replace("1.4142135", "1.41") + "p = Mul (x, g)\n y = Mul (p, h)"),
    (20, ERF + "p = Mul (x, g)\n y = Mul (p, one)"), (20, ERF + "p = Mul (g, h)\n y = Mul (p, f)"),
    (20, ERF + "p = Mul (g, g)\n y = Mul (p, h)"), (19, ERF + "p = Mul (x, g)\n y = Mul (p, h)"),
    (23, RMS + "two = Constant <value = float {2.0}> ()\n i = Div (two, r)\n n = Mul (x, i)\n y = Mul (w, n)"),
    (12, SOFTMAX.replace("(e, axes)", "<axes = [-1]> (e)") + "y = Div (e, s)"),
    (13, SOFTMAX.replace("ReduceMax <axes = [-1]>", "ReduceMax <axes = [1]>") + "y = Div (e, s)"),
    (13, SOFTMAX.replace("Exp (c)", "Exp (x)") + "y = Div (e, s)"), (13, SOFTMAX + "y = Div (c, s)"),
    (13, SOFTMAX + "p = Div (e, s)\n y = Mul (p, c)"),
    (20, ERF.replace("float {0.5}", "float[1,1,1,1] {0.5}") + "p = Mul (x, g)\n y = Mul (p, h)"),
    (20, ERF.replace("float {1.0}", "float[1,1,1,1] {1.0}") + "p = Mul (x, g)\n y = Mul (p, h)"),
    (23, RMS.replace("float {1e-5}", "float[1,1,1,1] {1e-5}") + "n = Div (x, r)\n y = Mul (w, n)"),
    (20, TANH_PLAIN.replace("0.044715", "0.0447") + "p = Mul (x, g)\n y = Mul (p, h)"),
    (20, TANH_PLAIN.replace("{3.0}", "{2.0}") + "p = Mul (x, g)\n y = Mul (p, h)"),
    (20, TANH_PLAIN + "p = Mul (c, g)\n y = Mul (p, h)"), (20, TANH_PLAIN + "p = Sub (x, g)\n y = Mul (p, h)"),
    (20, TANH_PLAIN + "p = Mul (x, g)\n y = Div (h, p)"), (18, "p = Softplus (x)\n t = Tanh (p)\n y = Mul (t, p)"),
    (22, RMS + "n = Div (x, r)\n y = Mul (w, n)"), (23, RMS + "n = Div (w, r)\n y = Mul (n, w)"),
]


def model_of(opset, body, random):
    model = onnx.parser.parse_model(
        f'<ir_version: 8, opset_import: ["": {opset}]> agraph (float[2,3,8] x, float[2,1] k) => (float[] y)\n{{\n{body}\n}}')
    model.graph.output[0].CopyFrom(onnx.ValueInfoProto(name="y"))
    if "k)" not in body:
        del model.graph.input[1]
    for name, shape in (("w", (8,)), ("b", (8,)), ("wide", (4, 1, 1, 8))):
        if f"{name})" in body or f"({name}," in body:
            numbers = random.normal(size=shape).astype("float32")
            model.graph.initializer.append(onnx.numpy_helper.from_array(numbers, name))
    return onnx.shape_inference.infer_shapes(model)


def run(path, x):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return session.run(None, {"x": x})[0]


def convert(program, source, target, *more):
    done = subprocess.run([program, "convert", source, "-o", target, "--fuse", "--opset", "keep", *more], check=False,
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return onnx.load(target)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--every", type=int, default=1, help="ignored")
    arguments = parser.parse_args()
    if onnx is None:
        peers.require(arguments.bin, "onnx", "onnxruntime")
    random = numpy.random.default_rng(3)
    x = (random.normal(size=(2, 3, 8)) * 3).astype("float32")
    problems, same = [], 0
    program = arguments.bin / "opledger"
    with tempfile.TemporaryDirectory() as scratch:
        source, target, back = (pathlib.Path(scratch) / name for name in ("before.onnx", "after.onnx", "back.onnx"))
        sidecar = pathlib.Path(scratch) / "sidecar"
        for opset, body, op in FUSED:
            onnx.save(model_of(opset, body, random), source)
            made = convert(program, source, target, "--exclude", ".*", "--sidecar", sidecar)
            ops = [node.op_type for node in made.graph.node]
            onnx.checker.check_model(made, full_check=True)
            difference = numpy.max(numpy.abs(run(source, x) - run(target, x)))
            subprocess.run([program, "revert", target, "-o", back, "--sidecar", sidecar], check=True, capture_output=True)
            if op not in ops or len(ops) > 2 or difference > 1e-5 or back.read_bytes() != source.read_bytes():
                problems.append(f"{op} {opset}: {ops}, off by {difference}: {body!r}")
            mixed = convert(program, source, target)
            onnx.checker.check_model(mixed, full_check=True)
            same += 1
        for opset, body in KEPT:
            onnx.save(model_of(opset, body, random), source)
            made = convert(program, source, target, "--exclude", ".*")
            if [node.op_type for node in made.graph.node] != [node.op_type for node in onnx.load(source).graph.node]:
                problems.append(f"{opset}: is fused: {body!r}")
    print("\n".join(problems))
    print(f"{same} chains become one node, {len(KEPT)} similar chains stay")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
