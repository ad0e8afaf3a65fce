#!/usr/bin/env python3
"""Compares whole networks in opledger and in ONNX Runtime: outputs agree within 1e-4 of their
largest element. The networks: gen, light, simple, pytorch-converted, pytorch-operator and edge of
the test data; with their own inputs, otherwise the same random ones for both.

Prints a line for each that differs or cannot run, and the count. Exit status: 0 success, 1 failure,
77 the test data or onnxruntime is missing.
"""
# SPDX-License-Identifier: Apache-2.0

import collections
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/conversion")]
import peers  # noqa: E402
from model_data import ONNX, require  # noqa: E402
from model_run import agreement, read_arguments, run_model  # noqa: E402

RUNNING = 0.9  # share of the networks that ONNX Runtime runs which must run and agree
EXPLAINED = {
    "edge/polygraphy_inp_dim_val_not_set.onnx":
        "of one number ONNX Runtime's MeanVarianceNormalization is 0 / 0; the operator adds 1e-9",
}
# only with --all
SLOW = ("light_vgg19", "light_densenet121", "light_bvlc_alexnet", "light_inception")
FOLDERS = ("gen", "light", "simple", "pytorch-converted", "pytorch-operator", "edge")


def models(data):
    for folder in FOLDERS:
        yield from sorted((data / folder).rglob("*.onnx"))


def inputs_for(session, numpy):
    """Returns random inputs in the types and shapes that ONNX Runtime reports; open dimensions are
    1."""
    types = {"tensor(float)": "f4", "tensor(float16)": "f2", "tensor(double)": "f8",
             "tensor(int64)": "i8", "tensor(int32)": "i4", "tensor(bool)": "?"}
    random = numpy.random.default_rng(1)
    given = {}
    for value in session.get_inputs():
        shape = [d if isinstance(d, int) and d > 0 else 1 for d in value.shape]
        kind = types[value.type]
        given[value.name] = (random.standard_normal(shape).astype(kind) if "f" in kind
                             else random.integers(0, 2, shape).astype(kind))
    return given


def compare(model, program, kernels, numpy, onnxruntime):
    """Returns ("agree" | "none" | "differ", why)."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(str(model), options,
                                               providers=["CPUExecutionProvider"])
        given = inputs_for(session, numpy)
        want = session.run(None, given)
    except Exception as error:  # pylint: disable=broad-except  # whatever the runtime raises
        return "refused", f"ONNX Runtime: {str(error).splitlines()[0][:100]}"
    names = [value.name for value in session.get_outputs()]
    return agreement(run_model(program, model, given, names, kernels), zip(names, want))


def main():
    options = read_arguments(__doc__, "kernels", all_means="the slow ones, too")
    try:
        import numpy
        import onnxruntime
    except ImportError:
        peers.require(options.bin, "onnx", "onnxruntime")
    require(ONNX)
    onnxruntime.set_default_logger_severity(4)
    program = options.bin.resolve() / "opledger-run"
    counts = collections.Counter()
    chosen = [m for m in models(ONNX) if options.only in str(m)][::options.every]
    if not options.all:
        chosen = [m for m in chosen if not m.stem.startswith(SLOW)]
    for model in chosen:
        what, why = compare(model, program, options.kernels, numpy, onnxruntime)
        name = str(model.relative_to(ONNX))
        if what == "differ" and name in EXPLAINED:
            what, why = "explained", EXPLAINED[name]
        counts[what] += 1
        if why:
            print(f"{what:10}{name}: {why}", flush=True)
    print(f"{counts['agree']} of {len(chosen)} networks agree with ONNX Runtime, {counts['none']} have "
          f"no kernel for a node, {counts['refused']} are refused by it, "
          f"{counts['differ']} differ")
    tried = len(chosen) - counts["refused"]
    if options.kernels != "cuda" and not options.only and not counts["agree"] >= RUNNING * tried > 0:
        print(f"that is less than {RUNNING:.0%}")
        return 1
    return 1 if counts["differ"] else 0


if __name__ == "__main__":
    sys.exit(main())
