#!/usr/bin/env python3
"""Plants bugs in checker, converter and kernels, one at a time: the golden cases and unit tests of
the folder catch each.

    tests/house/planted_bugs_test.py --build build [--mutants] [--only NAME ...]

Without options, checks that the text that each bug replaces occurs once in its file. With --mutants
each file is compiled with the bug and linked before the libraries of the build's program and unit
tests; then the golden cases of the folder run, and if they pass, the unit tests. Prints what caught
each. Exit status 1: a bug was missed. Takes about ten minutes; scan/planted_bugs does the same for
the scanner.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from planting import Build, run  # noqa: E402

# Folder: the program, its golden folders, its unit tests.
JUDGES = {"checker": ("opledger", ("checker", "import", "docs", "config"), "unit_tests"),
          "registry": ("opledger", ("checker", "import", "docs", "config"), "unit_tests"),
          "conversion": ("opledger-convert", ("convert",), "conversion_tests"),
          "kernels": ("opledger-run", ("kernels",), "kernel_tests")}
# Name: file, text that occurs there once, its replacement.
BUGS = {
    # checker
    "one operator is the near miss of several entries": (
        "checker/index/near_misses.cpp", "if (stale_used[pair.stale] || unclassified_used[pair.unclassified]) continue;",
        "if (stale_used[pair.stale] && unclassified_used[pair.unclassified]) continue;"),
    "a suppression passes one line of comment only": (
        "checker/findings/suppression.cpp", "while (!next.AtEnd() && IsComment(next.Text())) next.Next();",
        "if (!next.AtEnd() && IsComment(next.Text())) next.Next();"),
    "a baseline hides one finding more than it holds": (
        "checker/filter/baseline.cpp", "taken_[found->first]++ < found->second;", "taken_[found->first]++ <= found->second;"),
    "an entry that moves keeps its old evidence": (
        "checker/edit/classify.cpp", 'return key == "reason" || key == "note" || key == "evidence";',
        'return key == "reason" || key == "note";'),
    "an imported else takes the place of its if": (
        "registry/list_source/evaluate/statements.cpp", "    remaining = remaining.And(test.Not());\n", ""),
    "a SARIF column counts characters": (
        "checker/reports/sarif_text.cpp", "character.code_point > 0xFFFF ? 2 : 1;", "character.code_point > 0x10FFFF ? 2 : 1;"),
    "a copy of an old suppression counts as old": (
        "checker/git/hidden_findings.cpp", "    left.erase(same);\n", ""),
    "a list may name no configuration of the project": (
        "checker/config/validate_config.cpp",
        "    for (const auto& [each, defines] : configurations_) known.push_back(each);\n", ""),
    # conversion
    "a widest operator runs low where one input is low": (
        "conversion/place/placement.cpp",
        "cut.Add(static_cast<Vertex>(arc.node), static_cast<Vertex>(arc.needs), kUnlimited);",
        "cut.Add(static_cast<Vertex>(arc.needs), static_cast<Vertex>(arc.node), kUnlimited);"),
    "only worst cases overflow": (
        "conversion/hazards/lost_bounds.cpp",
        "rounded.high == kInfinite && exact.high < kInfinite && !exact.loose.high",
        "rounded.high == kInfinite && exact.high < kInfinite && exact.loose.high"),
    "a sidecar cuts the largest difference": (
        "conversion/revert/sidecar.cpp", "differences[i] >= -end && differences[i] < end;",
        "differences[i] >= -end && differences[i] <= end;"),
    "external data without a length is incomplete": (
        "conversion/model/onnx/tensor_data.cpp", "if (const auto bytes = BytesOfShape(tensor); !known && bytes) {",
        "if (const auto bytes = BytesOfShape(tensor); known && bytes) {"),
    "a raised Softmax without an axis takes the last one": (
        "conversion/prepare/raise_opset.cpp", "std::int64_t axis = attribute == nullptr ? 1 : attribute->integer;",
        "std::int64_t axis = attribute == nullptr ? -1 : attribute->integer;"),
    "an integer is as wide as a float of its bits": (
        "conversion/model/graph/types.cpp", "return DtypeBits(dtype) + (IsInteger(dtype) ? 0 : 1000); }",
        "return DtypeBits(dtype); }"),
    "each node of a written symbol has one output": (
        "conversion/model/mxnet/mxnet_symbol_edits.cpp",
        "      const bool added = entry >= static_cast<int>(old.entries.size());\n"
        "      row += added ? 1 : rows->items[entry + 1].integer - rows->items[entry].integer;\n"
        "      texts.push_back(std::to_string(row));",
        "      texts.push_back(std::to_string(row += entry >= 0 ? 1 : 0));"),
    "a field of 128 bytes is written with a wrong length": (
        "conversion/model/onnx/wire.cpp", "while (value >= 0x80) {", "while (value > 0x80) {"),
    # kernels
    "a factor behind a fused addend leaves that out": (
        "kernels/plan/fusion.cpp", 'if ((name != "Add" && !multiplies) || step.call.Has(kFusedAddend)) return false;',
        'if (name != "Add" && !multiplies) return false;'),
    "an output's memory is used again": (
        "kernels/plan/arena.cpp", "  for (const ValueId output : plan.outputs) touch(output, end);\n", ""),
    "Mod by a negative integer has the wrong sign": (
        "kernels/cpu/elementwise/binary.cpp",
        "return rest != 0 && (rest < 0) != (b < 0) ? static_cast<T>(rest + b) : rest;",
        "return rest < 0 ? static_cast<T>(rest + b) : rest;"),
    "the log of a sum that holds infinity is NaN": (
        "kernels/vector/reduce/reduce.cpp", "    if (std::isinf(base)) base = 0;\n", ""),
    "a loop begins though its condition is false": (
        "kernels/control_flow/loop.cpp",
        "  const bool asked = flow_.condition >= 0 && inputs[flow_.condition] != nullptr;\n"
        "  if (asked && !Truth(Dtype::kBool, inputs[flow_.condition])) return 0;\n", ""),
    "nothing is quantised to -128": (
        "kernels/vector/elementwise/row_program.cpp", "BytesOf(result_.dtype, step.beta)",
        "arithmetic::ByteRange{step.beta, std::max(-127.0F, BytesOf(result_.dtype, 0).least),"
        " BytesOf(result_.dtype, 0).greatest}"),
    "quantizing to the result of a program leaves out the zero point": (
        "kernels/vector/elementwise/row_program.cpp", "BytesOf(result_.dtype, step.beta)", "BytesOf(result_.dtype, 0)"),
    "an image one pixel wide stays with channels last": (
        "kernels/plan/channels_last.cpp", "Elements({shape.begin() + 2, shape.end()}) == 1) {",
        "Elements({shape.begin() + 3, shape.end()}) == 1) {"),
    "the last node that overflows is called the first": (
        "kernels/compare/comparison.cpp", "if (node.error.not_finite != 0 && !comparison_.first_overflow) {",
        "if (node.error.not_finite != 0) {"),
}


def plant(build, name):
    """Returns a folder with the build's programs; one of them and the unit tests have the bug."""
    program, _, tests = JUDGES[BUGS[name][0].split("/")[0]]
    made = build.scratch / "bin"
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir()
    for each in (build.folder / "bin").iterdir():
        # no symbolic links: a program finds its data relative to its own place
        os.link(each, made / each.name)
    share = build.scratch / "share"
    share.exists() or share.symlink_to(build.folder / "share")
    compiles, link = build.commands(program)
    replaced = build.compile(name, BUGS[name], compiles)
    build.link(program, link, replaced, made)
    build.link(tests, build.commands(tests)[1], replaced, made)
    return made


def caught_by(name, made):
    """Returns the failing tests, or None."""
    _, goldens, tests = JUDGES[BUGS[name][0].split("/")[0]]
    for golden in goldens:
        done = subprocess.run([sys.executable, "-B", ROOT / "tests/golden/run_golden.py", "--jobs", "2", "--bin", made,
                               ROOT / "tests/golden" / golden], capture_output=True, text=True, check=False)
        if done.returncode == 1:
            return next(line for line in done.stdout.splitlines() if line.startswith("FAILED"))
    done = subprocess.run([made / tests, "--gtest_brief=1"], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        return next((line for line in done.stdout.splitlines() if "FAILED" in line), f"{tests}: {done.returncode}")
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--mutants", action="store_true", help="plant them")
    parser.add_argument("--only", nargs="+", choices=BUGS, default=list(BUGS))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="opledger-planted-", dir=options.build) as scratch:
        build = Build(options.build.resolve(), pathlib.Path(scratch).resolve())
        return run(BUGS, options, lambda name: caught_by(name, plant(build, name)))


if __name__ == "__main__":
    sys.exit(main())
