"""Prepares MXNet's networks of the test data to run: with their own parameters, or random ones if a
symbol has none. Needs the Python package mxnet.
"""
# SPDX-License-Identifier: Apache-2.0

import pathlib

from model_data import MXNET, mxnet_symbols, params_of

# The inputs of a symbol, by part of its path; others take one image.
IMAGE = {"data": (1, 3, 224, 224)}
INPUTS = {
    "mnist_mlp": {"data": (2, 784)}, "mlp": {"data": (2, 784)}, "save_000800": {"data": (2, 100)},
    "go_test": {"data": (3, 2)}, "gen/": {"data": (1, 3, 32, 32)}, "filled/squeezenet": {"data": (1, 3, 64, 64)},
    "escapes": {'data é "q" \\ tab\t': (2, 3)}, "v10700_foreach": {"data": (5, 4, 4), "state": (4, 4), "w": (4, 4)},
    "v10900_amp": {"data": (2, 4)}, "v20000": {"data": (2, 3)},
    "bert": {"data0": (1, 384), "data1": (1, 384), "data2": (1,)}, "inceptionv3": {"data": (1, 3, 299, 299)},
    "mask_rcnn": {"data": (1, 3, 256, 256)}, "pose": {"data": (1, 3, 256, 192)},
    "ssd_512": {"data": (1, 3, 512, 512)}, "ssd_300": {"data": (1, 3, 300, 300)},
    "v10901/cond": {"a": (3, 4), "b": (4, 4)}, "v10901/foreach": {"data": (5, 2, 4), "h0": (2, 4)},
    "np_matmul": {"x": (2, 3, 4), "y": (2, 4, 5)}, "v10901/residual": {"data": (2, 3, 8, 8)},
    "linreg": {"data": (4, 2)},
}
INTEGERS = {"data0": 30000, "data1": 2, "data2": 384}  # upper bounds, for the language model
# Only with --all: tens of millions of parameters.
SLOW = ("bert", "inceptionv3", "mask_rcnn", "resnet50", "resnet18_v1", "se_resnext", "pose", "ssd", "vgg_like",
        "v0903", "v10500/squeezenet")


def shapes_of(path):
    return next((shapes for part, shapes in INPUTS.items() if part in str(path)), IMAGE)


def own_inputs(path):
    """Returns the file of arrays that a network comes with, or None."""
    found = [path.with_name(path.name.removesuffix("-symbol.json") + ".input.params"), path.with_name("input.params")]
    return next((file for file in found if file.is_file()), None)


def networks(everything):
    return [path for path in mxnet_symbols() if everything or not any(s in str(path) for s in SLOW)]


def _random_parameter(name, shape, random, numpy):
    if name.endswith("gamma"):  # small, so that sums over many blocks stay bounded
        return 0.4 + 0.1 * random.standard_normal(shape)
    if name.endswith(("moving_var", "running_var")):
        return random.uniform(0.5, 1.5, shape)
    if name.endswith("weight"):
        return random.standard_normal(shape) * numpy.sqrt(2 / max(1, numpy.prod(shape[1:])))
    return 0.1 * random.standard_normal(shape)


def prepare(path, folder):
    """Returns (symbol, the .params file, inputs by name); writes random parameters to the folder if
    the symbol has none."""
    import mxnet as mx
    import numpy
    random = numpy.random.default_rng(5)
    symbol = mx.sym.load(str(path))
    shapes = shapes_of(path)
    inputs = {name: (random.integers(0, INTEGERS[name], shape).astype("f4") if name in INTEGERS
                     else random.standard_normal(shape).astype("f4")) for name, shape in shapes.items()}
    if own_inputs(path):
        inputs = {name: array.asnumpy() for name, array in mx.nd.load(str(own_inputs(path))).items()}
    if params_of(path):
        return symbol, params_of(path), inputs
    if set(symbol.list_arguments()) <= set(inputs):
        return symbol, None, inputs
    arguments, _, states = symbol.infer_shape(**shapes)
    names = [("arg", n, s) for n, s in zip(symbol.list_arguments(), arguments)] + \
            [("aux", n, s) for n, s in zip(symbol.list_auxiliary_states(), states)]
    made = {f"{kind}:{name}": mx.nd.array(_random_parameter(name, shape, random, numpy).astype("f4"))
            for kind, name, shape in names if name not in inputs and not name.endswith("label")}
    file = pathlib.Path(folder) / "random-0000.params"
    mx.nd.save(str(file), made)
    return symbol, file, inputs


def by_mxnet(symbol, params, inputs):
    """Returns MXNet's outputs, in the order of the heads."""
    import mxnet as mx
    loaded = mx.nd.load(str(params)) if params else {}
    given = {name.split(":", 1)[-1]: array for name, array in loaded.items()}
    given.update({name: mx.nd.array(array, dtype=array.dtype) for name, array in inputs.items()})
    missing = [n for n in symbol.list_arguments() if n not in given]  # labels
    if missing:
        shapes, _, _ = symbol.infer_shape_partial(**{n: a.shape for n, a in given.items()
                                                     if n in symbol.list_arguments()})
        for name, shape in zip(symbol.list_arguments(), shapes):
            if name in missing:
                given[name] = mx.nd.zeros(shape or (next(iter(inputs.values())).shape[0],))
    bound = symbol.bind(mx.cpu(), {n: given[n] for n in symbol.list_arguments()},
                        aux_states={n: given[n] for n in symbol.list_auxiliary_states()})
    return [each.asnumpy() for each in bound.forward(is_train=False)]


def name_of(path):
    return str(path.relative_to(MXNET))


def error():
    """Returns the exception type that MXNet raises if it cannot use a symbol."""
    import mxnet as mx
    return (mx.base.MXNetError, TypeError)
