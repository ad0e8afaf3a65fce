#!/usr/bin/env python3
"""If the system refuses executable memory, which oneDNN needs for generated code, `run` ends with
an error message that says so, not by a signal.

    tests/sweep/executable_memory_test.py --bin build/bin
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

SWEEP = pathlib.Path(__file__).with_name("sweep_test.py")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    options = parser.parse_args()
    version = subprocess.run([options.bin / "opledger-run", "--version"], capture_output=True, text=True, check=True).stdout
    if "oneDNN" not in version:
        print("SKIPPED: built without oneDNN")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        results = pathlib.Path(folder, "results")
        words = [SWEEP, "--bin", options.bin, "--verb", "run", "--call", "mprotect", "--every", "3", "--results", results]
        ended = subprocess.run([sys.executable, "-B", *words], check=False)
        if ended.returncode:
            return ended.returncode
        said = [json.loads(line)["stderr"] for line in results.read_text().splitlines()]
    explained = sum("that it may make executable" in each for each in said)
    print(f"{explained} of {len(said)} refusals are explained by oneDNN's generated code")
    return 0 if explained > 4 else 1


if __name__ == "__main__":
    sys.exit(main())
