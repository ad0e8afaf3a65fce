"""Models with a mask that replaces elements by a sentinel, a constant that stands for minus
infinity: a family of hazard_models.py.
"""
# SPDX-License-Identifier: Apache-2.0

import numpy

from graph_writer import BOOL, FLOAT, INT64, move
from hazard_overflow import WIDTH, pick
from number_ways import number

TOKENS = 8
LOWEST = -3.4028234663852886e38
SENTINELS = (-1e4, -1e5, -1e9, LOWEST, -65504.0)


def rows_of(w):
    """A mask of 4 sequences; in half of the models, one is masked completely."""
    lengths = numpy.array([8, 5, 1, pick(w, 0, 3)])
    return (numpy.arange(TOKENS) < lengths[:, None])[:, None, :]


def scores(w):
    x = w.input("x", [4, TOKENS, WIDTH])
    q, k = w("MatMul", x, w.weight(WIDTH, WIDTH)), w("MatMul", x, w.weight(WIDTH, WIDTH))
    s = w("MatMul", q, w("Transpose", k, perm=[0, 2, 1]))
    return x, move(w, w("Div", s, w.constant(2.83)), 3)


def mask_of(w, feeds, kept, kind):
    """Adds an input that says what is kept, as "bool", "float" or "integer"; returns it as floats
    or in its own type."""
    dtype = {"bool": BOOL, "float": FLOAT, "integer": INT64}[kind]
    feeds["m"] = kept.astype({"bool": bool, "float": numpy.float32, "integer": numpy.int64}[kind])
    m = w.input("m", list(kept.shape), dtype)
    return m if kind == "float" else w("Cast", m, to=FLOAT)


def bias(w, feeds, kept, sentinel):
    """Returns 0 where an element is kept, the sentinel elsewhere."""
    def factor():
        m = move(w, mask_of(w, feeds, kept, pick(w, "bool", "float", "integer")), 3, 1)
        return w("Mul", w("Sub", w.constant(1.0), m), number(w, sentinel))

    def other_way():
        m = mask_of(w, feeds, kept, pick(w, "float", "integer"))
        return w("Mul", w("Sub", m, w.constant(1.0)), number(w, -sentinel))

    def chosen():
        feeds["m"] = kept
        m = w.input("m", list(kept.shape), BOOL)
        return w("Where", m, w.constant(0.0), number(w, sentinel))

    def added():
        """m * s - s."""
        m = mask_of(w, feeds, kept, "float")
        s = number(w, sentinel)
        return w("Sub", s, w("Mul", m, s))

    def of_a_constant():
        return w.constant(numpy.where(kept, 0, sentinel))

    def filled():
        feeds["m"] = kept
        m = w.input("m", list(kept.shape), BOOL)
        return w("Where", m, w.constant(0.0), w("Expand", number(w, sentinel), w("Shape", m)))
    return move(w, pick(w, factor, factor, other_way, chosen, added, of_a_constant, filled)(), 3)


def normalised(w, masked):
    """Normalizes masked scores."""
    def by_hand():
        e = w("Exp", w("Sub", masked, w("ReduceMax", masked, axes=[-1])))
        return w("Div", e, w("ReduceSum", e, w.ints(-1)))
    return pick(w, lambda: w("Softmax", masked, axis=-1), lambda: w("Softmax", masked, axis=-1),
                lambda: w("Exp", w("LogSoftmax", masked, axis=-1)), by_hand)()


def attention(w):
    feeds = {"x": w.rng.standard_normal((4, TOKENS, WIDTH)).astype(numpy.float32)}
    x, s = scores(w)
    kept = rows_of(w)
    sentinel = pick(w, *SENTINELS)

    def added():
        b = bias(w, feeds, kept, sentinel)
        return pick(w, lambda: w("Add", s, b), lambda: w("Add", b, s), lambda: w("Sum", s, b),
                    lambda: w("Sub", s, w("Neg", b)))()

    def chosen():
        feeds["m"] = kept
        m = w.input("m", list(kept.shape), BOOL)
        return pick(w, lambda: w("Where", m, s, number(w, sentinel)),
                    lambda: w("Where", w("Not", m), number(w, sentinel), s))()

    def infinite():
        """Rows that are masked completely are NaN in float32, too."""
        feeds["m"] = kept
        return w("Where", w.input("m", list(kept.shape), BOOL), s, w.constant(-numpy.inf))

    def multiplied():
        """s * m + (1 - m) * sentinel."""
        m = mask_of(w, feeds, kept, "float")
        return w("Add", w("Mul", s, m), w("Mul", w("Sub", w.constant(1.0), m), number(w, sentinel)))

    def twice():
        causal = w.constant(numpy.triu(numpy.full((TOKENS, TOKENS), pick(w, -1e4, -1e9, -6e4), numpy.float32), 1))
        return w("Add", w("Add", s, causal), bias(w, feeds, kept, pick(w, -1e4, -1e9, -6e4)))

    def bounded():
        """Clipped to the lowest value of the type afterwards."""
        return w("Max", w("Add", s, bias(w, feeds, kept, sentinel)), number(w, LOWEST))
    masked = move(w, pick(w, added, added, chosen, infinite, multiplied, twice, bounded)(), 3)
    p = normalised(w, masked)
    if w.random.random() < 0.3 and "m" in feeds and feeds["m"].dtype == bool:
        p = w("Where", "m", p, w.constant(0.0))
    w.output(w("MatMul", move(w, p, 3), x), [4, TOKENS, WIDTH])
    return feeds


def pooled(w):
    """The maximum, its index, or the mean of the kept elements."""
    feeds = {"x": w.rng.standard_normal((4, TOKENS, WIDTH)).astype(numpy.float32)}
    a = w("MatMul", w.input("x", [4, TOKENS, WIDTH]), w.weight(WIDTH, WIDTH))
    kept = numpy.moveaxis(rows_of(w), 2, 1)
    kept[:, 0] = True
    b = bias(w, feeds, kept, pick(w, *SENTINELS))
    masked = move(w, w("Add", a, b), 3)
    top = pick(w, lambda: w("ReduceMax", masked, axes=[1], keepdims=0),
               lambda: w("ReduceLogSumExp", masked, axes=[1], keepdims=0),
               lambda: w("ReduceSum", w("Sigmoid", masked), w.ints(1), keepdims=0),
               lambda: w("ReduceSum", w("Mul", w("Exp", masked), a), w.ints(1), keepdims=0))()
    w.output(w("MatMul", move(w, top, 2), w.weight(WIDTH, WIDTH)), [4, WIDTH])
    return feeds


def nothing_times_much(w):
    """0 * sentinel is 0, unless the sentinel is infinite."""
    feeds = {"x": w.rng.standard_normal((4, TOKENS, WIDTH)).astype(numpy.float32)}
    a = w("MatMul", w.input("x", [4, TOKENS, WIDTH]), w.weight(WIDTH, WIDTH))
    kept = numpy.moveaxis(rows_of(w), 2, 1)
    m = mask_of(w, feeds, kept, pick(w, "bool", "float"))
    much = number(w, pick(w, 1e5, 1e9, -1e9, 3e38))
    rank, gone = pick(w, lambda: (3, w("Mul", w("Mul", m, w("Sub", w.constant(1.0), m)), much)),
                      lambda: (3, w("Mul", w("Sub", m, m), much)), lambda: (0, w("Mul", number(w, 0.0), much)))()
    w.output(w("MatMul", w("Add", move(w, gone, rank), a), w.weight(WIDTH, WIDTH)))
    return feeds


MASKS = (attention, attention, attention, pooled, nothing_times_much)
