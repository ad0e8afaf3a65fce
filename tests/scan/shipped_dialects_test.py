#!/usr/bin/env python3
"""Compares shipped dialects with their frameworks' operators: recall and precision are at least
0.995, and every difference and everything unread has a reason here.

    tests/scan/shipped_dialects_test.py --bin build/bin [NAME...]

The checkouts are folders $OPLEDGER_TEST_DATA/checkouts/CHECKOUT, or links to such (default:
../shared); the operators are in tests/gold, in DIALECT-CHECKOUT.json for a dialect with many
sources. A checkout that is missing, or at another revision, is skipped and named.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from test_data import COLLECTION, GOLD  # noqa: E402

# Name of the operators in tests/gold -> repository on GitHub, revision[, dialect, checkout, if
# named differently].
DIALECTS = {
    "caffe": ("BVLC/caffe", "9b891540183ddc834a02b2bd81b31afae71b2153"),
    "executorch": ("pytorch/executorch", "cff6f4dd32e630945b7188512c1f2b4f102b05ad"),
    "ggml": ("ggml-org/ggml", "d99724f2b141fed9e1a9f402213506c081433465"),
    "megengine": ("MegEngine/MegEngine", "47952c075d868665e1116214bea760d786144081"),
    "mnn": ("alibaba/MNN", "4d40bdbd7efb73a58383bb5da867a6f41eb1776e"),
    "nanobind-mlx": ("ml-explore/mlx", "846d176227a0ac13d2667e58d2bb68b322109ab0", "nanobind", "mlx"),
    "ncnn": ("Tencent/ncnn", "a4d2ea1d4422c9e849f166fd7a4aefb52f942f6a"),
    "neural-speed": ("intel/neural-speed", "bfd5d3c17dee18a20e2768f855f2d8fe132fc579"),
    "oneflow": ("Oneflow-Inc/oneflow", "25c8978c1c8b1371ef6aa4187dae4495bd233c35"),
    "onnx-mlir": ("onnx/onnx-mlir", "ec744fe6d3d077f002200e5c6bb0c3c4ba777af3"),
    "onnxruntime-extensions": ("microsoft/onnxruntime-extensions", "319f8d2c02c4e2f013129bea52e70e75ba79bbcf"),
    "paddle-lite": ("PaddlePaddle/Paddle-Lite", "3d329c954c82d3e189e2d3ab35a5558d35e7202a"),
    "pybind11-mmcv": ("open-mmlab/mmcv", "a8073c74bf83d62ec36a103f835faa4837fb6585", "pybind11", "mmcv"),
    "pybind11-natten": ("SHI-Labs/NATTEN", "8c8729f496a47804e04f4b57b818edd6797d0926", "pybind11", "natten"),
    "tflite": ("google-ai-edge/LiteRT", "f67457790c9c2ab67347d6fe53270e8d3df20868"),
    "tnn": ("Tencent/TNN", "f0cb08129a05c5b60f08e4ef66042a54a883a56a"),
    "tvm-ffi": ("apache/tvm-ffi", "620fece9f8d81dded637cec9fc52e388f7bd0ae1"),
    "tvm-ffi-flashinfer": ("flashinfer-ai/flashinfer", "fb28d7242b3506a2348265962041acc1fb56cca4", "tvm-ffi",
                           "flashinfer"),
    "xla-ffi-transformer-engine": ("NVIDIA/TransformerEngine", "d0067d0da6cb01811b8072a7d304f0e00344ce2b", "xla-ffi",
                                   "transformer-engine"),
}
# Name -> operator that is only in the source, or only in tests/gold -> reason.
DIFFERENCES = {"neural-speed": {"RMS_ARGSORT": "an enumerator that no code handles"}}
# Name -> file with unread parts -> reason. No operator is missed there.
WITHIN_CUDA = "a list of types is only defined #if WITH_CUDA, which every .cu file has by path_conditions"
UNREAD = {
    "oneflow": {
        "oneflow/user/kernels/data_shuffle_kernel.cu": WITHIN_CUDA,
        "oneflow/user/kernels/embedding_kernel.cu": WITHIN_CUDA,
        "oneflow/user/kernels/math_binary_elementwise_kernel.cu": "names are evaluated, headers say #ifdef WITH_CUDA",
        "oneflow/user/kernels/one_embedding_kernels.cu": WITHIN_CUDA,
        "oneflow/user/kernels/one_embedding_update_kernels.cu": WITHIN_CUDA,
    },
    "tvm-ffi-flashinfer": {"flashinfer/cute_dsl/sparse/sm100_blk64/bindings.cpp": "functions that pybind11 binds"},
}
LEAST = 0.995
FIGURES = re.compile(r"recall [\d.]+ \((\d+) of (\d+)\), precision [\d.]+ \((\d+) of (\d+)\)")
ABSENT = re.compile(r"error: '(.+)' is not registered in the source")
EXTRA = re.compile(r"error: '(.+)' is not in ")
WARNING = re.compile(r"^(.+?):\d+:\d+: warning: ", re.MULTILINE)


def why_skipped(folder, revision):
    if not folder.is_dir():
        return "no checkout"
    if not (folder / ".git").exists():  # unpacked from an archive
        return None
    done = subprocess.run(["git", "-c", "safe.directory=*", "rev-parse", "HEAD"], cwd=folder, capture_output=True,
                          text=True, check=False)
    found = done.stdout.strip()
    return None if found == revision else f"at {found[:8] or 'no revision'}, not {revision[:8]}"


def share(part, whole):
    return part / whole if whole else 0.0


def problems_of(name, status, said):
    """Returns problems of a scan that was compared with tests/gold."""
    figures = FIGURES.search(said)
    if not figures:
        return [f"no figures, exit status {status}: {said[:1000]}"]
    problems = []
    explained = DIFFERENCES.get(name, {})
    absent, extra = (set(pattern.findall(said)) for pattern in (ABSENT, EXTRA))
    for operator in sorted(explained.keys() - absent - extra):
        problems.append(f"'{operator}' is no longer a difference: remove it from this test")
    in_source, of_gold, in_gold, of_source = map(int, figures.groups())
    recall = share(in_source, of_gold - len(absent & explained.keys()))
    precision = share(in_gold, of_source - len(extra & explained.keys()))
    if min(recall, precision) < LEAST:
        problems.append(f"recall {recall:.4f}, precision {precision:.4f}; "
                        f"absent: {sorted(absent)}, extra: {sorted(extra)}")
    unread, known = set(WARNING.findall(said)), UNREAD.get(name, {}).keys()
    problems += [f"{path} is not read completely" for path in sorted(unread - known)]
    problems += [f"{path} is now read completely: remove it from this test" for path in sorted(known - unread)]
    expected = 3 if known else 1 if absent or extra else 0
    if status != expected:
        problems.append(f"exit status {status}, expected {expected}: {sorted(absent | extra)}")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these names of tests/gold")
    options = parser.parse_args()
    program = options.bin.resolve() / "opledger-scan"
    if not program.exists():
        print("SKIPPED: opledger-scan was not built")
        return 77
    failed, passed = False, 0
    for name, (repository, revision, *named) in DIALECTS.items():
        if options.names and name not in options.names:
            continue
        dialect, checkout = named or (name, name)
        folder = COLLECTION / "checkouts" / checkout
        reason = why_skipped(folder, revision)
        if reason:
            print(f"SKIPPED {name}: {reason} ({repository} at {revision[:8]})")
            continue
        done = subprocess.run([program, "--config", "none", "--no-cache", "--dialect", dialect, "--verify",
                               GOLD / f"{name}.json"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, check=False)
        problems = problems_of(name, done.returncode, done.stdout)
        for problem in problems:
            print(f"{name}: {problem}")
        failed = failed or bool(problems)
        passed += not problems
    print(f"{passed} dialects and sources agree")
    return 1 if failed else 0 if passed else 77


if __name__ == "__main__":
    sys.exit(main())
