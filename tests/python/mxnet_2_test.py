#!/usr/bin/env python3
"""Compares data_example, input_dtypes, param_dtypes and cast_params_offline of mxnet_2 with MXNet
2.

PyPI has only 2.0.0b1, whose functions have MXNet 1's arguments; the newer ones are on the main
branch, which no package contains. So the results are compared with those of 2.0.0b1's
`convert_symbol`: live if $OPLEDGER_MXNET_2 names a Python that has it (`pip install --no-deps
mxnet==2.0.0b1`, with numpy 1.23.5), otherwise as recorded in `BETA`; and with the cast counts that
the tests of the main branch require (`MAIN`). Without MXNet 2, symbols come from MXNet 1.9.1, and a
class of this test replaces a block.
"""
# SPDX-License-Identifier: Apache-2.0

import collections
import json
import os
import sys

from in_python import expect, go_on_where_there_are, main, raises, use

ROUNDED = {"float16": "2", "bfloat16": "12"}  # values of __dtype__
DISABLED = {"__opt_constraint__": "1"}  # HybridBlock.OptConstraint.disable_amp()


def dense(sym):
    first = sym.FullyConnected(sym.var("data"), sym.var("fc1_weight"), sym.var("fc1_bias"), num_hidden=4, name="fc1")
    second = sym.FullyConnected(first, sym.var("fc2_weight"), sym.var("fc2_bias"), num_hidden=4, name="fc2")
    return sym.reshape(second, shape=(-1, 2, 2), name="flat")


def disabled(sym):
    """An attribute excludes the last node."""
    first = sym.Convolution(sym.var("data"), sym.var("conv_weight"), sym.var("conv_bias"), num_filter=4, kernel=(3, 3),
                            name="conv")
    second = sym.Convolution(first, sym.var("more_weight"), sym.var("more_bias"), num_filter=4, kernel=(3, 3),
                             name="more")
    flat = sym.reshape(second, shape=(0, -1), name="flat")
    return sym.FullyConnected(flat, sym.var("fc_weight"), sym.var("fc_bias"), num_hidden=4, name="fc", attr=DISABLED)


def shared(sym):
    """A weight shared by two nodes, and a bias shared by a 16-bit node and an excluded one."""
    weight, bias = sym.var("a_weight"), sym.var("b_bias")
    first = sym.FullyConnected(sym.var("data"), weight, sym.var("a_bias"), num_hidden=4, name="a")
    second = sym.FullyConnected(first, weight, bias, num_hidden=4, name="b")
    third = sym.FullyConnected(first, sym.var("c_weight"), bias, num_hidden=4, name="c", attr=DISABLED)
    return sym.concat(second, third, dim=1, name="both")


def either(sym):
    """A node that may run in either type beside one that must be low, with one input."""
    data = 2 ** sym.var("data")
    low = sym.FullyConnected(data, sym.var("d_weight"), sym.var("d_bias"), num_hidden=4, name="d")
    return sym.Group([sym.flatten(data, name="flat"), low])


def excluded(sym):
    data, weight, bias = (sym.var(name) for name in ("data", "weights", "bias"))
    return sym.Group([sym.FullyConnected(data, weight, bias, num_hidden=4, name="fc1", attr=DISABLED),
                      sym.FullyConnected(data, weight, bias, num_hidden=4, name="fc2")])


NETS = (dense, disabled, shared, either, excluded)
# Casts to 16 bits and back that MXNet 2.0.0b1 inserts in float16, at run time and offline, and the
# parameters that it casts offline. It does not support DISABLED.
BETA = {
    "dense": ((5, 1), (1, 1), {"fc1_weight", "fc1_bias", "fc2_weight", "fc2_bias"}),
    "disabled": ((7, 1), (1, 1), {"conv_weight", "conv_bias", "more_weight", "more_bias", "fc_weight", "fc_bias"}),
    "shared": ((5, 1), (1, 1), {"a_weight", "a_bias", "b_bias", "c_weight"}),
    "either": ((3, 1), (1, 1), {"d_weight", "d_bias"}),
    "excluded": ((3, 2), (1, 2), {"weights", "bias"})}
KNOWN_TO_BETA = {"dense", "either"}  # nets that exclude nothing
# Required by tests/python/amp/common.py of the main branch (b84609d3): whether offline, casts to 16
# bits, and back.
MAIN = {"dense": (False, 5, 1), "disabled": (True, 1, 1), "shared": (True, 2, 2), "either": (True, 1, 2),
        "excluded": (False, 3, 1)}


def counts(symbol, dtype):
    """Returns (casts to 16 bits, casts back, 16-bit variables)."""
    nodes = json.loads(symbol.tojson(remove_amp_cast=False))["nodes"]
    casts = collections.Counter(node["attrs"]["dtype"] for node in nodes if node["op"] == "amp_cast")
    low = {node["name"] for node in nodes
           if node["op"] == "null" and (node.get("attrs") or {}).get("__dtype__") == ROUNDED[dtype]}
    return casts[dtype], casts["float32"], low


def parameters(symbol):
    return [name for name in symbol.list_inputs() if name != "data"]


def ours(net, dtype, offline, **named):
    import mxnet as mx
    from opledger.compat import mxnet_2
    symbol = net(mx.sym)
    return mxnet_2.convert_symbol(symbol, {"data": "float32"}, {name: "float32" for name in parameters(symbol)}, dtype,
                                  cast_params_offline=offline, **named)


def test_the_main_branch(bin_folder, folder):
    """No more casts than its tests require; offline, exactly the parameters that only 16-bit nodes
    read are cast."""
    use(bin_folder)
    for net in NETS:
        offline, low, back = MAIN[net.__name__]
        for dtype in ROUNDED:
            to_low, to_float32, _ = counts(ours(net, dtype, offline), dtype)
            expect(to_low <= low and to_float32 <= back, net.__name__, dtype, to_low, to_float32)
            if net is excluded:  # the other node, by name
                expect(counts(ours(net, dtype, offline, excluded_sym_names=["fc2"]), dtype) == (0, 0, set()))
    for dtype in ROUNDED:
        low = counts(ours(disabled, dtype, True), dtype)[2]
        expect(low == {"conv_weight", "conv_bias", "more_weight", "more_bias"}, low)
        low = counts(ours(shared, dtype, True), dtype)[2]
        expect(low == {"a_weight", "a_bias"}, "the shared bias is cast as it runs:", low)


def beta(net, dtype, offline):
    """Returns (casts to 16 bits, casts back, 16-bit parameters) of 2.0.0b1: live, or as recorded;
    None if not recorded."""
    import mxnet as mx
    if mx.__version__.startswith("2."):
        from mxnet import amp
        return counts(amp.convert_symbol(net(mx.sym), dtype, data_names=["data"], cast_optional_params=offline), dtype)
    at_run_time, then, low = BETA[net.__name__]
    return (*(then if offline else at_run_time), low if offline else set()) if dtype == "float16" else None


def test_the_beta(bin_folder, folder):
    """At most as many casts as 2.0.0b1 inserts; if nothing is excluded, the same parameters
    offline."""
    use(bin_folder)
    import mxnet as mx
    live = mx.__version__.startswith("2.")
    for net in NETS:
        for dtype in ROUNDED:
            for offline in (False, True):
                theirs = beta(net, dtype, offline)
                if theirs is None:
                    continue
                if live and dtype == "float16":
                    at_run_time, then, low = BETA[net.__name__]
                    expect(theirs == (*(then if offline else at_run_time), low if offline else set()),
                           "the record differs from its result:", net.__name__, offline, theirs)
                if net.__name__ not in KNOWN_TO_BETA:
                    continue
                own = counts(ours(net, dtype, offline), dtype)
                expect(sum(own[:2]) <= sum(theirs[:2]) and own[2] == theirs[2], net.__name__, dtype, offline, own,
                       theirs)


def test_types_of_inputs(bin_folder, folder):
    """input_dtypes: a float16 input needs no cast; an unknown input or type is an error."""
    opledger = use(bin_folder)
    import mxnet as mx
    from opledger.compat import mxnet_2
    symbol = dense(mx.sym)
    params = {name: "float32" for name in parameters(symbol)}
    low = mxnet_2.convert_symbol(symbol, {"data": "float16"}, params, "float16", cast_params_offline=True)
    expect(counts(low, "float16") == (0, 1, {"data", *params}), counts(low, "float16"))
    import numpy
    for kind in (numpy.float32, numpy.dtype("float32"), "float32"):
        low = mxnet_2.convert_symbol(symbol, {"data": kind}, {name: kind for name in params}, numpy.float16)
        expect(counts(low, "float16") == (5, 1, set()), kind)
    raises(opledger.OpledgerError, mxnet_2.convert_symbol, symbol, {"date": "float32"}, params, "float16")
    raises(opledger.OpledgerError, mxnet_2.convert_symbol, symbol, {"data": "float12"}, params, "float16")
    raises(AssertionError, mxnet_2.convert_symbol, symbol, {"data": "float32"}, params, "float64")


def arrays(symbol, shapes):
    import mxnet as mx
    return {name: mx.nd.ones(shapes[name]) for name in parameters(symbol)}


SHAPES = {"a_weight": (4, 4), "a_bias": (4,), "b_bias": (4,), "c_weight": (4, 4)}


def test_models(bin_folder, folder):
    """convert_model: the result has an array of the right type for each variable of its symbol."""
    use(bin_folder)
    import mxnet as mx
    from opledger.compat import mxnet_2
    symbol = shared(mx.sym)
    for dtype in ROUNDED:
        for offline in (False, True):
            given = arrays(symbol, SHAPES)
            low, args, aux = mxnet_2.convert_model(symbol, given, {}, {"data": "float32"}, dtype,
                                                   cast_params_offline=offline)
            expect(set(low.list_inputs()) == {"data", *args} and set(args) == set(given) and aux == {})
            rounded = {name for name, array in args.items() if dtype in str(array.dtype)}
            expect(rounded == ({"a_weight", "a_bias"} if offline else set()), dtype, offline, rounded)
            expect(all("float32" in str(array.dtype) for array in given.values()), "they stay as they are")


class Loaded:
    """Replaces MXNet 2's SymbolBlock."""

    def __init__(self, symbol, inputs):
        self.symbol, self.inputs = symbol, inputs

    def load_dict(self, params, device, cast_dtype, dtype_source):
        expect(cast_dtype and dtype_source == "saved")
        self.params, self.device = params, device


def block_of(mx, symbol, params):
    """A HybridBlock like MXNet 2's: `export` returns the symbol, and requires that it was
    hybridized and run."""
    class Block(mx.gluon.HybridBlock):
        _active, calls = False, []

        def hybridize(self, static_alloc, static_shape):
            self._active = True

        def __call__(self, *examples):
            self.calls.append([each.shape for each in examples])

        def export(self, path, remove_amp_cast):
            expect(path is None and not remove_amp_cast and self._active and self.calls)
            return symbol, {f"arg:{name}": array for name, array in params.items()}
    return Block()


def test_data_example(bin_folder, folder):
    """The example is run, and the input types are taken from it."""
    use(bin_folder)
    import mxnet as mx
    from opledger.compat import mxnet_2
    if mx.__version__.startswith("2."):
        return check_blocks_of_2(mx, mxnet_2)
    symbol, found = shared(mx.sym), {}
    mx.gluon.SymbolBlock, kept = Loaded, mx.gluon.SymbolBlock
    try:
        for kind in ("float32", "float16"):
            example = mx.nd.ones((2, 4), dtype=kind)
            block = block_of(mx, symbol, arrays(symbol, SHAPES))
            low = mxnet_2.convert_hybrid_block(block, example, "float16", device="here", cast_params_offline=True)
            expect(block.calls[-1] == [(2, 4)] and low.device == "here")
            expect([each.name for each in low.inputs] == ["data"] and set(low.params) == set(SHAPES))
            found[kind] = counts(low.symbol, "float16")[0]
        expect(found == {"float32": 2, "float16": 1}, found)
        for wrong in ([[1.0]], [mx.nd.ones(2), mx.nd.ones(2)], "data"):
            raises(AssertionError, mxnet_2.convert_hybrid_block, block, wrong, "float16")
        raises(AssertionError, mxnet_2.convert_hybrid_block, symbol, example, "float16")
    finally:
        mx.gluon.SymbolBlock = kept


def check_blocks_of_2(mx, mxnet_2):
    """The same with a block of MXNet 2 itself. It is not run: MXNet's CPU has no such layer in
    float16."""
    class Net(mx.gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            self.first, self.second = mx.gluon.nn.Dense(4), mx.gluon.nn.Dense(4)

        def forward(self, data):
            return self.second(self.first(data))
    mx.npx.set_np()
    net, example = Net(), mx.np.random.uniform(-1, 1, (4, 4))
    net.initialize()
    for offline in (False, True):
        low = mxnet_2.convert_hybrid_block(net, example, "float16", cast_params_offline=offline)
        kinds = {str(param.dtype) for param in low.collect_params().values()}
        expect(len(kinds) == 1 and ("float16" in kinds.pop()) == offline, offline, kinds)
    raises(AssertionError, mxnet_2.convert_hybrid_block, net, [[1.0]], "float16")


if __name__ == "__main__":
    python = os.environ.get("OPLEDGER_MXNET_2")
    if python:
        os.environ.pop("OPLEDGER_MXNET_2")
        os.execv(python, [python, "-B", *sys.argv])
    go_on_where_there_are("mxnet", "numpy")
    os.environ.setdefault("MXNET_SUBGRAPH_BACKEND", "NONE")
    sys.exit(main(globals()))
