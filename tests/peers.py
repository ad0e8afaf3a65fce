"""Finds the Python packages that tests compare with, in the build's virtual environment or the one
that OPLEDGER_PEERS names."""
# SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
# Only looks for the packages: importing mxnet takes two seconds, and the test does that itself.
FIND = "import importlib.util, sys; sys.exit(None in map(importlib.util.find_spec, sys.argv[1:]))"


def go_on_with(programs, *packages):
    """Restarts this program in a Python that has all the packages: that of the build that the
    folder `programs` belongs to, or of the default build. Returns if no environment has them."""
    given = os.environ.get("OPLEDGER_PEERS")
    folders = [pathlib.Path(given)] if given else [programs.resolve().parent / "venv", ROOT / "build/venv"]
    for folder in folders:
        python = folder / "bin/python"
        if python.exists() and subprocess.run([python, "-c", FIND, *packages], check=False).returncode == 0:
            os.execv(python, [str(python), "-B", *sys.argv])


def require(programs, *packages):
    """As go_on_with, but exits as skipped, naming the packages, if no environment has them."""
    go_on_with(programs, *packages)
    many = len(packages) > 1
    print(f"SKIPPED: the Python package{'s' if many else ''} {' and '.join(packages)} "
          f"{'are' if many else 'is'} missing; ci/setup installs {'them' if many else 'it'}")
    sys.exit(77)


def mxnet_lacks_bfloat16(dtype, error):
    """Returns whether MXNet failed because its oneDNN supports bfloat16 only with AVX-512, which
    this processor lacks."""
    try:
        has = " avx512bw" in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        has = True
    return dtype == "bfloat16" and not has and "primitive descriptor" in str(error)
