#!/usr/bin/env python3
"""Runs models with hostile sizes: dimensions, counts and pads near every power of two that can
overflow. Each run ends with status 0 or 2, prints a reason, and needs little memory.

Prints failures and the counts. Exit status: 0 success, 1 failure.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import pathlib
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from make_onnx import model_bytes  # noqa: E402

HUGE = (2**63 - 1, -2**63, 2**62, 2**61 + 1, 2**32, 2**31, 2**40, -1)
LIMIT = "64M"
MOST_MEMORY = 400 << 20  # of a process with its libraries; more under sanitizers
X = {"x": ["float32", [1, 2, 4, 4]]}


def node(op, attributes=None, tensors=(), inputs=None):
    """Returns a model of one node: its first input is a small tensor, `tensors` are the others."""
    names = [f"t{i}" for i in range(len(tensors))]
    return {"opset": 17, "inputs": inputs or X, "outputs": {"y": ["float32", []]},
            "initializers": dict(zip(names, tensors)),
            "nodes": [[op, list(inputs or X) + names, ["y"], {**(attributes or {}), "name": "hostile"}]]}


def shape(*numbers):
    return ["int64", [len(numbers)], list(numbers)]


def scalar(number):
    return ["int64", [], [number]]


def models(huge):
    """Yields models in which one size is `huge`."""
    weights = ["float32", [2, 2, 1, 1], [1, 2, 3, 4]]
    vector = {"x": ["float32", [4]]}
    yield "expand", node("Expand", tensors=[shape(huge, 1, 1, 1, 1)])
    yield "expand twice", node("Expand", tensors=[shape(huge, huge, 1, 1, 1, 1)])
    yield "tile", node("Tile", tensors=[shape(1, huge, 1, huge)])
    yield "reshape", node("Reshape", tensors=[shape(huge, huge)])
    yield "reshape of an empty tensor", node("Reshape", tensors=[shape(0, huge, huge)], inputs={"x": ["float32", [0]]})
    yield "pad", node("Pad", tensors=[shape(huge, 0, 0, 0, huge, 0, 0, 0)])
    yield "pad back", node("Pad", {"mode": "reflect"}, [shape(0, 0, 0, huge, 0, 0, 0, -huge if huge > -2**63 else 0)])
    yield "slice", node("Slice", tensors=[shape(huge), shape(huge), shape(3), shape(huge)])
    yield "slice back", node("Slice", tensors=[shape(-1), shape(huge), shape(3), shape(-1)])
    yield "filled", {"opset": 17, "inputs": {}, "outputs": {"y": ["float32", []]},
                     "initializers": {"s": shape(huge, 3)}, "nodes": [["ConstantOfShape", ["s"], ["y"]]]}
    yield "range", {"opset": 17, "inputs": {}, "outputs": {"y": ["int64", []]},
                    "initializers": {"a": scalar(0), "b": scalar(huge), "c": scalar(1)},
                    "nodes": [["Range", ["a", "b", "c"], ["y"]]]}
    yield "one hot", {"opset": 17, "inputs": {"x": ["int64", [3]]}, "outputs": {"y": ["float32", []]},
                      "initializers": {"d": scalar(huge), "v": ["float32", [2], [0, 1]]},
                      "nodes": [["OneHot", ["x", "d", "v"], ["y"]]]}
    yield "pool pads", node("MaxPool", {"kernel_shape": [2, 2], "pads": [huge, 0, huge, 0]})
    yield "pool strides", node("AveragePool", {"kernel_shape": [2, 2], "strides": [huge, huge]})
    yield "pool window", node("MaxPool", {"kernel_shape": [huge, huge]})
    yield "convolution pads", node("Conv", {"pads": [0, huge, 0, huge]}, [weights])
    yield "convolution dilations", node("Conv", {"dilations": [huge, huge], "kernel_shape": [1, 1]}, [weights])
    yield "convolution groups", node("Conv", {"group": huge}, [weights])
    yield "transposed convolution", node("ConvTranspose", {"strides": [huge, huge]}, [weights])
    yield "transposed output", node("ConvTranspose", {"output_shape": [huge, huge]}, [weights])
    yield "output padding", node("ConvTranspose", {"output_padding": [huge, huge]}, [weights])
    yield "split", node("Split", {"axis": 3}, [shape(huge, 4 - huge if huge > 0 else 4)])
    yield "axis", node("Softmax", {"axis": huge})
    yield "concatenation", node("Concat", {"axis": huge})
    yield "flat", node("Flatten", {"axis": huge})
    yield "turned", node("Transpose", {"perm": [huge, 0, 1, 2]})
    yield "reduced", node("ReduceMean", {"axes": [huge]})
    yield "unsqueezed", node("Unsqueeze", tensors=[shape(huge)])
    yield "squeezed", node("Squeeze", tensors=[shape(huge)])
    yield "gathered", node("Gather", {"axis": 0}, [["int64", [2], [huge, 0]]])
    yield "gathered along", node("GatherElements", {"axis": huge}, [["int64", [1, 2, 4, 4], [0] * 32]])
    yield "scattered", node("ScatterElements", {"axis": 0}, [["int64", [1, 1, 1, 1], [huge]],
                                                             ["float32", [1, 1, 1, 1], [1]]])
    yield "top", node("TopK", {"axis": 3}, [shape(huge)])
    yield "depth", node("DepthToSpace", {"blocksize": huge})
    yield "space", node("SpaceToDepth", {"blocksize": huge})
    yield "triangle", node("Trilu", {"upper": 1}, [scalar(huge)])
    yield "identity", node("EyeLike", {"k": huge}, inputs={"x": ["float32", [3, 3]]})
    yield "response", node("LRN", {"size": huge})
    yield "resized", node("Resize", {"mode": "nearest"}, [["float32", [0], []], ["float32", [0], []],
                                                          shape(1, 2, huge, huge)])
    yield "scaled", node("Resize", {"mode": "linear"}, [["float32", [0], []],
                                                        ["float32", [4], [1, 1, float(huge), float(huge)]]])
    yield "cast back", node("CumSum", tensors=[scalar(huge)], inputs=vector)
    yield "bits", node("Mod", {"fmod": huge}, [["float32", [1], [0]]])


def symbols(huge):
    """The same for MXNet: symbols of one node."""
    for op, attributes in (("_eye", {"N": 3, "k": huge}), ("_zeros", {"shape": (huge, huge)}),
                           ("_arange", {"start": 0, "stop": huge}), ("_full", {"shape": (huge,), "value": 1})):
        yield op, (op, attributes, False)
    for op, attributes in (("tile", {"reps": (huge, huge)}), ("Reshape", {"shape": (huge, -1)}),
                           ("Pad", {"mode": "constant", "pad_width": (0, 0, 0, 0, huge, huge, 0, 0)}),
                           ("slice_axis", {"axis": huge, "begin": huge, "end": huge}),
                           ("one_hot", {"depth": huge}), ("repeat", {"repeats": huge}),
                           ("broadcast_to", {"shape": (huge, 2, 4, 4)}), ("expand_dims", {"axis": huge}),
                           ("Pooling", {"kernel": (2, 2), "stride": (huge, huge), "pad": (huge, 0)}),
                           ("UpSampling", {"scale": huge, "sample_type": "nearest"}), ("topk", {"k": huge}),
                           ("SwapAxis", {"dim1": huge, "dim2": 0}), ("LRN", {"nsize": huge})):
        yield op, (op, attributes, True)


MANY = {  # small tensors that are large together
    "many constants": {"opset": 17, "inputs": {}, "outputs": {"y": ["float32", []]},
                       "initializers": {"s": shape(8, 1 << 20)},
                       "nodes": [["ConstantOfShape", ["s"], [f"c{i}"]] for i in range(4)] +
                                [["Concat", [f"c{i}" for i in range(4)], ["y"], {"axis": 0, "name": "all"}]]},
    "many values": {"opset": 17, "inputs": {"x": ["float32", [8, 1 << 20]]}, "outputs": {"y": ["float32", []]},
                    "nodes": [["Exp", ["x"], ["a"], {"name": "first"}], ["Softmax", ["a"], ["b"]],
                              ["Add", ["a", "b"], ["y"], {"name": "sum"}]]},
}


def symbol_text(op, attributes, takes_input):
    return json.dumps({"nodes": [
        {"op": "null", "name": "x", "inputs": []},
        {"op": op, "name": "y", "attrs": {k: str(v) for k, v in attributes.items()},
         "inputs": [[0, 0, 0]] if takes_input else []}], "heads": [[1, 0, 0]]}).encode()


def run(program, path, model):
    """Returns (exit status, message)."""
    words = [program, path, "--memory-limit", LIMIT]
    if isinstance(model, tuple):
        path.write_bytes(symbol_text(*model))
        words += ["--input", "x=random", "--input-shape", "x=1,2,4,4"]
    else:
        path.write_bytes(model_bytes(model))
        words += [word for name in model["inputs"] for word in ("--input", f"{name}=random")]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=300)
    return done.returncode, done.stderr


def problem_of(status, said):
    """Returns None if there is no problem."""
    if "runtime error" in said or "Sanitizer" in said:
        return said[:400]
    if status == 0:
        return None
    return None if status == 2 and ": error: " in said else f"exit status {status}: {said[:200]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    program = options.bin.resolve() / "opledger-run"
    problems, refused, ran = [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "model.onnx"
        cases = [(f"{name} {huge}", model) for huge in HUGE for name, model in [*models(huge), *symbols(huge)]]
        for name, model in cases[::min(options.every, 4)]:  # sanitizers detect more
            status, said = run(program, path, model)
            refused, ran = refused + (status == 2), ran + (status == 0)
            if why := problem_of(status, said):
                problems.append(f"{name}: {why}")
        for name, model in MANY.items():
            status, said = run(program, path, model)
            if status != 2 or "--memory-limit leaves" not in said:
                problems.append(f"{name}: exit status {status}, {said}")
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    if options.every == 1 and memory > MOST_MEMORY:
        problems.append(f"one took {memory >> 20} MiB")
    for problem in problems:
        print(problem)
    print(f"{refused} hostile models are refused, {ran} run; at most {memory >> 20} MiB")
    return 1 if problems or not refused else 0


if __name__ == "__main__":
    sys.exit(main())
