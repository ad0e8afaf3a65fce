#!/usr/bin/env python3
"""Bugs planted in the matcher, one at a time: the compiled programs catch each.

    tests/scan/planted_bugs_test.py --bin build/bin [--mutants] [--count N] [--only NAME ...]

Alone, it holds that each place still stands in the sources once. With --mutants it compiles the file
with the bug, links it before the scanner's libraries and has compiled_oracle_test judge that scanner:
some minutes, and a build by ninja.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import contextlib
import io
import pathlib
import shlex
import subprocess
import sys
import tempfile

import compiled_oracle_test
from compiled_programs import SHAPES

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCAN = ROOT / "registry" / "scan"
# Name: file, what stands there once, what the bug makes of it.
BUGS = {
    "what follows '=' is a declaration": (
        "tokens/call_form.cpp", "IsSpecifier(tokens.KindAt(before)) ? CallForm::kDeclaration : CallForm::kCall;",
        "IsSpecifier(tokens.KindAt(before)) ? CallForm::kCall : CallForm::kDeclaration;"),
    "only the first method registers": (
        "match/library.cpp", "    end = RegisterInScope(method, {}", "    return RegisterInScope(method, {}"),
    "variables have no methods": (
        "match/variable.cpp", "kObject && variable.sink->methods.empty()", "kObject && !variable.sink->methods.empty()"),
    "redefinitions do not end a macro": (
        "match/source_locator.cpp", "CanBeTrue()) when = when.And(event.when.Not());", "CanBeTrue()) when = when.And(Condition());"),
    "any name in a call is a parameter": ("match/sink_use.cpp", "         InDefinitionOfSink(call.at);", "         call.at >= 0;"),
    "variables end with the first block": (
        "match/match.cpp", "declared_.back().first > stream_.braces()", "declared_.back().first >= stream_.braces()"),
    "only the first of several variables": (
        "match/class_object.cpp", "const bool more = stream_.Is(tok::comma) &&", "const bool more = stream_.Is(tok::semi) &&"),
    "elements with more than a name are left out": (
        "match/class_object.cpp", "    if (element.empty()) continue;\n    const TokenSpan inner",
        "    if (element.size() != 1) continue;\n    const TokenSpan inner"),
    "a chain swallows what registers": (
        "match/chain.cpp", "    if (IsCurrent(sentinel_)) return;  // lib.def", "    // lib.def"),
    "a header is read as if it were included first": (
        "match/source_locator.cpp", "          place = include.directive.begin;", "          place = 0;"),
}


def mutated(name):
    file, was, becomes = BUGS[name]
    text = (SCAN / file).read_text()
    if text.count(was) != 1:
        raise SystemExit(f"{name}: stands {text.count(was)} times in registry/scan/{file}, not once:\n{was}")
    return text.replace(was, becomes)


def commands(build):
    """The build's own: of the object that holds a file, and of the scanner."""
    lines = subprocess.run(["ninja", "-C", build, "-t", "commands", "bin/opledger-scan"],
                           capture_output=True, text=True, check=True).stdout.splitlines()
    compiles = [shlex.split(line) for line in lines if " -c " in line and "/opledger_scan.dir/" in line]
    link = next(line for line in lines if " -o bin/opledger-scan " in line)
    return compiles, shlex.split(link.replace(": && ", "").replace(" && :", ""))


def compiling(compiles, file):
    for command in compiles:
        source = pathlib.Path(command[-1])
        if source == file or f'#include "{file}"' in source.read_text():
            return command
    raise SystemExit(f"no command compiles {file}")


def plant(name, build, folder, compiles, link):
    """The folder of a scanner with the bug."""
    made = folder / "bin"
    made.mkdir(exist_ok=True)
    source = folder / "planted.cpp"
    source.write_text(mutated(name))
    file = SCAN / BUGS[name][0]
    command = compiling(compiles, file)
    unit = pathlib.Path(command[-1])
    if unit != file:  # with the files among which calls may be inlined
        planted = folder / "planted.cxx"
        planted.write_text(unit.read_text().replace(str(file), str(source)))
        source = planted
    command = command[:command.index("-MD")] + ["-O0", "-w", f"-I{file.parent}", "-o", folder / "planted.o", "-c", source]
    subprocess.run(command, cwd=build, check=True)
    first = next(i for i, word in enumerate(link) if word.endswith(".a"))
    program = ["-Wl,--allow-multiple-definition", folder / "planted.o"]
    linked = [made / "opledger-scan" if word == "bin/opledger-scan" else word for word in link[:first] + program + link[first:]]
    subprocess.run(linked, cwd=build, check=True, capture_output=True)
    evaluates = made / "opledger-scan-ast"
    evaluates.exists() or evaluates.symlink_to(build / "bin" / "opledger-scan-ast")
    return made


def judged(binary, made):
    """Whether the programs catch it, and the shapes that do."""
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
    parser.add_argument("--mutants", action="store_true", help="builds and judges them")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--only", nargs="+", choices=BUGS, default=list(BUGS))
    options = parser.parse_args()
    for name in BUGS:
        mutated(name)
    if not options.mutants:
        return 0
    build = options.bin.resolve().parent
    compiles, link = commands(build)
    missed = 0
    with tempfile.TemporaryDirectory(prefix="opledger-planted-") as scratch:
        folder = pathlib.Path(scratch).resolve()
        (folder / "programs").mkdir()
        made = compiled_oracle_test.witnesses(options.seed, options.count, list(SHAPES), folder / "programs")
        caught, shapes = judged(build / "bin", made)
        if caught:
            raise SystemExit(f"without a bug, these are wrong: {shapes}")
        for name in options.only:
            caught, shapes = judged(plant(name, build, folder, compiles, link), made)
            missed += not caught
            print(f"{name:46} {'caught by ' + ', '.join(shapes) if caught else 'MISSED'}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
