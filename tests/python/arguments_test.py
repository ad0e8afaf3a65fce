#!/usr/bin/env python3
"""Where a function takes several items, one string is one item, never a list of its letters; other
types raise a TypeError that names the argument. No public function has an argument that would
iterate over the letters of a string."""
# SPDX-License-Identifier: Apache-2.0

import collections.abc
import importlib
import inspect
import pathlib
import sys
import typing
from unittest import mock

from in_python import enter_demo, expect, go_on_where_there_are, has, main, raises, use

MXNETS = ("mxnet_1", "mxnet_2") if has("mxnet") else ()
# Rejected at run time unless they are lists, as in MXNet.
LISTS_ONLY = {"target_dtype_ops", "fp32_ops", "excluded_sym_names", "conditional_fp32_ops", "widest_dtype_ops"}


def functions(opledger):
    """Yields every public function by name."""
    from opledger.registry import read_registry
    named = {**{name: getattr(opledger, name) for name in opledger.__all__}, "read_registry": read_registry}
    for module in ("onnxconverter_common", "onnxruntime", *MXNETS):
        loaded = importlib.import_module(f"opledger.compat.{module}")
        named.update({f"compat.{module}.{name}": each for name, each in vars(loaded).items()
                      if inspect.isfunction(each) and each.__module__ == loaded.__name__ and not name.startswith("_")})
    return {name: each for name, each in named.items() if inspect.isfunction(each)}


def alternatives(hint):
    return typing.get_args(hint) if typing.get_origin(hint) is typing.Union else (hint,)


def is_of_strings(hint):
    """Returns whether it is a collection whose items may be strings."""
    origin, items = typing.get_origin(hint), typing.get_args(hint)
    return (isinstance(origin, type) and issubclass(origin, collections.abc.Iterable) and
            not issubclass(origin, collections.abc.Mapping) and bool(items) and str in alternatives(items[0]))


def arguments_of_strings(function):
    import onnx
    hints = typing.get_type_hints(function, {**function.__globals__, "onnx": onnx})
    return {name: alternatives(hints[name]) for name in inspect.signature(function).parameters
            if any(map(is_of_strings, alternatives(hints[name])))}


def test_every_argument_says_that_a_string_is_one(bin_folder, folder):
    opledger = use(bin_folder)
    found = 0
    for name, function in functions(opledger).items():
        for argument, accepted in arguments_of_strings(function).items():
            if ".mxnet_" in name and argument in LISTS_ONLY and str not in accepted:
                expect(list in map(typing.get_origin, accepted), name, argument, accepted)
                continue
            if name == "compat.onnxruntime.convert_float_to_float16" and argument == "keep_io_types":
                continue  # a string could mean either of the two, and is rejected
            expect(str in accepted, f"{name}({argument}=...) does not reject a single string: {accepted}")
            found += 1
    expect(found >= 20, found)


class Asked(Exception):
    """Carries the arguments with which a program would have been run."""


def asked(call, *arguments, **named):
    return raises(Asked, call, *arguments, **named).args[0]


def record(arguments, **named):
    raise Asked([word for word in arguments if "opledger-" not in word])


@mock.patch("opledger.conversion.run_program", record)
@mock.patch("opledger.checking.run_program", record)
def test_one_string_is_one_item(bin_folder, folder):
    opledger = use(bin_folder)
    enter_demo(folder)
    tried = 0
    for function, first in ((opledger.scan, "."), (opledger.check, "."), (opledger.convert, "model.onnx")):
        for argument in arguments_of_strings(function):
            if argument == "fp32_nodes":  # they are written to a file
                continue
            one = asked(function, first, **{argument: "head"})
            expect(any(word.split("=")[-1] == "head" for word in one), argument, one)
            for same in (["head"], ("head",), {"head"}, iter(["head"])):
                expect(asked(function, first, **{argument: same}) == one, argument, same)
            expect(asked(function, first, **{argument: ["head", "tail"]}) != one, argument)
            expect(asked(function, first, **{argument: []}) == asked(function, first), argument)
            for wrong in (3, None, b"head", [3], {"head": 1}, ["head", None]):
                expect(argument in str(raises(TypeError, function, first, **{argument: wrong})), argument, wrong)
            tried += 1
    expect(tried == 12, tried)
    expect(asked(opledger.scan, ".", pathlib.Path("src")) == asked(opledger.scan, ".", ["src"]))
    for shape in ("28", 8, b"28"):
        error = raises(TypeError, opledger.convert, "model.onnx", input_shapes={"pixels": shape})
        expect("'pixels'" in str(error), error)


def test_one_string_of_a_model(bin_folder, folder):
    opledger = use(bin_folder)
    enter_demo(folder)
    expect(opledger.convert("model.onnx", fp32_nodes="head").node("head").precision == "float32")
    expect(opledger.convert("model.onnx", fp32_nodes="head").to_bytes() ==
           opledger.convert("model.onnx", fp32_nodes=["head"]).to_bytes())
    # Its letters would match every node with an "s" in its name.
    kept = opledger.convert("model.onnx", exclude="^hidden$")
    expect([each.name for each in kept.nodes if each.rule.kind == "excluded"] == ["hidden"],
           [(each.name, each.rule.kind) for each in kept.nodes])


def test_modules_of_a_registry(bin_folder, folder):
    use(bin_folder)
    from opledger import registry

    def ask(job, *_):
        raise Asked(job)
    with mock.patch.object(registry, "ask", ask):
        expect(asked(registry.read_registry, "torch", imports="torchvision")["imports"] == ["torchvision"])
    expect("imports" in str(raises(TypeError, registry.read_registry, "torch", imports=3)))


def test_drop_ins(bin_folder, folder):
    import onnx
    use(bin_folder)
    enter_demo(folder)
    from opledger.compat import onnxconverter_common, onnxruntime
    model = onnx.load("model.onnx")
    for converter in (onnxconverter_common, onnxruntime):
        def converted(**named):
            return converter.convert_float_to_float16(model, **named).SerializeToString()
        plain = converted()
        for argument, value in (("op_block_list", "Relu"), ("node_block_list", "activation")):
            expect(plain != converted(**{argument: value}) == converted(**{argument: [value]}), converter, argument)
    error = raises(TypeError, onnxruntime.convert_float_to_float16, model, keep_io_types="pixels")
    expect("['pixels']" in str(error), error)


def test_drop_ins_of_mxnet(bin_folder, folder):
    if not MXNETS:
        return
    use(bin_folder)
    enter_demo(folder)
    import mxnet as mx
    from opledger.compat import amp_lists, mxnet_1, mxnet_2
    net = mx.sym.FullyConnected(mx.sym.var("x"), num_hidden=4, name="dense")
    for wrong in ("dense", ("dense",)):
        raises(AssertionError, mxnet_1.convert_symbol, net, excluded_sym_names=wrong)
        raises(AssertionError, mxnet_1.convert_symbol, net, target_dtype_ops=wrong)

    def json_of(symbol):
        return symbol.tojson(remove_amp_cast=False)
    # "x" is a part of "xs", which is not an input here.
    expect(json_of(mxnet_1.convert_symbol(net, data_names="xs")) == json_of(mxnet_1.convert_symbol(net, data_names=["xs"])))
    types = {"dense_weight": "float32", "dense_bias": "float32"}
    excluded = [json_of(mxnet_2.convert_symbol(net, {"x": "float32"}, types, "float16", excluded_sym_names=each))
                for each in ("dense", ["dense"], [])]
    expect(excluded[0] == excluded[1] != excluded[2], excluded)
    clause = amp_lists.overridden("float16", None, None, [("Activation", "act_type", "selu")], ())["conditional"]
    expect(clause[0]["clauses"][0]["values"] == ["selu"], clause)


if __name__ == "__main__":
    go_on_where_there_are("onnx", "numpy")
    sys.exit(main(globals()))
