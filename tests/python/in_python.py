"""Common parts of the package's tests: a Python that has what they need, the package of this tree,
the programs of the build, and a copy of the demo as working folder."""
# SPDX-License-Identifier: Apache-2.0

import functools
import importlib.util
import os
import pathlib
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python"
sys.path[:0] = [str(PACKAGE), str(ROOT / "tests/scan"), str(ROOT / "tests")]
import peers  # noqa: E402
import scanning  # noqa: E402
from scanning import Skip, expect  # noqa: E402, F401


def use(bin_folder):
    """Imports the package with these programs, and a cache separate from the user's."""
    os.environ["OPLEDGER_PROGRAMS"] = str(bin_folder)
    import opledger
    return opledger


def enter_demo(folder):
    """Copies tests/demo and makes it the current folder."""
    demo = folder / "demo"
    shutil.copytree(ROOT / "tests/demo", demo)
    os.chdir(demo)
    os.environ["OPLEDGER_CACHE_DIR"] = str(folder / "cache")
    return demo


def has(*packages):
    return None not in map(importlib.util.find_spec, packages)


def go_on_where_there_are(*packages):
    """Restarts this program in a Python that has the packages; exits as skipped if there is none."""
    if not has(*packages):
        arguments = sys.argv
        programs = pathlib.Path(arguments[arguments.index("--bin") + 1]) if "--bin" in arguments else ROOT / "build/bin"
        peers.require(programs, *packages)


def main(names):
    """As in scanning; each test begins in the folder in which this program started."""
    def at_home(test, *arguments):
        home, settings = os.getcwd(), dict(os.environ)
        try:
            test(*arguments)
        finally:
            os.chdir(home)
            os.environ.clear()
            os.environ.update(settings)

    tests = {name: test for name, test in names.items() if name.startswith("test_")}
    return scanning.main({name: functools.partial(at_home, test) for name, test in tests.items()})


def raises(kind, call, *arguments, **named):
    """Returns the exception of this kind that a call raises."""
    try:
        call(*arguments, **named)
    except kind as error:
        return error
    raise AssertionError(f"{call} raised no {kind.__name__}")
