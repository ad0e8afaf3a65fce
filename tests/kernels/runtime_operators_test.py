#!/usr/bin/env python3
"""Compares operators on quantized tensors, of the domain com.microsoft, and recurrent layers, node
by node, in opledger and in ONNX Runtime: floats agree within 1e-4 of the largest element of each
output, integers exactly (within one unit where ONNX Runtime multiplies in fixed point).

Prints a line for each that differs or cannot run, and the count. Exit status: 0 success, 1 failure,
77 onnx or onnxruntime is missing.
"""
# SPDX-License-Identifier: Apache-2.0

import collections
import itertools
import math
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/conversion")]
import peers  # noqa: E402
from model_run import difference, read_arguments, run_model  # noqa: E402

RUNTIME = "com.microsoft"


class Case:
    """One node. `inputs`: arrays, None for omitted ones; `known`: which of them are
    initializers; `like`: a case with the same expected outputs, if ONNX Runtime has the node
    itself only on GPUs."""

    def __init__(self, name, op, inputs, *, domain=RUNTIME, outputs=1, known=(), within=1e-4, units=0, skipped=(), like=None,
                 **attributes):
        self.name, self.op, self.inputs, self.domain, self.outputs = name, op, inputs, domain, outputs
        self.known, self.within, self.units, self.skipped = known, within, units, skipped
        self.attributes, self.like = attributes, like

    def model(self, onnx):
        names = [f"i{i}" if each is not None else "" for i, each in enumerate(self.inputs)]
        results = [f"o{i}" if i not in self.skipped else "" for i in range(self.outputs)]
        node = onnx.helper.make_node(self.op, names, results, domain=self.domain, **self.attributes)
        dtype = onnx.helper.np_dtype_to_tensor_dtype
        given = [onnx.helper.make_tensor_value_info(name, dtype(array.dtype), array.shape)
                 for i, (name, array) in enumerate(zip(names, self.inputs)) if array is not None and i not in self.known]
        kept = [onnx.numpy_helper.from_array(self.inputs[i], names[i]) for i in self.known]
        made = [onnx.ValueInfoProto(name=name) for name in results if name]
        graph = onnx.helper.make_graph([node], "one", given, made, kept)
        opsets = [onnx.helper.make_opsetid("", 21), onnx.helper.make_opsetid(RUNTIME, 1)]
        return onnx.helper.make_model(graph, opset_imports=opsets, ir_version=10)

    def feeds(self):
        return {f"i{i}": array for i, array in enumerate(self.inputs) if array is not None and i not in self.known}


def floats(random, *shape, scale=1.0):
    return (random.standard_normal(shape) * scale).astype("float32")


def bytes_of(random, dtype, *shape):
    return random.integers(0 if dtype == "uint8" else -128, 256 if dtype == "uint8" else 128, shape).astype(dtype)


def weights_of(random, dtype, *shape):
    """Half of the range for int8: if a processor multiplies bytes in pairs, ONNX Runtime's sums of
    two products saturate at 32767."""
    return random.integers(-64, 64, shape).astype(dtype) if dtype == "int8" else bytes_of(random, dtype, *shape)


def number(numpy, value, dtype="float32"):
    return numpy.array(value, dtype)


def gelu_of(numpy, x):
    return (x * 0.5 * (1 + numpy.vectorize(math.erf)(x / math.sqrt(2)))).astype("float32")


def group_norm_of(numpy, x, scale, shift, groups, activation, channels_last):
    """Computed in float64; x: [batches, rows, columns, channels], or with the channels second."""
    wide = x.astype("float64") if channels_last else numpy.moveaxis(x.astype("float64"), 1, 3)
    parts = wide.reshape(*wide.shape[:3], groups, -1)
    axes = (1, 2, 4)
    parts = (parts - parts.mean(axes, keepdims=True)) / numpy.sqrt(parts.var(axes, keepdims=True) + 1e-5)
    y = parts.reshape(wide.shape) * scale + shift
    y = y / (1 + numpy.exp(-y)) if activation else y
    return (y if channels_last else numpy.moveaxis(y, 3, 1)).astype(x.dtype)


def positions_of(numpy, table, queries, keys, both_ways, greatest):
    """T5's buckets, element by element."""
    y = numpy.zeros((1, table.shape[1], queries, keys), "float32")
    for q in range(queries):
        for k in range(keys):
            count, first, away = len(table), 0, k - q
            if both_ways:
                count //= 2
                first, away = (count if away > 0 else 0), abs(away)
            else:
                away = max(-away, 0)
            exact = count // 2
            if away >= exact:
                away = min(exact + int(math.log(away / exact) / math.log(greatest / exact) * (count - exact)), count - 1)
            y[0, :, q, k] = table[first + away]
    return y


def gated_positions_of(numpy, q, q_bias, positions, w, b, factors, heads):
    q = (q + q_bias).reshape(*q.shape[:2], heads, -1).transpose(0, 2, 1, 3)
    sums = (q @ w + b).reshape(*q.shape[:3], 2, -1).sum(-1)
    update, reset = numpy.split(1 / (1 + numpy.exp(-sums)), 2, axis=-1)
    return ((update * (reset * factors - 1) + 2) * positions).astype("float32")


def same(array):
    """Returns a case with this array as output, to compare with a formula."""
    return Case("", "Identity", [array], domain="")


def quantised_cases(numpy, random):
    f = lambda *shape, **more: floats(random, *shape, **more)
    u8, i8 = (lambda *s: weights_of(random, "uint8", *s)), (lambda *s: weights_of(random, "int8", *s))
    n = lambda value, dtype="float32": number(numpy, value, dtype)
    halves = (numpy.arange(-40, 40, dtype="float32") / 2).reshape(4, 20)
    special = numpy.array([numpy.inf, -numpy.inf, 1e30, -1e30, 0, -0.0, 254.5, 255.5], "float32")
    per_axis = numpy.abs(f(5)) + 0.01
    for dtype, zero in (("uint8", 128), ("int8", 3), ("uint16", 3000), ("int16", -5)):
        yield Case(f"quantize {dtype}", "QuantizeLinear", [f(3, 7, scale=50), n(0.37), n(zero, dtype)], domain="")
        yield Case(f"quantize {dtype} ties", "QuantizeLinear", [halves, n(1), n(zero, dtype)], domain="")
        yield Case(f"quantize {dtype} beyond", "QuantizeLinear", [special, n(1), n(zero, dtype)], domain="")
        yield Case(f"quantize {dtype} axis", "QuantizeLinear",
                   [f(2, 5, 3, scale=9), per_axis, random.integers(0, 9, 5).astype(dtype)], domain="", axis=1)
        values = random.integers(numpy.iinfo(dtype).min, numpy.iinfo(dtype).max, (2, 5, 3)).astype(dtype)
        yield Case(f"dequantize {dtype}", "DequantizeLinear", [values, n(0.02), n(zero, dtype)], domain="")
        yield Case(f"dequantize {dtype} axis", "DequantizeLinear",
                   [values, per_axis, random.integers(0, 9, 5).astype(dtype)], domain="", axis=-2)
        yield Case(f"quantize {dtype} blocks", "QuantizeLinear",
                   [f(2, 5, 3, scale=9), numpy.abs(f(2, 3, 3)) + 0.1, random.integers(0, 9, (2, 3, 3)).astype(dtype)],
                   domain="", axis=1, block_size=2)
        yield Case(f"dequantize {dtype} blocks", "DequantizeLinear",
                   [values, numpy.abs(f(2, 3, 3)), random.integers(0, 9, (2, 3, 3)).astype(dtype)], domain="", axis=1,
                   block_size=2)
    yield Case("dequantize int32", "DequantizeLinear", [random.integers(-1 << 30, 1 << 30, (3, 4)).astype("int32"), n(1e-6)],
               domain="")
    yield Case("quantize by output_dtype", "QuantizeLinear", [f(9, scale=99), n(0.5)], domain="", output_dtype=3)
    yield Case("quantize com.microsoft", "QuantizeLinear", [f(3, 4), n(0.1), n(7, "uint8")])
    yield Case("dequantize com.microsoft", "DequantizeLinear", [u8(3, 4), n(0.1), n(7, "uint8")])
    for name, x in (("reals", f(4, 9)), ("positive", numpy.abs(f(30))), ("negative", -numpy.abs(f(30))), ("zeros", f(5) * 0),
                    ("large", f(50, scale=1e20))):
        yield Case(f"dynamic quantize {name}", "DynamicQuantizeLinear", [x], domain="", outputs=3)
    for a, b in ((u8, u8), (u8, i8), (i8, i8)):
        x, y = a(3, 7), b(7, 4)
        name = f"{x.dtype} {y.dtype}"
        yield Case(f"matmul integer {name}", "MatMulInteger", [x, y, n(12, x.dtype), n(3, y.dtype)], domain="", known=(1, 3))
        yield Case(f"matmul integer stacks {name}", "MatMulInteger", [a(2, 3, 7), b(7, 4), n(12, x.dtype)], domain="")
        yield Case(f"matmul integer columns {name}", "MatMulInteger", [x, y, n(1, x.dtype), b(4)], domain="", known=(1, 3))
        scales = [n(0.02), n(0.03), n(0.5)]
        yield Case(f"qlinear matmul {name}", "QLinearMatMul",
                   [x, scales[0], n(3, x.dtype), y, scales[1], n(2, y.dtype), scales[2], n(9, x.dtype)], domain="",
                   known=(3, 5))
        yield Case(f"qlinear matmul columns {name}", "QLinearMatMul",
                   [a(2, 3, 7), scales[0], n(3, x.dtype), y, numpy.abs(f(4)) / 20, b(4), scales[2], n(9, x.dtype)],
                   domain="", known=(3, 4, 5))
        yield Case(f"matmul integer to float {name}", "MatMulIntegerToFloat",
                   [x, y, scales[0], numpy.abs(f(4)) / 9, n(9, x.dtype), b(4), f(4)], known=(1, 5))
        yield Case(f"qgemm {name}", "QGemm",
                   [x, scales[0], n(3, x.dtype), b(4, 7), scales[1], n(2, y.dtype), random.integers(-99, 99, 4).astype("int32"),
                    scales[2], n(4, x.dtype)], known=(3, 5), transB=1)
        yield Case(f"qgemm float {name}", "QGemm", [x, scales[0], n(3, x.dtype), y, scales[1], n(2, y.dtype)], known=(3, 5),
                   alpha=0.5)
    for b in (u8, i8):
        w = b(7, 4)
        yield Case(f"dynamic quantize matmul {w.dtype}", "DynamicQuantizeMatMul",
                   [f(3, 7), w, n(0.1), n(2, w.dtype), f(4)], known=(1, 3))
    for x, w in ((u8(2, 4, 9, 8), u8(6, 4, 3, 3)), (u8(2, 4, 9, 8), i8(6, 4, 3, 3)), (i8(1, 4, 9, 8), i8(6, 4, 3, 3))):
        name, more = f"{x.dtype} {w.dtype}", {"pads": [1, 0, 1, 2], "strides": [2, 1]}
        if x.dtype == "uint8":
            yield Case(f"conv integer {name}", "ConvInteger", [x, w, n(5, x.dtype), n(0, w.dtype)], domain="", known=(1, 3), **more)
        per_channel = numpy.abs(f(6)) / 30
        bias = random.integers(-999, 999, 6).astype("int32")
        yield Case(f"qlinear conv {name}", "QLinearConv",
                   [x, n(0.02), n(7, x.dtype), w, n(0.01), n(0, w.dtype), n(0.3), n(11, x.dtype), bias], domain="",
                   known=(3, 5, 8), **more)
        zeros = numpy.zeros(6, w.dtype)
        yield Case(f"qlinear conv channels {name}", "QLinearConv",
                   [x, n(0.02), n(7, x.dtype), w, per_channel, zeros, n(0.3), n(11, x.dtype)], domain="", known=(3, 4, 5), **more)
        yield Case(f"qlinear conv groups {name}", "QLinearConv",
                   [x, n(0.02), n(7, x.dtype), w[:, :2], per_channel, zeros, n(0.3), n(11, x.dtype)], domain="",
                   known=(3, 4, 5), group=2, dilations=[2, 1])
    x = u8(2, 3, 6, 6)
    scaled = [x, n(0.05), n(100, "uint8")]
    result = [n(0.04), n(90, "uint8")]
    for op in ("QLinearAdd", "QLinearMul"):
        yield Case(f"{op} uint8", op, [*scaled, u8(3, 1, 6), n(0.03), n(7, "uint8"), n(0.3), n(80, "uint8")], units=1)
        yield Case(f"{op} int8", op, [i8(4, 5), n(0.02), n(-7, "int8"), i8(5), n(0.03), n(7, "int8"), n(0.1), n(8, "int8")],
                   units=1)
    yield Case("qlinear sigmoid", "QLinearSigmoid", [*scaled, n(1 / 256), n(0, "uint8")], known=(1, 2, 3, 4), units=1)
    yield Case("qlinear leaky relu", "QLinearLeakyRelu", [*scaled, *result], known=(1, 2, 3, 4), alpha=0.1, units=1)
    yield Case("qlinear average pool", "QLinearAveragePool", [*scaled, *result], units=1, kernel_shape=[3, 2], strides=[2, 1],
               pads=[1, 0, 1, 1])
    yield Case("qlinear global average pool", "QLinearGlobalAveragePool", [*scaled, *result], units=1)
    yield Case("qlinear concat", "QLinearConcat",
               [*result, u8(2, 3), n(0.04), n(9, "uint8"), u8(2, 2), n(0.02), n(3, "uint8")], axis=1, known=(0, 1, 3, 4, 6, 7),
               units=1)
    for form, mask in (("ends", [2, 3]), ("ends and starts", [2, 3, 0, 1]), ("columns", [[1, 1, 0], [0, 1, 1]])):
        yield Case(f"qattention, mask of {form}", "QAttention",
                   [u8(2, 3, 8), i8(8, 24), f(24), n(0.02), n(0.01), numpy.array(mask, "int32"), n(120, "uint8"), n(3, "int8")],
                   num_heads=2, known=(1, 2, 3, 4, 6, 7))
    yield Case("qlinear softmax", "QLinearSoftmax", [u8(4, 10), n(0.1), n(100, "uint8"), n(1 / 256), n(0, "uint8")],
               known=(1, 2, 3, 4), axis=-1, opset=13, units=1)
    yield Case("qlinear where", "QLinearWhere",
               [numpy.arange(6).reshape(2, 3) % 2 == 0, u8(2, 3), n(0.02), n(3, "uint8"), u8(2, 3), n(0.05), n(9, "uint8"),
                n(0.1), n(4, "uint8")], known=(2, 3, 5, 6, 7, 8), units=1)


def layer_cases(numpy, random):
    f = lambda *shape, **more: floats(random, *shape, **more)
    x = f(2, 3, 8)
    for activation, params in (("Relu", []), ("Sigmoid", []), ("Tanh", []), ("LeakyRelu", [0.2]), ("Clip", [-0.5, 0.7]),
                               ("HardSigmoid", [0.3, 0.4])):
        more = {"activation_params": params} if params else {}
        yield Case(f"fused conv {activation}", "FusedConv", [f(1, 4, 9, 9), f(6, 4, 3, 3), f(6)], activation=activation,
                   pads=[1, 1, 1, 1], **more)
    yield Case("fused conv sum", "FusedConv", [f(1, 4, 9, 9), f(6, 2, 3, 3), f(6), f(1, 6, 9, 9)], activation="Relu",
               pads=[1, 1, 1, 1], group=2)
    for activation, more in (("Relu", {}), ("LeakyRelu", {"activation_alpha": 0.2}), ("Tanh", {})):
        yield Case(f"fused gemm {activation}", "FusedGemm", [f(3, 5), f(4, 5), f(4)], activation=activation, transB=1,
                   alpha=0.5, beta=2.0, **more)
    yield Case("fused matmul", "FusedMatMul", [f(2, 3, 4, 5), f(2, 3, 5, 6)], alpha=0.25)
    yield Case("fused matmul transposed", "FusedMatMul", [f(2, 3, 5, 4), f(2, 3, 6, 5)], transA=1, transB=1)
    yield Case("fused matmul batches", "FusedMatMul", [f(4, 2, 3, 5), f(5, 2, 3, 6)], transBatchA=1, transBatchB=1)
    yield Case("fused matmul batches transposed", "FusedMatMul", [f(5, 2, 4), f(6, 2, 5)], transBatchA=1, transA=1,
               transBatchB=1, transB=1)
    h = lambda *shape: f(*shape).astype("float16")
    for alpha in (0.1, 7e4):  # not exact in float16; beyond its range
        small = [h(4, 5), h(5, 6) if alpha < 1 else (h(5, 6) / 1e4).astype("float16")]
        once = sum(small[0][:, i:i + 1].astype("float64") * small[1][i].astype("float64") for i in range(5))
        yield Case(f"fused matmul float16 times {alpha}", "FusedMatMul", small, alpha=alpha,
                   like=same((once * numpy.float32(alpha)).astype("float16")))
    yield Case("unique in order", "Unique", [numpy.array([3, 1, 3, 2, 1, 0], "float32")], outputs=3, known=(0,))
    yield Case("gelu", "Gelu", [x])
    yield Case("quick gelu", "QuickGelu", [x], alpha=1.3)
    yield Case("quick gelu default", "QuickGelu", [x])
    yield Case("fast gelu", "FastGelu", [x])
    yield Case("fast gelu bias", "FastGelu", [x, f(8)])
    yield Case("bias gelu", "BiasGelu", [x, f(8)])
    for name, scores, bias, inner in (("", f(2, 3, 4, 5), f(2, 1, 1, 5), 0), (" inner", f(6, 3, 5), f(3, 5), 1)):
        yield Case(f"bias softmax{name}", "BiasSoftmax", [scores, bias], axis=scores.ndim - 1, is_inner_broadcast=inner,
                   like=Case("", "Softmax", [scores + bias], domain=""))
    bias, skip = f(8), f(2, 3, 8)
    yield Case("bias add", "BiasAdd", [x, bias, skip], like=Case("", "Add", [x + bias, skip], domain=""))
    both = x + bias
    yield Case("bias split gelu", "BiasSplitGelu", [x, bias],
               like=Case("", "Mul", [both[..., :4], gelu_of(numpy, both[..., 4:])], domain=""))
    yield Case("simplified norm", "SimplifiedLayerNormalization", [x, f(8)], domain="", axis=-1, epsilon=1e-6, stash_type=1)
    yield Case("skip norm", "SkipLayerNormalization", [x, f(2, 3, 8), f(8), f(8), f(8)], outputs=4, skipped=(1, 2))
    yield Case("skip norm plain", "SkipLayerNormalization", [x, f(2, 3, 8), f(8)], epsilon=1e-5)
    yield Case("skip simplified norm", "SkipSimplifiedLayerNormalization", [x, f(2, 3, 8), f(8), f(8)], outputs=4,
               skipped=(1, 2), epsilon=1e-6)
    ids = random.integers(0, 9, (2, 5)).astype("int32")
    tables = [f(9, 8), f(7, 8), f(2, 8), f(8), f(8)]
    mask = numpy.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]], "int32")
    yield Case("embed norm", "EmbedLayerNormalization", [ids, ids % 2, *tables, mask], outputs=2, epsilon=1e-12)
    yield Case("embed norm sum", "EmbedLayerNormalization", [ids, None, *tables[:2], None, *tables[3:], None, (ids * 2) % 7],
               outputs=3)
    for bits, zeros in ((4, None), (4, 2), (8, None)):
        packed = bytes_of(random, "uint8", 6, 2, 32 * bits // 8)
        points = None if zeros is None else bytes_of(random, "uint8", 6, 1)
        yield Case(f"matmul {bits} bits {zeros}", "MatMulNBits", [f(3, 64), packed, f(6, 2, scale=0.1), points],
                   known=(1, 2) if zeros is None else (1, 2, 3), K=64, N=6, bits=bits, block_size=32)
    yield Case("statistics of float64", "LayerNormalization", [f(3, 8).astype("float64"), f(8).astype("float64")], domain="",
               outputs=3)
    yield Case("one statistic of float64", "LayerNormalization", [f(3, 8).astype("float64"), f(8).astype("float64")],
               domain="", outputs=3, skipped=(1,))
    yield Case("trilu", "Trilu", [f(4, 5)], upper=0)
    w = f(8, 6)
    product = x @ w + bias[:6]
    yield Case("gemm fast gelu", "GemmFastGelu", [x, w, bias[:6]], like=Case("", "FastGelu", [product]))
    yield Case("gemm fast gelu plain", "GemmFastGelu", [x, w], like=Case("", "FastGelu", [x @ w]))
    scale, shift = f(8), f(8)
    for groups, activation, last, dtype in ((2, 0, 1, "float32"), (4, 1, 1, "float32"), (2, 1, 0, "float32"),
                                            (8, 1, 1, "float16"), (1, 0, 0, "float16")):
        image = f(2, 3, 5, 8).astype(dtype) if last else f(2, 8, 3, 5).astype(dtype)
        y = group_norm_of(numpy, image, scale, shift, groups, activation, last)
        yield Case(f"group norm {groups} {activation} {last} {dtype}", "GroupNorm", [image, scale, shift], groups=groups,
                   activation=activation, channels_last=last, within=1e-4 if dtype == "float32" else 1e-3, like=same(y))
    image = f(2, 3, 5, 8)
    for name, other, bias in (("", f(2, 3, 5, 8), None), (" of rows", f(2, 8), f(8)), (" of pixels", f(2, 1, 1, 8), f(8))):
        total = image + other.reshape(2, *((3, 5) if other.size == image.size else (1, 1)), 8) + (0 if bias is None else bias)
        y = group_norm_of(numpy, total, scale, shift, 4, 1, 1)
        inputs = [image, scale, shift, other] + ([] if bias is None else [bias])
        both = Case("", "Split", [numpy.concatenate([y, total])], domain="", outputs=2, num_outputs=2)
        yield Case(f"skip group norm{name}", "SkipGroupNorm", inputs, groups=4, activation=1, outputs=2, like=both)
    for activation in ("relu", "gelu", "silu", "identity", "swiglu"):
        for best in (0, 1):
            more = {"swiglu_fusion": 1, "activation_alpha": 1.7, "activation_beta": 1.0, "swiglu_limit": 1.5} \
                if activation == "swiglu" else {}
            inner = 12 if activation == "swiglu" else 6
            yield Case(f"experts {activation} {best}", "MoE",
                       [f(2, 5, 8), f(10, 4), f(4, inner, 8), f(4, inner), f(4, 8, 6), f(4, 8)], k=2,
                       activation_type=activation, normalize_routing_weights=best, **more)
    yield Case("experts without bias", "MoE", [f(7, 8), f(7, 4), f(4, 6, 8), None, f(4, 8, 6)], k=1, activation_type="silu")
    yield Case("gather nd", "GatherND", [f(4, 5), numpy.array([[1, 2], [0, 4]], "int64")])


def tensor_cases(numpy, random):
    import ml_dtypes  # which onnx brings

    f = lambda *shape, **more: floats(random, *shape, **more)
    for metric in ("euclidean", "sqeuclidean"):
        yield Case(f"cdist {metric}", "CDist", [f(7, 5), f(3, 5)], metric=metric)
    yield Case("transposed convolution's pads", "ConvTransposeWithDynamicPads",
               [f(1, 4, 5, 6), f(4, 3, 3, 3), numpy.array([1, 0, 1, 2], "int64"), f(3)], known=(2,), strides=[2, 1])
    for axis in (0, -1, 2):
        yield Case(f"expand dims {axis}", "ExpandDims", [f(2, 3), number(numpy, axis, "int32")], known=(1,))
    ids = numpy.array([[3, 0], [5, 1]], "int64")
    for bits, dtype, numbers in ((4, "float32", 48), (8, "float32", 48), (4, "float16", 48), (2, "float32", 64), (4, "float32", 70)):
        blocks = -(-numbers // 16)
        rows, scales = bytes_of(random, "uint8", 6, numbers * bits // 8), (numpy.abs(f(6, blocks)) / 9).astype(dtype)
        zeros = bytes_of(random, "uint8", 6, -(-blocks * bits // 8))
        for points in (None, zeros):
            yield Case(f"gather {numbers} of {bits} bits {dtype}{' zeros' if points is not None else ''}", "GatherBlockQuantized",
                       [rows, ids, scales, points][:3 if points is None else 4], bits=bits, block_size=16, quantize_axis=1,
                       gather_axis=0, known=(0, 2) if points is None else (0, 2, 3), within=1e-3 if dtype == "float16" else 1e-6)
    ids = numpy.array([2, -3, 0], "int32")
    for kind, (gather, quantised) in itertools.product(("int4", "uint4"), ((0, 2), (2, 1), (1, 0), (-1, -1))):
        low, shape = -8 if kind == "int4" else 0, (17, 20, 35)
        blocks = [-(-size // 16) if axis == quantised % 3 else size for axis, size in enumerate(shape)]
        table, zeros = (random.integers(low, low + 16, size).astype(getattr(ml_dtypes, kind)) for size in (shape, blocks))
        for points in ([], [zeros]):
            yield Case(f"gather {kind} {gather} {quantised} {len(points)}", "GatherBlockQuantized",
                       [table, ids, numpy.abs(f(*blocks)) / 9, *points], block_size=16, quantize_axis=quantised, gather_axis=gather,
                       known=(0, 2, 3)[:2 + len(points)], within=1e-6)
    yield Case("inverse", "Inverse", [f(2, 3, 5, 5)])
    yield Case("inverse wide", "Inverse", [f(4, 4).astype("float64")])
    whole = lambda *shape: random.integers(-1 << 15, 1 << 15, shape).astype("int16")
    yield Case("matmul 16", "MatMulInteger16", [whole(2, 3, 5), whole(5, 4)])
    yield Case("nhwc pool", "NhwcMaxPool", [bytes_of(random, "uint8", 2, 7, 8, 3)], kernel_shape=[3, 2], strides=[2, 1],
               pads=[1, 0, 1, 1])
    yield Case("nhwc pool int8", "NhwcMaxPool", [bytes_of(random, "int8", 1, 7, 8, 3)], kernel_shape=[2, 2], dilations=[2, 1])
    ids = random.integers(0, 6, (2, 3)).astype("int64")
    rows = f(6, 4)
    yield Case("torch embedding", "TorchEmbedding", [rows, ids], like=same(rows[ids]))
    yield Case("pad", "Pad", [f(2, 3), numpy.array([0, 1, 2, 0], "int64"), number(numpy, [7])], known=(1,))
    yield Case("pad by a row", "Pad", [f(2, 3), numpy.array([[0, 1, 1, 0]], "int64")], known=(1,), mode="reflect")
    yield Case("sample", "SampleOp", [f(2, 3)])
    for dim, size, step in ((-1, 3, 2), (0, 2, 1), (1, 4, 1)):
        yield Case(f"unfold {dim}", "UnfoldTensor", [f(3, 4, 7)], dim=dim, size=size, step=step)
    tokens = random.integers(0, 9, (2, 5)).astype("int32")
    tables = [bytes_of(random, "uint8", *shape) for shape in ((9, 8), (7, 8), (2, 8), (8,), (8,))]
    scales = [number(numpy, 0.01 * (i + 1)) for i in range(5)]
    zeros = [number(numpy, 100 + i, "uint8") for i in range(5)]
    yield Case("quantised embed norm", "QEmbedLayerNormalization",
               [tokens, tokens % 2, *tables, numpy.ones((2, 5), "int32"), *scales, *zeros], outputs=2, epsilon=1e-12)


def attention_cases(numpy, random):
    f = lambda *shape, **more: floats(random, *shape, **more)
    x, w, b = f(2, 5, 12), f(12, 36, scale=0.3), f(36)
    raw = numpy.array([[1, 1, 1, 1, 0], [1, 1, 0, 0, 0]], "int32")
    lengths = numpy.array([4, 2], "int32")
    heads = {"num_heads": 3}
    yield Case("attention", "Attention", [x, w, b], **heads)
    yield Case("attention causal", "Attention", [x, w, b], unidirectional=1, **heads)
    yield Case("attention mask", "Attention", [x, w, b, raw], **heads)
    yield Case("attention lengths", "Attention", [x, w, b, lengths], **heads)
    yield Case("attention ends", "Attention", [x, w, b, numpy.array([4, 5, 1, 0], "int32")], **heads)
    yield Case("attention 3d mask", "Attention", [x, w, b, random.integers(0, 2, (2, 5, 5)).astype("int32")], **heads)
    yield Case("attention bias", "Attention", [x, w, b, raw, None, f(2, 3, 5, 5)], **heads)
    yield Case("attention scale", "Attention", [x, w, b], scale=0.1, **heads)
    yield Case("attention sizes", "Attention", [x, f(12, 30), f(30)], qkv_hidden_sizes=[12, 12, 6], **heads)
    yield Case("attention past", "Attention", [x, w, b, None, f(2, 2, 3, 4, 4)], outputs=2, unidirectional=1, **heads)
    yield Case("attention present", "Attention", [x, w, b], outputs=2, **heads)
    q, k, v = f(2, 5, 12), f(2, 7, 12), f(2, 7, 12)
    yield Case("multi-head", "MultiHeadAttention", [q, k, v], **heads)
    yield Case("multi-head bias", "MultiHeadAttention", [q, k, v, f(36)], **heads)
    yield Case("multi-head wide values", "MultiHeadAttention", [q, k, f(2, 7, 6), f(30)], **heads)
    yield Case("multi-head mask", "MultiHeadAttention", [q, k, v, None, random.integers(0, 2, (2, 7)).astype("int32")], **heads)
    yield Case("multi-head lengths", "MultiHeadAttention", [q, k, v, None, lengths], **heads)
    yield Case("multi-head scores", "MultiHeadAttention", [q, k, v, None, None, f(1, 3, 5, 7)], **heads)
    yield Case("multi-head apart", "MultiHeadAttention", [q, f(2, 3, 7, 4), f(2, 3, 7, 4)], **heads)
    packed = f(2, 5, 3, 3, 4)
    apart = [packed[:, :, :, i].reshape(2, 5, 12) for i in range(3)]
    yield Case("multi-head packed", "MultiHeadAttention", [packed], like=Case("", "MultiHeadAttention", apart, **heads), **heads)
    packed = numpy.stack([part.reshape(2, 5, 3, 4) for part in apart[1:]], axis=3)
    yield Case("multi-head packed keys", "MultiHeadAttention", [q, packed],
               like=Case("", "MultiHeadAttention", [q, *apart[1:]], **heads), **heads)
    yield Case("multi-head past", "MultiHeadAttention", [q, f(2, 5, 12), f(2, 5, 12), None, None, None, f(2, 3, 4, 4), f(2, 3, 4, 4)],
               outputs=3, **heads)
    yield Case("multi-head causal", "MultiHeadAttention", [q, f(2, 5, 12), f(2, 5, 12)], unidirectional=1, **heads)
    cosines, sines = f(16, 4), f(16, 4)
    for interleaved in (0, 1):
        more = {"interleaved": interleaved}
        yield Case(f"rotary {interleaved}", "RotaryEmbedding", [f(2, 5, 24), numpy.array([3], "int64"), cosines, sines], **more)
        yield Case(f"rotary 4d {interleaved}", "RotaryEmbedding",
                   [f(2, 3, 5, 8), random.integers(0, 16, (2, 5)), cosines, sines], **more)
        yield Case(f"rotary part {interleaved}", "RotaryEmbedding", [f(2, 5, 36), numpy.array([0], "int64"), cosines, sines],
                   num_heads=3, rotary_embedding_dim=8, **more)
    grouped = {"num_heads": 4, "kv_num_heads": 2}
    tables = [f(16, 8), f(16, 8)]
    q, k, v = f(2, 5, 64), f(2, 5, 32), f(2, 5, 32)
    whole = [numpy.array([4, 4], "int32"), number(numpy, 5, "int32")]
    none = [numpy.zeros((2, 2, 0, 16), "float32")] * 2
    yield Case("grouped prompt", "GroupQueryAttention", [q, k, v, *none, *whole], outputs=3, known=(5, 6), **grouped)
    yield Case("grouped rotary", "GroupQueryAttention", [q, k, v, *none, *whole, *tables], outputs=3, do_rotary=1,
               known=(5, 6), **grouped)
    past = [f(2, 2, 6, 16), f(2, 2, 6, 16)]
    one = [numpy.array([6, 6], "int32"), number(numpy, 7, "int32")]
    yield Case("grouped step", "GroupQueryAttention", [q[:, :1], k[:, :1], v[:, :1], *past, *one, *tables], outputs=3,
               do_rotary=1, known=(5, 6), **grouped)
    uneven = [numpy.array([6, 3], "int32"), number(numpy, 7, "int32")]
    for form, more, rotary in (("", [], 0), (", rotary", tables, 1)):
        yield Case(f"grouped step of uneven pasts{form}", "GroupQueryAttention",
                   [q[:, :1], k[:, :1], v[:, :1], *past, *uneven, *more], outputs=3, do_rotary=rotary, known=(5, 6), **grouped)
    yield Case("grouped values as it runs", "GroupQueryAttention",
               [q[:, :1], k[:, :1], v[:, :1], *past, *one], outputs=3, **grouped)
    yield Case("grouped packed", "GroupQueryAttention", [f(2, 5, 128), None, None, *none, *whole], outputs=3, known=(5, 6),
               **grouped)
    yield Case("grouped window", "GroupQueryAttention", [q, k, v, *none, *whole], outputs=3, known=(5, 6),
               local_window_size=2, **grouped)
    yield Case("grouped cap", "GroupQueryAttention", [q, k, v, *none, *whole], outputs=3, known=(5, 6), softcap=2.0, **grouped)
    table = f(32, 3)
    for queries, keys in ((5, 5), (1, 40), (40, 40)):
        lengths = [number(numpy, [queries], "int64"), number(numpy, [keys], "int64")]
        for both_ways in (0, 1):
            yield Case(f"relative positions {queries} {keys} {both_ways}", "RelativePositionBias", [table, *lengths], known=(1, 2),
                       max_distance=30, is_bidirectional=both_ways,
                       like=same(positions_of(numpy, table, queries, keys, both_ways, 30)))
    parts = [f(2, 5, 12), f(12), f(1, 3, 5, 5), f(4, 8), f(8), f(1, 3, 1, 1)]
    yield Case("gated positions", "GatedRelativePositionBias", parts, num_heads=3,
               like=same(gated_positions_of(numpy, *parts, 3)))


def recurrent_cases(numpy, random):
    f = lambda *shape: floats(random, *shape, scale=0.6)
    for op, gates in (("RNN", 1), ("GRU", 3), ("LSTM", 4)):
        for directions in (1, 2):
            more = {"hidden_size": 4, "direction": "bidirectional" if directions == 2 else "forward"}
            inputs = [f(5, 2, 3), f(directions, gates * 4, 3), f(directions, gates * 4, 4), f(directions, gates * 8)]
            name = f"{op} {directions}"
            outputs = 3 if op == "LSTM" else 2
            yield Case(name, op, inputs, domain="", outputs=outputs, **more)
            yield Case(f"{name} clip", op, inputs, domain="", outputs=outputs, clip=0.3, **more)
            functions = {"RNN": ["Relu"], "GRU": ["HardSigmoid", "Softsign"],
                         "LSTM": ["HardSigmoid", "ScaledTanh", "Affine"]}[op] * directions
            numbers = {"RNN": ([], []), "GRU": ([0.3], [0.4]), "LSTM": ([0.3, 1.2, 0.5], [0.4, 0.7, 0.1])}[op]
            alphas = {"activation_alpha": numbers[0] * directions, "activation_beta": numbers[1] * directions}
            yield Case(f"{name} functions", op, inputs, domain="", outputs=outputs, activations=functions,
                       **{key: value for key, value in alphas.items() if value}, **more)
            lengths = numpy.array([5, 3], "int32")
            yield Case(f"{name} lengths", op, [*inputs, lengths, f(directions, 2, 4)], domain="", outputs=outputs, **more)
    inputs = [f(5, 2, 3), f(1, 16, 3), f(1, 16, 4), f(1, 32)]
    states = [None, f(1, 2, 4), f(1, 2, 4), f(1, 12)]
    yield Case("LSTM peepholes", "LSTM", [*inputs, *states], domain="", outputs=3, hidden_size=4)
    yield Case("LSTM peepholes clip", "LSTM", [*inputs, *states], domain="", outputs=3, hidden_size=4, clip=0.2)
    yield Case("LSTM input_forget", "LSTM", inputs, domain="", outputs=3, hidden_size=4, input_forget=1)
    # A state's element that lies between two bytes may round either way: the bound covers the
    # effect of one.
    scale = lambda *shape: (numpy.abs(floats(random, *shape)) / 90 + 0.002).astype("float32")
    for directions, batches, dtype in ((1, 1, "uint8"), (2, 3, "int8")):
        weights = [weights_of(random, dtype, directions, size, 16) for size in (3, 4)]
        zeros = [random.integers(0, 9, directions).astype(dtype) for _ in weights]
        yield Case(f"dynamic quantize LSTM {dtype}", "DynamicQuantizeLSTM",
                   [f(5, batches, 3), *weights, f(directions, 32), None, f(directions, batches, 4),
                    f(directions, batches, 4), None, scale(directions), zeros[0], scale(directions), zeros[1]],
                   outputs=3, known=(1, 2, 8, 9, 10, 11), hidden_size=4, within=1e-2,
                   direction="bidirectional" if directions == 2 else "forward")
    columns = [weights_of(random, "int8", 1, size, 16) for size in (3, 4)]
    yield Case("dynamic quantize LSTM columns", "DynamicQuantizeLSTM",
               [f(5, 2, 3), *columns, f(1, 32), None, None, None, None, scale(1, 16), numpy.zeros((1, 16), "int8"),
                scale(1, 16), numpy.zeros((1, 16), "int8")], outputs=3, known=(1, 2, 8, 9, 10, 11), hidden_size=4,
               within=1e-2)
    yield Case("GRU after", "GRU", [f(5, 2, 3), f(1, 12, 3), f(1, 12, 4), f(1, 24)], domain="", outputs=2, hidden_size=4,
               linear_before_reset=1, clip=0.5)


def compare(case, program, kernels, onnx, onnxruntime, folder):
    """Returns ("agree" | "none" | "differ" | "refused", why)."""
    path = pathlib.Path(folder, "one.onnx")
    right_one = case.like or case
    model = right_one.model(onnx)
    path.write_bytes(model.SerializeToString())
    names = [value.name for value in model.graph.output]
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        want = session.run(names, right_one.feeds())
    except Exception as error:  # pylint: disable=broad-except  # whatever the runtime raises
        return "refused", f"ONNX Runtime: {str(error).splitlines()[0][:200]}"
    path.write_bytes(case.model(onnx).SerializeToString())
    status, got, said = run_model(program, path, case.feeds(), names, kernels)
    if status:
        return ("none" if status == 2 else "differ"), said
    for name, right in zip(names, want):
        if right.dtype.kind in "iu":
            if got[name].dtype != right.dtype or got[name].shape != right.shape:
                return "differ", f"{name}: {got[name].dtype}{got[name].shape}, not {right.dtype}{right.shape}"
            off = abs(got[name].astype("i8") - right.astype("i8"))
            if off.max(initial=0) > case.units:
                return "differ", f"{name}: {(off > case.units).sum()} of {off.size} are off, by {off.max()}"
        elif wrong := difference(got[name], right, case.within):
            return "differ", f"{name}: {wrong}"
    return "agree", ""


def main():
    options = read_arguments(__doc__, "kernels")
    try:
        import numpy
        import onnx
        import onnxruntime
    except ImportError:
        peers.require(options.bin, "onnx", "onnxruntime")
    onnxruntime.set_default_logger_severity(4)
    program = options.bin.resolve() / "opledger-run"
    random = numpy.random.default_rng(7)
    cases = [*quantised_cases(numpy, random), *layer_cases(numpy, random), *tensor_cases(numpy, random),
             *attention_cases(numpy, random), *recurrent_cases(numpy, random)]
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for case in [each for each in cases if options.only in each.name][::options.every]:
            what, why = compare(case, program, options.kernels, onnx, onnxruntime, folder)
            counts[what] += 1
            if why:
                print(f"{what:8}{case.name} ({case.op}): {why}", flush=True)
    print(f"{counts['agree']} of {sum(counts.values())} nodes agree with ONNX Runtime, {counts['none']} are not "
          f"served, {counts['refused']} are refused by it, {counts['differ']} differ")
    return 1 if counts["differ"] or counts["none"] or counts["refused"] or not counts["agree"] else 0


if __name__ == "__main__":
    sys.exit(main())
