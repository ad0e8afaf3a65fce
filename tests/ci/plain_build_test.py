#!/usr/bin/env python3
"""Tests a build without presets, as a packager makes it: at -O3, file by file.
Warnings are errors only on request, and a sample of sources compiles without any. `ci/test --all`
compiles all of them."""
# SPDX-License-Identifier: Apache-2.0

import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Files for which g++ 12 once gave false warnings at -O3: an index out of bounds, an uninitialized
# value.
SOURCES = ("kernels/bindings/bindings.cpp", "kernels/bindings/mxnet/moves.cpp", "kernels/evidence/formulas.cpp")


def run(*words):
    done = subprocess.run(list(map(str, words)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}: exit {done.returncode}\n{done.stdout[-6000:]}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, help="ignored")
    parser.parse_args()
    if shutil.which("cmake") is None or shutil.which("ninja") is None:
        print("SKIPPED: cmake or ninja is missing; ci/setup installs them")
        return 77
    with tempfile.TemporaryDirectory(prefix="opledger-plain-") as folder:
        configure = ("cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release")
        run(*configure)
        commands = run("ninja", "-C", folder, "-t", "commands", "bin/opledger")
        if "-Werror" in commands or " -O3 " not in commands or "/Unity/" in commands:
            sys.exit("a plain build has warnings as errors, or not -O3, or several files in one")
        run(*configure, "-DOPLEDGER_WERROR=ON")
        run("ninja", "-C", folder, "-k", "0", *(f"{ROOT / source}^" for source in SOURCES))
    return 0


if __name__ == "__main__":
    sys.exit(main())
