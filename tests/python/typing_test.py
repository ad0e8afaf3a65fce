#!/usr/bin/env python3
"""mypy --strict finds no errors in the package: with numpy and onnx, and without, as Python 3.8
reads it. It accepts what the functions accept, and rejects what they reject. The package runs under
every Python from 3.8 on that this machine has, with nothing installed."""
# SPDX-License-Identifier: Apache-2.0

import os
import re
import shutil
import subprocess
import sys

from in_python import PACKAGE, ROOT, Skip, enter_demo, expect, main

OLDEST = (3, 8)


def mypy(*arguments, what=PACKAGE / "opledger"):
    for place in (ROOT / "build/venv/bin/mypy", ROOT / "build/mypy/bin/mypy", shutil.which("mypy")):
        if place and os.path.exists(place):
            return subprocess.run([place, "--strict", *arguments, what], capture_output=True, text=True, check=False,
                                  env={**os.environ, "MYPYPATH": str(PACKAGE)})
    raise Skip("mypy is missing; ci/setup installs it")


def test_types(bin_folder, folder):
    python = next((place for place in (bin_folder.parent / "venv/bin/python", ROOT / "build/venv/bin/python")
                   if place.exists()), sys.executable)
    for arguments in (("--python-executable", python, "--cache-dir", folder / "1"),
                      ("--no-site-packages", "--ignore-missing-imports", "--python-version", "3.8",
                       "--cache-dir", folder / "2")):
        done = mypy(*arguments)
        expect(done.returncode == 0, done.stdout, done.stderr)


# Each line, and whether the call is correct.
CALLS = (("convert('m.onnx', exclude='^sm$', fp32_ops='Relu', keep_io='x')", True),
         ("convert('m.onnx', exclude=['^sm$'], fp32_ops=('Relu',), fp32_nodes={'head'})", True),
         ("convert('m.onnx', exclude=(each for each in ['a', 'b']))", True),
         ("convert('m.onnx', exclude=b'^sm$')", False),
         ("convert('m.onnx', exclude=3)", False),
         ("convert('m.onnx', exclude=[3])", False),
         ("convert('m.onnx', exclude=None)", False),
         ("convert('m.onnx', input_shapes={'x': (1, 3)})", True),
         ("convert('m.onnx', input_shapes={'x': '13'})", False),
         ("convert('m.onnx', input_shapes={'x': 13})", False),
         ("scan('.', 'src', defines='A=1')", True),
         ("scan('.', [pathlib.Path('src'), 'lib'])", True),
         ("scan('.', [3])", False),
         ("check('.', lists='float16', select='stale-entry', ignore=['alias-conflict'])", True),
         ("check('.', lists=pathlib.Path('list.json'))", True),
         ("check('.', select=3)", False),
         ("check('.', severities='stale-entry=error')", False))


def test_types_of_calls(bin_folder, folder):
    (folder / "calls.py").write_text("import pathlib\nimport opledger\n" +
                                     "".join(f"opledger.{call}\n" for call, _ in CALLS))
    done = mypy("--no-site-packages", "--ignore-missing-imports", "--cache-dir", folder / "1", what=folder / "calls.py")
    refused = {int(line) for line in re.findall(r"calls\.py:(\d+): error", done.stdout)}
    for line, (call, is_right) in enumerate(CALLS, 3):
        expect((line in refused) != is_right, call, done.stdout)


def pythons():
    """Returns one program for each available version, from PATH and pyenv."""
    places = [f"{folder}/{name}" for folder in os.environ["PATH"].split(":") if os.path.isdir(folder)
              for name in os.listdir(folder) if re.fullmatch(r"python3\.\d+", name)]
    home = os.path.expanduser("~/.pyenv/versions")
    places += [f"{home}/{name}/bin/python3" for name in (os.listdir(home) if os.path.isdir(home) else ())]
    found = {}
    for place in filter(os.path.exists, places):
        done = subprocess.run([place, "-I", "-c", "import sys; print(*sys.version_info[:2])"], capture_output=True,
                              text=True, check=False)
        if done.returncode == 0 and tuple(map(int, done.stdout.split())) >= OLDEST:
            found.setdefault(tuple(map(int, done.stdout.split())), place)
    return found


def test_every_python_runs_it(bin_folder, folder):
    enter_demo(folder)
    text = ("import array, opledger\nimport opledger.compat\n"
            "mixed = opledger.convert('model.onnx')\n"
            "shape = {'pixels': (2, 8)}\n"
            "assert opledger.compare('model.onnx', mixed, input_shapes=shape, max_error=1e-2).within\n"
            "assert opledger.tune('model.onnx', input_shapes=shape, max_error=4e-4).met\n"
            "pixels = memoryview(array.array('f', range(16))).cast('B').cast('f', (2, 8))\n"
            "assert opledger.run(mixed, {'pixels': pixels})['scores'].shape == (2, 3)\n"
            "assert len(opledger.check('.')) and opledger.lists() and mixed._repr_html_()\n"
            "print(mixed)")
    found = pythons()
    expect(found, "no Python was found")
    for version, python in found.items():
        done = subprocess.run([python, "-B", "-S", "-c", text], capture_output=True, text=True, check=False,
                              env={"PYTHONPATH": str(PACKAGE), "OPLEDGER_PROGRAMS": str(bin_folder),
                                   "HOME": str(folder), "PATH": "/usr/bin:/bin"})
        expect(done.returncode == 0 and "5 of 6 nodes" in done.stdout, version, done.stderr)


if __name__ == "__main__":
    sys.exit(main(globals()))
