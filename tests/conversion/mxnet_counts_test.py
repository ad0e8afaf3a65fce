#!/usr/bin/env python3
"""The cast counts that MXNet 2 expects of its own conversion (the nets of its tests/python/amp,
rebuilt here) are upper bounds for opledger with MXNet's lists: with casts at run time, parameters
cast offline, parameters used in both types, two operators in either order, and nodes excluded by
name or by MXNet's own mark, before and after fusion into one node with a subgraph.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

from mxnet_symbols import Symbol

# The policies of MXNet 2's lists for the operators below, in both types.
LIST = {"target": ["Convolution", "Deconvolution", "FullyConnected"], "widest": ["Concat"],
        "fp32": ["_npi_rpower_scalar"], "either": ["Flatten", "_npx_reshape"]}
NO_AMP = {"__opt_constraint__": "1"}  # of HybridBlock.OptConstraint.disable_amp()


def dense(net, name, value, weight=None, bias=None, width=4, attributes=None):
    weight = net.variable(f"{name}_weight", (4, width)) if weight is None else weight
    bias = net.variable(f"{name}_bias", (4,)) if bias is None else bias
    return net.node("FullyConnected", name, [value, weight, bias],
                    {"num_hidden": "4", "flatten": "True", "no_bias": "False", **(attributes or {})})


def basic():
    net = Symbol()
    value = dense(net, "fc2", dense(net, "fc1", net.variable("data")))
    return net, [net.node("_npx_reshape", "reshape", [value], {"newshape": "(-1, 2, 2)"})]


def offline(attributes=None):
    net = Symbol()
    value, weight = net.variable("data"), net.variable("conv_weight", (4, 3, 3, 3))
    kernel = {"kernel": "(3, 3)", "num_filter": "4", "no_bias": "True"}
    value = net.node("Convolution", "conv", [value, weight], kernel)
    weight = net.variable("deconv_weight", (4, 4, 3, 3))
    value = net.node("Deconvolution", "deconv", [value, weight], kernel)
    value = net.node("_npx_reshape", "reshape", [value], {"newshape": "(-2, -1)"})
    return net, [dense(net, "fp32_op", value, width=1024, attributes=attributes)]


def shared(attributes=None):
    net = Symbol()
    data = net.variable("data")
    weight, bias = net.variable("op1_weight", (4, 4)), net.variable("op2_bias", (4,))
    value = dense(net, "op1", data, weight)
    low = dense(net, "op2", value, weight, bias)
    high = dense(net, "fp32_op", value, bias=bias, attributes=attributes)
    return net, [net.node("Concat", "concat", [low, high], {"dim": "1", "num_args": "2"})]


def order(flatten_first):
    net = Symbol()
    value = net.node("_npi_rpower_scalar", "power", [net.variable("data")], {"scalar": "2.0"})

    def first():
        return net.node("Flatten", "flatten", [value])

    def second():
        return dense(net, "dense", value, width=16)

    return net, [first(), second()] if flatten_first else [second(), first()]


def excluding(attributes=None):
    net = Symbol()
    data = net.variable("data")
    weight, bias = net.variable("weights", (4, 16)), net.variable("bias", (4,))
    return net, [dense(net, "fc1", data, weight, bias, attributes=attributes),
                 dense(net, "fc2", data, weight, bias)]


def fused():
    """Two FullyConnected in a subgraph as MXNet's fusion creates it, and one outside."""
    inner = Symbol()
    inside = dense(inner, "fc_a", inner.variable("x"), inner.variable("weight"), inner.variable("bias"))
    text = json.loads(inner.text([inside]))
    del text["attrs"]
    net = Symbol()
    data = net.variable("data")
    weight, bias = net.variable("weights", (4, 4)), net.variable("bias", (4,))
    locations = {"in_data_locs": "(0,)", "in_state_locs": "()", "remain_locs": "(1, 2)",
                 "num_outputs": "1", "num_out_data": "1", "num_args": "4"}
    loop = net.node("_foreach", "fused", [data, weight, bias], locations)
    net.nodes[loop]["subgraphs"] = [text]
    return net, [dense(net, "outside", loop, weight, bias)]


RUN_TIME = ("--cast-params-at-run-time",)
# Net, arguments, MXNet's number of casts to the low type and of others, and the float32 parameters.
CASES = {
    "basic, casts at run time": (basic(), RUN_TIME, 5, 1, {"all"}),
    "basic, offline": (basic(), (), 1, 1, set()),
    "offline, excluded by name": (offline(), ("--exclude", "^fp32_op$"), 1, 1,
                                  {"fp32_op_weight", "fp32_op_bias"}),
    "offline, excluded by its mark": (offline(NO_AMP), (), 1, 1, {"fp32_op_weight", "fp32_op_bias"}),
    "shared parameters": (shared(), ("--exclude", "^fp32_op$"), 2, 2, {"fp32_op_weight", "op2_bias"}),
    "shared, by its mark": (shared(NO_AMP), (), 2, 2, {"fp32_op_weight", "op2_bias"}),
    "Flatten first": (order(True), (), 1, 2, set()),
    "Flatten second": (order(False), (), 1, 2, set()),
    "one excluded by its mark": (excluding(NO_AMP), RUN_TIME, 3, 1, {"all"}),
    "one excluded, offline": (excluding(NO_AMP), (), 1, 1, {"weights", "bias"}),
    "both excluded": (excluding(), ("--exclude", "^fc1$", "--exclude", "^fc2$"), 0, 0, {"all"}),
    "mark and name": (excluding(NO_AMP), ("--exclude", "^fc2$"), 0, 0, {"all"}),
    "excluded before fusion": (fused(), ("--exclude", "^fc_a$", "--exclude", "^outside$"), 0, 0,
                               {"all"}),
    "excluded after fusion": (fused(), ("--exclude", "^fused$", "--exclude", "^outside$"), 0, 0,
                              {"all"}),
    "the fused one excluded": (fused(), ("--exclude", "^fused$",), 1, 1, {"weights", "bias"}),
}


def float32_names(params):
    """Returns the names of the float32 arrays in Symbol.params or in its converted file."""
    import struct
    at, found = 24, []
    for _ in range(struct.unpack_from("<Q", params, 16)[0]):
        rank = struct.unpack_from("<i", params, at + 8)[0]
        shape = struct.unpack_from(f"<{rank}q", params, at + 12)
        at += 12 + 8 * rank + 8
        flag = struct.unpack_from("<i", params, at)[0]
        count = 1
        for each in shape:
            count *= each
        found.append(flag)
        at += 4 + count * (4 if flag == 0 else 2)
    names, at = [], at + 8
    for _ in found:
        length = struct.unpack_from("<Q", params, at)[0]
        names.append(params[at + 8:at + 8 + length].decode().removeprefix("arg:"))
        at += 8 + length
    return {name for name, flag in zip(names, found) if flag == 0}


def casts(graph, dtype):
    """Returns the number of casts to `dtype`, and of others."""
    count = collections.Counter()
    for node in graph["nodes"]:
        if node["op"] == "amp_cast":
            count[node["attrs"]["dtype"] == dtype] += 1
        for inner in node.get("subgraphs", ()):
            low, other = casts(inner, dtype)
            count.update({True: low, False: other})
    return count[True], count[False]


def check(program, folder, dtype, name):
    """Returns the problems."""
    (net, heads), arguments, most_low, most_other, float32 = CASES[name]
    symbol, params = net.save(folder / "net", heads)
    chosen = folder / "list.json"
    chosen.write_text(json.dumps({"framework": "mxnet", "target_dtype": dtype, **LIST}))
    done = subprocess.run([program, symbol, "--params", params, "-o", folder / "low", "--list", chosen,
                           "--target-dtype", dtype, *arguments], capture_output=True, text=True,
                          check=False)
    if done.returncode or ("warning: none of its" not in done.stderr and done.stderr):
        return [f"{dtype}, {name}: {done.stderr or done.returncode}"]
    graph = json.loads((folder / "low-symbol.json").read_text())
    low, other = casts(graph, dtype)
    problems = []
    if low > most_low or other > most_other:
        problems.append(f"{dtype}, {name}: {low} + {other} casts, MXNet has {most_low} + {most_other}")
    if most_low and not low:
        problems.append(f"{dtype}, {name}: nothing is cast")
    found = float32_names((folder / "low-0000.params").read_bytes())
    expected = set(net.shapes) if float32 == {"all"} else float32
    if found != expected:
        problems.append(f"{dtype}, {name}: of float32 are {sorted(found)}, not {sorted(expected)}")
    print(f"{dtype:9}{name:32}{low} + {other} casts, MXNet {most_low} + {most_other}")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--every", help="ignored")
    program = parser.parse_args().bin.resolve() / "opledger-convert"
    problems = []
    with tempfile.TemporaryDirectory(prefix="opledger-counts-") as folder:
        for dtype in ("float16", "bfloat16"):
            for name in CASES:
                problems += check(program, pathlib.Path(folder), dtype, name)
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
