#!/usr/bin/env python3
"""The shipped profile matches ONNX Runtime's own description of its kernels.
Optimizing a model converted with it adds no casts. --write regenerates the profile.
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

SHIPPED = ROOT / "registry/profiles/onnxruntime-cpu.json"
TYPES = {"tensor(float)": "float32", "tensor(float16)": "float16", "tensor(bfloat16)": "bfloat16",
         "tensor(double)": "float64"}
OPEN = 2 ** 31 - 1

try:
    import onnx
    import onnxruntime
except ImportError:
    onnx = None


def kernels(provider):
    from onnxruntime.capi.onnxruntime_pybind11_state import get_all_opkernel_def
    found = {}
    for kernel in get_all_opkernel_def():
        if kernel.provider != provider:
            continue
        first, last = kernel.version_range
        op = f"{kernel.domain}.{kernel.op_name}" if kernel.domain else kernel.op_name
        dtypes = found.setdefault((op, first, first if last == OPEN else last), set())
        for types in kernel.type_constraints.values():
            dtypes.update(TYPES[each] for each in types if each in TYPES)
    return found


def profile_text(provider):
    device = provider.removesuffix("ExecutionProvider").lower()
    lines = []
    for (op, since, until), dtypes in sorted(kernels(provider).items()):
        versions = {"since": since, "until": until} if until != since else {"since": since}
        ordered = [each for each in TYPES.values() if each in dtypes]
        lines.append("  " + json.dumps({"op": op, **versions, "dtypes": ordered}))
    head = json.dumps({"$schema": "../../schemas/kernel-profile.schema.json", "framework": "onnx",
                       "runtime": "onnxruntime", "version": onnxruntime.__version__,
                       "device": device})
    return head[:-1] + ', "kernels": [\n' + ",\n".join(lines) + "\n]}\n"


def casts(path):
    return sum(node.op_type == "Cast" for node in onnx.load(path).graph.node)


def check_models(program, problems):
    import trap_networks
    with tempfile.TemporaryDirectory(prefix="opledger-profile-") as name:
        folder = pathlib.Path(name)
        for what, make in (("resnet", trap_networks.resnet), ("bert", lambda: trap_networks.bert(2))):
            for dtype in ("float16", "bfloat16"):
                onnx.save(make(), folder / "model.onnx")
                out = folder / "mixed.onnx"
                done = subprocess.run([program, folder / "model.onnx", "-o", out, "--target-dtype",
                                       dtype, "--profile", "onnxruntime-cpu"], check=False,
                                      capture_output=True, text=True)
                if done.returncode:
                    problems.append(f"{what}, {dtype}: {done.stderr}")
                    continue
                options = onnxruntime.SessionOptions()
                options.optimized_model_filepath = str(folder / "optimised.onnx")
                onnxruntime.InferenceSession(out, options, providers=["CPUExecutionProvider"])
                if casts(folder / "optimised.onnx") > casts(out):
                    problems.append(f"{what}, {dtype}: the runtime adds casts")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/bin")
    parser.add_argument("--every", help="ignored")
    parser.add_argument("--provider", default="CPUExecutionProvider")
    parser.add_argument("--write", type=pathlib.Path)
    options = parser.parse_args()
    if onnx is None:
        peers.require(options.bin, "onnx", "onnxruntime")
    text = profile_text(options.provider)
    if options.write:
        options.write.write_text(text)
        return 0
    shipped = json.loads(SHIPPED.read_text())
    if shipped["version"] != onnxruntime.__version__:
        print(f"SKIPPED: the profile is of onnxruntime {shipped['version']}")
        return 77
    problems = []
    if SHIPPED.read_text() != text:
        problems.append(f"{SHIPPED.name} does not match onnxruntime; regenerate it")
    onnxruntime.set_default_logger_severity(4)
    check_models(options.bin.resolve() / "opledger-convert", problems)
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
