#!/usr/bin/env python3
"""Checks the value ranges of a model.
Runs it on random inputs, with each value as an output, and compares every element with the output
of `opledger inspect MODEL --values --format json`:

    value_check.py MODEL JSON [--converted FILE] [--input-range NAME=LOW,HIGH] [--runs N]

A value has bounds ("low", "high"; infinite ones are strings), may be NaN only if "nan", exactly 0
only if "zero", otherwise it is at least "gap" away from 0; if "integer", all finite elements are
integers. "float32" describes MODEL, "converted" the converted model. Exit status: 0 all is true, 1
otherwise.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import collections
import json
import math
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/conversion")]
import peers  # noqa: E402

try:
    import numpy
    import onnx
    import accuracy
    from exposing import exposed, plain
    from explicit_rounding import explicitly_rounded
except ImportError:
    onnx = None

SIDES = ("float32", "converted")


def end_of(number):
    """Parses an end of an interval: a number, or "inf" or "-inf"."""
    return float(number) if isinstance(number, str) else number


def violations(said, array):
    """Describes the elements of `array` that violate `said`."""
    array = numpy.asarray(array)
    if not array.size or array.dtype.kind not in "fiub" and array.dtype.name != "bfloat16":
        return
    if array.dtype.kind not in "iub":
        array = array.astype(numpy.float64)
        if numpy.isnan(array).any() and not said["nan"]:
            yield "is NaN"
        array = array[~numpy.isnan(array)]
    if not array.size:
        return
    # Python integers: comparisons do not round 64-bit integers.
    low, high = array.min().item(), array.max().item()
    if low < end_of(said["low"]):
        yield f"{low!r} is below {said['low']!r}"
    if high > end_of(said["high"]):
        yield f"{high!r} is above {said['high']!r}"
    if (array == 0).any() and not said["zero"]:
        yield "is exactly 0"
    others = array[array != 0].tolist()
    nearest = min(map(abs, others), default=math.inf)
    if nearest < end_of(said["gap"]):
        yield f"{nearest!r} is nearer to 0 than {said['gap']!r}"
    if said["integer"] and array.dtype.kind == "f":
        finite = array[numpy.isfinite(array)]
        odd = finite[finite != numpy.floor(finite)]
        if odd.size:
            yield f"{odd[0]!r} is not an integer"


def tightest(array):
    """Returns the strongest true statement about an array."""
    exact = numpy.asarray(array, numpy.float64)
    some = exact[~numpy.isnan(exact)]
    finite = some[numpy.isfinite(some)]
    others = numpy.abs(some[some != 0])
    return {"low": some.min(), "high": some.max(), "nan": bool(numpy.isnan(exact).any()),
            "zero": bool((some == 0).any()), "gap": others.min() if others.size else math.inf,
            "integer": bool((finite == numpy.floor(finite)).all())}


def self_check():
    """Statements that are a little too strong are caught, and the strongest true ones are not.
    Returns problems."""
    arrays = ([1.0, -2.5, 3.0], [0.0, 4.0, math.inf], [math.nan, 1.0], [-math.inf, 1e-30, 2.0], [5.0, 7.0], [0.0])
    for array in map(numpy.float32, arrays):
        said = tightest(array)
        strong = [{**said, "low": numpy.nextafter(said["low"], math.inf)},
                  {**said, "high": numpy.nextafter(said["high"], -math.inf)}]
        strong += [{**said, "nan": False}] if said["nan"] else []
        strong += [{**said, "zero": False}] if said["zero"] else []
        if said["gap"] < math.inf:
            strong.append({**said, "gap": numpy.nextafter(said["gap"], math.inf)})
        strong += [{**said, "integer": True}] if not said["integer"] else []
        yield from (f"self-check: {array} is not {said}" for _ in violations(said, array))
        yield from (f"self-check: {array} passes as {each}" for each in strong if not [*violations(each, array)])
    whole = numpy.array([(1 << 53) + 1])
    said = {"low": 1 << 53, "high": 1 << 53, "nan": False, "zero": False, "gap": 1, "integer": True}
    if not [*violations(said, whole)]:
        yield "self-check: 2^53 + 1 passes as 2^53"


class Observed:
    """A model with each value as an output: loaded once, run often."""

    def __init__(self, model):
        model = exposed(model)
        self.constants = {each.name: onnx.numpy_helper.to_array(each) for each in model.graph.initializer}
        self.session = accuracy.loaded(model)
        self.names = [plain(each.name) for each in self.session.get_outputs()]

    def values(self, feeds):
        """Returns name -> array, including constants and inputs."""
        return {**self.constants, **feeds, **dict(zip(self.names, self.session.run(None, feeds)))}


def observed_converted(path):
    return Observed(explicitly_rounded(onnx.load(path)))


def check(said, side, values):
    """Yields (name, violations) of all values that have a statement."""
    for name, array in values.items():
        record = said.get(name, {}).get(side)
        if record:
            yield from ((name, problem) for problem in violations(record, array))


def read_values(document):
    """Returns name -> record, for names that stand for one value in all graphs."""
    count = collections.Counter(each["name"] for each in document["values"])
    return {each["name"]: each for each in document["values"] if count[each["name"]] == 1}


def read_range(text):
    name, _, ends = text.rpartition("=")
    low, high = map(float, ends.split(","))
    return name, (low, high)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("json", type=pathlib.Path)
    parser.add_argument("--converted", type=pathlib.Path)
    parser.add_argument("--input-range", type=read_range, action="append", default=[])
    parser.add_argument("--runs", type=int, default=20)
    options = parser.parse_args()
    if onnx is None:
        peers.require(ROOT / "build/bin", "onnx", "onnxruntime")
    from graph_writer import Case
    from random_graphs import random_feeds
    model = onnx.load(options.model)
    said = read_values(json.loads(options.json.read_text(encoding="utf-8")))
    watched = [("float32", Observed(model))]
    if options.converted:
        watched.append(("converted", observed_converted(options.converted)))
    problems = list(self_check())
    rng = numpy.random.default_rng(1)
    for _ in range(options.runs):
        feeds = random_feeds(Case("", model, {}, dict(options.input_range)), rng)
        problems += [f"{side}: {name}: {text}" for side, each in watched
                     for name, text in check(said, side, each.values(feeds))]
    print(f"{len(said)} values, {len(problems)} problems", *problems[:40], sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
