"""Builds a ResNet like MXNet's model zoo; width 64 and blocks 3, 4, 6, 3 are ResNet-50."""
# SPDX-License-Identifier: Apache-2.0

from mxnet_symbols import Symbol


def resnet(width=64, blocks=(3, 4, 6, 3), classes=1000):
    """Returns (symbol, its heads): bottlenecks with batch normalization after each convolution."""
    net = Symbol(10901)

    def conv(name, value, to, of, kernel, stride=1, act=True):
        weight = net.variable(f"{name}_weight", (to, of, kernel, kernel))
        value = net.node("Convolution", name, [value, weight], {
            "kernel": f"({kernel}, {kernel})", "stride": f"({stride}, {stride})",
            "pad": f"({kernel // 2}, {kernel // 2})", "num_filter": str(to), "no_bias": "True"})
        inputs = [value, *(net.variable(f"{name}_{each}", (to,)) for each in ("gamma", "beta")),
                  *(net.variable(f"{name}_{each}", (to,), written=True)
                    for each in ("moving_mean", "moving_var"))]
        value = net.node("BatchNorm", f"{name}_norm", inputs,
                         {"eps": "1e-05", "fix_gamma": "False", "momentum": "0.9"}, outputs=3)
        return net.node("Activation", f"{name}_relu", [value], {"act_type": "relu"}) if act else value

    value = conv("stem", net.variable("data"), width, 3, 7, 2)
    value = net.node("Pooling", "stem_pool", [value], {
        "kernel": "(3, 3)", "stride": "(2, 2)", "pad": "(1, 1)", "pool_type": "max"})
    channels = width
    for stage, count in enumerate(blocks):
        inner = width << stage
        for block in range(count):
            name, stride = f"stage{stage}_{block}", 2 if stage and not block else 1
            branch = conv(f"{name}_a", value, inner, channels, 1, stride)
            branch = conv(f"{name}_b", branch, inner, inner, 3)
            branch = conv(f"{name}_c", branch, 4 * inner, inner, 1, act=False)
            if not block:
                value = conv(f"{name}_short", value, 4 * inner, channels, 1, stride, act=False)
            channels = 4 * inner
            value = net.node("elemwise_add", f"{name}_add", [value, branch])
            value = net.node("Activation", f"{name}_out", [value], {"act_type": "relu"})
    value = net.node("Pooling", "pool", [value], {"global_pool": "True", "kernel": "(7, 7)",
                                                  "pool_type": "avg"})
    inputs = [net.node("Flatten", "flat", [value]), net.variable("fc_weight", (classes, channels)),
              net.variable("fc_bias", (classes,))]
    return net, [net.node("FullyConnected", "fc", inputs, {"num_hidden": str(classes)})]
