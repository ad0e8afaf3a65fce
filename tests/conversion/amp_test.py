#!/usr/bin/env python3
"""opledger inserts no more casts than MXNet 1.9.1's amp.convert_model with MXNet's lists: for each
symbol of the test data that MXNet converts, with parameters cast offline and at run time, to
float16 and bfloat16. An amp_multicast counts as one cast. MXNet does not convert subgraphs, so
opledger excludes the nodes that contain one.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from model_data import MXNET as DATA, mxnet_symbols, params_of, require
import peers


os.environ["MXNET_SUBGRAPH_BACKEND"] = "NONE"
try:
    import mxnet
    from mxnet.contrib import amp
except ImportError:
    mxnet = None


def own_list(dtype):
    """Converts MXNet's lists to opledger's format. A conditional entry is "either" if its condition
    does not hold."""
    name, dtype = dtype, amp.amp.bfloat16 if dtype == "bfloat16" else dtype
    conditional = [{"op": op, "attribute": name, "values": values, "then": "fp32",
                    "otherwise": "either"}
                   for op, name, values in amp.list_conditional_fp32_ops(dtype)]
    policies = {"target": amp.list_lp16_ops(dtype), "fp32": amp.list_fp32_ops(dtype),
                "widest": amp.list_widest_type_cast(dtype), "either": amp.list_lp16_fp32_ops(dtype)}
    taken = {each["op"] for each in conditional}
    result = {"framework": "mxnet", "target_dtype": name}
    for policy, operators in policies.items():
        result[policy] = sorted(set(operators) - taken)
        taken |= set(operators)
    return {**result, "conditional": conditional}


def casts(path):
    """Returns the number of amp_cast and amp_multicast nodes."""
    count = collections.Counter()

    def walk(graph):
        for node in graph["nodes"]:
            count[node["op"]] += 1
            for inner in node.get("subgraphs", ()):
                walk(inner)

    walk(json.loads(path.read_text(encoding="utf-8")))
    return count["amp_cast"] + count["amp_multicast"]


def peer_casts(symbol, params, dtype, offline, folder):
    """Returns the peer's count, or None and why it refuses the model."""
    arguments, states = {}, {}
    try:
        loaded = mxnet.sym.load(str(symbol))
        for name, array in (mxnet.nd.load(str(params)).items() if params else ()):
            kind, _, bare = name.partition(":")
            (states if kind == "aux" else arguments)[bare or kind] = array
        if params:
            result = amp.convert_model(loaded, arguments, states, target_dtype=dtype,
                                       cast_optional_params=offline)[0]
        else:  # all variables are inputs
            result = amp.convert_symbol(loaded, target_dtype=dtype,
                                        data_names=loaded.list_inputs())
        result.save(str(folder / "peer.json"), remove_amp_cast=False)
    except (mxnet.base.MXNetError, AssertionError, KeyError, ValueError) as error:
        return None, str(error).strip().splitlines()[0][:80]
    return casts(folder / "peer.json"), None


def compare(program, folder, symbol, dtype, offline):
    """Returns (a row of the table, whether the peer converts it and opledger inserts casts, the
    problem)."""
    name, params = str(symbol.relative_to(DATA)), params_of(symbol)
    own = casts(symbol)
    theirs, refused = peer_casts(symbol, params, dtype, offline, folder)
    command = [program, symbol, "-o", folder / "ours", "--target-dtype", dtype, "--list",
               folder / f"{dtype}.json", "--unlisted", "ignore"]
    command += ["--params", params] if params else []
    holders = [node["name"] for node in json.loads(symbol.read_text(encoding="utf-8"))["nodes"]
               if node.get("subgraphs")]
    command += [word for each in holders for word in ("--exclude", f"^{re.escape(each)}$")]
    command += [] if offline else ["--cast-params-at-run-time"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return f"{name}: refused", False, [f"{name}: {done.stderr}"]
    ours = casts(folder / "ours-symbol.json")
    how = "offline" if offline else "run time"
    row = f"{name:68}{dtype:9}{how:9}{own:4}{ours:6}{'-' if theirs is None else theirs:>6}"
    if theirs is not None and ours > theirs:
        return row, True, [f"{name}, {dtype}, {how}: {ours} casts, the peer has {theirs}"]
    return f"{row}  {refused or ''}".rstrip(), theirs is not None and ours > own, []


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--every", type=int, default=1, help="with --all only each Nth model")
    parser.add_argument("--all", action="store_true", help="not only nets written by MXNet 1.9.1")
    arguments = parser.parse_args()
    if mxnet is None:
        peers.require(arguments.bin, "mxnet")
    require(DATA)
    program, problems, compared = arguments.bin.resolve() / "opledger-convert", [], 0
    chosen = mxnet_symbols()[::arguments.every] if arguments.all else [
        path for path in mxnet_symbols() if path.parent.name == "v10901"]
    print(f"{'':86}in it  ours  peer")
    sys.stderr = sys.stdout
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # MXNet prints a warning for each old symbol
    with tempfile.TemporaryDirectory(prefix="opledger-amp-") as folder:
        folder = pathlib.Path(folder)
        for dtype in ("float16", "bfloat16"):
            (folder / f"{dtype}.json").write_text(json.dumps(own_list(dtype)))
            for symbol in chosen:
                for offline in (True, False):
                    row, both, found = compare(program, folder, symbol, dtype, offline)
                    print(row)
                    compared += both
                    problems += found
    print(f"{compared} conversions with casts of both")
    if not compared:
        problems.append("nothing was compared")
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
