#!/usr/bin/env python3
"""Sidecars are written and applied piece by piece.
`convert --sidecar` and `opledger revert` of a model with external data need no more memory than
`convert` alone, and the data are restored exactly.

Exit status: 0 success, 1 failure, 77 skipped, since sanitizers keep freed memory.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import pathlib
import random
import struct
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from make_onnx import model_bytes  # noqa: E402
from peak_memory import peak_memory  # noqa: E402

SIDE, TENSORS = 2048, 6
MORE = 24 << 20  # bytes: a few pieces of each file


def write_model(path):
    """Writes a chain of products with external weights."""
    values = ["x", *(f"h{i}" for i in range(1, TENSORS)), "y"]
    zeros = [0.0] * SIDE ** 2
    path.write_bytes(model_bytes({
        "opset": 17, "inputs": {"x": ["float32", [1, SIDE]]}, "outputs": {"y": ["float32", [1, SIDE]]},
        "initializers": {f"w{i}": ["float32", [SIDE, SIDE], zeros, "weights.bin"] for i in range(TENSORS)},
        "nodes": [["MatMul", [values[i], f"w{i}"], [values[i + 1]]] for i in range(TENSORS)]}, path.parent))
    random.seed(3)
    rows = struct.pack(f"<{1 << 16}f", *(random.gauss(0, 1) for _ in range(1 << 16)))
    data = path.with_name("weights.bin")
    data.write_bytes(rows * (data.stat().st_size // len(rows)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    if options.every != 1:
        print("SKIPPED: the sanitizers keep freed memory")
        return 77
    program = options.bin.resolve() / "opledger-convert"
    bad = False
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        model, low, back = (folder / name for name in ("model/model.onnx", "low/m.onnx", "back/model.onnx"))
        sidecar = low.with_name("m.sidecar")
        for each in (model, low, back):
            each.parent.mkdir()
        write_model(model)
        plain = None
        for what, command in (("convert", [model, "-o", low]),
                              ("convert --sidecar", [model, "-o", low, "--sidecar", sidecar]),
                              ("revert", ["--revert", low, "-o", back, "--sidecar", sidecar])):
            taken, status, said = peak_memory([program, *command], folder)
            plain = taken if plain is None else plain
            print(f"{what}: {taken / 1e6:.0f} MB")
            if status != 0:
                print(said)
            bad = bad or status != 0 or taken > plain + MORE
        for name in ("model.onnx", "weights.bin"):
            if (model.parent / name).read_bytes() != (back.parent / name).read_bytes():
                print(f"{name} is not restored")
                bad = True
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
