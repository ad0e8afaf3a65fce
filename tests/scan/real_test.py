#!/usr/bin/env python3
"""Compares scans of real frameworks, MXNet at five commits and others, with their own operator
lists: exactly, in both modes, for any number of workers, state of the cache and location of the
checkout.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from test_data import GOLD, MXNET_SOURCE as NEWEST, require_sources  # noqa: E402

OLDER = {  # commit -> operators that need a policy, all operators
    "mxnet-0208063a": (691, 1024),
    "mxnet-626f9336": (656, 973),
    "mxnet-9e9f972d": (649, 962),
    "mxnet-39ea6832": (649, 962),
}
OTHERS = {  # checkout -> dialect, file of names, its length, further arguments
    "tensorflow-2.14.1": ("tensorflow", "tensorflow", 1501, ("--configuration", "cpu")),
    "tvm-v0.18.0": ("tvm-relay", "tvm-relay-derived", 304, ()),
    "tvm-5d4dc872": ("tvm-relax", "tvm-relax-derived", 230, ()),
    "onnx-f7546912": ("onnx", "onnx", 226, ()),
    "pytorch-2.6.0": ("pytorch", "pytorch-aten-2.6", 3144,
                      ("--among", "aten/src/ATen/native/native_functions.yaml")),
}
# TensorFlow's kernels in the gpu build, read manually: operator, device, type variable -> types.
KERNELS = {
    ("LRN", "cuda", "T"): "float32",
    ("Rint", "cuda", "T"): "float16 float32 float64",
    ("Exp", "cuda", "T"): "bfloat16 complex128 complex64 float16 float32 float64",
    ("Exp", "cpu", "T"): "bfloat16 complex128 complex64 float16 float32 float64",
    ("Cholesky", "cuda", "T"): "complex128 complex64 float32 float64",
    ("Erfinv", "cuda", "T"): "float32 float64",
    ("Where", "cuda", "T"): "bool complex128 complex64 float32 float64 int64 int8 uint8",
    ("GRUBlockCell", "cuda", "T"): "float32",
}
# ONNX Runtime's documentation omits kernels without type constraints, and operators that are not
# compiled in.
MORE_SCHEMAS = {"IsAllFinite", "QEmbedLayerNormalization", "QLinearConvTranspose"}
MORE_KERNELS = {
    "cpu": {"NonMaxSuppression", "com.microsoft.NhwcFusedConv", "com.microsoft.QLinearAveragePool",
            "com.microsoft.QLinearConcat", "com.microsoft.QLinearGlobalAveragePool"},
    "cuda": {"NonMaxSuppression"}, "dml": set()}
# Described by C++ code that fills in a structure: no macro registers them.
NOT_READ = {"dml": {"DFT", "GridSample", "STFT"}}
PROVIDERS = {"cpu": "CPUExecutionProvider", "cuda": "CUDAExecutionProvider", "dml": "DmlExecutionProvider"}
# PyTorch's names of policies; and its namespaces whose operators are registered in C++.
AUTOCAST = {"lower_precision_fp": "target", "fp32": "fp32", "fp32_set_opt_dtype": "fp32",
            "fp32_append_dtype": "fp32", "promote": "widest", "banned": "fp32"}
NAMESPACES = ("quantized", "c10d", "sparse", "_quantized", "prepacked", "static_runtime",
              "profiler", "mkldnn_prepacked", "quantization")

problems = []


def expect(condition, *what):
    if not condition:
        problems.append(" ".join(map(str, what)))


class Scanner:
    def __init__(self, program, cache):
        self.program = program
        self.cache = cache
        self.told = ""

    def scan(self, folder, *arguments):
        """Returns the manifest's bytes."""
        done = subprocess.run([self.program, "--config", "none", *arguments], cwd=folder,
                              env=dict(os.environ, OPLEDGER_CACHE_DIR=str(self.cache)),
                              capture_output=True, check=False)
        expect(done.returncode == 0, folder.name, arguments, done.returncode, done.stderr[:1000])
        self.told = done.stderr.decode()
        return done.stdout if done.returncode == 0 else b'{"operators": [], "dynamic": []}'


def wanted(manifest):
    """Returns names of the operators that need a policy."""
    return {op["name"] for op in manifest["operators"] if not op.get("exempt")}


def check_modes(scanner, folder, dialect):
    """Returns the manifest of the fast mode, which must equal the exhaustive one's."""
    fast = scanner.scan(folder, "--dialect", dialect, "--no-cache", "--statistics")
    for column in ("outside the sources", "incomplete"):
        expect(f"  {column} " not in scanner.told, folder.name, "has uses of leading names:", scanner.told)
    full = scanner.scan(folder, "--dialect", dialect, "--no-cache", "--mode", "exhaustive")
    expect(fast == full, folder.name, "fast and exhaustive differ")
    return fast


def check_newest(scanner, folder):
    fast = check_modes(scanner, folder, "mxnet")
    manifest = json.loads(fast)
    aliases = {alias for op in manifest["operators"] for alias in op["aliases"]}
    counts = (len(manifest["operators"]), len(aliases), len(manifest["dynamic"]))
    expect(counts == (1027, 360, 5), NEWEST, "operators, aliases, dynamic:", counts)
    gold = json.loads((GOLD / "mxnet.json").read_text())
    for configuration, dtype in (("gpu", "fp16"), ("cpu+onednn", "bf16")):
        names = wanted(json.loads(scanner.scan(folder, "--dialect", "mxnet", "--no-cache",
                                               "--configuration", configuration)))
        expected = set(gold[dtype]) | set(gold["registered_but_in_no_list"][dtype])
        expect(names == expected, configuration, "differs from", dtype, sorted(names ^ expected))
    for what, arguments in (("one worker", ("-j", "1", "--no-cache")),
                            ("two workers", ("-j", "2", "--no-cache")),
                            ("cold cache", ()), ("warm cache", ())):
        same = scanner.scan(folder, "--dialect", "mxnet", *arguments) == fast
        expect(same, NEWEST, what, "differs")
    with tempfile.TemporaryDirectory(prefix="opledger-elsewhere-") as elsewhere:
        other = pathlib.Path(elsewhere) / "another name"
        shutil.copytree(folder, other, symlinks=True)
        for what in ("cold", "warm"):
            same = scanner.scan(other, "--dialect", "mxnet") == fast
            expect(same, NEWEST, "differs in another folder,", what)


def check_older(scanner, folder):
    manifest = json.loads(check_modes(scanner, folder, "mxnet"))
    counts = len(wanted(manifest)), len(manifest["operators"])
    expect(counts == OLDER[folder.name], folder.name, "wanted operators, all operators:", counts)
    expect(len(manifest["dynamic"]) == 5, folder.name, manifest["dynamic"])


def check_other(scanner, folder):
    dialect, names, count, arguments = OTHERS[folder.name]
    fast = check_modes(scanner, folder, dialect)
    path = GOLD / f"{names}.json"
    said = scanner.scan(folder, "--dialect", dialect, "--no-cache", *arguments, "--verify", path)
    figure = f"1.000 ({count} of {count})"
    expect(said.decode() == f"{path}: recall {figure}, precision {figure}\n", folder.name, said)
    return json.loads(fast)


def check_onnx(scanner, folder):
    manifest = check_other(scanner, folder)
    path = GOLD / "onnx-versioned.json"
    said = scanner.scan(folder, "--dialect", "onnx", "--no-cache", "--verify", path)
    figure = "1.000 (642 of 642)"
    expect(said.decode() == f"{path}: recall {figure}, precision {figure}\n", folder.name, said)
    shipped = (ROOT / "registry/operators/onnx.json").read_bytes()
    same = scanner.scan(folder, "--dialect", "onnx", "--no-cache") == shipped
    expect(same, "registry/operators/onnx.json differs from the output of its README's command")
    # Every type of an input or output is a type, or a variable with known types.
    for op in manifest["operators"]:
        for version in [op, *op.get("earlier", [])]:
            fields = version.get("fields", {})
            known = {value["key"] for value in fields.get("type_variables", []) if "(" in value["value"]}
            for value in fields.get("inputs", []) + fields.get("outputs", []):
                expect("(" in value["value"] or value["value"] in known, op["name"],
                       version["since"], value)


def check_tensorflow(scanner, folder):
    check_other(scanner, folder)
    manifest = json.loads(scanner.scan(folder, "--dialect", "tensorflow", "--no-cache",
                                       "--configuration", "gpu"))
    operators = {op["name"]: op for op in manifest["operators"]}
    expect(sum("kernels" in op for op in operators.values()) > 1400, "too few operators have kernels")
    for (name, device, variable), expected in KERNELS.items():
        found = set()
        for kernel in operators[name].get("kernels", []):
            if kernel["device"] == device and "label" not in kernel:
                found.update(kernel["types"][variable])
        expect(found == set(expected.split()), name, device, variable, sorted(found))


def check_pytorch(scanner, folder):
    manifest = check_other(scanner, folder)
    names = {op["name"] for op in manifest["operators"]}
    runtime = json.loads((GOLD / "pytorch-runtime-1.13.1.json").read_text())
    bases = {name.split(".")[0] for name in names}
    lost = {name for name in runtime
            if name.split("::")[0] in NAMESPACES and name.split(".")[0] not in bases}
    expect(not lost, "of PyTorch 1.13's operators in C++", sorted(lost), "are not found")
    policies = {}
    for op in manifest["operators"]:
        for value in op.get("fields", {}).get("policy", []):
            policies.setdefault(value["key"], {}).setdefault(op["name"], []).append(value["value"])
    # Two recurrent operators have manual casts, which are not in the list of macros.
    for name in ("aten::_cudnn_rnn", "aten::miopen_rnn"):
        expect(policies["cuda"].pop(name, None) == ["target"], name, "has no policy")
    lists = json.loads((GOLD / "pytorch-precision.json").read_text())
    for device, classes in lists.items():
        listed = {name: [AUTOCAST[kind]] for kind, ops in classes.items() for name in ops}
        expect(policies[device.lower()] == listed, "autocast policies differ for", device)


def check_onnxruntime(scanner, folder):
    check_modes(scanner, folder, "onnxruntime")
    manifest = json.loads(scanner.scan(folder, "--dialect", "onnxruntime", "--no-cache",
                                       "--configuration", "cuda"))
    schemas = {op["name"].removeprefix("com.microsoft.") for op in manifest["operators"]
               if op["name"].count(".") == 2 and op["name"].startswith("com.microsoft.")
               and any("SCHEMA" in site["macro"] for site in op["sites"])}
    gold = {name.removeprefix("com.microsoft.")
            for name in json.loads((GOLD / "onnxruntime-contrib.json").read_text())}
    expect(schemas == gold | MORE_SCHEMAS, "schemas differ:", sorted(schemas ^ (gold | MORE_SCHEMAS)))
    gold = json.loads((GOLD / "onnxruntime-kernels.json").read_text())
    for device, provider in PROVIDERS.items():
        found = {}
        for op in manifest["operators"]:
            for kernel in op.get("kernels", []):
                if kernel["device"] != device:
                    continue
                types = found.setdefault(op["name"], set())
                for taken in kernel.get("types", {}).values():
                    types.update(taken if isinstance(taken, list) else [])
        for what, names in gold[provider].items():
            wanted = {name.removeprefix("ai.onnx:").replace(":", ".") for name in names} - NOT_READ.get(device, set())
            have = {name for name, types in found.items() if what == "ops" or what in types}
            extra = MORE_KERNELS[device] if what == "ops" else set()
            expect(have - extra == wanted, device, what, "differ:", sorted((have - extra) ^ wanted))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--newest", action="store_true", help="MXNet at its newest commit alone")
    options = parser.parse_args()
    program = options.bin.resolve() / "opledger-scan"
    if not program.exists():
        print("SKIPPED: opledger-scan was not built")
        return 77
    names = [NEWEST] if options.newest else [NEWEST, *OLDER, *OTHERS, "onnxruntime-1.21.0"]
    folders = require_sources(*names)
    with tempfile.TemporaryDirectory(prefix="opledger-cache-") as cache:
        scanner = Scanner(program, cache)
        for name, folder in zip(names, folders):
            checks = {NEWEST: check_newest, **dict.fromkeys(OTHERS, check_other),
                      "onnx-f7546912": check_onnx, "pytorch-2.6.0": check_pytorch,
                      "tensorflow-2.14.1": check_tensorflow, "onnxruntime-1.21.0": check_onnxruntime}
            checks.get(name, check_older)(scanner, folder)
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
