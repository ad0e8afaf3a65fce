#!/usr/bin/env python3
"""Reads autocast's policies of a PyTorch version from its wheel, for ci/pages/add_version.py where the sources are not at
hand.

    ci/pages/pytorch_wheel.py torch-2.1.2-....whl FOLDER    writes a list per type and device into FOLDER

Each registration of autocast_mode.cpp instantiates a template, WrapFunction_<policy, device, ..., function>, and the
library keeps the names of these symbols. Registrations that are no such template are added by name: ATen/cudnn's
_cudnn_rnn, and binary_cross_entropy, which autocast refuses. MIOpen's are in wheels for ROCm only. Needs nm.
"""
# SPDX-License-Identifier: Apache-2.0

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

# at::autocast::CastPolicy: lower_precision_fp, fp32, fp32_set_opt_dtype, fp32_append_dtype, promote
POLICIES = ("target", "fp32", "fp32", "fp32", "widest")
# c10::DeviceType, of the devices for which registry/lists has a list
DEVICES = {0: ("bfloat16", "cpu"), 1: ("float16", "cuda"), 12: ("float16", "xpu"), 13: ("float16", "mps")}
SYMBOL = re.compile(r"WrapFunction_ILNS0_10CastPolicyE(\d)ELN3c1010DeviceTypeE(\d+)EF(\S*?)EXadL_ZNS_(?:4_ops(\d+)|(4norm))")
# The overloads of norm are called through functions of autocast_mode.h, so their parameters tell them apart.
NORMS = {"7DimnameE": "norm.names_ScalarOpt_dim", "8ArrayRefIlE": "norm.ScalarOpt_dim"}
LIBRARY = "torch/lib/libtorch_cpu.so"
FUNCTIONS = "torchgen/packaged/ATen/native/native_functions.yaml"


def operator_names(functions):
    """C++ identifier of at::_ops -> operator with overload, from the text of native_functions.yaml."""
    return {name.replace(".", "_"): name for name in re.findall(r"(?m)^- func: ([\w.]+)\(", functions)}


def read_policies(symbols, functions):
    """Returns {(type, device): {policy: names}} of the output of nm."""
    names, found = operator_names(functions), {}
    for match in SYMBOL.finditer(symbols):
        policy, device, parameters, length, norm = match.groups()
        if int(device) not in DEVICES:
            continue
        if norm:
            name = next((overload for part, overload in NORMS.items() if part in parameters), "norm.Scalar")
        else:
            name = names[symbols[match.end():match.end() + int(length)]]
        lists = found.setdefault(DEVICES[int(device)], {})
        lists.setdefault(POLICIES[int(policy)], set()).add(f"aten::{name}")
    for (dtype, device), lists in found.items():
        if (dtype, device) == ("float16", "cuda"):
            lists["target"].add("aten::_cudnn_rnn")
        if device in ("cuda", "xpu"):
            lists["fp32"].add("aten::binary_cross_entropy")
    return found


def main(wheel, folder):
    with zipfile.ZipFile(wheel) as archive, tempfile.TemporaryDirectory() as scratch:
        symbols = subprocess.run(["nm", archive.extract(LIBRARY, scratch)], capture_output=True, text=True,
                                 check=True).stdout
        functions = archive.read(FUNCTIONS).decode()
    for (dtype, device), lists in read_policies(symbols, functions).items():
        text = json.dumps({"framework": "pytorch", "target_dtype": dtype, "device": device,
                           **{policy: sorted(names) for policy, names in lists.items()}}, indent=1)
        (pathlib.Path(folder) / f"{dtype}-{device}.json").write_text(text + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(f"usage:{__doc__.split(chr(10) * 2)[1]}")
    main(*sys.argv[1:])
