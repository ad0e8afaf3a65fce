#!/usr/bin/env python3
"""The bytes of casts in a report match the shapes that onnx's own inference finds.
Tests the trap models' networks and those of the test data, without the shapes that files declare
for inner values; with --input-shape for open dimensions, and per dimension without it; and on
ONNX's node tests, whose integers are turned into constants.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import collections
import json
import math
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from model_data import ONNX as DATA
import peers


try:
    import onnx
except ImportError:
    onnx = None


def models():
    import trap_networks
    yield "resnet", trap_networks.resnet()
    yield "bert", trap_networks.bert(2)
    for path in sorted([*DATA.glob("gen/*/model.onnx"), *DATA.glob("pytorch-converted/*/model.onnx")]):
        yield f"{path.parent.name}", onnx.load(path)


def elements(model):
    known = {}
    inferred = onnx.shape_inference.infer_shapes(model, data_prop=True).graph
    for each in [*inferred.input, *inferred.value_info, *inferred.output]:
        shape = each.type.tensor_type.shape
        if each.type.tensor_type.HasField("shape") and all(dim.HasField("dim_value")
                                                           for dim in shape.dim):
            known[each.name] = math.prod(dim.dim_value for dim in shape.dim)
    return known


NUMBERS = {"batch": 3, "sequence": 14}  # sizes of open dimensions; otherwise 5


def is_open(model):
    known = {each.name for each in model.graph.initializer}
    return {each.name: [dim.dim_param or dim.dim_value or "?" for dim in each.type.tensor_type.shape.dim]
            for each in model.graph.input if each.name not in known and
            any(not dim.HasField("dim_value") for dim in each.type.tensor_type.shape.dim)}


def closed(model):
    """Returns the model with its open dimensions fixed, and the options that fix them."""
    copy, options = onnx.ModelProto(), []
    copy.CopyFrom(model)
    opened = is_open(model)
    for each in copy.graph.input:
        if each.name not in opened:
            continue
        for dim in each.type.tensor_type.shape.dim:
            if not dim.HasField("dim_value"):
                dim.dim_value = NUMBERS.get(dim.dim_param, 5)
        shape = ",".join(str(dim.dim_value) for dim in each.type.tensor_type.shape.dim)
        options += ["--input-shape", f"{each.name}={shape}"]
    for each in copy.graph.output:
        each.type.tensor_type.ClearField("shape")
    return copy, options


def node_models():
    """Yields node tests with at least one float32 input, and their other inputs as constants."""
    for path in sorted(DATA.glob("node/*/model.onnx")):
        model = onnx.load(path)
        floats = [each for each in model.graph.input
                  if each.type.tensor_type.elem_type == onnx.TensorProto.FLOAT]
        if not floats or model.functions or not (path.parent / "test_data_set_0/input_0.pb").exists():
            continue
        for at, each in enumerate(list(model.graph.input)):
            file = path.parent / f"test_data_set_0/input_{at}.pb"
            if each.type.tensor_type.elem_type == onnx.TensorProto.FLOAT and each.name != "scales" or not file.exists():
                continue
            tensor = onnx.TensorProto()
            try:
                tensor.ParseFromString(file.read_bytes())
            except Exception:  # a sequence or an optional
                continue
            tensor.name = each.name
            model.graph.initializer.append(tensor)
            model.graph.input.remove(each)
        if not model.graph.input:
            continue
        for each in model.graph.output:
            each.type.tensor_type.ClearField("shape")
        ops = ",".join(sorted({node.op_type for node in model.graph.node}))
        yield path.parent.name, model, ["--target-ops", ops]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/bin")
    parser.add_argument("--every", type=int, default=1, help="only every Nth model")
    options = parser.parse_args()
    if onnx is None:
        peers.require(options.bin, "onnx")
    problems, counts = [], collections.Counter()
    with tempfile.TemporaryDirectory(prefix="opledger-shapes-") as folder:
        path, report = pathlib.Path(folder) / "model.onnx", pathlib.Path(folder) / "report.json"

        def compare(name, kind, model, exact, words):
            """Each reported size is correct, and so is each size reported per dimension."""
            del model.graph.value_info[:]
            onnx.save(model, path)
            report.unlink(missing_ok=True)
            done = subprocess.run([options.bin.resolve() / "opledger-convert", path, "--dry-run",
                                   "--unlisted", "ignore", "--report", report, *words], check=False,
                                  capture_output=True, text=True)
            if done.returncode:
                counts[f"{kind}: refused"] += 1
                if kind == "networks":
                    problems.append(f"{name}: {done.stderr}")
                return
            for cast in json.loads(report.read_text())["casts"]:
                found, expected = cast.get("bytes"), exact.get(cast["tensor"])
                expected = None if expected is None else 6 * expected
                if found is None and "bytes_per" in cast:
                    found = cast["bytes_per"]["bytes"]
                    for name_of_dimension in cast["bytes_per"]["dimensions"]:
                        found *= NUMBERS.get(name_of_dimension, 5)
                    counts[f"{kind}: per dimension"] += 1
                counts[f"{kind}: reported"] += found is not None
                counts[f"{kind}: not reported"] += found is None and expected is not None
                counts[f"{kind}: only here"] += found is not None and expected is None
                wrong = found is not None and expected is not None and found != expected
                if wrong or (found is None and expected is not None and kind == "networks"):
                    problems.append(f"{name}: {cast['tensor']} has {found} bytes, not {expected}")

        for at, (name, model) in enumerate(models()):
            whole, given = closed(model)
            chosen = at % options.every == 0
            if chosen:
                compare(name, "networks", model, elements(whole), given)
            if given and (chosen or counts["per dimension: reported"] == 0):  # a sample has at least one
                compare(name, "per dimension", model, elements(whole), [])
        for name, model, words in list(node_models())[::options.every]:
            try:
                exact = elements(model)
            except onnx.shape_inference.InferenceError:
                exact = {}
            compare(name, "node tests", model, exact, words)
    print(", ".join(f"{key} {count}" for key, count in sorted(counts.items())))
    compared = counts["networks: reported"] and counts["node tests: reported"] and counts["per dimension: reported"]
    print("\n".join(problems[:30]), end="\n" if problems else "")
    return 1 if problems or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
