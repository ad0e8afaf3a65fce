#!/usr/bin/env python3
"""Running a float32 model with a list yields the bits of the converted model, in both types: for
networks with the shipped lists, for ONNX's node tests with a list that has every operator as
target; and with other options that decide: --hazards, input ranges.

Prints differences, how many models the list changes, and the count. Exit status: 0 all are equal, 1
otherwise, 77 the test data or the Python package onnx is missing.
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
from model_data import ONNX, onnx_operators, require  # noqa: E402
from model_run import read_arguments  # noqa: E402

NETWORKS = ("gen", "light", "simple", "pytorch-converted", "pytorch-operator")
SAMPLE = 20  # every twentieth node test, every fourth network


def forced_list(model, target, path):
    """Writes a list that has all operators of the model as target."""
    operators = sorted(set(onnx_operators(model.graph)))
    path.write_text(json.dumps({"framework": "onnx", "target_dtype": target, "target": operators}))
    return ["--list", path]


def outputs_of(program, model, folder, inputs, *options):
    """Returns the bytes of the outputs by name; None if the model cannot be run."""
    done = subprocess.run([program, model, "-o", folder, *inputs, *options], capture_output=True,
                          text=True, check=False, timeout=900)
    if done.returncode == 2:
        return None
    if done.returncode != 0:
        raise RuntimeError(f"exit status {done.returncode}: {done.stderr[-300:]}")
    return {f.name: f.read_bytes() for f in folder.iterdir()}


def ways_of(model):
    """Returns options that both programs accept."""
    initial = {t.name for t in model.graph.initializer}
    of_floats = [i.name for i in model.graph.input if i.name not in initial and i.type.tensor_type.elem_type == 1]
    ranges = [word for name in of_floats for word in ("--input-range", f"{name}=0,3000")]
    return ([], ["--hazards", "report"], *([ranges] if ranges else []))


def compare(path, model, programs, target, forced, way, folder):
    """Returns ("equal" | "unchanged" | "none" | "differ", why) for one model and one type."""
    run, convert = programs
    initial = {t.name for t in model.graph.initializer}
    names = [i.name for i in model.graph.input if i.name not in initial]
    inputs = [word for name in names for word in ("--input", f"{name}=random")]
    lists = [*way, *(forced_list(model, target, folder / "list.json") if forced else [])]
    mixed = folder / "mixed.onnx"
    done = subprocess.run([convert, path, "-o", mixed, "--target-dtype", target, *lists,
                           "--unlisted", "ignore"], capture_output=True, text=True, check=False,
                          timeout=900)
    if done.returncode != 0:
        return "none", ""
    if mixed.read_bytes() == path.read_bytes():
        return "unchanged", ""
    of_mixed = outputs_of(run, mixed, folder / "converted", inputs)
    of_cast = outputs_of(run, path, folder / "autocast", inputs, "--autocast", target, *lists)
    if of_mixed is None or of_cast is None:
        return ("none", "") if of_mixed == of_cast else ("differ", "only one of them runs")
    if of_mixed.keys() != of_cast.keys():
        return "differ", "their outputs have other names"
    differing = [name for name in of_mixed if of_mixed[name] != of_cast[name]]
    return ("differ", ", ".join(differing)) if differing else ("equal", "")


def main():
    options = read_arguments(__doc__, all_means="all of them, not a sample")
    try:
        import onnx
    except ImportError:
        peers.require(options.bin, "onnx")
    require(ONNX)
    programs = [options.bin.resolve() / name for name in ("opledger-run", "opledger-convert")]
    networks = [p for f in NETWORKS for p in sorted((ONNX / f).rglob("*.onnx"))]
    networks = networks[::1 if options.all else SAMPLE // 5]
    nodes = sorted((ONNX / "node").glob("*/model.onnx"))[::1 if options.all else SAMPLE]
    chosen = [(p, False) for p in networks] + [(p, True) for p in nodes]
    counts = collections.Counter()
    for path, forced in [c for c in chosen if options.only in str(c[0])][::options.every]:
        model = onnx.load(path, load_external_data=False)
        for target in ("float16", "bfloat16"):
            for way in ways_of(model):
                with tempfile.TemporaryDirectory() as folder:
                    what, why = compare(path, model, programs, target, forced, way, pathlib.Path(folder))
                counts[what] += 1
                if why:
                    print(f"{what}: {path.relative_to(ONNX)} in {target} {way}: {why}", flush=True)
    print(f"{counts['equal']} conversions run to the bits of autocast, {counts['differ']} do not; "
          f"{counts['unchanged']} change nothing, {counts['none']} cannot be run or converted")
    return 1 if counts["differ"] or not counts["equal"] else 0


if __name__ == "__main__":
    sys.exit(main())
