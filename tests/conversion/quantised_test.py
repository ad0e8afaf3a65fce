#!/usr/bin/env python3
"""Converts models from ONNX Runtime's quantizer.
Floats between quantized values are not converted; with --quantized-islands convert, statically
quantized nodes run around float16 without casts, dynamically quantized ones are not converted and
are reported, and DequantizeLinear of int4 weights returns 16 bits. ONNX Runtime loads each result,
and its outputs deviate by less than the quantization error.

    tests/conversion/quantised_test.py --bin build/bin
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import logging
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from model_data import ONNX as DATA, require
import peers

try:
    import numpy
    import onnx
    import onnx.helper
    import onnx.numpy_helper
    import onnxruntime
    from onnxruntime import quantization
except ImportError:
    onnx = None

MODELS = ("resnet_tiny", "resnet18_small", "bert_tiny", "llama_tiny")
WAYS = ("per tensor", "per channel", "dynamic")


def feeds_of(model, seed):
    drawn, feeds = numpy.random.default_rng(seed), {}
    for each in model.graph.input:
        shape = [dim.dim_value or 2 for dim in each.type.tensor_type.shape.dim]
        dtype = onnx.helper.tensor_dtype_to_np_dtype(each.type.tensor_type.elem_type)
        numbers = drawn.standard_normal(shape) if dtype.kind == "f" else drawn.integers(0, 2, shape)
        feeds[each.name] = numbers.astype(dtype)
    return feeds


def run(path, feeds, optimised=False):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    if not optimised:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return [each.astype(numpy.float64) for each in session.run(None, feeds)]


def difference(some, others):
    """Returns the largest difference, relative to the largest element."""
    return max(numpy.abs(a - b).max() / max(numpy.abs(a).max(), 1e-9) for a, b in zip(some, others))


def quantise(source, model, way, out):
    if way == "dynamic":
        quantization.quantize_dynamic(source, out)
        return
    samples = iter([feeds_of(model, seed) for seed in range(4)])

    class Samples(quantization.CalibrationDataReader):
        def get_next(self):
            return next(samples, None)

    quantization.quantize_static(source, out, Samples(), per_channel=way == "per channel",
                                 quant_format=quantization.QuantFormat.QDQ,
                                 weight_type=quantization.QuantType.QInt8)


def convert(program, source, out, *options):
    done = subprocess.run([program, source, "-o", out, "--report", f"{out}.json", *options],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout, json.loads(pathlib.Path(f"{out}.json").read_text(encoding="utf-8"))


def integers_of(path):
    kinds = (onnx.TensorProto.INT8, onnx.TensorProto.UINT8, onnx.TensorProto.INT32)
    return {each.name: each.SerializeToString() for each in onnx.load(path).graph.initializer
            if each.data_type in kinds}


def check_islands(program, quantised, folder):
    """Byte products stay in float32, and their reason names the entry of the list."""
    _, report = convert(program, quantised, folder / "islands.onnx")
    graph = onnx.load(quantised).graph
    dequantised = {each.output[0] for each in graph.node if each.op_type == "DequantizeLinear"}
    products = {each.name for each in graph.node if each.op_type in ("Conv", "Gemm", "MatMul")
                and dequantised.issuperset(each.input[:2])}
    kept = [each for each in report["nodes"] if each["name"] in products]
    assert kept, "there is no product of bytes"
    for node in kept:
        assert node["precision"] == "float32" and node["rule"]["kind"] == "quantized-island", node
        assert "float16.json" in node["rule"]["reason"], node["rule"]


def check_model(program, name, way, folder):
    """Checks one model; returns a line of the table."""
    source, quantised = DATA / "gen" / name / "model.onnx", folder / "quantised.onnx"
    model = onnx.load(source)
    quantise(source, model, way, quantised)
    out, sidecar = folder / "mixed.onnx", folder / "sidecar"
    if way != "dynamic":
        check_islands(program, quantised, folder)
    said, report = convert(program, quantised, out, "--sidecar", sidecar, "--quantized-islands", "convert")
    onnx.checker.check_model(onnx.load(out), full_check=True)
    feeds = feeds_of(model, 9)
    exact, before = run(source, feeds), run(quantised, feeds)
    for optimised in (False, True):
        off = difference(before, run(out, feeds, optimised))
        limit = difference(exact, before)
        assert off <= limit, f"off by {off:.3g}, the quantisation by {limit:.3g}"
    assert integers_of(quantised).items() <= integers_of(out).items(), "an integer tensor has changed"
    again = folder / "again.onnx"
    subprocess.run([program.parent / "opledger", "revert", out, "-o", again, "--sidecar", sidecar],
                   check=True, capture_output=True)
    assert again.read_bytes() == quantised.read_bytes(), "revert does not give the original"
    nodes = report["nodes"]
    around = [each["tensor"] for each in report["casts"] if each["producer"] is not None and
              nodes[each["producer"]]["operator"] == "DequantizeLinear" and
              nodes[each["producer"]]["rule"]["kind"] != "scale"]
    if way == "dynamic":
        used = any(node["operator"] == "DynamicQuantizeLinear" for node in nodes)
        assert used and "quantized at run time" in said, said
    else:
        assert not around, f"casts of what DequantizeLinear gives: {around[:3]}"
    return f"{name:16}{way:12}{off:9.2g}{limit:9.2g}  {said.splitlines()[0].split(': ')[-1]}"


def tensor(name, numbers):
    return onnx.numpy_helper.from_array(numpy.asarray(numbers), name)


def write(path, nodes, initializers, opset=21):
    ends = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [2, size])
            for name, size in (("x", 64), ("y", 32))]
    graph = onnx.helper.make_graph(nodes, "g", ends[:1], ends[1:], initializers)
    model = onnx.helper.make_model(graph, ir_version=10,
                                   opset_imports=[onnx.helper.make_opsetid("", opset)])
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, path)


def check_int4(program, folder):
    drawn, path, out = numpy.random.default_rng(1), folder / "int4.onnx", folder / "mixed.onnx"
    weight = onnx.helper.make_tensor("q", onnx.TensorProto.INT4, [64, 32],
                                     drawn.integers(-8, 8, 64 * 32).tolist())
    write(path, [onnx.helper.make_node("DequantizeLinear", ["q", "s"], ["w"], axis=0, block_size=32),
                 onnx.helper.make_node("MatMul", ["x", "w"], ["y"])],
          [weight, tensor("s", drawn.random((2, 32), numpy.float32) / 50 + 0.01)])
    _, report = convert(program, path, out)
    assert [each["tensor"] for each in report["casts"]] == ["x", "y"], report["casts"]
    feeds = {"x": drawn.standard_normal((2, 64)).astype(numpy.float32)}
    assert difference(run(path, feeds), run(out, feeds)) < 2e-3


def check_small_scale(program, folder):
    """An integer bias whose scale loses bits in float16 stays in float32, but not in bfloat16; so
    does one whose scale is computed."""
    path, out = folder / "bias.onnx", folder / "mixed.onnx"
    for scale, low in ((3e-6, ["bfloat16"]), (3e-3, ["float16", "bfloat16"]), (None, ["bfloat16"])):
        nodes = [onnx.helper.make_node("DequantizeLinear", ["q", "s"], ["b"]),
                 onnx.helper.make_node("Gemm", ["x", "w", "b"], ["y"])]
        known = [tensor("q", numpy.full(32, 1000, numpy.int32)),
                 tensor("w", numpy.ones((64, 32), numpy.float32))]
        if scale is None:
            nodes[:0] = [onnx.helper.make_node("ReduceMax", ["x"], ["s"], keepdims=0)]
        else:
            known.append(tensor("s", numpy.float32(scale)))
        write(path, nodes, known, 22)
        for dtype in ("float16", "bfloat16"):
            _, report = convert(program, path, out, "--target-dtype", dtype)
            (node,) = [n for n in report["nodes"] if n["operator"] == "DequantizeLinear"]
            assert (node["precision"] == dtype) == (dtype in low), (scale, dtype, node)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--every", type=int, default=1, help="only every Nth model")
    options = parser.parse_args()
    if onnx is None:
        peers.require(options.bin, "onnx", "onnxruntime")
    require(DATA)
    logging.disable(logging.CRITICAL)
    onnxruntime.set_default_logger_severity(4)
    program, problems = options.bin.resolve() / "opledger-convert", []
    with tempfile.TemporaryDirectory(prefix="opledger-quantised-") as folder:
        folder = pathlib.Path(folder)
        cases = [(name, way) for name in MODELS for way in WAYS][::options.every]
        print(f"{'model':16}{'quantised':12}{'off':>9}{'before':>9}  in float16")
        for name, way in cases:
            try:
                print(check_model(program, name, way, folder), flush=True)
            except AssertionError as error:
                problems.append(f"{name}, {way}: {error}")
        for check in (check_int4, check_small_scale):
            try:
                check(program, folder)
            except AssertionError as error:
                problems.append(f"{check.__name__}: {error}")
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
