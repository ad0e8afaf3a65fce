"""Ways to write a constant in a graph. WAYS is the table: each function takes a writer and a value
and returns the name of a tensor that holds it in one element (or as many as broadcast to 8)."""
# SPDX-License-Identifier: Apache-2.0

import math

import numpy
import onnx
import onnx.helper
import onnx.numpy_helper

DOUBLE, FLOAT = onnx.TensorProto.DOUBLE, onnx.TensorProto.FLOAT


def last(w, x):
    return w("Slice", x, w.ints(-1), w.ints(1 << 40), w.ints(0))


def root(v):
    return math.copysign(math.sqrt(abs(v)), v)


def split(w, v):
    first, _ = w.several(2, "Split", w.constant([v, 1.0]), axis=0)
    return first


def of_a_function(w, v):
    return w(w.function(0, lambda f: f.literal(numpy.float32(v))), domain="local")


def of_an_attribute(w, v):
    """A function's attribute, set by the call."""
    def write(f):
        node = onnx.helper.make_node("Constant", [], [f.fresh("constant")])
        node.attribute.append(onnx.AttributeProto(name="value_float", ref_attr_name="number",
                                                  type=onnx.AttributeProto.FLOAT))
        f.nodes.append(node)
        return node.output[0]
    return w(w.function(0, write, ["number"]), domain="local", number=float(v))


def of_a_parameter(w, v):
    return w(w.function(1, lambda f, x: f("Identity", x)), w.constant([v]), domain="local")


def of_a_loop(w, v):
    captured = w.constant(v)
    return w.loop(2, w.constant(0.0), lambda b, turn, value: b("Identity", captured), shape=[])


def carried(w, v):
    """Powers of 2 only shift: the result is exact."""
    half = w.constant(2.0)
    return w.loop(8, w.constant(v / 256), lambda b, turn, value: b("Mul", value, half), shape=[])


def of_a_sequence(w, v):
    sequence = w("SequenceConstruct", w.constant([1.0]), w.constant([v]))
    return w("SequenceAt", sequence, w.constant(numpy.int64(1)))


def of_a_condition(w, v):
    """The output of an If whose condition is unknown before the model runs."""
    condition = w("Not", w("Equal", w("Size", w("NonZero", w("IsNaN", w.constant([1.0])))), w.ints(7)))
    condition = w("Squeeze", condition)
    return w.choice(condition, lambda b: b.constant(v), lambda b: b.constant(v))


def quantised(w, v):
    return w("DequantizeLinear", w.constant([2], numpy.int8), w.constant(numpy.float32(v / 2)),
             w.constant(numpy.int8(0)))


WAYS = {
    "initializer": lambda w, v: w.constant(v),
    "initializer of one": lambda w, v: w.constant([v]),
    "initializer of eight": lambda w, v: w.constant([v] * 8),
    "Constant": lambda w, v: w.literal(numpy.float32(v)),
    "Constant of value_float": lambda w, v: w("Constant", value_float=float(v)),
    "Constant of value_floats": lambda w, v: w("Constant", value_floats=[float(v)]),
    "Mul": lambda w, v: w("Mul", w.constant(abs(root(v))), w.constant(root(v))),
    "Slice": lambda w, v: w("Slice", w.constant([1.0, v, 2.0]), w.ints(1), w.ints(2)),
    "Gather": lambda w, v: w("Gather", w.constant([1.0, 2.0, v]), w.constant(numpy.int64(2))),
    "Split": split,
    "Concat": lambda w, v: last(w, w("Concat", w.constant([1.0]), w.constant([v]), axis=0)),
    "Pad": lambda w, v: last(w, w("Pad", w.constant([1.0]), w.ints(0, 1), w.constant(v))),
    "Expand": lambda w, v: w("Expand", w.constant(v), w.ints(8)),
    "Tile": lambda w, v: w("Tile", w.constant([v]), w.ints(8)),
    "Reshape": lambda w, v: w("Reshape", w.constant([[v]]), w.ints(1)),
    "Transpose": lambda w, v: w("Transpose", w.constant([[v]])),
    "Where": lambda w, v: w("Where", w.constant(numpy.bool_(True)), w.constant(v), w.constant(1.0)),
    "Squeeze": lambda w, v: w("Squeeze", w("Unsqueeze", w.constant([v]), w.ints(0)), w.ints(0)),
    "Cast": lambda w, v: w("Cast", w.constant(v, numpy.float64), to=FLOAT),
    "Cast twice": lambda w, v: w("Cast", w("Cast", w.constant(v), to=DOUBLE), to=FLOAT),
    "CastLike": lambda w, v: w("CastLike", w.constant(v, numpy.float64), w.constant(1.0)),
    "ConstantOfShape": lambda w, v: w("ConstantOfShape", w.ints(1),
                                      value=onnx.numpy_helper.from_array(numpy.float32([v]))),
    "Exp": lambda w, v: w("Exp", w.constant(math.log(v))),
    "Pow": lambda w, v: w("Pow", w.constant(10.0), w.constant(math.log10(v))),
    "Div": lambda w, v: w("Div", w.constant(1.0), w.constant(1 / v)),
    "Neg": lambda w, v: w("Neg", w.constant(-v)),
    "Abs": lambda w, v: w("Abs", w.constant(-v)),
    "Max": lambda w, v: w("Max", w.constant(v), w.constant(v / 2)),
    "Min": lambda w, v: w("Min", w.constant(v), w.constant(v * 2)),
    "Clip": lambda w, v: w("Clip", w.constant(0.0), w.constant(v)),
    "Sub": lambda w, v: w("Sub", w.constant(v * 2), w.constant(v)),
    "Add": lambda w, v: w("Add", w.constant(v / 2), w.constant(v / 2)),
    "ReduceSum": lambda w, v: w("ReduceSum", w.constant([v / 4] * 4), w.ints(0)),
    "ReduceMin": lambda w, v: w("ReduceMin", w.constant([v, v * 3, v * 2])),
    "Reciprocal": lambda w, v: w("Reciprocal", w.constant(1 / v)),
    "Range": lambda w, v: w("Range", w.constant(v), w.constant(v + 0.5), w.constant(1.0)),
    "DequantizeLinear": quantised,
    "Identity": lambda w, v: w("Identity", w("Identity", w.constant(v))),
    "a function's constant": of_a_function,
    "a function's attribute": of_an_attribute,
    "a function's parameter": of_a_parameter,
    "an If's branch": of_a_condition,
    "an If of a constant": lambda w, v: w.choice(w.constant(numpy.bool_(True)), lambda b: b.literal(numpy.float32(v)),
                                                 lambda b: b.constant(1.0)),
    "a Loop's capture": of_a_loop,
    "a Loop's carried value": carried,
    "a sequence": of_a_sequence,
}
# Ways to write 1 - epsilon, in addition to those above.
BELOW_ONE = {
    "Sub from one": lambda w, v: w("Sub", w.constant(1.0), w.constant(1 - v)),
    "one and Neg": lambda w, v: w("Add", w.constant(1.0), w("Neg", w.constant(1 - v))),
    "Sub in a function": lambda w, v: w(w.function(0, lambda f: f("Sub", f.literal(numpy.float32(1)),
                                                                  f.literal(numpy.float32(1 - v)))), domain="local"),
}
# Not for negative values; more than one element, or two dimensions; inexact.
ONLY_POSITIVE = ("Exp", "Pow", "Clip", "Max", "Min", "ReduceMin", "Abs")
WIDE = ("initializer of eight", "Expand", "Tile", "Transpose")
ROUNDED = ("Mul", "Exp", "Pow", "Div", "Reciprocal")


def ways_of(value):
    """Returns the names of the ways that yield one element of `value` and whose intermediate
    results float32 can hold."""
    if value == 0 or abs(value) > 1e37:
        return ["initializer", "Constant", "Gather", "Where", "Concat", "Slice", "a function's constant",
                "an If of a constant"]
    return [name for name in WAYS if name not in WIDE and (value > 0 or name not in ONLY_POSITIVE) and
            (abs(value) < 1e6 or name != "Range")]


def number(writer, value, way=None):
    """Returns a tensor that holds `value`, written in a given or random way."""
    way = way or writer.random.choice(ways_of(value))
    return (WAYS.get(way) or BELOW_ONE[way])(writer, value)


def exact_number(writer, value):
    """As `number`, but exact to the last bit."""
    return number(writer, value, writer.random.choice([way for way in ways_of(value) if way not in ROUNDED]))
