"""For each operator that has a range function: a function that writes a node with random operands,
attributes and shapes (`case(draws)`, see transfer_draws.py). transfer_test.py runs them in ONNX
Runtime."""
# SPDX-License-Identifier: Apache-2.0

import math

import numpy
import onnx
import onnx.helper
import onnx.numpy_helper

from graph_writer import FLOAT, INT64
from transfer_draws import single

CASES = {}
# Operators without a case, and why.
NOT_RUN = {}
INTEGERS = (numpy.int64, numpy.int32, numpy.uint8, numpy.int8)


def case(*names, opset=21):
    """Registers `write(draws, op)` as the case of several operators. OP@N is OP as of opset N."""
    def register(write):
        for name in names:
            op, _, version = name.partition("@")

            def one(draws, op=op):
                return write(draws, op)
            one.opset = int(version) if version else opset
            CASES[name] = one
        return write
    return register


def maybe(d, **attributes):
    """Returns a random subset of the attributes; each is a function that draws its value."""
    return {name: draw() for name, draw in attributes.items() if d.chance(0.7)}


def slope(d):
    return d.choose(0.0, 0.01, 0.2, 1.0, 1.5, -0.5, 1e-6, 100.0)


# Functions of one operand.
@case("Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Ceil", "Cos", "Cosh", "Erf", "Exp", "Floor", "HardSwish",
      "Identity", "IsNaN", "Log", "Mish", "Reciprocal", "Round", "Sigmoid", "Sin", "Sinh", "Softplus", "Softsign",
      "Sqrt", "Tanh")
def unary(d, op):
    d(op, d.floats(d.shape()))


@case("Abs", "Neg", "Sign", "Relu")
def unary_of_numbers(d, op):
    if d.chance(0.3):
        types = (numpy.int64, numpy.int32, numpy.int8) if op == "Neg" else (numpy.int32, numpy.int8)
        d(op, d.whole(d.shape(), d.choose(*types)))
    else:
        d(op, d.floats(d.shape()))


@case("Not")
def negation(d, op):
    d(op, d.bools(d.shape()))


@case("IsInf")
def infinity(d, op):
    d(op, d.floats(d.shape()), **maybe(d, detect_negative=lambda: d.choose(0, 1)))


@case("Elu", "LeakyRelu", "ThresholdedRelu")
def with_alpha(d, op):
    d(op, d.floats(d.shape()), **maybe(d, alpha=lambda: slope(d)))


@case("Swish", opset=24)
def swish(d, op):
    d(op, d.floats(d.shape()), **maybe(d, alpha=lambda: slope(d)))


@case("Selu")
def selu(d, op):
    d(op, d.floats(d.shape()), **maybe(d, alpha=lambda: slope(d), gamma=lambda: slope(d)))


@case("HardSigmoid")
def hard_sigmoid(d, op):
    d(op, d.floats(d.shape()), **maybe(d, alpha=lambda: slope(d), beta=lambda: d.choose(0.0, 0.5, 1.0, -0.5, 2.0)))


@case("Gelu")
def gelu(d, op):
    d(op, d.floats(d.shape()), **maybe(d, approximate=lambda: d.choose("none", "tanh")))


@case("com.microsoft.Gelu", "com.microsoft.QuickGelu", "com.microsoft.FastGelu")
def microsoft(d, op):
    shape = d.shape(1)
    inputs = [d.floats(shape)]
    attributes = {}
    if op.endswith("QuickGelu"):
        attributes = maybe(d, alpha=lambda: slope(d))
    if op.endswith("FastGelu") and d.chance(0.5):
        inputs.append(d.floats(shape[-1:]))
    d.typed[d(op.rpartition(".")[2], *inputs, domain="com.microsoft", **attributes)] = FLOAT


# Functions of several operands.
def two(d, integers=INTEGERS, share=0.2, ends=None):
    shape = d.shape()
    if d.chance(share):
        dtype = d.choose(*integers)
        return d.whole(shape, dtype), d.whole(d.partner(shape), dtype, ends)
    x = d.floats(shape)
    return (x, x) if d.chance(0.1) else (x, d.floats(d.partner(shape)))


@case("Add", "Sub", "Mul", "Max", "Min")
def arithmetic(d, op):
    x, y = two(d)
    one_of(d, d(op, *((y, x) if d.chance(0.3) else (x, y))))


@case("Div")
def division(d, op):
    if d.chance(0.3):
        shape = d.shape()
        divisor = d.choose((1, 1), (2, 2), (1, 9), (3, 100), (-7, -2), (1, 1 << 30))
        d(op, d.whole(shape, numpy.int64), d.whole(d.partner(shape), numpy.int64, divisor))
    else:
        d(op, *two(d, share=0))


@case("Mod")
def remainder(d, op):
    shape = d.shape()
    if d.chance(0.5):
        dtype = d.choose(numpy.int64, numpy.int32)
        divisor = d.choose((1, 1), (2, 2), (1, 9), (3, 100), (-7, -2), (-1, -1))
        d(op, d.whole(shape, dtype), d.whole(d.partner(shape), dtype, divisor), fmod=d.choose(0, 1))
    else:
        d(op, d.floats(shape), d.floats(d.partner(shape)), fmod=1)


@case("Pow")
def power(d, op):
    shape = d.shape()
    if d.chance(0.5):
        exponent = d.scalar(d.choose(-3.0, -2.0, -1.0, -0.5, 0.0, 0.25, 0.5, 1.0, 2.0, 3.0, 4.0, 2.5, 7.0, 50.0, 51.0))
    elif d.chance(0.4):
        exponent = d.whole(d.partner(shape), numpy.int64, d.choose((-3, 3), (2, 2), (3, 3), (0, 5), (-1, -1), (9, 40)))
    else:
        exponent = d.floats(d.partner(shape), d.choose(None, (0.0, 1.0), (-2.0, 2.0), (1.5, 1.5), (-1.0, -0.5)))
    d(op, d.floats(shape), exponent)


@case("Sum", "Mean")
def several(d, op):
    shape = d.shape()
    d(op, *[d.floats(shape if not at else d.partner(shape)) for at in range(d.random.randint(1, 4))])


@case("Less", "LessOrEqual", "Greater", "GreaterOrEqual", "Equal")
def comparison(d, op):
    d(op, *two(d, integers=(numpy.int64, numpy.int32)))


@case("And", "Or", "Xor")
def logic(d, op):
    shape = d.shape()
    d(op, d.bools(shape), d.bools(d.partner(shape)))


@case("Where")
def choice(d, op):
    shape = d.shape()
    if d.chance(0.5):
        x, y = d.floats(shape), d.floats(d.partner(shape))
        condition = d(d.choose("Less", "LessOrEqual", "Greater", "GreaterOrEqual"), x, y)
        sides = [x, y, d.floats(d.partner(shape))]
        d(op, condition, d.random.choice(sides), d.random.choice(sides))
    else:
        one_of(d, d(op, d.bools(d.partner(shape)), d.floats(shape), d.floats(d.partner(shape))))


def clip_bound(d):
    return d.choose("", d.scalar(d.choose(0.0, 1.0, -1.0, 6.0, 1e-7, d.mark(), d.mark())), d.floats(()))


@case("Clip")
def clip(d, op):
    if d.chance(0.2):
        d(op, d.whole(d.shape(), numpy.int64), *[d.choose("", d.whole((), numpy.int64)) for _ in range(2)])
    else:
        d(op, d.floats(d.shape()), clip_bound(d), clip_bound(d))


@case("PRelu")
def prelu(d, op):
    shape = d.shape()
    d(op, d.floats(shape), d.floats(d.partner(shape)))


# Conversions to another type.
NUMBERS = ("FLOAT", "FLOAT16", "BFLOAT16", "DOUBLE", "INT8", "INT16", "INT32", "INT64", "UINT8", "UINT16", "UINT32",
           "UINT64", "BOOL")


def any_numbers(d, shape):
    way = d.random.random()
    if way < 0.7:
        return d.floats(shape)
    return d.bools(shape) if way < 0.8 else d.whole(shape, d.choose(*INTEGERS, numpy.int16, numpy.uint16, numpy.uint32))


@case("Cast")
def cast(d, op):
    to = getattr(onnx.TensorProto, d.choose(*NUMBERS))
    result = d(op, any_numbers(d, d.shape()), to=to)
    if to in (onnx.TensorProto.FLOAT16, onnx.TensorProto.BFLOAT16):
        d(op, result, to=FLOAT)


@case("CastLike")
def cast_like(d, op):
    to = d.choose(*INTEGERS, numpy.float16, numpy.float64, numpy.float32, bool)
    d(op, any_numbers(d, d.shape()), d.constant(numpy.zeros((1,), to)))


@case("DequantizeLinear")
def dequantize(d, op):
    shape, dtype = d.shape(), d.choose(numpy.uint8, numpy.int8, numpy.uint16, numpy.int16, numpy.int32)
    scale = d.floats((), d.choose(None, (0.02, 0.02), (1e-3, 1.0)))
    zero = [] if dtype == numpy.int32 or d.chance(0.3) else [d.whole((), dtype)]
    d(op, d.whole(shape, dtype), scale, *zero)


# Operators that move elements.
def any_operand(d, shape):
    """Returns an operand; in a third of cases, one whose elements are all known and differ, so that
    their positions matter."""
    if d.chance(0.3) and 1 < math.prod(shape) <= 512:
        return d.constant(d.rng.permutation(math.prod(shape)).reshape(shape).astype(numpy.float32))
    return d.floats(shape) if d.chance(0.8) else d.whole(shape)


def one_of(d, value):
    """Slices a single element of a value, or nothing if it has few, to check that the range of each
    element is kept at its position."""
    if d.chance(0.5):
        at = d.random.randint(0, 9)
        flat = d("Reshape", value, d.ints(-1))
        if d.opset < 10:
            d("Slice", flat, starts=[at], ends=[at + 1])
        else:
            d("Slice", flat, d.ints(at), d.ints(at + 1))


def indices(d, shape, size):
    """Returns indices along an axis of the given size, from either end."""
    if d.chance(0.6):
        return d.constant(d.array(shape, numpy.int64, (-size, size - 1)))
    return d.given(shape, numpy.int64, (-size, size - 1))


@case("Dropout")
def dropout(d, op):
    more = d.choose([], [d.scalar(0.5)], [d.scalar(0.5), d.constant(numpy.bool_(False))])
    d.several(2, op, d.floats(d.shape()), *more)


@case("Flatten")
def flatten(d, op):
    shape = d.shape()
    d(op, any_operand(d, shape), axis=d.random.randint(0, len(shape)))


@case("Reshape")
def reshape(d, op):
    shape = d.shape()
    d(op, any_operand(d, shape), d.ints(*d.choose((-1,), (math.prod(shape), 1), (1, -1))))


@case("Squeeze")
def squeeze(d, op):
    shape = (1, *d.shape(), 1)
    d(op, any_operand(d, shape), d.choose(d.ints(0), d.ints(-1), d.ints(0, -1)))


@case("Unsqueeze")
def unsqueeze(d, op):
    d(op, any_operand(d, d.shape()), d.choose(d.ints(0), d.ints(-1), d.ints(0, -1)))


@case("Transpose")
def transpose(d, op):
    shape = d.shape()
    perm = [*range(len(shape))]
    d.random.shuffle(perm)
    turned = d(op, any_operand(d, shape), **({"perm": perm} if perm and d.chance(0.8) else {}))
    one_of(d, turned)


@case("Slice")
def cut(d, op):
    shape = d.shape(1)
    axis = d.axis(shape)
    ends = [d.random.randint(-8, 8) for _ in range(2)]
    if d.chance(0.2):
        ends[1] = (1 << 63) - 1
    step = d.choose(1, 1, 2, -1, -2, 3)
    if step < 0 and d.chance(0.3):
        ends = [-1, -(1 << 62)]
    one_of(d, d(op, any_operand(d, shape), d.ints(ends[0]), d.ints(ends[1]), d.ints(axis), d.ints(step)))


@case("Gather")
def gather(d, op):
    shape = d.shape(1)
    axis = d.axis(shape)
    one_of(d, d(op, any_operand(d, shape), indices(d, d.choose((), (3,), (2, 2), (1,)), shape[axis]), axis=axis))


@case("GatherElements")
def gather_elements(d, op):
    shape = d.shape(1)
    axis = d.axis(shape)
    d(op, any_operand(d, shape), indices(d, shape, shape[axis]), axis=axis)


@case("GatherND")
def gather_nd(d, op):
    shape = d.shape(1)
    d(op, any_operand(d, shape), indices(d, (4, 1), shape[0]))


@case("Concat")
def concat(d, op):
    shape = d.shape(1)
    axis = d.axis(shape)
    at = axis % len(shape)
    sizes = [shape[:at] + (d.random.randint(1, 5),) + shape[at + 1:] for _ in range(d.random.randint(1, 4))]
    one_of(d, d(op, *[any_operand(d, each) if len(sizes) == 1 else d.floats(each) for each in sizes], axis=axis))


@case("Split")
def split(d, op):
    shape = d.choose((7,), (4, 6), (2, 600), (6, 10, 11))
    axis = d.axis(shape)
    size = shape[axis]
    if d.chance(0.5):
        first = d.random.randint(0, size)
        parts = d.several(2, op, any_operand(d, shape), d.ints(first, size - first), axis=axis)
    else:
        parts = d.several(2, op, any_operand(d, shape), axis=axis, num_outputs=2)
    for each in parts:
        one_of(d, each)


@case("Expand")
def expand(d, op):
    shape = d.shape()
    small = tuple(1 if d.chance(0.3) else size for size in shape)
    one_of(d, d(op, any_operand(d, small), d.ints(*d.choose(shape, (2, *shape)))))


@case("Tile")
def tile(d, op):
    shape = d.shape(1)
    tiled = d(op, any_operand(d, shape), d.ints(*[d.random.randint(1, 3) for _ in shape]))
    one_of(d, tiled)


@case("Pad")
def pad(d, op):
    shape = d.shape(1)
    mode = d.choose("constant", "constant", "edge", "reflect", "wrap")
    least, most = (0, 0) if mode == "reflect" and 1 in shape else (-1 if mode == "constant" else 0, 2)
    most = min([most, *[size - 1 for size in shape]]) if mode == "reflect" else most
    pads = [max(d.random.randint(least, most), -((size - 1) // 2)) for size in shape * 2]
    value = [d.floats((), d.choose(None, (0.0, 0.0)))] if mode == "constant" and d.chance(0.7) else []
    padded = d(op, any_operand(d, shape) if not value else d.floats(shape), d.ints(*pads), *value, mode=mode)
    one_of(d, padded)


@case("Trilu")
def triangle(d, op):
    d(op, any_operand(d, d.shape(2)), d.scalar(d.choose(-1, 0, 1), numpy.int64), upper=d.choose(0, 1))


@case("CenterCropPad")
def crop(d, op):
    shape = d.shape(1)
    d(op, d.floats(shape), d.ints(*[max(1, size + d.random.randint(-2, 2)) for size in shape]))


@case("Compress")
def compress(d, op):
    shape = d.shape(1)
    axis = d.axis(shape)
    d(op, any_operand(d, shape), d.bools((shape[axis],)), axis=axis)


@case("DepthToSpace")
def depth_to_space(d, op):
    d(op, d.floats((2, 8, 6, 7)), blocksize=2, mode=d.choose("DCR", "CRD"))


@case("SpaceToDepth")
def space_to_depth(d, op):
    d(op, d.floats((2, 2, 6, 8)), blocksize=2)


@case("ReverseSequence")
def reverse(d, op):
    d(op, any_operand(d, (7, 20)), d.whole((20,), numpy.int64, (1, 7)), batch_axis=1, time_axis=0)


@case("Scatter", opset=10)
@case("ScatterElements", opset=18)
def scatter_elements(d, op):
    shape = d.shape(1)
    axis = d.axis(shape)
    more = maybe(d, reduction=lambda: d.choose("none", "add", "mul", "max", "min")) if op != "Scatter" else {}
    indices = d.whole(shape, numpy.int64, (0 if op == "Scatter" else -shape[axis], shape[axis] - 1))
    d(op, d.floats(shape), indices, d.floats(shape), axis=axis, **more)


@case("ScatterND")
def scatter_nd(d, op):
    shape = d.choose((7,), (30, 20), (6, 10, 11))
    d(op, d.floats(shape), d.whole((3, 1), numpy.int64, (0, shape[0] - 1)), d.floats((3, *shape[1:])),
      **maybe(d, reduction=lambda: d.choose("none", "add", "mul", "max", "min")))


@case("Unique")
def unique(d, op):
    d.several(4, op, any_operand(d, d.shape(1)), sorted=d.choose(0, 1))


@case("Resize")
def resize(d, op):
    how = {"mode": d.choose("nearest", "linear", "linear", "cubic")}
    how.update(maybe(d, coordinate_transformation_mode=lambda: d.choose(
        "half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel")))
    if how["mode"] == "linear" and d.chance(0.3):
        how["antialias"] = 1
    scales = d.constant(numpy.float32([1, 1, d.choose(0.5, 1.5, 2.0), d.choose(0.7, 2.0, 3.0)]))
    region = ""
    if d.chance(0.2) and "antialias" not in how:
        how.update(coordinate_transformation_mode="tf_crop_and_resize", extrapolation_value=d.choose(0.0, 7.0, -100.0))
        region = d.constant(numpy.float32([0, 0, -0.3, 0.2, 1, 1, 1.2, 0.9]))
    d(op, d.floats((1, 2, 8, 9)), region, scales, **how)


@case("Upsample", opset=9)
def upsample(d, op):
    d(op, d.floats((1, 2, 8, 9)), d.constant(numpy.float32([1, 1, 2, 3])), mode=d.choose("nearest", "linear"))


@case("GridSample")
def grid_sample(d, op):
    grid = d.floats((1, 10, 11, 2), d.choose((-1.0, 1.0), (-2.0, 2.0), (-1.0, 1.0), (0.0, 0.0)))
    d(op, d.floats((1, 2, 5, 6)), grid, mode=d.choose("linear", "nearest", "cubic"), align_corners=d.choose(0, 1),
      padding_mode=d.choose("zeros", "border", "reflection"))


@case("MaxUnpool")
def unpool(d, op):
    indices = d.constant(d.rng.permutation(144)[:36].reshape(1, 1, 6, 6).astype(numpy.int64))
    d(op, d.floats((1, 1, 6, 6)), indices, kernel_shape=[2, 2], strides=[2, 2])


# Sequences and optional values.
@case("SequenceConstruct", "SequenceAt", "ConcatFromSequence")
def sequence(d, op):
    shape = d.shape(1)
    both = d("SequenceConstruct", d.floats(shape), d.floats(shape))
    if op == "ConcatFromSequence":
        d(op, both, axis=0)
    else:
        d("SequenceAt", both, d.scalar(d.choose(0, 1, -1), numpy.int64))


@case("SequenceInsert")
def insert(d, op):
    shape = d.shape()
    more = d(op, d("SequenceConstruct", d.floats(shape)), d.floats(shape), d.scalar(0, numpy.int64))
    d("SequenceAt", more, d.scalar(d.choose(0, 1), numpy.int64))


@case("SequenceEmpty")
def from_nothing(d, op):
    more = d("SequenceInsert", d(op, dtype=FLOAT), d.floats(d.shape()))
    d("SequenceAt", more, d.scalar(0, numpy.int64))


@case("SequenceErase")
def erase(d, op):
    both = d("SequenceConstruct", d.floats((30,)), d.floats((20,)))
    d("SequenceAt", d(op, both, d.scalar(d.choose(0, 1), numpy.int64)), d.scalar(0, numpy.int64))


@case("SplitToSequence")
def to_sequence(d, op):
    d("SequenceAt", d(op, d.floats((6, 20)), d.ints(2, 4)), d.scalar(d.choose(0, 1), numpy.int64))


@case("Optional", "OptionalGetElement")
def optional(d, _):
    d("OptionalGetElement", d("Optional", d.floats(d.shape())))


# Reductions.
def reduction_axes(d, shape):
    """Inputs and attributes that give the axes."""
    if not shape or d.chance(0.15):
        return [], maybe(d, noop_with_empty_axes=lambda: d.choose(0, 1))
    axes = d.random.sample(range(len(shape)), d.random.randint(1, len(shape)))
    return [d.ints(*[axis - len(shape) if d.chance(0.3) else axis for axis in axes])], {}


@case("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceSumSquare")
def reduction(d, op):
    shape = d.choose((7,), (600,), (4, 5), (300, 2), (2, 3, 4), (60, 5, 3), (3, 60, 5), ())
    axes, attributes = reduction_axes(d, shape)
    whole = d.chance(0.2) and op in ("ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd")
    x = d.whole(shape, d.choose(numpy.int64, numpy.int32)) if whole else d.floats(shape)
    d(op, x, *axes, keepdims=d.choose(0, 1), **attributes)


@case("CumSum")
def cumulated(d, op):
    shape = d.shape(1)
    axis = d.scalar(d.axis(shape), numpy.int64) if d.chance(0.8) else d.given((), numpy.int64, (0, 0))
    d(op, any_operand(d, shape), axis, **maybe(d, exclusive=lambda: d.choose(0, 1), reverse=lambda: d.choose(0, 1)))


@case("ArgMax", "ArgMin")
def best(d, op):
    shape = d.choose((30, 20), (6, 10, 11), (7,))
    d(op, d.floats(shape), axis=d.axis(shape), **maybe(d, select_last_index=lambda: d.choose(0, 1)))


@case("TopK")
def top(d, op):
    shape = d.shape(1)
    axis = d.axis(shape)
    d.several(2, op, any_operand(d, shape), d.ints(d.random.randint(1, shape[axis])), axis=axis, largest=d.choose(0, 1))


@case("NonZero")
def nonzero(d, op):
    d(op, any_operand(d, d.shape(1)))


@case("NonMaxSuppression")
def suppressed(d, op):
    d(op, d.floats((1, 20, 4), (0.0, 1.0)), d.floats((1, 2, 20), (0.0, 1.0)), d.ints(9), d.scalar(0.7), d.scalar(0.1))


def pool_attributes(d, op):
    kernel = [d.random.randint(1, 3) for _ in range(2)]
    found = {"kernel_shape": kernel}
    found.update(maybe(d, strides=lambda: [d.random.randint(1, 2) for _ in range(2)],
                       ceil_mode=lambda: d.choose(0, 1), dilations=lambda: [d.random.randint(1, 2) for _ in range(2)]))
    way = d.random.random()
    if way < 0.4:
        found["pads"] = [d.random.randint(0, size - 1) for size in kernel * 2]
    elif way < 0.6 and not {"dilations", "strides"} & {*found}:
        found["auto_pad"] = d.choose("SAME_UPPER", "SAME_LOWER", "VALID")
        found.pop("ceil_mode", None)
    if op == "AveragePool":
        found.update(maybe(d, count_include_pad=lambda: d.choose(0, 1)))
    return found


@case("AveragePool", "MaxPool")
def pool(d, op):
    x = d.floats(d.choose((1, 2, 8, 9), (1, 3, 20, 20)))
    d.several(2 if op == "MaxPool" and d.chance(0.5) else 1, op, x, **pool_attributes(d, op))


@case("GlobalAveragePool", "GlobalMaxPool")
def global_pool(d, op):
    d(op, d.floats(d.choose((2, 30, 3, 3), (1, 100, 5), (1, 20, 30, 30), (2, 40, 1, 1))))


@case("Softmax", "LogSoftmax")
def softmax(d, op):
    shape = d.shape(1)
    d(op, d.floats(shape), **maybe(d, axis=lambda: d.axis(shape)))


def epsilon(d):
    return maybe(d, epsilon=lambda: d.choose(0.0, 1e-12, 1e-5, 1e-3, 1.0))


@case("LayerNormalization", "SimplifiedLayerNormalization")
@case("RMSNormalization", opset=23)
def layer_normalization(d, op):
    shape = d.choose((30, 20), (6, 10, 11), (300, 2), (100, 1), (2, 3, 4))
    axis = d.axis(shape)
    scale = [d.floats(shape[axis % len(shape):], d.choose(None, (1.0, 1.0)))]
    if op == "LayerNormalization" and d.chance(0.5):
        scale.append(d.floats(shape[axis % len(shape):]))
    if op == "SimplifiedLayerNormalization":
        axis, scale = -1, [d.floats(shape[-1:], d.choose(None, (1.0, 1.0)))]
    d.typed[d(op, d.floats(shape), *scale, axis=axis, **epsilon(d))] = FLOAT


@case("InstanceNormalization")
def instance_normalization(d, op):
    large = d.choose(None, None, (-3e38, 3e38), (1e30, 2e38))
    d(op, d.floats((2, 3, 5, 6), large), d.floats((3,)), d.floats((3,)), **epsilon(d))


@case("GroupNormalization")
def group_normalization(d, op):
    result = d(op, d.floats((2, 6, 5)), d.floats((6,)), d.floats((6,)), num_groups=d.choose(1, 2, 6), **epsilon(d))
    d.typed[result] = FLOAT


@case("LpNormalization")
def lp_normalization(d, op):
    shape = d.choose((30, 20), (6, 10, 11), (100, 1))
    d(op, d.floats(shape), axis=d.axis(shape), p=d.choose(1, 2))


@case("BatchNormalization")
def batch_normalization(d, op):
    kept = d.choose(None, (0.0, 1.0), (1e-3, 10.0), (0.0, 0.0))
    d(op, d.floats((2, 3, 10, 5)), d.floats((3,)), d.floats((3,)), d.floats((3,)), d.floats((3,), kept), **epsilon(d))


# Sums of products.
@case("MatMul")
def matmul(d, op):
    a, b = d.choose(((30, 5), (5, 20)), ((30, 40), (40, 9)), ((2, 10, 3), (3, 7)), ((7,), (7, 20)), ((20, 6), (6,)),
                    ((30, 1), (1, 20)), ((2, 10, 3), (2, 3, 7)))
    d(op, d.floats(a), d.floats(b))


@case("Gemm")
def gemm(d, op):
    rows, depth, width = d.choose((30, 5, 20), (10, 40, 9), (20, 1, 20))
    turned = {"transA": d.choose(0, 1), "transB": d.choose(0, 1)}
    a = d.floats((depth, rows) if turned["transA"] else (rows, depth))
    b = d.floats((width, depth) if turned["transB"] else (depth, width))
    c = [d.floats(d.choose((width,), (rows, width), (1, 1), ()))] if d.chance(0.6) else []
    d(op, a, b, *c, **turned, **maybe(d, alpha=lambda: d.choose(0.5, -2.0, 0.0, 1e-3, 1.0),
                                      beta=lambda: d.choose(0.5, -2.0, 0.0, 1.0)))


@case("Conv")
def convolution(d, op):
    group = d.choose(1, 1, 2)
    size = d.choose(1, 2, 3)
    bias = [d.floats((4,))] if d.chance(0.5) else []
    d(op, d.floats((1, 4, 10, 9)), d.floats((4, 4 // group, size, size)), *bias, group=group,
      pads=[d.random.randint(0, 1) for _ in range(4)])


@case("ConvTranspose")
def transposed_convolution(d, op):
    group = d.choose(1, 1, 2)
    size = d.choose(1, 2, 3)
    bias = [d.floats((4,))] if d.chance(0.5) else []
    d(op, d.floats((1, 4, 6, 5)), d.floats((4, 4 // group, size, size)), *bias, group=group,
      strides=d.choose([1, 1], [2, 2]))


@case("Einsum")
def einsum(d, op):
    equation, *shapes = d.choose(("ij,kj->ik", (30, 5), (20, 5)), ("ij,jk->ik", (30, 4), (4, 20)), ("ij->j", (9, 60)),
                                 ("ij,ij->ij", (30, 20), (30, 20)), ("i,j->ij", (30,), (20,)), ("ij->ji", (30, 20)),
                                 ("ii->i", (20, 20)), ("bij,bjk->bik", (2, 10, 3), (2, 3, 9)))
    d(op, *map(d.floats, shapes), equation=equation)


@case("GRU", "LSTM", "RNN")
def recurrent(d, op):
    gates = {"GRU": 3, "LSTM": 4, "RNN": 1}[op]
    hidden, features, ways = 5, 4, d.choose(1, 2)
    extra = [d.floats((ways, 2 * gates * hidden))] if d.chance(0.5) else [""]
    if d.chance(0.5):
        extra += ["", d.floats((ways, 6, hidden))]
    direction = "bidirectional" if ways == 2 else d.choose("forward", "reverse")
    more = maybe(d, linear_before_reset=lambda: d.choose(0, 1)) if op == "GRU" else {}
    d.several(2 if op != "LSTM" else 3, op, d.floats((7, 6, features)), d.floats((ways, gates * hidden, features)),
              d.floats((ways, gates * hidden, hidden)), *extra, hidden_size=hidden, direction=direction, **more)


# Elements from attributes rather than inputs.
@case("ConstantOfShape")
def constant_of_shape(d, op):
    value = d.choose(numpy.float32([d.choose(d.mark(), math.inf, math.nan)]), numpy.int64([7]))
    attributes = d.choose({}, {"value": onnx.numpy_helper.from_array(value)})
    d(op, d.choose(d.ints(30, 20), d.ints(3, 4), d.ints(0), d.whole((2,), numpy.int64, (1, 9))), **attributes)


@case("Shape")
def shape_of(d, op):
    d(op, d.floats(d.shape()), **maybe(d, start=lambda: d.choose(0, 1, -1, -2), end=lambda: d.choose(1, 2, -1, 9)))


@case("Size")
def size_of(d, op):
    d(op, d.floats(d.shape()))


@case("Range")
def made(d, op):
    if d.chance(0.4):
        start, step = d.choose(0, 1, -5, 250), d.choose(1, 2, -3, 100)
        d(op, *[d.scalar(each, numpy.int64) for each in (start, start + step * d.random.randint(0, 40), step)])
        return
    start, step = d.choose(0.0, 1.0, -5.0, 250.0, 1e5, 0.1), d.choose(1.0, 0.5, -2.0, 100.0, 0.1, 0.3)
    limit = single(start + step * d.random.uniform(0, 100))
    drawn = d.chance(0.3)
    ends = [d.given((), ends=(each, each)) if drawn else d.scalar(each) for each in map(single, (start, limit, step))]
    d(op, *ends)


@case("OneHot")
def one_hot(d, op):
    d(op, d.whole((30,), numpy.int64, (-6, 6)), d.scalar(4, numpy.int64), d.floats((2,)), axis=d.choose(0, -1))


@case("RandomUniform")
def random_uniform(d, op):
    ends = sorted((d.choose(0.0, -1.0, 5.0, 1e9), d.choose(1.0, -0.5, 7.0, 1e5)))
    d.typed[d(op, shape=[30, 20], **({"low": ends[0], "high": ends[1]} if d.chance(0.7) else {}))] = FLOAT


@case("RandomUniformLike")
def random_uniform_like(d, op):
    d(op, d.floats((30, 20)), **d.choose({}, {"low": -3.0, "high": 8.5}))


# Older versions, with attributes in place of inputs.
@case("ReduceSum@11", "ReduceMean@13", "ReduceMax@13", "ReduceMin@13", "ReduceProd@13", "ReduceL1@13", "ReduceL2@13",
      "ReduceSumSquare@13")
def older_reduction(d, op):
    shape = d.choose((7,), (600,), (300, 2), (2, 3, 4), (60, 5, 3))
    axes = d.random.sample(range(len(shape)), d.random.randint(1, len(shape)))
    d(op, d.floats(shape), keepdims=d.choose(0, 1), **({"axes": axes} if d.chance(0.8) else {}))


@case("Clip@6")
def older_clip(d, op):
    low, high = sorted((d.choose(0.0, -1.0, d.mark()), d.choose(6.0, d.mark())))
    d(op, d.floats(d.shape()), **maybe(d, min=lambda: low, max=lambda: high))


@case("Slice@9")
def older_cut(d, op):
    shape = d.shape(1)
    one_of(d, d(op, any_operand(d, shape), starts=[d.random.randint(-8, 8)], ends=[d.random.randint(-8, 8)],
                axes=[d.random.randrange(len(shape))]))


@case("Squeeze@11", "Unsqueeze@11")
def older_dimensions(d, op):
    d(op, any_operand(d, (1, *d.shape())), axes=[0])


@case("Pad@10")
def older_pad(d, op):
    shape = d.shape(1)
    padded = d(op, d.floats(shape), mode=d.choose("constant", "edge"),
               pads=[d.random.randint(0, 2) for _ in shape * 2], **maybe(d, value=d.mark))
    one_of(d, padded)


@case("Split@11")
def older_split(d, op):
    shape = d.choose((8,), (4, 6), (2, 600))
    axis = d.axis(shape)
    half = shape[axis] // 2
    sizes = d.choose({}, {"split": [half, half]}, {"split": [1, shape[axis] - 1]})
    for each in d.several(2, op, any_operand(d, shape), axis=axis, **sizes):
        one_of(d, each)


@case("Softmax@11", "LogSoftmax@11")
def older_softmax(d, op):
    shape = d.shape(1)
    d(op, d.floats(shape), axis=d.random.randrange(len(shape)))
