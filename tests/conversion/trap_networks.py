"""Two networks as exporters write them, small by default: a ResNet and a BERT."""
# SPDX-License-Identifier: Apache-2.0

import dataclasses

import numpy
import onnx
import onnx.helper
import onnx.numpy_helper

from trap_models import Trap


class Network:
    """Nodes and weights, in sequence."""

    def __init__(self, seed):
        self.nodes, self.initializers = [], []
        self.rng = numpy.random.default_rng(seed)

    def weight(self, *shape, scale=None):
        scale = scale or (2 / numpy.prod(shape[1:] or shape)) ** 0.5
        return self.constant(self.rng.standard_normal(shape, numpy.float32) * numpy.float32(scale))

    def constant(self, value):
        name = f"w{len(self.initializers)}"
        self.initializers.append(onnx.numpy_helper.from_array(numpy.asarray(value), name))
        return name

    def __call__(self, op, *inputs, **attributes):
        name = f"{op}_{len(self.nodes)}"
        self.nodes.append(onnx.helper.make_node(op, inputs, [name], name, **attributes))
        return name

    def model(self, inputs, outputs, opset):
        info = onnx.helper.make_tensor_value_info
        graph = onnx.helper.make_graph(self.nodes, "network", [info(*each) for each in inputs],
                                       [info(*each) for each in outputs], self.initializers)
        return onnx.helper.make_model(graph, ir_version=8,
                                      opset_imports=[onnx.helper.make_opsetid("", opset)])


def resnet(width=8, blocks=(1, 1, 1, 1), size=32, classes=10, opset=14, folded=True):
    """Bottlenecks with batch normalization folded or not; width 64 and blocks 3, 4, 6, 3 are
    ResNet-50."""
    net = Network(50)

    def conv(x, to, of, kernel, stride=1, scale=None):
        bias = [net.constant(numpy.zeros(to, numpy.float32))] if folded else []
        x = net("Conv", x, net.weight(to, of, kernel, kernel, scale=scale), *bias,
                kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[kernel // 2] * 4)
        if folded:
            return x
        one, zero = numpy.ones(to, numpy.float32), numpy.zeros(to, numpy.float32)
        return net("BatchNormalization", x, *map(net.constant, (one, zero, zero, one)))

    x = net("Relu", conv("image", width, 3, 7, 2))
    x = net("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    channels = width
    for stage, count in enumerate(blocks):
        inner = width << stage
        for block in range(count):
            stride = 2 if stage and not block else 1
            y = net("Relu", conv(x, inner, channels, 1))
            y = net("Relu", conv(y, inner, inner, 3, stride))
            y = conv(y, 4 * inner, inner, 1, scale=0.2 * inner ** -0.5)
            if not block:
                x = conv(x, 4 * inner, channels, 1, stride)
            channels = 4 * inner
            x = net("Relu", net("Add", y, x))
    x = net("Flatten", net("GlobalAveragePool", x))
    x = net("Gemm", x, net.weight(channels, classes), net.constant(numpy.zeros(classes, numpy.float32)))
    x = net("Softmax", x)
    return net.model([("image", 1, [1, 3, size, size])], [(x, 1, [1, classes])], opset)


def bert(layers=12, hidden=16, heads=2, tokens=8, words=32, opset=14):
    """GELU and, before opset 17, LayerNorm decomposed; an integer mask. 768 hidden, 12 heads, 30522
    words are BERT base."""
    net = Network(12)
    f32 = numpy.float32
    two, eps = net.constant(f32(2)), net.constant(f32(1e-12))

    def dense(x, to, of):
        y = net("MatMul", x, net.weight(of, to, scale=of ** -0.5))
        return net("Add", y, net.weight(to, scale=0.02))

    def norm(x):
        if opset >= 17:
            return net("LayerNormalization", x, net.constant(numpy.ones(hidden, f32)),
                       net.constant(numpy.zeros(hidden, f32)), axis=-1, epsilon=1e-12)
        centred = net("Sub", x, net("ReduceMean", x, axes=[-1]))
        variance = net("ReduceMean", net("Pow", centred, two), axes=[-1])
        x = net("Div", centred, net("Sqrt", net("Add", variance, eps)))
        x = net("Mul", x, net.constant(numpy.ones(hidden, f32)))
        return net("Add", x, net.constant(numpy.zeros(hidden, f32)))

    def split(x, perm):
        x = net("Reshape", x, net.constant(numpy.int64([0, 0, heads, hidden // heads])))
        return net("Transpose", x, perm=perm)

    mask = net("Unsqueeze", net("Cast", "mask", to=1), net.constant(numpy.int64([1, 2])))
    mask = net("Mul", net("Sub", net.constant(f32(1)), mask), net.constant(f32(-10000)))
    x = net("Add", net("Gather", net.weight(words, hidden, scale=0.5), "ids"),
            net.weight(tokens, hidden, scale=0.5))
    x = norm(x)
    for _ in range(layers):
        q = split(dense(x, hidden, hidden), [0, 2, 1, 3])
        k = split(dense(x, hidden, hidden), [0, 2, 3, 1])
        v = split(dense(x, hidden, hidden), [0, 2, 1, 3])
        scores = net("Div", net("MatMul", q, k), net.constant(f32((hidden // heads) ** 0.5)))
        p = net("Softmax", net("Add", scores, mask), axis=-1)
        context = net("Transpose", net("MatMul", p, v), perm=[0, 2, 1, 3])
        context = net("Reshape", context, net.constant(numpy.int64([0, 0, hidden])))
        x = norm(net("Add", dense(context, hidden, hidden), x))
        h = dense(x, 4 * hidden, hidden)
        gate = net("Add", net("Erf", net("Div", h, net.constant(f32(2 ** 0.5)))),
                   net.constant(f32(1)))
        h = net("Mul", net("Mul", h, gate), net.constant(f32(0.5)))
        x = norm(net("Add", dense(h, hidden, 4 * hidden), x))
    return net.model([("ids", 7, [1, tokens]), ("mask", 7, [1, tokens])],
                     [(x, 1, [1, tokens, hidden])], opset)


@dataclasses.dataclass
class NetworkTrap(Trap):
    make: object = None

    def model(self):
        return self.make()


NETWORKS = [
    NetworkTrap("resnet", (), "", "", "", make=resnet),
    NetworkTrap("bert", (14, 15, 16), "", "", "", make=bert, feeds={"mask": [1] * 5 + [0] * 3},
                keep=("Pow", "Sqrt", "Softmax", "ReduceMean")),
]
