#!/usr/bin/env python3
"""opledger's RNN matches MXNet's: LSTM with and without projection, GRU, and plain cells with
either function, with one and two layers, in one and both directions, including the final states. So
does _while_loop up to its last step; after that, MXNet's outputs are uninitialized, and opledger's
are zero.

MXNet 1.9.1 ignores sequence lengths on a CPU, so opledger is compared with MXNet on each sequence
alone, cut to its length. It also ignores lstm_state_clip_min and the like, so opledger is compared
with MXNet step by step, with the cell clipped between steps. Calls that MXNet cannot run
(projections of other cells corrupt its memory) are refused with a specific message.

MXNet 1.9.1 runs RNN correctly only as a function, not bound as a symbol, so it is not in
mxnet_operators_test. Prints differences and the count. Exit status: 0 all agree, 1 otherwise, 77
the Python package mxnet is missing.
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
from model_run import output_names, read_arguments, run_model  # noqa: E402

# name, gates, states, projection size
MODES = (("lstm", 4, 2, 0), ("gru", 3, 1, 0), ("rnn_tanh", 1, 1, 0), ("lstm", 4, 2, 2), ("rnn_relu", 1, 1, 0))
HIDDEN, WIDTH, STEPS, BATCHES = 3, 5, 4, 2
LENGTHS = (2, 4)
ROUNDING = 1e-5
REFUSED = (({"projection_size": 2, "mode": "gru"}, "MXNet projects only the state of lstm"),
           ({"lstm_state_clip_min": -1.0, "mode": "lstm"}, "it has only one of lstm_state_clip_min and lstm_state_clip_max"),
           ({"lstm_state_clip_min": -1.0, "lstm_state_clip_max": 1.0, "mode": "gru"}, "clips only the state of lstm"))
CELL = (-0.25, 0.5)  # bounds of a clipped cell


def symbol_text(names, attributes, outputs):
    nodes = [{"op": "null", "name": name, "inputs": []} for name in names]
    nodes.append({"op": "RNN", "name": "rnn", "attrs": {k: str(v) for k, v in attributes.items()},
                  "inputs": [[i, 0, 0] for i in range(len(names))]})
    return json.dumps({"nodes": nodes, "heads": [[len(names), i, 0] for i in range(outputs)]})


def by_mxnet(arrays, attributes, lengths):
    """Returns the outputs; with lengths, runs each sequence alone, padded with zeros."""
    import mxnet as mx
    import numpy
    if not lengths:
        return [each.asnumpy() for each in mx.nd.RNN(*[mx.nd.array(array) for array in arrays], **attributes)]
    parts = []
    for i, length in enumerate(lengths):
        alone = [arrays[0][:length, i:i + 1], arrays[1], *[state[:, i:i + 1] for state in arrays[2:]]]
        out = by_mxnet(alone, attributes, ())
        out[0] = numpy.pad(out[0], ((0, STEPS - length), (0, 0), (0, 0)))
        parts.append(out)
    return [numpy.concatenate(same, axis=1) for same in zip(*parts)]


def differences(program, mode, layers, ways, lengths, folder):
    """Returns the deviation of each output; None if it does not run."""
    import numpy
    name, gates, states, projected = mode
    random = numpy.random.default_rng(layers + 2 * ways)
    out = projected or HIDDEN
    count = sum(ways * gates * HIDDEN * ((WIDTH if i == 0 else ways * out) + out + 2) for i in range(layers))
    count += layers * ways * projected * HIDDEN
    shapes = [(STEPS, BATCHES, WIDTH), (count,), (layers * ways, BATCHES, out), (layers * ways, BATCHES, HIDDEN)]
    arrays = [random.standard_normal(shape).astype("f4") for shape in shapes[:2 + states]]
    attributes = {"mode": name, "state_size": HIDDEN, "num_layers": layers, "bidirectional": ways == 2,
                  "state_outputs": True}
    if projected:
        attributes["projection_size"] = projected
    wanted = by_mxnet(arrays, attributes, lengths)
    given = dict(zip(("x", "parameters", "state", "cell"), arrays))
    if lengths:
        attributes["use_sequence_length"] = True
        given["lengths"] = numpy.array(lengths, "f4")
    model = folder / "rnn-symbol.json"
    model.write_text(symbol_text(list(given), attributes, len(wanted)))
    names = ["rnn_output", "rnn_state_output", "rnn_statecell_output"][:len(wanted)]
    status, got, said = run_model(program, model, given, names, "fast")
    if status:
        print(said)
        return None
    return [float(abs(got[output] - want).max() / max(1, abs(want).max())) for output, want in zip(names, wanted)]


def clipped_differs(program, folder):
    """An LSTM whose cell is clipped after each step. A NaN in the initial cell becomes the upper
    bound if lstm_state_clip_nan is set, and otherwise stays."""
    import numpy
    random = numpy.random.default_rng(3)
    shapes = {"x": (STEPS, BATCHES, WIDTH), "parameters": (4 * HIDDEN * (WIDTH + HIDDEN + 2),), "state": (1, BATCHES, HIDDEN),
              "cell": (1, BATCHES, HIDDEN)}
    given = {name: random.standard_normal(shape).astype("f4") for name, shape in shapes.items()}
    attributes = {"mode": "lstm", "state_size": HIDDEN, "num_layers": 1, "state_outputs": True}
    outputs, state, cell = [], given["state"], given["cell"]
    for step in range(STEPS):
        _, state, cell = by_mxnet([given["x"][step:step + 1], given["parameters"], state, cell], attributes, ())
        within = numpy.clip(cell, *CELL)
        state, cell = state / numpy.tanh(cell) * numpy.tanh(within), within
        outputs.append(state)
    model = folder / "rnn-symbol.json"
    attributes.update(lstm_state_clip_min=CELL[0], lstm_state_clip_max=CELL[1])
    model.write_text(symbol_text(list(given), attributes, 3))
    names = ["rnn_output", "rnn_state_output", "rnn_statecell_output"]
    status, got, said = run_model(program, model, given, names, "fast")
    if status:
        return said
    off = [float(abs(got[name] - want).max()) for name, want in zip(names, (numpy.concatenate(outputs), state, cell))]
    if max(off) > ROUNDING:
        return f"off by {off}"
    given["cell"][0, 0, 0] = numpy.nan
    for goes in (False, True):
        model.write_text(symbol_text(list(given), {**attributes, "lstm_state_clip_nan": goes}, 3))
        status, got, said = run_model(program, model, given, names, "fast")
        if status or numpy.isnan(got[names[2]]).any() == goes:
            return said or f"lstm_state_clip_nan={goes}: {got[names[2]]}"
    return ""


def refusal(program, attributes, folder):
    """Returns the error message for an RNN of one layer."""
    model = folder / "rnn-symbol.json"
    model.write_text(symbol_text(["x", "parameters", "state", "cell"],
                                 {"state_size": HIDDEN, "num_layers": 1, **attributes}, 1))
    shapes = (f"x={STEPS},{BATCHES},{WIDTH}", "parameters=99", f"state=1,{BATCHES},{HIDDEN}", f"cell=1,{BATCHES},{HIDDEN}")
    words = [word for shape in shapes
             for word in ("--input-shape", shape, "--input", shape.split("=")[0] + "=random")]
    return subprocess.run([program, model, *words], capture_output=True, text=True, check=False, timeout=300).stderr


def while_loop_differs(program, start, folder):
    """A loop that ends by its condition, and one that ends by its maximum number of steps."""
    import mxnet as mx
    import numpy
    x, y, weight = (mx.sym.var(name) for name in "xyw")
    outputs, states = mx.sym.contrib.while_loop(
        lambda a, b: mx.sym.sum(a) < 5, lambda a, b: ([a * 2, mx.sym.dot(b, weight)], [a + 1, mx.sym.broadcast_add(b * 0.5, a)]),
        [x, y], max_iterations=6)
    net = mx.sym.Group([*outputs, *states])
    path = folder / "loop-symbol.json"
    path.write_text(net.tojson())
    random = numpy.random.default_rng(5)
    given = {"x": numpy.array([start], "f4"), "y": random.standard_normal((3, 4)).astype("f4"),
             "w": random.standard_normal((4, 2)).astype("f4")}
    bound = net.bind(mx.cpu(), {name: mx.nd.array(array) for name, array in given.items()})
    wanted = [each.asnumpy() for each in bound.forward()]
    steps = min(6, int(5 - start + 0.999))
    for each in wanted[:2]:
        each[steps:] = 0
    names = output_names(path)
    status, got, said = run_model(program, path, given, names, "fast")
    if status:
        return said
    off = [float(abs(got[name] - want).max()) for name, want in zip(names, wanted)]
    return f"off by {off}" if max(off) > ROUNDING else ""


def main():
    options = read_arguments(__doc__, all_means="the same")
    try:
        import mxnet  # noqa: F401  # pylint: disable=unused-import
    except ImportError:
        peers.require(options.bin, "mxnet")
    program = options.bin.resolve() / "opledger-run"
    problems, agree = [], 0
    cases = list(itertools.product(MODES, (1, 2), (1, 2), ((), LENGTHS)))[::min(options.every, 7)]
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for mode, layers, ways, lengths in cases:
            off = differences(program, mode, layers, ways, lengths, folder)
            if off and max(off) <= ROUNDING:
                agree += 1
            else:
                problems.append(f"{mode} of {layers} layers, {ways} directions, lengths {lengths}: off by {off}")
        for attributes, why in REFUSED:
            said = refusal(program, attributes, folder)
            if why not in said:
                problems.append(f"{attributes}: {said}")
        wrong = clipped_differs(program, folder)
        if wrong:
            problems.append(f"lstm_state_clip: {wrong}")
        for start in (0.5, -7.5):
            wrong = while_loop_differs(program, start, folder)
            if wrong:
                problems.append(f"_while_loop from {start}: {wrong}")
    for problem in problems:
        print(problem)
    print(f"{agree} recurrent networks agree with MXNet")
    return 1 if problems or not agree else 0


if __name__ == "__main__":
    sys.exit(main())
