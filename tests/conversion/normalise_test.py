#!/usr/bin/env python3
"""Tests normalizations before placement.
A cast that changes nothing is treated as Identity, an initializer of IR 3 as a constant, an
operator of ONNX Runtime by the runtime's schema, and GridSample's grid separately from its image.
--io-types low leaves some inputs unchanged. Each result has the expected number of nodes of each
type, is valid for onnx's checker if the original is, and ONNX Runtime computes the same within
rounding. Run with the list, the original yields the same bits as the result.
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
import peers
from make_onnx import model_bytes

try:
    import numpy
    import onnx
    import onnxruntime
except ImportError:
    onnx = None

F = "float32"
BOUND = 0.01  # relative to the largest element of an output


def weights(shape, seed=1):
    rng = numpy.random.default_rng(seed)
    numbers = rng.standard_normal(shape) / numpy.sqrt(shape[-1])
    return [F, list(shape), numbers.astype(numpy.float32).ravel().tolist()]


def model(nodes, outputs=None, **more):
    """Returns a model over x, [4, 8], with the matrix W and the row b."""
    return {"opset": 17, "inputs": {"x": [F, [4, 8]]}, "outputs": outputs or {"y": [F, [4, 8]]},
            "initializers": {"W": weights((8, 8)), "b": [F, [8], [0.5] * 8]}, "nodes": nodes, **more}


def noop(name, value, **attributes):
    return ["Cast", [value], [name], {"to": 1, **attributes}]


def chain():
    """Casts between all nodes, two of them in sequence."""
    return model([["MatMul", ["x", "W"], ["a"]], noop("a1", "a"), noop("a2", "a1"), ["Relu", ["a2"], ["r"]],
                  noop("r1", "r"), ["Add", ["r1", "b"], ["s"]], noop("s1", "s"), ["MatMul", ["s1", "W"], ["y"]]])


def both_types():
    """The result of a cast is read in both types, and so is its input."""
    return model([["MatMul", ["x", "W"], ["a"]], noop("c", "a"), ["Exp", ["c"], ["e"]], ["MatMul", ["c", "W"], ["m"]],
                  ["Exp", ["a"], ["f"]], ["MatMul", ["a", "W"], ["n"]], ["Sum", ["e", "m", "f", "n"], ["y"]]])


def given():
    """Outputs of the model and of an If's branches come from such casts."""
    branch = {"name": "t", "outputs": {"p": [F, [4, 8]]},
              "nodes": [["MatMul", ["a", "W"], ["p0"]], noop("p", "p0")]}
    other = {"name": "e", "outputs": {"q": [F, [4, 8]]}, "nodes": [["Relu", ["a"], ["q0"]], noop("q", "q0")]}
    return model([["MatMul", ["x", "W"], ["a"]], ["Constant", [], ["t"], {"value": {"tensor": ["bool", [], [1]]}}],
                  ["If", ["t"], ["i"], {"then_branch": branch, "else_branch": other}],
                  ["MatMul", ["i", "W"], ["m"]], noop("y", "m"), noop("z", "y")],
                 {"y": [F, [4, 8]], "z": [F, [4, 8]]})


def carried():
    """A loop carries the result of such a cast."""
    body = {"name": "b", "inputs": {"i": ["int64", []], "go": ["bool", []], "h": [F, [4, 8]]},
            "outputs": {"on": ["bool", []], "h3": [F, [4, 8]]},
            "nodes": [["Identity", ["go"], ["on"]], ["MatMul", ["h", "W"], ["h1"]], ["Tanh", ["h1"], ["h2"]],
                      noop("h3", "h2")]}
    return model([["Constant", [], ["n"], {"value_int": 3}],
                  ["Constant", [], ["t"], {"value": {"tensor": ["bool", [], [1]]}}],
                  ["Loop", ["n", "t", "x"], ["l"], {"body": body}], ["MatMul", ["l", "W"], ["y"]]])


def text_cast():
    """Before opset 6, the target type was a name."""
    return model([["MatMul", ["x", "W"], ["a"]], ["Cast", ["a"], ["c"], {"to": "FLOAT"}], ["Relu", ["c"], ["r"]],
                  ["MatMul", ["r", "W"], ["y"]]], opset=5)


def listed(ir_version):
    """Each initializer is listed as an input; b is read in both types."""
    made = model([["MatMul", ["x", "W"], ["a"]], ["Add", ["a", "b"], ["s"]], ["Exp", ["s"], ["e"]],
                  ["Mul", ["e", "b"], ["f"]], ["MatMul", ["f", "W"], ["y"]]], opset=9, ir_version=ir_version)
    made["inputs"].update(W=[F, [8, 8]], b=[F, [8]])
    return made


def normalised(op, opset, **more):
    return model([["MatMul", ["x", "W"], ["a"]], [op, ["a", "b"], ["n"]], ["MatMul", ["n", "W"], ["y"]]], opset=opset,
                 **more)


def skipped():
    return model([["MatMul", ["x", "W"], ["a"]], ["Reshape", ["a", "s"], ["a3"]], ["Reshape", ["x", "s"], ["x3"]],
                  ["MatMul", ["x3", "W"], ["k"]], ["com.microsoft:SkipLayerNormalization", ["a3", "k", "b"], ["n"]],
                  ["MatMul", ["n", "W"], ["y3"]], ["Reshape", ["y3", "t"], ["y"]]],
                 domains={"com.microsoft": 1},
                 initializers={"W": weights((8, 8)), "b": [F, [8], [1.0] * 8], "s": ["int64", [3], [1, 4, 8]],
                               "t": ["int64", [2], [4, 8]]})


def grid(of):
    """Between two convolutions; the grid is an input, or computed by another convolution."""
    made = {"opset": 16, "inputs": {"x": [F, [1, 2, 6, 6]], "g": [F, [1, 4, 4, 2]]},
            "outputs": {"y": [F, [1, 2, 4, 4]]}, "initializers": {"K": weights((2, 2, 1, 1))},
            "nodes": [["Conv", ["x", "K"], ["a"]], ["GridSample", ["a", of], ["s"]], ["Conv", ["s", "K"], ["y"]]]}
    if of == "flow":
        made["inputs"]["g"] = [F, [1, 2, 4, 2]]
        made["nodes"].insert(1, ["Conv", ["g3", "K"], ["flow"]])
        made["initializers"]["gs"] = ["int64", [4], [1, 2, 4, 2]]
        made["nodes"].insert(1, ["Reshape", ["g", "gs"], ["g3"]])
        made["nodes"][3] = ["GridSample", ["a", "flow4"], ["s"]]
        made["nodes"].insert(3, ["Reshape", ["flow", "fs"], ["flow4"]])
        made["initializers"]["fs"] = ["int64", [4], [1, 4, 2, 2]]
        made["outputs"] = {"y": [F, [1, 2, 4, 2]]}
    return made


def looked_up():
    """Positions given as floats, and a feature."""
    return model([["Floor", ["at"], ["f"]], ["Mul", ["f", "two"], ["d"]], ["Cast", ["d"], ["i"], {"to": 7}],
                  ["MatMul", ["x", "W"], ["a"]], ["Gather", ["a", "i"], ["g"]], ["MatMul", ["g", "W"], ["y"]]],
                 {"y": [F, [2, 8]]}, inputs={"x": [F, [4096, 8]], "at": [F, [2]]},
                 initializers={"W": weights((8, 8)), "two": [F, [], [2.0]]})


def counted():
    """A loop counts beyond the integers that float16 represents, starting at an input, and returns
    its counter."""
    body = {"name": "b", "inputs": {"i": ["int64", []], "go": ["bool", []], "h": [F, [4, 8]], "k": [F, []]},
            "outputs": {"on": ["bool", []], "h2": [F, [4, 8]], "k2": [F, []], "s": [F, []]},
            "nodes": [["Identity", ["go"], ["on"]], ["Add", ["one", "k"], ["k1"]], noop("k2", "k1"),
                      ["Identity", ["k2"], ["s"]], ["MatMul", ["h", "W"], ["h1"]], ["Tanh", ["h1"], ["h2"]]]}
    return model([["Constant", [], ["n"], {"value_int": 2500}],
                  ["Constant", [], ["t"], {"value": {"tensor": ["bool", [], [1]]}}],
                  ["Loop", ["n", "t", "x", "from"], ["l", "c", "all"], {"body": body}],
                  ["MatMul", ["l", "W"], ["y"]]],
                 {"y": [F, [4, 8]], "c": [F, []], "all": [F, [2500]]},
                 inputs={"x": [F, [4, 8]], "from": [F, []]},
                 initializers={"W": weights((8, 8)), "one": [F, [], [1.0]]})


LOW = ["--io-types", "low"]
# Name: model, options, expected number of nodes of each operator, and types of inputs and outputs
# that are not float32.
CASES = {
    "chain": (chain, [], {"Cast": 2, "MatMul": 2, "Relu": 1, "Add": 1}, {}),
    "chain, low border": (chain, LOW, {"Cast": 0}, {"x": "float16", "y": "float16"}),
    "both types": (both_types, [], {"MatMul": 3, "Exp": 2}, {}),
    "given": (given, [], {"MatMul": 2, "If": 1}, {}),
    "given, low border": (given, LOW, {"MatMul": 2}, {"x": "float16", "y": "float16", "z": "float16"}),
    "carried": (carried, [], {"Cast": 2}, {}),
    "excluded": (chain, ["--exclude", "^(a|a1|a2|r|r1|s|s1|y)$"], {"Cast": 4}, {}),
    "a name": (text_cast, ["--opset", "keep"], {"Cast": 2}, {}),
    "IR 3": (lambda: listed(3), [], {"Cast": 4}, {}),
    "IR 3, low border": (lambda: listed(3), LOW, {"Cast": 2}, {"x": "float16", "y": "float16"}),
    "IR 4": (lambda: listed(4), [], {"Cast": 5}, {}),
    "LayerNormalization": (lambda: normalised("LayerNormalization", 12), [], {"Cast": 2}, {}),
    "SimplifiedLayerNormalization": (lambda: normalised("SimplifiedLayerNormalization", 12), [], {"Cast": 2}, {}),
    "SkipLayerNormalization": (skipped, [], {"Cast": 2}, {}),
    "a grid": (lambda: grid("g"), [], {"Cast": 2}, {}),
    "a grid, low border": (lambda: grid("g"), LOW, {"Cast": 0}, {"x": "float16", "g": "float16", "y": "float16"}),
    "a flow": (lambda: grid("flow"), [], {"Cast": 4}, {}),
    "positions": (looked_up, LOW, {"Cast": 1}, {"x": "float16", "y": "float16"}),
    "counted": (counted, [], {"Cast": 2}, {}),
    "a counter": (counted, LOW, {"Cast": 0}, {"x": "float16", "y": "float16"}),
}
SAID = {"positions": "input at keeps float32: it is only converted to integers",
        "a counter": "outputs c, all keep float32",
        "a grid, low border": "inputs x, g and output y take float16"}
EXACT = {"c", "all"}
OLDEST = 7  # lowest opset that ONNX Runtime runs
NUMBERS = {"at": [1.7, 1023.0], "from": 5.0}


def feeds(session):
    rng = numpy.random.default_rng(3)
    found = {}
    for each in session.get_inputs():
        kind = numpy.float16 if "float16" in each.type else numpy.float32
        numbers = NUMBERS[each.name] if each.name in NUMBERS else rng.uniform(-1, 1, each.shape)
        found[each.name] = numpy.asarray(numbers, kind)
    return found


def run(path):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    outputs = session.run(None, feeds(session))
    return {each.name: output for each, output in zip(session.get_outputs(), outputs)}


def own_outputs(program, path, folder, *options):
    """Returns opledger's outputs for the same random inputs."""
    model = onnx.load(path)
    names = {each.name for each in model.graph.input} - {each.name for each in model.graph.initializer}
    inputs = [word for name in sorted(names) for word in ("--input", f"{name}=random")]
    subprocess.run([program, "run", path, *inputs, "-o", folder, *options], check=True, capture_output=True)
    return {each.name: each.read_bytes() for each in folder.iterdir()}


def types_of(values):
    return {each.name: onnx.helper.tensor_dtype_to_np_dtype(each.type.tensor_type.elem_type).name for each in values}


def checks(made):
    try:
        onnx.checker.check_model(made, full_check=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError):
        return False
    return True


def problems_of(program, folder, name, case):
    describe, options, counts, border = case
    path, out, back = folder / "model.onnx", folder / "mixed.onnx", folder / "back.onnx"
    path.write_bytes(model_bytes(describe()))
    done = subprocess.run([program, "convert", path, "-o", out, *options, "--sidecar", folder / "sidecar"],
                          capture_output=True, text=True, check=False)
    if done.returncode or (done.stderr and "--exclude" not in options):
        yield done.stderr
        return
    if SAID.get(name, "") not in done.stdout:
        yield f"it says {done.stdout}"
    made = onnx.load(out)
    nodes = collections.Counter(each.op_type for each in made.graph.node)
    wrong = {op: nodes[op] for op, count in counts.items() if nodes[op] != count}
    if wrong:
        yield f"it has {wrong} of {counts}"
    found = {key: kind for key, kind in types_of([*made.graph.input, *made.graph.output]).items()
             if kind == "float16" and key not in {each.name for each in made.graph.initializer}}
    if found != border:
        yield f"its inputs and outputs are {found}"
    if checks(onnx.load(path)) and not checks(made):
        yield "onnx's checker rejects it"
    runs = made.opset_import[0].version >= OLDEST
    exact = run(path) if runs else {}
    for key, output in (run(out) if runs else {}).items():
        bound = 0 if key in EXACT else BOUND * numpy.abs(exact[key]).max()
        if not numpy.abs(output.astype(numpy.float64) - exact[key]).max() <= bound:
            yield f"{key} is off by {numpy.abs(output - exact[key]).max()} of {numpy.abs(exact[key]).max()}"
    if not options and own_outputs(program, path, folder / f"{name} cast", "--autocast", "float16") != own_outputs(
            program, out, folder / f"{name} mixed"):
        yield "--autocast gives other bits"
    subprocess.run([program, "revert", out, "-o", back, "--sidecar", folder / "sidecar"], check=True,
                   capture_output=True)
    if back.read_bytes() != path.read_bytes():
        yield "the sidecar does not restore the original"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/bin")
    parser.add_argument("--every", help="ignored")
    arguments = parser.parse_args()
    if onnx is None:
        peers.require(arguments.bin, "onnx", "onnxruntime")
    onnxruntime.set_default_logger_severity(4)
    problems = []
    with tempfile.TemporaryDirectory(prefix="opledger-normalise-") as folder:
        for name, case in CASES.items():
            problems += [f"{name}: {each}" for each in
                         problems_of(arguments.bin.resolve() / "opledger", pathlib.Path(folder), name, case)]
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
