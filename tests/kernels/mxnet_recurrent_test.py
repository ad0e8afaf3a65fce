#!/usr/bin/env python3
"""MXNet's RNN gives what MXNet gives: LSTM, GRU and plain cells, of one and two layers, in one
direction and both, with the states that they end with.

MXNet 1.9.1 runs it right by its function alone, not bound as a symbol: so not in mxnet_operators_test.
Prints what differs and the count. Exit status: 0 all agree, 1 not, 77 the Python package mxnet is missing.
"""
# SPDX-License-Identifier: Apache-2.0

import itertools
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/conversion")]
import peers  # noqa: E402
from model_run import read_arguments  # noqa: E402

MODES = (("lstm", 4, 2), ("gru", 3, 1), ("rnn_tanh", 1, 1))  # gates, states
HIDDEN, WIDTH = 3, 5
ROUNDING = 1e-5


def symbol_text(names, attributes, outputs):
    nodes = [{"op": "null", "name": name, "inputs": []} for name in names]
    nodes.append({"op": "RNN", "name": "rnn", "attrs": {k: str(v) for k, v in attributes.items()},
                  "inputs": [[i, 0, 0] for i in range(len(names))]})
    return json.dumps({"nodes": nodes, "heads": [[len(names), i, 0] for i in range(outputs)]})


def differences(program, mode, layers, ways, folder):
    """How far each output is off; none: it does not run."""
    import mxnet as mx
    import numpy
    name, gates, states = mode
    random = numpy.random.default_rng(layers + 2 * ways)
    count = sum(ways * gates * HIDDEN * ((WIDTH if i == 0 else ways * HIDDEN) + HIDDEN + 2) for i in range(layers))
    shapes = [(4, 2, WIDTH), (count,)] + [(layers * ways, 2, HIDDEN)] * states
    arrays = [random.standard_normal(shape).astype("f4") for shape in shapes]
    attributes = {"mode": name, "state_size": HIDDEN, "num_layers": layers, "bidirectional": ways == 2,
                  "state_outputs": True}
    wanted = [each.asnumpy() for each in mx.nd.RNN(*[mx.nd.array(array) for array in arrays], **attributes)]
    names = ["x", "parameters", "state", "cell"][:len(arrays)]
    model = folder / "rnn-symbol.json"
    model.write_text(symbol_text(names, attributes, len(wanted)))
    words = [program, model, "-o", folder]
    for input_name, array in zip(names, arrays):
        numpy.save(folder / f"{input_name}.npy", array)
        words += ["--input", f"{input_name}={folder}/{input_name}.npy"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=300)
    if done.returncode:
        print(done.stderr.strip())
        return None
    return [float(abs(numpy.load(folder / f"rnn_output{i}.npy") - want).max()) for i, want in enumerate(wanted)]


def main():
    options = read_arguments(__doc__, all_means="the same")
    try:
        import mxnet  # noqa: F401  # pylint: disable=unused-import
    except ImportError:
        peers.require(options.bin, "mxnet")
    program = options.bin.resolve() / "opledger-run"
    problems, agree = [], 0
    cases = list(itertools.product(MODES, (1, 2), (1, 2)))[::min(options.every, 5)]
    for mode, layers, ways in cases:
        with tempfile.TemporaryDirectory() as folder:
            off = differences(program, mode, layers, ways, pathlib.Path(folder))
        if off and max(off) <= ROUNDING:
            agree += 1
        else:
            problems.append(f"{mode[0]} of {layers} layers, {ways} directions: off by {off}")
    for problem in problems:
        print(problem)
    print(f"{agree} recurrent networks agree with MXNet")
    return 1 if problems or not agree else 0


if __name__ == "__main__":
    sys.exit(main())
