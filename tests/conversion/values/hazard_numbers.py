"""Models with exact integers in floats, with phases, and with large values that cancel: families of
hazard_models.py. Each function writes a graph and adds its inputs to `feeds`.
"""
# SPDX-License-Identifier: Apache-2.0

import numpy
import onnx.numpy_helper

from graph_writer import FLOAT, INT64, move
from hazard_overflow import ROWS, WIDTH, finish, pick, product
from number_ways import exact_number, number


def long_row(w):
    return pick(w, 300, 517, 1025, 2050, 4099)


def integers(w, feeds):
    """Returns a vector of integers that 16 bits cannot represent."""
    many = long_row(w)

    def best():
        rows = 5
        feeds["s"] = w.rng.standard_normal((rows, many)).astype(numpy.float32)
        feeds["s"][range(rows), w.rng.integers(many // 2, many, rows)] = 9
        s = w.input("s", [rows, many])
        return pick(w, lambda: w("ArgMax", s, axis=1, keepdims=0),
                    lambda: w("Squeeze", w.several(2, "TopK", s, w.ints(1), axis=1)[1], w.ints(1)))()

    def sizes():
        feeds["s"] = numpy.zeros((3, many), numpy.float32)
        return w("Shape", w.input("s", [3, many]))

    def size():
        feeds["s"] = numpy.zeros((3, many), numpy.float32)
        return w("Unsqueeze", w("Size", w.input("s", [3, many])), w.ints(0))

    def ids():
        feeds["s"] = w.rng.integers(0, pick(w, 30522, 151936), 7)
        return w.input("s", [7], INT64)

    def counting():
        return w("Range", *(w.constant(numpy.int64(each)) for each in (many - 6, many, 1)))

    def nonzero():
        feeds["s"] = numpy.zeros(many, numpy.float32)
        feeds["s"][w.rng.choice(numpy.arange(many // 2, many), 6, replace=False)] = 1
        return w("Squeeze", w("NonZero", w.input("s", [many])), w.ints(0))

    def sums():
        ones = w("ConstantOfShape", w.ints(many), value=onnx.numpy_helper.from_array(numpy.int64([1])))
        total = w("CumSum", ones, w.constant(numpy.int64(0)))
        return w("Slice", total, w.ints(-5), w.ints(1 << 40), w.ints(0))
    return pick(w, best, sizes, size, ids, counting, nonzero, sums)()


# Operations on floats that hold integers.
STEPS = (
    lambda w, f: w("Mul", f, exact_number(w, 3.0)),
    lambda w, f: w("Add", f, exact_number(w, float(w.random.randint(1, 999)))),
    lambda w, f: w("Sub", f, exact_number(w, float(w.random.randint(1, 99)))),
    lambda w, f: w("Floor", w("Div", f, exact_number(w, 7.0))),
    lambda w, f: w("Ceil", w("Div", w("Add", f, w.constant(0.5)), exact_number(w, 4.0))),
    lambda w, f: w("Round", w("Mul", f, exact_number(w, 0.75))),
    lambda w, f: w("Add", w("Mul", f, exact_number(w, 2.0)), w.constant(1.0)),
    lambda w, f: w("Max", f, exact_number(w, 0.0)),
    lambda w, f: w("Relu", f),
    lambda w, f: w("Mod", f, exact_number(w, 1009.0), fmod=1),
    lambda w, f: w("Neg", w("Neg", f)),
    lambda w, f: w("Div", w("Mul", f, exact_number(w, 5.0)), exact_number(w, 5.0)),
)


def arithmetic(w):
    feeds = {}
    f = w("Cast", integers(w, feeds), to=FLOAT)
    for _ in range(w.random.randint(1, 3)):
        f = move(w, pick(w, *STEPS)(w, f), 1, 1)
    back = w("Cast", w("Floor", w("Abs", f)), to=INT64)
    a, more = product(w)
    feeds.update(more)

    def looked_up():
        table = w.constant(numpy.sin(numpy.arange(997.0)[:, None] * numpy.arange(1, 9)))
        row = w("ReduceMean", w("Gather", table, w("Mod", back, w.constant(numpy.int64(997)))), axes=[0])
        finish(w, row, a)

    def shown():
        w.output(back, None, INT64)
        finish(w, a, a)

    def compared():
        odd = w("Mod", back, w.constant(numpy.int64(2)))
        w.output(w("Cast", w("Equal", odd, w.constant(numpy.int64(1))), to=INT64), None, INT64)
        finish(w, a, a)

    def multiplied():
        """A product reads the float, too."""
        w.output(back, None, INT64)
        wide = w("Expand", w("Unsqueeze", f, w.ints(1)), w.ints(1, WIDTH))
        w.output(w("MatMul", w("Mul", wide, w.constant(1e-3)), w.weight(WIDTH, WIDTH)))
    pick(w, looked_up, shown, compared, multiplied)()
    return feeds


def tempted(w, value, size):
    """A product's neighbor also reads a size, so that 16 bits would need fewer casts."""
    share = pick(w, lambda: w("Div", value, size), lambda: w("Mul", value, w("Reciprocal", size)), lambda: value)()
    return w("Mul", share, w.constant(100.0)) if share != value else value


def sizes_of_a_reshape(w):
    """The length of an input, computed in floats, becomes a dimension of a shape."""
    many = pick(w, 300, 514, 1030, 2054) * 4
    feeds = {"x": w.rng.standard_normal((1, many)).astype(numpy.float32)}
    x = w.input("x", [1, many])
    size = w("Cast", w("Gather", w("Shape", x), w.constant(numpy.int64(1))), to=FLOAT)
    rows = pick(w, lambda: w("Div", size, exact_number(w, 4.0)), lambda: w("Mul", size, exact_number(w, 0.25)))()
    rows = w("Cast", w("Floor", rows), to=INT64)
    shape = w("Concat", w("Reshape", rows, w.ints(1)), w.ints(4), axis=0)
    y = w("MatMul", tempted(w, w("Reshape", x, shape), size), w.weight(4, 4))
    w.output(y)
    return feeds


def ends_of_a_slice(w):
    many = long_row(w)
    _, feeds = product(w, zeros=False)
    table = w.constant(w.rng.standard_normal((many, WIDTH)).astype(numpy.float32))
    whole = integers(w, feeds) if w.random.random() < 0.3 else w.constant([many], numpy.int64)
    f = w("Add", w("Mul", w("Cast", whole, to=FLOAT), exact_number(w, 0.0)), exact_number(w, float(many)))
    start = w("Cast", w("Sub", f, exact_number(w, float(ROWS))), to=INT64)
    start = w("Slice", start, w.ints(0), w.ints(1), w.ints(0))
    end = w("Add", start, w.ints(ROWS))
    part = w("Slice", table, start, end, w.ints(0))
    finish(w, tempted(w, part, w("ReduceMax", f, keepdims=0)))
    return feeds


def counters(w):
    """A float that a Loop increments, and an element that it selects."""
    turns = pick(w, 260, 300, 2100)
    a, feeds = product(w)
    one = w.constant(1.0)
    last = w.loop(turns, w.constant(0.0), lambda b, turn, value: b("Add", value, one), shape=[])
    whole = w("Cast", move(w, last, 0), to=INT64)
    w.output(whole, [], INT64)
    finish(w, w("Mul", a, w("Div", last, w.constant(float(turns)))))
    return feeds


def resized(w):
    """The size of an image, computed in floats."""
    size = pick(w, 259, 301, 515)
    feeds = {"x": w.rng.standard_normal((1, 1, 2, size)).astype(numpy.float32)}
    x = w.input("x", [1, 1, 2, size])
    c = w("Conv", x, w.constant(numpy.ones((1, 1, 1, 1))))
    shape = w("Shape", c)
    wide = w("Cast", w("Slice", shape, w.ints(2), w.ints(4), w.ints(0)), to=FLOAT)
    wide = move(w, wide, 0)
    sizes = w("Concat", w.ints(1, 1), w("Cast", w("Floor", w("Mul", wide, w.constant(2.0))), to=INT64), axis=0)
    large = w("Resize", tempted(w, c, w("ReduceMax", wide, keepdims=0)), "", "", sizes, mode="nearest")
    w.output(w("Conv", large, w.constant(numpy.ones((1, 1, 1, 1)))))
    return feeds


INTEGERS = (arithmetic, arithmetic, arithmetic, sizes_of_a_reshape, ends_of_a_slice, counters, resized)


def positions(w, feeds, many):
    """Returns a vector of positions as floats."""
    def of_range():
        return w("Range", w.constant(0.0), w.constant(float(many)), w.constant(1.0))

    def of_integers():
        return w("Cast", w("Range", *(w.constant(numpy.int64(each)) for each in (0, many, 1))), to=FLOAT)

    def of_input():
        feeds["t"] = numpy.sort(w.rng.uniform(0, 1000, many)).astype(numpy.float32)
        if w.random.random() < 0.5:
            feeds["t"] = numpy.round(feeds["t"])
        return w.input("t", [many])

    def of_ids():
        feeds["t"] = numpy.arange(many)
        return w("Cast", w.input("t", [many], INT64), to=FLOAT)

    def of_sums():
        mask = w("Cast", w("Greater", w.input("t", [many]), w.constant(-9.0)), to=FLOAT)
        feeds["t"] = numpy.zeros(many, numpy.float32)
        return w("CumSum", mask, w.constant(numpy.int64(0)))

    def of_a_constant():
        return w.constant(numpy.arange(float(many)))
    return move(w, pick(w, of_range, of_integers, of_input, of_ids, of_sums, of_a_constant)(), 1)


def phases(w):
    many = pick(w, 300, 512, 700)
    feeds = {"x": w.rng.standard_normal((many, WIDTH)).astype(numpy.float32)}
    a = w("MatMul", w.input("x", [many, WIDTH]), w.weight(WIDTH, WIDTH))
    p = positions(w, feeds, many)
    shares = numpy.arange(WIDTH // 2) / (WIDTH // 2)
    rates = 10000.0 ** -shares

    def rate():
        """Returns the frequencies, written in one of the ways that exporters use."""
        return pick(w, lambda: w.constant(rates), lambda: w.literal(rates.astype(numpy.float32)),
                    lambda: w("Exp", w("Mul", w.constant(shares), w.constant(-numpy.log(10000.0)))),
                    lambda: w("Div", w.constant(1.0), w("Pow", w.constant(10000.0), w.constant(shares))))()
    exact = []

    def outer():
        exact.append(w("MatMul", w("Unsqueeze", p, w.ints(1)), w("Unsqueeze", rate(), w.ints(0))))
        return exact[0]
    angles = pick(w, lambda: w("Mul", w("Unsqueeze", p, w.ints(1)), rate()), outer,
                  lambda: w("Einsum", p, rate(), equation="i,j->ij"),
                  lambda: w("Div", w("Unsqueeze", p, w.ints(1)), w("Reciprocal", rate())))()
    if w.random.random() < 0.4:
        angles = w("Mul", angles, number(w, pick(w, 2.0, 6.283185)))
    angles = move(w, angles, 2)
    waves = pick(w, lambda: w("Concat", w("Sin", angles), w("Cos", angles), axis=1),
                 lambda: w("Concat", w("Cos", angles), w("Sin", angles), axis=1),
                 lambda: w("Sin", w("Concat", angles, angles, axis=1)),
                 lambda: w("Cos", w("Concat", angles, angles, axis=1)))()
    joined = pick(w, lambda: w("Mul", a, move(w, waves, 2)), lambda: w("Add", a, move(w, waves, 2)), lambda: waves)()
    w.output(w("MatMul", joined, w.weight(WIDTH, WIDTH)), [many, WIDTH])
    return feeds, tuple(exact)


PHASES = (phases,)


def there_and_back(w):
    a, feeds = product(w)
    # Products return values below 3, which vanish beside the offset.
    offset = pick(w, 1e4, 65504.0, 4096.0, 3e5)
    up, down = number(w, offset), number(w, offset)
    there = pick(w, lambda: w("Add", a, up), lambda: w("Add", up, a), lambda: w("Sub", a, w("Neg", up)),
                 lambda: w("Sum", a, up))()
    there = move(w, there, 2, 3)
    there = pick(w, lambda: there, lambda: w("Max", there, w.constant(0.0)), lambda: w("Relu", there))()
    back = pick(w, lambda: w("Sub", there, down), lambda: w("Add", there, w("Neg", down)),
                lambda: w("Neg", w("Sub", down, there)))()
    finish(w, back)
    return feeds


def variance(w):
    """E[x^2] - E[x]^2 of values with a small spread around a large mean."""
    a, feeds = product(w, zeros=False)
    b = move(w, w("Add", a, number(w, pick(w, 100.0, 200.0, 250.0))), 2)
    square = pick(w, lambda: w("Mul", b, b), lambda: w("Pow", b, w.constant(2.0)))()
    mean = w("ReduceMean", b, axes=[-1])
    spread = w("Sub", w("ReduceMean", square, axes=[-1]), pick(w, lambda: w("Mul", mean, mean),
                                                              lambda: w("Pow", mean, w.constant(2.0)))())
    deviation = w("Sqrt", w("Add", w("Max", move(w, spread, 2), w.constant(0.0)), w.constant(1e-2)))
    finish(w, pick(w, lambda: w("Div", w("Sub", b, mean), deviation), lambda: deviation)())
    return feeds


def differences_of_squares(w):
    """(b + d)^2 - b^2 - 2 b d is d^2."""
    a, feeds = product(w, zeros=False)
    d = w("Tanh", a)
    b = number(w, pick(w, 100.0, 200.0))
    whole = w("Add", d, b)
    square = move(w, w("Mul", whole, whole), 2)
    rest = w("Sub", w("Sub", square, w("Mul", b, b)), w("Mul", w("Mul", d, b), w.constant(2.0)))
    finish(w, move(w, rest, 2))
    return feeds


def distances(w):
    """|p|^2 + |q|^2 - 2 p q, for points near one another and far from the origin. If a product
    computes p q, lists want it in 16 bits, and the rest cannot be more exact than that."""
    a, feeds = product(w, zeros=False)
    p = w("Add", w("Tanh", a), number(w, pick(w, 60.0, 100.0, 200.0)))
    norm = w("ReduceSum", w("Mul", p, p), w.ints(-1))
    both = pick(w, lambda: w("MatMul", p, w("Transpose", p, perm=[1, 0])),
                lambda: w("ReduceSum", w("Mul", w("Unsqueeze", p, w.ints(1)), w("Unsqueeze", p, w.ints(0))), w.ints(-1),
                          keepdims=0))()
    d = w("Sub", w("Add", norm, w("Transpose", norm, perm=[1, 0])), w("Mul", both, w.constant(2.0)))
    w.output(w("Sqrt", w("Max", move(w, d, 2), w.constant(0.01))), [ROWS, ROWS])
    return feeds


def rounding_by_a_number(w):
    """Adding and subtracting 1.5 * 2^23 rounds a float32 to an integer."""
    a, feeds = product(w)
    magic = 12582912.0
    whole = w("Sub", w("Add", w("Mul", a, w.constant(20.0)), exact_number(w, magic)), exact_number(w, magic))
    finish(w, w("Mul", whole, w.constant(0.05)))
    return feeds


CANCELLATION = (there_and_back, there_and_back, variance, differences_of_squares, distances, rounding_by_a_number)
