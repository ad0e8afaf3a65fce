"""Writes ONNX graphs node by node, with functions and inner graphs. The structure is random but
depends only on a seed. The generators of this folder return `Case`."""
# SPDX-License-Identifier: Apache-2.0

import dataclasses
import random

import numpy
import onnx
import onnx.helper
import onnx.numpy_helper

FLOAT, INT64, BOOL = onnx.TensorProto.FLOAT, onnx.TensorProto.INT64, onnx.TensorProto.BOOL


@dataclasses.dataclass
class Case:
    name: str
    model: onnx.ModelProto
    feeds: dict
    ranges: dict = dataclasses.field(default_factory=dict)  # input -> (low, high), for --input-range
    words: tuple = ()  # further arguments of the converter
    exact: tuple = ()  # products that are part of the hazard: verdict.py keeps them in float32


class Writer:
    """Writes a graph. Writers of inner graphs have an `outer` one: names are unique in the whole
    model."""

    def __init__(self, seed, opset=17, outer=None):
        self.nodes, self.initializers, self.inputs, self.outputs = [], [], [], []
        self.outer, self.opset = outer, opset
        self.literals = outer.literals if outer else False  # for functions, which have no initializers
        self.functions = outer.functions if outer else []
        self.counter = outer.counter if outer else [0]
        self.random = outer.random if outer else random.Random(seed)
        self.rng = outer.rng if outer else numpy.random.default_rng(self.random.getrandbits(32))

    def fresh(self, stem):
        self.counter[0] += 1
        return f"{stem}_{self.counter[0]}"

    def input(self, name, shape, dtype=FLOAT):
        self.inputs.append(onnx.helper.make_tensor_value_info(name, dtype, shape))
        return name

    def output(self, name, shape=None, dtype=FLOAT):
        self.outputs.append(onnx.helper.make_tensor_value_info(name, dtype, shape))

    def constant(self, value, dtype=None):
        """Adds an initializer, float32 for floats; in a function, a Constant node."""
        array = numpy.asarray(value, dtype)
        if dtype is None and array.dtype == numpy.float64:
            array = array.astype(numpy.float32)
        if self.literals:
            return self("Constant", value=onnx.numpy_helper.from_array(array))
        name = self.fresh("w")
        self.initializers.append(onnx.numpy_helper.from_array(array, name))
        return name

    def ints(self, *values):
        return self.constant(values, numpy.int64)

    def weight(self, *shape):
        return self.constant((self.rng.standard_normal(shape) / shape[0] ** 0.5).astype(numpy.float32))

    def several(self, count, op, *inputs, domain="", **attributes):
        outputs = [self.fresh(op.lower()) for _ in range(count)]
        self.nodes.append(onnx.helper.make_node(op, inputs, outputs, outputs[0], domain=domain, **attributes))
        return outputs

    def __call__(self, op, *inputs, domain="", **attributes):
        return self.several(1, op, *inputs, domain=domain, **attributes)[0]

    def literal(self, value):
        """A Constant node instead of an initializer."""
        array = numpy.asarray(value)
        if array.dtype == numpy.float64:
            array = array.astype(numpy.float32)
        return self("Constant", value=onnx.numpy_helper.from_array(array))

    def graph(self, name="graph"):
        return onnx.helper.make_graph(self.nodes, name, self.inputs, self.outputs, self.initializers)

    def inner(self):
        return Writer(None, self.opset, self)

    def branch(self, write):
        """Returns an inner graph without inputs; `write(writer)` returns its output."""
        writer = self.inner()
        writer.output(writer("Identity", write(writer)))
        return writer.graph(writer.fresh("branch"))

    def choice(self, condition, then, otherwise):
        return self("If", condition, then_branch=self.branch(then), else_branch=self.branch(otherwise))

    def loop(self, trips, first, step, dtype=FLOAT, shape=None):
        """Adds a Loop with one carried value; `step(writer, iteration, value)` returns the next
        value."""
        body = self.inner()
        turn, goes_on, value = (body.fresh(stem) for stem in ("turn", "goes", "carried"))
        body.input(turn, [], INT64)
        body.input(goes_on, [], BOOL)
        body.input(value, shape, dtype)
        body.output(body("Identity", goes_on), [], BOOL)
        body.output(body("Identity", step(body, turn, value)), shape, dtype)
        return self("Loop", self.constant(numpy.int64(trips)), self.constant(numpy.bool_(True)), first,
                    body=body.graph(body.fresh("body")))

    def function(self, inputs, write, attributes=()):
        """Declares a function in the model; `write(writer, *inputs)` returns its output. Returns
        the function's name."""
        writer = self.inner()
        writer.literals = True
        names = [writer.fresh("parameter") for _ in range(inputs)]
        result = write(writer, *names)
        name = self.fresh("Function")
        self.functions.append(onnx.helper.make_function(
            "local", name, names, [result], writer.nodes, [onnx.helper.make_opsetid("", self.opset)],
            attributes=attributes))
        return name

    def model(self):
        imports = [onnx.helper.make_opsetid("", self.opset)]
        if self.functions:
            imports.append(onnx.helper.make_opsetid("local", 1))
        model = onnx.helper.make_model(self.graph(), ir_version=8, opset_imports=imports)
        model.functions.extend(self.functions)
        return model


# Operations that move elements or change nothing: (name, minimum rank, how).
MOVES = (
    ("identity", 0, lambda w, x, rank: w("Identity", x)),
    ("dropout", 0, lambda w, x, rank: w("Dropout", x)),
    ("transposed twice", 2, lambda w, x, rank: w("Transpose", w("Transpose", x, perm=[*range(rank)][::-1]),
                                                 perm=[*range(rank)][::-1])),
    ("unsqueezed and squeezed", 0, lambda w, x, rank: w("Squeeze", w("Unsqueeze", x, w.ints(0)), w.ints(0))),
    ("reshaped", 1, lambda w, x, rank: w("Reshape", w("Reshape", x, w.ints(-1)), w("Shape", x))),
    ("sliced", 1, lambda w, x, rank: w("Slice", w("Concat", x, x, axis=0), w.ints(0),
                                       w("Slice", w("Shape", x), w.ints(0), w.ints(1)), w.ints(0))),
    ("split and joined", 1, lambda w, x, rank: w("Concat", w("Gather", x, w.ints(0), axis=0),
                                                 w("Slice", x, w.ints(1), w.ints(1 << 40), w.ints(0)), axis=0)),
    ("kept where true", 0, lambda w, x, rank: w("Where", w.constant(numpy.bool_(True)), x, x)),
    ("expanded", 0, lambda w, x, rank: w("Expand", x, w.ints(1))),
    ("padded by nothing", 1, lambda w, x, rank: w("Pad", x, w.ints(*[0] * 2 * rank))),
)


def move(writer, x, rank, most=2):
    """Returns `x` after up to `most` moves, with the same shape and elements."""
    usable = [how for _, least, how in MOVES if rank >= least]
    for _ in range(writer.random.randint(0, most)):
        x = writer.random.choice(usable)(writer, x, rank)
    return x
