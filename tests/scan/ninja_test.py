#!/usr/bin/env python3
"""Facts as build edges (ci/cmake): a build without changes does nothing, an edit reruns exactly
what depends on it, and the result is the manifest of a whole scan, byte for byte."""
# SPDX-License-Identifier: Apache-2.0

import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

from scanning import DIALECT, Skip, Tree, expect, main

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from test_data import MXNET_SOURCE, source as source_of  # noqa: E402

INTEGRATION = pathlib.Path(__file__).resolve().parents[2] / "ci/cmake/opledger-config.cmake"
DESCRIPTION = {
    **DIALECT,
    "chain": [*DIALECT["chain"], {"method": "takes", "field": "parameters"}],
    "attribute_sets": {"declare": "DECLARE_SET", "field": "FIELD", "value": "VALUE",
                       "reference": "::Fields()"},
}
FILES = {
    "opledger.json": json.dumps({"dialect": "./dialect.json"}),
    "dialect.json": json.dumps(DESCRIPTION),
    "CMakeLists.txt": "cmake_minimum_required(VERSION 3.20)\nproject(tried NONE)\n"
                      "include($ENV{INTEGRATION})\n"
                      "opledger_operators(operators OUTPUT operators.json)\n",
    "include/wrap.h": "#define WRAP_REGISTER(name) REGISTER_OP(wrapped_##name)\n",
    "include/deep.h": "#include <wrap.h>\nint code();\n",
    "include/others.h": "#define NOT_FOR_OPERATORS 1\n",
    "include/active.h": "#pragma once\nREGISTER_OP(of_header);\n",
    "include/sets.h": "DECLARE_SET(CommonSet) { FIELD(axis).VALUE(\"a\"); };\n",
    "src/table.inc": "ROW(one)\nROW(two)\n",
    "src/rows.cc": "#define ROW(x) REGISTER_OP(row_##x);\n#include \"table.inc\"\n",
    "src/one.cc": "#include <wrap.h>\nWRAP_REGISTER(one);\n",
    "src/two.cc": "#include <deep.h>\n#include <others.h>\nWRAP_REGISTER(two).doc(\"x\");\n",
    "src/plain.cc": "#include <deep.h>\n#include <active.h>\nREGISTER_OP(plain);\n",
    "src/sets.cc": "#include <sets.h>\nREGISTER_OP(sets).takes(CommonSet::Fields());\n",
    "src/folder/code only.cc": "#include <deep.h>\nint code() { return 1; }\n",
}


class Build:
    def __init__(self, bin_folder, folder, source=None):
        if shutil.which("cmake") is None or shutil.which("ninja") is None:
            raise Skip("cmake or ninja is missing")
        self.tree = None if source else Tree(folder / "tree", FILES)
        self.source = source or self.tree.folder
        self.folder = folder / "build"
        self.program = bin_folder / "opledger-scan"
        self.environment = {**os.environ, "INTEGRATION": str(INTEGRATION),
                            "OPLEDGER_CACHE_DIR": str(folder / "cache")}
        self.run("cmake", "-G", "Ninja", "-S", self.source, "-B", self.folder,
                 f"-DOPLEDGER_SCAN={self.program}")

    def run(self, *command):
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True,
                              check=False)
        expect(done.returncode == 0, *command, done.stdout, done.stderr)
        return done.stdout

    def build(self):
        """Returns the commands that ran, by their comments."""
        said = self.run("ninja", "-C", self.folder, "operators")
        expect("opledger" in said or "no work to do" in said, said)
        return sorted(re.findall(r"\] opledger (.+)", said))

    def text(self):
        return (self.folder / "operators.json").read_text()

    def expect_whole(self, *context):
        """Expects that the build's manifest equals that of a whole scan."""
        plain = self.folder.parent / "plain.json"
        subprocess.run([self.program, "-C", self.source, "--no-cache", "-o", plain], check=False,
                       env=self.environment, capture_output=True)
        expect(self.text() == plain.read_text(), "not the manifest of a whole scan", *context)

    def after(self, files, expected):
        """Writes files; expects that exactly the facts of the named units are extracted again."""
        for name, content in files.items():
            path = self.source / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        ran = self.build()
        facts = [name.removeprefix("facts of ") for name in ran if name.startswith("facts of ")]
        expect(facts == sorted(expected), sorted(files), "ran", ran, "not", expected)
        self.expect_whole(sorted(files))
        expect(self.build() == [], "the second build was not empty after", sorted(files))
        return ran


ALL = ["headers", "src/folder/code only.cc", "src/one.cc", "src/plain.cc", "src/rows.cc",
       "src/sets.cc", "src/two.cc"]


def test_edits(bin_folder, folder):
    build = Build(bin_folder, folder)
    build.after({}, ALL)
    wrap = FILES["include/wrap.h"]
    # A unit.
    build.after({"src/one.cc": FILES["src/one.cc"] + "REGISTER_OP(more);\n"}, ["src/one.cc"])
    # A header: comments and code affect only units that read it completely.
    build.after({"include/wrap.h": "// A remark.\n" + wrap + "int more_code();\n"}, [])
    build.after({"include/others.h": "#define NOT_FOR_OPERATORS 2\n"}, [])
    build.after({"include/deep.h": "#include <wrap.h>\nint code();\nint other_code();\n"}, [])
    # A macro that registers affects its users.
    build.after({"include/wrap.h": wrap.replace("wrapped_", "now_")}, ["src/one.cc", "src/two.cc"])
    # An unused macro, then one that a unit mentions.
    build.after({"include/others.h": "#define OTHER_REGISTER(x) REGISTER_OP(x)\n"}, [])
    build.after({"include/others.h": "#define doc docs\n"}, ["src/two.cc"])
    build.after({"include/others.h": ""}, ["src/two.cc"])
    # A table, which counts as a whole; a header that registers by itself.
    build.after({"src/table.inc": FILES["src/table.inc"] + "ROW(three)\n"}, ["src/rows.cc"])
    ran = build.after({"include/active.h": "#pragma once\nREGISTER_OP(of_header);\nREGISTER_OP(new);\n"},
                      ["headers"])
    expect("merge" in ran, ran)
    # Information in the tree other than registrations.
    ran = build.after({"include/sets.h": FILES["include/sets.h"].replace('"a"', '"b"')}, [])
    expect("merge" in ran and '"b"' in build.text(), ran)
    # A header that is no longer included.
    build.after({"include/deep.h": "#define WRAP_REGISTER(name) REGISTER_OP(other_##name)\n"},
                ["src/two.cc"])


def test_files_come_and_go(bin_folder, folder):
    build = Build(bin_folder, folder)
    build.after({}, ALL)
    build.after({"src/new.cc": "#include <late.h>\nLATE_MAKE(x);\n#ifndef LATE_MAKE\n"
                               "REGISTER_OP(early);\n#endif\n"}, ["src/new.cc"])
    expect("early" in build.text())
    build.after({"include/late.h": "#define LATE_MAKE(n) REGISTER_OP(late_##n)\n"}, ["src/new.cc"])
    expect("late_x" in build.text())
    (build.source / "src/new.cc").unlink()
    build.after({}, [])
    expect("late_x" not in build.text())


def test_dialect_and_project(bin_folder, folder):
    build = Build(bin_folder, folder)
    build.after({}, ALL)
    # The facts of a unit that registers nothing are not read.
    registering = [name for name in ALL if name != "src/folder/code only.cc"]
    exempt = {**DESCRIPTION, "exempt": [{"name": "p", "contains": "plain"}]}
    build.after({"dialect.json": json.dumps(exempt)}, registering)
    build.after({"opledger.json": json.dumps({"dialect": "./dialect.json", "exclude": ["src/two.cc"]})},
                [name for name in registering if name != "src/two.cc"])


def test_broken_facts_are_named(bin_folder, folder):
    build = Build(bin_folder, folder)
    build.after({}, ALL)
    facts = build.folder / "operators.opledger/units/src/one.cc.facts"
    facts.write_text(facts.read_text()[:-10])
    (build.folder / "operators.json").unlink()
    done = subprocess.run(["ninja", "-C", build.folder, "operators"], env=build.environment,
                          capture_output=True, text=True, check=False)
    expect(done.returncode != 0 and "src/one.cc.facts" in done.stdout and
           "is truncated" in done.stdout, done.stdout)
    facts.unlink()
    build.after({}, ["src/one.cc"])


def test_by_chance(bin_folder, folder):
    """The build handles any random edit."""
    for seed in (11, 21, 22):
        edit_by_chance(Build(bin_folder, folder / str(seed)), random.Random(seed))


def edit_by_chance(build, chance):
    pieces = ["// remark\n", "#define WRAP_REGISTER(n) REGISTER_OP(chance_##n)\n", "#if SOME\n#endif\n",
              "#ifndef WRAP_REGISTER\n#define WRAP_REGISTER(n) REGISTER_OP(if_##n)\n#endif\n",
              "#include <wrap.h>\n", "#include <others.h>\n", "REGISTER_OP(piece);\n", "#undef ROW\n",
              "#define doc docs\n", "#define op(x) x\n", "WRAP_REGISTER(chance).doc(\"y\");\n"]
    edited = [name for name in FILES if name.startswith(("src/", "include/"))]
    for number in range(40):
        name = chance.choice(edited)
        content = "".join(chance.choice(pieces) for _ in range(chance.randrange(4)))
        kept = FILES[name] if chance.random() < 0.7 else ""
        (build.source / name).write_text(content + kept if number % 2 else kept + content)
        subprocess.run(["ninja", "-C", build.folder, "operators"], env=build.environment,
                       # an incomplete scan fails, but writes the manifest
                       capture_output=True, check=False)
        build.expect_whole(number, name, repr(content))


def test_mxnet(bin_folder, folder):
    source = source_of(MXNET_SOURCE)
    if source is None:
        raise Skip("the source of MXNet is missing; ci/test-data gets it")
    (folder / "project").mkdir()
    (folder / "project/CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(tried NONE)\ninclude($ENV{INTEGRATION})\n"
        f"opledger_operators(operators OUTPUT operators.json SOURCE {source} DIALECT mxnet CONFIG none)\n")
    build = Build(bin_folder, folder, folder / "project")
    build.build()
    subprocess.run([build.program, "-C", source, "--dialect", "mxnet", "--config", "none", "--no-cache",
                    "-o", folder / "plain.json"], check=True)
    expect(build.text() == (folder / "plain.json").read_text())
    expect(build.build() == [])


if __name__ == "__main__":
    sys.exit(main(globals()))
