#!/usr/bin/env python3
"""MXNet operators without a float16 kernel according to the scanner do not run in float16.

    tests/scan/runtime_kernels_test.py --bin build/bin [--verbose]

Calls each of them in MXNet 1.9.1 (build/venv) in float32 and float16, with small matrices and
images. An operator that runs in both contradicts the scanner; one that the framework refuses in
float16 because of its type confirms it. Types are upper bounds, so the opposite is not tested.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/scan")]
from test_data import require_sources, skip  # noqa: E402

SOURCE = "mxnet-b84609d3"
PYTHON = ROOT / "build/venv/bin/python"
FEWEST = 20  # minimum number of confirmed operators
REFUSALS = ("float16", "floating point", "data type", "default_type_flag", "kFloat16")


def call(names):
    """In the running framework: prints operator -> "runs", "refuses: WHY" or "unknown" as JSON."""
    import ctypes
    import warnings
    warnings.simplefilter("ignore")
    import mxnet as mx
    import numpy
    from mxnet._ctypes.ndarray import _imperative_invoke
    from mxnet.base import _LIB, c_str, check_call

    def run(handle, dtype, shape, count, parameters):
        values = numpy.eye(*shape[-2:]) * 3 + numpy.random.RandomState(1).rand(*shape)
        inputs = [mx.nd.array(values, dtype=dtype) for _ in range(count)]
        keys, texts = list(parameters), list(parameters.values())
        result = _imperative_invoke(handle.value, inputs, keys, texts, None, False, False)
        for one in result if isinstance(result, (list, tuple)) else [result]:
            one.asnumpy()

    answers = {}
    for name in names:
        handle = ctypes.c_void_p()
        try:
            check_call(_LIB.NNGetOpHandle(c_str(name), ctypes.byref(handle)))
        except mx.base.MXNetError:
            continue  # not in this version
        answers[name] = "unknown"
        attempts = ((shape, count, parameters) for shape in ((3, 3), (1, 6), (1, 3, 8, 8)) for count in (1, 2, 3)
                    for parameters in ({}, {"h_w": "(2,2)"}, {"ind": "1"}))
        for attempt in attempts:
            try:
                run(handle, "float32", *attempt)
            except mx.base.MXNetError:
                continue
            try:
                run(handle, "float16", *attempt)
                answers[name] = f"runs with {attempt}"
            except mx.base.MXNetError as error:
                why = str(error).strip().splitlines()[-1]
                answers[name] = "refuses: " + why if any(word in why for word in REFUSALS) else "unknown"
            break
    json.dump(answers, sys.stdout)


def without_float16(manifest):
    """Yields operators whose CPU kernels all state their types, none of them float16."""
    for op in manifest["operators"]:
        types = [kernel.get("types", {}).get("", []) for kernel in op.get("kernels", [])
                 if kernel["device"] in ("cpu", "*")]
        if types and all(types) and not any("float16" in each for each in types) and "backward" not in op["name"]:
            yield op["name"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path)
    parser.add_argument("--call", nargs="+")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    if options.call:
        call(options.call)
        return 0
    source, = require_sources(SOURCE)
    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(scratch) / "operators.json"
        subprocess.run([options.bin.resolve() / "opledger", "scan", "-C", source, "--dialect", "mxnet", "--config",
                        "none", "-o", path], check=True, stderr=subprocess.DEVNULL,
                       env=dict(os.environ, OPLEDGER_CACHE_DIR=scratch + "/cache"))
        names = list(without_float16(json.loads(path.read_text())))
    done = subprocess.run([PYTHON, __file__, "--call", *names], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        skip("mxnet 1.9.1 in build/venv")
    answers = json.loads(done.stdout)
    wrong = {name: answer for name, answer in answers.items() if answer.startswith("runs")}
    confirmed = [name for name, answer in answers.items() if answer.startswith("refuses")]
    if options.verbose:
        print(json.dumps(answers, indent=1))
    print(f"{len(names)} operators without a float16 kernel: the framework refuses {len(confirmed)} of them, "
          f"runs {len(wrong)}")
    for name, answer in wrong.items():
        print(f"{name} {answer}")
    return 0 if not wrong and len(confirmed) >= FEWEST else 1


if __name__ == "__main__":
    sys.exit(main())
