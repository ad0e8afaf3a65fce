#!/usr/bin/env python3
"""Measures the overhead of the Python package: `convert` by path compared with the bare program
(bar: 30 ms), and a run of a Session compared with the time that `opledger bench` reports (bar: 0.2
ms with 1 MB of inputs and outputs).

    python_benchmark.py --bin build/bin [MODEL.onnx...]     in a Python that has numpy; measures wall time, so on an idle machine
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests")]
import numpy  # noqa: E402
from make_onnx import model_bytes  # noqa: E402

CONVERT_MS, SESSION_MS = 30, 0.2


def median_ms(call, count):
    taken = []
    for _ in range(count):
        begin = time.perf_counter()
        call()
        taken.append(time.perf_counter() - begin)
    return statistics.median(taken) * 1e3


def convert_overhead(opledger, program, model, output):
    bare = median_ms(lambda: subprocess.run([program, "convert", model, "-o", output], capture_output=True, check=True), 15)
    ours = median_ms(lambda: opledger.convert(model, output), 15)
    print(f"convert {model.name}: program {bare:.1f} ms, package {ours - bare:.1f} ms more")
    return ours - bare <= CONVERT_MS


def session_overhead(opledger, program, count, folder):
    model = folder / f"relu{count}.onnx"
    model.write_bytes(model_bytes({"opset": 17, "inputs": {"x": ["float32", [count]]}, "nodes": [["Relu", ["x"], ["y"]]],
                                   "outputs": {"y": ["float32", [count]]}}))
    done = subprocess.run([program, "bench", model, "--threads=1", "--runs=200", "--format=json"], capture_output=True,
                          check=True)
    bench = next(each["elapsed_seconds"] for each in json.loads(done.stdout)["models"][0]["timings"]
                 if each["what"] == "float32") * 1e3
    x = numpy.random.default_rng(1).standard_normal(count).astype("float32")
    with opledger.Session(model, threads=1) as session:
        median_ms(lambda: session.run({"x": x}), 50)
        ours = median_ms(lambda: session.run({"x": x}), 500)
    print(f"session, {count * 8} bytes of inputs and outputs: bench {bench:.3f} ms, session {ours - bench:.3f} ms more")
    return ours - bench <= SESSION_MS


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("models", nargs="*", type=pathlib.Path, default=[ROOT / "tests/demo/model.onnx"])
    options = parser.parse_args()
    os.environ["OPLEDGER_PROGRAMS"] = str(options.bin.resolve())
    import opledger
    program = options.bin.resolve() / "opledger"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        met = [convert_overhead(opledger, program, model, folder / "out.onnx") for model in options.models]
        met += [session_overhead(opledger, program, count, folder) for count in (16, 16384, 131072)]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
