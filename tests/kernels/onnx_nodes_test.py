#!/usr/bin/env python3
"""Runs ONNX's node tests with `opledger-run`: every test whose operators have kernels yields the
expected outputs, within ONNX's tolerance (1e-3 relative, 1e-7 absolute); in 16 bits, within two
units in the last place, since the expected outputs were rounded after every step.

Prints the count, and every test without a kernel, with the program's message. Exit status: 0
success, 1 failure, 77 the tests or the Python package onnx is missing.
"""
# SPDX-License-Identifier: Apache-2.0

import collections
import concurrent.futures
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/conversion")]
import peers  # noqa: E402
from model_data import ONNX, require  # noqa: E402
from model_run import read_arguments, run_model  # noqa: E402

RELATIVE, ABSOLUTE = 1e-3, 1e-7
UNITS = {"float16": 2 ** -9, "bfloat16": 2 ** -6}
# Share of passing tests. If more pass, raise it.
PASSING = 0.98  # minimum share


NOT_NUMBERS = object()


def array_of(tensor, onnx):
    if not tensor.data_type or tensor.data_type == onnx.TensorProto.STRING:
        return NOT_NUMBERS
    return onnx.numpy_helper.to_array(tensor)


def message_of(data, kind, onnx):
    message = getattr(onnx, kind)()
    message.ParseFromString(data)
    return message


def value_of(path, declared, onnx):
    """Reads a test's file as a value of this type: an array, a list of them, None (an empty
    optional), or NOT_NUMBERS."""
    data = path.read_bytes()
    try:
        while declared.HasField("optional_type"):
            optional = message_of(data, "OptionalProto", onnx)
            if not optional.elem_type:
                return None
            declared = declared.optional_type.elem_type
            held = optional.sequence_value if declared.HasField("sequence_type") else optional.tensor_value
            data = held.SerializeToString()
        if not declared.HasField("sequence_type"):
            return array_of(message_of(data, "TensorProto", onnx), onnx)
        sequence = message_of(data, "SequenceProto", onnx)
        elements = [array_of(tensor, onnx) for tensor in sequence.tensor_values]
        known = sequence.elem_type in (0, onnx.SequenceProto.TENSOR)
        return elements if known and all(each is not NOT_NUMBERS for each in elements) else NOT_NUMBERS
    except Exception:  # pylint: disable=broad-except  # whatever protobuf and numpy raise
        return NOT_NUMBERS


def difference_of(name, got, want):
    """Returns the problem of an output, or ""."""
    import numpy
    if isinstance(want, list) or want is None:
        if isinstance(want, list) != isinstance(got, list) or (want is None) != (got is None):
            return f"{name}: {type(got).__name__}, not {type(want).__name__}"
        if want is not None and len(want) != len(got):
            return f"{name}: {len(got)} elements, not {len(want)}"
        found = [difference_of(f"{name}.{i}", *each) for i, each in enumerate(zip(got or [], want or []))]
        return next(filter(None, found), "")
    if got.dtype != want.dtype or got.shape != want.shape:
        return f"{name}: {got.dtype}{got.shape}, not {want.dtype}{want.shape}"
    if want.dtype.kind in "biu":
        return "" if (got == want).all() else f"{name}: {(got != want).sum()} of {want.size} differ"
    if numpy.allclose(got.astype("f8"), want.astype("f8"), UNITS.get(str(want.dtype), RELATIVE), ABSOLUTE, True):
        return ""
    return f"{name}: off by {numpy.nanmax(numpy.abs(got.astype('f8') - want.astype('f8')), initial=0):.3g}"


def run_case(case, program, kernels):
    """Returns ("pass" | "none" | "fail", message or difference)."""
    import onnx
    model = onnx.load(case / "model.onnx", load_external_data=False)
    data = case / "test_data_set_0"
    given = [i for i in model.graph.input if i.name not in {t.name for t in model.graph.initializer}]
    arrays = {value.name: value_of(data / f"input_{i}.pb", value.type, onnx) for i, value in enumerate(given)}
    if any(array is NOT_NUMBERS for array in arrays.values()):
        return "none", "an input is not a numeric tensor"
    names = [output.name for output in model.graph.output]
    expected = [value_of(data / f"output_{i}.pb", output.type, onnx) for i, output in enumerate(model.graph.output)]
    status, outputs, said = run_model(program, case / "model.onnx", arrays, names, kernels)
    if status:
        return ("none" if status == 2 else "fail"), said
    for name, want in zip(names, expected):
        if want is NOT_NUMBERS:
            return "none", "an output is not a numeric tensor"
        problem = difference_of(name, outputs[name], want)
        if problem:
            return "fail", problem
    return "pass", ""


def main():
    options = read_arguments(__doc__, "kernels")
    try:
        import onnx  # noqa: F401  # pylint: disable=unused-import
    except ImportError:
        peers.require(options.bin, "onnx")
    require(ONNX)
    cases = sorted(c for c in (ONNX / "node").iterdir() if options.only in c.name)[::options.every]
    program = options.bin.resolve() / "opledger-run"
    counts = collections.Counter()
    reasons = collections.defaultdict(list)
    failed = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for case, (what, why) in zip(cases, pool.map(
                lambda c: run_case(c, program, options.kernels), cases)):
            counts[what] += 1
            if what == "fail":
                failed.append(f"{case.name}: {why}")
            elif what == "none":
                reasons[why.split(": ", 1)[-1] if "node '" in why else why].append(
                    f"{case.name} {why}")
    for why in sorted(reasons, key=lambda w: -len(reasons[w])):
        print(f"{len(reasons[why]):4} {why}")
        for line in reasons[why]:
            print(f"       {line}")
    print("\n".join(failed))
    print(f"{counts['pass']} of {len(cases)} node tests pass, {counts['none']} have no kernel, "
          f"{counts['fail']} fail")
    if options.kernels != "cuda" and not options.only and counts["pass"] < PASSING * len(cases):
        print(f"that is less than {PASSING:.0%}")
        return 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
