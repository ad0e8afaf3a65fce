#!/usr/bin/env python3
"""Running an MXNet network with a list yields the bits of the converted network, in both types: for
every network of the test data that runs, with random parameters if a symbol has none.

Prints networks that differ or cannot run, how many networks the list changes, and the count. Exit
status: 0 all are equal, 1 otherwise, 77 the test data or the Python package mxnet is missing.
"""
# SPDX-License-Identifier: Apache-2.0

import collections
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/conversion")]
import peers  # noqa: E402
from autocast_test import outputs_of  # noqa: E402
from model_data import MXNET, require  # noqa: E402
from model_run import file_of, output_names, read_arguments  # noqa: E402
import mxnet_models  # noqa: E402

os.environ["MXNET_SUBGRAPH_BACKEND"] = "NONE"


def compare(path, target, programs, folder):
    """Returns ("equal" | "unchanged" | "none" | "differ", why) for one network and one type."""
    import numpy
    run, convert = programs
    symbol, params, inputs = mxnet_models.prepare(path, folder)
    for i, (name, array) in enumerate(inputs.items()):
        numpy.save(folder / f"in{i}.npy", array)
    given = [word for i, name in enumerate(inputs) for word in ("--input", f"{name}={folder}/in{i}.npy")]
    with_params = ["--params", params] if params else []
    done = subprocess.run([convert, path, *with_params, "-o", folder / "mixed", "--target-dtype", target,
                           "--unlisted", "ignore"], capture_output=True, text=True, check=False, timeout=900)
    if done.returncode != 0:
        return "none", "not converted: " + done.stderr.splitlines()[0]
    mixed = folder / "mixed-symbol.json"
    if mixed.read_bytes() == path.read_bytes():
        return "unchanged", ""
    mixed_params = [word for file in folder.glob("mixed-*.params") for word in ("--params", file)]
    of_mixed = outputs_of(run, mixed, folder / "converted", given, *mixed_params)
    of_cast = outputs_of(run, path, folder / "autocast", given, *with_params, "--autocast", target)
    if of_mixed is None or of_cast is None:
        return ("none", "it has no kernel for a node") if of_mixed == of_cast else (
            "differ", "only one of them runs")
    names = zip(output_names(mixed), output_names(path))  # a cast after a head has its own name
    differing = [name for cast, name in names if of_mixed[file_of(cast)] != of_cast[file_of(name)]]
    return ("differ", ", ".join(differing)) if differing else ("equal", "")


def main():
    options = read_arguments(__doc__, all_means="both types, and those with many parameters")
    try:
        import mxnet  # noqa: F401  # pylint: disable=unused-import
    except ImportError:
        peers.require(options.bin, "mxnet")
    require(MXNET)
    programs = [options.bin.resolve() / name for name in ("opledger-run", "opledger-convert")]
    counts = collections.Counter()
    chosen = [p for p in mxnet_models.networks(options.all) if options.only in str(p)][::options.every]
    for number, path in enumerate(chosen):
        both = ("float16", "bfloat16")
        for target in both if options.all or options.only else (both[number % 2],):
            with tempfile.TemporaryDirectory() as folder:
                try:
                    what, why = compare(path, target, programs, pathlib.Path(folder))
                except mxnet_models.error() as error:
                    what, why = "refused", f"MXNet: {str(error).strip().splitlines()[-1][:100]}"
            counts[what] += 1
            if why:
                print(f"{what}: {mxnet_models.name_of(path)} in {target}: {why}", flush=True)
    print(f"{counts['equal']} conversions run to the bits of autocast, {counts['differ']} do not; "
          f"{counts['unchanged']} change nothing, {counts['none'] + counts['refused']} cannot be run or converted")
    return 1 if counts["differ"] or not counts["equal"] else 0


if __name__ == "__main__":
    sys.exit(main())
