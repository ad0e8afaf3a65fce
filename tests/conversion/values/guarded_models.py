"""Models with a guard: a small constant that keeps a logarithm or a quotient finite, or one just
below 1 that keeps 1 - p away from 0. Each has a quantity with exact zeros (or ones), a guard
written in one of many ways, an operation that combines the two, moves, and a use that is not finite
without the guard; between products, which prefer 16 bits.
"""
# SPDX-License-Identifier: Apache-2.0

import random
import zlib

import numpy

from graph_writer import FLOAT, Case, Writer, move
from number_ways import BELOW_ONE, WAYS, number

ABOVE_ZERO = (1e-3, 1e-4, 1e-5, 3e-6, 1e-6, 1e-7, 1e-8, 1e-9, 1e-12, 1e-30)
BELOW_ONE_BY = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7)
ROWS, WIDTH = 6, 8


def squared(w, a):
    q = w.random.choice((lambda: w("Mul", a, a), lambda: w("Pow", a, number(w, 2.0, "initializer")),
                         lambda: w("Pow", a, w.literal(numpy.float32(2)))))
    return q()


def summed(w, q):
    return w("ReduceSum", q, w.ints(-1))


def counted(w, a):
    """Returns the number of positive elements of a row."""
    return summed(w, w("Cast", w("Greater", a, w.constant(0.0)), to=FLOAT))


# (quantity, numerator) computed from a product's output; both are 0 where the output is.
QUANTITIES = {
    "Abs": lambda w, a: (w("Abs", a), a),
    "Relu": lambda w, a: [w("Relu", a)] * 2,
    "square": lambda w, a: (squared(w, a), a),
    "ReduceSum of Abs": lambda w, a: (summed(w, w("Abs", a)), a),
    "ReduceMean of squares": lambda w, a: (w("ReduceMean", squared(w, a), axes=[-1]), a),
    "ReduceSum of squares": lambda w, a: (summed(w, squared(w, a)), a),
    "ReduceSumSquare": lambda w, a: (w("ReduceSumSquare", a, axes=[-1]), a),
    "ReduceL1": lambda w, a: (w("ReduceL1", a, axes=[-1]), a),
    "ReduceL2": lambda w, a: (w("ReduceL2", a, axes=[-1]), a),
    "ReduceMax of Abs": lambda w, a: (w("ReduceMax", w("Abs", a), axes=[-1]), a),
    "count": lambda w, a: (counted(w, a), w("Relu", a)),
    "place": lambda w, a: [w("Cast", w("ArgMax", a, axis=-1), to=FLOAT)] * 2,
    # ONNX Runtime's Sigmoid has an error of 3e-8, even for tiny results, so keep it above 3e-4
    # here.
    "Sigmoid": lambda w, a: [w("Sigmoid", w("Mul", a, w.constant(2.0)))] * 2,
    "HardSigmoid": lambda w, a: [w("HardSigmoid", w("Mul", a, w.constant(4.0)))] * 2,
    "Softmax": lambda w, a: [w("Softmax", w("Mul", a, w.constant(40.0)))] * 2,
}
# Ways to combine quantity and guard.
MEETINGS = {
    "q + g": lambda w, q, g: w("Add", q, g),
    "g + q": lambda w, q, g: w("Add", g, q),
    "Max": lambda w, q, g: w("Max", q, g),
    "Clip": lambda w, q, g: w("Clip", q, w("ReduceMax", g, keepdims=0)),
    "Sum": lambda w, q, g: w("Sum", q, g),
    "q - -g": lambda w, q, g: w("Sub", q, w("Neg", g)),
    "Where": lambda w, q, g: w("Where", w("Less", q, g), g, q),
}
# Uses of a guarded quantity `s` and a numerator `a`.
USES = {
    "Div": lambda w, s, a: w("Div", a, s),
    "Log": lambda w, s, a: w("Mul", w("Log", s), w.constant(0.1)),
    "Reciprocal": lambda w, s, a: w("Mul", a, w("Reciprocal", s)),
    "one over": lambda w, s, a: w("Mul", w("Div", w.constant(1.0), s), a),
    "Sqrt, Div": lambda w, s, a: w("Div", a, w("Sqrt", s)),
    "Sqrt, Reciprocal": lambda w, s, a: w("Mul", w("Reciprocal", w("Sqrt", s)), a),
    "Pow of -0.5": lambda w, s, a: w("Mul", a, w("Pow", s, w.constant(-0.5))),
    "Pow of -1": lambda w, s, a: w("Mul", a, w("Pow", s, w.constant(-1.0))),
}


# Where the use is: beside the guard, or in a function, a branch or a loop that gets the guarded
# quantity.
PLACES = {
    "here": lambda w, use, s, a: use(w, s, a),
    "a function": lambda w, use, s, a: w(w.function(2, use), s, a, domain="local"),
    "a branch": lambda w, use, s, a: w.choice(w.constant(numpy.bool_(True)), lambda b: use(b, s, a),
                                              lambda b: b("Identity", a)),
    "a loop": lambda w, use, s, a: w.loop(1, a, lambda b, turn, value: use(b, s, value)),
}


def placed(w, use, s, a):
    return PLACES[w.random.choice(["here"] * 5 + [*PLACES][1:])](w, use, s, a)


def above_zero(w, a, guard, way, use):
    q, numerator = w.random.choice([*QUANTITIES.values()])(w, a)
    g = move(w, number(w, guard, way), 0, 1)
    s = w.random.choice([*MEETINGS.values()])(w, move(w, q, 2), g)
    return placed(w, USES[use], move(w, s, 2), numerator)


# Values in [0, 1], including exactly 0 and 1.
SHARES = {
    "Sigmoid": lambda w, a: w("Sigmoid", w("Mul", a, w.constant(40.0))),
    "Softmax": lambda w, a: w("Softmax", w("Mul", a, w.constant(40.0))),
    "HardSigmoid": lambda w, a: w("HardSigmoid", a),
    "Clip": lambda w, a: w("Clip", a, w.constant(0.0), w.constant(1.0)),
    "share": lambda w, a: w("Div", w("Abs", a), w("Max", w("ReduceMax", w("Abs", a), axes=[-1]), w.constant(0.5))),
}
BOUNDS = {
    "Min": lambda w, p, g: w("Min", p, g),
    "Clip": lambda w, p, g: w("Clip", p, w.constant(0.0), w("ReduceMax", g, keepdims=0)),
    "Mul": lambda w, p, g: w("Mul", p, g),
    "Where": lambda w, p, g: w("Where", w("Greater", p, g), g, p),
}
SHARE_USES = {
    "Log of 1 - p": lambda w, p, a: w("Log", w("Sub", w.constant(1.0), p)),
    "logit": lambda w, p, a: w("Log", w("Div", w("Max", p, w.constant(1e-3)), w("Sub", w.constant(1.0), p))),
    "Atanh": lambda w, p, a: w("Atanh", p),
    "Reciprocal of 1 - p": lambda w, p, a: w("Log", w("Reciprocal", w("Sub", w.constant(1.0), p))),
    "Sqrt of 1 - p": lambda w, p, a: w("Log", w("Div", w.constant(1.0), w("Sqrt", w("Sub", w.constant(1.0), p)))),
    "Neg, Add": lambda w, p, a: w("Log", w("Add", w("Neg", p), w.constant(1.0))),
}


def below_one(w, a, by, way, use):
    g = move(w, number(w, 1 - by, way), 0, 1)
    p = w.random.choice([*BOUNDS.values()])(w, move(w, w.random.choice([*SHARES.values()])(w, a), 2), g)
    return placed(w, SHARE_USES[use], move(w, p, 2), a)


KINDS = {"above-zero": (above_zero, ABOVE_ZERO, [*WAYS], USES),
         "below-one": (below_one, BELOW_ONE_BY, [*WAYS, *BELOW_ONE], SHARE_USES)}


def rows(rng):
    """Returns two rows of zeros, one of 1 and -1, one with some zeros; the others are random."""
    x = rng.standard_normal((ROWS, WIDTH)).astype(numpy.float32)
    x[:2] = 0
    x[2] = numpy.sign(x[2])
    x[3, ::2] = 0
    return x


def name_of(kind, guard, way, use):
    return f"{kind}/{guard:g}/{way}/{use}"


def guarded_model(kind, guard, way, use):
    name = name_of(kind, guard, way, use)
    w = Writer(zlib.crc32(name.encode()))
    build = KINDS[kind][0]
    a = w("MatMul", w.input("x", [ROWS, WIDTH]), w.weight(WIDTH, WIDTH))
    if kind == "above-zero" and w.random.random() < 0.3:  # single zero elements, not only rows
        a = w("Relu", a)
    used = move(w, build(w, a, guard, way, use), 2)
    # A row reduced to one element is broadcast to the width of the others.
    y = w("MatMul", w("Add", used, w("Mul", a, w.constant(0.5))), w.weight(WIDTH, WIDTH))
    w.output(y, [ROWS, WIDTH])
    return Case(name, w.model(), {"x": rows(w.rng)})


def names():
    """Returns (kind, guard, way, use) of all models, ordered so that every Nth is a fair sample."""
    found = [(kind, guard, way, use) for kind, (_, guards, ways, uses) in KINDS.items()
             for guard in guards for way in ways for use in uses]
    random.Random(1).shuffle(found)
    return found
