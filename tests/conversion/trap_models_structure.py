"""More models of trap_models.py: types that attributes choose, formats, scopes and names."""
# SPDX-License-Identifier: Apache-2.0

import numpy

from trap_models import SQUARE, TWO, Trap

HALVES = numpy.float16([[0.5, -0.25] * 4])
STRUCTURE_TRAPS = [
    Trap("random-dtypes", (21,), "float[4,8] x", "float[4,8] y",
         "r = RandomNormal<shape = [4, 8]>() u = RandomUniformLike(x) v = RandomNormalLike(x)\n"
         "a = MatMul(x, W) b = Add(a, r) c = Add(b, u) d = Add(c, v) e = Sigmoid(d)\n"
         "f = Bernoulli(e) y = MatMul(f, W)", SQUARE, random=True),
    Trap("eye-like", (21,), "float[8,8] x", "float[8,8] y",
         "a = MatMul(x, W) e = EyeLike(a) f = EyeLike<dtype = 1>(x) b = Add(a, e) c = Add(b, f)\n"
         "y = MatMul(c, W)", SQUARE),
    Trap("constant-numbers", (22,), "float[4,8] x", "float[4,8] y",
         "f = Constant<value_float = 0.5>()\n"
         "s = Constant<value_floats = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]>()\n"
         "i = Constant<value_int = 3>() a = MatMul(x, W) b = Mul(a, f) c = Add(b, s)\n"
         "d = Exp(f) e = Add(c, d) y = MatMul(e, W)", SQUARE),
    Trap("resize-10", (23,), "float[1,2,4,4] x", "float[1,2,8,8] y",
         "a = Conv<kernel_shape = [1, 1]>(x, K) b = Resize(a, scales)\n"
         "y = Conv<kernel_shape = [1, 1]>(b, K)",
         {"K": (2, 2, 1, 1), "scales": numpy.float32([1, 1, 2, 2])}, opset=10, low=("float16",)),
    Trap("resize-11", (23,), "float[1,2,4,4] x", "float[1,2,8,8] y",
         "a = Conv<kernel_shape = [1, 1]>(x, K) b = Resize(a, roi, scales)\n"
         "y = Conv<kernel_shape = [1, 1]>(b, K)",
         {"K": (2, 2, 1, 1), "roi": numpy.zeros(0, numpy.float32),
          "scales": numpy.float32([1, 1, 2, 2])}, opset=11, low=("float16",)),
    Trap("resize-crops", (23,), "float[1,2,4,4] x", "float[1,2,4,4] y",
         "a = Conv<kernel_shape = [1, 1]>(x, K)\n"
         "b = Resize<coordinate_transformation_mode = \"tf_crop_and_resize\", mode = \"linear\">"
         "(a, roi, scales) y = Conv<kernel_shape = [1, 1]>(b, K)",
         {"K": (2, 2, 1, 1), "roi": numpy.float32([0, 0, .2, .2, 1, 1, .9, .9]),
          "scales": numpy.float32([1, 1, 1, 1])}, opset=13, low=("float16",)),
    Trap("upsample", (23,), "float[1,2,4,4] x", "float[1,2,8,8] y",
         "a = Conv<kernel_shape = [1, 1]>(x, K) b = Upsample(a, scales)\n"
         "y = Conv<kernel_shape = [1, 1]>(b, K)",
         {"K": (2, 2, 1, 1), "scales": numpy.float32([1, 1, 2, 2])}, opset=9, low=("float16",)),
    Trap("sequences", (24,), "float[4,8] x", "float[4,8] y",
         "a = MatMul(x, W) s = SplitToSequence<axis = 0>(a, parts) first = SequenceAt(s, at)\n"
         "t = SequenceInsert(s, first) c = ConcatFromSequence<axis = 0>(t)\n"
         "d = Slice(c, zero, four, zero) y = MatMul(d, W)",
         {**SQUARE, "parts": numpy.int64([2, 2]), "at": numpy.int64(0), "zero": numpy.int64([0]),
          "four": numpy.int64([4])}),
    Trap("defined-in-float32", (24,), "float[4,8] x", "float[4,8] y",
         "a = MatMul(x, W) b = MeanVarianceNormalization<axes = [0]>(a) y = MatMul(b, W)", SQUARE,
         arguments=("--target-ops", "MeanVarianceNormalization"),
         keep=("MeanVarianceNormalization",)),
    Trap("output-consumed-inside", (25,), "float[4,8] x", "float[4,8] h, float[4,8] y",
         "h = MatMul(x, W) r = Relu(h) y = MatMul(r, W)", SQUARE),
    Trap("output-twice", (25,), "float[4,8] x", "float[4,8] h, float[4,8] e, float[4,8] y",
         "h = MatMul(x, W) e = Exp(h) r = MatMul(e, W) y = Identity(r)", SQUARE),
    Trap("output-of-casts", (26,), "float[4,8] x", "float[4,8] y, float16[4,8] z",
         "a = MatMul(x, W) b = Cast<to = 11>(a) c = Cast<to = 10>(b) y = Cast<to = 1>(c)\n"
         "z = Cast<to = 10>(a)", SQUARE),
    Trap("local-functions", (27,), "float[4,8] x", "float[4,8] y",
         "a = local.block(x, W) b = Exp(a) y = local.block(b, V)", TWO, imports=', "local" : 1',
         functions='<opset_import: ["" : 17, "local" : 1], domain: "local">\n'
         "inner (h) => (r) { s = Softmax(h) r = Mul(h, s) }\n"
         '<opset_import: ["" : 17, "local" : 1], domain: "local">\n'
         "block (h, w) => (r) { p = MatMul(h, w) q = local.inner(p) r = MatMul(q, w) }"),
    Trap("function-attribute", (27,), "float[4,8] x", "float[4,8] y",
         "a = local.leaky<slope = 0.5>(x, W) y = local.leaky<slope = 0.25>(a, W)", SQUARE,
         imports=', "local" : 1',
         functions='<opset_import: ["" : 17], domain: "local">\n'
         "leaky <slope> (h, w) => (r) {\n"
         "  p = MatMul(h, w) s = Constant<value_float: float = @slope>() r = Mul(p, s) }"),
    Trap("quantized-10", (28,), "float[4,8] x", "float[4,8] y",
         "q = QuantizeLinear(x, scale, zero) d = DequantizeLinear(q, scale, zero)\n"
         "a = MatMul(d, W) r = QuantizeLinear(a, scale, zero) y = DequantizeLinear(r, scale, zero)",
         {**SQUARE, "scale": numpy.float32(0.05), "zero": numpy.uint8(128)}, opset=19,
         runs_low=("QuantizeLinear", "DequantizeLinear")),
    Trap("float16-inside", (29,), "float[4,8] x", "float[4,8] y, float16[4,8] z",
         "a = MatMul(x, W) b = Cast<to = 10>(a) z = Mul(b, halves) c = Cast<to = 1>(z)\n"
         "y = MatMul(c, W)", {**SQUARE, "halves": HALVES}),
    Trap("constant-into-cast", (30,), "float[4,8] x", "float[4,8] y",
         "i = Constant<value = int32[1] {3}>() f = Cast<to = 1>(i) g = Cast<to = 1>(f)\n"
         "h = CastLike(i, x) a = MatMul(x, W) b = Mul(a, f) c = Mul(b, g) d = Mul(c, h)\n"
         "y = MatMul(d, W)", SQUARE),
    Trap("cast-like-of-integers", (5, 38), "int64[4,8] mask, float[4,8] x", "float[4,8] y",
         "a = MatMul(x, W) m = CastLike(mask, a) b = Mul(a, m) y = MatMul(b, W)", SQUARE,
         runs_low=("CastLike",)),
    Trap("external-data", (31,), "float[4,8] x", "float[4,8] y, float[4,8] z",
         "a = MatMul(x, W) b = Exp(a) y = MatMul(b, V) z = Mul(W2, b)",
         {**TWO, "W2": (4, 8)}, external=True),
    Trap("bfloat16-by-opset", (32,), "float[1,2,4,4] x", "float[1,2,4,4] y",
         "a = Conv<kernel_shape = [1, 1]>(x, K) b = Relu(a) c = MatMul(b, W4)\n"
         "d = MaxPool<kernel_shape = [1, 1]>(c) y = MatMul(d, W4)",
         {"K": (2, 2, 1, 1), "W4": (4, 4)}, opset=13),
    Trap("batch-normalization", (33, 39), "float[1,2,4,4] x", "float[1,2,4,4] y",
         "a = Conv<kernel_shape = [1, 1]>(x, K) b = BatchNormalization(a, s, s, m, s)\n"
         "c = Relu(b) y = Conv<kernel_shape = [1, 1]>(c, K)",
         {"K": (2, 2, 1, 1), "s": numpy.float32([1.5, 0.5]), "m": numpy.float32([1e5, 2e5])},
         low=("float16",)),
    Trap("parameter-twice-and-output", (34,), "float[8,8] x", "float[8,8] y, float[8,8] W",
         "a = MatMul(W, W) y = MatMul(x, a)", SQUARE),
    Trap("parameter-overridable", (34,), "float[4,8] x, float[8,8] W", "float[4,8] y",
         "a = MatMul(x, W) y = MatMul(a, W)", SQUARE),
    Trap("attribute-defaults", (35,), "float[4,8] x", "float[4,8] y",
         "a = MatMul(x, W) b = LeakyRelu(a) c = Elu(b) d = Selu(c) e = HardSigmoid(d)\n"
         "y = MatMul(e, W)", SQUARE),
    Trap("integers-beside-floats", (38,), "int64[4] ids, float[4,8] x", "float[4,8] y",
         "e = Gather(table, ids) a = Add(e, x) b = MatMul(a, W) shape = Shape(b)\n"
         "c = Reshape(b, shape) t, i = TopK(c, k) g = GatherElements<axis = 1>(c, i)\n"
         "h = Tile(g, r)\n"
         "o = OneHot(ids, depth, values) s = Where(flags, h, o) y = MatMul(s, W)",
         {**SQUARE, "table": (16, 8), "k": numpy.int64([4]), "r": numpy.int64([1, 2]),
          "depth": numpy.int64(8), "values": numpy.float32([0, 1]),
          "flags": numpy.bool_([True, False] * 4)}),
    Trap("non-max-suppression", (24, 38), "float[1,6,4] boxes, float[1,8,6] x", "int64[N,3] y",
         "a = MatMul(W, x) s = Sigmoid(a) b = Abs(boxes) c = MatMul(b, W4)\n"
         "y = NonMaxSuppression(boxes, s, k, iou)",
         {**SQUARE, "W4": (4, 4), "k": numpy.int64([3]), "iou": numpy.float32([0.5])},
         keep=("NonMaxSuppression",), random=True),
    Trap("shapes-unknown", (44,), "float[N,M] x, int64[2] shape", "float[A,B] y",
         "r = Reshape(x, shape) n = NonZero(r) f = Cast<to = 1>(n) t = Transpose(f)\n"
         "a = MatMul(t, W2) y = MatMul(a, W2)", {"W2": (2, 2)},
         feeds={"x": numpy.ones((4, 4)), "shape": [2, 8]}),
    Trap("double-use", (46,), "float[4,8] x", "float[4,8] y",
         "a = MatMul(x, W) [twice] b = Mul(a, a) c = Exp(b) [more] d = Mul(c, c)\n"
         "e = Log(d) y = MatMul(e, W)", SQUARE, arguments=("--exclude", "twice|more")),
    Trap("recurrent", (47,), "float[5,4,8] x, int32[4] n", "float[5,1,4,6] y, float[1,4,6] h",
         "l, lh, lc = LSTM<hidden_size = 6>(x, WL, RL, , n) s = Squeeze(l, one)\n"
         "y, h = GRU<hidden_size = 6, linear_before_reset = 1>(s, WG, RG, BG)",
         {"WL": (1, 24, 8), "RL": (1, 24, 6), "WG": (1, 18, 6), "RG": (1, 18, 6), "BG": (1, 36),
          "one": numpy.int64([1])}, feeds={"n": [5, 3, 1, 5]},
         low=("float16",)),
]
