#!/usr/bin/env python3
"""Where the checkout of MXNet at b84609d3 is that tests and benchmarks run on: $OPLEDGER_MXNET_SOURCE,
else unpacked once into BUILD/source from $OPLEDGER_TEST_DATA/data/source (default: ../shared).

    tests/mxnet_source.py [BUILD]     prints the folder; exit 77 where there is none
"""
# SPDX-License-Identifier: Apache-2.0

import fcntl
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
NAME = "mxnet-b84609d3"


def mxnet_source(build=ROOT / "build"):
    """The folder, or None."""
    if os.environ.get("OPLEDGER_MXNET_SOURCE"):
        folder = pathlib.Path(os.environ["OPLEDGER_MXNET_SOURCE"])
        return folder if folder.is_dir() else None
    data = pathlib.Path(os.environ.get("OPLEDGER_TEST_DATA") or ROOT.parent / "shared")
    archive = data / "data/source" / f"{NAME}.tar.xz"
    target = pathlib.Path(build) / "source"
    if not archive.is_file():
        return None
    target.mkdir(parents=True, exist_ok=True)
    with open(target / "lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (target / f"{NAME}.complete").exists():
            subprocess.run(["tar", "-xf", archive, "-C", target], check=True)
            (target / f"{NAME}.complete").touch()
    return target / NAME


def main():
    folder = mxnet_source(*sys.argv[1:2])
    if folder is None:
        print(f"SKIPPED: neither OPLEDGER_MXNET_SOURCE nor {NAME}.tar.xz is there")
        return 77
    print(folder.resolve())
    return 0


if __name__ == "__main__":
    sys.exit(main())
