#!/usr/bin/env python3
"""The drop-in replacements have their peers' signatures, read from the packages, and pass what the
peers' own tests require."""
# SPDX-License-Identifier: Apache-2.0

import ast
import inspect
import json
import os
import sys

from in_python import Skip, enter_demo, expect, go_on_where_there_are, has, main, raises, use
from make_onnx import model_bytes

# mxnet/amp/amp.py on MXNet 2's main branch at b84609d3, which no package contains.
MXNET_2 = {
    "convert_symbol": "sym, input_dtypes, param_dtypes, target_dtype, target_dtype_ops=None, fp32_ops=None, "
                      "conditional_fp32_ops=None, excluded_sym_names=[], cast_params_offline=False",
    "convert_model": "sym, arg_params, aux_params, input_dtypes, target_dtype, target_dtype_ops=None, fp32_ops=None, "
                     "conditional_fp32_ops=None, excluded_sym_names=[], cast_params_offline=False",
    "convert_hybrid_block": "block, data_example, target_dtype, target_dtype_ops=None, fp32_ops=None, "
                            "conditional_fp32_ops=None, excluded_sym_names=[], device=None, cast_params_offline=False"}


# Additional arguments, proposed by MXNet or opledger's own: keyword-only, after those of the peer.
OWN = ["small_constants"]
PROPOSED = {"convert_symbol": ["widest_dtype_ops", "input_names"], "convert_model": ["widest_dtype_ops"],
            "convert_hybrid_block": ["widest_dtype_ops"], "convert_bucketing_module": ["widest_dtype_ops"]}


def shape(function, proposed=()):
    """Returns all parameters except those that `proposed` names, which must be keyword-only with
    default None."""
    parameters = list(inspect.signature(function).parameters.values())
    more = [each for each in parameters if each.kind is inspect.Parameter.KEYWORD_ONLY]
    expect([each.name for each in more] == list(proposed) and all(each.default is None for each in more), function)
    return [(each.name, each.kind, each.default) for each in parameters if each not in more]


def test_signatures(bin_folder, folder):
    use(bin_folder)
    import onnxconverter_common.float16 as common
    from opledger.compat import onnxconverter_common, onnxruntime
    for name in ("convert_float_to_float16", "convert_float_to_float16_model_path"):
        expect(shape(getattr(onnxconverter_common, name), OWN) == shape(getattr(common, name)), name)
    import onnxruntime.transformers.float16 as transformers
    expect(shape(sys.modules["opledger.compat.onnxruntime"].convert_float_to_float16, OWN) ==
           shape(transformers.convert_float_to_float16))


def test_signatures_of_mxnet(bin_folder, folder):
    if not has("mxnet"):
        raise Skip("the Python package mxnet is missing; ci/setup installs it")
    use(bin_folder)
    from mxnet.contrib.amp import amp
    from opledger.compat import mxnet_1, mxnet_2
    for name in ("convert_symbol", "convert_model", "convert_hybrid_block", "convert_bucketing_module", "list_lp16_ops",
                 "list_fp32_ops", "list_lp16_fp32_ops", "list_conditional_fp32_ops", "list_widest_type_cast"):
        expect(shape(getattr(mxnet_1, name), PROPOSED.get(name, ())) == shape(getattr(amp, name)), name)
    for name, parameters in MXNET_2.items():
        given = ast.parse(f"def f({parameters}): pass").body[0].args
        ours = shape(getattr(mxnet_2, name), PROPOSED[name])
        expect([each for each, _, _ in ours] == [each.arg for each in given.args], name)
        expect([default for _, _, default in ours if default is not inspect.Parameter.empty] ==
               [ast.literal_eval(each) for each in given.defaults], name)


def types(model):
    return [each.type.tensor_type.elem_type for each in (*model.graph.input, *model.graph.output)]


def test_onnxconverter_common(bin_folder, folder):
    import numpy
    import onnx
    import onnxruntime
    use(bin_folder)
    enter_demo(folder)
    from opledger.compat.onnxconverter_common import convert_float_to_float16
    model = onnx.load("model.onnx")
    before = model.SerializeToString()
    low, kept = convert_float_to_float16(model), convert_float_to_float16(model, keep_io_types=True)
    expect(types(low) == [10, 10] and types(kept) == [1, 1] and model.SerializeToString() == before)
    pixels = numpy.random.default_rng(1).standard_normal((2, 8)).astype("float32")

    def run(converted, dtype):
        session = onnxruntime.InferenceSession(converted.SerializeToString(), providers=["CPUExecutionProvider"])
        return session.run(None, {"pixels": pixels.astype(dtype)})[0]
    exact = run(model, "float32")
    expect(abs(run(low, "float16") - exact).max() < 2e-3 and abs(run(kept, "float32") - exact).max() < 2e-3)
    raises(ValueError, convert_float_to_float16, low)
    raises(ValueError, convert_float_to_float16, kept)
    convert_float_to_float16(kept, check_fp16_ready=False)
    raises(ValueError, convert_float_to_float16, "model.onnx")

    def casts(**named):
        return [each.op_type for each in convert_float_to_float16(model, **named).graph.node].count("Cast")
    expect(casts(keep_io_types=True) == 2 and casts(keep_io_types=True, op_block_list=["Relu", "Binarizer"]) == 4)
    expect(casts(keep_io_types=True, node_block_list=["activation"]) == 4)
    expect(casts(keep_io_types=True, node_block_list=["activatio"]) == 2, "a name is not a pattern")
    expect(casts(keep_io_types=True, max_finite_val=0.01) == 0, "what reads such weights stays float32")
    expect(casts(keep_io_types=True, max_finite_val=60000) == 2)


def test_onnxruntime(bin_folder, folder):
    import onnx
    use(bin_folder)
    demo = enter_demo(folder)
    from opledger.compat.onnxruntime import convert_float_to_float16
    model = onnx.load("model.onnx")
    for given in (model, "model.onnx"):
        expect(types(convert_float_to_float16(given)) == [10, 10])
        expect(types(convert_float_to_float16(given, keep_io_types=True)) == [1, 1])
        expect(types(convert_float_to_float16(given, keep_io_types=["scores", "other"])) == [10, 1])
        expect(types(convert_float_to_float16(given, keep_io_types=[])) == [10, 10])
    for named in ({"force_fp16_initializers": True}, {"force_fp16_inputs": {"Resize": [2]}},
                  {"use_bfloat16_as_blocked_nodes_dtype": True}):
        raises(NotImplementedError, convert_float_to_float16, model, **named)
    raises(AssertionError, convert_float_to_float16, model, max_finite_val=1e6)
    raises(AssertionError, convert_float_to_float16, model, min_positive_val=1e-9)
    raises(ValueError, convert_float_to_float16, 3)
    resize = {"opset": 11, "inputs": {"x": ["float32", [1, 1, 4, 4]]}, "outputs": {"y": ["float32", [1, 1, 8, 8]]},
              "initializers": {"roi": ["float32", [0], []], "scales": ["float32", [4], [1, 1, 2, 2]]},
              "nodes": [["Resize", ["x", "roi", "scales"], ["y"], {"mode": "nearest"}]]}
    (demo / "resize.onnx").write_bytes(model_bytes(resize))
    converted = convert_float_to_float16("resize.onnx", keep_io_types=True)
    expect({each.name: each.data_type for each in converted.graph.initializer}["scales"] == 1)


def test_small_constants(bin_folder, folder):
    """By default, values guarded by a small constant stay in float32; "clamp" raises the constant,
    as the peers do."""
    import onnx.numpy_helper
    opledger = use(bin_folder)
    enter_demo(folder)
    from opledger.compat import onnxconverter_common, onnxruntime
    convert_for_runtime = sys.modules["opledger.compat.onnxruntime"].convert_float_to_float16
    weight = [1.0] * 16
    model = {"opset": 17, "inputs": {"x": ["float32", [1, 4]]}, "outputs": {"y": ["float32", [1, 4]]},
             "initializers": {"w": ["float32", [4, 4], weight], "eps": ["float32", [], [-1e-12]]},
             "nodes": [["MatMul", ["x", "w"], ["m"]], ["Abs", ["m"], ["a"]], ["Sub", ["a", "eps"], ["e"]],
                       ["Max", ["e", "eps"], ["f"]], ["Reciprocal", ["e"], ["r"]], ["MatMul", ["f", "w"], ["g"]],
                       ["Mul", ["g", "r"], ["h"]], ["MatMul", ["h", "w"], ["y"]]]}
    (folder / "guarded.onnx").write_bytes(model_bytes(model))
    proto = onnx.load(str(folder / "guarded.onnx"))
    common = onnxconverter_common
    for convert in (lambda **how: opledger.convert(proto, **how).model,
                    lambda **how: common.convert_float_to_float16(proto, **how),
                    lambda **how: common.convert_float_to_float16_model_path(folder / "guarded.onnx", **how),
                    lambda **how: convert_for_runtime(proto, **how)):
        numbers = [{each.name: onnx.numpy_helper.to_array(each) for each in convert(**how).graph.initializer}
                   for how in ({}, {"small_constants": "clamp"})]
        low = [[str(name) for name, each in of.items() if name.startswith("eps") and each.dtype == "float16"]
               for of in numbers]
        expect(not low[0] and len(low[1]) == 1, low)
        expect(numbers[1][low[1][0]] == -2.0 ** -24, numbers[1])
    converted = opledger.convert(proto, small_constants="clamp")
    expect([each.rounding.raised for each in converted.parameters if each.tensor == "eps"] == [1], converted.parameters)
    expect({each.rounding.raised for each in opledger.convert(proto).parameters} == {None})


def test_mxnet_1(bin_folder, folder):
    if not has("mxnet"):
        raise Skip("the Python package mxnet is missing; ci/setup installs it")
    use(bin_folder)
    enter_demo(folder)
    import mxnet as mx
    from mxnet.test_utils import same_symbol_structure
    from opledger.compat import mxnet_1 as amp
    x, y = mx.sym.var("x"), mx.sym.var("y")
    net = mx.sym.FullyConnected(x, y, num_hidden=10, no_bias=True) + mx.sym.sin(y)
    low = [mx.sym.amp_cast(each, dtype="float16") for each in (x, y)]
    wanted = mx.sym.amp_cast(mx.sym.FullyConnected(*low, num_hidden=10, no_bias=True), dtype="float32") + mx.sym.sin(y)
    named = {"target_dtype_ops": ["FullyConnected"], "fp32_ops": ["sin"]}
    expect(same_symbol_structure(amp.convert_symbol(net, **named), wanted))
    for wrong in ({"fp32_ops": ["elemwise_add"]}, {"fp32_ops": ["FullyConnected"]}, {"fp32_ops": ("sin",)},
                  {"fp32_ops": ["Activation"], "conditional_fp32_ops": [("Activation", "act_type", ["selu"])]}):
        raises(AssertionError, amp.convert_symbol, net, **{**named, **wrong})
    dense = mx.sym.FullyConnected(x, y, num_hidden=10, no_bias=True, name="dense")
    for value, casts in (("False", 0), ("True", 0)):  # inputs are already float32: no cast is needed
        done = amp.convert_symbol(dense, target_dtype_ops=[], fp32_ops=["sin"],
                                  conditional_fp32_ops=[("FullyConnected", "no_bias", [value])])
        expect(done.tojson(remove_amp_cast=False).count('"amp_cast"') == casts, value)
    expect("amp_cast" not in amp.convert_symbol(dense, excluded_sym_names=["dense"]).tojson(remove_amp_cast=False))
    expect("amp_cast" in amp.convert_symbol(dense, excluded_sym_names=["dens"]).tojson(remove_amp_cast=False), "a name is not a pattern")
    for dtype in ("float16", "bfloat16"):
        for cast in (False, True):
            sym, args, aux = mx.model.load_checkpoint("net", 0)
            done, given, _ = amp.convert_model(sym, args, aux, dtype, cast_optional_params=cast)
            kinds = {str(each.dtype) for each in args.values()}
            expect(given is args and len(kinds) == 1, "the dict is changed in place")
            expect(("float32" in kinds.pop()) != cast, dtype, cast)
            expect(done.list_arguments() == sym.list_arguments())
    raises(RuntimeError, amp.convert_hybrid_block, mx.gluon.nn.Dense(4))


def test_proposed_arguments(bin_folder, folder):
    if not has("mxnet"):
        raise Skip("the Python package mxnet is missing; ci/setup installs it")
    use(bin_folder)
    enter_demo(folder)
    import mxnet as mx
    from opledger.compat import mxnet_1, mxnet_2
    x, y = mx.sym.var("x"), mx.sym.var("y")
    net = mx.sym.FullyConnected(x, y, num_hidden=10, no_bias=True, name="dense") + mx.sym.sin(y, name="sine")
    net = mx.sym.FullyConnected(net, mx.sym.var("z"), num_hidden=2, no_bias=True, name="head")

    def casts(module, **named):
        given = named if module is mxnet_1 else {"input_dtypes": {"x": "float32"}, "target_dtype": "float16",
                                                 "param_dtypes": {"y": "float32", "z": "float32"}, **named}
        text = module.convert_symbol(net, **given).tojson(remove_amp_cast=False)
        return sorted(node["name"] for node in json.loads(text)["nodes"] if node["op"] == "amp_cast")
    for module in (mxnet_1, mxnet_2):
        lists = {"target_dtype_ops": ["FullyConnected"], "fp32_ops": ["sin"]}
        wide = casts(module, **lists)
        # 'widest' operators may now run in either type
        free = casts(module, **lists, widest_dtype_ops=[])
        expect(len(free) <= len(wide) and wide == casts(module, **lists, widest_dtype_ops=["elemwise_add"]), wide, free)
        raises(AssertionError, casts, module, fp32_ops=["elemwise_add"], widest_dtype_ops=["elemwise_add"])
        raises(AssertionError, casts, module, widest_dtype_ops=["no_such_operator"])
        raises(AssertionError, casts, module, widest_dtype_ops=("elemwise_add",))
        raises(AssertionError, casts, module, input_names=["no_such_input"])
    offline = {"cast_optional_params": True}
    expect(casts(mxnet_1, input_names=["x"], **offline) == casts(mxnet_1, data_names="x", **offline) !=
           casts(mxnet_1, input_names=["x", "y", "z"], **offline))
    raises(AssertionError, casts, mxnet_1, input_names=["x"], data_names=["x"])
    expect(casts(mxnet_2, input_dtypes={}, input_names="x") == casts(mxnet_2))
    sym, args, aux = mx.model.load_checkpoint("net", 0)
    low = mxnet_1.convert_model(sym, args, aux, widest_dtype_ops=["FullyConnected"], target_dtype_ops=[])[0]
    expect("amp_cast" not in low.tojson(remove_amp_cast=False), "the widest type of float32 inputs is float32")


def loops(sym):
    """Loops whose inputs and outputs are single symbols, and lists of them."""
    def dense(data, states):
        one = isinstance(data, mx_symbol(sym))
        product = sym.FullyConnected(data if one else data[0], sym.var("w"), num_hidden=4, no_bias=True, name="fc")
        result = product + (states if one else data[1])
        return (result, result) if one else ([result, data[0]], [states[0] + result, states[1] * 2])
    a, b, s, t = (sym.var(name) for name in "abst")
    yield "single", sym.Group(sum((list(each) for each in sym.contrib.foreach(dense, a, s)), []))
    outputs, states = sym.contrib.foreach(dense, [a, b], [s, t])
    yield "lists", sym.Group(list(outputs) + list(states))
    yield "first of a list", outputs[0]


def mx_symbol(sym):
    return type(sym.var("any"))


def test_loops_as_mxnet(bin_folder, folder):
    """With MXNet's own kinds of lists, inserts no more casts than MXNet's amp, and does not change
    a loop's contents unless the loop is in `target_dtype_ops`."""
    if not has("mxnet"):
        raise Skip("the Python package mxnet is missing; ci/setup installs it")
    use(bin_folder)
    import mxnet as mx
    from mxnet.contrib import amp
    from opledger.compat import mxnet_1

    def casts(module, net, **named):
        text = module.convert_symbol(net, data_names=net.list_inputs(), **named).tojson(remove_amp_cast=False)
        return text.count('"op": "amp_cast"')
    for name, net in loops(mx.sym):
        for named in ({}, {"fp32_ops": ["_foreach"]},
                      {"target_dtype_ops": ["FullyConnected"], "fp32_ops": ["_foreach"]}):
            theirs, ours = casts(amp, net, **named), casts(mxnet_1, net, **named)
            expect(ours <= theirs and ours == 0, name, named, ours, theirs)
        inside = mxnet_1.convert_symbol(net, target_dtype_ops=["FullyConnected", "_foreach"])
        expect(inside.tojson(remove_amp_cast=False).count('"op": "amp_cast"') == 3, name)


def test_mxnet_2(bin_folder, folder):
    if not has("mxnet"):
        raise Skip("the Python package mxnet is missing; ci/setup installs it")
    use(bin_folder)
    enter_demo(folder)
    import mxnet as mx
    from opledger.compat import mxnet_2 as amp
    sym, args, aux = mx.model.load_checkpoint("net", 0)
    raises(TypeError, amp.convert_model, sym, args, aux)
    for cast in (False, True):
        excluded = []
        done, low, _ = amp.convert_model(sym, args, aux, {"data": "float32"}, "bfloat16", excluded_sym_names=excluded,
                                         cast_params_offline=cast)
        expect(all(each.dtype.__name__ == "float32" for each in args.values()) and low is not args and not excluded)
        expect(all(("bfloat16" in str(each.dtype)) == cast for each in low.values()), low)
        expect("amp_cast" in done.tojson(remove_amp_cast=False))
    types_of = {name: "float32" for name in args}
    expect(amp.convert_symbol(sym, {"data": "float32"}, types_of, "float16", cast_params_offline=True).tojson(remove_amp_cast=False) ==
           amp.convert_model(sym, args, aux, {"data": "float32"}, "float16", cast_params_offline=True)[0].tojson(remove_amp_cast=False))


if __name__ == "__main__":
    go_on_where_there_are("onnx", "numpy", "onnxruntime", "onnxconverter_common")
    os.environ.setdefault("MXNET_SUBGRAPH_BACKEND", "NONE")
    sys.exit(main(globals()))
