"""Models in which a value exceeds 65504 and comes back, or is so near 1 that the distance from 1
matters: families of hazard_models.py. Each function writes a graph and adds its inputs to the
feeds.
"""
# SPDX-License-Identifier: Apache-2.0

import numpy
import onnx.helper

from graph_writer import FLOAT, INT64, move
from number_ways import number

ROWS, WIDTH = 6, 8


def product(w, name="x", rows=ROWS, low=-1.0, high=1.0, zeros=True):
    """Returns (a product's output of `rows` x 8, the array for its input)."""
    x = w.rng.uniform(low, high, (rows, WIDTH)).astype(numpy.float32)
    if zeros:
        x[:2] = 0
    return w("MatMul", w.input(name, [rows, WIDTH]), w.weight(WIDTH, WIDTH)), {name: x}


def finish(w, value, a=None, rows=ROWS):
    """Returns the output: a product of `value`, which broadcasts to rows x 8."""
    a = a or w("Mul", w.nodes[0].output[0], w.constant(0.25))
    w.output(w("MatMul", w("Add", move(w, value, 2), a), w.weight(WIDTH, WIDTH)), [rows, WIDTH])


def pick(w, *those):
    return w.random.choice(those)


def large(w):
    return pick(w, 7e4, 1e5, 1e6, 65536.0, 3e8)


def scaled_and_back(w):
    a, feeds = product(w)
    factor = large(w)
    up = pick(w, lambda: w("Mul", a, number(w, factor)), lambda: w("Div", a, number(w, 1 / factor)),
              lambda: w("Mul", number(w, factor), w("Sigmoid", a)), lambda: w("Mul", w("Tanh", a), number(w, factor)))()
    up = move(w, up, 2)
    up = pick(w, lambda: up, lambda: w("Relu", up), lambda: w("Abs", up), lambda: w("Floor", up))()
    down = pick(w, lambda: w("Div", up, number(w, factor)), lambda: w("Mul", up, number(w, 1 / factor)))()
    finish(w, down)
    return feeds


def squared_audio(w):
    x = w.input("x", [ROWS, WIDTH])
    scaled = move(w, w("Mul", x, number(w, 32768.0)), 2)
    scaled = pick(w, lambda: scaled, lambda: w("Sub", scaled, w("ReduceMean", scaled, axes=[-1])))()
    square = pick(w, lambda: w("Mul", scaled, scaled), lambda: w("Pow", scaled, number(w, 2.0)))()
    power = pick(w, lambda: square, lambda: w("ReduceMean", square, axes=[-1]),
                 lambda: w("ReduceSum", square, w.ints(-1)))()
    level = w("Log", w("Add", move(w, power, 2), number(w, pick(w, 1.0, 1e-3))))
    feeds = {"x": w.rng.uniform(-1, 1, (ROWS, WIDTH)).astype(numpy.float32)}
    feeds["x"][0] = 0
    finish(w, w("Mul", level, w.constant(0.1)), w("MatMul", x, w.weight(WIDTH, WIDTH)))
    return feeds


def reciprocal(w):
    """1 / (q + g) is 1 / g where q is 0, and is clipped later."""
    a, feeds = product(w)
    q = pick(w, lambda: w("Relu", a), lambda: w("Abs", a))()
    s = move(w, w("Add", q, number(w, pick(w, 1e-5, 3e-6, 1e-6))), 2)
    r = pick(w, lambda: w("Reciprocal", s), lambda: w("Div", w.constant(1.0), s),
             lambda: w("Pow", s, w.constant(-1.0)))()
    r = move(w, r, 2)
    finish(w, pick(w, lambda: w("Mul", r, q), lambda: w("Min", r, w.constant(10.0)),
                   lambda: w("Div", r, w("Add", r, w.constant(1.0))))())
    return feeds


def exponential(w):
    a, feeds = product(w, low=-4, high=4)
    c = w("Clip", w("Mul", a, w.constant(6.0)), w.constant(-20.0), w.constant(pick(w, 12.0, 20.0, 30.0)))
    e = move(w, w("Exp", c), 2)
    finish(w, pick(w, lambda: w("Div", e, w("Add", w("ReduceSum", e, w.ints(-1)), w.constant(1.0))),
                   lambda: w("Mul", w("Log", w("Add", e, w.constant(1.0))), w.constant(0.05)),
                   lambda: w("Div", e, w("Add", e, w.constant(1.0))))())
    return feeds


def boxes_of_classes(w):
    """Boxes offset by class times 7680 before the suppression, as detectors do."""
    count, classes = 12, pick(w, 10, 20, 80)
    corner = w.rng.integers(0, 40, (count, 2)) * 16.0
    corner[1::2] = corner[::2]  # each twice
    boxes = numpy.concatenate([corner, corner + w.rng.integers(2, 4, (count, 1)) * 8.0], 1)
    boxes[1::2, 2:] = boxes[::2, 2:]
    kinds = w.rng.integers(0, classes, count)
    kinds[1::4] = kinds[::4]
    scores = numpy.full((count, classes), 0.1, numpy.float32)
    scores[range(count), kinds] = numpy.linspace(0.5, 0.9, count)
    w.input("boxes", [count, 4])
    w.input("scores", [count, classes])
    b = w("MatMul", "boxes", w.constant(numpy.eye(4)))
    kind = w("Cast", w("ArgMax", "scores", axis=1, keepdims=1), to=FLOAT)
    offset = move(w, w("Mul", move(w, kind, 2), number(w, pick(w, 7680.0, 4096.0))), 2)
    moved = w("Unsqueeze", move(w, w("Add", b, offset), 2), w.ints(0))
    best = w("Unsqueeze", w("Transpose", w("ReduceMax", "scores", axes=[1]), perm=[1, 0]), w.ints(0))
    chosen = w("NonMaxSuppression", moved, best, w.ints(count), w.constant([0.5]), w.constant([0.2]))
    w.output(chosen, None, INT64)
    w.output(w("Gather", b, w("Gather", chosen, w.constant(numpy.int64(2)), axis=1)))
    return {"boxes": boxes.astype(numpy.float32), "scores": scores}


def long_sum(w):
    """Sums of many bounded values, divided by their count."""
    many = pick(w, 2048, 4096, 8192)
    a, feeds = product(w, zeros=False)
    p = w("Mul", w("Sigmoid", a), number(w, pick(w, 100.0, 255.0)))
    wide = move(w, w("Expand", w("Unsqueeze", p, w.ints(1)), w.ints(ROWS, many, WIDTH)), 3, 1)
    first, last = w.constant(numpy.int64(1)), w.constant(numpy.int64(-1))
    total = pick(w, lambda: w("ReduceSum", wide, w.ints(1), keepdims=0),
                 lambda: w("Gather", w("CumSum", wide, first), last, axis=1),
                 lambda: w("ReduceL1", wide, axes=[1], keepdims=0))()
    finish(w, w("Div", move(w, total, 2), number(w, many * 100.0)))
    return feeds


def pixels(w):
    """Sums of squared differences of 8-bit or 16-bit pixels."""
    top = pick(w, 255, 65535)
    image = w.rng.integers(0, top + 1, (ROWS, WIDTH))
    dtype = pick(w, numpy.uint8, numpy.int32) if top == 255 else numpy.int32
    x = w("Cast", w.input("x", [ROWS, WIDTH], onnx.helper.np_dtype_to_tensor_dtype(numpy.dtype(dtype))), to=FLOAT)
    unit = move(w, w("Div", x, number(w, float(top))), 2)
    a = w("MatMul", unit, w.weight(WIDTH, WIDTH))
    back = w("Mul", w("Sigmoid", a), number(w, float(top)))
    error = pick(w, lambda d: w("Mul", d, d), lambda d: w("Pow", d, w.constant(2.0)))(move(w, w("Sub", x, back), 2))
    mean = w("ReduceMean", error, axes=[-1])
    finish(w, w("Div", w("Sqrt", mean), number(w, float(top))), a)
    return {"x": image.astype(dtype)}


def far_away(w):
    """Replaces distances of absent pairs by a large constant, then takes the minimum."""
    a, feeds = product(w)
    far = number(w, large(w))
    d = w("Where", w("Less", a, w.constant(0.0)), far, w("Abs", a))
    near = pick(w, lambda: w("ReduceMin", move(w, d, 2), axes=[-1]), lambda: w("Min", move(w, d, 2), w.constant(4.0)),
                lambda: w("Div", w.constant(1.0), w("Add", move(w, d, 2), w.constant(1.0))),
                lambda: w("Exp", w("Neg", move(w, d, 2))))()
    finish(w, w("Min", near, w.constant(4.0)))
    return feeds


def powers(w):
    a, feeds = product(w)
    b = w("Mul", w("Tanh", a), number(w, pick(w, 50.0, 100.0, 200.0)))
    exponent = pick(w, 3.0, 4.0)
    p = move(w, w("Pow", move(w, b, 2), number(w, exponent, "initializer")), 2)
    finish(w, w("Div", p, number(w, 200.0 ** exponent)))
    return feeds


OVERFLOW = (scaled_and_back, squared_audio, reciprocal, exponential, boxes_of_classes, long_sum, pixels, far_away,
            powers)


def eps(w):
    return pick(w, 1e-3, 3e-4, 1e-4, 1e-5, 1e-6, 1e-7)


def share(w, a):
    return pick(w, lambda: w("Sigmoid", w("Mul", a, w.constant(40.0))),
                lambda: w("Softmax", w("Mul", a, w.constant(60.0))),
                lambda: w("Clip", a, w.constant(0.0), w.constant(1.0)),
                lambda: w("Abs", w("Tanh", w("Mul", a, w.constant(9.0)))))()


def one_above(w):
    """1 + eps - p with p up to 1."""
    a, feeds = product(w, low=-4, high=4)
    e = eps(w)
    top = pick(w, lambda: number(w, 1 + e), lambda: w("Add", w.constant(1.0), number(w, e)))()
    s = move(w, w("Sub", move(w, top, 0, 1), move(w, share(w, a), 2)), 2)
    finish(w, pick(w, lambda: w("Log", s), lambda: w("Log", w("Reciprocal", s)),
                   lambda: w("Log", w("Div", w.constant(1.0), s)), lambda: w("Log", w("Sqrt", s)),
                   lambda: w("Log", w("Pow", s, w.constant(-0.5))))())
    return feeds


def both_bounds(w):
    """p clipped to [eps, 1 - eps], then a logit, an entropy or an inverse hyperbolic tangent."""
    a, feeds = product(w, low=-4, high=4)
    e = eps(w)
    low, high = number(w, e), pick(w, lambda: number(w, 1 - e), lambda: w("Sub", w.constant(1.0), number(w, e)))()
    p = pick(w, lambda p: w("Clip", p, w("ReduceMax", low, keepdims=0), w("ReduceMax", high, keepdims=0)),
             lambda p: w("Max", w("Min", p, high), low))(move(w, share(w, a), 2))
    p = move(w, p, 2)
    rest = w("Sub", w.constant(1.0), p)
    finish(w, pick(w, lambda: w("Log", w("Div", p, rest)), lambda: w("Sub", w("Log", p), w("Log", rest)),
                   lambda: w("Atanh", w("Sub", w("Mul", p, w.constant(2.0)), w.constant(1.0))),
                   lambda: w("Neg", w("Log", rest)), lambda: w("Log", w("Reciprocal", rest)))())
    return feeds


def correlation(w):
    """c * (1 - eps), then Acos, Atanh or Sqrt(1 - c * c) as divisors."""
    a, feeds = product(w, low=-4, high=4)
    c = w("Mul", move(w, pick(w, lambda: w("Sign", a), lambda: w("Tanh", w("Mul", a, w.constant(40.0))))(), 2),
          number(w, 1 - eps(w)))
    c = move(w, c, 2)
    sine = w("Sqrt", w("Sub", w.constant(1.0), w("Mul", c, c)))
    finish(w, pick(w, lambda: w("Atanh", c), lambda: w("Log", w("Div", w.constant(1.0), sine)),
                   lambda: w("Log", sine))())
    return feeds


def noise_levels(w):
    """The table of a diffusion model, whose first entries are just below 1, indexed by the step."""
    steps = 1000
    table = numpy.cumprod(1 - numpy.linspace(pick(w, 1e-4, 1e-5), 0.02, steps))
    _, feeds = product(w)
    feeds["t"] = w.random.choice(([0, 1, 2, 3, 4, 5], [0, 0, 1, 10, 500, 999])) * numpy.int64(1)
    level = w("Unsqueeze", w("Gather", w.constant(table), w.input("t", [ROWS], INT64)), w.ints(1))
    noise = w("Sub", w.constant(1.0), move(w, level, 2))
    finish(w, pick(w, lambda: w("Mul", w("Log", noise), w.constant(0.2)),
                   lambda: w("Mul", w("Log", w("Div", level, noise)), w.constant(0.2)),
                   lambda: w("Mul", w("Sqrt", w("Div", level, noise)), w.constant(0.01)),
                   lambda: w("Mul", w("Reciprocal", w("Sqrt", noise)), w.constant(0.01)))())
    return feeds


def small_beside_one(w):
    """log(1 + t), exp(t) - 1 and sqrt(1 + t) - 1 of small t, scaled up."""
    a, feeds = product(w)
    t = pick(w, 1e-3, 1e-4, 1e-5)
    small = move(w, w("Mul", w("Tanh", a), number(w, t)), 2)
    one = number(w, 1.0)
    grown = pick(w, lambda: w("Log", w("Add", one, small)), lambda: w("Sub", w("Exp", small), one),
                 lambda: w("Sub", w("Sqrt", w("Add", one, small)), one),
                 lambda: w("Sub", w("Reciprocal", w("Sub", one, small)), one))()
    finish(w, w("Mul", move(w, grown, 2), number(w, 1 / t)))
    return feeds


def decay(w):
    """Repeated multiplication by a factor just below 1."""
    a, feeds = product(w)
    rate = pick(w, 1e-4, 3e-4, 1e-3)
    factor = number(w, 1 - rate)
    times = pick(w, 1000.0, 3000.0)
    kept = pick(w, lambda: w("Pow", factor, number(w, times)),
                lambda: w("Exp", w("Mul", w("Log", factor), number(w, times))))()
    finish(w, w("Mul", a, kept))
    return feeds


NEAR_ONE = (one_above, both_bounds, correlation, noise_levels, small_beside_one, decay)
