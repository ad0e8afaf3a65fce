#!/usr/bin/env python3
"""Chains of element-wise nodes between DequantizeLinear and QuantizeLinear: the fast kernels, which compute them as tables
and join them, give the bits of the reference kernels, and at most one unit of quantization more or less than ONNX Runtime.

Random graphs: inputs of bytes and of float32, scales and zero points of int8 and uint8, some not constant, constants of
one element and of a row, values with several readers, products of integers before the chain, sizes with and without a
table. Exit status: 0 all agree, 1 not, 77 the Python packages onnx or onnxruntime are missing.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import pathlib
import random
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/conversion")]
import peers  # noqa: E402
from make_onnx import model_bytes  # noqa: E402
from model_run import run_model  # noqa: E402

UNARY = ["Erf", "Relu", "Sigmoid", "Tanh", "Exp", "Neg", "Sqrt", "HardSwish", "Abs", "Floor"]
PAIRS = ["Add", "Mul", "Sub", "Div", "Max", "Min"]
SPECIAL = [float("inf"), float("-inf"), float("nan"), 0.0, -0.0, 1e-40, 3e38]


class Graph:
    def __init__(self, pick):
        self.pick, self.nodes, self.initializers, self.count = pick, [], {}, 0
        rows = pick.choice([1, 3, 17, 40])
        self.width = pick.choice([1, 7, 16, 64, 129, 2100])
        self.shape = [rows, self.width]
        self.inputs, self.floats, self.has_product = {}, [], False

    def name(self, prefix):
        self.count += 1
        return f"{prefix}{self.count}"

    def constant(self, dtype, shape, values):
        name = self.name("c")
        self.initializers[name] = [dtype, shape, values]
        return name

    def node(self, op, inputs, attributes=None):
        name = self.name("v")
        self.nodes.append([op, inputs, [name], *([attributes] if attributes else [])])
        return name

    def scale(self, dtype):
        """Names of a scale and a zero point; now and then the model's inputs."""
        low, high = (-128, 127) if dtype == "int8" else (0, 255)
        scale = self.pick.choice([0.01, 0.03125, 0.1, 1.5, 1e-3])
        zero = self.pick.choice([0, 0, low, high, (low + high) // 2])
        if self.pick.random() < 0.08:
            name = self.name("in")
            self.inputs[name] = ["float32", [], [scale]]
            return name, self.constant(dtype, [], [zero])
        return self.constant("float32", [], [scale]), self.constant(dtype, [], [zero])

    def quantize(self, value):
        dtype = self.pick.choice(["int8", "uint8"])
        scale = self.scale(dtype)
        quantized = self.node("QuantizeLinear", [value, *scale])
        # The scale of the way back may be another one.
        back = scale if self.pick.random() < 0.7 else self.scale(dtype)
        self.bytes.append(quantized)
        return self.node("DequantizeLinear", [quantized, *back])

    def begin(self):
        kind = self.pick.choice(["bytes", "bytes", "float", "product"])
        name = self.name("in")
        if kind == "float":
            values = [self.pick.gauss(0, 3) for _ in range(self.shape[0] * self.width)]
            for _ in range(min(4, len(values))):
                values[self.pick.randrange(len(values))] = self.pick.choice(SPECIAL)
            self.inputs[name] = ["float32", self.shape, values]
            return self.quantize(name)
        dtype = self.pick.choice(["int8", "uint8"])
        low, high = (-128, 127) if dtype == "int8" else (0, 255)
        width = 5 if kind == "product" else self.width
        self.inputs[name] = [dtype, [self.shape[0], width],
                             [self.pick.randint(low, high) for _ in range(self.shape[0] * width)]]
        scale = self.scale(dtype)
        value = self.node("DequantizeLinear", [name, *scale])
        if kind == "bytes":
            return value
        self.has_product = True
        weights = self.constant("int8", [5, self.width], [self.pick.randint(-127, 127) for _ in range(5 * self.width)])
        scale = self.constant("float32", [], [0.02]), self.constant("int8", [], [0])
        wide = self.node("DequantizeLinear", [weights, *scale])
        return self.quantize(self.node("MatMul", [value, wide]))

    def operand(self):
        kind = self.pick.random()
        if kind < 0.4:
            return self.constant("float32", self.pick.choice([[], [1]]), [self.pick.choice([0.5, 1.0, 2.0, -1.5, 0.0])])
        if kind < 0.6:
            return self.constant("float32", [self.width], [self.pick.gauss(0, 1) for _ in range(self.width)])
        return self.pick.choice(self.floats)

    def build(self):
        self.bytes = []
        self.floats = [self.begin() for _ in range(self.pick.choice([1, 1, 2]))]
        for _ in range(self.pick.randint(1, 12)):
            value = self.pick.choice(self.floats[-2:])
            kind = self.pick.random()
            if kind < 0.35:
                value = self.node(self.pick.choice(UNARY), [value])
            elif kind < 0.7:
                inputs = [value, self.operand()]
                if self.pick.random() < 0.3:
                    inputs.reverse()
                value = self.node(self.pick.choice(PAIRS), inputs)
            else:
                value = self.quantize(value)
            self.floats.append(value)
        if self.pick.random() < 0.8:
            self.floats.append(self.quantize(self.floats[-1]))
        outputs = {}
        for name in {*self.bytes[-1:], *(self.floats[-1:] if self.pick.random() < 0.5 or not self.bytes else [])}:
            outputs[name] = None
        if not outputs:
            outputs[self.floats[-1]] = None
        return outputs


def arrays(graph, numpy):
    return {name: numpy.array(values, dtype).reshape(shape) for name, (dtype, shape, values) in graph.inputs.items()}


def make(seed):
    """A graph, and the model's bytes."""
    graph = Graph(random.Random(seed))
    outputs = graph.build()
    producers = {node[2][0]: node for node in graph.nodes}
    types = {}
    for name in outputs:
        if producers[name][0] == "QuantizeLinear":
            types[name] = [graph.initializers[producers[name][1][2]][0], graph.shape]
        else:
            types[name] = ["float32", graph.shape]
    return graph, types, model_bytes({
        "opset": 19, "inputs": {name: [dtype, shape] for name, (dtype, shape, _) in graph.inputs.items()},
        "outputs": types, "initializers": graph.initializers, "nodes": graph.nodes})


def equal(a, b, numpy):
    return a.dtype == b.dtype and a.shape == b.shape and numpy.array_equal(a, b, equal_nan=a.dtype.kind == "f")


def check(program, seed, folder, numpy, onnxruntime):
    graph, types, model = make(seed)
    path = pathlib.Path(folder) / "model.onnx"
    path.write_bytes(model)
    given = arrays(graph, numpy)
    results = {}
    runs = {"fast": ("fast",), "unjoined": ("fast", "--trace"), "reference": ("reference",)}
    for run, arguments in runs.items():
        status, results[run], said = run_model(program, path, given, list(types), *arguments)
        if status:
            return [f"{seed}: {run}: {said}"]
    # Fast kernels compute a product in integers, which the reference kernels do not.
    others = ["unjoined"] if graph.has_product else ["unjoined", "reference"]
    problems = [f"{seed}: {name} differs between fast and {other} kernels" for name in types for other in others
                if not equal(results["fast"][name], results[other][name], numpy)]
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    for name, theirs in zip(types, session.run(list(types), given)):
        ours = results["unjoined"][name]
        if theirs.dtype.kind != "f" and len(graph.nodes) < 8:
            # NaN has no defined byte; one unit is what another last bit before rounding costs, and may grow after it.
            off = numpy.abs(ours.astype(int) - theirs.astype(int))
            if numpy.mean(off > 1) > 0.05:
                problems.append(f"{seed}: {name}: {numpy.mean(off > 1):.0%} of the bytes are not ONNX Runtime's")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    try:
        import numpy
        import onnxruntime
    except ImportError:
        peers.require(options.bin, "onnx", "onnxruntime")
        return 1
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.seed, options.seed + options.count):
            problems += check(options.bin.resolve() / "opledger-run", seed, folder, numpy, onnxruntime)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
