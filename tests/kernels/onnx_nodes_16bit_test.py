#!/usr/bin/env python3
"""ONNX's own node tests in 16 bits: each converted by a list that puts every operator into the type,
on inputs that are rounded to it. Against the float32 model on the same rounded inputs an output may
differ by what the type explains: of one node, the bound its kernel declares, in units of the last
place of the type; of several, four units of the greatest number for every node that rounds.

Prints the count in each type, what differs, and every test that is none in 16 bits, with the reason.
Exit status: 0 all as expected, 1 not, 77 the tests or the Python package onnx are missing.
"""
# SPDX-License-Identifier: Apache-2.0

import collections
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/conversion")]
import peers  # noqa: E402
from autocast_test import forced_list  # noqa: E402
from model_data import ONNX, onnx_operators, require  # noqa: E402
from model_run import read_arguments, run_model  # noqa: E402
from onnx_nodes_test import tensor_of  # noqa: E402

SAMPLE = 24  # every 24th test
BITS = {"float16": 11, "bfloat16": 8}       # of the significand
LEAST = {"float16": -14, "bfloat16": -126}  # exponent of the least normal number
EACH_NODE = 4                               # units of the greatest number, of several nodes
PASSING = {"float16": 547, "bfloat16": 531}     # so many of all; more is good news: then it is raised
# Why an output may be far off.
EXPLAINED = {}


def rounded(array, target):
    import ml_dtypes
    import numpy
    if array.dtype != numpy.float32:
        return array
    return array.astype(numpy.float16 if target == "float16" else ml_dtypes.bfloat16).astype(numpy.float32)


def bounds(program):
    """Kernel -> its declared bound in units of the last place; what grows with n counts as one more."""
    listed = subprocess.run([program, "--list-kernels", "text"], capture_output=True, text=True, check=True)
    found = {}
    for line in listed.stdout.splitlines():
        said = re.search(r"error_bound: ([^;]*)", line)
        name = line.split()[0]
        if not said or said.group(1) == "exact":
            found.setdefault(name, 0.0)
            continue
        number = re.match(r"([\d.]+) ulp", said.group(1))
        grows = "2^-24" in said.group(1)
        found[name] = max(found.get(name, 0), float(number.group(1) if number else 0) + grows)
    return found


def units(numbers, target):
    """The distance of neighbours in the type, at each of the numbers."""
    import numpy
    exponents = numpy.frexp(numbers)[1] - 1  # of zeros: -1
    exponents = numpy.where(numbers == 0, LEAST[target], numpy.maximum(exponents, LEAST[target]))
    return numpy.ldexp(1.0, exponents - BITS[target] + 1)


def difference(got, want, target, nodes, bound):
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
    allowed = ((bound + 0.5) * units(want, target) if nodes == 1
               else EACH_NODE * nodes * units(numpy.full(want.shape, most), target))
    off = numpy.abs(got - want)
    if (off <= allowed).all():
        return ""
    worst = (off / allowed).argmax()
    return f"{got[worst]:.6g}, not {want[worst]:.6g}: {off[worst] / units(want, target)[worst]:.3g} units"


def run_case(case, target, programs, known, folder):
    """("pass" | "none" | "unchanged" | "fail", why)"""
    import onnx
    run, convert = programs
    model = onnx.load(case / "model.onnx", load_external_data=False)
    given = [i.name for i in model.graph.input if i.name not in {t.name for t in model.graph.initializer}]
    arrays = {name: tensor_of(case / f"test_data_set_0/input_{i}.pb", onnx) for i, name in enumerate(given)}
    if any(array is None for array in arrays.values()):
        return "none", "an input is no tensor of numbers"
    arrays = {name: rounded(array, target) for name, array in arrays.items()}
    mixed = folder / "mixed.onnx"
    done = subprocess.run([convert, case / "model.onnx", "-o", mixed, "--target-dtype", target,
                           *forced_list(model, target, folder / "list.json"), "--unlisted", "ignore"],
                          capture_output=True, text=True, check=False, timeout=900)
    if done.returncode != 0:
        return "none", "not converted: " + done.stderr.split("error: ", 1)[-1].splitlines()[0]
    if mixed.read_bytes() == (case / "model.onnx").read_bytes():
        return "unchanged", "no operator of it takes the type"
    names = [output.name for output in model.graph.output]
    status, want, said = run_model(run, case / "model.onnx", arrays, names, "fast")
    if status:
        return "none", said
    status, got, said = run_model(run, mixed, arrays, names, "fast", "--trace")
    if status:
        return ("none" if status == 2 else "fail"), said
    nodes = len(list(onnx_operators(model.graph)))
    bound = max((known.get(kernel, 0) for kernel in re.findall(r": (\w+) \(", said)), default=0)
    for name in names:
        wrong = difference(got[name], want[name], target, nodes, max(bound, BOUND_OF_ONE))
        if wrong:
            return "fail", f"{name}: {wrong}"
    return "pass", ""


BOUND_OF_ONE = 0.5  # an operator that is exact rounds its output all the same


def main():
    options = read_arguments(__doc__, all_means="all of them, not a sample")
    try:
        import onnx  # noqa: F401  # pylint: disable=unused-import
        import ml_dtypes  # noqa: F401  # pylint: disable=unused-import
    except ImportError:
        peers.require(options.bin, "onnx", "ml_dtypes")
    require(ONNX)
    programs = [options.bin.resolve() / name for name in ("opledger-run", "opledger-convert")]
    known = bounds(programs[0])
    cases = sorted(c for c in (ONNX / "node").iterdir() if options.only in c.name)
    cases = cases[::1 if options.all or options.only else SAMPLE][::options.every]
    status = 0
    for target in BITS:
        counts = collections.Counter()
        reasons = collections.defaultdict(list)
        for case in cases:
            with tempfile.TemporaryDirectory() as folder:
                what, why = run_case(case, target, programs, known, pathlib.Path(folder))
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
              f"{counts['unchanged']} are none of the type, {counts['none']} cannot be run, {counts['fail']} fail")
        if counts["fail"] or (options.all and counts["pass"] < PASSING[target]):
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
