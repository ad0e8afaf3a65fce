#!/usr/bin/env python3
"""Networks in QDQ, by opledger and by ONNX Runtime: `opledger bench --suite` on a suite that this writes.

    tests/bench/quantized_benchmark.py [--build build] [--only REGEX] [--runs N] [--keep DIR]

ViT-S/16, ConvNeXt-T and an encoder of 1500 × 384 like Whisper's, with random weights and Gelu written out, quantized
statically by ONNX Runtime's quantizer: activations of uint8 and of int8, weights of int8 by channel. One thread.
Exit status: 0 the bar is met, 1 it is not, 2 some model did not run, 77 a package is missing.
"""
# SPDX-License-Identifier: Apache-2.0

import json
import pathlib
import re
import subprocess
import sys
import tempfile

from suite_benchmark import options_of, peers, quantize_statically

BAR = {"ratio": "float32", "each": 1.0}


class Layers:
    """Layers of transformers over rows of `hidden` elements."""

    def __init__(self, seed):
        from trap_networks import Network
        self.net = Network(seed)

    def dense(self, x, of, to):
        bias = self.net.weight(to, scale=0.02)
        return self.net("Add", self.net("MatMul", x, self.net.weight(of, to, scale=of ** -0.5)), bias)

    def conv(self, x, of, to, kernel, stride=1, groups=1, rank=2, pad=0):
        weight = self.net.weight(to, of // groups, *[kernel] * rank)
        return self.net("Conv", x, weight, self.vector(to, 0), kernel_shape=[kernel] * rank, strides=[stride] * rank,
                        pads=[pad] * 2 * rank, group=groups)

    def vector(self, size, value):
        import numpy
        return self.net.constant(numpy.full(size, value, numpy.float32))

    def scalar(self, value):
        import numpy
        return self.net.constant(numpy.float32(value))

    def shape(self, *sizes):
        import numpy
        return self.net.constant(numpy.array(sizes, numpy.int64))

    def norm(self, x, size):
        return self.net("LayerNormalization", x, self.vector(size, 1), self.vector(size, 0), axis=-1)

    def gelu(self, x):
        erf = self.net("Erf", self.net("Div", x, self.scalar(2 ** 0.5)))
        return self.net("Mul", self.net("Mul", x, self.net("Add", erf, self.scalar(1))), self.scalar(0.5))

    def attention(self, x, rows, hidden, heads):
        def split(y, perm):
            return self.net("Transpose", self.net("Reshape", y, self.shape(1, rows, heads, hidden // heads)), perm=perm)
        q, k, v = (split(self.dense(x, hidden, hidden), perm) for perm in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]))
        scores = self.net("Mul", self.net("MatMul", q, k), self.scalar((hidden // heads) ** -0.5))
        mixed = self.net("Transpose", self.net("MatMul", self.net("Softmax", scores, axis=-1), v), perm=[0, 2, 1, 3])
        return self.dense(self.net("Reshape", mixed, self.shape(1, rows, hidden)), hidden, hidden)

    def block(self, x, rows, hidden, heads):
        x = self.net("Add", x, self.attention(self.norm(x, hidden), rows, hidden, heads))
        inner = self.gelu(self.dense(self.norm(x, hidden), hidden, 4 * hidden))
        return self.net("Add", x, self.dense(inner, 4 * hidden, hidden))


def vit():
    layers, hidden = Layers(1), 384
    patches = layers.conv("image", 3, hidden, 16, 16)
    x = layers.net("Transpose", layers.net("Reshape", patches, layers.shape(1, hidden, 196)), perm=[0, 2, 1])
    x = layers.net("Add", x, layers.net.weight(1, 196, hidden, scale=0.02))
    for _ in range(12):
        x = layers.block(x, 196, hidden, 6)
    x = layers.net("ReduceMean", layers.norm(x, hidden), axes=[1], keepdims=0)
    return layers.net.model([("image", 1, [1, 3, 224, 224])], [(layers.dense(x, hidden, 1000), 1, [1, 1000])], 17)


def convnext():
    layers = Layers(2)
    last, first = [0, 2, 3, 1], [0, 3, 1, 2]

    def norm(x, size):
        return layers.net("Transpose", layers.norm(layers.net("Transpose", x, perm=last), size), perm=first)

    x = norm(layers.conv("image", 3, 96, 4, 4), 96)
    sizes = [96, 192, 384, 768]
    for stage, (size, blocks) in enumerate(zip(sizes, (3, 3, 9, 3))):
        if stage:
            x = layers.conv(norm(x, sizes[stage - 1]), sizes[stage - 1], size, 2, 2)
        for _ in range(blocks):
            y = layers.norm(layers.net("Transpose", layers.conv(x, size, size, 7, groups=size, pad=3), perm=last), size)
            y = layers.dense(layers.gelu(layers.dense(y, size, 4 * size)), 4 * size, size)
            y = layers.net("Transpose", layers.net("Mul", y, layers.vector(size, 0.3)), perm=first)
            x = layers.net("Add", x, y)
    x = layers.norm(layers.net("Flatten", layers.net("GlobalAveragePool", x)), 768)
    return layers.net.model([("image", 1, [1, 3, 224, 224])], [(layers.dense(x, 768, 1000), 1, [1, 1000])], 17)


def encoder():
    layers, rows, hidden = Layers(3), 1500, 384
    x = layers.gelu(layers.conv("sound", 80, hidden, 3, rank=1, pad=1))
    x = layers.gelu(layers.conv(x, hidden, hidden, 3, 2, rank=1, pad=1))
    x = layers.net("Add", layers.net("Transpose", x, perm=[0, 2, 1]), layers.net.weight(rows, hidden, scale=0.02))
    for _ in range(4):
        x = layers.block(x, rows, hidden, 6)
    return layers.net.model([("sound", 1, [1, 80, 2 * rows])], [(layers.norm(x, hidden), 1, [1, rows, hidden])], 17)


NETWORKS = {"vit-s": (vit, {"image": [1, 3, 224, 224]}), "convnext-t": (convnext, {"image": [1, 3, 224, 224]}),
            "encoder": (encoder, {"sound": [1, 80, 3000]})}


def write_suite(folder, only):
    import onnx
    from onnxruntime.quantization import QuantType
    families = []
    for name, (make, shapes) in NETWORKS.items():
        for activations in ("uint8", "int8"):
            family = f"{name}-{activations}"
            path = folder / f"{family}.onnx"
            if not re.search(only, family):
                continue
            if not path.exists():
                onnx.save(onnx.shape_inference.infer_shapes(make()), folder / f"{name}.onnx")
                quantize_statically(folder / f"{name}.onnx", path, shapes, per_channel=True,
                                    activation_type=QuantType.QUInt8 if activations == "uint8" else QuantType.QInt8)
            families.append({"family": family, "models": [{"model": path.name}]})
    suite = folder / "suite.json"
    bar = {**BAR, "families": [each["family"] for each in families]}
    suite.write_text(json.dumps({"families": families, "bars": [bar]}, indent=1) + "\n", encoding="utf-8")
    return suite


def main():
    options = options_of(__doc__)
    try:
        import onnx  # noqa: F401
        import onnxruntime  # noqa: F401
    except ImportError:
        peers.require(options.build / "bin", "onnx", "onnxruntime")
    with tempfile.TemporaryDirectory() as scratch:
        folder = (options.keep or pathlib.Path(scratch)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        bench = [options.build.resolve() / "bin/opledger", "bench", "--suite", write_suite(folder, options.only),
                 "--onnxruntime", sys.executable, "--runs", str(options.runs), "--threads", "1"]
        if options.json:
            bench += ["--format", "json", "-o", options.json]
        return subprocess.run(bench, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
