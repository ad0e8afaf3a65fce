#!/usr/bin/env python3
"""Every ONNX model of the test data, converted: to a model that onnx's checker and ONNX Runtime take
where they take the original, with the same inputs and outputs; converted twice as once; with every
node excluded, the same bytes.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import collections
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from model_data import ONNX as DATA, count, require, onnx_models
import peers

# Models that are no whole models: why they are refused, where their weights would be cast.
REFUSED = {
    "edge/polygraphy_capability.onnx": "is tensor(float32), input 0 (A) is tensor(float64)",
    **{f"edge/polygraphy_weightless.{name}.onnx": "does not hold the" for name in
       ("conv", "qdq_conv", "sparse.conv", "sparse.matmul", "transpose_matmul")},
    "edge/two_types.onnx": "is tensor(float32), input 0 (A) is tensor(float64)",
    **{f"edge/weightless.{name}.onnx": "does not hold the" for name in ("conv", "matmul")},
}
# Nodes before what they read: put in order, whatever is converted.
# One Concat has inputs of 200 and 201: ONNX Runtime says so when it runs the model, and of newer opsets when it loads it.
OPSET = {"edge/onnxconverter_test_model_0_no_opt.onnx": "keep"}
UNSORTED = {"onnxconverter_test_model_0_no_opt.onnx", "polygraphy_unsorted.onnx"}
CHANGED = {"float16": count(150, 140), "bfloat16": count(147, 147)}  # the rest has nothing that a list lowers

try:
    import onnx
    import onnxruntime
except ImportError:
    onnx = onnxruntime = None


def accepted(check, path):
    try:
        check(path)
        return True
    except Exception:  # each peer has its own
        return False


def check_model(path):
    onnx.checker.check_model(str(path))


def load_model(path):
    onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])


def borders(path):
    graph = onnx.load(path, load_external_data=False).graph
    return [(each.name, each.type.SerializeToString()) for each in [*graph.input, *graph.output]]


class Conversions:
    def __init__(self, program, folder, dtype):
        self.program, self.folder, self.dtype = program, folder, dtype
        self.counts = collections.Counter()
        self.problems = []

    def convert(self, model, name, *arguments):
        """(the result's path, None) or (None, what was said)."""
        out = self.folder / name
        done = subprocess.run([self.program, model, "-o", out, "--target-dtype", self.dtype,
                               "--unlisted", "ignore", *arguments], capture_output=True, text=True,
                              check=False)
        return (out, None) if done.returncode == 0 else (None, done.stderr)

    def expect(self, condition, *what):
        if not condition:
            self.problems.append(" ".join(map(str, (self.dtype, *what))))

    def check(self, path):
        name = str(path.relative_to(DATA))
        opset = ["--opset", OPSET.get(name, "auto")]
        out, said = self.convert(path, "once.onnx", *opset)
        if out is None:
            self.expect(name in REFUSED and REFUSED[name] in said, name, "is refused:", said)
            return
        self.expect(name not in REFUSED or self.dtype != "float16", name, "is not refused")
        if self.dtype == "float16":
            kept, _ = self.convert(path, "kept.onnx", "--exclude", ".*")
            self.expect(kept and (kept.read_bytes() == path.read_bytes() or path.name in UNSORTED), name,
                        "changes, all excluded")
        if out.read_bytes() == path.read_bytes():
            return
        self.counts["changed"] += 1
        self.expect(borders(path) == borders(out), name, "has other inputs or outputs")
        self.expect(not accepted(check_model, path) or accepted(check_model, out), name,
                    "is no valid model for onnx")
        if self.dtype == "float16":
            self.expect(not accepted(load_model, path) or accepted(load_model, out), name,
                        "does not load in ONNX Runtime")
        twice, said = self.convert(out, "twice.onnx", *opset)
        self.expect(twice and twice.read_bytes() == out.read_bytes(), name, "changes again:", said)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--every", type=int, default=1, help="only every Nth model")
    options = parser.parse_args()
    if onnx is None:
        peers.require(options.bin, "onnx", "onnxruntime")
    require(DATA)
    onnxruntime.set_default_logger_severity(4)
    problems = []
    for dtype, changed in CHANGED.items():
        with tempfile.TemporaryDirectory(prefix="opledger-convert-") as folder:
            program = options.bin.resolve() / "opledger-convert"
            conversions = Conversions(program, pathlib.Path(folder), dtype)
            for path in onnx_models()[::options.every]:
                conversions.check(path)
            found = conversions.counts["changed"]
            conversions.expect(found == changed or options.every > 1 and found, found,
                               "models changed, not", changed)
            problems += conversions.problems
    print("\n".join(problems[:50]), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
