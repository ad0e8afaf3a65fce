#!/usr/bin/env python3
"""Converts models to float16 with opledger, onnxconverter-common and ONNX Runtime's converter and
prints CPU time, casts, and errors of the outputs relative to their largest element: in ONNX Runtime
against the float32 model there, and by `opledger compare`.

    float16_peers_benchmark.py --bin build/bin MODEL.onnx:NAME=D,D[:NAME=D,D...] ...     a Python that has all of them
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import os
import pathlib
import resource
import sys
import tempfile
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
import numpy  # noqa: E402
import onnx  # noqa: E402
import onnxruntime  # noqa: E402
from onnxconverter_common import float16 as common  # noqa: E402
from onnxruntime.transformers import float16 as transformers  # noqa: E402


def cpu_seconds():
    return sum(each.ru_utime + each.ru_stime for each in map(resource.getrusage, (resource.RUSAGE_SELF,
                                                                                  resource.RUSAGE_CHILDREN)))


def outputs(path, inputs):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"]).run(None, inputs)


def random_inputs(path, shapes):
    random = numpy.random.default_rng(1)
    kinds = {each.name: each.type for each in onnxruntime.InferenceSession(path).get_inputs()}
    return {name: random.standard_normal(shape).astype("float32") if kinds[name] == "tensor(float)" else
            numpy.full(shape, 16000, kinds[name][7:-1]) for name, shape in shapes.items()}


def casts(model):
    return sum(node.op_type == "Cast" for node in model.graph.node)


def measure(opledger, path, shapes, folder):
    inputs = random_inputs(path, shapes)
    exact = outputs(path, inputs)
    for name, convert in (("opledger", lambda: opledger.convert(path).model),
                          ("onnxconverter-common",
                           lambda: common.convert_float_to_float16(onnx.load(path), keep_io_types=True)),
                          ("ONNX Runtime",
                           lambda: transformers.convert_float_to_float16(onnx.load(path), keep_io_types=True))):
        begin = cpu_seconds()
        model = convert()
        seconds = cpu_seconds() - begin
        low = folder / "low.onnx"
        onnx.save(model, str(low))
        said = f"{pathlib.Path(path).name}  {name}  {seconds:.2f} s  {casts(model) - casts(onnx.load(path)):+} casts"
        try:
            error = max(float(abs(a.astype("float64") - b).max() / abs(b).max())
                        for a, b in zip(outputs(str(low), inputs), exact))
            said += f"  in ONNX Runtime {error:.2g}"
        except Exception as refusal:  # it raises many types
            said += f"  ONNX Runtime refuses it: {str(refusal)[:100]}"
        try:
            said += f"  against float64 {max(each.error.relative for each in opledger.compare(path, low, inputs).outputs):.2g}"
        except opledger.OpledgerError as refusal:
            said += f"  opledger refuses it: {str(refusal)[:100]}"
        print(said)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("models", nargs="+")
    options = parser.parse_args()
    os.environ["OPLEDGER_PROGRAMS"] = str(options.bin.resolve())
    warnings.simplefilter("ignore")
    import opledger
    with tempfile.TemporaryDirectory() as folder:
        for each in options.models:
            path, *shapes = each.split(":")
            measure(opledger, path, {name: tuple(map(int, filter(None, shape.split(",")))) for name, _, shape in
                                     (shape.partition("=") for shape in shapes)}, pathlib.Path(folder))


if __name__ == "__main__":
    sys.exit(main())
