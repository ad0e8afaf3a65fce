#!/usr/bin/env python3
"""convert --opset: each step of registry/operators/onnx-opsets.json yields a valid model that
computes the same as its input in ONNX Runtime. Steps for which it has no kernel are counted, and
named with --verbose.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import peers

try:
    import numpy
    import onnx
    import onnx.parser
    import onnxruntime
except ImportError:
    onnx = None  # main() looks for a Python that has them

STEPS = ROOT / "registry/operators/onnx-opsets.json"
NEWEST_OF_RUNTIME = 25

UNARY = """Abs Ceil Exp Floor Log Neg Reciprocal Sigmoid Sqrt Tanh Acos Acosh Asin Asinh Atan Atanh Cos Cosh
Sin Sinh Tan Elu Selu HardSigmoid HardSwish Mish Round Softplus Softsign ThresholdedRelu Relu LeakyRelu Erf
Sign Identity Flatten IsNaN IsInf NonZero Size Shape Det Transpose LpNormalization ArgMax
ArgMin GlobalAveragePool GlobalMaxPool GlobalLpPool MeanVarianceNormalization EyeLike
ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum
ReduceSumSquare Clip""".split()
BINARY = "Add Mul Sub Div Equal Greater Less GreaterOrEqual LessOrEqual Max Min Mean Sum Pow PRelu MatMul".split()
SQUARE = {"Det": "x5", "EyeLike": "x5"}

# name -> [(first opset, last opset, body)]. x: positive float[1,4,8,8]; other inputs below.
BODIES = {
    "Cast": [(7, 24, "y = Cast <to = 7> (x)")],
    "CastLike": [(15, 24, "y = CastLike (x, i)")],
    "BatchNormalization": [(7, 13, "y = BatchNormalization (x, c, c, c, c)"),
                           (7, 8, "y = BatchNormalization <spatial = 1> (x, c, c, c, c)")],
    "Clip": [(7, 10, "y = Clip <min = 0.2, max = 0.5> (x)"), (7, 10, "y = Clip <max = 0.5> (x)"),
             (7, 10, "y = Clip <min = 0.5> (x)")],
    "Compress": [(9, 10, "y = Compress <axis = 1> (x, m)")],
    "Concat": [(7, 12, "y = Concat <axis = 1> (x, x)")],
    "Constant": [(7, 24, "k = Constant <value = float[1] {2.0}> ()\n y = Mul (x, k)")],
    "ConstantOfShape": [(9, 24, "s = Shape (x)\n y = ConstantOfShape (s)")],
    "Conv": [(7, 21, "y = Conv <kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (x, w)")],
    "ConvTranspose": [(7, 21, "y = ConvTranspose <strides = [2, 2]> (x, w)")],
    "AveragePool": [(7, 21, "y = AveragePool <kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (x)")],
    "MaxPool": [(7, 21, "y = MaxPool <kernel_shape = [3, 3], strides = [2, 2]> (x)")],
    "LpPool": [(7, 21, "y = LpPool <kernel_shape = [3, 3]> (x)")],
    "MaxUnpool": [(9, 21, "a, b = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (x)\n"
                          "y = MaxUnpool <kernel_shape = [2, 2], strides = [2, 2]> (a, b)")],
    "InstanceNormalization": [(7, 21, "y = InstanceNormalization (x, c, c)")],
    "LRN": [(7, 12, "y = LRN <size = 3> (x)")],
    "CumSum": [(11, 13, "y = CumSum (x, axis)")],
    "DFT": [(17, 19, "y = DFT (complex)"), (17, 19, "y = DFT <axis = 2> (complex)")],
    "DepthToSpace": [(7, 12, "y = DepthToSpace <blocksize = 2> (x)")],
    "SpaceToDepth": [(7, 12, "y = SpaceToDepth <blocksize = 2> (x)")],
    "DequantizeLinear": [(10, 24, "y = DequantizeLinear (q, scale, zero)")],
    "QuantizeLinear": [(10, 24, "y = QuantizeLinear (x, scale, zero)")],
    "Dropout": [(7, 21, "y = Dropout (x)"), (7, 11, "y = Dropout <ratio = 0.3> (x)")],
    "Expand": [(8, 12, "s = Shape (x)\n y = Expand (c4, s)")],
    "GRU": [(7, 21, "y, h = GRU <hidden_size = 4> (t, gw, gr)")],
    "LSTM": [(7, 21, "y, h = LSTM <hidden_size = 4> (t, lw, lr)")],
    "RNN": [(7, 21, "y, h = RNN <hidden_size = 4> (t, rw, rr)")],
    "Gather": [(7, 12, "y = Gather <axis = 1> (x, i)")],
    "GatherElements": [(11, 12, "y = GatherElements <axis = 3> (x, ie)")],
    "GatherND": [(11, 12, "y = GatherND (x, nd)")],
    "Gemm": [(7, 12, "a = Flatten (x)\n y = Gemm <transB = 1, alpha = 0.5> (a, a, k1)")],
    "GridSample": [(16, 21, "y = GridSample <mode = \"bilinear\"> (x, grid)"), (16, 21, "y = GridSample (x, grid)"),
                   (16, 19, "y = GridSample <mode = \"bicubic\"> (x, grid)")],
    "LayerNormalization": [(7, 16, "y = LayerNormalization <axis = 1> (x, x, x)"),
                           (7, 16, "y = LayerNormalization <axis = 1, epsilon = 0.1> (x, x)")],
    "LpNormalization": [(7, 21, "y = LpNormalization (x)")],
    "MaxRoiPool": [(7, 21, "y = MaxRoiPool <pooled_shape = [2, 2]> (x, rois5)")],
    "Mod": [(10, 12, "y = Mod <fmod = 1> (x, k1)")],
    "NonMaxSuppression": [(10, 10, "y = NonMaxSuppression (boxes, scores)")],
    "OneHot": [(9, 10, "y = OneHot (i, depth, values)")],
    "Pad": [(7, 10, "y = Pad <pads = [0, 0, 1, 1, 0, 0, 1, 1], value = 2.0> (x)"),
            (7, 10, "y = Pad <mode = \"reflect\", pads = [0, 0, 1, 1, 0, 0, 2, 1]> (x)"),
            (11, 24, "y = Pad (x, pads)")],
    "QLinearMatMul": [(10, 20, "y = QLinearMatMul (q, scale, zero, q, scale, zero, scale, zero)")],
    "Reshape": [(7, 24, "y = Reshape (x, shape)")],
    "Resize": [(10, 10, "y = Resize <mode = \"nearest\"> (x, up)"), (10, 10, "y = Resize <mode = \"linear\"> (x, up)"),
               (11, 18, "y = Resize <mode = \"linear\"> (x, none, up)"),
               (11, 18, "y = Resize <mode = \"cubic\"> (x, none, up)")],
    "Upsample": [(7, 8, "y = Upsample <mode = \"nearest\", scales = [1.0, 1.0, 2.0, 1.7]> (x)"),
                 (7, 8, "y = Upsample <mode = \"linear\", scales = [1.0, 1.0, 2.0, 1.7]> (x)"),
                 (9, 9, "y = Upsample <mode = \"nearest\"> (x, up)"), (9, 9, "y = Upsample <mode = \"linear\"> (x, up)")],
    "RoiAlign": [(10, 21, "y = RoiAlign <output_height = 2, output_width = 2> (x, rois, batch)")],
    "Scatter": [(9, 10, "y = Scatter <axis = 3> (x, ie, e)")],
    "ScatterElements": [(11, 17, "y = ScatterElements <axis = 3> (x, ie, e)")],
    "ScatterND": [(11, 17, "y = ScatterND (x, nd, nde)")],
    "Slice": [(7, 9, "y = Slice <starts = [1, 2], ends = [3, 1000]> (x)"),
              (7, 9, "y = Slice <axes = [2, 3], starts = [1, -3], ends = [3, -1]> (x)"),
              (10, 12, "y = Slice (x, lo, hi)")],
    "Softmax": [(7, 12, "y = Softmax <axis = 3> (x)"), (7, 12, "a = Flatten (x)\n y = Softmax (a)"),
                (7, 12, "a = GlobalAveragePool (x)\n b = Add (a, c1) \n y = Softmax (b)")],
    "Split": [(7, 12, "y, z = Split <axis = 1> (x)"), (7, 12, "y, z = Split <axis = 2, split = [3, 5]> (x)"),
              (13, 17, "y, z = Split <axis = 1> (x)")],
    "SplitToSequence": [(11, 23, "s = SplitToSequence <axis = 1> (x)\n y = ConcatFromSequence <axis = 1> (s)")],
    "Squeeze": [(7, 24, "y = Squeeze (x1)"), (7, 12, "y = Squeeze <axes = [0]> (x)")],
    "Unsqueeze": [(7, 12, "y = Unsqueeze <axes = [0, 3]> (x)"), (13, 24, "y = Unsqueeze (x, axes)")],
    "Tile": [(7, 12, "y = Tile (x, reps)")],
    "TopK": [(7, 9, "y, z = TopK <k = 3> (x)"), (7, 9, "y, z = TopK <axis = 1, k = 1> (x)"),
             (10, 23, "y, z = TopK (x, k3)")],
    "Where": [(9, 15, "b = Cast <to = 9> (x)\n y = Where (b, x, k1)")],
    "If": [(11, 24, "y = If <then_branch = g1 () => (float[1] o) {o = Abs (k1)}, "
                    "else_branch = g2 () => (float[1] o) {o = Neg (k1)}> (true)")],
    "NegativeLogLikelihoodLoss": [(12, 21, "a = Flatten (x)\n y = NegativeLogLikelihoodLoss (a, label)")],
    "SoftmaxCrossEntropyLoss": [(12, 12, "a = Flatten (x)\n y = SoftmaxCrossEntropyLoss (a, label)")],
    "OptionalHasElement": [(15, 17, "o = Optional (x)\n y = OptionalHasElement (o)")],
    "OptionalGetElement": [(15, 17, "o = Optional (x)\n y = OptionalGetElement (o)")],
}
BODIES["LogSoftmax"] = BODIES["Hardmax"] = [(7, 12, "y = {op} <axis = -1> (x)"), (7, 12, "a = Flatten (x)\n y = {op} (a)")]
for op in "ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSumSquare".split():
    BODIES[op] = [(7, 17, f"y = {op} <axes = [1, -1], keepdims = 0> (x)")]
BODIES["ReduceSum"] = [(7, 12, "y = ReduceSum <axes = [1, 2]> (x)")]

# Not raised, since the newer version computes something else: first opset, last opset, body, the
# reason.
BLOCKED = [
    (11, 13, "y = Softmax (x)", "its axis is not the last one"),
    (7, 13, "y = LogSoftmax <axis = 2> (x)", "its axis is not the last one"),
    (10, 11, "y = Resize (x, down)", "its scales are not known to be at least 1"),
    (10, 16, "y = RoiAlign <output_height = 2, output_width = 2, mode = \"max\"> (x, rois, batch)", "'mode' is 'max'"),
    (18, 21, "y = GroupNormalization <num_groups = 2> (x, g2, g2)", "it is not known whether version 21"),
    (9, 14, "y, o1, o2 = BatchNormalization (x, c, c, c, c)", "its output 1 is used"),
    (11, 19, "y = AveragePool <kernel_shape = [3, 3], ceil_mode = 1> (x)", "'ceil_mode' is '1'"),
    (7, 10, "y, z = Dropout (x)", "its output 1 is used"),
    (11, 27, "y = Abs (x)", "give at most"),
    (13, 12, "y = Abs (x)", "it can only be raised"),
]
# Loops and functions: the result stays the same, and every scope is raised.
SCOPES = [
    (11, 13, """<ir_version: 8, opset_import: ["": 11, "own": 1]> agraph (float[1,4,8,8] x) => (y)
{ a = own.Norm (x) y = Squeeze <axes = [0]> (a) }
<opset_import: ["": 11], domain: "own"> Norm (a) => (b) { s = ReduceSum <axes = [1], keepdims = 1> (a) b = Div (a, s) }"""),
    (11, 21, """<ir_version: 8, opset_import: ["": 11]> agraph (float[4] x, int64 n, bool go) => (y)
{ y = Loop (n, go, x) <body = g (int64 i, bool on, float[4] v) => (bool on2, float[4] w)
  { on2 = Identity (on) u = Unsqueeze <axes = [0]> (v) r = ReduceSum <axes = [0], keepdims = 0> (u) w = Clip (r) } > }"""),
]


def inputs():
    """Returns name -> array. A model gets only those that its body names."""
    random = numpy.random.default_rng(3)
    def floats(*shape):
        return (random.random(shape) * 0.8 + 0.1).astype(numpy.float32)
    def array(kind, *values):
        return numpy.array(values, kind)
    return {
        "x": floats(1, 4, 8, 8), "x1": floats(1, 4, 1, 8), "x5": floats(5, 5), "g2": floats(2), "down": array("float32", 1, 1, 0.5, 0.5), "b2": floats(1, 4, 8, 8),
        "c": floats(4), "c1": floats(4, 1, 1), "c4": floats(4, 1, 1), "k1": floats(1), "w": floats(4, 4, 3, 3),
        "i": array("int64", 1, 0, 2), "m": array("bool", True, False, True, False),
        "axis": numpy.array(2, "int64"), "complex": floats(1, 8, 4, 2), "q": random.integers(0, 255, (8, 8)).astype("uint8"),
        "scale": numpy.array(0.05, "float32"), "zero": numpy.array(3, "uint8"), "t": floats(5, 2, 3),
        "gw": floats(1, 12, 3), "gr": floats(1, 12, 4), "lw": floats(1, 16, 3), "lr": floats(1, 16, 4),
        "rw": floats(1, 4, 3), "rr": floats(1, 4, 4), "ie": numpy.zeros((1, 4, 8, 1), "int64"),
        "e": floats(1, 4, 8, 1), "nd": numpy.array([[0, 1], [0, 3]], "int64"), "nde": floats(2, 8, 8),
        "grid": floats(1, 3, 3, 2), "rois5": array("float32", [0, 0, 0, 4, 4]), "rois": array("float32", [0, 0, 5, 6]),
        "batch": array("int64", 0), "boxes": floats(1, 6, 4), "scores": floats(1, 1, 6),
        "depth": array("int64", 4), "values": array("float32", 0, 1), "pads": array("int64", 0, 0, 1, 1, 0, 0, 1, 1),
        "shape": array("int64", 4, -1), "up": array("float32", 1, 1, 2, 1.7), "none": numpy.zeros((0,), "float32"),
        "lo": array("int64", 0, 1), "hi": array("int64", 1, 3), "axes": array("int64", 0, 3),
        "reps": array("int64", 1, 2, 1, 3), "k3": array("int64", 3), "true": numpy.array(True),
        "label": array("int64", 7),
    }


# Initializers rather than inputs: a step may depend on their elements.
CONSTANTS = {"up", "down", "none", "shape", "pads", "lo", "hi", "axes", "reps", "k3", "depth"}


def names_in(body):
    for sign in "()<>=,{}[]\n":
        body = body.replace(sign, " ")
    return set(body.split())


def model_of(body, opset, arrays):
    used = [name for name in arrays if name in names_in(body)]
    types = {"float32": 1, "uint8": 2, "int64": 7, "bool": 9}
    text = (f'<ir_version: 8, opset_import: ["": {opset}]> agraph () => ()\n{{\n{body}\n}}')
    model = onnx.parser.parse_model(text)
    for name in used:
        array = arrays[name]
        if name in CONSTANTS:
            model.graph.initializer.append(onnx.numpy_helper.from_array(array, name))
        else:
            model.graph.input.append(onnx.helper.make_tensor_value_info(name, types[str(array.dtype)], array.shape))
    last = model.graph.node[-1]
    for name in last.output:
        model.graph.output.append(onnx.ValueInfoProto(name=name))
    model = onnx.shape_inference.infer_shapes(model)
    return model, {name: arrays[name] for name in used if name not in CONSTANTS}


def run(path, feeds):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return session.run(None, feeds)


def differ(before, after):
    for first, second in zip(before, after):
        first, second = numpy.asarray(first), numpy.asarray(second)
        if first.shape != second.shape or first.dtype != second.dtype:
            return f"{first.dtype}{first.shape} becomes {second.dtype}{second.shape}"
        if first.dtype.kind == "f" and not numpy.allclose(first, second, rtol=1e-5, atol=1e-6, equal_nan=True):
            return f"off by {numpy.max(numpy.abs(first - second))}"
        if first.dtype.kind != "f" and not (first == second).all():
            return "other numbers"
    return ""


def bodies_of(op, before):
    found = [body.replace("{op}", op) for first, last, body in BODIES.get(op, ()) if first <= before <= last]
    if op in UNARY:
        found.append(f"y = {op} ({SQUARE.get(op, 'x')})")
    if op in BINARY:
        found.append(f"y = {op} (x, {'c1' if op == 'PRelu' else 'b2'})")
    return found


class Steps:
    def __init__(self, opledger, folder, every):
        self.opledger, self.folder, self.every = opledger, folder, every
        self.arrays = inputs()
        self.same, self.problems, self.not_run = 0, [], []

    def raised(self, source, target, opset):
        done = subprocess.run([self.opledger, "convert", source, "-o", target, "--opset", str(opset), "--exclude", ".*",
                               "--unlisted", "ignore"], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def step(self, op, body, before, after):
        name = f"{op} {before}->{after}: {body!r}"
        source, target = self.folder / "before.onnx", self.folder / "after.onnx"
        target.unlink(missing_ok=True)
        try:
            model, feeds = model_of(body, before, self.arrays)
            onnx.save(model, source)
            onnx.checker.check_model(str(source))
            expected = run(source, feeds)
        except Exception as error:  # the runtime raises many types
            self.not_run.append(f"{name}: {str(error).splitlines()[0][:120]}")
            return
        status, said = self.raised(source, target, after)
        if status != 0:
            self.problems.append(f"{name}: {said.strip()}")
            return
        try:
            # onnx's own shape inference fails on the function that defines MeanVarianceNormalization 13.
            onnx.checker.check_model(str(target), full_check=op != "MeanVarianceNormalization")
            problem = differ(expected, run(target, feeds))
        except Exception as error:
            problem = str(error).splitlines()[0][:200]
            if "NOT_IMPLEMENTED" in problem:
                self.not_run.append(f"{name}: {problem[:120]}")
                return
        if problem:
            self.problems.append(f"{name}: {problem}")
        else:
            self.same += 1

    def blocked(self, before, after, body, reason):
        source, target = self.folder / "before.onnx", self.folder / "after.onnx"
        target.unlink(missing_ok=True)
        onnx.save(model_of(body, before, self.arrays)[0], source)
        status, said = self.raised(source, target, after)
        if status != 2 or reason not in said or target.exists():
            self.problems.append(f"{body!r} {before}->{after} is not refused for {reason!r}: {said}")

    def scopes(self, before, after, text):
        source, target = self.folder / "before.onnx", self.folder / "after.onnx"
        model = onnx.shape_inference.infer_shapes(onnx.parser.parse_model(text))
        model.graph.output[0].CopyFrom(onnx.ValueInfoProto(name="y"))
        onnx.save(model, source)
        feeds = {each.name: self.arrays["c"] if each.name == "x" and before == 11 and after == 21 else self.arrays["x"]
                 for each in model.graph.input}
        if "n" in feeds:
            feeds.update(n=numpy.array(3, "int64"), go=numpy.array(True))
        status, said = self.raised(source, target, after)
        if status != 0:
            self.problems.append(f"{text!r}: {said}")
            return
        made = onnx.load(target)
        versions = {each.version for holder in [made, *made.functions] for each in holder.opset_import if not each.domain}
        problem = differ(run(source, feeds), run(target, feeds)) or ("" if versions == {after} else f"opsets {versions}")
        if problem:
            self.problems.append(f"{text!r}: {problem}")

    def all(self):
        uncovered = []
        for op, steps in list(json.loads(STEPS.read_text())["operators"].items())[::self.every]:
            versions = sorted(map(int, steps))
            for index, after in enumerate(versions):
                before = max(after - 1, 7) if index == 0 else max(versions[index - 1], 7)
                bodies = bodies_of(op, before)
                if not bodies:
                    uncovered.append(f"{op} {after}")
                for body in bodies:
                    self.step(op, body, before, after)
                    if index == 0 or after == versions[-1]:
                        self.step(op, body, before, max(after, min(versions[-1], NEWEST_OF_RUNTIME)))
        for case in BLOCKED:
            self.blocked(*case)
        for case in SCOPES:
            self.scopes(*case)
        return uncovered


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--every", type=int, default=1, help="only each Nth operator")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    if onnx is None:
        peers.require(arguments.bin, "onnx", "onnxruntime")
    with tempfile.TemporaryDirectory() as folder:
        steps = Steps(arguments.bin / "opledger", pathlib.Path(folder), arguments.every)
        uncovered = steps.all()
    if arguments.verbose:
        print("\n".join(["not run:", *steps.not_run, "no body:", *uncovered]))
    print("\n".join(steps.problems))
    print(f"{steps.same} steps compute the same, {len(steps.problems)} do not, {len(steps.not_run)} not run by ONNX "
          f"Runtime, {len(uncovered)} versions without a model")
    few = steps.same < 0.9 * (steps.same + len(steps.not_run))
    return 1 if steps.problems or few else 0


if __name__ == "__main__":
    sys.exit(main())
