#!/usr/bin/env python3
"""Generates MXNet models for tests: networks written by MXNet 1.9.1, with random weights; the same
in the formats of older versions; and files of every array format and type.

    make_mxnet_models.py FOLDER        needs the package mxnet
"""
# SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import re
import struct
import sys
import warnings

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "conversion"))
from mxnet_networks import resnet  # noqa: E402
from mxnet_symbols import Symbol  # noqa: E402

os.environ.update(MXNET_SUBGRAPH_BACKEND="NONE", MXNET_SUBGRAPH_VERBOSE="0")
warnings.filterwarnings("ignore")
import mxnet as mx  # noqa: E402
from mxnet.contrib import amp  # noqa: E402
from mxnet.gluon.model_zoo import vision  # noqa: E402

RANDOM = numpy.random.default_rng(8)
ZOO = ("resnet18_v1", "resnet50_v1", "squeezenet1.0", "inceptionv3", "mobilenet1.0", "densenet121", "vgg11_bn")


def save_symbol(symbol, path, version=10901):
    """Saves a symbol as MXNet writes it, with the given version."""
    path.parent.mkdir(parents=True, exist_ok=True)
    symbol.save(str(path), remove_amp_cast=False)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('["int", 10901]', f'["int", {version}]'), encoding="utf-8")


def save_as_before(symbol, path, version):
    """Saves it with the keys of versions before 1.2, and before 0.9 without a version."""
    save_symbol(symbol, path, version)
    text = re.sub(r'(\n {6})"attrs": ', r'\1"attr": ', path.read_text(encoding="utf-8"))
    if version < 900:
        text = re.sub(r"\[(\d+), (\d+), \d+\]", r"[\1, \2]", text)
        text = re.sub(r'\n {2}"node_row_ptr": \[[^]]*\], ', "", text)
        text = re.sub(r', \n {2}"attrs": \{[^}]*\}', "", text)
        text = re.sub(r'("inputs": \[[^\n]*\])(, )?\n', r'\1, \n      "backward_source_id": -1\2\n', text)
        text = text.replace('"attr": {', '"param": {')
    path.write_text(text, encoding="utf-8")


def filler(name, shape):
    if name.endswith("gamma"):
        return 0.4 + 0.1 * RANDOM.standard_normal(shape)
    if name.endswith("_var"):
        return RANDOM.uniform(0.5, 1.5, shape)
    if name.endswith("weight"):
        return RANDOM.standard_normal(shape) * (2 / max(1, numpy.prod(shape[1:]))) ** 0.5
    return 0.1 * RANDOM.standard_normal(shape)


def weights(symbol, **inputs):
    """Returns random arrays for all variables that are not inputs, as "arg:" and "aux:"."""
    shapes, _, states = symbol.infer_shape(**inputs)
    names = [("arg", *each) for each in zip(symbol.list_arguments(), shapes)]
    names += [("aux", *each) for each in zip(symbol.list_auxiliary_states(), states)]
    return {f"{kind}:{name}": mx.nd.array(filler(name, shape)) for kind, name, shape in names
            if name not in inputs and not name.endswith("label")}


def save_run(symbol, params, prefix, **inputs):
    """Writes PREFIXinput.params and PREFIXoutput.params: the inputs, and MXNet's outputs."""
    given = {name: mx.nd.array(RANDOM.standard_normal(shape)) for name, shape in inputs.items()}
    mx.nd.save(f"{prefix}input.params", given)
    values = {**{name.split(":")[1]: value for name, value in params.items()}, **given}
    for name in symbol.list_arguments():
        values.setdefault(name, mx.nd.zeros(next(iter(inputs.values()))[:1]))  # a label
    bound = symbol.bind(mx.cpu(), {name: values[name] for name in symbol.list_arguments()},
                        aux_states={name: values[name] for name in symbol.list_auxiliary_states()})
    mx.nd.save(f"{prefix}output.params", {f"output{i}": each for i, each in enumerate(bound.forward())})


def mlp(width=128, head=None, norm=False):
    value = mx.sym.Variable("data")
    for layer, to in enumerate((width, width // 2)):
        value = mx.sym.FullyConnected(value, num_hidden=to, name=f"fc{layer + 1}")
        value = mx.sym.BatchNorm(value, name=f"bn{layer}") if norm and not layer else value
        value = mx.sym.Activation(value, act_type="relu", name=f"act{layer + 1}")
    value = mx.sym.FullyConnected(value, num_hidden=10, name="fc3")
    return head(value, name="softmax") if head else value


def residual():
    value = mx.sym.Variable("data")
    for layer in range(2):
        less = mx.sym.Convolution(value, kernel=(3, 3), pad=(1, 1), num_filter=8, name=f"conv{layer}")
        less = mx.sym.Activation(mx.sym.BatchNorm(less, fix_gamma=False, name=f"norm{layer}"), act_type="relu",
                                 name=f"relu{layer}")
        less = mx.sym.Convolution(less, kernel=(3, 3), pad=(1, 1), num_filter=8, name=f"conv{layer}b")
        short = mx.sym.Convolution(value, kernel=(1, 1), num_filter=8, name=f"short{layer}")
        value = mx.sym.elemwise_add(mx.sym.BatchNorm(less, name=f"norm{layer}b"), short, name=f"add{layer}")
    value = mx.sym.Pooling(value, global_pool=True, kernel=(2, 2), pool_type="avg", name="pool")
    value = mx.sym.FullyConnected(mx.sym.Flatten(value, name="flat"), num_hidden=10, name="fc")
    return mx.sym.softmax(value, name="softmax")  # save() keeps a cast at the head


def bert(layers=2, width=64, heads=4, length=384):
    def linear(value, to, name):
        return mx.sym.FullyConnected(value, num_hidden=to, flatten=False, name=name)

    def split(value):
        value = mx.sym.transpose(mx.sym.Reshape(value, shape=(0, 0, heads, -1)), axes=(0, 2, 1, 3))
        return mx.sym.Reshape(value, shape=(-1, 0, 0), reverse=True)

    words, kinds, lengths = (mx.sym.Variable(f"data{i}") for i in range(3))
    value = mx.sym.Embedding(words, input_dim=30000, output_dim=width, name="words")
    value = mx.sym.elemwise_add(value, mx.sym.Embedding(kinds, input_dim=2, output_dim=width, name="kinds"))
    places = mx.sym.Variable("places_weight", shape=(length, width))
    value = mx.sym.LayerNorm(mx.sym.broadcast_add(value, mx.sym.expand_dims(places, axis=0)), name="norm")
    known = mx.sym.broadcast_lesser(mx.sym.reshape(mx.sym.arange(length), shape=(1, -1)),
                                    mx.sym.reshape(lengths, shape=(-1, 1)))
    mask = mx.sym.reshape((1 - known) * -1e4, shape=(-1, 1, length))
    for layer in range(layers):
        query, key, values = (split(linear(value, width, f"layer{layer}_{part}")) for part in ("q", "k", "v"))
        scores = mx.sym.batch_dot(query, key, transpose_b=True) / (width // heads) ** 0.5
        scores = mx.sym.softmax(mx.sym.broadcast_add(scores, mask), axis=-1)
        context = mx.sym.batch_dot(mx.sym.Dropout(scores, p=0.1), values)
        context = mx.sym.Reshape(context, shape=(-1, heads, 0, 0), reverse=True)
        context = mx.sym.Reshape(mx.sym.transpose(context, axes=(0, 2, 1, 3)), shape=(0, 0, -1))
        value = mx.sym.LayerNorm(value + linear(context, width, f"layer{layer}_out"), name=f"layer{layer}_norm")
        inner = mx.sym.LeakyReLU(linear(value, 4 * width, f"layer{layer}_up"), act_type="gelu")
        value = mx.sym.LayerNorm(value + linear(inner, width, f"layer{layer}_down"), name=f"layer{layer}_norm2")
    return linear(value, 2, "answer")


def save_networks(folder):
    for name in ZOO:
        symbol = vision.get_model(name)(mx.sym.Variable("data"))
        save_symbol(symbol, folder / f"v10500/{name}-symbol.json", 10500)
    save_symbol(mlp(), folder / "v10500/mlp-symbol.json", 10500)
    save_symbol(bert(), folder / "v10400/bert-symbol.json", 10400)
    save_symbol(vision.resnet18_v1()(mx.sym.Variable("data")).get_backend_symbol("MKLDNN"),
                folder / "v10500_subgraphs/resnet18_fused-symbol.json", 10500)
    save_symbol(mlp(head=mx.sym.SoftmaxOutput), folder / "v10200/mlp.json", 10200)
    save_as_before(mlp(head=mx.sym.SoftmaxOutput), folder / "v0903/mlp-symbol.json", 903)
    old = mlp(head=mx.sym.SoftmaxOutput, norm=True)
    save_as_before(old, folder / "v0800/save_000800.json", 800)
    save_as_before(old, folder / "filled/save_000800/model-symbol.json", 800)
    params = weights(old, data=(2, 100))
    mx.nd.save(str(folder / "filled/save_000800/model-0000.params"), params)
    save_run(old, params, f"{folder}/filled/save_000800/", data=(2, 100))
    for name, symbol, shape in (("mlp", mlp(), (2, 784)), ("mobilenet0.25", vision.mobilenet0_25(
            classes=100)(mx.sym.Variable("data")), (1, 3, 64, 64))):
        save_symbol(symbol, folder / f"filled/{name}/model-symbol.json", 10500)
        params = weights(symbol, data=shape)
        mx.nd.save(str(folder / f"filled/{name}/model-0000.params"), params)
        save_run(symbol, params, f"{folder}/filled/{name}/", data=shape)
    for name, network in (("resnet_tiny", resnet(8, (1, 1, 1, 1), 10)), ("resnet18_small", resnet(8, (2, 2, 2, 2), 100))):
        (folder / "gen" / name).mkdir(parents=True)
        path = network[0].save(folder / "gen" / name / "model", network[1])[0]
        symbol = mx.sym.load(str(path))
        params = weights(symbol, data=(1, 3, 32, 32))
        mx.nd.save(str(path.with_name("model-0000.params")), params)
        save_run(symbol, params, f"{path.parent}/", data=(1, 3, 32, 32))


def save_small(folder):
    """Writes files like those beside a trained model, in the array list formats of their time."""
    for stem, version, symbol, shape in (
            ("v0904/go_test", 904, mx.sym.SoftmaxOutput(mx.sym.FullyConnected(mx.sym.Variable(
                "data"), num_hidden=10, name="pred"), name="softmax"), (3, 2)),
            ("v1100/linreg", 1100, mx.sym.LinearRegressionOutput(mx.sym.FullyConnected(mx.sym.Variable(
                "data"), num_hidden=1, name="fc1"), name="lro"), (4, 2))):
        save_as_before(symbol, folder / f"{stem}-symbol.json", version)
        params = weights(symbol, data=shape)
        arrays = [array(value.asnumpy(), 0 if version < 1000 else 1) for value in params.values()]
        path = folder / f"{stem}-000{1 if version < 1000 else 0}.params"
        path.write_bytes(array_list(arrays, list(params)))
        save_run(symbol, params, f"{folder}/{stem}.", data=shape)
    symbol = mlp(head=mx.sym.SoftmaxOutput)
    save_symbol(symbol, folder / "v10400/mnist_mlp-symbol.json", 10400)
    params = weights(symbol, data=(2, 784))
    mx.nd.save(str(folder / "v10400/mnist_mlp-0000.params"), params)
    save_run(symbol, params, f"{folder}/v10400/mnist_mlp.", data=(2, 784))


def save_new(folder):
    """Writes files of 1.9.1: its own conversions, control flow, all kinds of arrays."""
    folder.mkdir(exist_ok=True)
    symbol = residual()
    params = weights(symbol, data=(2, 3, 8, 8))
    save_symbol(symbol, folder / "residual-symbol.json")
    mx.nd.save(str(folder / "residual-0000.params"), params)
    parts = [{name.split(":")[1]: value for name, value in params.items() if name.startswith(kind)}
             for kind in ("arg", "aux")]
    for name, dtype, optional in (("float16", "float16", True), ("float16_runtime_casts", "float16", False),
                                  ("bfloat16", "bfloat16", False)):
        low, arguments, states = amp.convert_model(symbol, *parts, target_dtype=dtype, cast_optional_params=optional)
        for end, removed in (("", False), ("_default_save", True)):
            low.save(str(folder / f"residual_amp_{name}{end}-symbol.json"), remove_amp_cast=removed)
            mx.nd.save(str(folder / f"residual_amp_{name}{end}-0000.params"),
                       {**{f"arg:{k}": v for k, v in arguments.items()}, **{f"aux:{k}": v for k, v in states.items()}})
    a, b, data, state, weight = (mx.sym.Variable(name) for name in ("a", "b", "data", "h0", "cell_weight"))
    save_symbol(mx.sym.contrib.cond(mx.sym.sum(a) > 0, lambda: mx.sym.dot(a, b), lambda: a * 2.0),
                folder / "cond-symbol.json")

    def cell(value, kept):
        kept = mx.sym.tanh(mx.sym.FullyConnected(value + kept, weight, no_bias=True, num_hidden=4, name="cell"))
        return kept, kept
    save_symbol(mx.sym.softmax(mx.sym.contrib.foreach(cell, data, state)[0]), folder / "foreach-symbol.json")
    net = Symbol(10901)
    product = net.node("_npi_matmul", "matmul0", [net.variable("x"), net.variable("y")])
    (folder / "np_matmul-symbol.json").write_text(net.text([product]).replace(
        '"attrs": {', '"attrs": {\n    "is_np_shape": [\n      "int",\n      1\n    ],'), encoding="utf-8")
    mx.nd.save(str(folder / "list.params"), [mx.nd.ones((2, 3)), mx.nd.zeros((1,))])
    mx.nd.save(str(folder / "sparse.params"), {
        "row": mx.nd.array(numpy.eye(4)[:, :2]).tostype("row_sparse"), "csr": mx.nd.array(numpy.eye(3)).tostype("csr")})
    mx.nd.save(str(folder / "types.params"), {f"arg:{t}": mx.nd.ones((2, 3), dtype=t) for t in (
        "float32", "float64", "float16", "uint8", "int8", "int32", "int64")})


TYPES = (("float32", "f4"), ("float64", "f8"), ("float16", "f2"), ("uint8", "u1"), ("int32", "i4"), ("int8", "i1"),
         ("int64", "i8"), ("bool", "?"), ("int16", "i2"), ("uint16", "u2"), ("uint32", "u4"), ("uint64", "u8"))
FLAGS = {numpy.dtype(code).str: flag for flag, (_, code) in enumerate(TYPES)}


def array(value, version=2, context=1, flag=None):
    """Returns a dense array in the given version of the format."""
    shape = value.shape
    flag = FLAGS[value.dtype.str] if flag is None else flag
    rest = struct.pack("<iii", context, 0, flag) + value.tobytes()
    if version == 0:
        return struct.pack(f"<I{len(shape)}I", len(shape), *shape) + rest
    head = struct.pack("<I", 0xF993FAC7 + version) + (struct.pack("<i", 0) if version > 1 else b"")
    return head + struct.pack(f"<I{len(shape)}q", len(shape), *shape) + rest


def sparse(value, kind, shape, *indices):
    """kind 1: rows, 2: compressed rows."""
    head = struct.pack(f"<Ii I{value.ndim}q I{len(shape)}q iii".replace(" ", ""), 0xF993FAC9, kind,
                       value.ndim, *value.shape, len(shape), *shape, 1, 0, 0)
    for each in indices:
        head += struct.pack("<iIq", 6, 1, len(each))
    return head + value.tobytes() + b"".join(each.tobytes() for each in indices)


def array_list(arrays, names=()):
    parts = [struct.pack("<QQQ", 0x112, 0, len(arrays)), *arrays, struct.pack("<Q", len(names))]
    parts += [struct.pack("<Q", len(name.encode())) + name.encode() for name in names]
    return b"".join(parts)


def save_formats(folder):
    """Writes every type, version and storage of arrays; valid but rare symbols."""
    folder.mkdir()
    ones = numpy.ones((2, 3), "f4")
    arrays = [array(ones.astype(code)) for _, code in TYPES] + [array(ones.astype("u2"), flag=12)]
    names = [f"arg:{name}" for name, _ in TYPES] + ["arg:bfloat16"]
    lists = {"all_types_v2": (arrays, names), "gpu_context": ([array(ones, context=2)], ["arg:w"]),
             "none_v2": ([struct.pack("<IiI", 0xF993FAC9, 0, 0), array(ones)], ["none", "w"]),
             "scalar_and_empty_v3": ([array(numpy.float32(3).reshape(()), 3), array(numpy.ones((0, 2), "f4"), 3)],
                                     ["scalar", "empty"]),
             "row_sparse": ([sparse(ones, 1, (5, 3), numpy.array([1, 4]))], ["arg:rows"]),
             "csr": ([sparse(numpy.ones(2, "f4"), 2, (3, 4), numpy.array([0, 1, 1, 2]), numpy.array([3, 0]))],
                     ["arg:csr"])}
    special = numpy.array([0.0, -0.0, numpy.inf, -numpy.inf, numpy.nan, 65504, 65520, 6e-8, 1e-8, 3.4e38, 1e-40,
                           1.0009766, -1.5, 1, 2, 3], "f4")
    lists["special_values"] = ([array(special), array(special.astype("f8"))], ["f32", "f64"])
    for version in range(4):
        shapes = [numpy.full(shape, version, "f4") for shape in ((4, 3), (4,), (4,))]
        lists[f"names_v{version}"] = ([array(each, version) for each in shapes],
                                      ["arg:fc1_weight", "arg:fc1_bias", "aux:bn_moving_mean"])
        lists[f"list_v{version}"] = ([array(each, version) for each in shapes[:2]], [])
    for name, (items, keys) in lists.items():
        (folder / f"{name}.params").write_bytes(array_list(items, keys))
    with open(folder / "mxnet2.npz.params", "wb") as file:
        numpy.savez(file, **{"arg:dense0_weight": ones, "arg:dense0_bias": ones[0], "aux:step": ones.astype("i8")})

    net = Symbol(20000)
    value = net.node("_npx_fully_connected", "fc", [net.variable("data"), net.variable("w")], {
        "flatten": "False", "no_bias": "True", "num_hidden": "8"})
    value = net.node("_npx_activation", "act", [value], {"act_type": "relu"})
    (folder / "v20000_np_shape-symbol.json").write_text(net.text([value]), encoding="utf-8")
    net = Symbol(10500)
    value = net.node("relu", "line\nbreak", [net.variable('data é "q" \\ tab\t')], {"doc": "a\\b \"c\"\r\n"})
    net.nodes[value]["control_deps"] = [0]
    (folder / "escapes_control_deps-symbol.json").write_text(  # MXNet cannot read \\u
        net.text([value]).replace("\\u00e9", "é"), encoding="utf-8")
    net = Symbol(10900)
    low = [net.node("amp_cast", f"{name}_low", [net.variable(name)], {"dtype": "float16"}) for name in ("data", "w")]
    value = net.node("FullyConnected", "fc", low, {"no_bias": "True", "num_hidden": "8"})
    both = net.node("amp_multicast", "both", [value, net.variable("b")], {"num_outputs": "2"}, outputs=2)
    value = net.node("elemwise_add", "add", [both, (both, 1)])
    (folder / "v10900_amp-symbol.json").write_text(net.text([value]), encoding="utf-8")


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    mx.random.seed(9)
    save_networks(folder)
    save_small(folder)
    save_new(folder / "v10901")
    save_formats(folder / "synthetic")


if __name__ == "__main__":
    main()
