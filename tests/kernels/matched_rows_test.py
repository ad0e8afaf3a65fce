#!/usr/bin/env python3
"""Tests models whose output sizes depend on their elements: NonMaxSuppression, NonZero, Compress,
Unique, Range, each after a product in 16 bits that changes the counts. `compare`, `convert
--verify` and `tune` match rows by content, which this test repeats in Python, and compare the
values before and after, too. Outputs of both models are compared with ONNX Runtime.

Exit status: 0 success, 1 failure, 77 the Python package onnx or onnxruntime is missing.
"""
# SPDX-License-Identifier: Apache-2.0

import collections
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/conversion")]
import peers  # noqa: E402
from model_run import read_arguments, run_model  # noqa: E402

# ONNX's text format. x float[40,8]; 16 bits round h, whose elements are close together around the
# thresholds.
BEGINS = "h = MatMul (x, w)\n"
MODELS = {
    "boxes that stay": ("float[N,3] kept, int64[N,3] indices", """
        axes = Constant <value = int64[1] {0}> ()
        two = Constant <value = int64[2] {20, 4}> ()
        from = Constant <value = int64[1] {0}> ()
        to = Constant <value = int64[1] {80}> ()
        flat_shape = Constant <value = int64[1] {-1}> ()
        flat = Reshape (h, flat_shape)
        some = Slice (flat, from, to)
        corners = Reshape (some, two)
        sizes = Abs (corners)
        corner, rest = Split <axis = 1, num_outputs = 2> (sizes)
        far = Add (corner, rest)
        all_boxes = Concat <axis = 1> (corner, far)
        boxes = Unsqueeze (all_boxes, axes)
        end = Constant <value = int64[1] {100}> ()
        numbers = Slice (flat, to, end)
        scores_shape = Constant <value = int64[3] {1, 1, 20}> ()
        scores = Reshape (numbers, scores_shape)
        most = Constant <value = int64 {20}> ()
        overlap = Constant <value = float {0.3}> ()
        least = Constant <value = float {0.613}> ()
        indices = NonMaxSuppression (boxes, scores, most, overlap, least)
        kept = Cast <to = 1> (indices)"""),
    "what is above": ("float[N] y, int64[2,M] where", """
        least = Constant <value = float {1.0}> ()
        is = Greater (h, least)
        where = NonZero (is)
        places = Transpose (where)
        found = GatherND (h, places)
        y = Sigmoid (found)"""),
    "rows that are chosen": ("float[N,8] y", """
        axes = Constant <value = int64[1] {1}> ()
        sum = ReduceSum <keepdims = 0> (h, axes)
        least = Constant <value = float {-1.272}> ()
        is = Greater (sum, least)
        part = Compress <axis = 0> (h, is)
        y = Tanh (part)"""),
    # Sums, since integers from the input alone would keep the product in float32.
    "numbers, each once": ("float[N] y, int64[N] first, int64[M] which, int64[N] count", """
        axes = Constant <value = int64[1] {1}> ()
        sum = ReduceSum <keepdims = 0> (h, axes)
        many = Constant <value = float {64}> ()
        scaled = Mul (sum, many)
        rounded = Floor (scaled)
        y, first, which, count = Unique <sorted = 1> (rounded)"""),
    "as many as it sums to": ("float[N] y, int64[N] i", """
        sizes = Abs (h)
        sum = ReduceSum <keepdims = 0> (sizes)
        many = Constant <value = float {1.004}> ()
        limit = Mul (sum, many)
        start = Constant <value = float {0}> ()
        step = Constant <value = float {2}> ()
        y = Range (start, limit, step)
        whole = Cast <to = 7> (limit)
        first = Constant <value = int64 {0}> ()
        each = Constant <value = int64 {1}> ()
        i = Range (first, whole, each)"""),
}
LIST = {"framework": "onnx", "target_dtype": "bfloat16", "target": ["MatMul"],
        "fp32": ["Abs", "Add", "Cast", "Compress", "Concat", "Floor", "GatherND", "Greater", "Mul", "NonMaxSuppression",
                 "NonZero", "Range", "ReduceSum", "Reshape", "Sigmoid", "Slice", "Split", "Tanh", "Transpose", "Unique",
                 "Unsqueeze", "Constant"]}

problems = []


def expect(condition, *what):
    if not condition:
        problems.append(" ".join(map(str, what)))


def write_model(text, outputs, path):
    import numpy
    import onnx
    lines = [line for line in text.splitlines() if line.strip()]
    head = f'<ir_version: 8, opset_import: ["" : 18]> g (float[40,8] x) => ({outputs}) {{'
    model = onnx.parser.parse_model("\n".join([head, BEGINS, *lines, "}"]))
    weights = numpy.random.default_rng(3).standard_normal((8, 8)).astype("f4")
    model.graph.initializer.append(onnx.numpy_helper.from_array(weights, "w"))
    for node in model.graph.node:  # as exporters write it
        node.name = node.output[0]
    del model.graph.value_info[:]
    onnx.save(model, path)


def counts_of(first, second):
    """Returns (matched, missing, added) of rows along the dimension that differs; None if none
    does."""
    axis = [i for i in range(first.ndim) if first.shape[i] != second.shape[i]]
    if not axis:
        return None
    import numpy
    rows = [numpy.moveaxis(each, axis[0], 0).reshape(each.shape[axis[0]], -1) for each in (first, second)]
    if first.dtype.kind in "iu":
        left, right = (collections.Counter(map(tuple, each.tolist())) for each in rows)
        matched = sum((left & right).values())
        return matched, len(rows[0]) - matched, len(rows[1]) - matched
    # The closest pairs first, of all pairs; the program does not compare all of them.
    distances = numpy.abs(rows[0][:, None].astype("f8") - rows[1][None].astype("f8")).max(2)
    pairs = sorted((d, i, k) for (i, k), d in numpy.ndenumerate(distances) if d <= numpy.abs(first).max() / 16)
    taken = set(), set()
    for _, i, k in pairs:
        if i not in taken[0] and k not in taken[1]:
            taken[0].add(i)
            taken[1].add(k)
    matched = len(taken[0])
    return matched, len(rows[0]) - matched, len(rows[1]) - matched


def run(program, *arguments, expected=(0,)):
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False, timeout=600)
    expect(done.returncode in expected, *arguments, done.returncode, done.stderr)
    return done


def outputs_of(programs, path, names, given):
    """Returns outputs by name, after comparing them with ONNX Runtime."""
    import numpy
    import onnxruntime
    status, got, said = run_model(programs[0], path, given, names, "reference")
    expect(status == 0, path, said)
    wanted = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"]).run(names, given)
    if path.name == "model.onnx":  # ONNX Runtime has no bfloat16 products
        for name, want in zip(names, wanted):
            expect(got[name].shape == want.shape and numpy.allclose(got[name], want, 1e-4, 1e-5), path, name, "is",
                   got[name].shape, "and of ONNX Runtime", want.shape)
    return got


def check(name, programs, folder):
    """Returns for how many outputs the counts differ."""
    import numpy
    outputs, text = MODELS[name]
    path, low, listed = folder / "model.onnx", folder / "low.onnx", folder / "list.json"
    listed.write_text(json.dumps(LIST))
    given = {"x": numpy.random.default_rng(11).standard_normal((40, 8)).astype("f4")}
    numpy.save(folder / "x.npy", given["x"])
    inputs = ["--input", f"x={folder}/x.npy"]
    write_model(text, outputs, path)
    run(programs[1], path, "-o", low, "--list", listed, "--target-dtype", "bfloat16")
    names = [each.split()[-1] for each in outputs.split(", ")]
    first = outputs_of(programs, path, names, given)
    status, second, said = run_model(programs[0], low, given, names, "reference")
    expect(status == 0, low, said)
    done = run(programs[0], "--compare", path, low, *inputs, "--format", "json", "--kernels", "reference")
    report = json.loads(done.stdout or "{}")
    differ = 0
    for output in report.get("outputs", []):
        wanted = counts_of(first[output["name"]], second[output["name"]])
        rows = output["error"].get("rows")
        expect((rows is None) == (wanted is None), name, output["name"], "rows:", rows, "wanted:", wanted)
        if wanted is None or rows is None:
            continue
        differ += 1
        expect((rows["matched"], rows["missing"], rows["added"]) == wanted, name, output["name"], rows, wanted)
        expect(rows["unit"] == "row" and output["error"]["numbers"] % max(rows["matched"], 1) == 0, name, rows)
    nodes = {each["value"]: each for each in report.get("nodes", [])}
    product = nodes.get("h")
    expect(product and product["own_error"]["relative_l2"] > 1e-4, name, "the product is not compared", list(nodes))
    expect(report.get("unmatched_nodes") == 0, name, "unmatched:", report.get("unmatched_nodes"))
    # The same with the list, and as text, with a verdict.
    done = run(programs[0], "--compare", path, "--autocast", "bfloat16", "--list", listed, *inputs, "--format", "json",
               "--kernels", "reference")
    again = json.loads(done.stdout or "{}")
    expect(all(again.get(key) == report.get(key) for key in ("outputs", "nodes")), name, "differs with the list")
    bad = (1 if differ else 0,)
    said = run(programs[0], "--compare", path, low, *inputs, "--max-error", "1000", expected=bad).stdout
    expect(said.count("only in the first model") == differ, name, said)
    said = run(programs[1], path, "-o", low, "--list", listed, "--target-dtype", "bfloat16", "--verify", *inputs).stdout
    expect(said.count("only in the first model") == differ, name, "--verify:", said)
    # With the product in float32, all counts are right again.
    run(programs[0], "--tune", path, *inputs, "--list", listed, "--target-dtype", "bfloat16", "--max-error", "1e-3",
               "-o", folder / "tuned.json")
    kept = json.loads((folder / "tuned.json").read_text())["fp32_nodes"]
    expect(kept == ["h"], name, "tune keeps", kept)
    return differ


def main():
    options = read_arguments(__doc__)
    try:
        import onnx  # noqa: F401  # pylint: disable=unused-import
        import onnxruntime  # noqa: F401  # pylint: disable=unused-import
    except ImportError:
        peers.require(options.bin, "onnx", "onnxruntime")
    programs = [options.bin.resolve() / name for name in ("opledger-run", "opledger-convert")]
    differ = 0
    for name in MODELS:
        with tempfile.TemporaryDirectory() as folder:
            count = check(name, programs, pathlib.Path(folder))
        expect(count, name, "has the same counts in 16 bits: nothing is tested")
        differ += count
    for problem in problems:
        print(problem)
    print(f"{len(MODELS)} models; of {differ} outputs the counts differ")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
