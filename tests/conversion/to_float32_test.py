#!/usr/bin/env python3
"""Tests `opledger revert` without a sidecar, and `--target-dtype float32`.
`opledger revert` restores the original's graph with rounded weights, or reports that it cannot; and
`--target-dtype float32` leaves no 16-bit values and a valid model.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from model_data import ONNX as DATA, require, onnx_models
import peers


try:
    import numpy
    import onnx
    import onnx.numpy_helper
except ImportError:
    onnx = None

LOW = (10, 16)  # FLOAT16, BFLOAT16


def plain(numbers):
    """Returns a tensor rounded to float16 and widened again."""
    if numbers.dtype != numpy.float32:
        return numbers.dtype, numbers.shape, numbers.tobytes()
    with numpy.errstate(over="ignore"):
        low = numbers.astype(numpy.float16).astype(numpy.float32)
    return numbers.dtype, numbers.shape, low.tobytes()


def attribute_of(attribute, folder):
    if attribute.HasField("t"):
        return attribute.name, plain(onnx.numpy_helper.to_array(attribute.t, folder))
    if attribute.name in ("value_float", "value_floats"):
        numbers = attribute.floats if attribute.name.endswith("s") else attribute.f
        return "value", plain(numpy.array(numbers, numpy.float32))
    if attribute.HasField("g"):
        return attribute.name, graph_of(attribute.g, folder)
    return attribute.name, attribute.SerializeToString()


def node_of(node, folder):
    return (node.op_type, node.domain, node.name, list(node.input), list(node.output),
            sorted((attribute_of(each, folder) for each in node.attribute), key=lambda a: a[0]))


def graph_of(graph, folder):
    return {"nodes": [node_of(each, folder) for each in graph.node],
            "borders": [each.SerializeToString() for each in [*graph.input, *graph.output]],
            "values": [each.SerializeToString() for each in graph.value_info],
            "tensors": [(each.name, plain(onnx.numpy_helper.to_array(each, folder)))
                        for each in graph.initializer]}


def model_of(path):
    model = onnx.load(path, load_external_data=False)
    folder = str(path.parent)
    functions = [[node_of(each, folder) for each in function.node] for function in model.functions]
    return {**graph_of(model.graph, folder), "functions": functions}


def low_types(path):
    """Returns the values still in 16 bits, except inputs and outputs."""
    graph = onnx.load(path, load_external_data=False).graph
    found = [each.name for each in graph.initializer if each.data_type in LOW]
    return found + [each.name for each in graph.value_info
                    if each.type.tensor_type.elem_type in LOW]


class Widenings:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.reverted, self.refused, self.problems = 0, 0, []

    def run(self, *arguments):
        return subprocess.run([self.program, *arguments], capture_output=True, text=True,
                              check=False)

    def check(self, path, dtype):
        name = path.relative_to(DATA)
        low, back, wide = (self.folder / each for each in ("low.onnx", "back.onnx", "wide.onnx"))
        # Without a sidecar a raised opset stays, which opset_test.py tests.
        done = self.run(path, "-o", low, "--target-dtype", dtype, "--unlisted", "ignore", "--opset", "keep")
        if done.returncode or low.read_bytes() == path.read_bytes():
            return
        told = done.stderr
        back.unlink(missing_ok=True)
        done = self.run("--revert", low, "-o", back)
        if done.returncode:
            self.refused += 1
            if "may be the original's own" not in done.stderr or back.exists():
                self.problems.append(f"{name}: {done.stderr}")
            return
        self.reverted += 1
        if dtype == "float16":
            before, after = model_of(path), model_of(back)
            for part in before:
                # Nodes that precede the producers of their inputs are sorted.
                same = before[part] == after[part] or ("the nodes are sorted" in told and sorted(
                    before[part], key=repr) == sorted(after[part], key=repr))
                if not same:
                    self.problems.append(f"{name}: other {part}")
        done = self.run(low, "-o", wide, "--target-dtype", "float32")
        if done.returncode or low_types(wide):
            self.problems.append(f"{name}: {done.stderr} {low_types(wide)}")

    def check_low_io(self, path):
        """A model with 16-bit inputs and outputs: kept by default, float32 on request."""
        low, wide, all_wide = (self.folder / f"io{i}.onnx" for i in range(3))
        self.run(path, "-o", low, "--io-types", "low", "--unlisted", "ignore")
        for out, io in ((wide, "keep"), (all_wide, "low")):
            done = self.run(low, "-o", out, "--target-dtype", "float32", "--io-types", io)
            if done.returncode:
                self.problems.append(f"{path}: {done.stderr}")
                return
            onnx.checker.check_model(str(out), full_check=True)
        types = [[each.type.tensor_type.elem_type for each in onnx.load(each_path).graph.output]
                 for each_path in (low, wide, all_wide)]
        if types != [[10], [10], [1]]:
            self.problems.append(f"{path}: outputs are {types}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--every", type=int, default=1, help="only every Nth model")
    options = parser.parse_args()
    if onnx is None:
        peers.require(options.bin, "onnx")
    require(DATA)
    with tempfile.TemporaryDirectory(prefix="opledger-float32-") as name:
        widenings = Widenings(options.bin.resolve() / "opledger-convert", pathlib.Path(name))
        models = onnx_models()
        nodes = [each for each in models if "node" in each.relative_to(DATA).parts]
        models = [each for each in models if each not in set(nodes)][::2] + nodes[::24]
        for path in models[::options.every]:
            widenings.check(path, "float16")
        widenings.check(DATA / "gen/bert_tiny/model.onnx", "bfloat16")
        widenings.check_low_io(ROOT / "tests/demo/model.onnx")
        if widenings.reverted < 0.1 * len(models[::options.every]):
            widenings.problems.append(f"only {widenings.reverted} models were reverted")
    if os.environ.get("OPLEDGER_VERBOSE"):
        print(widenings.reverted, "reverted,", widenings.refused, "refused")
    print("\n".join(widenings.problems[:40]), end="\n" if widenings.problems else "")
    return 1 if widenings.problems else 0


if __name__ == "__main__":
    sys.exit(main())
