#!/usr/bin/env python3
"""Tests --storage-only.
ONNX Runtime computes the same as from the original with weights rounded by numpy, and the file is
about half as large.
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
from model_data import ONNX as DATA, require
import peers

SIZES = {"resnet_tiny": 0.7, "bert_tiny": 0.9, "llama_tiny": 0.9, "bert_fused_ln_external": 0.9}

try:
    import numpy
    import onnx
    import onnx.numpy_helper
    import onnxruntime
except ImportError:
    onnx = None


def rounded(path):
    """Returns the original with every float32 weight rounded to float16 and back. Tensors with
    elements that overflow stay, and those with elements that vanish or keep less than 8 bits,
    unless only contractions and Gather read them."""
    model = onnx.load(path)
    readers = collections.defaultdict(set)
    for node in model.graph.node:
        for value in node.input:
            readers[value].add(node.op_type)
    tensors = list(model.graph.initializer)
    tensors += [attribute.t for node in model.graph.node if node.op_type == "Constant"
                for attribute in node.attribute if attribute.name == "value"]
    names = [each.name for each in model.graph.initializer]
    names += [node.output[0] for node in model.graph.node if node.op_type == "Constant"
              for attribute in node.attribute if attribute.name == "value"]
    for tensor, name in zip(tensors, names):
        numbers = onnx.numpy_helper.to_array(tensor)
        if numbers.dtype != numpy.float32:
            continue
        with numpy.errstate(over="ignore"):
            low = numbers.astype(numpy.float16).astype(numpy.float32)
        if (numpy.isinf(low) & ~numpy.isinf(numbers)).any():
            continue  # the whole tensor stays as it is
        lost = numpy.abs(low - numbers) > numpy.abs(numbers) * 2.0 ** -8
        if lost.any() and not readers[name] <= {"MatMul", "Gemm", "Conv", "Gather"}:
            continue
        tensor.CopyFrom(onnx.numpy_helper.from_array(low, tensor.name))
    return model.SerializeToString()


def run(model, feeds):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return session.run(None, feeds)


def feeds_of(folder):
    graph = onnx.load(folder / "model.onnx", load_external_data=False).graph
    names = [each.name for each in graph.input]
    feeds = {}
    for path in sorted((folder / "test_data_set_0").glob("input_*.pb")):
        tensor = onnx.TensorProto()
        tensor.ParseFromString(path.read_bytes())
        feeds[tensor.name or names[len(feeds)]] = onnx.numpy_helper.to_array(tensor)
    return feeds


def size(folder):
    return sum(each.stat().st_size for each in folder.rglob("*") if "test_data" not in str(each))


def check(program, folder, work):
    out = work / folder.name
    out.mkdir()
    done = subprocess.run([program, folder / "model.onnx", "-o", out / "model.onnx",
                           "--storage-only", "--unlisted", "ignore"], capture_output=True, text=True,
                          check=False)
    if done.returncode:
        return [f"{folder.name}: {done.stderr}"]
    problems = []
    onnx.checker.check_model(str(out / "model.onnx"))
    if size(out) > SIZES[folder.name] * size(folder):
        problems.append(f"{folder.name}: {size(out)} bytes, from {size(folder)}")
    feeds = feeds_of(folder)
    for ours, expected in zip(run(str(out / "model.onnx"), feeds),
                              run(rounded(folder / "model.onnx"), feeds)):
        error = numpy.abs(ours - expected).max() / max(1e-9, numpy.abs(expected).max())
        if not error < 1e-5:
            problems.append(f"{folder.name}: differs by {error}")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--every", type=int, default=1, help="only every Nth model")
    options = parser.parse_args()
    if onnx is None:
        peers.require(options.bin, "onnx", "onnxruntime")
    require(DATA)
    problems = []
    with tempfile.TemporaryDirectory(prefix="opledger-storage-") as name:
        for model in list(SIZES)[::options.every]:
            problems += check(options.bin.resolve() / "opledger-convert", DATA / "gen" / model,
                              pathlib.Path(name))
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
