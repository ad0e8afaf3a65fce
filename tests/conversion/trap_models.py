"""Models that each reproduce one mistake of converters to 16 bits. TRAPS is the table; `numbers`
are the edge cases that a model covers, as numbered in EDGE_CASES of traps_test.py.
"""
# SPDX-License-Identifier: Apache-2.0

import dataclasses
import zlib

import numpy
import onnx
import onnx.helper
import onnx.numpy_helper
import onnx.parser

LOWEST = -3.4028234663852886e38


@dataclasses.dataclass
class Trap:
    name: str
    numbers: tuple
    inputs: str  # as onnx.parser reads them: "float[4,8] x"
    outputs: str
    body: str  # nodes
    weights: dict = dataclasses.field(default_factory=dict)
    feeds: dict = dataclasses.field(default_factory=dict)  # inputs that are not random
    arguments: tuple = ()  # of the converter
    opset: int = 17
    low: tuple = ("float16", "bfloat16")  # the types to which some node has to be converted
    external: bool = False
    random: bool = False  # the outputs are random: only their types and shapes count
    functions: str = ""
    imports: str = ""  # further domains: ', "local" : 1'
    keep: tuple = ()  # operators that must not run low
    runs_low: tuple = ()  # operators of which at least one node must run low
    error: float = 0.05  # relative to the output's range

    def rng(self):
        return numpy.random.default_rng(zlib.crc32(self.name.encode()))

    def model(self):
        text = (f'<ir_version: 8, opset_import: ["" : {self.opset}{self.imports}]>\n'
                f"{self.name.replace('-', '_')} ({self.inputs}) => ({self.outputs})\n"
                f"{{\n{self.body}\n}}\n{self.functions}")
        model = onnx.parser.parse_model(text)
        rng = self.rng()
        for name, value in self.weights.items():
            if isinstance(value, tuple):  # a shape: random elements, small enough for sums
                value = rng.standard_normal(value, numpy.float32) / numpy.sqrt(value[0])
            array = numpy.asarray(value)
            if array.dtype == numpy.float64 and name[0] != "d":
                array = array.astype(numpy.float32)
            model.graph.initializer.append(onnx.numpy_helper.from_array(array, name))
        return model

    def feed(self, model):
        rng = self.rng()
        feeds = {}
        known = {each.name for each in model.graph.initializer}
        for each in model.graph.input:
            if each.name in known:
                continue
            shape = [dim.dim_value or 4 for dim in each.type.tensor_type.shape.dim]
            dtype = onnx.helper.tensor_dtype_to_np_dtype(each.type.tensor_type.elem_type)
            if each.name in self.feeds:
                feeds[each.name] = numpy.asarray(self.feeds[each.name], dtype).reshape(shape)
            elif numpy.issubdtype(dtype, numpy.floating):
                feeds[each.name] = rng.standard_normal(shape).astype(dtype)
            elif dtype == bool:
                feeds[each.name] = rng.integers(0, 2, shape).astype(bool)
            else:
                feeds[each.name] = rng.integers(0, 3, shape).astype(dtype)
        return feeds


SQUARE = {"W": (8, 8)}
TWO = {"W": (8, 8), "V": (8, 8)}
# Self-attention of one head over 8 tokens: Q K' / sqrt(8) + mask -> Softmax -> V.
SCORES = ("q = MatMul(x, W) k = MatMul(x, V) kt = Transpose<perm = [0, 2, 1]>(k)\n"
          "qk = MatMul(q, kt) eight = Constant<value_float = 2.83>() scores = Div(qk, eight)")
CONTEXT = "p = Softmax<axis = -1>(masked) y = MatMul(p, x)"
# Of 4 sequences, the first is full, the third has one token, the last none.
LENGTHS = numpy.array([8, 5, 1, 0])
MASK = (numpy.arange(8) < LENGTHS[:, None]).astype(numpy.float32)[:, None, :]
NORM = ("mean = ReduceMean<axes = [-1]>({0}) centred = Sub({0}, mean)\n"
        "square = Pow(centred, two) variance = ReduceMean<axes = [-1]>(square)\n"
        "shifted = Add(variance, eps) deviation = Sqrt(shifted)\n"
        "normal = Div(centred, deviation)")

TRAPS = [
    Trap("shared-initializer", (1, 40), "float[4,8] x", "float[4,8] y",
         "[one] a = MatMul(x, W) [blocked] b = MatMul(a, W) [three] c = MatMul(b, W)\n"
         "y = Mul(c, W2)", {"W": (8, 8), "W2": (4, 8)}, arguments=("--exclude", "^blocked$")),
    Trap("blocked-last", (2,), "float[4,8] x", "float[4,8] y",
         "a = MatMul(x, W) y = Softmax(a)", SQUARE, keep=("Softmax",)),
    Trap("blocked-pair-overflows", (3,), "float[4,8] x", "float[4,1] y, float[8] z",
         "a = MatMul(x, W) h = Mul(a, thousand) p = Pow(h, two)\n"
         "y = ReduceMean<axes = [1]>(p) z = ReduceMean<axes = [0], keepdims = 0>(p)",
         {"W": (8, 8), "thousand": 1000.0, "two": 2.0}, keep=("Pow", "ReduceMean")),
    Trap("casts-of-its-own", (4, 45), "float[4,8] x", "float[4,8] y",
         "a = MatMul(x, W) b = Cast<to = 10>(a) c = Relu(b) d = Cast<to = 1>(c) y = MatMul(d, W)",
         SQUARE),
    Trap("cast-of-integers", (5, 38), "int64[4,8] mask, float[4,8] x", "float[4,8] y",
         "m = Cast<to = 1>(mask) one = Constant<value_float = 1.0>() n = Sub(one, m)\n"
         "a = MatMul(x, W) b = Mul(a, n) c = MatMul(b, W) y = Mul(c, m)", SQUARE),
    Trap("float64-and-integers-blocked", (6,), "double[4,8] d, int64[4,8] i, float[4,8] x",
         "double[4,8] e, int64[4,8] j, float[4,8] y",
         "e = Pow(d, dtwo) j = Pow(i, itwo) a = MatMul(x, W) b = Cast<to = 11>(a)\n"
         "c = Add(b, e) f = Cast<to = 1>(c) y = MatMul(f, W)",
         {**SQUARE, "dtwo": numpy.float64(2), "itwo": numpy.int64(2)}),
    Trap("branch-captures-input", (7,), "bool c, float[4,8] x", "float[4,8] y",
         "h = MatMul(x, W)\n"
         "y = If (c) <then_branch = t () => (float[4,8] ty) { ty = Gemm(x, V) },\n"
         " else_branch = e () => (float[4,8] ey) { ey = Add(h, x) }>", TWO),
    Trap("branches-nested", (7,), "bool c, bool d, float[4,8] x", "float[4,8] y",
         "h = MatMul(x, W)\n"
         "z = If (c) <then_branch = t () => (float[4,8] ty) {\n"
         "  k = MatMul(h, V)\n"
         "  ty = If (d) <then_branch = tt () => (float[4,8] tty) { tty = MatMul(k, V) },\n"
         "   else_branch = te () => (float[4,8] tey) { tey = Softmax(k) }> },\n"
         " else_branch = e () => (float[4,8] ey) { ey = Exp(h) }>\n"
         "y = MatMul(z, W)", TWO, feeds={"c": True, "d": True}),
    Trap("resize-in-branch", (7, 23), "bool c, float[1,2,4,4] x", "float[1,2,8,8] y",
         "h = Conv<kernel_shape = [1, 1]>(x, K)\n"
         "y = If (c) <then_branch = t () => (float[1,2,8,8] ty) {\n"
         "  s = Constant<value_floats = [1.0, 1.0, 2.0, 2.0]>() ty = Resize(h, , s) },\n"
         " else_branch = e () => (float[1,2,8,8] ey) { ey = Resize(x, , scales) }>",
         {"K": (2, 2, 1, 1), "scales": numpy.float32([1, 1, 2, 2])}, feeds={"c": True},
         low=("float16",)),
    Trap("loop-carries-float", (8,), "float[4,8] x", "float[4,8] y, float[3,4,8] all",
         "three = Constant<value_int = 3>() yes = Constant<value = bool {1}>()\n"
         "y, all = Loop (three, yes, x) <body = b (int64 i, bool cond, float[4,8] h)\n"
         "  => (bool next, float[4,8] out, float[4,8] scan) {\n"
         "  next = Identity(cond) out = MatMul(h, W) scan = Tanh(out) }>", SQUARE),
    Trap("scan-carries-float", (8,), "float[4] x, float[3,4] xs", "float[4] y, float[3,4] ys",
         "y, ys = Scan (x, xs) <num_scan_inputs = 1, body = b (float[4] s, float[4] v)\n"
         "  => (float[4] out, float[4] each) {\n"
         "  a = MatMul(v, W4) out = Add(s, a) each = Exp(a) }>", {"W4": (4, 4)}),
    Trap("same-names-in-branches", (9, 10), "bool c, float[4,8] x", "float[4,8] y",
         "h = MatMul(x, W)\n"
         "y = If (c) <then_branch = t () => (float[4,8] ty)\n"
         "  <float[1] w = {2.0}> { [n] a = Mul(h, w) ty = MatMul(a, W) },\n"
         " else_branch = e () => (float[4,8] ey)\n"
         "  <float[1] w = {100000.0}> { [n] a = Mul(x, w) ey = Exp(a) }>", SQUARE,
         feeds={"c": True}),
    Trap("unnamed-nodes", (11,), "float[4,8] x", "float[4,8] y, float[4,8] z",
         "a = MatMul(x, W) b = Exp(a) c = MatMul(b, W) d = Exp(c) y = MatMul(d, W)\n"
         "a__float32 = Relu(x) z = MatMul(a__float32, W)", SQUARE),
    Trap("large-weight", (12,), "float[4,8] x", "float[4,8] y",
         "a = MatMul(x, W) b = Mul(a, large) c = Mul(b, small) y = MatMul(c, W)",
         {**SQUARE, "large": 1e5, "small": 1e-5}),
    Trap("tiny-and-infinite-weights", (13,), "float[4,8] x", "float[4,8] y, float[4,8] z",
         "a = MatMul(x, W) b = Add(a, tiny) y = MatMul(b, W) z = Min(b, bounds)",
         {**SQUARE, "tiny": -1e-9, "bounds": numpy.float32([-numpy.inf, numpy.inf] * 4)}),
    Trap("epsilon-of-a-norm", (14,), "float[4,8] x", "float[4,8] y",
         "a = MatMul(x, W)\n" + NORM.format("a") + "\ny = MatMul(normal, W)",
         {**SQUARE, "two": 2.0, "eps": 1e-12}, feeds={"x": numpy.zeros((4, 8))}),
    Trap("epsilon-of-a-division", (14,), "float[4,8] x", "float[4,8] y",
         "a = MatMul(x, W) r = Relu(a) s = ReduceSum(r, axes) t = Add(s, eps) b = Div(r, t)\n"
         "y = MatMul(b, W)", {**SQUARE, "axes": numpy.int64([1]), "eps": 1e-12},
         feeds={"x": numpy.vstack([numpy.zeros((2, 8)), numpy.ones((2, 8))])}),
    Trap("epsilon-of-a-maximum", (14,), "float[4,8] x", "float[4,8] y",
         "a = MatMul(x, W) n = ReduceL2<axes = [1]>(a) m = Max(n, eps) b = Div(a, m)\n"
         "y = MatMul(b, W)", {**SQUARE, "eps": 1e-12},
         feeds={"x": numpy.vstack([numpy.zeros((2, 8)), numpy.ones((2, 8))])}),
    Trap("epsilon-before-order", (14,), "float[4,8] x", "float[4,8] y",
         "a = MatMul(x, W) q = Abs(a) s = Add(q, eps) r = Relu(s) m = ReduceMax<axes = [1]>(r)\n"
         "t = Tanh(m) y = Div(q, t)", {**SQUARE, "eps": 1e-8},
         feeds={"x": numpy.vstack([numpy.zeros((2, 8)), numpy.ones((2, 8))])}),
    Trap("epsilon-in-a-mean", (14,), "float[4,8] x", "float[4,8] y",
         "a = MatMul(x, W) q = Abs(a) s = Mean(q, eps) y = Div(q, s)", {**SQUARE, "eps": 1e-8},
         feeds={"x": numpy.vstack([numpy.zeros((2, 8)), numpy.ones((2, 8))])}),
    Trap("epsilon-across-calls", (14, 27), "float[4,8] x", "float[4,8] y, float[4,8] z",
         "a = MatMul(x, W) y = local.divide(a, eps) r = local.guard(a) z = Div(a, r)",
         {**SQUARE, "eps": 1e-8}, imports=', "local" : 1',
         feeds={"x": numpy.vstack([numpy.zeros((2, 8)), numpy.ones((2, 8))])},
         functions='<domain: "local", opset_import: ["" : 17]> divide (a, e) => (o) '
                   "{ q = Abs(a) r = Add(q, e) o = Div(a, r) }\n"
                   '<domain: "local", opset_import: ["" : 17]> guard (a) => (o) '
                   "{ e = Constant<value_float = 0.00000001>() q = Abs(a) o = Max(q, e) }"),
    Trap("mask-added", (15,), "float[4,8,8] x, float[4,1,8] m", "float[4,8,8] y",
         SCORES + " one = Constant<value_float = 1.0>() n = Sub(one, m)\n"
         "bias = Mul(n, lowest) masked = Add(scores, bias)\n" + CONTEXT,
         {**TWO, "lowest": LOWEST}, feeds={"m": MASK}),
    Trap("mask-added-billion", (15,), "float[4,8,8] x, float[4,1,8] m", "float[4,8,8] y",
         SCORES + " one = Constant<value_float = 1.0>() n = Sub(one, m)\n"
         "bias = Mul(n, lowest) masked = Add(scores, bias)\n" + CONTEXT,
         {**TWO, "lowest": -1e9}, feeds={"m": MASK}),
    *[Trap(f"mask-added-{name}", (15,), "float[4,8,8] x, float[4,1,8] m", "float[4,8,8] y",
           SCORES + f" one = Constant<value_float = 1.0>() n = Sub({difference})\n"
           "bias = Mul(n, factor) masked = Add(scores, bias)\n" + CONTEXT,
           {**TWO, "factor": factor}, feeds={"m": MASK},
           arguments=("--target-ops", "Softmax"), keep=("Softmax", "Add"))
      for name, difference, factor in (
          ("ten-thousand", "one, m", -1e4), ("from-below", "m, one", 1e4),
          ("from-far-below", "m, one", -LOWEST), ("thousands", "one, m", -2048.0))],
    Trap("mask-subtracted", (15,), "float[4,8,8] x, float[4,1,8] m", "float[4,8,8] y",
         SCORES + " one = Constant<value_float = 1.0>() n = Sub(one, m)\n"
         "bias = Mul(n, factor) masked = Sub(scores, bias)\n" + CONTEXT,
         {**TWO, "factor": 1e4}, feeds={"m": MASK},
         arguments=("--target-ops", "Softmax"), keep=("Softmax",)),
    Trap("mask-of-chosen-constants", (15,), "float[4,8,8] x, bool[4,1,8] m", "float[4,8,8] y",
         SCORES + " none = Constant<value_float = 0.0>() bias = Where(m, none, lowest)\n"
         "masked = Add(scores, bias)\n" + CONTEXT,
         {**TWO, "lowest": -1e4}, feeds={"m": MASK},
         arguments=("--target-ops", "Softmax"), keep=("Softmax",)),
    *[Trap(f"mask-chosen-by-{name}", (15,), "float[4,8,8] x", "float[4,8,8] y",
           SCORES + f" masked = Where({choice})\n" + CONTEXT,
           {**TWO, "lowest": LOWEST, "open": condition},
           arguments=("--target-ops", "Softmax,Where"), **what)
      for name, choice, condition, what in (
          ("a-constant", "open, scores, lowest", numpy.tri(8, dtype=bool),
           {"runs_low": ("Softmax", "Where")}),
          ("its-opposite", "open, lowest, scores", numpy.triu(numpy.ones((8, 8), bool), 1),
           {"runs_low": ("Softmax", "Where")}),
          ("a-constant-with-a-closed-row", "open, scores, lowest", numpy.tri(8, k=-1, dtype=bool),
           {"keep": ("Softmax", "Where")}),
          ("one-for-the-row", "open, scores, lowest", numpy.arange(8)[:, None] > 2,
           {"keep": ("Softmax", "Where")}))],
    Trap("mask-chosen", (15,), "float[4,8,8] x, bool[4,1,8] m", "float[4,8,8] y",
         SCORES + " masked = Where(m, scores, lowest)\n" + CONTEXT, {**TWO, "lowest": LOWEST},
         feeds={"m": MASK}),
    Trap("mask-near-the-end", (15,), "float[4,8,8] x, float[4,1,8] m", "float[4,8,8] y",
         SCORES + " one = Constant<value_float = 1.0>() n = Sub(one, m)\n"
         "bias = Mul(n, lowest) low = Sub(bias, hundred) masked = Add(scores, low)\n" + CONTEXT,
         {**TWO, "lowest": -65504.0, "hundred": 100.0}, feeds={"m": MASK}),
    Trap("mask-causal", (15,), "float[4,8,8] x", "float[4,8,8] y",
         SCORES + " masked = Add(scores, causal)\n" + CONTEXT,
         {**TWO, "causal": numpy.triu(numpy.full((8, 8), LOWEST, numpy.float32), 1)}),
    Trap("mask-of-low-softmax", (15,), "float[4,8,8] x, bool[4,1,8] m", "float[4,8,8] y",
         SCORES + " masked = Where(m, scores, lowest)\n" + CONTEXT, {**TWO, "lowest": LOWEST},
         feeds={"m": MASK}, arguments=("--target-ops", "Softmax,Where"), keep=("Softmax", "Where")),
    Trap("mask-of-float32-nodes", (15,), "float[4,8,8] x, float[4,1,8] m", "float[4,8,8] y",
         SCORES + " one = Constant<value_float = 1.0>() n = Sub(one, m)\n"
         "bias = Mul(n, lowest) wide = Unsqueeze(bias, axes) narrow = Squeeze(wide, axes)\n"
         "masked = Add(scores, narrow)\n" + CONTEXT,
         {**TWO, "lowest": LOWEST, "axes": numpy.int64([1])}, feeds={"m": MASK},
         arguments=("--target-ops", "Softmax", "--fp32-ops", "Mul"), keep=("Softmax",)),
    Trap("mask-proven", (15,), "float[4,8,8] x", "float[4,8,8] y",
         SCORES + " masked = Add(scores, causal)\n" + CONTEXT,
         {**TWO, "causal": numpy.triu(numpy.full((8, 8), LOWEST, numpy.float32), 1)},
         arguments=("--target-ops", "Softmax"), runs_low=("Softmax", "Add")),
    Trap("mask-proven-then-masked", (15,), "float[4,8,8] x, float[4,1,8] m", "float[4,8,8] y",
         SCORES + " one = Constant<value_float = 1.0>() n = Sub(one, m) bias = Mul(n, lowest)\n"
         "once = Add(scores, causal) masked = Add(once, bias)\n" + CONTEXT,
         {**TWO, "lowest": LOWEST,
          "causal": numpy.triu(numpy.full((8, 8), LOWEST, numpy.float32), 1)},
         feeds={"m": numpy.ones((4, 1, 8))}, arguments=("--target-ops", "Softmax"),
         keep=("Softmax",)),
    # Decided by values, not by a pattern of nodes: tests/conversion/values has whole families of
    # these.
    Trap("epsilon-of-a-product", (14,), "float[4,8] x", "float[4,8] y",
         "a = MatMul(x, W) e = Mul(first, second) g = Abs(a) d = Add(g, e) n = Div(a, d) y = MatMul(n, W)",
         {**SQUARE, "first": 1e-5, "second": 1e-4},
         feeds={"x": numpy.vstack([numpy.zeros((2, 8)), numpy.ones((2, 8))])}),
    Trap("epsilon-before-a-dropout", (14,), "float[4,8] x", "float[4,8] y",
         "a = MatMul(x, W) g = Abs(a) s = Add(g, eps) d = Dropout(s) n = Div(a, d) y = MatMul(n, W)",
         {**SQUARE, "eps": 1e-9}, feeds={"x": numpy.vstack([numpy.zeros((2, 8)), numpy.ones((2, 8))])}),
    Trap("bound-below-one", (14,), "float[4,8] x", "float[4,8] y",
         "a = MatMul(x, W) b = Clip(a, zero, most) d = Sub(one, b) n = Log(d) y = MatMul(n, W)",
         {**SQUARE, "zero": 0.0, "one": 1.0, "most": 0.9999999}, feeds={"x": 4 * numpy.ones((4, 8))}),
    Trap("divisor-below-one", (14,), "float[4,8] x", "float[4,8] y",
         "a = MatMul(x, W) b = Clip(a, zero, most) d = Sub(one, b) n = Div(a, d) y = MatMul(n, W)",
         {**SQUARE, "zero": 0.0, "one": 1.0, "most": 0.9999}, feeds={"x": numpy.ones((4, 8))}),
    Trap("squares-of-audio", (12,), "float[1,1,4000] w", "float[1,20,N] y",
         "s = Mul(w, scale) a = Conv<strides = [160]>(s, kernel) p = Mul(a, a) m = MatMul(mel, p)\n"
         "c = Max(m, least) l = Log(c) y = Sub(l, mean)",
         {"scale": 32768.0, "kernel": numpy.ones((16, 1, 256)), "mel": numpy.full((20, 16), 0.05), "least": 1e-10,
          "mean": 15.0}, low=("bfloat16",)),
    Trap("offset-of-classes", (17,), "float[12,8] x, float[12,4] b", "float[12,4] y",
         "l = MatMul(x, W) c = ArgMax<axis = 1>(l) f = Cast<to = 1>(c) offset = Mul(f, size) m = MatMul(b, E)\n"
         "y = Add(m, offset)",
         {"W": (8, 80), "size": 7680.0, "E": numpy.eye(4)}, error=1e-4),
    Trap("size-times-a-factor", (17,), "float[1,2,301,303] x, float[2] k", "int64[2] y",
         "c = Conv<kernel_shape = [1, 1]>(x, K) sizes = Shape<start = 2>(c) f = Cast<to = 1>(sizes) s = Mul(f, k)\n"
         "whole = Floor(s) y = Cast<to = 7>(whole)",
         {"K": numpy.ones((2, 2, 1, 1))}, feeds={"x": numpy.ones((1, 2, 301, 303)), "k": numpy.float32([1.7, 1.3])}),
    Trap("float-timesteps", (18,), "float[3] t, float[3,16] x", "float[3,16] y",
         "u = Unsqueeze(t, last) a = MatMul(u, rates) s = Sin(a) c = Cos(a) e = Concat<axis = -1>(s, c)\n"
         "h = MatMul(e, V) q = MatMul(x, V) y = Add(h, q)",
         {"last": numpy.int64([1]), "rates": 10000.0 ** (-numpy.arange(8).reshape(1, 8) / 8), "V": (16, 16)},
         feeds={"t": numpy.float32([3, 777, 950]), "x": numpy.ones((3, 16))}),
    Trap("counter-of-floats", (18,), "float[4,8] x", "float[4,8] y, float count",
         "trips = Constant<value_int = 3000>() goes = Constant<value = bool {1}>()\n"
         "none = Constant<value_float = 0.0>()\n"
         "h, count = Loop<body = each (int64 i, bool on, float[4,8] state, float k) =>"
         " (bool again, float[4,8] next, float more) { again = Identity(on) one = Constant<value_float = 1.0>()"
         " more = Add(k, one) m = MatMul(state, W) next = Tanh(m) }>(trips, goes, x, none)\n"
         "y = MatMul(h, W)", {**SQUARE}, error=0.02),
    Trap("bounds-beyond", (12,), "float[4,8] x", "float[4,8] y",
         "a = MatMul(x, W) b = Clip(a, zero, most) c = Min(b, most) d = Max(c, lowest)\n"
         "y = MatMul(d, W)", {**SQUARE, "zero": 0.0, "most": -LOWEST, "lowest": LOWEST},
         runs_low=("Clip", "Min", "Max")),
    Trap("weights-that-vanish", (13,), "float[4,8] x", "float[4,8] y",
         "a = MatMul(x, W) b = Mul(a, small) c = Div(b, small) y = MatMul(c, W)",
         {**SQUARE, "small": 1e-9}),
    Trap("epsilon-of-a-root", (14, 16), "float[4,8] x", "float[4,8] y",
         "a = MatMul(x, W) square = Mul(a, a) mean = ReduceMean<axes = [-1]>(square)\n"
         "s = Add(mean, eps) root = Sqrt(s) b = Div(a, root) y = MatMul(b, W)",
         {**SQUARE, "eps": 1e-16}, feeds={"x": numpy.vstack([numpy.zeros((2, 8)),
                                                              numpy.ones((2, 8))])}),
    Trap("root-mean-square-overflows", (16,), "float[4,8] x", "float[4,8] y",
         "h = Mul(x, gain) a = MatMul(h, W) square = Mul(a, a)\n"
         "mean = ReduceMean<axes = [-1]>(square) s = Add(mean, eps) root = Sqrt(s)\n"
         "b = Div(a, root) y = MatMul(b, W)", {**SQUARE, "eps": 1e-5, "gain": 3000.0},
         arguments=("--target-ops", "Div")),
    Trap("positions-multiplied", (18,), "int64[1,512] i, float[512,8] x", "float[512,8] y",
         "p = Cast<to = 1>(i) far = Mul(p, eleven) angles = MatMul(rates, far)\n"
         "t = Transpose<perm = [1, 0]>(angles) c = Cos(t) a = MatMul(x, W) r = Mul(a, c)\n"
         "y = MatMul(r, W)",
         {**SQUARE, "rates": 10.0 ** -numpy.arange(8.0).reshape(8, 1), "eleven": 11.0},
         feeds={"i": numpy.arange(512)}),
    Trap("norm-overflows", (16,), "float[4,8] x", "float[4,8] y",
         "a = MatMul(x, W) b = Mul(a, gain)\n" + NORM.format("b") + "\ny = MatMul(normal, W)",
         {**SQUARE, "two": 2.0, "eps": 1e-5, "gain": 2000.0}, keep=("Pow", "Sqrt", "ReduceMean")),
    Trap("norm-by-multiplication", (16,), "float[4,8] x", "float[4,8] y",
         "a = MatMul(x, W) b = Mul(a, gain) mean = ReduceMean<axes = [-1]>(b) c = Sub(b, mean)\n"
         "square = Mul(c, c) variance = ReduceMean<axes = [-1]>(square) s = Add(variance, eps)\n"
         "d = Sqrt(s) n = Div(c, d) y = MatMul(n, W)",
         {**SQUARE, "eps": 1e-5, "gain": 2000.0}, keep=("Sqrt", "ReduceMean")),
    Trap("long-sums", (17,), "float[2,16384] x", "float[2,1] y, float[2,1] z, float[2,16384] u",
         "a = Abs(x) h = Mul(a, gain) f = Reshape(h, shape) g = MatMul(f, W) b = Reshape(g, back)\n"
         "y = ReduceSum(b, axes) z = ReduceMean<axes = [1]>(b) u = CumSum(b, one)",
         {**SQUARE, "gain": 20.0, "axes": numpy.int64([1]), "one": numpy.int64(1),
          "shape": numpy.int64([-1, 8]), "back": numpy.int64([2, 16384])},
         keep=("ReduceSum", "ReduceMean", "CumSum")),
    Trap("positions", (18, 19), "float[512,8] x", "float[512,8] y",
         "start = Constant<value_float = 0.0>() stop = Constant<value_float = 512.0>()\n"
         "step = Constant<value_float = 1.0>() p = Range(start, stop, step)\n"
         "column = Reshape(p, shape) angles = Mul(column, rates) c = Cos(angles)\n"
         "a = MatMul(x, W) r = Mul(a, c) y = MatMul(r, W)",
         {**SQUARE, "shape": numpy.int64([512, 1]), "rates": 10.0 ** -numpy.arange(8.0)}),
    Trap("positions-of-integers", (18,), "int64[512] i, float[512,8] x", "float[512,8] y",
         "p = Cast<to = 1>(i) column = Reshape(p, shape) angles = Mul(column, rates)\n"
         "c = Sin(angles) a = MatMul(x, W) r = Mul(a, c) y = MatMul(r, W)",
         {**SQUARE, "shape": numpy.int64([512, 1]), "rates": 10.0 ** -numpy.arange(8.0)},
         feeds={"i": numpy.arange(512)}),
    Trap("positions-alike", (18,), "int64[512] i, float[512,8] x", "float[512,8] y",
         "a = MatMul(x, W) p = CastLike(i, a) column = Reshape(p, shape)\n"
         "angles = Mul(column, rates) c = Sin(angles) r = Mul(a, c) y = MatMul(r, W)",
         {**SQUARE, "shape": numpy.int64([512, 1]), "rates": 10.0 ** -numpy.arange(8.0)},
         feeds={"i": numpy.arange(512)}, keep=("CastLike", "Sin")),
    Trap("absorbing-addend", (12,), "float[4,8] x", "float[4,8] y",
         "a = MatMul(x, W) b = Add(a, large) r = Reshape(b, shape) c = Sub(r, large)\n"
         "y = MatMul(c, W)", {**SQUARE, "large": 65504.0, "shape": numpy.int64([4, 8])},
         error=0.1),
    Trap("range-beyond", (19,), "float[4,8] x", "float[4,8] y, float[3] r",
         "start = Constant<value_float = 0.0>() stop = Constant<value_float = 150000.0>()\n"
         "step = Constant<value_float = 50000.0>() r = Range(start, stop, step)\n"
         "y = MatMul(x, W)", SQUARE, keep=("Range",)),
    Trap("constant-of-shape-bare", (20,), "float[4,8] x", "float[4,8] y, float[4,8] z",
         "shape = Shape(x) zero = ConstantOfShape(shape) a = MatMul(x, W) b = Add(a, zero)\n"
         "y = MatMul(b, W) z = Exp(zero)", SQUARE),
]
