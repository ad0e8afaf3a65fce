#!/usr/bin/env python3
"""Compares MXNet's networks of the test data in MXNet 1.9.1 and in opledger: outputs agree within
1e-4 of their largest element; those of 16-bit networks within what their type explains. Symbols
without parameters get random ones.

Prints a line for each that differs or cannot run, and the count. Exit status: 0 success, 1 failure,
77 the test data or the Python package mxnet is missing.
"""
# SPDX-License-Identifier: Apache-2.0

import collections
import os
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/conversion")]
import peers  # noqa: E402
from model_data import MXNET, require  # noqa: E402
from model_run import agreement, WITHIN, output_names, read_arguments, run_model  # noqa: E402
import mxnet_models  # noqa: E402

os.environ["MXNET_SUBGRAPH_BACKEND"] = "NONE"
WITHIN_16_BITS = {"float16": 0.01, "bfloat16": 0.05}  # both round after every node
EXPLAINED = {
    "v10500/mask_rcnn_resnet18_v1b_coco-symbol.json":
        "of random parameters scores are nearly equal, and boxes change places; on our scores MXNet's "
        "box_nms gives our boxes",
}
RUNNING = 0.9  # share of the networks that MXNet runs which must run and agree
FUSED = "(_sg_"  # in the refusal of an operator fused by MXNet's oneDNN; only MXNet runs these


def compare(path, program, kernels):
    """Returns ("agree" | "none" | "differ" | "refused", why)."""
    within = next((bound for dtype, bound in WITHIN_16_BITS.items() if dtype in path.name), WITHIN)
    with tempfile.TemporaryDirectory() as folder:
        try:
            symbol, params, inputs = mxnet_models.prepare(path, folder)
            want = mxnet_models.by_mxnet(symbol, params, inputs)
        except Exception as error:  # pylint: disable=broad-except  # whatever MXNet raises
            return "refused", f"MXNet: {str(error).strip().splitlines()[-1][:100]}"
        names = output_names(path)
        options = ["--params", params] if params else []
        return agreement(run_model(program, path, inputs, names, kernels, *options), zip(names, want), within)


def main():
    options = read_arguments(__doc__, "kernels", all_means="those with many parameters, too")
    try:
        import mxnet  # noqa: F401  # pylint: disable=unused-import
    except ImportError:
        peers.require(options.bin, "mxnet")
    require(MXNET)
    program = options.bin.resolve() / "opledger-run"
    counts = collections.Counter()
    chosen = [p for p in mxnet_models.networks(options.all) if options.only in str(p)][::options.every]
    for path in chosen:
        what, why = compare(path, program, options.kernels)
        if what == "differ" and mxnet_models.name_of(path) in EXPLAINED:
            what, why = "explained", EXPLAINED[mxnet_models.name_of(path)]
        if what == "none" and FUSED in why:
            what = "fused"
        counts[what] += 1
        if what == "refused" and peers.mxnet_lacks_bfloat16("bfloat16", why):
            counts["agree"] += 1  # on other processors
        if why:
            print(f"{what:10}{mxnet_models.name_of(path)}: {why}", flush=True)
    print(f"{counts['agree']} of {len(chosen)} networks agree with MXNet, {counts['none']} have no kernel "
          f"for a node, {counts['fused']} have fused nodes, MXNet refuses {counts['refused']}, {counts['differ']} differ")
    tried = len(chosen) - counts["refused"] - counts["fused"]
    if not options.only and not (counts["agree"] and counts["agree"] >= RUNNING * tried):
        print(f"that is less than {RUNNING:.0%}")
        return 1
    return 1 if counts["differ"] else 0


if __name__ == "__main__":
    sys.exit(main())
