#!/usr/bin/env python3
"""The float32 lists of ONNX's float16 converters (onnxruntime.transformers and
onnxconverter-common), read through `derived_from` without running code, equal what Python finds in
them."""
# SPDX-License-Identifier: Apache-2.0

import argparse
import importlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import peers  # noqa: E402

try:
    import onnx
except ImportError:
    onnx = None

CONVERTERS = ["onnxruntime.transformers.float16", "onnxconverter_common.float16"]
LIST = {"framework": "onnx", "target_dtype": "float16", "unlisted": "target", "derived_from": [
    {"file": "float16.py", "format": "python", "map": {"DEFAULT_OP_BLOCK_LIST": "fp32"}}]}
SITE = {"path": "ops.cc", "line": 1, "column": 1, "end_line": 1, "end_column": 2}
OPERATORS = {"schema": "opledger-operators/1", "dialect": "onnx", "configurations": {},
             "operators": [{"name": "NoneOfThese", "sites": [SITE]}]}


def rows_read(opledger, text):
    """Returns the entries of the list, through findings: no operator is registered here."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "float16.py").write_bytes(text)
        (folder / "list.json").write_text(json.dumps(LIST), encoding="utf-8")
        (folder / "operators.json").write_text(json.dumps(OPERATORS), encoding="utf-8")
        (folder / "opledger.json").write_text('{"lists": ["list.json"]}', encoding="utf-8")
        done = subprocess.run([opledger, "check", "--operators", "operators.json", "--output-format", "concise"],
                              cwd=folder, capture_output=True, text=True)
    return set(re.findall(r"entry '([^']*)' of list", done.stdout)), done.returncode, done.stderr


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    if onnx is None:
        peers.require(arguments.bin, "onnx", "onnxruntime", "onnxconverter_common")
    problems = []
    for name in CONVERTERS:
        module = importlib.import_module(name)
        expected = set(module.DEFAULT_OP_BLOCK_LIST)
        rows, status, messages = rows_read(str(arguments.bin.resolve() / "opledger"),
                                           pathlib.Path(module.__file__).read_bytes())
        if rows != expected or not rows or status not in (0, 1) or messages:
            problems.append(f"{name}: exit {status}, missing {sorted(expected - rows)}, "
                            f"invented {sorted(rows - expected)} {messages}")
        print(f"{name}: {len(rows)} rows")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
