"""Random valid ONNX graphs: 2 to 40 nodes of over 120 operators on floats, integers and booleans of
known shapes, with constants of all magnitudes, If, Loop and functions; and random inputs for them.
For tests of value ranges; the graphs do not resemble networks. The same seed yields the same graph.
"""
# SPDX-License-Identifier: Apache-2.0

import dataclasses
import math

import numpy
import onnx
import onnx.helper
import onnx.numpy_helper

from graph_writer import BOOL, FLOAT, INT64, Case, Writer

DTYPES = {"f": numpy.float32, "i": numpy.int64, "b": numpy.bool_}
TYPES = {"f": FLOAT, "i": INT64, "b": BOOL}
OPSETS = (17, 21)
# Values at which operators change behavior.
FLOATS = (0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -2.0, 3.0, 7.0, 255.0, 257.0, 2049.0, 1e-3, 1e-5, 1e-7, 1e-8, 1e-12, 1e-30,
          1e-42, 0.999, 0.9999999, 1.001, 1.0000001, 1e3, 1e4, -1e4, 65504.0, 65520.0, -65505.0, 1e5, 1e9, -1e9, 1e20,
          3e38, -3.4028234663852886e38, 5.96e-8, 6.1e-5, math.pi, 11.09, 88.8)
RARE_FLOATS = (math.inf, -math.inf, math.nan)
INTS = (0, 1, -1, 2, 3, 5, 7, 64, 100, 255, 257, 2049, 65505, 100000, -4, 1 << 31, 1 << 40)


class Unfit(Exception):
    """The selected operator finds no operands."""


@dataclasses.dataclass(frozen=True)
class Value:
    name: str
    kind: str  # "f", "i" or "b"
    shape: tuple

    @property
    def rank(self):
        return len(self.shape)


def numbers(w, kind, shape):
    """Returns an array of interesting values."""
    draw = w.random
    count = math.prod(shape)
    if kind == "b":
        return numpy.array([draw.random() < 0.5 for _ in range(count)], bool).reshape(shape)
    if kind == "i":
        pool = [draw.choice(INTS) for _ in range(draw.choice((1, 2, 8)))] if draw.random() < 0.5 else range(-3, 12)
        return numpy.array([draw.choice(list(pool)) for _ in range(count)], numpy.int64).reshape(shape)
    style = draw.random()
    if style < 0.35:
        found = [draw.choice(FLOATS)] * count
    elif style < 0.5:
        found = [draw.choice(FLOATS) for _ in range(count)]
    elif style < 0.53:
        found = [draw.choice(FLOATS + RARE_FLOATS) for _ in range(count)]
    elif style < 0.63:
        found = [float(each) * draw.choice((1, 1, 100)) for each in range(count)]
    else:
        scale = 10.0 ** draw.uniform(-3, 3) if draw.random() < 0.3 else 1.0
        found = [draw.gauss(draw.choice((0, 0, 1)), 1) * scale for _ in range(count)]
    return numpy.array(found, numpy.float32).reshape(shape)


class Graph:
    """A growing graph: its writer and the values that a node may read."""

    def __init__(self, writer, values=(), depth=0):
        self.w, self.values, self.depth = writer, list(values), depth
        self.random, self.constant = writer.random, writer.constant

    def drawn(self, kind, shape):
        return Value(self.constant(numbers(self.w, kind, shape)), kind, tuple(shape))

    def ints(self, *values):
        return self.constant(numpy.array(values, numpy.int64))

    def scalar(self, value, dtype=numpy.int64):
        return self.constant(dtype(value))

    def pick(self, kind, where=lambda value: True):
        """Returns a value, preferably a recent one; sometimes a float constant."""
        found = [each for each in self.values if each.kind == kind and where(each)]
        if not found:
            raise Unfit
        at = len(found) - 1 - min(int(self.random.expovariate(0.4)), len(found) - 1)
        return found[at]

    def partner(self, value):
        """Returns a value that broadcasts with `value` to few elements."""
        if self.random.random() < 0.45:
            shape = self.random.choice(((), (1,), value.shape, value.shape[-1:]))
            return self.drawn(value.kind, shape)
        return self.pick(value.kind, lambda other: fits(value.shape, other.shape))

    def add(self, kind, shape, op, *inputs, **attributes):
        inputs = [each.name if isinstance(each, Value) else each for each in inputs]
        value = Value(self.w(op, *inputs, **attributes), kind, tuple(shape))
        self.values.append(value)
        return value

    def hidden(self, op, *inputs, **attributes):
        """Adds a node whose output only the next one reads."""
        return self.w(op, *[each.name if isinstance(each, Value) else each for each in inputs], **attributes)

    def grow(self, nodes):
        """Adds at least so many nodes; a step may write several."""
        wanted = len(self.w.nodes) + nodes
        for _ in range(20 * nodes):
            if len(self.w.nodes) >= wanted:
                return
            step, = self.random.choices(WRITERS, WEIGHTS)
            try:
                step(self)
            except Unfit:
                continue


def fits(first, second):
    try:
        return math.prod(numpy.broadcast_shapes(first, second)) <= 256
    except ValueError:
        return False


def floats(g, least_rank=0):
    return g.pick("f", lambda value: value.rank >= least_rank and math.prod(value.shape) > 0)


def axis_of(g, value):
    return g.random.randrange(value.rank)


UNARY = ("Abs", "Neg", "Relu", "Sigmoid", "Tanh", "Exp", "Log", "Sqrt", "Reciprocal", "Floor", "Ceil", "Round", "Sign",
         "Erf", "Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Asinh", "Acosh", "Atanh", "Softplus",
         "Softsign", "Identity", "Elu", "Selu", "Celu", "LeakyRelu", "HardSigmoid", "HardSwish", "ThresholdedRelu",
         "Dropout")


def unary(g):
    x = floats(g)
    op = g.random.choice(UNARY)
    attributes = {"alpha": g.random.choice((0.1, 1.0, 2.0))} if op in ("Elu", "LeakyRelu", "ThresholdedRelu") else {}
    g.add("f", x.shape, op, x, **attributes)


def newer_unary(g):
    """Unary operators added in opset 18 and 20."""
    if g.w.opset < 20:
        raise Unfit
    x = floats(g)
    op = g.random.choice(("Mish", "Gelu"))
    g.add("f", x.shape, op, x, **({"approximate": g.random.choice(("none", "tanh"))} if op == "Gelu" else {}))


def shrink(g):
    x = floats(g)
    g.add("f", x.shape, "Shrink", x, lambd=g.random.choice((0.5, 2.0)), bias=g.random.choice((0.0, 0.5)))


def binary(g):
    x = floats(g)
    y = g.partner(x)
    if g.random.random() < 0.3:
        x, y = y, x
    op = g.random.choice(("Add", "Add", "Sub", "Mul", "Mul", "Div", "Max", "Min", "Mean", "Sum", "Pow"))
    g.add("f", numpy.broadcast_shapes(x.shape, y.shape), op, x, y)


def same_twice(g):
    """x - x, x * x, x / x."""
    x = floats(g)
    g.add("f", x.shape, g.random.choice(("Sub", "Mul", "Div", "Add", "Max", "Pow")), x, x)


def guarded(g):
    """x + eps under a function that needs it."""
    x = floats(g)
    q = g.add("f", x.shape, g.random.choice(("Abs", "Relu", "Exp", "Sigmoid")), x)
    s = g.add("f", x.shape, g.random.choice(("Add", "Max")), q, g.constant(numpy.float32(g.random.choice(
        (1e-3, 1e-5, 1e-7, 1e-8, 1e-12)))))
    g.add("f", x.shape, g.random.choice(("Log", "Sqrt", "Reciprocal")), s)


def remainder(g):
    x = floats(g)
    g.add("f", x.shape, "Mod", x, g.scalar(g.random.choice((1.0, 2.5, 360.0, -3.0)), numpy.float32), fmod=1)


def clip(g):
    x = floats(g)
    low, high = sorted(g.random.choice(FLOATS) for _ in range(2))
    low, high = (g.scalar(each, numpy.float32) for each in (low, high))
    g.add("f", x.shape, "Clip", x, *g.random.choice(((low, high), (low,), ("", high))))


def prelu(g):
    x = floats(g, 1)
    g.add("f", x.shape, "PRelu", x, g.drawn("f", x.shape[-1:]))


def compare(g):
    kind = g.random.choice("ffi")
    x = g.pick(kind)
    y = g.partner(x)
    g.add("b", numpy.broadcast_shapes(x.shape, y.shape), g.random.choice(
        ("Less", "Greater", "LessOrEqual", "GreaterOrEqual", "Equal")), x, y)


def examined(g):
    x = floats(g)
    g.add("b", x.shape, g.random.choice(("IsNaN", "IsInf")), x)


def logic(g):
    x = g.pick("b")
    if g.random.random() < 0.3:
        g.add("b", x.shape, "Not", x)
        return
    y = g.partner(x)
    g.add("b", numpy.broadcast_shapes(x.shape, y.shape), g.random.choice(("And", "Or", "Xor", "Equal")), x, y)


def where(g):
    condition = g.pick("b")
    x = g.pick(g.random.choice("ffi"), lambda value: fits(value.shape, condition.shape))
    y = g.partner(x)
    shape = numpy.broadcast_shapes(x.shape, y.shape)
    if not fits(shape, condition.shape):
        raise Unfit
    x, y = (x, y) if g.random.random() < 0.5 else (y, x)
    g.add(x.kind, numpy.broadcast_shapes(shape, condition.shape), "Where", condition, x, y)


def replaced(g):
    """Replaces NaN by 0."""
    x = floats(g)
    no_number = g.add("b", x.shape, "IsNaN", x)
    g.add("f", x.shape, "Where", no_number, g.constant(numpy.float32(0)), x)


REDUCTIONS = ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2",
              "ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp")


def reduced(g, kind="f"):
    x = g.pick(kind, lambda value: value.rank >= 1)
    op = g.random.choice(REDUCTIONS if kind == "f" else ("ReduceSum", "ReduceMax", "ReduceMin"))
    axes = sorted(g.random.sample(range(x.rank), g.random.randint(1, x.rank)))
    keep = g.random.choice((0, 1))
    shape = [1 if at in axes else size for at, size in enumerate(x.shape) if keep or at not in axes]
    if op == "ReduceSum" or g.w.opset >= 18:
        g.add(kind, shape, op, x, g.ints(*axes), keepdims=keep)
    else:
        g.add(kind, shape, op, x, axes=axes, keepdims=keep)


def best(g):
    x = floats(g, 1)
    axis = axis_of(g, x)
    shape = [1 if at == axis else size for at, size in enumerate(x.shape)]
    g.add("i", shape, g.random.choice(("ArgMax", "ArgMin")), x, axis=axis, select_last_index=g.random.choice((0, 1)))


def top(g):
    x = floats(g, 1)
    axis = axis_of(g, x)
    count = g.random.randint(1, x.shape[axis])
    shape = tuple(count if at == axis else size for at, size in enumerate(x.shape))
    values, indices = g.w.several(2, "TopK", x.name, g.ints(count), axis=axis, largest=g.random.choice((0, 1)))
    g.values += [Value(values, "f", shape), Value(indices, "i", shape)]


def cumulated(g):
    x = g.pick(g.random.choice("ffi"), lambda value: value.rank >= 1)
    g.add(x.kind, x.shape, "CumSum", x, g.scalar(axis_of(g, x)), exclusive=g.random.choice((0, 1)),
          reverse=g.random.choice((0, 1)))


def softmax(g):
    x = floats(g, 1)
    g.add("f", x.shape, g.random.choice(("Softmax", "Softmax", "LogSoftmax", "Hardmax")), x, axis=axis_of(g, x))


def converted(g):
    """Converts from kind to kind, or through a narrower type or double and back."""
    x = g.pick(g.random.choice("ffib"))
    to = g.random.choice("fffib".replace(x.kind, ""))
    if x.kind == "f" and g.random.random() < 0.3:
        x = g.add("f", x.shape, "Clip", x, g.scalar(-100, numpy.float32), g.scalar(100, numpy.float32))
    g.add(to, x.shape, "Cast", x, to=TYPES[to])


def through(g):
    x = g.pick(g.random.choice("ffi"))
    types = onnx.TensorProto
    between = g.random.choice((types.FLOAT16, types.DOUBLE, types.BFLOAT16) if x.kind == "f" else
                              (types.INT32, types.DOUBLE, types.UINT8, types.FLOAT))
    g.add(x.kind, x.shape, "Cast", g.hidden("Cast", x, to=between), to=TYPES[x.kind])


def reshaped(g):
    x = g.pick(g.random.choice("fffib"))
    count = math.prod(x.shape)
    rows = g.random.choice([each for each in range(1, count + 1) if count % each == 0])
    shape = g.random.choice(((count,), (rows, count // rows), (1, count), (1, rows, count // rows)))
    g.add(x.kind, shape, "Reshape", x, g.ints(*shape))


def transposed(g):
    x = g.pick(g.random.choice("fffib"), lambda value: value.rank >= 2)
    perm = g.random.sample(range(x.rank), x.rank)
    g.add(x.kind, [x.shape[at] for at in perm], "Transpose", x, perm=perm)


def sliced(g):
    x = g.pick(g.random.choice("fffib"), lambda value: value.rank >= 1 and min(value.shape) > 0)
    axis = axis_of(g, x)
    size = x.shape[axis]
    start = g.random.randrange(size)
    end = g.random.randint(start + 1, size)
    step = g.random.choice((1, 1, 2))
    count = len(range(start, end, step))
    shape = [count if at == axis else each for at, each in enumerate(x.shape)]
    if g.random.random() < 0.3 and start > 0:  # backwards
        shape[axis] = start
        g.add(x.kind, shape, "Slice", x, g.ints(start), g.ints(0), g.ints(axis), g.ints(-1))
        return
    g.add(x.kind, shape, "Slice", x, g.ints(start), g.ints(end), g.ints(axis), g.ints(step))


def gathered(g):
    x = g.pick(g.random.choice("fffib"), lambda value: value.rank >= 1 and min(value.shape) > 0)
    axis = axis_of(g, x)
    shape = g.random.choice(((), (2,), (3,), (1, 2)))
    size = x.shape[axis]
    at = numpy.array([g.random.randrange(-size, size) for _ in range(math.prod(shape))], numpy.int64).reshape(shape)
    g.add(x.kind, (*x.shape[:axis], *shape, *x.shape[axis + 1:]), "Gather", x, g.constant(at), axis=axis)


def looked_up(g):
    """Looks up a table by a computed index, clipped to the table."""
    index = g.pick("i", lambda value: value.rank <= 2)
    table = g.drawn("f", (g.random.choice((5, 12)),))
    inside = g.add("i", index.shape, "Clip", index, g.scalar(0), g.scalar(table.shape[0] - 1))
    g.add("f", index.shape, "Gather", table, inside)


def joined(g):
    x = g.pick(g.random.choice("fffib"), lambda value: value.rank >= 1)
    axis = axis_of(g, x)
    others = [x]
    for _ in range(g.random.randint(1, 2)):
        shape = [g.random.randint(1, 2) if at == axis else size for at, size in enumerate(x.shape)]
        same = [each for each in g.values if each.kind == x.kind and each.rank == x.rank and all(
            a == b or at == axis for at, (a, b) in enumerate(zip(each.shape, x.shape)))]
        others.append(g.random.choice(same) if g.random.random() < 0.6 else g.drawn(x.kind, shape))
    g.random.shuffle(others)
    total = sum(each.shape[axis] for each in others)
    g.add(x.kind, [total if at == axis else size for at, size in enumerate(x.shape)], "Concat", *others, axis=axis)


def split(g):
    x = g.pick(g.random.choice("ffi"), lambda value: value.rank >= 1 and max(value.shape) >= 2)
    axis = g.random.choice([at for at, size in enumerate(x.shape) if size >= 2])
    first = g.random.randint(1, x.shape[axis] - 1)
    sizes = (first, x.shape[axis] - first)
    parts = g.w.several(2, "Split", x.name, g.ints(*sizes), axis=axis)
    for name, size in zip(parts, sizes):
        g.values.append(Value(name, x.kind, tuple(size if at == axis else each for at, each in enumerate(x.shape))))


def padded(g):
    x = floats(g, 1)
    axis = axis_of(g, x)
    before, after = g.random.randint(0, 2), g.random.randint(0, 2)
    mode = g.random.choice(("constant", "constant", "edge", "reflect"))
    if mode == "reflect":
        before, after = (min(each, x.shape[axis] - 1) for each in (before, after))
    pads = [before if at == axis else 0 for at in range(x.rank)] + [after if at == axis else 0 for at in range(x.rank)]
    value = [g.scalar(g.random.choice(FLOATS), numpy.float32)] if mode == "constant" and g.random.random() < 0.7 else []
    shape = [size + before + after if at == axis else size for at, size in enumerate(x.shape)]
    g.add("f", shape, "Pad", x, g.ints(*pads), *value, mode=mode)


def widened(g):
    x = g.pick(g.random.choice("ffib"), lambda value: math.prod(value.shape) <= 64)
    if g.random.random() < 0.5 or not x.rank:
        g.add(x.kind, (2, *x.shape), "Expand", x, g.ints(2, *x.shape))
    else:
        times = [g.random.choice((1, 1, 2)) for _ in x.shape]
        g.add(x.kind, [a * b for a, b in zip(times, x.shape)], "Tile", x, g.ints(*times))


def dimensions(g):
    x = g.pick(g.random.choice("fffib"))
    ones = [at for at, size in enumerate(x.shape) if size == 1]
    if ones and g.random.random() < 0.5:
        at = g.random.choice(ones)
        g.add(x.kind, (*x.shape[:at], *x.shape[at + 1:]), "Squeeze", x, g.ints(at))
    elif x.rank < 3:
        at = g.random.randint(0, x.rank)
        g.add(x.kind, (*x.shape[:at], 1, *x.shape[at:]), "Unsqueeze", x, g.ints(at))
    else:
        axis = g.random.randint(0, x.rank)
        g.add(x.kind, (math.prod(x.shape[:axis]), math.prod(x.shape[axis:])), "Flatten", x, axis=axis)


def shapes(g):
    x = g.pick(g.random.choice("fffib"))
    if g.random.random() < 0.5 and x.rank:
        g.add("i", (x.rank,), "Shape", x)
    else:
        g.add("i", (), "Size", x)


def counted(g):
    """Counts elements other than 0."""
    x = g.pick(g.random.choice("fib"), lambda value: value.rank >= 1)
    g.add("i", (), "Size", g.hidden("NonZero", x))


def made(g):
    """ConstantOfShape, Range, EyeLike, OneHot."""
    choice = g.random.randrange(4)
    if choice == 0:
        value = onnx.numpy_helper.from_array(numpy.float32([g.random.choice(FLOATS)]))
        g.add("f", (2, 3), "ConstantOfShape", g.ints(2, 3), **g.random.choice(({}, {"value": value})))
    elif choice == 1:
        start, step, count = g.random.choice((0.0, 1.0, -5.0, 250.0, 1e5)), g.random.choice((1.0, 0.5, -2.0, 100.0)), 5
        numbers_ = [g.scalar(each, numpy.float32) for each in (start, start + step * (count - 0.5), step)]
        g.add("f", (count,), "Range", *numbers_)
    elif choice == 2:
        x = g.pick("f", lambda value: value.rank == 2)
        g.add("f", x.shape, "EyeLike", x, k=g.random.choice((0, 1)))
    else:
        x = g.pick("i", lambda value: 1 <= value.rank <= 2)
        values = g.constant(numpy.float32([g.random.choice(FLOATS), g.random.choice(FLOATS)]))
        g.add("f", (*x.shape, 4), "OneHot", x, g.scalar(4), values, axis=-1)


def triangle(g):
    x = floats(g, 2)
    g.add("f", x.shape, "Trilu", x, g.scalar(g.random.choice((-1, 0, 1))), upper=g.random.choice((0, 1)))


def scattered(g):
    x = floats(g, 1)
    axis = axis_of(g, x)
    size = x.shape[axis]
    shape = tuple(1 if at == axis else each for at, each in enumerate(x.shape))
    at = numpy.full(shape, g.random.randrange(size), numpy.int64)
    updates = g.drawn("f", shape)
    g.add("f", x.shape, "ScatterElements", x, g.constant(at), updates, axis=axis,
          reduction=g.random.choice(("none", "none", "add", "mul")))


def gathered_elements(g):
    x = floats(g, 1)
    axis = axis_of(g, x)
    at = [g.random.randrange(x.shape[axis]) for _ in range(math.prod(x.shape))]
    g.add("f", x.shape, "GatherElements", x, g.constant(numpy.array(at, numpy.int64).reshape(x.shape)), axis=axis)


def matmul(g):
    x = floats(g, 2)
    other = g.drawn("f", (x.shape[-1], g.random.randint(1, 4))) if g.random.random() < 0.7 else \
        g.pick("f", lambda value: value.rank == 2 and value.shape[0] == x.shape[-1])
    g.add("f", (*x.shape[:-1], other.shape[1]), "MatMul", x, other)


def gemm(g):
    x = g.pick("f", lambda value: value.rank == 2 and min(value.shape) > 0)
    turned = g.random.choice((0, 1))
    rows, depth = x.shape[::-1] if turned else x.shape
    width = g.random.randint(1, 4)
    bias = [g.drawn("f", (width,))] if g.random.random() < 0.6 else []
    g.add("f", (rows, width), "Gemm", x, g.drawn("f", (depth, width)), *bias, transA=turned,
          alpha=g.random.choice((1.0, 1.0, 0.5, -2.0)), beta=g.random.choice((1.0, 0.0, 2.0)))


def convolved(g):
    x = g.pick("f", lambda value: value.rank == 3 and value.shape[2] >= 2 and min(value.shape) > 0)
    channels = g.random.randint(1, 3)
    bias = [g.drawn("f", (channels,))] if g.random.random() < 0.5 else []
    g.add("f", (x.shape[0], channels, x.shape[2]), "Conv", x, g.drawn("f", (channels, x.shape[1], 3)), *bias,
          kernel_shape=[3], pads=[1, 1])


def pooled(g):
    x = g.pick("f", lambda value: value.rank == 3 and value.shape[2] >= 2 and min(value.shape) > 0)
    choice = g.random.randrange(4)
    if choice == 0:
        g.add("f", (*x.shape[:2], 1), g.random.choice(("GlobalAveragePool", "GlobalMaxPool")), x)
    elif choice == 1:
        g.add("f", (*x.shape[:2], x.shape[2] - 1), "LpPool", x, kernel_shape=[2], p=g.random.choice((1, 2)))
    else:
        attributes = {"count_include_pad": g.random.choice((0, 1))} if choice == 2 else {}
        g.add("f", (*x.shape[:2], x.shape[2] + 1), "AveragePool" if choice == 2 else "MaxPool", x, kernel_shape=[2],
              pads=[1, 1], **attributes)


def normalised(g):
    x = floats(g, 2)
    eps = g.random.choice((1e-5, 1e-12, 1e-3))
    choice = g.random.randrange(5)
    if choice == 0:
        scale = [g.drawn("f", x.shape[-1:]) for _ in range(g.random.randint(1, 2))]
        g.add("f", x.shape, "LayerNormalization", x, *scale, axis=-1, epsilon=eps)
    elif choice == 1:
        channel = x.shape[1:2]
        variance = g.constant(numpy.abs(numbers(g.w, "f", channel)))
        g.add("f", x.shape, "BatchNormalization", x, *[g.drawn("f", channel) for _ in range(3)], variance, epsilon=eps)
    elif choice == 2 and x.rank == 3:
        g.add("f", x.shape, "InstanceNormalization", x, *[g.drawn("f", x.shape[1:2]) for _ in range(2)], epsilon=eps)
    elif choice == 3:
        g.add("f", x.shape, "LpNormalization", x, axis=axis_of(g, x), p=g.random.choice((1, 2)))
    else:
        g.add("f", x.shape, "MeanVarianceNormalization", x, axes=[x.rank - 1])


def einsum(g):
    x = g.pick("f", lambda value: value.rank == 2 and min(value.shape) > 0)
    other = g.drawn("f", (g.random.randint(1, 3), x.shape[1]))
    equation, shape = g.random.choice((("ij,kj->ik", (x.shape[0], other.shape[0])), ("ij,kj->k", (other.shape[0],)),
                                       ("ij,kj->j", (x.shape[1],))))
    g.add("f", shape, "Einsum", x, other, equation=equation)


def quantised(g):
    x = floats(g)
    scale = g.scalar(g.random.choice((0.02, 1.0, 1e-3)), numpy.float32)
    zero = g.constant(g.random.choice((numpy.uint8(128), numpy.int8(0), numpy.uint8(0))))
    g.add("f", x.shape, "DequantizeLinear", g.hidden("QuantizeLinear", x, scale, zero), scale, zero)


def resized(g):
    x = g.pick("f", lambda value: value.rank == 3 and min(value.shape) > 0)
    mode = g.random.choice(("nearest", "linear"))
    g.add("f", (*x.shape[:2], 2 * x.shape[2]), "Resize", x, "", g.constant(numpy.float32([1, 1, 2])), mode=mode)


def whole_numbers(g):
    x = g.pick("i")
    op = g.random.choice(("Add", "Sub", "Mul", "Min", "Max", "Div", "Mod", "Neg", "Abs", "Sign", "Clip"))
    if op in ("Neg", "Abs", "Sign"):
        g.add("i", x.shape, op, x)
    elif op in ("Div", "Mod", "Mul"):
        g.add("i", x.shape, op, x, g.scalar(g.random.choice((2, 3, 7, 100, -5))))
    elif op == "Clip":
        g.add("i", x.shape, op, x, g.scalar(-10), g.scalar(g.random.choice((10, 300))))
    else:
        y = g.partner(x)
        g.add("i", numpy.broadcast_shapes(x.shape, y.shape), op, x, y)


def sequence(g):
    x = floats(g)
    both = g.hidden("SequenceConstruct", x, g.drawn("f", x.shape))
    g.add("f", x.shape, "SequenceAt", both, g.scalar(g.random.choice((0, 1))))


def condition_of(g):
    """A boolean scalar."""
    choice = g.random.random()
    if choice < 0.3:
        return g.constant(numpy.bool_(g.random.random() < 0.5))
    x = g.pick(g.random.choice("fi"))
    total = g.hidden("ReduceSum", x, g.ints(*range(x.rank)), keepdims=0) if x.rank else x.name
    zero = g.scalar(0, DTYPES[x.kind])
    return g.w(g.random.choice(("Less", "Greater")), total, zero)


def chosen(g):
    """An If whose branches compute with outer values."""
    if g.depth > 1:
        raise Unfit
    wanted = floats(g)
    condition = condition_of(g)
    branches = []
    for _ in range(2):
        inner = Graph(g.w.inner(), g.values, g.depth + 1)
        inner.grow(g.random.randint(1, 4))
        result = [each for each in inner.values[len(g.values):] if (each.kind, each.shape) == ("f", wanted.shape)]
        result = result[-1] if result else g.random.choice((wanted, inner.drawn("f", wanted.shape)))
        inner.w.output(inner.w("Identity", result.name), wanted.shape)
        branches.append(inner.w.graph(inner.w.fresh("branch")))
    g.add("f", wanted.shape, "If", condition, then_branch=branches[0], else_branch=branches[1])


def looped(g):
    """A Loop that carries a float and an integer, and collects results."""
    if g.depth > 1:
        raise Unfit
    first, second = floats(g), g.pick("i")
    trips = g.random.choice((0, 1, 2, 3, 5, 12))
    body = Graph(g.w.inner(), g.values, g.depth + 1)
    turn, goes, carried, count = (body.w.fresh(stem) for stem in ("turn", "goes", "carried", "count"))
    for name, kind, shape in ((turn, "i", ()), (goes, "b", ()), (carried, "f", first.shape),
                              (count, "i", second.shape)):
        body.w.input(name, list(shape), TYPES[kind])
        body.values.append(Value(name, kind, tuple(shape)))
    body.grow(g.random.randint(1, 5))
    fresh = body.values[len(g.values) + 4:]

    def result(kind, shape, otherwise):
        found = [each.name for each in fresh if (each.kind, each.shape) == (kind, tuple(shape))]
        return body.w("Identity", found[-1] if found else otherwise)
    stay = body.constant(numpy.bool_(True))
    if g.random.random() < 0.3:
        stay = body.w("Less", turn, body.scalar(2))
    step = body.w("Mul", carried, body.scalar(g.random.choice((0.5, 1.0, 1.5, 10.0)), numpy.float32))
    again = body.w("Add", count, body.scalar(g.random.choice((1, -1, 100))))
    body.w.output(body.w("Identity", stay), [], BOOL)
    body.w.output(result("f", first.shape, step), first.shape)
    body.w.output(result("i", second.shape, again), second.shape, INT64)
    body.w.output(body.w("Identity", carried), first.shape)
    limit = g.scalar(trips)
    if g.random.random() < 0.2:
        limit = g.hidden("Clip", g.hidden("ReduceMax", second, keepdims=0), g.scalar(0), g.scalar(6))
    outputs = g.w.several(3, "Loop", limit, g.constant(numpy.bool_(True)), first.name, second.name,
                          body=body.w.graph(body.w.fresh("body")))
    g.values += [Value(outputs[0], "f", first.shape), Value(outputs[1], "i", second.shape)]


def scanned(g):
    x = floats(g, 1)
    state_shape = x.shape[1:]
    body = g.w.inner()
    state, each = body.fresh("state"), body.fresh("each")
    for name in (state, each):
        body.input(name, list(state_shape))
    following = body(g.random.choice(("Add", "Mul", "Max", "Sub")), state, each)
    body.output(body("Identity", following), state_shape)
    body.output(body(g.random.choice(("Exp", "Neg", "Tanh")), following), state_shape)
    last, collected = g.w.several(2, "Scan", g.drawn("f", state_shape).name, x.name, num_scan_inputs=1,
                                  body=body.graph(body.fresh("body")))
    g.values += [Value(last, "f", state_shape), Value(collected, "f", x.shape)]


def called(g):
    """A function in the model, called once or twice."""
    if g.depth:
        raise Unfit
    x = floats(g)
    y = g.pick("f", lambda value: value.shape == x.shape)

    def write(w, first, second):
        inner = Graph(w, [Value(first, "f", x.shape), Value(second, "f", x.shape)], depth=2)
        inner.grow(g.random.randint(1, 4))
        found = [each.name for each in inner.values[2:] if (each.kind, each.shape) == ("f", x.shape)]
        return w("Identity", found[-1] if found else w("Add", first, second))
    name = g.w.function(2, write)
    g.add("f", x.shape, name, x, y, domain="local")
    if g.random.random() < 0.4:
        g.add("f", x.shape, name, g.values[-1], x, domain="local")


# (weight, function that writes nodes).
STEPS = ((14, unary), (2, newer_unary), (1, shrink), (14, binary), (3, same_twice), (3, guarded), (1, remainder),
         (4, clip), (1, prelu), (4, compare), (1, examined), (3, logic), (4, where), (1, replaced), (5, reduced),
         (2, lambda g: reduced(g, "i")), (2, best), (2, top), (2, cumulated), (3, softmax), (6, converted),
         (2, through), (3, reshaped), (2, transposed), (2, sliced), (2, gathered), (2, looked_up), (3, joined),
         (2, split), (2, padded), (2, widened), (2, dimensions), (2, shapes), (1, counted), (2, made), (1, triangle),
         (1, scattered), (1, gathered_elements), (14, matmul), (5, gemm), (5, convolved), (2, pooled),
         (3, normalised), (1, einsum), (1, quantised), (1, resized), (6, whole_numbers), (1, sequence), (2, chosen),
         (2, looped), (1, scanned), (1, called))
WEIGHTS, WRITERS = zip(*STEPS)


def range_of(w, kind):
    """Returns (low, high) of an input, or None if its range is not given."""
    if kind == "b" or w.random.random() < 0.4:
        return None
    if kind == "i":
        return w.random.choice(((0, 1), (0, 255), (0, 1000), (-5, 5), (1, 1), (0, 30521)))
    ends = w.random.choice(((0.0, 1.0), (-1.0, 1.0), (0.0, 255.0), (-10.0, 10.0), (1e-3, 1.0), (0.0, 0.0), (-1e5, 1e5),
                            (1.0, 1.0001), (0.0, 1e-6), (-3.0, 0.0), (500.0, 1000.0)))
    return tuple(float(numpy.float32(end)) for end in ends)


def random_graph(seed):
    w = Writer(seed)
    w.opset = w.random.choice(OPSETS)
    g = Graph(w)
    ranges = {}
    for at in range(w.random.randint(1, 4)):
        kind = "f" if at == 0 else w.random.choice("ffib")
        shape = w.random.choice(((2, 3, 4), (3, 4), (4,), (2, 3), (1, 3), (), (2, 3, 4), (1, 2, 3)))
        value = Value(w.input(f"in{at}", list(shape), TYPES[kind]), kind, shape)
        g.values.append(value)
        found = range_of(w, kind)
        if found:
            ranges[value.name] = found
    inputs = len(g.values)
    g.grow(w.random.randint(2, 40))
    read = {name for node in w.nodes for name in node.input}
    results = [each for each in g.values[inputs:] if each.name not in read or w.random.random() < 0.1] or g.values[-1:]
    for each in results:
        w.output(w("Identity", each.name) if each in g.values[:inputs] else each.name, each.shape, TYPES[each.kind])
    return Case(f"random/{seed}", w.model(), {}, ranges)


def random_feeds(case, rng):
    """Returns inputs within their ranges, including the ends and 0; of all magnitudes if the range
    is not given."""
    feeds = {}
    for each in case.model.graph.input:
        shape = tuple(dim.dim_value for dim in each.type.tensor_type.shape.dim)
        dtype = onnx.helper.tensor_dtype_to_np_dtype(each.type.tensor_type.elem_type)
        low, high = case.ranges.get(each.name, (None, None))
        if dtype == bool:
            found = rng.integers(0, 2, shape)
        elif dtype.kind == "i":
            ends = [(low, high)] if low is not None else [(0, 3), (-5, 300), (-(1 << 31), 1 << 31), (1 << 52, 1 << 53)]
            found = rng.integers(*ends[rng.integers(len(ends))], shape, endpoint=True)
        elif low is not None:
            found = rng.uniform(low, high, shape)
            special = [end for end in (low, high, 0.0) if low <= end <= high]
            found = numpy.where(rng.random(shape) < 0.25, rng.choice(special, shape), found)
            found = numpy.clip(found.astype(numpy.float32), numpy.float32(low), numpy.float32(high))
        else:
            scale = 10.0 ** rng.choice((0, 0, 0, -6, 3, 9, 37))
            found = rng.standard_normal(shape) * scale
            found = numpy.where(rng.random(shape) < 0.2, rng.choice((0.0, 1.0, -1.0, 65504.0, 1e-8), shape), found)
        feeds[each.name] = numpy.asarray(found).astype(dtype).reshape(shape)
    return feeds
