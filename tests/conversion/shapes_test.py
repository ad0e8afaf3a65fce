#!/usr/bin/env python3
"""The bytes of casts, as a report tells them, are those of the shapes that onnx's own inference finds:
on the trap models' networks and the test data's, without the shapes that files declare inside.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from model_data import ONNX as DATA
import peers


try:
    import onnx
except ImportError:
    onnx = None


def models():
    import trap_networks
    yield "resnet", trap_networks.resnet()
    yield "bert", trap_networks.bert(2)
    for path in sorted([*DATA.glob("gen/*/model.onnx"), *DATA.glob("pytorch-converted/*/model.onnx")]):
        yield f"{path.parent.name}", onnx.load(path)


def elements(model):
    known = {}
    inferred = onnx.shape_inference.infer_shapes(model, data_prop=True).graph
    for each in [*inferred.input, *inferred.value_info, *inferred.output]:
        shape = each.type.tensor_type.shape
        if each.type.tensor_type.HasField("shape") and all(dim.HasField("dim_value")
                                                           for dim in shape.dim):
            known[each.name] = math.prod(dim.dim_value for dim in shape.dim)
    return known


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/bin")
    parser.add_argument("--every", type=int, default=1, help="only every Nth model")
    options = parser.parse_args()
    if onnx is None:
        peers.require(options.bin, "onnx")
    problems = []
    compared = 0
    with tempfile.TemporaryDirectory(prefix="opledger-shapes-") as folder:
        path, report = pathlib.Path(folder) / "model.onnx", pathlib.Path(folder) / "report.json"
        for name, model in list(models())[::options.every]:
            exact = elements(model)
            del model.graph.value_info[:]
            onnx.save(model, path)
            done = subprocess.run([options.bin.resolve() / "opledger-convert", path, "--dry-run",
                                   "--unlisted", "ignore", "--report", report], check=False,
                                  capture_output=True, text=True)
            if done.returncode:
                problems.append(f"{name}: {done.stderr}")
                continue
            for cast in json.loads(report.read_text())["casts"]:
                found, expected = cast.get("bytes"), exact.get(cast["tensor"])
                expected = None if expected is None else 6 * expected
                compared += found is not None
                if found != expected and expected is not None:
                    problems.append(f"{name}: {cast['tensor']} has {found} bytes, not {expected}")
    print(f"{compared} casts of known size")
    print("\n".join(problems[:30]), end="\n" if problems else "")
    return 1 if problems or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
