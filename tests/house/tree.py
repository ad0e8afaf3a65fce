"""The tree as the house tests see it: the project's source files, and C++ text without comments and
strings."""
# SPDX-License-Identifier: Apache-2.0

import importlib.machinery
import importlib.util
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CODE_FOLDERS = ("registry", "checker", "conversion", "kernels", "python", "tests")
CODE_SUFFIXES = (".h", ".cpp", ".cu", ".cuh")
# Inputs of tests are not code: they break every rule on purpose.
INPUT_FOLDERS = ("tests/golden", "tests/demo")

_TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|R"(?P<tag>[^(\s]*)\(.*?\)(?P=tag)"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'""",
    re.DOTALL)


def relative(path):
    return path.relative_to(ROOT).as_posix()


def is_input(path):
    return any(relative(path).startswith(folder + "/") for folder in INPUT_FOLDERS)


def files(suffixes, folders=CODE_FOLDERS):
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*"))
            if path.suffix in suffixes and path.is_file() and not is_input(path)]


def code_files():
    return files(CODE_SUFFIXES)


def bare(text):
    """Returns `text` without comments and with empty literals; line numbers stay the same."""
    def blank(match):
        newlines = "\n" * match[0].count("\n")
        return newlines if match[0].startswith("/") else '""' + newlines
    # A digit separator (1'000'000) does not begin a character literal.
    return _TOKEN.sub(blank, re.sub(r"(?<=[0-9a-fA-F])'(?=[0-9a-fA-F])", "", text))


def load_script(path):
    """Returns a Python script without a suffix as a module, without writing bytecode next to it."""
    loader = importlib.machinery.SourceFileLoader(path.name.replace("-", "_"), str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    writes, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    loader.exec_module(module)
    sys.dont_write_bytecode = writes
    return module


def report(problems):
    """Ends a house test: prints the problems; returns 1 if there are any, otherwise 0."""
    for problem in problems:
        print(problem)
    return 1 if problems else 0
