#!/usr/bin/env python3
"""Runs ci/add for each of its kinds in a copy of the tree: the skeleton compiles with the flags of
this build; programs linked with it pass the new golden case, which this build's programs fail; and
the house tests of names, tables and layers pass. CONTRIBUTING.md names exactly these files.

Changed objects are linked before this build's libraries, which saves building the copy. --syntax:
only checks the syntax of code, and runs only the golden cases of data.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

from tree import CODE_FOLDERS, ROOT, report

PROGRAMS = ("opledger", "opledger-scan", "opledger-scan-ast", "opledger-convert", "opledger-run")
COMPILED = "compiled only"  # a widely included structure grows: linking would need a whole build
COPIED = (*CODE_FOLDERS, "ci", "schemas")
# Kind, name, the program that contains it (none for data), and the name of the golden case.
ADDED = (
    ("rule", "lists/noted-entry", "opledger", "checker/noted_entry"),
    ("verb", "say-name", "opledger", "checker/say_name"),
    ("report", "rule-names", "opledger", "checker/format_rule_names"),
    ("docs", "names", "opledger", "docs/names"),
    ("format", "tiny", "opledger-convert", "convert/format_tiny"),
    ("list", "mxnet/float16-npu", None, "checker/list_mxnet_float16_npu"),
    ("dialect", "scratch", None, "scan/dialect-scratch"),
    ("operator", "SoftClip", "opledger-run", "kernels/soft_clip"),
    ("binary", "SoftMin", "opledger-run", "kernels/soft_min"),
    ("primitive", "loud_names", COMPILED, "scan/dialect-loud_names"),
)
# Edited header -> the sources that it affects.
INCLUDED_BY = {"kernels/cpu/formulas/unary_formulas.h":
               ("kernels/cpu/elementwise/unary.cpp", "kernels/cuda/kernels/unary.cpp", "kernels/evidence/formulas.cpp"),
               "kernels/cpu/formulas/pair_formulas.h":
               ("kernels/cpu/elementwise/binary.cpp", "kernels/cuda/kernels/pairs.cpp")}
REFUSED = (["rule", "lists/noted-entry"], ["rule", "noted-entry"], ["rule", "nowhere/entry"],
           ["rule", "lists/Noted_entry"], ["list", "nowhere/float16"], ["operator", "softClip"],
           ["binary", "Relu"], ["verb", "scan"], ["primitive", "sinks"], ["thing", "a"], [])
HOUSE_TESTS = ("names", "tables", "layering", "dialects")


class Failed(Exception):
    pass


def run(command, **settings):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                          timeout=300, **settings)


def must(command, **settings):
    done = run(command, **settings)
    if done.returncode != 0:
        raise Failed(f"{command}: exit {done.returncode}\n{done.stdout[-4000:]}")
    return done.stdout


class Build:
    """This build's flags and programs, applied to the copy."""

    def __init__(self, folder, tree):
        self.folder, self.tree = folder, tree
        self.commands = json.loads((folder / "compile_commands.json").read_text())

    def library_of(self, source):
        return max((each for each in self.libraries() if source.startswith(each + "/")), key=len)

    def flags(self, library):
        command = next(each["command"] for each in self.commands
                       if re.search(rf" -o {library}/CMakeFiles/[\w-]+\.dir/", each["command"]))
        words = shlex.split(command)
        return [word.replace(f"-I{ROOT}", f"-I{self.tree}") for word in words[:words.index("-o")]]

    def unit_of(self, source):
        """Returns the unit that this build compiles a source in: the source alone, or a unity file
        with others."""
        for unit in (self.folder / self.library_of(source)).glob("CMakeFiles/*/Unity/*.cxx"):
            if f'"{ROOT / source}"' in unit.read_text():
                return unit
        return self.tree / source

    def compile(self, library, unit):
        """Compiles a unit from the copy's sources; returns the object."""
        name = "_".join((library.replace("/", "_"), *unit.parts[-3:]))  # each target has a unity_0
        output = self.tree / f"{name}.o"
        compiled = unit
        if unit.suffix == ".cxx":
            compiled = output.with_suffix(".cxx")
            compiled.write_text(re.sub(rf'"{ROOT}/([^"]+)"', self.own, unit.read_text()))
        must([*self.flags(library), "-O0", "-o", str(output), "-c", str(compiled)], cwd=self.folder)
        return output

    def check_syntax(self, library, sources):
        together = self.tree / f"{library.replace('/', '_')}.cxx"
        together.write_text("".join(f'#include "{self.tree / source}"\n' for source in sources))
        must([*self.flags(library), "-fsyntax-only", str(together)], cwd=self.folder)

    def own(self, included):
        """Returns the copy's file, or the build's if it was generated."""
        return f'"{self.tree}/{included[1]}"' if (self.tree / included[1]).exists() else included[0]

    def libraries(self):
        return {match[1] for each in self.commands
                if (match := re.search(r" -o (\S+)/CMakeFiles/", each["command"]))}

    def link(self, program, objects):
        command = must(["ninja", "-C", str(self.folder), "-t", "commands", f"bin/{program}"]).splitlines()[-1]
        output = self.tree / "build/bin" / program
        command = command.replace(f" -o bin/{program} ", f" -Wl,-z,muldefs -o {output} ")
        # the first definition counts
        command = re.sub(r" (?=\S+\.o )", f" {shlex.join(map(str, objects))} ", command, count=1)
        output.unlink()
        must(["sh", "-c", command], cwd=self.folder)


def copy_tree(tree):
    for folder in COPIED:
        shutil.copytree(ROOT / folder, tree / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / ".clang-format", tree)
    for name in ("README.md", "VERSION"):
        shutil.copy(ROOT / name, tree)


def add(tree, kind, name):
    """Returns the paths that ci/add wrote and edited."""
    said = must([str(tree / "ci/add"), kind, name])
    paths = re.findall(r"(?m)^(?:wrote|edited) (\S+)$", said)
    if len(paths) < 2 or "next:" not in said:
        raise Failed(f"ci/add {kind} {name} says\n{said}")
    return paths


def undocumented(kind, name, paths):
    """Returns differences between CONTRIBUTING.md's table and the files that ci/add touched."""
    row = re.search(rf"(?m)^\| `{kind} (\S+)` \|(.*)$", (ROOT / "CONTRIBUTING.md").read_text())
    if not row:
        return [f"CONTRIBUTING.md has no row of {kind}"]
    touched = set(paths)
    for part, placeholder in zip(name.split("/"), row[1].split("/")):
        snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|-", "_", part).lower()
        touched = {path.replace(part, placeholder).replace(snake, placeholder) for path in touched}
    told = set(re.findall(r"`([^`]+)`", row[2]))
    return [] if touched == told else [f"CONTRIBUTING.md, {kind}: {sorted(touched ^ told)} differ"]


def lay_out(build, tree):
    """Makes a build folder for the copy, with this build's programs and the copy's data."""
    (tree / "build/bin").mkdir(parents=True)
    (tree / "build/share/opledger").mkdir(parents=True)
    # no symbolic links: a program finds its data relative to its own place
    for program in PROGRAMS:
        shutil.copy(build / "bin" / program, tree / "build/bin")
    for data in (build / "share/opledger").iterdir():
        target = data.resolve()
        own = tree / target.relative_to(ROOT) if target.is_relative_to(ROOT) else target
        (tree / "build/share/opledger" / data.name).symlink_to(own)


def golden(source, build, case):
    """Runs the case with the programs of a build, for the given source."""
    return run([sys.executable, str(source / "tests/golden/run_golden.py"), "--bin", str(build / "bin"), str(case)])


def house(tree):
    """Runs the house tests on the copy."""
    return [run([sys.executable, str(tree / f"tests/house/{test}_test.py")]).stdout for test in HOUSE_TESTS]


def compile_added(build, sources, syntax):
    """`sources`: program -> sources that ci/add wrote or edited. Links their objects into the
    programs."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        if syntax:
            libraries = {}
            for path in sorted(set().union(*sources.values())):
                libraries.setdefault(build.library_of(path), []).append(path)
            list(pool.map(build.check_syntax, *zip(*libraries.items())))
            return
        for program, paths in sources.items():
            units = {(build.library_of(path), build.unit_of(path)) for path in paths}
            objects = list(pool.map(build.compile, *zip(*sorted(units)))) if units else []
            if objects and program != COMPILED:
                build.link(program, objects)


def problems_of(build_folder, tree, syntax):
    copy_tree(tree)
    before = house(tree)
    problems = []
    # Additions that make a structure grow come last: linked programs know only the old layout.
    for grows in (False, True):
        sources = {}
        for kind, name, program, _ in ADDED:
            if (program == COMPILED) != grows:
                continue
            paths = add(tree, kind, name)
            problems += undocumented(kind, name, paths)
            for path in paths:
                compiled = INCLUDED_BY.get(path, (path,) if path.endswith(".cpp") else ())
                sources.setdefault(program, set()).update(compiled)
        if not grows:
            lay_out(build_folder, tree)
        compile_added(Build(build_folder, tree), sources, syntax)
    for arguments in REFUSED:
        if run([str(tree / "ci/add"), *arguments]).returncode != 2:
            problems.append(f"ci/add {' '.join(arguments)} is not rejected")
    for kind, name, program, case in ADDED:
        case = tree / f"tests/golden/{case}.txt"
        done = golden(tree, tree / "build", case)
        if done.returncode != 0 and (program is None or not syntax and program != COMPILED):
            problems.append(f"ci/add {kind} {name}: its golden case fails:\n{done.stdout}")
        if golden(ROOT, build_folder, case).returncode != 1:
            problems.append(f"ci/add {kind} {name}: its golden case passes without it")
    problems += [f"house/{test}, with what ci/add wrote:\n{said}"
                 for test, said, known in zip(HOUSE_TESTS, house(tree), before) if said != known]
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--syntax", action="store_true")
    options = parser.parse_args()
    build = options.build.resolve()
    for program in PROGRAMS:
        if not (build / "bin" / program).exists():
            print(f"SKIPPED: {program} was not built")
            return 77
    with tempfile.TemporaryDirectory(prefix="opledger-add-") as folder:
        try:
            return report(problems_of(build, pathlib.Path(folder).resolve(), options.syntax))
        except Failed as failure:
            return report([str(failure)])


if __name__ == "__main__":
    sys.exit(main())
