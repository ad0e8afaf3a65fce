#!/usr/bin/env python3
"""Compares pooling and Pad at the borders with ONNX Runtime: windows that begin inside and end
beyond the padded input or are larger than it, dilated ones, automatic pads, pads that count; Pad of
and to empty tensors, negative pads, all modes.

Random cases, many per model, each with the fast and the reference kernels. Cases that ONNX Runtime
refuses are skipped. Exit status: 0 all agree, 1 otherwise, 77 the Python package onnx or
onnxruntime is missing.
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
from model_run import difference, run_model  # noqa: E402

IN_A_MODEL = 40
LOWEST = -1e38

# Former bugs: (operator, shape, attributes, pads of Pad).
KNOWN = [
    ("MaxPool", [1, 1, 2], {"ceil_mode": 1, "kernel_shape": [4], "pads": [1, 0], "strides": [2]}, None),
    ("AveragePool", [1, 2, 2], {"kernel_shape": [4], "pads": [1, 0], "strides": [2], "count_include_pad": 1}, None),
    ("Pad", [3, 0], {"mode": "edge"}, [2, 0, 2, 0]),
    ("Pad", [3, 0], {"mode": "reflect"}, [2, 0, 2, 0]),
]


def pool(pick):
    rank = pick.choice([1, 2, 2, 3])
    op = pick.choice(["MaxPool", "AveragePool", "LpPool"])
    # With 16 channels, ONNX Runtime's averages use other divisors than with fewer channels.
    channels = pick.choice([1, 3] if op == "AveragePool" else [1, 3, 16])
    shape = [pick.choice([1, 2]), channels, *(pick.randint(1, 7) for _ in range(rank))]
    attributes = {"kernel_shape": [pick.randint(1, 4) for _ in range(rank)],
                  "strides": [pick.randint(1, 5) for _ in range(rank)]}
    if pick.random() < 0.7:
        attributes["ceil_mode"] = pick.randint(0, 1)
    automatic = pick.choice(["NOTSET", "NOTSET", "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"])
    if automatic != "NOTSET":
        attributes["auto_pad"] = automatic
    else:
        attributes["pads"] = [pick.randint(0, size - 1) for size in attributes["kernel_shape"] * 2]
        if pick.random() < 0.4:
            attributes["dilations"] = [pick.randint(1, 3) for _ in range(rank)]
    if op == "AveragePool":
        attributes["count_include_pad"] = pick.randint(0, 1)
    if op == "LpPool":
        attributes["p"] = pick.randint(1, 3)
    if op == "MaxPool":
        attributes["storage_order"] = pick.randint(0, 1)
    return op, shape, attributes, None


def pad(pick):
    shape = [pick.choice([0, 1, 2, 3, 5]) for _ in range(pick.randint(1, 4))]
    mode = pick.choice(["constant", "edge", "reflect", "wrap"])
    return "Pad", shape, {"mode": mode}, [pick.randint(-3, 4) if pick.random() < 0.6 else 0 for _ in shape * 2]


def model_of(cases):
    """Returns a model with one node for each case, and its inputs and outputs."""
    model = {"opset": 22, "inputs": {}, "outputs": {}, "initializers": {}, "nodes": []}
    for i, (op, shape, attributes, pads) in cases.items():
        model["inputs"][f"x{i}"] = ["float32", shape]
        inputs, outputs = [f"x{i}"], [f"y{i}"]
        if pads is not None:
            model["initializers"][f"p{i}"] = ["int64", [len(pads)], pads]
            inputs.append(f"p{i}")
        model["outputs"][f"y{i}"] = ["float32", None]
        if op == "MaxPool" and "storage_order" in attributes:
            outputs.append(f"z{i}")
            model["outputs"][f"z{i}"] = ["int64", None]
        model["nodes"].append([op, inputs, outputs, {"name": f"{op} {i}", **attributes}])
    return model


def peer_run(cases, given):
    import onnxruntime
    session = onnxruntime.InferenceSession(model_bytes(model_of(cases)), providers=["CPUExecutionProvider"])
    names = [each.name for each in session.get_outputs()]
    return dict(zip(names, session.run(names, {each.name: given[each.name] for each in session.get_inputs()})))


def wanted_of(cases, given):
    """Returns ONNX Runtime's outputs for each case that it accepts."""
    wanted = {}
    for i, case in cases.items():
        try:
            outputs = peer_run({i: case}, given)
        except Exception:  # pylint: disable=broad-exception-caught
            continue  # its exceptions have their own classes
        # the maximum of pads alone is unspecified
        if case[0] != "MaxPool" or not (outputs[f"y{i}"] < LOWEST).any():
            wanted[i] = outputs
    return wanted


def problems_of(program, folder, cases, given, wanted):
    """Yields the problem of each case that does not agree."""
    path = folder / "model.onnx"
    path.write_bytes(model_bytes(model_of(cases)))
    inputs = {f"x{i}": given[f"x{i}"] for i in cases}
    names = [name for i in cases for name in wanted[i]]
    for kernels in ("fast", "reference"):
        status, got, said = run_model(program, path, inputs, names, kernels)
        if status and len(cases) > 1:
            for i, case in cases.items():
                yield from problems_of(program, folder, {i: case}, given, wanted)
            return
        for i, case in cases.items():
            for name, want in wanted[i].items():
                wrong = said if status else difference(got[name], want, 1e-6)
                if wrong:
                    yield f"{i}, {kernels}: {case}: {name}: {wrong}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--count", type=int, default=1200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    try:
        import numpy
        import onnxruntime
    except ImportError:
        peers.require(options.bin, "numpy", "onnxruntime")
    onnxruntime.set_default_logger_severity(4)
    pick = random.Random(options.seed)
    cases = dict(enumerate([*KNOWN, *(pick.choice([pool, pool, pad])(pick) for _ in range(options.count))]))
    numbers = numpy.random.default_rng(options.seed)
    given = {f"x{i}": numbers.standard_normal(case[1]).astype("f4") for i, case in cases.items()}
    wanted = wanted_of(cases, given)
    taken = [i for i in cases if i in wanted]
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        for at in range(0, len(taken), IN_A_MODEL):
            some = {i: cases[i] for i in taken[at:at + IN_A_MODEL]}
            problems += problems_of(options.bin.resolve() / "opledger-run", pathlib.Path(folder), some, given, wanted)
    for problem in problems:
        print(problem)
    print(f"{len(taken)} cases of {len(cases)} compared, {len(problems)} differ")
    return 1 if problems or not set(range(len(KNOWN))) <= set(taken) else 0


if __name__ == "__main__":
    sys.exit(main())
