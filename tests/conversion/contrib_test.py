#!/usr/bin/env python3
"""Tests ONNX Runtime's own operators.
The shipped signatures equal the runtime's schemas, the lists contain all of them, and a model of
each that runs on a CPU converts to one that runs with the same output. --write regenerates the
signatures.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import peers

SHIPPED = ROOT / "registry/operators/com.microsoft.json"
DOMAIN = "com.microsoft"

try:
    import numpy
    import onnx
    import onnx.parser
    import onnxruntime
except ImportError:
    onnx = None

# Model bodies over x, float[2,4,8], with weights by name and shape.
MODELS = {
    "FusedMatMul": ("y = com.microsoft.FusedMatMul <alpha = 0.5, transB = 1> (x, W)", {"W": (8, 8)}),
    "TransposeMatMul": ("y = com.microsoft.TransposeMatMul <transB = 1> (x, W)", {"W": (8, 8)}),
    "FusedGemm": ("s = Constant <value_ints = [-1, 8]> () r = Reshape(x, s)\n"
                  "y = com.microsoft.FusedGemm <activation = \"Relu\"> (r, W, B)",
                  {"W": (8, 8), "B": (8,)}),
    "FusedConv": ("y = com.microsoft.FusedConv <activation = \"Relu\", kernel_shape = [1]> (x, K, B)",
                  {"K": (4, 4, 1), "B": (4,)}),
    "Attention": ("y = com.microsoft.Attention <num_heads = 2> (x, W, B)",
                  {"W": (8, 24), "B": (24,)}),
    "MultiHeadAttention": ("q = MatMul(x, W) y = com.microsoft.MultiHeadAttention <num_heads = 2>"
                           " (q, x, x)", {"W": (8, 8)}),
    "BiasGelu": ("a = MatMul(x, W) b = com.microsoft.BiasGelu(a, B) y = MatMul(b, W)",
                 {"W": (8, 8), "B": (8,)}),
    "FastGelu": ("a = MatMul(x, W) b = com.microsoft.FastGelu(a, B) y = MatMul(b, W)",
                 {"W": (8, 8), "B": (8,)}),
    "QuickGelu": ("a = MatMul(x, W) b = com.microsoft.QuickGelu <alpha = 1.702> (a) y = MatMul(b, W)",
                  {"W": (8, 8)}),
    "Gelu": ("a = MatMul(x, W) b = com.microsoft.Gelu(a) y = MatMul(b, W)", {"W": (8, 8)}),
    "SkipLayerNormalization": ("a = MatMul(x, W) n, , , s = com.microsoft.SkipLayerNormalization"
                               "(a, x, G, B) t = Add(n, s) y = MatMul(t, W)",
                               {"W": (8, 8), "G": (8,), "B": (8,)}),
    "SkipSimplifiedLayerNormalization": (
        "a = MatMul(x, W) n = com.microsoft.SkipSimplifiedLayerNormalization(a, x, G)\n"
        "y = MatMul(n, W)", {"W": (8, 8), "G": (8,)}),
    "SimplifiedLayerNormalization": (
        "a = MatMul(x, W) n = SimplifiedLayerNormalization <axis = -1, epsilon = 1e-6, stash_type = 1> (a, G)\n"
        "y = MatMul(n, W)", {"W": (8, 8), "G": (8,)}),
    "LayerNormalization": ("a = MatMul(x, W) n = LayerNormalization(a, G, B) y = MatMul(n, W)",
                           {"W": (8, 8), "G": (8,), "B": (8,)}),
    "ThresholdedRelu": ("a = MatMul(x, W) n = ThresholdedRelu <alpha = 0.1> (a) y = MatMul(n, W)", {"W": (8, 8)}),
    "Affine": ("a = MatMul(x, W) n = Affine <alpha = 0.5, beta = 0.25> (a) y = MatMul(n, W)", {"W": (8, 8)}),
    "ScaledTanh": ("a = MatMul(x, W) n = ScaledTanh <alpha = 0.5, beta = 0.25> (a) y = MatMul(n, W)", {"W": (8, 8)}),
    "ParametricSoftplus": ("a = MatMul(x, W) n = ParametricSoftplus <alpha = 0.5, beta = 0.25> (a) y = MatMul(n, W)",
                           {"W": (8, 8)}),
    "RotaryEmbedding": ("a = MatMul(x, W) p = Constant <value = int64[2,4] {0,1,2,3,0,1,2,3}> ()\n"
                        "r = com.microsoft.RotaryEmbedding(a, p, C, S) y = MatMul(r, W)",
                        {"W": (8, 8), "C": (4, 4), "S": (4, 4)}),
    "MatMulNBits": ("y = com.microsoft.MatMulNBits <K = 32, N = 8, bits = 4, block_size = 32>"
                    " (wide, Q, scales)\n", {"scales": (8,), "Q": None}),
}
# Opsets of models other than opset 17.
OPSETS = {"LayerNormalization": 14, "ThresholdedRelu": 9, "Affine": 9, "ScaledTanh": 9, "ParametricSoftplus": 9}


def schemas():
    """Returns the schemas of the runtime's domain, and those it adds to ONNX's, including versions
    that ONNX does not have."""
    from onnxruntime.capi.onnxruntime_pybind11_state import get_all_operator_schema, get_all_opkernel_def
    runs = {each.op_name for each in get_all_opkernel_def() if each.domain == ""}
    own = [each for each in get_all_operator_schema()
           if each.domain == DOMAIN or (each.domain == "" and each.name in runs and not each.deprecated and
                                        "contrib_ops" in each.file)]
    return sorted(own, key=lambda each: (each.domain, each.name))


def parameters(declared):
    found = []
    for each in declared:
        option = str(each.option).split(".")[-1].split(":")[0]
        found.append({"key": each.name, "value": each.typeStr,
                      "details": {"homogeneous": str(each.isHomogeneous).lower(),
                                  "option": option}})
    return found


def operator(schema):
    variables = [{"key": each.type_param_str, "value": ", ".join(each.allowed_type_strs)}
                 for each in schema.type_constraints]
    path = schema.file[schema.file.find("onnxruntime/core"):]
    site = {"path": path, "line": schema.line, "column": 1, "end_line": schema.line,
            "end_column": 1, "condition": "", "macro": "ONNX_MS_OPERATOR_SET_SCHEMA"}
    name = f"{schema.domain}.{schema.name}" if schema.domain else schema.name
    fields = {"inputs": parameters(schema.inputs), "outputs": parameters(schema.outputs), "type_variables": variables}
    if not schema.domain:  # convert reads attributes of such operators
        fields["attributes"] = [attribute_of(schema.attributes[key]) for key in sorted(schema.attributes)]
        stashed = [i for i, each in enumerate(schema.outputs) if each.typeStr == "U"]
        if stashed and "stash_type" in schema.attributes:
            fields["typed_by_attribute"] = [{"key": str(i), "value": "stash_type"} for i in stashed]
    return {"name": name, "aliases": [], "since": schema.since_version, "sites": [site], "fields": fields}


def attribute_of(attribute):
    found = {"key": attribute.name, "value": attribute.type.name}
    if not attribute.required and not attribute._default_value:
        found["details"] = {"required": "false"}
    elif not attribute.required:
        default = onnx.AttributeProto.FromString(attribute._default_value)
        found["details"] = {"default": f"{onnx.helper.get_attribute_value(default):.9g}"}
    return found


def manifest_text():
    found = schemas()
    lines = [json.dumps(operator(each), separators=(",", ":")) for each in found]
    head = {"schema": "opledger-operators/1", "dialect": "onnx", "configuration": "union",
            "configurations": {}, "default_configuration": "",
            "files": len({each.file for each in found})}
    return json.dumps(head)[:-1] + ', "operators": [\n' + ",\n".join(lines) + "\n]}\n"


def check_lists(problems):
    names = {each["name"] for each in json.loads(SHIPPED.read_text())["operators"]}
    for dtype in ("float16", "bfloat16"):
        entries = json.loads((ROOT / f"registry/lists/onnx/{dtype}.json").read_text())
        listed = [entry if isinstance(entry, str) else entry["op"]
                  for policy in ("target", "fp32", "widest", "conditional", "either")
                  for entry in entries.get(policy, [])]
        own = {each for each in listed if each.startswith(DOMAIN + ".") or each in names}
        if own != names or len(listed) != len(set(listed)):
            problems.append(f"{dtype}: lists and signatures differ: {sorted(own ^ names)}")


def model(body, weights, opset):
    rng = numpy.random.default_rng(5)
    wide = "float[2,4,32] wide" if "wide" in body else "float[2,4,8] x"
    made = onnx.parser.parse_model(
        f'<ir_version: 8, opset_import: ["" : {opset}, "{DOMAIN}" : 1]>\n'
        f"own ({wide}) => (float[A,B,C] y) {{ {body} }}".replace(
            "float[A,B,C]", "float[A,B]" if "FusedGemm" in body else "float[A,B,C]"))
    for name, shape in weights.items():
        array = (rng.standard_normal(shape or 1) / 3).astype(numpy.float32)
        if shape is None:
            array = rng.integers(0, 255, (8, 1, 16), numpy.uint8)
        made.graph.initializer.append(onnx.numpy_helper.from_array(array, name))
    return made


def run(path):
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    feed = {each.name: numpy.random.default_rng(7).standard_normal(each.shape).astype(numpy.float32)
            for each in session.get_inputs()}
    return session.run(None, feed)[0]


def check_models(program, problems):
    with tempfile.TemporaryDirectory(prefix="opledger-contrib-") as name:
        folder = pathlib.Path(name)
        for op, (body, weights) in MODELS.items():
            path, out = folder / "model.onnx", folder / "mixed.onnx"
            onnx.save(model(body, weights, OPSETS.get(op, 17)), path)
            done = subprocess.run([program, path, "-o", out], capture_output=True, text=True,
                                  check=False)
            if done.returncode or done.stderr:
                problems.append(f"{op}: {done.stderr}")
                continue
            if out.read_bytes() == path.read_bytes():
                problems.append(f"{op} is not converted")
            exact, found = run(path), run(out)
            worst = numpy.abs(found - exact).max()
            if found.dtype != exact.dtype or not worst <= 0.02 * numpy.ptp(exact):
                problems.append(f"{op}: off by {worst} of {numpy.ptp(exact)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/bin")
    parser.add_argument("--every", help="ignored")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if onnx is None:
        peers.require(options.bin, "onnx", "onnxruntime")
    if options.write:
        SHIPPED.write_text(manifest_text())
        return 0
    problems = []
    if onnxruntime.__version__ == "1.32.0" and SHIPPED.read_text() != manifest_text():
        problems.append(f"{SHIPPED.name} does not match onnxruntime; regenerate it with --write")
    onnxruntime.set_default_logger_severity(4)
    check_lists(problems)
    check_models(options.bin.resolve() / "opledger-convert", problems)
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
