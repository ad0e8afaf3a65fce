#!/usr/bin/env python3
"""Tests `opledger compare` on many models: a float32 node with exact inputs is within float32's
rounding of the float64 result, so everything is computed in float64; and a converted network has,
node for node, the errors of the original run with the list.

Prints deviations, and the counts. Exit status: 0 success, 1 failure, 77 the test data is missing.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/conversion")]
from model_data import MXNET, ONNX, require  # noqa: E402

FOLDERS = ("node", "simple", "pytorch-operator", "pytorch-converted")
NETWORKS = {  # with sizes for the dimensions that they leave open
    "gen/bert_fused_ln_external": ["input_ids=1,8", "attention_mask=1,8", "token_type_ids=1,8"],
    "gen/bert_tiny": ["input_ids=1,8", "attention_mask=1,8", "token_type_ids=1,8"],
    "gen/llama_tiny": ["input_ids=1,8", "position_ids=1,8"],
    "gen/resnet_tiny": ["data=1,3,64,64"]}
MXNET_NETWORKS = {"v10901/residual-symbol.json": ["data=2,3,8,8"], "gen/resnet_tiny/model-symbol.json": ["data=1,3,32,32"]}
ROUNDING = 1e-6  # in float32: the largest observed is 2.4e-7
# Its sizes are random, so it runs in stages; its single element is the result of a cancellation.
CANCELS = {"node/test_resize_downsample_sizes_linear_antialias/model.onnx": 2e-6}


def compare(program, *arguments):
    """Returns the JSON output; None if the models cannot be compared."""
    done = subprocess.run([program, "--compare", *arguments, "--format", "json"], capture_output=True,
                          text=True, check=False, timeout=900)
    if done.returncode == 2:
        return None
    if done.returncode != 0:
        raise RuntimeError(f"exit status {done.returncode}: {done.stderr[-300:]}")
    return json.loads(done.stdout)


def rounding_problems(said, bound):
    """Returns nodes of a model compared with itself that deviate more than their type explains."""
    problems = [f"{said['unmatched_nodes']} nodes without a value"] if said["unmatched_nodes"] else []
    for node in said["nodes"]:
        own = node.get("own_error", node["error"])
        if own["dtype"] == "float32" and (own["not_finite"] or not own["relative_l2"] <= bound):
            problems.append(f"{node['name']} ({node['operator']}): {own}")
        if node["error"] != node["first_error"]:
            problems.append(f"{node['name']}: two errors for one model")
    return problems


def conversion_problems(programs, path, shapes, target, folder):
    """Returns None if the network cannot be run."""
    shapes = [word for shape in shapes for word in ("--input-shape", shape)]
    run, convert = programs
    own, second, mixed = [], [folder / "mixed.onnx"], folder / "mixed.onnx"
    if path.suffix == ".json":  # an MXNet model
        params = path.with_name(path.name.replace("-symbol.json", "-0000.params"))
        own, mixed = ["--params", params], folder / "mixed"
        second = [folder / "mixed-symbol.json", "--second-params", folder / "mixed-0000.params"]
    done = subprocess.run([convert, path, *own, "-o", mixed, "--target-dtype", target, "--unlisted", "ignore"],
                          capture_output=True, text=True, check=False, timeout=900)
    converted = compare(run, path, *second, *own, *shapes) if done.returncode == 0 else None
    if converted is None:
        return None
    cast = compare(run, path, *own, "--autocast", target, *shapes)
    differing = [a["name"] for a, b in zip(converted["nodes"], cast["nodes"]) if a != b]
    if len(converted["nodes"]) != len(cast["nodes"]) or converted["outputs"] != cast["outputs"]:
        differing.append("the outputs")
    return [f"converted to {target} it differs from autocast: {', '.join(differing)}"] if differing else []


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    require(ONNX)
    programs = [options.bin.resolve() / name for name in ("opledger-run", "opledger-convert")]
    problems, exact, same = [], 0, 0
    for path in [p for f in FOLDERS for p in sorted((ONNX / f).rglob("*.onnx"))][::options.every]:
        said = compare(programs[0], path, path)
        exact += said is not None
        name = path.relative_to(ONNX).as_posix()
        found = rounding_problems(said, CANCELS.get(name, ROUNDING)) if said else []
        problems += [f"{name}: {p}" for p in found]
    networks = [(ONNX / name / "model.onnx", shapes) for name, shapes in NETWORKS.items()]
    networks += [(MXNET / name, shapes) for name, shapes in MXNET_NETWORKS.items()]
    networks = list(enumerate(networks))[::options.every]
    for i, (path, shapes) in networks:
        with tempfile.TemporaryDirectory() as folder:
            found = conversion_problems(programs, path, shapes, ("float16", "bfloat16")[i % 2],
                                        pathlib.Path(folder))
        same += found == []
        problems += [f"{path.parent.name}/{path.name}: {p}" for p in found or []]
    for problem in problems:
        print(problem)
    print(f"{exact} models are within {ROUNDING} of float64 node by node; {same} conversions have the "
          f"errors of autocast")
    return 1 if problems or not exact or same < len(networks) else 0


if __name__ == "__main__":
    sys.exit(main())
