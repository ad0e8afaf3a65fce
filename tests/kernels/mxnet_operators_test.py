#!/usr/bin/env python3
"""Compares MXNet's operators in MXNet and in `opledger-run`: every call of mxnet_operator_cases.py
yields the same types, shapes and elements, within 1e-4 of the largest element of each output.

Prints calls that differ or have no kernel, and the counts. Exit status: 0 success, 1 failure, 77
the Python package mxnet is missing.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import collections
import os
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/conversion")]
import peers  # noqa: E402
from model_run import difference, output_names, run_model  # noqa: E402
from mxnet_symbols import Symbol  # noqa: E402



def model_of(cases, states):
    """Returns (symbol, its nodes, inputs by name, which inputs are states), with one node for each
    call."""
    import numpy
    net, heads, given, written = Symbol(10901), [], {}, set()
    random = numpy.random.default_rng(3)
    for number, (op, attributes, inputs) in cases:
        taken = []
        for i, spec in enumerate(inputs):
            name = f"in{number}_{i}"
            given[name] = (random.standard_normal(spec).astype("f4") if isinstance(spec, tuple) else spec)
            is_state = i in states.get(op, ())
            if is_state:
                written.add(name)
            taken.append(net.variable(name, written=is_state))
        heads.append(net.node(op, f"case{number}", taken, attributes))
    return net, heads, given, written


def by_mxnet(cases, states, folder):
    """Returns (the symbol's file as MXNet writes it, inputs, MXNet's outputs)."""
    import mxnet as mx
    net, heads, given, written = model_of(cases, states)
    loaded = mx.sym.load_json(net.text(heads))
    inner = loaded.get_internals()
    seen = [name for name in inner.list_outputs() if name.startswith("case") and not name.endswith("_mask")]
    whole = mx.sym.Group([inner[name] for name in seen])
    path = folder / "cases-symbol.json"
    path.write_text(whole.tojson(remove_amp_cast=False))
    arrays = {name: mx.nd.array(array, dtype=array.dtype) for name, array in given.items()}
    bound = whole.bind(mx.cpu(), {n: a for n, a in arrays.items() if n in whole.list_arguments()},
                       aux_states={n: a for n, a in arrays.items() if n in written})
    outputs = bound.forward(is_train=False)
    return path, given, dict(zip(output_names(path), (each.asnumpy() for each in outputs)))


def text(case):
    op, attributes, inputs = case
    return f"{op} {attributes} of {[i if isinstance(i, tuple) else i.shape for i in inputs]}"


def compare(cases, states, program, kernels):
    """Returns [(case, what, why)]; what: agree, differ, none, refused (by MXNet)."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        try:
            path, given, want = by_mxnet(cases, states, folder)
        except Exception as error:  # pylint: disable=broad-except  # whatever MXNet raises
            if len(cases) == 1:
                return [(cases[0][1], "refused", str(error).strip().splitlines()[-1][:150])]
            want = None
        if want is not None:
            status, got, said = run_model(program, path, given, list(want), kernels)
        if want is None or (status and len(cases) > 1):  # one of them fails: find it by bisection
            half = len(cases) // 2
            return (compare(cases[:half], states, program, kernels) +
                    compare(cases[half:], states, program, kernels))
        if status:
            return [(cases[0][1], "none" if status == 2 else "differ", said)]
        found = []
        for number, case in cases:
            own = [n for n in want if n.startswith(f"case{number}_")]
            wrong = next((w for w in (difference(got[n], want[n]) for n in own) if w), "")
            found.append((case, "differ" if wrong or not own else "agree", wrong))
        return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--only", default="", help="operators whose names contain this")
    parser.add_argument("--kernels", default="fast")
    options = parser.parse_args()
    # Use MXNet's own kernels, which support all types and attributes, without log messages.
    os.environ.update({"MXNET_MKLDNN_ENABLED": "0", "MXNET_STORAGE_FALLBACK_LOG_VERBOSE": "0",
                       "MXNET_SUBGRAPH_VERBOSE": "0"})
    try:
        import mxnet  # noqa: F401  # pylint: disable=unused-import
    except ImportError:
        peers.require(options.bin, "mxnet")
    from mxnet_operator_cases import CASES, STATES
    cases = [c for c in enumerate(CASES) if options.only in c[1][0]][::options.every]
    counts = collections.Counter()
    operators = collections.defaultdict(collections.Counter)
    for case, what, why in compare(cases, STATES, options.bin.resolve() / "opledger-run", options.kernels):
        counts[what] += 1
        operators[case[0]][what] += 1
        if why:
            print(f"{what:8}{text(case)}: {why}")
    print(f"{counts['agree']} of {len(cases)} calls of {len(operators)} operators agree with MXNet, "
          f"{counts['differ']} differ, {counts['none']} have no kernel, {counts['refused']} are refused by MXNet")
    return 0 if counts["agree"] == len(cases) else 1


if __name__ == "__main__":
    sys.exit(main())
