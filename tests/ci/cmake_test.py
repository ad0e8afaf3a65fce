#!/usr/bin/env python3
"""opledger_add_check: configures, builds and tests a project with the installed package. After an
edit, a build reads exactly the units that the edit can change; without one, it does nothing."""
# SPDX-License-Identifier: Apache-2.0

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../scan"))
from scanning import DIALECT, Skip, expect, main  # noqa: E402

WRAP = "#define WRAP_REGISTER(name) REGISTER_OP(wrapped_##name)\n"
FILES = {
    "CMakeLists.txt": """
cmake_minimum_required(VERSION 3.20)
project(framework LANGUAGES CXX)
enable_testing()
find_package(opledger 0.1 REQUIRED)
add_subdirectory(src)
opledger_add_check(NAME operators TARGETS framework LISTS lists/float16.json)
opledger_add_check(NAME everything LISTS lists/float16.json lists/bfloat16.json)
""",
    "src/CMakeLists.txt": "add_library(framework OBJECT EXCLUDE_FROM_ALL one.cc two.cc ${CMAKE_CURRENT_SOURCE_DIR}/plain.cc)\n"
                          "add_library(plugin OBJECT EXCLUDE_FROM_ALL plugin.cc)\n",
    "opledger.json": json.dumps({"dialect": "./dialect.json"}),
    "dialect.json": json.dumps(DIALECT),
    "lists/float16.json": json.dumps({"framework": "hostile", "target_dtype": "float16",
                                      "fp32": ["wrapped_one", "wrapped_two", "plain"]}),
    "lists/bfloat16.json": json.dumps({"framework": "hostile", "target_dtype": "bfloat16",
                                       "fp32": ["wrapped_one", "wrapped_two", "plain", "plugin"]}),
    "include/wrap.h": WRAP,
    "src/one.cc": "#include <wrap.h>\nWRAP_REGISTER(one);\n",
    "src/two.cc": "#include <wrap.h>\nWRAP_REGISTER(two);\n",
    "src/plain.cc": "REGISTER_OP(plain);\n",
    "src/plugin.cc": "REGISTER_OP(plugin);\n",
}


class Project:
    def __init__(self, bin_folder, folder):
        if shutil.which("cmake") is None or shutil.which("ninja") is None:
            raise Skip("cmake or ninja is missing")
        self.source, self.folder = folder / "tree with spaces", folder / "build"
        self.environment = {**os.environ, "OPLEDGER_CACHE_DIR": str(folder / "cache")}
        for name, content in FILES.items():
            self.write(name, content)
        self.run("cmake", "--install", bin_folder.parent, "--prefix", folder / "prefix")
        self.configure(folder / "prefix")

    def configure(self, prefix):
        self.run("cmake", "-G", "Ninja", "-S", self.source, "-B", self.folder, f"-DCMAKE_PREFIX_PATH={prefix}")

    def write(self, name, content):
        path = self.source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)

    def run(self, *command, status=0):
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False)
        expect(done.returncode == status, *command, done.stdout, done.stderr)
        return done.stdout

    def read_again(self):
        """Returns the units whose facts a build of the check extracts again."""
        said = self.run("ninja", "-C", self.folder, "operators")
        return sorted(re.findall(r"\] opledger facts of (src/.+)", said)), "no work to do" in said

    def test(self, name, status=0):
        return self.run("ctest", "--test-dir", self.folder, "-R", f"^{name}$", "--output-on-failure", status=status)


def test_check(bin_folder, folder):
    project = Project(bin_folder, folder)
    # All operators of the target's sources are in the list; one operator of the whole tree is not.
    project.test("operators")
    said = project.test("everything", status=8)
    expect("'plugin' has no policy in list 'float16'" in said and said.count("error: operator") == 1, said)
    operators = json.loads((project.folder / "operators.operators.json").read_text())
    expect([op["name"] for op in operators["operators"]] == ["plain", "wrapped_one", "wrapped_two"], operators)
    # A build without changes does nothing, also after the check.
    expect(project.read_again() == ([], True))
    said = project.run("ninja", "-C", project.folder)
    expect("no work to do" in said, "the check is a part of `all`", said)
    # Edits a header, then a unit.
    project.write("include/wrap.h", WRAP.replace("wrapped_", "now_"))
    expect(project.read_again() == (["src/one.cc", "src/two.cc"], False))
    expect(project.read_again() == ([], True))
    said = project.test("operators", status=8)
    expect("'now_one'" in said and "'now_two'" in said and "'plain'" not in said, said)
    project.write("include/wrap.h", WRAP)
    project.write("src/plain.cc", FILES["src/plain.cc"] + "REGISTER_OP(more);\n")
    said = project.test("operators", status=8)
    expect("'more'" in said and said.count("error: operator") == 1, said)
    # An added source reconfigures the check.
    project.write("src/plain.cc", FILES["src/plain.cc"])
    project.write("src/new.cc", "REGISTER_OP(new);\n")
    project.write("src/CMakeLists.txt", FILES["src/CMakeLists.txt"].replace("one.cc", "one.cc new.cc"))
    said = project.test("operators", status=8)
    expect("'new'" in said and said.count("error: operator") == 1, said)


def test_mistakes(bin_folder, folder):
    project = Project(bin_folder, folder)
    for call, message in (
            ("opledger_add_check(TARGETS framework)", "opledger_add_check(NAME NAME"),
            ("opledger_add_check(NAME x TARGET framework)", "TARGET;framework"),
            ("opledger_add_check(NAME x TARGETS nonsense)", "no target 'nonsense'"),
            ("add_library(other OBJECT lists/float16.json)\nopledger_add_check(NAME x TARGETS other)",
             "names no unit of the source tree")):
        project.write("CMakeLists.txt", FILES["CMakeLists.txt"] + call + "\n")
        done = subprocess.run(["cmake", project.folder], env=project.environment, capture_output=True,
                              text=True, check=False)
        said = re.sub(r"\s+", " ", done.stderr)
        expect(done.returncode != 0 and message in said, call, done.stderr)


if __name__ == "__main__":
    sys.exit(main(globals()))
