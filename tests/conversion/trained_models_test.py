#!/usr/bin/env python3
"""Compares conversions of trained models by opledger and by the peers that ci/setup installs.

- With the shipped list, the result loads, solves its task as well as any peer's result that loads,
  and has at least 95 % of the contractions' work in float16.
- After `tune --beyond-list` on some samples, no peer's result that loads, solves the task as well
  and is within the same bound on these samples has fewer casts.
- bfloat16 runs every contraction that float16 runs.

    tests/conversion/trained_models_test.py --bin build/bin [--table] [--only NAME]

Prints the problems, then the counts; with --table a line for each model: casts and score.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import peers  # noqa: E402

try:
    import numpy
    import onnx
    import onnxconverter_common  # noqa: F401, what a peer imports
    import PIL  # noqa: F401, what draws
    import trained_models
except ImportError:
    onnx = None  # main() looks for a Python that has them

SAMPLES = 3  # that tuning uses
BOUND = "0.2"
SECONDS = "240"  # a bound for busy machines
WORK = 0.95
CONTRACTIONS = {"MatMul", "Gemm", "Conv", "ConvTranspose", "LSTM"}
# As its users call it: everything low except its own list of operators; inputs and outputs keep
# their types.
PEER = """
import sys, onnx
from {module} import float16
model = float16.convert_float_to_float16(onnx.load(sys.argv[1]), keep_io_types=True)
onnx.save(model, sys.argv[2])
"""
PEERS = {"onnxconverter-common": PEER.format(module="onnxconverter_common"),
         "onnxruntime": PEER.format(module="onnxruntime.transformers")}


def graphs(graph):
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from graphs(attribute.g)


def casts(path):
    return sum(node.op_type == "Cast" for graph in graphs(onnx.load(path).graph) for node in graph.node)


def shapes_of(model, feeds):
    """Returns the shape of each value in all graphs for these inputs, as far as ONNX infers them."""
    for each in model.graph.input:
        if each.name in feeds:
            shape = each.type.tensor_type.shape
            del shape.dim[:]
            for length in feeds[each.name].shape:
                shape.dim.add(dim_value=length)
    del model.graph.value_info[:]
    inferred = onnx.shape_inference.infer_shapes(model, data_prop=True)
    known = {}
    for graph in graphs(inferred.graph):
        for each in [*graph.input, *graph.output, *graph.value_info]:
            known[each.name] = [d.dim_value for d in each.type.tensor_type.shape.dim]
        for tensor in graph.initializer:
            known[tensor.name] = list(tensor.dims)
        for node in graph.node:
            if node.op_type == "Constant" and node.attribute[0].HasField("t"):
                known[node.output[0]] = list(node.attribute[0].t.dims)
    return known


def products(node, shapes):
    """Returns the number of multiplications of a contraction; unknown shapes count as 1."""
    def count(dims):
        number = 1
        for dim in dims:
            number *= max(1, dim)
        return number
    weight = shapes.get(node.input[1], [1])
    result = shapes.get(node.output[0], [1]) if node.output and node.output[0] else [1]
    if node.op_type in ("MatMul", "Gemm"):
        taken = shapes.get(node.input[0], [1])
        return count(result) * max(1, taken[-1] if taken else 1)
    if node.op_type == "LSTM":
        return count(shapes.get(node.input[0], [1])[:1]) * (count(weight) + count(shapes.get(node.input[2], [1])))
    if node.op_type == "ConvTranspose":
        return count(shapes.get(node.input[0], [1])) * count(weight[1:])
    return count(result) * count(weight[1:])


def work_in(report, path, feeds):
    """Returns the fraction of the contractions' work that runs low."""
    model = onnx.load(path)
    shapes = shapes_of(model, feeds)
    precision = {node["name"]: node["precision"] for node in json.loads(report.read_text())["nodes"]}
    low = whole = 0
    for graph in graphs(model.graph):
        for node in graph.node:
            if node.op_type not in CONTRACTIONS:
                continue
            numbers = products(node, shapes)
            whole += numbers
            name = node.name or next(each for each in node.output if each)
            low += numbers if precision[name] == "float16" else 0
    return low / whole


def run(*command):
    done = subprocess.run([str(each) for each in command], capture_output=True, text=True, check=False, timeout=600)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.stdout[-300:]}{done.stderr[-300:]}")
    return done.stdout


def write_samples(folder, inputs):
    shutil.rmtree(folder, ignore_errors=True)
    for i, feeds in enumerate(inputs[::max(1, len(inputs) // SAMPLES)][:SAMPLES]):
        (folder / str(i)).mkdir(parents=True)
        for name, array in feeds.items():
            numpy.save(folder / str(i) / f"{name}.npy", array)


def tuned(program, task, folder):
    """Raises the opset and fuses first, as the README says: tuning does not change the model
    itself."""
    base, found, out = folder / "base.onnx", folder / "found.json", folder / "tuned.onnx"
    opset = json.loads((folder / "report.json").read_text())["totals"].get("opset")
    fused = run(program, "convert", task.path, "-o", base, "--exclude", ".*", "--fuse")
    if opset and "--opset: raised" not in fused:
        run(program, "convert", task.path, "-o", base, "--exclude", ".*", "--fuse", "--opset", opset)
    write_samples(folder / "samples", task.inputs())
    run(program, "tune", base, "--inputs-from", folder / "samples", "--max-error", BOUND, "--beyond-list",
"--time-budget", SECONDS, "-o", found)
    run(program, "convert", base, "-o", out, "--list", found)
    return casts(out), task.score(out)


def is_beyond_bound(program, task, model, folder):
    """Returns whether an output deviates, on the samples, by more than opledger's bound, with this
    machine's kernels."""
    done = subprocess.run([program, "compare", task.path, model, "--inputs-from", folder / "samples", "--max-error",
                           BOUND], capture_output=True, check=False, timeout=300)
    return done.returncode == 1


def check(program, task, folder):
    """Returns (problems, the figures as text)."""
    listed, report = folder / "listed.onnx", folder / "report.json"
    run(program, "convert", task.path, "-o", listed, "--report", report)
    ours = task.score(listed)
    work = work_in(report, task.path, task.inputs()[0])
    low_casts, low_score = tuned(program, task, folder)
    figures = [f"{task.name:24} float32 {task.score(task.path):.3f}",
               f"list {casts(listed)} casts {ours:.3f} {100 * work:.0f} %", f"tuned {low_casts} casts {low_score:.3f}"]
    problems = [f"{task.name}: {100 * work:.1f} % of the contractions' work is in float16"] if work < WORK else []
    brain = json.loads(run(program, "convert", task.path, "-o", folder / "bf.onnx", "--target-dtype", "bfloat16",
                           "--report", folder / "bf.json") and (folder / "bf.json").read_text())
    low = {node["name"] for node in json.loads(report.read_text())["nodes"]
           if node["operator"] in CONTRACTIONS and node["precision"] == "float16"}
    missing = low - {node["name"] for node in brain["nodes"] if node["precision"] == "bfloat16"}
    problems += [f"{task.name}: not in bfloat16: {sorted(missing)[:3]}"] if missing else []
    for name, code in PEERS.items():
        out = folder / "peer.onnx"
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", code, task.path, out], capture_output=True,
                              check=False, timeout=300)
        if done.returncode != 0:
            figures.append(f"{name} fails")
            continue
        try:
            theirs, count = task.score(out), casts(out)
        except Exception:  # ONNX Runtime's exceptions have no common class
            figures.append(f"{name} does not load")
            continue
        figures.append(f"{name} {count} casts {theirs:.3f}")
        if theirs > ours:
            problems.append(f"{task.name}: by the list {ours:.4f}, {name} {theirs:.4f}")
        if theirs >= low_score and count < low_casts and not is_beyond_bound(program, task, out, folder):
            problems.append(f"{task.name}: tuned {low_casts} casts, {name} {count} at a score as high")
    return problems, " | ".join(figures)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--every", type=int, default=1, help="if more than 1: only two models")
    arguments = parser.parse_args()
    if onnx is None:
        peers.require(arguments.bin, "onnx", "onnxruntime", "onnxconverter_common", "PIL")
    found, missing = trained_models.tasks()
    if shutil.which("espeak-ng") is None:
        found = [task for task in found if "silero" not in task.name]
        missing.append("espeak-ng")
    if arguments.every > 1:
        found = [task for task in found if task.name in ("ocr-cls", "silero-vad-16k-sequence")]
    if not found:
        print(f"SKIPPED: {', '.join(missing)} missing; ci/setup installs them")
        return 77
    problems, done = [], 0
    with tempfile.TemporaryDirectory() as scratch:
        for task in found:
            if arguments.only not in (None, task.name):
                continue
            folder = pathlib.Path(scratch) / task.name
            folder.mkdir()
            wrong, figures = check(arguments.bin / "opledger", task, folder)
            problems += wrong
            done += 1
            if arguments.table or wrong:
                print(figures, flush=True)
    for each in problems:
        print(each)
    print(f"{done} trained models" + (f"; missing: {', '.join(missing)}" if missing else ""))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
