#!/usr/bin/env python3
"""Scans MXNet at b84609d3 once, for the tests that need a real framework's manifest, and writes
BUILD/mxnet.operators.json.

    tests/mxnet_manifest.py --bin BUILD/bin     exit 77 if the sources or the scanner are missing
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import pathlib
import subprocess
import sys

import test_data


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    program = parser.parse_args().bin.resolve() / "opledger-scan"
    build = program.parents[1]
    manifest = build / "mxnet.operators.json"
    manifest.unlink(missing_ok=True)  # it may be another scanner's
    if not program.exists():
        print("SKIPPED: opledger-scan was not built")
        return 77
    folder, = test_data.require_sources(test_data.MXNET_SOURCE)
    return subprocess.run([program, "-C", folder, "--config", "none", "--dialect", "mxnet", "--no-cache",
                           "-o", manifest], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
