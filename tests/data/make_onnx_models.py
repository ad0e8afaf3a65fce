#!/usr/bin/env python3
"""Generates ONNX models for tests: the test cases of the package onnx that onnx_cases.txt names;
networks with random weights (gen); and unusual or invalid graphs (edge).

    make_onnx_models.py FOLDER        needs the packages onnx and onnxruntime
"""
# SPDX-License-Identifier: Apache-2.0

import pathlib
import shutil
import sys
import warnings

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnx.backend.test import cmd_tools
from onnx.backend.test.case import model as model_cases, node as node_cases

CASES = pathlib.Path(__file__).with_name("onnx_cases.txt")
FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


def copy_own_cases(folder):
    """Copies those that onnx generates, and those that it ships as files."""
    names = set(CASES.read_text(encoding="utf-8").split())
    shipped = pathlib.Path(onnx.__file__).parent / "backend/test/data"
    collected = node_cases.collect_testcases(None) + model_cases.collect_testcases()
    model_cases.collect_testcases = lambda: [each for each in collected if f"{each.kind}/{each.name}" in names]
    sys.argv = ["onnx", "generate-data", "-o", str(folder)]
    cmd_tools.main()
    for name in sorted(names):
        source = shipped / name
        if source.is_dir() and not (folder / name).exists():
            shutil.copytree(source, folder / name)
        elif source.is_file():
            (folder / name).parent.mkdir(exist_ok=True)
            for file in (source, source.with_name(f"{source.stem}_output_0.pb")):
                shutil.copy(file, folder / name.split("/", maxsplit=1)[0])
    missing = [name for name in names if not (folder / name).exists()]
    if missing:
        print(f"onnx {onnx.__version__} has no {', '.join(sorted(missing))}")


class Network:
    """Builds a graph node by node, from the nodes that exporters write."""

    def __init__(self, seed):
        self.random = numpy.random.default_rng(seed)
        self.nodes, self.weights, self.constants = [], {}, 0

    def __call__(self, op, *inputs, name="", outputs=1, **attributes):
        path = f"{name}/{op}_{len(self.nodes)}"
        made = [f"{path}_output_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, list(inputs), made, path, **attributes))
        return made[0] if outputs == 1 else made

    def constant(self, value, dtype=None):
        self.constants += 1
        name = f"/Constant_{self.constants}_output_0"
        value = numpy_helper.from_array(numpy.asarray(value, dtype or "i8"))
        self.nodes.append(helper.make_node("Constant", [], [name], name[:-9], value=value))
        return name

    def weight(self, name, *shape, value=None, scale=None):
        if value is None:
            value = self.random.standard_normal(shape) * (scale or shape[0] ** -0.5)
        self.weights[name] = numpy.asarray(value, "f4")
        return name

    def model(self, inputs, outputs, opset=17):
        """`outputs`: name -> (value, shape)."""
        for name, (value, _) in outputs.items():
            self.nodes.append(helper.make_node("Identity", [value], [name], f"/{name}"))
        graph = helper.make_graph(
            self.nodes, "network", [helper.make_tensor_value_info(n, t, s) for n, (t, s) in inputs.items()],
            [helper.make_tensor_value_info(n, FLOAT, s) for n, (_, s) in outputs.items()],
            [numpy_helper.from_array(value, name) for name, value in self.weights.items()])
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)

    def linear(self, value, name, to, of):
        product = self("MatMul", value, self.weight(f"{name}.weight", of, to), name=f"/{name}")
        return self("Add", self.weight(f"{name}.bias", to, scale=0.02), product, name=f"/{name}")

    def norm(self, value, name, width, fused):
        scale = self.weight(f"{name}.weight", value=1 + 0.1 * self.random.standard_normal(width))
        bias = self.weight(f"{name}.bias", width, scale=0.02)
        if fused:
            return self("LayerNormalization", value, scale, bias, name=f"/{name}", axis=-1, epsilon=1e-12)
        less = self("Sub", value, self("ReduceMean", value, axes=[-1]), name=f"/{name}")
        variance = self("ReduceMean", self("Pow", less, self.constant(2, "f4")), axes=[-1])
        deviation = self("Sqrt", self("Add", variance, self.constant(1e-12, "f4")))
        return self("Add", self("Mul", self("Div", less, deviation), scale), bias, name=f"/{name}")

    def size_of(self, value, axis):
        """Returns the size as a tensor of one element."""
        size = self("Gather", self("Shape", value), self.constant(axis), axis=0)
        return self("Unsqueeze", size, self.constant([0]))

    def heads(self, value, sizes, count, width):
        shape = self("Concat", *sizes, self.constant([count]), self.constant([width]), axis=0)
        return self("Transpose", self("Reshape", value, shape), perm=[0, 2, 1, 3])

    def attend(self, query, key, value, mask, sizes, width):
        """`width`: of all heads together."""
        scores = self("MatMul", query, self("Transpose", key, perm=[0, 1, 3, 2]))
        scores = self("Add", self("Div", scores, self.constant(4.0, "f4")), mask)
        context = self("Transpose", self("MatMul", self("Softmax", scores, axis=-1), value), perm=[0, 2, 1, 3])
        return self("Reshape", context, self("Concat", *sizes, self.constant([width]), axis=0))


def bert(width=64, layers=2, words=1000, positions=64, fused=False):
    net, heads = Network(3), width // 16
    mask = self_mask = net("Unsqueeze", "attention_mask", net.constant([1]))
    mask = net("Cast", net("Unsqueeze", self_mask, net.constant([2])), to=FLOAT)
    mask = net("Mul", net("Sub", net.constant(1, "f4"), mask), net.constant(numpy.finfo("f4").min, "f4"))
    ids = net.constant(numpy.arange(positions)[None])
    ids = net("Slice", ids, net.constant([0]), net.size_of("input_ids", 1), net.constant([1]))
    value = net("Add", net("Gather", net.weight("embeddings.word", words, width, scale=0.5), "input_ids"),
                net("Gather", net.weight("embeddings.token_type", 2, width, scale=0.1), "token_type_ids"))
    value = net("Add", value, net("Gather", net.weight("embeddings.position", positions, width, scale=0.1), ids))
    value = net.norm(value, "embeddings.norm", width, fused)
    for layer in range(layers):
        name = f"encoder.layer.{layer}"
        sizes = [net.size_of(value, axis) for axis in (0, 1)]
        three = [net.heads(net.linear(value, f"{name}.{part}", width, width), sizes, heads, 16)
                 for part in ("query", "key", "value")]
        context = net.linear(net.attend(*three, mask, sizes, width), f"{name}.output", width, width)
        value = net.norm(net("Add", context, value), f"{name}.norm", width, fused)
        inner = net.linear(value, f"{name}.up", 4 * width, width)
        erf = net("Erf", net("Div", inner, net.constant(2 ** 0.5, "f4")))
        inner = net("Mul", inner, net("Add", erf, net.constant(1, "f4")))
        inner = net("Mul", inner, net.constant(0.5, "f4"))
        inner = net.linear(inner, f"{name}.down", width, 4 * width)
        value = net.norm(net("Add", inner, value), f"{name}.norm2", width, fused)
    first = net("Gather", value, net.constant(0), axis=1)
    pooled = net("Tanh", net("Gemm", first, net.weight("pooler.weight", width, width),
                             net.weight("pooler.bias", width, scale=0.02), transB=1))
    shape = ["batch", "sequence"]
    ids = {name: (INT64, shape) for name in ("input_ids", "attention_mask", "token_type_ids")}
    return net.model(ids, {"last_hidden_state": (value, [*shape, width]), "pooler_output": (pooled, ["batch", width])})


def llama(width=64, layers=2, words=500, inner=160):
    """Four heads, two of keys and values."""
    net = Network(4)

    def norm(value, name):
        mean = net("ReduceMean", net("Pow", value, net.constant(2, "f4")), axes=[-1])
        root = net("Sqrt", net("Add", mean, net.constant(1e-6, "f4")))
        value = net("Mul", value, net("Div", net.constant(1, "f4"), root))
        return net("Mul", net.weight(name, value=1 + 0.1 * net.random.standard_normal(width)), value)

    def turned(value, cosine, sine):
        halves = [net("Slice", value, net.constant([at]), net.constant([at + 8]), net.constant([3])) for at in (0, 8)]
        other = net("Concat", net("Neg", halves[1]), halves[0], axis=-1)
        return net("Add", net("Mul", value, cosine), net("Mul", other, sine))

    def repeated(value, sizes):
        """Repeats each of two heads for two of the four."""
        value = net("Unsqueeze", value, net.constant([2]))
        shape = [net("Concat", sizes[0], *(net.constant([n]) for n in counts), sizes[1], net.constant([16]), axis=0)
                 for counts in ((2, 2), (4,))]
        return net("Reshape", net("Expand", value, shape[0]), shape[1])

    def product(value, name, to, of):
        return net("MatMul", value, net.weight(f"{name}.weight", of, to))

    words_name = net.weight("model.embed_tokens.weight", words, width, scale=0.5)
    value = net("Gather", words_name, "input_ids")
    sizes = [net.size_of("input_ids", axis) for axis in (0, 1)]
    angles = net("Unsqueeze", net("Cast", "position_ids", to=FLOAT), net.constant([2]))
    angles = net("Mul", angles, net.weight("inv_freq", value=10000.0 ** -(numpy.arange(8) / 8)[None, None]))
    angles = net("Concat", angles, angles, axis=-1)
    rotation = [net("Unsqueeze", net(op, angles), net.constant([1])) for op in ("Cos", "Sin")]
    square = net("Concat", sizes[1], sizes[1], axis=0)
    mask = net("Expand", net.constant(numpy.finfo("f4").min, "f4"), square)
    mask = net("Trilu", mask, net("Squeeze", net.constant([1]), net.constant([0])), upper=1)
    for layer in range(layers):
        name = f"model.layers.{layer}"
        normal = norm(value, f"{name}.input_norm")
        query = turned(net.heads(product(normal, f"{name}.q", width, width), sizes, 4, 16), *rotation)
        key = turned(net.heads(product(normal, f"{name}.k", 32, width), sizes, 2, 16), *rotation)
        values = net.heads(product(normal, f"{name}.v", 32, width), sizes, 2, 16)
        context = net.attend(query, repeated(key, sizes), repeated(values, sizes), mask, sizes, width)
        value = net("Add", value, product(context, f"{name}.o", width, width))
        normal = norm(value, f"{name}.post_norm")
        gate = product(normal, f"{name}.gate", inner, width)
        gate = net("Mul", gate, net("Sigmoid", gate))
        up = net("Mul", gate, product(normal, f"{name}.up", inner, width))
        value = net("Add", value, product(up, f"{name}.down", width, inner))
    logits = net("MatMul", norm(value, "model.norm"), net("Transpose", words_name, perm=[1, 0]))
    shape = ["batch", "sequence"]
    return net.model({name: (INT64, shape) for name in ("input_ids", "position_ids")},
                     {"logits": (logits, [*shape, words])})


def resnet(width, size, classes, blocks, bottleneck):
    net = Network(5)

    def conv(value, name, to, of, kernel, stride=1, relu=True):
        weight = net.weight(f"{name}_weight", to, of, kernel, kernel, scale=(2 / (of * kernel * kernel)) ** 0.5)
        value = net("Conv", value, weight, kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[kernel // 2] * 4)
        kinds = (("gamma", 1, 0.1), ("beta", 0, 0.1), ("mean", 0, 0.1), ("var", 1, 0.05))
        norm = [net.weight(f"{name}_{kind}", value=at + by * net.random.standard_normal(to)) for kind, at, by in kinds]
        value = net("BatchNormalization", value, *norm, epsilon=1e-5)
        return net("Relu", value) if relu else value

    value = conv("data", "stem", width, 3, 7, 2)
    value = net("MaxPool", value, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    channels = width
    for stage, count in enumerate(blocks):
        inner = width << stage
        out = 4 * inner if bottleneck else inner
        for block in range(count):
            name, stride = f"stage{stage}_{block}", 2 if stage and not block else 1
            if bottleneck:
                branch = conv(conv(value, f"{name}_a", inner, channels, 1, stride), f"{name}_b", inner, inner, 3)
                branch = conv(branch, f"{name}_c", out, inner, 1, relu=False)
            else:
                branch = conv(value, f"{name}_a", inner, channels, 3, stride)
                branch = conv(branch, f"{name}_b", out, inner, 3, relu=False)
            if stride > 1 or channels != out:
                value = conv(value, f"{name}_short", out, channels, 1, stride, relu=False)
            channels = out
            value = net("Relu", net("Add", value, branch))
    value = net("Flatten", net("GlobalAveragePool", value))
    value = net("Gemm", value, net.weight("fc_weight", classes, channels, scale=channels ** -0.5),
                net.weight("fc_bias", classes, scale=0.1), transB=1)
    return net.model({"data": (FLOAT, ["N", 3, size, size])}, {"output": (value, ["N", classes])})


NETWORKS = {
    "bert_tiny": bert, "bert_small": lambda: bert(256, 3, 1000, 128), "llama_tiny": llama,
    "bert_fused_ln_external": lambda: bert(fused=True),
    "resnet_tiny": lambda: resnet(8, 64, 10, (1, 1, 1, 1), True),
    "resnet18_small": lambda: resnet(16, 112, 100, (2, 2, 2, 2), False)}
LARGEST = {"input_ids": 500, "attention_mask": 2, "token_type_ids": 2}


def make_network(folder, name, model):
    """Saves a model with inputs, and the outputs of ONNX Runtime."""
    data = folder / name / "test_data_set_0"
    data.mkdir(parents=True)
    random = numpy.random.default_rng(6)
    given = {}
    for value in model.graph.input:
        shape = [d.dim_value or (1 if i == 0 else 8) for i, d in enumerate(value.type.tensor_type.shape.dim)]
        if value.name == "position_ids":
            given[value.name] = numpy.arange(shape[1])[None]
        elif value.name in LARGEST:
            given[value.name] = random.integers(0, LARGEST[value.name], shape)
        else:
            given[value.name] = random.standard_normal(shape).astype("f4")
    if "attention_mask" in given:
        given["attention_mask"][:, :6] = 1
    external = {"save_as_external_data": True, "location": "model.onnx.data", "size_threshold": 1024}
    onnx.save(model, folder / name / "model.onnx", **(external if name.endswith("external") else {}))
    session = onnxruntime.InferenceSession(str(folder / name / "model.onnx"), providers=["CPUExecutionProvider"])
    for kind, values in (("input", given), ("output", dict(zip(
            (value.name for value in model.graph.output), session.run(None, given))))):
        for number, (key, array) in enumerate(values.items()):
            (data / f"{kind}_{number}.pb").write_bytes(numpy_helper.from_array(array, key).SerializeToString())


def odd_graphs():
    """Yields (name, model): valid and invalid graphs that readers may get wrong."""
    def info(name, kind=FLOAT, shape=None):
        return helper.make_tensor_value_info(name, kind, shape)

    def array(name, *shape, dtype="f4"):
        return numpy_helper.from_array(numpy.random.default_rng(7).standard_normal(shape).astype(dtype), name)

    def model(nodes, inputs, outputs, weights=(), opset=13, name="odd", **more):
        nodes = [helper.make_node(op, i, o, **a) for op, i, o, a in nodes]
        graph = helper.make_graph(nodes, "odd", inputs, outputs, list(weights), **more)
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)] if opset else [], ir_version=8)
        if opset is None:
            del made.opset_import[:]
        graph.name = name
        made.graph.name = name
        return made

    def weightless(name, *shape, kind=FLOAT):
        return TensorProto(name=name, dims=shape, data_type=kind)

    square, double = [4, 4], TensorProto.DOUBLE
    add = [("Add", ["x", "x"], ["y"], {})]
    yield "same_input_twice", model(add, [info("x", shape=square)], [info("y")])
    yield "input_listed_twice", model(add, [info("x", shape=square)] * 2, [info("y")])
    yield "no_opset", model(add, [info("x", shape=square)], [info("y")], opset=None)
    yield "no_name", model(add, [info("x", shape=square)], [info("y")], name="")
    yield "empty", model([], [], [])
    yield "initializer_is_output", model([], [], [info("w", shape=square)], [array("w", *square)])
    yield "open_sizes", model([("Tanh", ["x"], ["y"], {})], [info("x", shape=["", "", "", ""])],
                              [info("y", shape=["", "", "", ""])])
    yield "named_size", model([("Identity", ["in:0"], ["out:0"], {})], [info("in:0", shape=["n", 16])],
                              [info("out:0", shape=["n", 16])])
    yield "unsorted", model([("Relu", ["a"], ["y"], {}), ("Tanh", ["x"], ["a"], {})], [info("x", shape=square)],
                            [info("y")])
    yield "no_inputs", model([("Constant", [], ["c"], {"value": array("c", *square)}), ("Tanh", ["c"], ["y"], {})],
                             [], [info("y")])
    yield "split", model([("Identity", ["x"], ["a"], {}), ("Split", ["a"], ["p", "q"], {"axis": 0}),
                          ("Relu", ["p"], ["y"], {})], [info("x", shape=square)], [info("y"), info("q")])
    product = [("MatMul", ["x", "w"], ["y"], {})]
    yield "float16", model(product, [info("x", TensorProto.FLOAT16, [8, 16])], [info("y", TensorProto.FLOAT16)],
                           [array("w", 16, 4, dtype="f2")])
    bits = helper.make_tensor("w", TensorProto.BFLOAT16, [16, 4], [0.5] * 64)
    yield "bfloat16", model(product, [info("x", TensorProto.BFLOAT16, [8, 16])], [info("y", TensorProto.BFLOAT16)],
                            [bits])
    big = numpy_helper.from_array(numpy.full([16, 16], 1e6, "f4"), "w")
    yield "overflows_float16", model([*product, ("MatMul", ["y", "v"], ["z"], {})], [info("x", shape=[8, 16])],
                                     [info("z")], [big, array("v", 16, 16)])
    for name, kind in (("weightless.matmul", FLOAT), ("weightless.matmul.bf16", TensorProto.BFLOAT16)):
        yield name, model(product, [info("x", kind, [8, 16])], [info("y", kind)], [weightless("w", 16, 4, kind=kind)])
    yield "weightless.conv", model([("Conv", ["x", "w"], ["y"], {})], [info("x", shape=[1, 16, 8, 8])], [info("y")],
                                   [weightless("w", 16, 16, 3, 3)])
    sparse = helper.make_sparse_tensor(
        helper.make_tensor("w", TensorProto.FLOAT16, [2], [1.0, 2.0]),
        numpy_helper.from_array(numpy.array([3, 9]), "w_indices"), [1, 3, 3, 3])
    yield "sparse", model([("Conv", ["x", "w"], ["y"], {})], [info("x", TensorProto.FLOAT16, [1, 3, 16, 16])],
                          [info("y", TensorProto.FLOAT16)], sparse_initializer=[sparse])
    yield "two_types", model([("Custom", ["a"], ["b"], {"domain": "own"}), ("Add", ["b", "c"], ["y"], {})],
                             [info("a", double, [5]), info("c", FLOAT, [5])], [info("y", double, [5])],
                             value_info=[info("b", double, [5])])
    branch = [helper.make_graph([helper.make_node(op, ["x"], [f"{op}_out"])], f"{op}_branch", [],
                                [info(f"{op}_out", shape=square)]) for op in ("Relu", "Tanh")]
    yield "branches", model([("If", ["c"], ["y"], {"then_branch": branch[0], "else_branch": branch[1]})],
                            [info("c", TensorProto.BOOL, []), info("x", shape=square)], [info("y", shape=square)])
    body = helper.make_graph(
        [helper.make_node("Identity", ["more"], ["again"]), helper.make_node("Add", ["v", "x"], ["next"])], "body",
        [info("i", INT64, []), info("more", TensorProto.BOOL, []), info("v", shape=square)],
        [info("again", TensorProto.BOOL, []), info("next", shape=square)])
    yield "loop", model([("Loop", ["n", "", "x"], ["y"], {"body": body})],
                        [info("n", INT64, []), info("x", shape=square)], [info("y", shape=square)])
    yield "integers", model([("And", ["a", "b"], ["c"], {}), ("NonZero", ["c"], ["y"], {})],
                            [info("a", TensorProto.BOOL, [3, 4]), info("b", TensorProto.BOOL, [3, 4])],
                            [info("y", INT64)])


def main():
    folder = pathlib.Path(sys.argv[1])
    warnings.filterwarnings("ignore")
    onnxruntime.set_default_logger_severity(4)
    folder.mkdir(parents=True, exist_ok=True)
    copy_own_cases(folder)
    for name, make in NETWORKS.items():
        make_network(folder / "gen", name, make())
    (folder / "edge").mkdir()
    for name, model in odd_graphs():
        (folder / f"edge/{name}.onnx").write_bytes(model.SerializeToString())


if __name__ == "__main__":
    main()
