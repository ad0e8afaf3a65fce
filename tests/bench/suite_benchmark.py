#!/usr/bin/env python3
"""Compares opledger with ONNX Runtime on realistic models.
Writes a suite and runs `opledger bench --suite`.

    tests/bench/suite_benchmark.py [--build build] [--only REGEX] [--runs N] [--keep DIR]

Families: the models in the packages rapidocr-onnxruntime, silero-vad and magika of the build's
virtual environment (ci/setup); generated with random weights: ResNet-50 with batch normalization
nodes, BERT-base with LayerNormalization as one node and decomposed, a network like MobileNetV3, and
a GRU; two of the packages' models with 8-bit integers from ONNX Runtime's quantizer. The bars are
for the families that are not generated. The 16-bit runs use the output of `opledger convert`, which
raises the opset. `--keep` leaves the models and the suite in DIR, for later runs. Exit status: 0
all bars are met, 1 some are not, 2 some model did not run, 77 a package is missing.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import pathlib
import re
import subprocess
import sys
import sysconfig
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/conversion")]
import peers  # noqa: E402

NAMED = ["ocr-det", "ocr-rec", "ocr-cls", "silero-vad", "magika", "resnet50", "bert-base"]
BARS = [
    {"ratio": "float32", "mean": 1.0, "each": 1.3, "families": NAMED},
    *({"ratio": "bfloat16", "each": each, "families": ["resnet50", "bert-base", "ocr-det"], "where": where}
      for each, where in ((0.6, "core_bf16"), (0.35, "_amx"))),
    {"ratio": "float16/float32", "mean": 1.05, "each": 1.2, "families": NAMED},
    {"ratio": "planning", "each": 1.0, "families": NAMED},
    {"ratio": "seen-shape", "each": 1.05, "or_seconds": 20e-6, "families": NAMED},
    {"ratio": "new-shape", "each": 1.0, "families": NAMED},
    {"ratio": "memory", "each": 1.0, "families": NAMED},
]


def mobilenet():
    """Returns inverted residuals with squeeze-and-excitation and hard swish: a few rows of
    MobileNetV3."""
    import numpy
    from trap_networks import Network
    net = Network(3)

    def conv(x, to, of, kernel=1, stride=1, groups=1, activation=None):
        x = net("Conv", x, net.weight(to, of // groups, kernel, kernel), kernel_shape=[kernel] * 2,
                strides=[stride] * 2, pads=[kernel // 2] * 4, group=groups)
        one, zero = numpy.ones(to, numpy.float32), numpy.zeros(to, numpy.float32)
        x = net("BatchNormalization", x, *map(net.constant, (one, zero, zero, one)))
        return net(activation, x) if activation else x

    def excite(x, channels):
        s = net("GlobalAveragePool", x)
        s = net("Relu", net("Conv", s, net.weight(channels // 4, channels, 1, 1)))
        return net("Mul", x, net("HardSigmoid", net("Conv", s, net.weight(channels, channels // 4, 1, 1)),
                                 alpha=1 / 6))

    x = conv("image", 16, 3, 3, 2, activation="HardSwish")
    channels = 16
    for kernel, inner, to, excited, activation, stride in (
            (3, 16, 16, False, "Relu", 1), (3, 64, 24, False, "Relu", 2), (3, 72, 24, False, "Relu", 1),
            (5, 72, 40, True, "Relu", 2), (5, 120, 40, True, "Relu", 1), (3, 240, 80, False, "HardSwish", 2),
            (3, 200, 80, False, "HardSwish", 1), (3, 480, 112, True, "HardSwish", 1),
            (5, 672, 160, True, "HardSwish", 2), (5, 960, 160, True, "HardSwish", 1)):
        y = conv(x, inner, channels, activation=activation)
        y = conv(y, inner, inner, kernel, stride, inner, activation)
        y = conv(excite(y, inner) if excited else y, to, inner)
        x = net("Add", x, y) if stride == 1 and to == channels else y
        channels = to
    x = net("Flatten", net("GlobalAveragePool", conv(x, 960, 160, activation="HardSwish")))
    x = net("HardSwish", net("Gemm", x, net.weight(960, 1280)))
    return net.model([("image", 1, [1, 3, 224, 224])], [(net("Gemm", x, net.weight(1280, 1000)), 1, [1, 1000])], 14)


def gru(features=80, hidden=256):
    import numpy
    from trap_networks import Network
    net = Network(5)
    x = net("Transpose", "frames", perm=[1, 0, 2])
    size = features
    for _ in range(2):
        x = net("GRU", x, net.weight(2, 3 * hidden, size, scale=0.1), net.weight(2, 3 * hidden, hidden, scale=0.1),
                net.weight(2, 6 * hidden, scale=0.1), hidden_size=hidden, direction="bidirectional",
                linear_before_reset=1)
        size = 2 * hidden
        x = net("Reshape", net("Transpose", x, perm=[0, 2, 1, 3]), net.constant(numpy.int64([0, 0, size])))
    return net.model([("frames", 1, [1, "steps", features])],
                     [(net("MatMul", x, net.weight(size, 64)), 1, None)], 14)


def made():
    """Returns name -> function that generates the model."""
    from trap_networks import bert, resnet
    return {"resnet50": lambda: resnet(64, (3, 4, 6, 3), 224, 1000, folded=False),
            "bert-base": lambda: bert(12, 768, 12, 128, 30522, opset=17),
            "bert-base-written-out": lambda: bert(12, 768, 12, 128, 30522),
            "mobilenet-v3": mobilenet, "gru": gru}


def quantize_statically(model, path, shapes, **options):
    """Writes the model in QDQ, with scales from two random inputs of the given shapes."""
    import numpy
    from onnxruntime import quantization

    class Inputs(quantization.CalibrationDataReader):
        def __init__(self):
            self.random, self.left = numpy.random.default_rng(1), 2

        def get_next(self):
            self.left -= 1
            return {name: self.random.random(shape, dtype=numpy.float32)
                    for name, shape in shapes.items()} if self.left >= 0 else None

    quantization.quantize_static(model, path, Inputs(), **options)


def quantised(folder, packages, only):
    """Returns families of the packages' models, quantized dynamically, and statically with scales
    from random images."""
    from onnxruntime import quantization

    families = {}
    for family, shape, forms in (("ocr-det", [1, 3, 320, 320], ("qdq",)), ("ocr-cls", [1, 3, 48, 192], ("dynamic", "qdq"))):
        model = packages[family][0]["model"]
        for form in forms:
            name = f"{family}-int8-{form}"
            path = folder / f"{name}.onnx"
            if not re.search(only, name):
                continue
            if form == "dynamic" and not path.exists():
                quantization.quantize_dynamic(model, path, weight_type=quantization.QuantType.QInt8)
            elif not path.exists():
                quantize_statically(model, path, {"x": shape})
            families[name] = [{"model": path.name, "input_shapes": {"x": shape}, "new_shapes": {"x": [2, *shape[1:]]}}]
    return families


def packaged(folder):
    """Returns families of the models in packages."""
    import numpy
    packages = pathlib.Path(sysconfig.get_paths()["purelib"])
    ocr, silero = packages / "rapidocr_onnxruntime/models", packages / "silero_vad/data"
    rate = folder / "rate.npy"
    numpy.save(rate, numpy.int64(16000))
    state, voice = [2, 1, 128], [1, 576]

    def one(path, shape, new):
        return [{"model": str(path), "input_shapes": {"x": shape}, "new_shapes": {"x": new}}]

    return {
        "ocr-det": one(ocr / "ch_PP-OCRv4_det_infer.onnx", [1, 3, 640, 640], [1, 3, 480, 640]),
        "ocr-rec": one(ocr / "ch_PP-OCRv4_rec_infer.onnx", [1, 3, 48, 320], [1, 3, 48, 240]),
        "ocr-cls": one(ocr / "ch_ppocr_mobile_v2.0_cls_infer.onnx", [1, 3, 48, 192], [2, 3, 48, 192]),
        "silero-vad": [
            *({"model": str(silero / f"silero_vad{name}.onnx"), "inputs": {"sr": str(rate)},
               "input_shapes": {"input": voice, "state": state},
               "new_shapes": {"input": [2, 576], "state": [2, 2, 128]}} for name in ("", "_16k_op15", "_op18_ifless")),
            {"model": str(silero / "silero_vad_16k_sequence.onnx"), "input_shapes": {"input": [32, 576]},
             "new_shapes": {"input": [64, 576]}}],
        "magika": [{"model": str(packages / "magika/models/standard_v3_3/model.onnx"),
                    "input_shapes": {"bytes": [1, 2048]}, "new_shapes": {"bytes": [2, 2048]}}],
    }


def write_suite(folder, bin_folder, only):
    """Returns the suite's path; writes the missing models."""
    import onnx
    families = packaged(folder)
    families |= quantised(folder, families, only)
    for name, make in made().items():
        family = "bert-base" if name.startswith("bert") else name
        path = folder / f"{name}.onnx"
        if not re.search(only, family):
            continue
        if not path.exists():
            onnx.save(make(), path)
        model = {"model": path.name}
        if name == "gru":
            model |= {"input_shapes": {"frames": [1, 100, 80]}, "new_shapes": {"frames": [1, 50, 80]}}
        families.setdefault(family, []).append(model)
    families = {family: models for family, models in families.items() if re.search(only, family)}
    for family, models in families.items():
        for model in models:
            for target in ("float16", "bfloat16"):
                low = folder / f"{family}-{pathlib.Path(model['model']).stem}-{target}.onnx"
                convert = [bin_folder / "opledger", "convert", folder / model["model"], "-o", low, "--target-dtype", target]
                if low.exists() or subprocess.run(convert, capture_output=True, check=False).returncode == 0:
                    model.setdefault("converted", {})[target] = low.name
    bars = [{**bar, "families": [name for name in bar["families"] if name in families]} for bar in BARS]
    suite = folder / "suite.json"
    suite.write_text(json.dumps({
        "families": [{"family": family, "models": models} for family, models in families.items()],
        "bars": [bar for bar in bars if bar["families"]]}, indent=1) + "\n", encoding="utf-8")
    return suite


def options_of(description):
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--only", default="", metavar="REGEX", help="families")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write the figures, too")
    return parser.parse_args()


def main():
    options = options_of(__doc__)
    try:
        import onnx  # noqa: F401
        import onnxruntime  # noqa: F401
    except ImportError:
        peers.require(options.build / "bin", "onnx", "onnxruntime", "rapidocr_onnxruntime", "silero_vad", "magika")
    with tempfile.TemporaryDirectory() as scratch:
        folder = (options.keep or pathlib.Path(scratch)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        suite = write_suite(folder, options.build.resolve() / "bin", options.only)
        bench = [options.build.resolve() / "bin/opledger", "bench", "--suite", suite, "--onnxruntime",
                 sys.executable, "--runs", str(options.runs)]
        if options.json:
            bench += ["--format", "json", "-o", options.json]
        return subprocess.run(bench, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
