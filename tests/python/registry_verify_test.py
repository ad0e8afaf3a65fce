#!/usr/bin/env python3
"""Runs the README's commands: compares the operators of the installed ONNX with ONNX's source. The
source has no operator that the running framework lacks, and lacks only versions of its current or
later opsets."""
# SPDX-License-Identifier: Apache-2.0

import json
import os
import re
import subprocess
import sys

from in_python import PACKAGE, ROOT, expect, go_on_where_there_are, main
from test_data import require_sources

COMMANDS = re.compile(r"^```sh\n(python -m opledger\.registry .*?)^```$", re.MULTILINE | re.DOTALL)
SOURCE = "onnx-f7546912"


def test_readme(bin_folder, folder):
    source, = require_sources(SOURCE)
    text, = COMMANDS.findall((PACKAGE / "README.md").read_text(encoding="utf-8"))
    names = folder / "names.json"
    read, verify = text.replace("names.json", str(names)).splitlines()
    environment = {**os.environ, "PATH": f"{os.path.dirname(sys.executable)}:{bin_folder}:/usr/bin:/bin",
                   "PYTHONPATH": str(PACKAGE), "OPLEDGER_CACHE_DIR": str(folder / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(read.split(), cwd=source, env=environment, capture_output=True, text=True, check=False)
    expect(done.returncode == 0 and done.stdout == "", done)
    done = subprocess.run([*verify.split(), "--config", "none"], cwd=source, env=environment, capture_output=True, text=True,
                          check=False)
    listed = json.loads((ROOT / "tests/gold/onnx-versioned.json").read_text(encoding="utf-8"))
    expect(f" ({len(listed)} of {len(json.loads(names.read_text()))}), " in done.stdout and
           f"precision 1.000 ({len(listed)} of {len(listed)})" in done.stdout, done.stdout[-200:], done.stderr)
    newest = max(int(name.rpartition("-")[2]) for name in listed)
    newer = re.findall(r"'([\w.]+)-(\d+)' is not registered in the source", done.stdout)
    expect(all(int(version) >= newest for _, version in newer), newest, newer)
    expect(done.returncode == (1 if newer else 0), done.returncode)


if __name__ == "__main__":
    go_on_where_there_are("onnx")
    sys.exit(main(globals()))
