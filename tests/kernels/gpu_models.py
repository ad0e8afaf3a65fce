"""Networks as exporters write them, with random weights, in the format of tests/make_onnx.py: small
ones for tests, and large ones for benchmarks, whose weights share one file of random values."""
# SPDX-License-Identifier: Apache-2.0

import array
import math
import random

CONTRIB = "com.microsoft"
WEIGHTS = "weights.bin"
DEVIATION = 0.03  # standard deviation of the values in that file


def write_weights(folder, count=3 << 20):
    """Writes as many normal float32 values as the largest weight has."""
    block = array.array("f", (random.gauss(0, DEVIATION) for _ in range(1 << 16)))
    (folder / WEIGHTS).write_bytes(block.tobytes() * (count // len(block)))


class Graph:
    """Nodes in sequence; `shared`: weights come from WEIGHTS."""

    def __init__(self, shared, opset=21):
        self.shared, self.opset = shared, opset
        self.nodes, self.initializers, self.inputs, self.outputs = [], {}, {}, {}

    def __call__(self, op, *inputs, outputs=1, **attributes):
        names = [f"n{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append([op, list(inputs), names, attributes])
        return names[0] if outputs == 1 else names

    def constant(self, dtype, shape, numbers):
        name = f"c{len(self.initializers)}"
        self.initializers[name] = [dtype, shape, numbers]
        return name

    def weight(self, *shape, dtype="float32"):
        count = math.prod(shape)
        if self.shared:
            numbers = {"location": WEIGHTS, "offset": 0}
        elif dtype == "int8":
            numbers = [random.randint(-127, 127) for _ in range(count)]
        else:
            numbers = [random.gauss(0, shape[0] ** -0.5) for _ in range(count)]
        return self.constant(dtype, list(shape), numbers)

    def ones(self, size):
        return self.constant("float32", [size], [1.0] * size)

    def reshape(self, x, *shape):
        return self("Reshape", x, self.constant("int64", [len(shape)], list(shape)))

    def model(self, **outputs):
        """`outputs`: name -> value and its shape."""
        for name, (value, shape) in outputs.items():
            self.nodes.append(["Identity", [value], [name]])
            self.outputs[name] = ["float32", shape]
        return {"opset": self.opset, "inputs": self.inputs, "outputs": self.outputs,
                "initializers": self.initializers, "nodes": self.nodes}


def attend(net, q, k, v, batch, rows, heads, head):
    """Attention as products and a softmax."""
    def apart(x, order):
        return net("Transpose", net.reshape(x, batch, rows, heads, head), perm=order)
    scores = net("MatMul", apart(q, [0, 2, 1, 3]), apart(k, [0, 2, 3, 1]))
    scores = net("Mul", scores, net.constant("float32", [], [head ** -0.5]))
    sums = net("MatMul", net("Softmax", scores, axis=-1), apart(v, [0, 2, 1, 3]))
    return net.reshape(net("Transpose", sums, perm=[0, 2, 1, 3]), batch, rows, heads * head)


def bert(shared=False, batch=2, rows=10, hidden=32, heads=4, layers=2):
    net = Graph(shared)
    net.inputs["x"] = ["float32", [batch, rows, hidden]]
    x = "x"
    for _ in range(layers):
        q, k, v = (net("Add", net("MatMul", x, net.weight(hidden, hidden)), net.weight(hidden)) for _ in range(3))
        y = attend(net, q, k, v, batch, rows, heads, hidden // heads)
        x = net("Add", x, net("Add", net("MatMul", y, net.weight(hidden, hidden)), net.weight(hidden)))
        x = net("LayerNormalization", x, net.ones(hidden), net.weight(hidden))
        y = net("Add", net("MatMul", x, net.weight(hidden, 4 * hidden)), net.weight(4 * hidden))
        y = net("MatMul", net("Gelu", y), net.weight(4 * hidden, hidden))
        x = net("LayerNormalization", net("Add", x, net("Add", y, net.weight(hidden))), net.ones(hidden),
                net.weight(hidden))
    return net.model(y=(x, [batch, rows, hidden]))


def decoder(shared=False, rows=6, past=5, hidden=32, heads=4, kv_heads=2, head=8, inner=48, layers=2):
    """GroupQueryAttention with rotation and cached keys and values, followed by a gated layer."""
    net = Graph(shared)
    total = rows + past
    net.inputs["x"] = ["float32", [1, rows, hidden]]
    angles = [0.01 * (row + 1) / (i + 1) for row in range(total) for i in range(head // 2)]
    cosines = net.constant("float32", [total, head // 2], [math.cos(each) for each in angles])
    sines = net.constant("float32", [total, head // 2], [math.sin(each) for each in angles])
    lengths, all_rows = net.constant("int32", [1], [total - 1]), net.constant("int32", [], [total])
    x, kept = "x", {}
    for i in range(layers):
        for name in (f"pk{i}", f"pv{i}"):
            net.inputs[name] = ["float32", [1, kv_heads, past, head]]
        y = net("SimplifiedLayerNormalization", x, net.ones(hidden), axis=-1, epsilon=1e-5)
        y = net("MatMul", y, net.weight(hidden, (heads + 2 * kv_heads) * head))
        y, k, v = net(f"{CONTRIB}:GroupQueryAttention", y, "", "", f"pk{i}", f"pv{i}", lengths, all_rows, cosines,
                      sines, outputs=3, num_heads=heads, kv_num_heads=kv_heads, do_rotary=1)
        kept.update({f"k{i}": (k, [1, kv_heads, total, head]), f"v{i}": (v, [1, kv_heads, total, head])})
        x = net("Add", x, net("MatMul", y, net.weight(heads * head, hidden)))
        y = net("SimplifiedLayerNormalization", x, net.ones(hidden), axis=-1, epsilon=1e-5)
        gate, up = (net("MatMul", y, net.weight(hidden, inner)) for _ in range(2))
        y = net("Mul", net("Mul", gate, net("Sigmoid", gate)), up)
        x = net("Add", x, net("MatMul", y, net.weight(inner, hidden)))
    x = net("SimplifiedLayerNormalization", x, net.ones(hidden), axis=-1, epsilon=1e-5)
    return net.model(y=(x, [1, rows, hidden]), **kept)


def quantized_vit(shared=False, batch=2, side=4, patch=4, hidden=24, heads=3, layers=2):
    """A vision transformer from ONNX Runtime's quantizer: each operand of each product is 8-bit."""
    net = Graph(shared)
    rows = side * side
    net.inputs["x"] = ["float32", [batch, 3, side * patch, side * patch]]

    def rounded(x, scale=0.03):
        by = net.constant("float32", [], [scale]), net.constant("uint8", [], [128])
        return net("DequantizeLinear", net("QuantizeLinear", x, *by), *by)

    def opened(*shape, axis):
        of_axis = [shape[axis]]
        scale = net.constant("float32", of_axis, [0.0003] * shape[axis])
        zero = net.constant("int8", of_axis, [0] * shape[axis])
        return net("DequantizeLinear", net.weight(*shape, dtype="int8"), scale, zero, axis=axis)

    def product(x, size, to):
        y = net("MatMul", rounded(x), opened(size, to, axis=1))
        return rounded(net("Add", y, net.weight(to)))

    bias = net("DequantizeLinear", net.constant("int32", [hidden], [7] * hidden),
               net.constant("float32", [hidden], [0.0001] * hidden), axis=0)
    x = net("Conv", rounded("x"), opened(hidden, 3, patch, patch, axis=0), bias, strides=[patch, patch])
    x = rounded(net("Transpose", net.reshape(x, batch, hidden, rows), perm=[0, 2, 1]))
    for _ in range(layers):
        y = net("LayerNormalization", x, net.ones(hidden), net.weight(hidden))
        y = attend(net, *(product(y, hidden, hidden) for _ in range(3)), batch, rows, heads, hidden // heads)
        x = rounded(net("Add", x, product(y, hidden, hidden)))
        y = product(net("LayerNormalization", x, net.ones(hidden), net.weight(hidden)), hidden, 4 * hidden)
        y = product(rounded(net("Gelu", y)), 4 * hidden, hidden)
        x = rounded(net("Add", x, y))
    return net.model(y=(x, [batch, rows, hidden]))


def resnet(shared=False, batch=2, side=32, width=8, blocks=(1, 1, 2, 1)):
    """Bottlenecks; each convolution is followed by a batch normalization."""
    net = Graph(shared)
    net.inputs["x"] = ["float32", [batch, 3, side, side]]

    def conv(x, size, to, kernel=1, stride=1):
        x = net("Conv", x, net.weight(to, size, kernel, kernel), kernel_shape=[kernel] * 2, strides=[stride] * 2,
                pads=[kernel // 2] * 4)
        deviation = DEVIATION if shared else to ** -0.5
        variance = net.constant("float32", [to], [size * kernel * kernel * deviation ** 2] * to)
        zeros = net.constant("float32", [to], [0.0] * to)
        return net("BatchNormalization", x, net.ones(to), zeros, zeros, variance)

    x = net("Relu", conv("x", 3, width, 7, 2))
    x = net("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    size = width
    for stage, count in enumerate(blocks):
        inner, to = width << stage, 4 * width << stage
        for block in range(count):
            stride = 2 if block == 0 and stage > 0 else 1
            y = net("Relu", conv(x, size, inner))
            y = conv(net("Relu", conv(y, inner, inner, 3, stride)), inner, to)
            skipped = conv(x, size, to, 1, stride) if block == 0 else x
            x, size = net("Relu", net("Add", y, skipped)), to
    x = net.reshape(net("GlobalAveragePool", x), batch, size)
    return net.model(y=(net("MatMul", x, net.weight(size, 10)), [batch, 10]))


def unet(shared=False, batch=1, side=8, width=16, groups=4):
    """Group normalizations, convolutions and attention, downsampling and upsampling, as in
    diffusion models."""
    net = Graph(shared)
    net.inputs["x"] = ["float32", [batch, 4, side, side]]

    def block(x, size, to, stride=1):
        y = net("GroupNormalization", x, net.ones(size), net.weight(size), num_groups=groups)
        y = net("Mul", y, net("Sigmoid", y))
        return net("Conv", y, net.weight(to, size, 3, 3), net.weight(to), kernel_shape=[3, 3], pads=[1] * 4,
                   strides=[stride] * 2)

    first = net("Conv", "x", net.weight(width, 4, 3, 3), net.weight(width), kernel_shape=[3, 3], pads=[1] * 4)
    down = block(first, width, 2 * width, 2)
    rows = (side // 2) ** 2
    flat = net("Transpose", net.reshape(down, batch, 2 * width, rows), perm=[0, 2, 1])
    y = attend(net, *(net("MatMul", flat, net.weight(2 * width, 2 * width)) for _ in range(3)), batch, rows, 2, width)
    y = net.reshape(net("Transpose", y, perm=[0, 2, 1]), batch, 2 * width, side // 2, side // 2)
    x = net("Resize", net("Add", down, y), "", net.constant("float32", [4], [1.0, 1.0, 2.0, 2.0]), mode="nearest")
    x = net("Concat", block(x, 2 * width, width), first, axis=1)
    return net.model(y=(block(x, 2 * width, 4), [batch, 4, side, side]))
