#!/usr/bin/env python3
"""Runs ONNX's node tests in 16 bits: each is converted with a list that has every operator as
target, on inputs rounded to the type. Kernels compute in float32 and round once, so compared with
float32 on the same inputs, a node may differ by half a unit in the last place plus float32's own
error. The declared bounds are wider, and would hide a cast that truncates, or sums in the 16-bit
type. In a test of several nodes, each node is compared with float32 on its actual inputs
(step_bounds.py), so errors do not accumulate or hide one another. Outputs of joined nodes may
differ from those of single nodes by four units of the largest element for each node; so may nodes
with inner graphs, for each inner node, since their intermediate roundings are not visible.

Prints the count for each type, differences, and every test that cannot run in 16 bits, with the
reason. Exit status: 0 success, 1 failure, 77 the tests or the Python package onnx is missing.
"""
# SPDX-License-Identifier: Apache-2.0

import collections
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/conversion")]
import peers  # noqa: E402
import step_bounds  # noqa: E402
from autocast_test import forced_list  # noqa: E402
from model_data import ONNX, onnx_operators, require  # noqa: E402
from model_run import read_arguments, run_model  # noqa: E402
from onnx_nodes_test import NOT_NUMBERS, value_of  # noqa: E402

SAMPLE = 24  # every 24th test
BITS = {"float16": 11, "bfloat16": 8}       # of the significand
LEAST = {"float16": -14, "bfloat16": -126}  # exponent of the smallest normal value
EACH_NODE = 4  # units of the largest element, where roundings are not visible
PASSING = {"float16": 554, "bfloat16": 536}  # passing tests; if more pass, raise it
FLOAT32 = 2**-18  # of the largest element: error of a sum of a few hundred float32 values
# Large enough for vector code, unlike the other tests.
SAMPLED_TOO = ("test_layer_normalization_4d_axis_negative_2",)
# Why an output may deviate more.
EXPLAINED = {}


def rounded(array, target):
    import ml_dtypes
    import numpy
    if array.dtype != numpy.float32:
        return array
    return array.astype(numpy.float16 if target == "float16" else ml_dtypes.bfloat16).astype(numpy.float32)


def units(numbers, target):
    """Returns the distance between neighboring values of the type, at each element."""
    import numpy
    exponents = numpy.frexp(numbers)[1] - 1  # -1 for zeros
    exponents = numpy.where(numbers == 0, LEAST[target], numpy.maximum(exponents, LEAST[target]))
    return numpy.ldexp(1.0, exponents - BITS[target] + 1)


def difference(got, want, target, inner):
    """`inner`: number of nodes whose roundings are not visible."""
    import numpy
    if got.dtype != want.dtype or got.shape != want.shape:
        return f"{got.dtype}{got.shape}, not {want.dtype}{want.shape}"
    if want.dtype.kind in "biu":
        return "" if (got == want).all() else f"{(got != want).sum()} of {want.size} differ"
    got, want = got.astype("f8"), want.astype("f8")
    largest = 65504 if target == "float16" else 3.38e38
    inside = numpy.isfinite(want) & (numpy.abs(want) <= largest)
    numbers = ~numpy.isfinite(want)
    if not numpy.array_equal(got[numbers], want[numbers], equal_nan=True):
        return "other infinities or NaN"
    got, want = got[inside], want[inside]
    most = numpy.abs(want).max(initial=0)
    allowed = (0.5 * units(want, target) + FLOAT32 * most if inner == 0
               else EACH_NODE * inner * units(numpy.full(want.shape, most), target))
    off = numpy.abs(got - want)
    if (off <= allowed).all():
        return ""
    worst = (off / allowed).argmax()
    return f"{got[worst]:.6g}, not {want[worst]:.6g}: {off[worst] / units(want, target)[worst]:.3g} units"


def run_case(case, target, programs, folder):
    """Returns ("pass" | "none" | "unchanged" | "fail", why)."""
    import onnx
    run, convert = programs
    model = onnx.load(case / "model.onnx", load_external_data=False)
    given = [i for i in model.graph.input if i.name not in {t.name for t in model.graph.initializer}]
    arrays = {value.name: value_of(case / f"test_data_set_0/input_{i}.pb", value.type, onnx) for i, value in enumerate(given)}
    tensors = all(value.type.HasField("tensor_type") for value in [*given, *model.graph.output])
    if not tensors or any(array is NOT_NUMBERS for array in arrays.values()):
        return "none", "an input is not a numeric tensor"
    arrays = {name: rounded(array, target) for name, array in arrays.items()}
    mixed = folder / "mixed.onnx"
    done = subprocess.run([convert, case / "model.onnx", "-o", mixed, "--target-dtype", target,
                           *forced_list(model, target, folder / "list.json"), "--unlisted", "ignore"],
                          capture_output=True, text=True, check=False, timeout=900)
    if done.returncode != 0:
        return "none", "not converted: " + done.stderr.split("error: ", 1)[-1].splitlines()[0]
    if mixed.read_bytes() == (case / "model.onnx").read_bytes():
        return "unchanged", "no operator supports the type"
    names = [output.name for output in model.graph.output]
    status, want, said = run_model(run, case / "model.onnx", arrays, names, "fast")
    if status:
        return "none", said
    status, got, said = run_model(run, mixed, arrays, names, "fast", "--trace")
    if status:
        return ("none" if status == 2 else "fail"), said
    if len(model.graph.node) > 1:
        wrong = wrong_node(model, mixed, arrays, got, target, run)
    else:
        inner = len(list(onnx_operators(model.graph))) - 1
        wrong = next((f"{name}: {why}" for name in names
                      if (why := difference(got[name], want[name], target, inner))), "")
    return ("fail", wrong) if wrong else ("pass", "")


def wrong_node(model, path, arrays, got, target, run):
    """For several nodes: returns how the first wrong one deviates by more than its type explains;
    "" if none does."""
    import numpy
    import onnx
    mixed = onnx.load(path)
    whole = step_bounds.with_outputs(mixed, onnx)
    onnx.save(whole, path)
    status, values, trace = run_model(run, path, arrays, [each.name for each in whole.graph.output], "fast", "--trace")
    if status:
        return f"with all its values: {trace}"
    kernels = step_bounds.kernels_of(trace)
    known_values = {each.name: onnx.numpy_helper.to_array(each) for each in mixed.graph.initializer}
    known_values = {name: widened(array) for name, array in {**known_values, **arrays, **values}.items()}
    alone = step_bounds.NodesAlone(model, mixed, known_values, onnx)
    onnx.save(alone.model, path)
    status, want, said = run_model(run, path, {}, list(alone.outputs), "reference")
    if status:
        return f"its nodes alone: {said}"
    made_by = {name: node for node in mixed.graph.node for name in node.output}
    for new, name in alone.outputs.items():
        node = made_by[name]
        kernel = kernels.get(node.name or node.output[0], node.op_type)
        inside = sum(len(list(onnx_operators(a.g))) for a in node.attribute if a.HasField("g"))
        if want[new].dtype.kind not in "biu" and values[name].dtype.itemsize != 2:
            continue  # it stays in float32
        wrong = difference(known_values[name], widened(want[new]), target, inside)
        if wrong:
            return f"{name} by {kernel}: {wrong}"
    # In a normal run, nodes are joined, and values between them are not rounded.
    for name, array in got.items():
        if array.tobytes() != values[name].tobytes() and array.dtype.kind not in "biu":
            wrong = difference(array, numpy.asarray(known_values[name]), target, len(model.graph.node))
            if wrong:
                return f"{name}, joined: {wrong}"
    return ""


def widened(array):
    return array.astype("f4") if array.dtype.itemsize == 2 and array.dtype.kind in "fV" else array


def main():
    options = read_arguments(__doc__, all_means="all of them, not a sample")
    try:
        import onnx  # noqa: F401  # pylint: disable=unused-import
        import ml_dtypes  # noqa: F401  # pylint: disable=unused-import
    except ImportError:
        peers.require(options.bin, "onnx", "ml_dtypes")
    require(ONNX)
    programs = [options.bin.resolve() / name for name in ("opledger-run", "opledger-convert")]
    cases = sorted(c for c in (ONNX / "node").iterdir() if options.only in c.name)
    if not options.all and not options.only:
        cases = cases[::SAMPLE] + [case for case in cases if case.name in SAMPLED_TOO]
    cases = cases[::options.every]
    status = 0
    for target in BITS:
        counts = collections.Counter()
        reasons = collections.defaultdict(list)
        for case in cases:
            with tempfile.TemporaryDirectory() as folder:
                what, why = run_case(case, target, programs, pathlib.Path(folder))
            if what == "fail" and case.name in EXPLAINED:
                what, why = "explained", EXPLAINED[case.name]
            counts[what] += 1
            if what == "fail":
                print(f"{target}: {case.name}: {why}", flush=True)
            elif why:
                reasons[f"{what}: {why}"].append(case.name)
        for why in sorted(reasons):
            print(f"{target}: {len(reasons[why])} {why}: {' '.join(reasons[why])}")
        print(f"{target}: {counts['pass']} of {len(cases)} node tests pass, {counts['explained']} are explained, "
              f"{counts['unchanged']} cannot run in the type, {counts['none']} cannot be run, {counts['fail']} fail")
        if counts["fail"] or (options.all and counts["pass"] < PASSING[target]):
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
