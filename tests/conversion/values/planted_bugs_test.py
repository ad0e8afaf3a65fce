#!/usr/bin/env python3
"""Plants bugs in the code of value ranges, one at a time.
The unit tests of ranges or transfer_test.py catch each.

    tests/conversion/values/planted_bugs_test.py --bin build/bin [--mutants] [--only NAME ...]

Without options, checks that the text that each bug replaces occurs once in its file. With --mutants
each file is compiled with the bug and linked before the libraries of opledger-convert and
conversion_tests; prints what caught each. Exit status 1: a bug was missed. Takes some minutes, and
needs a ninja build.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests"))
from planting import Build, run  # noqa: E402

UNIT_TESTS = "RangeArithmetic.*:OperatorRanges.*"
RANGES, OPERATORS = "conversion/model/ranges/", "conversion/model/operators/"
# Name: file, text that occurs there once, its replacement, the operators that transfer_test.py
# runs.
TABLE = {
    "a product has three corners": (
        RANGES + "range_arithmetic.cpp", "BoundProduct(a.high, b.low), BoundProduct(a.high, b.high)}),",
        "BoundProduct(a.high, b.high), BoundProduct(a.high, b.high)}),", "Mul"),
    "zero by zero is a number": (
        RANGES + "range_arithmetic.cpp", "result.nan || (by_zero && a.zero) ||", "result.nan ||", "Div"),
    "sums of many numbers are exact": (
        RANGES + "range_arithmetic.cpp", "exact || all == 1 || std::isinf(error) ? 0 : error);", "0);", "ReduceSum"),
    "bounds are not rounded outward": (
        RANGES + "ranges.cpp", "number - std::abs(number) * relative - absolute;", "number + 0 * (relative + absolute);",
        "Exp Tanh"),
    "integers are rounded to float32": (
        RANGES + "ranges.cpp", "return range.integer ? std::min(rounded, exact ? less : Down(less)) : rounded;",
        "return exact ? rounded : rounded;", "Add"),
    "integers do not wrap": (
        RANGES + "ranges.cpp", "return range.low < all.low || range.high > all.high || range.nan ? all : range;",
        "return range.IsEmpty() ? all : range;", "Cast"),
    "a hull has no zero of one side": (
        RANGES + "ranges.cpp", "hull.zero = a.zero || b.zero;", "hull.zero = a.zero && b.zero;", "Concat Where"),
    "the root of a negative number is a number": (
        OPERATORS + "unary_ranges.cpp", "result.nan = x.nan || x.low < 0;\n  result.reach = std::sqrt(x.reach);",
        "result.nan = x.nan;\n  result.reach = std::sqrt(x.reach);", "Sqrt"),
    "Cosh rises": (
        OPERATORS + "unary_ranges.cpp", "Rising(Magnitudes(x), [](double y) { return std::cosh(y); });",
        "Rising(x, [](double y) { return std::cosh(y); });", "Cosh"),
    "FastGelu passes over its bias": (
        OPERATORS + "unary_ranges.cpp", "return gelu(Sum(x, bias));", "return gelu(bias.nan ? bias : x);",
        "com.microsoft.FastGelu"),
    "Clip swaps its bounds": (
        OPERATORS + "pointwise_ranges.cpp", "Range clipped = Least(Greatest(each, least), most);",
        "Range clipped = Least(Greatest(each, most), least);", "Clip"),
    "what holds is taken for what does not": (
        OPERATORS + "pointwise_ranges.cpp", "const bool rises = less == holds;", "const bool rises = less != holds;",
        "Where"),
    "a count is one short": (
        OPERATORS + "range_context.cpp", "count *= static_cast<double>((*shape)[*axis]);",
        "count *= static_cast<double>((*shape)[*axis] - 1);", "ReduceSum"),
    "an index from the end counts from the begin": (
        OPERATORS + "move_ranges.cpp", "index += index < 0 ? static_cast<std::int64_t>(size) : 0;",
        "index = std::abs(index);", "Gather"),
    "only the last part is joined": (
        OPERATORS + "move_ranges.cpp", "whole.all = Hull(whole.all, node.In(i));", "whole.all = node.In(i);", "Concat"),
    "what is padded holds no filler": (
        OPERATORS + "move_ranges.cpp", "if (!all) return node.Set(Hull(input.all, filled));",
        "if (!all) return node.Set(input.all);", "Pad"),
    "a matrix product sums its rows": (
        OPERATORS + "contraction_ranges.cpp", "auto count = DimensionOf(node.InputShape(0), 1);",
        "auto count = DimensionOf(node.InputShape(0), 2);", "MatMul"),
    "a product of matrices is not scaled": (
        OPERATORS + "contraction_ranges.cpp", "if (alpha != 1) result =", "if (alpha == 7) result =", "Gemm"),
    "an average of padding has no zeros": (
        OPERATORS + "reduction_ranges.cpp", "node.Set(Average(padded ? Hull(x, Range::Point(0)) : x, count));",
        "node.Set(Average(padded ? x : x, count));", "AveragePool"),
    "the squares of a normalisation fit": (
        OPERATORS + "reduction_ranges.cpp",
        "if (squares > 0x1p127 || scale / std::sqrt(epsilon) > 0x1p127) x.nan = true;",
        "if (scale < 0) x.nan = true;", "InstanceNormalization GroupNormalization"),
    "NaN becomes zero in integers": (
        OPERATORS + "conversion_ranges.cpp", "if (x.nan || x.MayBeInfinite()) return RangeOf(to);",
        "if (x.MayBeInfinite()) return RangeOf(to);", "Cast CastLike"),
    "quantised numbers have no zero point": (
        OPERATORS + "conversion_ranges.cpp", "Product(Difference(numbers, zero), node.In(1));",
        "Product(zero.nan ? zero : numbers, node.In(1));", "DequantizeLinear"),
    "a Range does not drift": (
        OPERATORS + "made_ranges.cpp", "return std::max(0.0, steps) * 0x1p-23 * size;", "return 0 * steps * size;",
        "Range"),
}
BUGS = {name: row[:3] for name, row in TABLE.items()}


def plant(build, name):
    """Returns a folder with the build's programs; those that the tests run have the bug."""
    made = build.scratch / "bin"
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir()
    for each in (build.folder / "bin").iterdir():
        # no symbolic links: a program finds its data relative to its own place
        os.link(each, made / each.name)
    for each in ("share", "venv"):
        (build.scratch / each).exists() or (build.scratch / each).symlink_to(build.folder / each)
    compiles, link = build.commands("opledger-convert")
    replaced = build.compile(name, BUGS[name], compiles)
    build.link("opledger-convert", link, replaced, made)
    build.link("conversion_tests", build.commands("conversion_tests")[1], replaced, made)
    return made


def caught_by(name, made):
    """Returns the tests that fail, or None."""
    unit = subprocess.run([made / "conversion_tests", "--gtest_brief=1", f"--gtest_filter={UNIT_TESTS}"], cwd=ROOT,
                          capture_output=True, text=True, check=False)
    transfer = subprocess.run([sys.executable, "-B", ROOT / "tests/conversion/values/transfer_test.py", "--bin", made,
                               "--numbers", "20000", "--only", *TABLE[name][3].split()], capture_output=True, text=True,
                              check=False)
    if transfer.returncode == 77:
        print(transfer.stdout, end="")
    found = re.findall(r"^\[  FAILED  \] ([\w.]+)", unit.stdout, re.MULTILINE)
    found += ["transfer"] if transfer.returncode not in (0, 77) else []
    return ", ".join(dict.fromkeys(found)) or None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--mutants", action="store_true", help="plant the bugs and run the tests")
    parser.add_argument("--only", nargs="+", choices=BUGS, default=list(BUGS))
    options = parser.parse_args()
    folder = options.bin.resolve().parent
    with tempfile.TemporaryDirectory(prefix="opledger-planted-", dir=folder) as scratch:
        build = Build(folder, pathlib.Path(scratch).resolve())
        return run(BUGS, options, lambda name: caught_by(name, plant(build, name)))


if __name__ == "__main__":
    sys.exit(main())
