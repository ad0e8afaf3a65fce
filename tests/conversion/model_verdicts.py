#!/usr/bin/env python3
"""Asks the installed onnx checker and ONNX Runtime whether each ONNX model of the test data is
valid, so that no test has to rely on file names. The answers are cached beside the models that
ci/test-data makes, until a model, the onnx package or ONNX Runtime changes.

    model_verdicts.py refused      prints the models that one of the two refuses, a path a line
    model_verdicts.py nodes        prints how many nodes all graphs and functions of all models have, by onnx
"""
# SPDX-License-Identifier: Apache-2.0

import functools
import hashlib
import json
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import peers  # noqa: E402
import test_data  # noqa: E402
from model_data import onnx_models  # noqa: E402

try:
    import onnx
    import onnxruntime
except ImportError:
    onnx = onnxruntime = None


def check_model(path):
    onnx.checker.check_model(str(path))


def load_model(path):
    onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])


def accepted(check, path):
    """Returns whether a peer's check returns; each peer raises its own exceptions."""
    try:
        check(path)
        return True
    except Exception:  # pylint: disable=broad-except
        return False


def _key(models):
    digest = hashlib.sha256(f"{onnx.__version__} {onnxruntime.__version__}".encode())
    for path in models:
        status = path.stat()
        digest.update(f"{path} {status.st_size} {status.st_mtime_ns}\n".encode())
    return digest.hexdigest()


@functools.cache
def verdicts():
    """Returns path -> (whether onnx's checker accepts the model, whether ONNX Runtime loads it)."""
    models = onnx_models()
    file, key = test_data.MADE / "verdicts.json", _key(models)
    try:
        kept = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        kept = {}
    if kept.get("key") != key:
        onnxruntime.set_default_logger_severity(4)
        kept = {"key": key, "models": {str(path): [accepted(check_model, path), accepted(load_model, path)]
                                       for path in models}}
        file.parent.mkdir(parents=True, exist_ok=True)
        scratch = file.with_name(f"{file.name}.{os.getpid()}")
        scratch.write_text(json.dumps(kept), encoding="utf-8")
        scratch.rename(file)
    return {pathlib.Path(path): tuple(said) for path, said in kept["models"].items()}


def is_refused(path):
    """Returns whether onnx's checker or ONNX Runtime refuses the model."""
    return not all(verdicts()[path])


def nodes_of(model):
    parts, count = [model.graph, *model.functions], 0
    while parts:
        nodes = parts.pop().node
        count += len(nodes)
        parts += [inner for node in nodes for attribute in node.attribute
                  for inner in ([attribute.g] if attribute.HasField("g") else []) + list(attribute.graphs)]
    return count


def main():
    if onnx is None:
        peers.require(ROOT / "build/bin", "onnx", "onnxruntime")
    if sys.argv[1:] == ["nodes"]:
        print(sum(nodes_of(onnx.load(path, load_external_data=False)) for path in onnx_models()))
        return
    if sys.argv[1:] != ["refused"]:
        sys.exit(__doc__)
    for path, said in verdicts().items():
        if not all(said):
            print(path.resolve())  # as test_data.py prints their folder


if __name__ == "__main__":
    main()
