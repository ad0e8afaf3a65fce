#!/usr/bin/env python3
"""Layers and small models whose nodes must all run on the GPU (`--device cuda-only`, with the
strict emulated module): outputs equal the reference's bit for bit or, where attention and products
add in another order, within a bound.

Exit status: 0 success, 1 failure.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import array
import ast
import os
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/kernels")]
import gpu_models  # noqa: E402
from make_onnx import model_bytes  # noqa: E402

# Relative to the largest element of the output: for float32 sums in another order, and for values
# rounded to 8 bits between nodes, where one may move to its neighbor.
CLOSE = 2e-5
STEP = 2e-2
problems = []


def expect(condition, *what):
    if not condition:
        problems.append(" ".join(map(str, what)))


def numbers(count, scale=1.0):
    return [random.gauss(0, scale) for _ in range(count)]


def weight(*shape):
    count = 1
    for size in shape:
        count *= size
    return ["float32", list(shape), numbers(count, shape[0] ** -0.5)]


def model(nodes, inputs, outputs, initializers=None, opset=21):
    return {"opset": opset, "inputs": inputs, "outputs": outputs, "initializers": initializers or {}, "nodes": nodes}


def one(op, shapes, result, attributes=None, initializers=None, dtype="float32", opset=21):
    """Returns a model of one node with inputs x0, x1, ..., then the initializers."""
    inputs = {f"x{i}": [dtype, shape] for i, shape in enumerate(shapes)}
    names = [*inputs, *(initializers or {})]
    return model([[op, names, ["y"], attributes or {}]], inputs, {"y": [dtype, result]}, initializers, opset)


def attention(q, kv, result, attributes, mask=None, opset=23):
    shapes = {"q": ["float32", q], "k": ["float32", kv], "v": ["float32", kv]}
    names, initializers = ["q", "k", "v"], {}
    if mask:
        names.append("mask")
        initializers["mask"] = mask
    return model([["Attention", names, ["y"], attributes]], shapes, {"y": ["float32", result]}, initializers, opset)


def masked(*shape):
    count = 1
    for size in shape:
        count *= size
    return ["bool", list(shape), [random.random() < 0.6 for _ in range(count)]]


def rotary(shape, attributes):
    return model([["RotaryEmbedding", ["x", "cos", "sin", "positions"], ["y"], attributes]], {"x": ["float32", shape]},
                 {"y": ["float32", shape]},
                 {"cos": weight(9, 4), "sin": weight(9, 4), "positions": ["int64", [2, 3], [0, 8, 3, 3, 1, 7]]}, 23)


def sizes(*of):
    return {"roi": ["float32", [0], []], "scales": ["float32", [0], []], "sizes": ["int64", [len(of)], list(of)]}


def resized(shape, to, **attributes):
    return one("Resize", [shape], to, attributes, sizes(*to))


def pads(mode, begin, end, shape):
    to = [size + before + after for size, before, after in zip(shape, begin, end)]
    return one("Pad", [shape], to, {"mode": mode}, {"pads": ["int64", [2 * len(shape)], [*begin, *end]]})


def cases():
    """Returns name -> (model, largest deviation; 0 for the reference's bits)."""
    channels = {"scale": weight(12), "shift": weight(12)}
    return {
        "attention": (attention([2, 4, 20, 16], [2, 4, 30, 16], [2, 4, 20, 16], {}), CLOSE),
        "causal, groups, cap": (attention([1, 20, 64], [1, 20, 32], [1, 20, 64],
                                          {"q_num_heads": 4, "kv_num_heads": 2, "is_causal": 1, "softcap": 3.0}), CLOSE),
        "a mask": (attention([2, 2, 18, 8], [2, 2, 25, 8], [2, 2, 18, 8], {}, masked(2, 1, 18, 25)), CLOSE),
        "few rows": (attention([2, 2, 3, 8], [2, 2, 40, 8], [2, 2, 3, 8], {"scale": 0.7}, masked(3, 40)), CLOSE),
        "rotation": (rotary([2, 4, 3, 8], {}), 0),
        "rotation of rows, interleaved": (rotary([2, 3, 20], {"num_heads": 2, "interleaved": 1,
                                                              "rotary_embedding_dim": 8}), 0),
        "group norm": (one("GroupNormalization", [[2, 12, 5, 7]], [2, 12, 5, 7], {"num_groups": 3}, channels), 0),
        "group norm of groups": (one("GroupNormalization", [[2, 12, 40]], [2, 12, 40], {"num_groups": 4},
                                     {"scale": weight(4), "shift": weight(4)}, opset=18), 0),
        "instance norm": (one("InstanceNormalization", [[2, 12, 9]], [2, 12, 9], {}, channels), 0),
        "nearest": (resized([1, 3, 5, 4], [1, 3, 9, 8], mode="nearest"), 0),
        "linear": (resized([2, 3, 6, 5], [2, 3, 13, 8], mode="linear"), 0),
        "cubic, smaller": (resized([1, 2, 16, 16], [1, 2, 7, 9], mode="cubic", antialias=1), 0),
        "pad": (pads("constant", [0, 1, 2], [1, 0, 3], [2, 3, 4]), 0),
        "pad, cut": (pads("constant", [0, -1, 2], [0, 2, -1], [2, 3, 4]), 0),
        "reflected": (pads("reflect", [0, 2, 1], [0, 1, 3], [2, 3, 4]), 0),
        "edge": (pads("edge", [1, 0, 2], [0, 1, 2], [2, 3, 4]), 0),
        "wrapped": (pads("wrap", [0, 2, 1], [0, 1, 3], [2, 3, 4]), 0),
        "bert": (gpu_models.bert(), CLOSE),
        "decoder, a prompt": (gpu_models.decoder(), CLOSE),
        "decoder, a step": (gpu_models.decoder(rows=1, past=11), CLOSE),
        "resnet": (gpu_models.resnet(), CLOSE),
        "unet": (gpu_models.unet(), CLOSE),
        "quantized vit": (gpu_models.quantized_vit(), STEP),
    }


def read_npy(path):
    """Returns (shape, elements) of a float32 file."""
    data = path.read_bytes()
    length = int.from_bytes(data[8:10], "little")
    header = ast.literal_eval(data[10:10 + length].decode())
    assert header["descr"] == "<f4", header
    return header["shape"], array.array("f", data[10 + length:])


class Program:
    def __init__(self, program, module, folder):
        self.program, self.folder = program, folder
        self.environment = {**os.environ, "OPLEDGER_CUDA_MODULE": str(module), "OPLEDGER_CUDA_EMULATED": "strict"}

    def outputs(self, path, description, *options):
        inputs = [word for name in description["inputs"] for word in ("--input", f"{name}=random")]
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([self.program, path, *inputs, "-o", folder, *options], env=self.environment,
                                  capture_output=True, text=True, check=False)
            expect(done.returncode == 0, path.stem, options, done.stderr)
            return {file.name: (file.read_bytes(), read_npy(file)) for file in sorted(pathlib.Path(folder).iterdir())}


def off_by(want, got):
    """Returns the largest difference, relative to the largest element."""
    largest = max((abs(each) for each in want), default=0) or 1
    return max((abs(a - b) for a, b in zip(want, got)), default=0) / largest


def check(program, name, description, bound):
    path = program.folder / f"{name.replace(' ', '_').replace(',', '')}.onnx"
    path.write_bytes(model_bytes(description, program.folder))
    want = program.outputs(path, description, "--kernels", "reference")
    got = program.outputs(path, description, "--device", "cuda-only")
    expect(sorted(want) == sorted(got) and want, name, "gives", sorted(got), "not", sorted(want))
    for output in set(want) & set(got):
        same = want[output][0] == got[output][0]
        off = off_by(want[output][1][1], got[output][1][1])
        expect(same or (want[output][1][0] == got[output][1][0] and off <= bound), name, output, "is off by", off)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--every", type=int, default=1, help="ignored: the models are small")
    parser.add_argument("--module", type=pathlib.Path, help="a module for a GPU instead of the emulated one")
    arguments = parser.parse_args()
    programs = arguments.bin.resolve()
    modules = [arguments.module] if arguments.module else sorted(programs.parent.rglob("opledger-cuda-emulated.so"))
    if not modules:
        print("the emulated module was not built")
        return 1
    random.seed(46)
    with tempfile.TemporaryDirectory() as folder:
        program = Program(programs / "opledger-run", modules[0], pathlib.Path(folder))
        for name, (description, bound) in cases().items():
            check(program, name, description, bound)
    for problem in problems:
        print(problem)
    print(f"{len(cases())} models on the GPU alone")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
