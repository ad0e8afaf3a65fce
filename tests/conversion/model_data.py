"""Finds the real models that tests convert, and the files that belong to them."""
# SPDX-License-Identifier: Apache-2.0

import pathlib
import sys
import sysconfig

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from test_data import MXNET, ONNX, require_models as require  # noqa: E402,F401


def onnx_models():
    """Returns valid and invalid models; model_verdicts tells which ones peers refuse."""
    return sorted(ONNX.glob("**/*.onnx"))


def trained_onnx_models():
    """Returns the models in packages of the current Python; ci/setup installs them for the
    build's."""
    packages = pathlib.Path(sysconfig.get_paths()["purelib"])
    folders = ("rapidocr_onnxruntime/models", "silero_vad/data", "magika/models")
    return sorted(path for folder in folders for path in (packages / folder).rglob("*.onnx"))


def mxnet_symbols():
    return sorted(path for path in MXNET.rglob("*.json") if path.name != "expected.json")


def params_of(symbol):
    """Returns the .params file of a symbol, or None."""
    prefix = str(symbol).removesuffix("-symbol.json")
    found = [pathlib.Path(f"{prefix}-{epoch}.params") for epoch in ("0000", "0001")]
    return next((path for path in found if path.is_file()), None)


def onnx_operators(graph):
    """Yields the operator of each node, including inner graphs, with its domain unless that is the
    default."""
    for node in graph.node:
        yield node.op_type if not node.domain else f"{node.domain}.{node.op_type}"
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from onnx_operators(attribute.g)
