#!/usr/bin/env python3
"""Scans MXNet at b84609d3 once, for the tests that need a real framework's manifest: writes
BUILD/source/mxnet-b84609d3.operators.json.

    tests/mxnet_manifest.py --bin BUILD/bin     exit 77 where the sources or the scanner are missing
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import pathlib
import subprocess
import sys

from mxnet_source import NAME, mxnet_source


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    program = parser.parse_args().bin.resolve() / "opledger-scan"
    build = program.parents[1]
    manifest = build / "source" / f"{NAME}.operators.json"
    manifest.unlink(missing_ok=True)  # never that of another scanner
    if not program.exists():
        print("SKIPPED: opledger-scan was not built")
        return 77
    folder = mxnet_source(build)
    if folder is None:
        print(f"SKIPPED: neither OPLEDGER_MXNET_SOURCE nor {NAME}.tar.xz is there")
        return 77
    manifest.parent.mkdir(exist_ok=True)
    return subprocess.run([program, "-C", folder, "--config", "none", "--dialect", "mxnet", "--no-cache",
                           "-o", manifest], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
