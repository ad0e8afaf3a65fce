"""Estimates how far outputs computed in 16 bits may deviate because of rounding. Running the exact
model on inputs moved by one rounding shows how much it amplifies errors; the rest is counted in
roundings.
"""
# SPDX-License-Identifier: Apache-2.0

import zlib

import ml_dtypes
import numpy
import onnx
import onnx.numpy_helper
import onnx.reference
import onnxruntime

UNIT = {"float16": 2.0 ** -11, "bfloat16": 2.0 ** -8}  # one rounding, relative
LEAST = {"float16": 2.0 ** -25, "bfloat16": 0.0}  # one rounding of a subnormal element
TYPE = {"float16": numpy.float16, "bfloat16": ml_dtypes.bfloat16}
MOVES = 6
RANDOM = {"RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Bernoulli",
          "Multinomial", "Dropout"}


def feeds_of(path, model):
    """Returns input -> array, from the files beside the model, otherwise random; None if an input
    is not a tensor."""
    known = {each.name for each in model.graph.initializer}
    inputs = [each for each in model.graph.input if each.name not in known]
    files = sorted((path.parent / "test_data_set_0").glob("input_*.pb"),
                   key=lambda file: int(file.stem.split("_")[1]))
    feeds, rng = {}, numpy.random.default_rng(zlib.crc32(path.name.encode()))
    if files:
        names = [each.name for each in model.graph.input]
        for at, file in enumerate(files):
            tensor = onnx.TensorProto()
            tensor.ParseFromString(file.read_bytes())
            feeds[tensor.name or names[at]] = onnx.numpy_helper.to_array(tensor)
        return feeds
    for each in inputs:
        if not each.type.HasField("tensor_type"):
            return None
        dtype = onnx.helper.tensor_dtype_to_np_dtype(each.type.tensor_type.elem_type)
        shape = [dim.dim_value or 2 for dim in each.type.tensor_type.shape.dim]
        drawn = rng.standard_normal(shape) if dtype.kind in "fV" else rng.integers(0, 2, shape)
        feeds[each.name] = drawn.astype(dtype)
    return feeds


def loaded(model):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(model.SerializeToString(), options,
                                        providers=["CPUExecutionProvider"])


def run(model, feeds):
    return loaded(model).run(None, feeds)


def evaluate(model, feeds):
    return onnx.reference.ReferenceEvaluator(model).run(None, feeds)


def attempt(how, *arguments):
    """Returns the result, or None on any exception: each peer raises its own types."""
    try:
        with numpy.errstate(all="ignore"):
            return how(*arguments)
    except Exception:
        return None


def tensors(values):
    """Returns all arrays as float64, or None if one is a sequence or an optional."""
    arrays = []
    for value in values:
        if not isinstance(value, (numpy.ndarray, numpy.generic)) or value.dtype.kind in "OSU":
            return None
        arrays.append(numpy.asarray(value).astype(numpy.float64))
    return arrays


def moved(feeds, dtype):
    """Yields the inputs rounded to the type, then moved by random amounts of that size."""
    rng = numpy.random.default_rng(3)
    floats = [name for name, each in feeds.items() if each.dtype == numpy.float32]
    with numpy.errstate(over="ignore"):
        yield {**feeds, **{name: feeds[name].astype(TYPE[dtype]).astype(numpy.float32)
                           for name in floats}}
    for _ in range(MOVES if floats else 0):
        yield {**feeds, **{name: (feeds[name] * (1 + 2 * UNIT[dtype] * rng.uniform(
            -1, 1, feeds[name].shape))).astype(numpy.float32) for name in floats}}


class Explained:
    """The exact outputs of a model, and how far 16-bit outputs may deviate from them."""

    def __init__(self, model, feeds, how, exact, dtype):
        self.dtype, self.exact = dtype, exact
        self.amplified = [numpy.zeros(each.shape) for each in exact]
        for other in moved(feeds, dtype):
            found = attempt(how, model, other)
            found = found and tensors(found)
            for at, each in enumerate(found or ()):
                if each.shape != self.exact[at].shape:
                    continue
                with numpy.errstate(all="ignore"):
                    change = numpy.abs(each - exact[at])
                self.amplified[at] = numpy.fmax(self.amplified[at], numpy.nan_to_num(
                    change, nan=0, posinf=0))
        self.roundings = 1 + len(model.graph.node)

    def worst(self, found):
        """Returns the largest deviation in units of the explained one; infinite if a finite element
        is not finite or a shape differs."""
        worst, largest = 0.0, numpy.finfo(TYPE[self.dtype]).max if self.dtype == "float16" else 3.38e38
        for value, exact, amplified in zip(found, self.exact, self.amplified):
            if value.shape != exact.shape:
                return numpy.inf
            finite = numpy.isfinite(exact) & (numpy.abs(exact) < largest)
            if not (numpy.isfinite(value) | ~finite).all():
                return numpy.inf
            if not finite.any():
                continue
            scale = numpy.abs(exact[finite]).max()
            allowed = self.roundings * (UNIT[self.dtype] * scale + amplified[finite].max() +
                                        LEAST[self.dtype])
            worst = max(worst, numpy.abs(value[finite] - exact[finite]).max() / max(allowed, 1e-300))
        return worst
