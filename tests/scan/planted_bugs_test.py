#!/usr/bin/env python3
"""Plants bugs in the matcher, one at a time: the compiled programs catch each.

    tests/scan/planted_bugs_test.py --bin build/bin [--mutants] [--count N] [--only NAME ...]

Without options, checks that each replaced text still occurs once in the sources. With --mutants,
compiles the file with the bug, links it before the scanner's libraries and lets
compiled_oracle_test judge that scanner: takes some minutes, and needs a ninja build.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import contextlib
import io
import pathlib
import sys
import tempfile

import compiled_oracle_test
from compiled_programs import SHAPES

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from planting import Build, run  # noqa: E402

# Name: file, text that occurs there once, its replacement.
BUGS = {
    "what follows '=' is a declaration": (
        "registry/scan/tokens/call_form.cpp", "IsSpecifier(tokens.KindAt(before)) ? CallForm::kDeclaration : CallForm::kCall;",
        "IsSpecifier(tokens.KindAt(before)) ? CallForm::kCall : CallForm::kDeclaration;"),
    "only the first method registers": (
        "registry/scan/match/library.cpp", "    end = RegisterInScope(method, {}", "    return RegisterInScope(method, {}"),
    "variables have no methods": (
        "registry/scan/match/variable.cpp", "kObject && variable.sink->methods.empty()", "kObject && !variable.sink->methods.empty()"),
    "redefinitions do not end a macro": (
        "registry/scan/match/source_locator.cpp", "CanBeTrue()) when = when.And(event.when.Not());", "CanBeTrue()) when = when.And(Condition());"),
    "any name in a call is a parameter": ("registry/scan/match/sink_use.cpp", "         IsParameterOfSink(name[0].text, call.at);", "         call.at >= 0;"),
    "variables end with the first block": (
        "registry/scan/match/match.cpp", "declared_.back().first > stream_.braces()", "declared_.back().first >= stream_.braces()"),
    "only the first of several variables": (
        "registry/scan/match/class_object.cpp", "return stream_.Is(tok::comma) && stream_.LookAhead(0)", "return stream_.Is(tok::semi) && stream_.LookAhead(0)"),
    "elements with more than a name are left out": (
        "registry/scan/match/class_object.cpp", "    if (element.empty()) continue;\n    const TokenSpan inner",
        "    if (element.size() != 1) continue;\n    const TokenSpan inner"),
    "a chain swallows what registers": (
        "registry/scan/match/chain.cpp", "    if (IsCurrent(sentinel_)) return;  // lib.def", "    // lib.def"),
    "a header is read as if it were included first": (
        "registry/scan/match/source_locator.cpp", "          place = include.directive.begin;", "          place = 0;"),
}


def plant(build, name, compiles, link):
    """Returns the folder of a scanner with the bug."""
    made = build.scratch / "bin"
    made.mkdir(exist_ok=True)
    build.link("opledger-scan", link, build.compile(name, BUGS[name], compiles), made)
    evaluates = made / "opledger-scan-ast"
    evaluates.exists() or evaluates.symlink_to(build.folder / "bin" / "opledger-scan-ast")
    return made


def judged(binary, made):
    """Returns whether the programs catch it, and the shapes that do."""
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            wrong = compiled_oracle_test.judge(binary, *made)
    except SystemExit as end:
        return True, [str(end).splitlines()[0]]
    lines = said.getvalue().splitlines()
    rows = [line.split() for line in lines if line.split() and line.split()[0] in SHAPES]
    return wrong > 0, [row[0] for row in rows if row[-1] == "incomplete" or row[4] != "0"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--mutants", action="store_true", help="build and judge scanners with the bugs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--only", nargs="+", choices=BUGS, default=list(BUGS))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="opledger-planted-") as scratch:
        build = Build(options.bin.resolve().parent, pathlib.Path(scratch).resolve())
        if not options.mutants:
            return run(BUGS, options, None)
        programs = build.scratch / "programs"
        programs.mkdir()
        # Enough uses of each; with the shapes of other modules there would be too few.
        shapes = [name for name, made in SHAPES.items() if made.__module__ == "compiled_programs"]
        made = compiled_oracle_test.witnesses(options.seed, options.count, shapes, programs)
        caught, shapes = judged(build.folder / "bin", made)
        if caught:
            raise SystemExit(f"without a bug, these are wrong: {shapes}")
        compiles, link = build.commands("opledger-scan")

        def caught_by(name):
            caught, shapes = judged(plant(build, name, compiles, link), made)
            return caught and f"caught by {', '.join(shapes)}"
        return run(BUGS, options, caught_by)


if __name__ == "__main__":
    sys.exit(main())
