"""Models without a hazard: random sequences of blocks from ordinary networks. No node needs float32
because of its values; cast_counts.py counts the casts that unnecessary caution would cost.
"""
# SPDX-License-Identifier: Apache-2.0

import numpy

from graph_writer import BOOL, INT64, move
from hazard_overflow import pick

TOKENS, WIDTH = 6, 8


def dense(w, x, width=WIDTH, of=WIDTH):
    y = w("MatMul", x, w.weight(of, width))
    return w("Add", y, w.constant(w.rng.standard_normal(width).astype(numpy.float32) * 0.1))


def activation(w, x):
    def gelu():
        inner = w("Add", w("Erf", w("Div", x, w.constant(1.4142135))), w.constant(1.0))
        return w("Mul", w("Mul", x, inner), w.constant(0.5))
    return pick(w, gelu, lambda: w("Relu", x), lambda: w("Tanh", x), lambda: w("Mul", x, w("Sigmoid", x)),
                lambda: w("HardSwish", x), lambda: w("LeakyRelu", x, alpha=0.1),
                lambda: w("Clip", x, w.constant(0.0), w.constant(6.0)), lambda: w("Elu", x))()


def feed_forward(w, x, feeds):
    return w("Add", x, dense(w, activation(w, dense(w, x, 16)), WIDTH, 16))


def gated(w, x, feeds):
    first, second = w.several(2, "Split", dense(w, x, 16), w.ints(8, 8), axis=-1)
    return w("Add", x, dense(w, w("Mul", first, activation(w, second))))


def norm(w, x, feeds):
    scale = w.constant(numpy.ones(WIDTH, numpy.float32))

    def by_hand():
        centred = w("Sub", x, w("ReduceMean", x, axes=[-1]))
        variance = w("ReduceMean", pick(w, lambda: w("Pow", centred, w.constant(2.0)),
                                        lambda: w("Mul", centred, centred))(), axes=[-1])
        return w("Mul", w("Div", centred, w("Sqrt", w("Add", variance, w.constant(1e-5)))), scale)

    def root_mean_square():
        mean = w("ReduceMean", w("Mul", x, x), axes=[-1])
        return w("Mul", w("Mul", x, w("Reciprocal", w("Sqrt", w("Add", mean, w.constant(1e-6))))), scale)
    return pick(w, by_hand, root_mean_square, lambda: w("LayerNormalization", x, scale, axis=-1))()


def heads(w, x):
    return w("Transpose", w("Reshape", x, w.ints(0, TOKENS, 2, 4)), perm=[0, 2, 1, 3])


def attention(w, x, feeds):
    q, k, v = (heads(w, dense(w, x)) for _ in range(3))
    s = pick(w, lambda: w("Mul", w("MatMul", q, w("Transpose", k, perm=[0, 1, 3, 2])), w.constant(0.5)),
             lambda: w("MatMul", w("Div", q, w.constant(2.0)), w("Transpose", k, perm=[0, 1, 3, 2])))()
    p = w("Softmax", s, axis=-1)
    context = w("Reshape", w("Transpose", w("MatMul", p, v), perm=[0, 2, 1, 3]), w.ints(0, TOKENS, WIDTH))
    return w("Add", x, dense(w, context))


def masked(w, x, feeds):
    """Elements that a mask of zeros and ones drops are 0."""
    name = w.fresh("mask")
    feeds[name] = (numpy.arange(TOKENS) < 4).reshape(1, TOKENS, 1).astype(pick(w, numpy.bool_, numpy.float32))
    m = w.input(name, [1, TOKENS, 1], BOOL if feeds[name].dtype == bool else 1)
    if feeds[name].dtype == bool:
        return w("Where", m, x, w.constant(0.0))
    return w("Mul", x, m)


def rotated(w, x, feeds):
    """Rotary positions from tables."""
    angles = numpy.outer(numpy.arange(TOKENS), 10000.0 ** -(numpy.arange(WIDTH) % 4 / 4))
    left, right = w.several(2, "Split", x, w.ints(4, 4), axis=-1)
    turned = w("Concat", w("Neg", right), left, axis=-1)
    return w("Add", w("Mul", x, w.constant(numpy.cos(angles))), w("Mul", turned, w.constant(numpy.sin(angles))))


def embedded(w, x, feeds):
    name = w.fresh("ids")
    feeds[name] = w.rng.integers(0, 400, (1, TOKENS))
    table = w.constant(w.rng.standard_normal((400, WIDTH)).astype(numpy.float32))
    return w("Add", x, w("Gather", table, w.input(name, [1, TOKENS], INT64)))


def squeezed(w, x, feeds):
    """Weighs channels by a function of their means."""
    mean = w("ReduceMean", x, axes=[1])
    return w("Mul", x, w("Sigmoid", dense(w, w("Relu", dense(w, mean, 4)), WIDTH, 4)))


def convolved(w, x, feeds):
    y = w("Transpose", x, perm=[0, 2, 1])
    y = w("Conv", y, w.weight(WIDTH, WIDTH, 3), kernel_shape=[3], pads=[1, 1])
    if w.random.random() < 0.5:
        one, zero = numpy.ones(WIDTH, numpy.float32), numpy.zeros(WIDTH, numpy.float32)
        y = w("BatchNormalization", y, *map(w.constant, (one, zero, zero, one)))
    y = pick(w, lambda: activation(w, y), lambda: w("MaxPool", y, kernel_shape=[3], pads=[1, 1]),
             lambda: w("AveragePool", y, kernel_shape=[3], pads=[1, 1]))()
    return w("Add", x, w("Transpose", y, perm=[0, 2, 1]))


def scaled(w, x, feeds):
    return pick(w, lambda: w("Mul", x, w.constant(w.rng.uniform(0.5, 2, WIDTH))), lambda: w("Sub", w.constant(1.0), x),
                lambda: w("Max", x, w.constant(-3.0)), lambda: w("Div", x, w.constant(4.0)), lambda: w("Neg", x))()


BLOCKS = (feed_forward, gated, norm, norm, attention, masked, rotated, embedded, squeezed, convolved, scaled)


def blocks(w):
    feeds = {"x": w.rng.standard_normal((1, TOKENS, WIDTH)).astype(numpy.float32)}
    x = dense(w, w.input("x", [1, TOKENS, WIDTH]))
    for _ in range(w.random.randint(2, 6)):
        x = move(w, pick(w, *BLOCKS)(w, x, feeds), 3, 1)
    w.output(dense(w, x), [1, TOKENS, WIDTH])
    return feeds


ORDINARY = (blocks,)
