#!/usr/bin/env python3
"""Converts every ONNX model of the test data.
onnx's checker and ONNX Runtime accept the result if they accept the original, with the same inputs
and outputs; a second conversion changes nothing; with every node excluded, the bytes stay the same.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from model_data import ONNX as DATA, require, onnx_models
from model_verdicts import accepted, check_model, is_refused, load_model, verdicts
import peers

try:
    import onnx
    import onnxruntime
except ImportError:
    onnx = onnxruntime = None


def opset_of(path):
    return next((each.version for each in onnx.load(path, load_external_data=False).opset_import
                 if each.domain in ("", "ai.onnx")), None)


def loads_at(path, opset):
    """Returns whether ONNX Runtime loads the model if only its opset number changes."""
    model = onnx.load(path)
    for each in model.opset_import:
        if each.domain in ("", "ai.onnx"):
            each.version = opset
    return accepted(lambda data: onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"]),
                    model.SerializeToString())


def is_sorted(path):
    """Returns whether each node follows the producers of its inputs. If not, any conversion sorts
    the nodes."""
    graph = onnx.load(path, load_external_data=False).graph
    later = {name for node in graph.node for name in node.output if name}
    for node in graph.node:
        if later & set(node.input):
            return False
        later -= set(node.output)
    return True


def takes(op, opset, dtype):
    schema = onnx.defs.get_schema(op, opset or 1)
    return any(f"tensor({dtype})" in each.allowed_type_strs for each in schema.type_constraints)


def has_target(path, dtype):
    """Returns whether a MatMul, Gemm or Conv of the graph, which each list runs in 16 bits, has two
    float32 inputs by onnx's inference and accepts the type in the model's opset."""
    model = onnx.load(path, load_external_data=False)
    try:
        model = onnx.shape_inference.infer_shapes(model)
    except Exception:  # pylint: disable=broad-except  # an invalid model
        return False
    shipped = json.loads((ROOT / f"registry/lists/onnx/{dtype}.json").read_text(encoding="utf-8"))
    lowered = {each if isinstance(each, str) else each["op"] for each in shipped["target"]} & {"MatMul", "Gemm", "Conv"}
    kinds = {each.name: each.data_type for each in model.graph.initializer}
    kinds |= {each.name: each.type.tensor_type.elem_type
              for each in [*model.graph.input, *model.graph.output, *model.graph.value_info]}
    opset = opset_of(path)
    return any(node.op_type in lowered and node.domain in ("", "ai.onnx") and takes(node.op_type, opset, dtype)
               and all(kinds.get(name) == onnx.TensorProto.FLOAT for name in node.input[:2]) for node in model.graph.node)


def borders(path):
    """Returns the inputs and outputs. Before IR version 4, initializers are listed as inputs, too;
    they are left out."""
    model = onnx.load(path, load_external_data=False)
    graph = model.graph
    constants = {each.name for each in graph.initializer} if model.ir_version < 4 else set()
    inputs = [each for each in graph.input if each.name not in constants]
    return [(each.name, each.type.SerializeToString()) for each in [*inputs, *graph.output]]


class Conversions:
    def __init__(self, program, folder, dtype):
        self.program, self.folder, self.dtype = program, folder, dtype
        self.counts = collections.Counter()
        self.problems = []

    def convert(self, model, name, *arguments):
        """Returns (path of the result, None) or (None, message)."""
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
        out, said = self.convert(path, "once.onnx")
        if out is None:
            self.expect(is_refused(path) and path.name in said, name, "is refused:", said)
            return
        checked, loaded = verdicts()[path]
        if self.dtype == "float16" and loaded and not accepted(load_model, out) and not loads_at(path, opset_of(out)):
            out, said = self.convert(path, "once.onnx", "--opset", "keep")  # it refuses the model at that opset
        if self.dtype == "float16":
            kept, _ = self.convert(path, "kept.onnx", "--exclude", ".*")
            self.expect(kept and (kept.read_bytes() == path.read_bytes() or not is_sorted(path)), name,
                        "changes, all excluded")
        target = has_target(path, self.dtype)
        self.counts["with a target"] += target
        if out.read_bytes() == path.read_bytes():
            self.expect(not target, name, "has a node with policy target but does not change")
            return
        self.counts["changed"] += 1
        self.expect(borders(path) == borders(out), name, "has other inputs or outputs")
        self.expect(not checked or accepted(check_model, out), name, "is not valid for onnx's checker")
        if self.dtype == "float16":
            self.expect(not loaded or accepted(load_model, out), name, "does not load in ONNX Runtime")
        opset = ["--opset", "keep"] if opset_of(out) == opset_of(path) else []
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
    for dtype in ("float16", "bfloat16"):
        with tempfile.TemporaryDirectory(prefix="opledger-convert-") as folder:
            program = options.bin.resolve() / "opledger-convert"
            conversions = Conversions(program, pathlib.Path(folder), dtype)
            for path in onnx_models()[::options.every]:
                conversions.check(path)
            counts = conversions.counts
            conversions.expect(counts["with a target"] and counts["changed"] >= counts["with a target"], dict(counts))
            problems += conversions.problems
    print("\n".join(problems[:50]), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
