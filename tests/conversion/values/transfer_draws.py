"""Random operands of operators: constants, whose elements are all known, and inputs, with a known
or unknown range. And values for those inputs: the ends of the range and their neighbors, zeros,
subnormal values, values that overflow, infinity and NaN, if the range contains them. For
transfer_test.py."""
# SPDX-License-Identifier: Apache-2.0

import dataclasses
import math

import numpy
import onnx

from graph_writer import FLOAT, Writer

TINY, LEAST_NORMAL, LARGEST = 1.401298464324817e-45, 1.1754943508222875e-38, 3.4028234663852886e38
# Values at which operators change behavior, of either sign.
MARKS = (0.0, TINY, 1e-42, LEAST_NORMAL, 1e-30, 1e-20, 1e-12, 5.96e-8, 1e-5, 6.1e-5, 1e-3, 0.1, 0.5, 0.9999999, 1.0,
         1.0000001, 2.0, 3.0, 7.0, 11.09, 20.0, 88.72, 88.73, 103.9, 255.0, 256.0, 2049.0, 65504.0, 65520.0, 1e5,
         16777216.0, 1e9, 1e19, 1e20, 1e30, 1.8e38, LARGEST)
ORDINARY = (0.0, 0.25, 1.0, 1.5, 2.0, 3.0, 10.0, 255.0, 1e-3)
WHOLE = (0, 1, 2, 3, 5, 7, 10, 100, 127, 128, 255, 256, 2049, 32767, 65505, 100000, 1 << 24, (1 << 31) - 1, 1 << 31,
         1 << 40, 1 << 52)


def single(number):
    return float(numpy.float32(number))


@dataclasses.dataclass
class Operand:
    shape: tuple
    dtype: numpy.dtype
    range: tuple = None  # None: any value of the type


class Draws(Writer):
    """A graph of nodes of one operator, and the known facts about its inputs."""

    def __init__(self, seed, opset=21):
        super().__init__(seed, opset)
        self.operands = {}  # for each input
        self.typed = {}     # what onnx does not infer: output -> element type

    def chance(self, probability):
        return self.random.random() < probability

    def choose(self, *choices):
        return self.random.choice(choices)

    def mark(self):
        marks = ORDINARY if self.chance(0.4) else MARKS
        number = self.random.choice(marks) * self.random.choice((1, -1))
        if self.chance(0.3):
            number = self.random.gauss(0, 1) * 10.0 ** self.random.choice((-30, -3, -1, 0, 0, 0, 1, 3, 8, 30))
        return single(max(-LARGEST, min(LARGEST, number)))

    def interval(self):
        """Returns random ends of a float32 range."""
        style, first, second = self.random.random(), self.mark(), self.mark()
        if style < 0.15:
            second = first
        elif style < 0.25:
            second = float(numpy.nextafter(numpy.float32(first), numpy.float32(LARGEST)))
        elif style < 0.45:
            second = 0.0
        elif style < 0.6:
            second = -first
        elif style < 0.7:
            second = self.choose(math.inf, -math.inf)
        elif style < 0.75:
            first, second = -math.inf, math.inf
        return min(first, second), max(first, second)

    def whole_interval(self, dtype):
        limits = numpy.iinfo(dtype)
        least, most = int(limits.min), min(int(limits.max), 1 << 52)
        ends = sorted(max(max(least, -(1 << 52)), min(most, self.random.choice(WHOLE) * self.choose(1, 1, -1)))
                      for _ in range(2))
        return (ends[0], ends[0]) if self.chance(0.15) else tuple(ends)

    def array(self, shape, dtype=numpy.float32, ends=None):
        """Returns an array of a type, within a range."""
        return numbers(self.rng, Operand(tuple(shape), numpy.dtype(dtype), ends))

    def given(self, shape, dtype=numpy.float32, ends=None):
        """Adds an input whose values are within `ends`; None: unknown range."""
        name = self.fresh("in")
        self.operands[name] = Operand(tuple(shape), numpy.dtype(dtype), ends)
        return self.input(name, list(shape), onnx.helper.np_dtype_to_tensor_dtype(numpy.dtype(dtype)))

    def floats(self, shape, ends=None):
        """Adds an operand, an input or a constant; if `ends` are given, all its elements are within
        them."""
        way = self.random.random()
        free = ends is None
        if way < 0.15 and free:
            return self.given(shape)
        ends = tuple(map(single, ends)) if ends else self.interval()
        if way < 0.65 or math.prod(shape) == 0:
            return self.given(shape, ends=ends)
        array = numpy.array(self.array(shape, ends=ends))
        if way > 0.9 and free:
            array[self.rng.random(shape) < 0.2] = math.nan
        if way < 0.75:  # all elements equal
            array = numpy.full(shape, array.reshape(-1)[0], numpy.float32)
        constant = self.constant(array)
        # Something is known about each element, though not its exact value.
        return self(self.choose("Identity", "Sigmoid", "Neg", "Sqrt"), constant) if self.chance(0.2) else constant

    def whole(self, shape, dtype=numpy.int64, ends=None):
        ends = ends or self.whole_interval(dtype)
        if self.chance(0.6):
            return self.given(shape, dtype, ends)
        return self.constant(self.array(shape, dtype, ends))

    def bools(self, shape):
        if self.chance(0.6):
            return self.given(shape, bool)
        array = self.rng.random(shape) < self.choose(0.0, 0.5, 1.0)
        return self.constant(numpy.asarray(array))

    def scalar(self, number, dtype=numpy.float32):
        return self.constant(numpy.asarray(number, dtype))

    def shape(self, least_rank=0):
        """opledger does not track more than 512 elements individually."""
        shapes = ((), (1,), (7,), (600,), (4, 5), (30, 20), (1, 3), (2, 3, 4), (6, 10, 11), (1, 2, 3, 4))
        return self.random.choice([each for each in shapes if len(each) >= least_rank])

    def partner(self, shape):
        """Returns an operand that broadcasts with the shape without changing the rank."""
        if self.chance(0.4):
            return shape
        kept = tuple(1 if self.chance(0.4) else size for size in shape)
        return kept[self.random.randint(0, len(shape)):] if self.chance(0.5) else kept

    def axis(self, shape):
        axis = self.random.randrange(len(shape))
        return axis - len(shape) if self.chance(0.3) else axis

    def feeds(self):
        return {name: numbers(self.rng, operand) for name, operand in self.operands.items()}

    def ranges(self):
        """Returns NAME=LOW,HIGH of all inputs of known range."""
        return [f"{name}={operand.range[0]!r},{operand.range[1]!r}" for name, operand in self.operands.items()
                if operand.range]


def numbers(rng, operand):
    shape, dtype, ends = operand.shape, operand.dtype, operand.range
    if dtype == bool:
        return numpy.asarray(rng.random(shape) < rng.choice((0.0, 0.5, 1.0)))
    if dtype.kind in "iu":
        return whole_numbers(rng, shape, dtype, ends)
    low, high = ends or (-math.inf, math.inf)
    pool = single_numbers(rng, math.prod(shape), low, high)
    if ends is None and rng.random() < 0.5:
        pool[rng.random(pool.size) < 0.2] = math.nan
    return pool.reshape(shape).astype(dtype)


def whole_numbers(rng, shape, dtype, ends):
    limits = numpy.iinfo(dtype)
    low, high = ends or (max(int(limits.min), -(1 << 52)), min(int(limits.max), 1 << 52))
    found = rng.integers(low, high, shape, numpy.int64, endpoint=True)
    marks = numpy.array([each for each in (low, high, 0, 1, -1) if low <= each <= high], numpy.int64)
    return numpy.where(rng.random(shape) < 0.3, rng.choice(marks, shape), found).astype(dtype).reshape(shape)


def single_numbers(rng, count, low, high):
    """Returns float32 values in [low, high]: in one style, or a mixture of all."""
    least, most = max(low, -LARGEST), min(high, LARGEST)
    with numpy.errstate(all="ignore"):
        evenly = (least * (1 - (part := rng.random(count))) + most * part).astype(numpy.float32)
        by_size = (rng.choice((1.0, -1.0), count) * 10.0 ** rng.uniform(-45, 38.5, count)).astype(numpy.float32)
        ordinary = rng.standard_normal(count).astype(numpy.float32)
        marks = numpy.float32([sign * each for each in MARKS for sign in (1, -1)] + [math.inf, -math.inf])
        marked = rng.choice(marks, count)
        ends = rng.choice(numpy.float32([low, high]), count)
        beside = numpy.nextafter(ends, numpy.float32(0))
        outside = [each for each in (0.0, -0.0) if low <= 0 <= high] or [low]
        zeros = rng.choice(numpy.float32(outside), count)
    styles = [evenly, by_size, ordinary, marked, ends, beside, zeros]
    if rng.random() < 0.3:  # all in one style: sums of the largest values, products of the smallest
        found = styles[rng.integers(len(styles))]
    else:
        found = numpy.choose(rng.choice(len(styles), count, p=(0.3, 0.2, 0.1, 0.1, 0.15, 0.1, 0.05)), styles)
    if rng.random() < 0.5:  # infinity hides other errors
        found = numpy.clip(found, numpy.float32(least), numpy.float32(most))
    return numpy.clip(found, numpy.float32(low), numpy.float32(high))
