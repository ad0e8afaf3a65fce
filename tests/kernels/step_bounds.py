"""Bounds the error of each node in a 16-bit run: builds a model that runs every node alone, in
float32, on its actual inputs. A node's own error is then its kernel's declared bound plus one
rounding, however many nodes there are and however much later nodes amplify earlier errors.

    run in 16 bits, all values output:  x -> MatMul -> h -> Softmax -> y
    side by side, in float32:           x -> MatMul -> h'    h -> Softmax -> y'     compare h with h', y with y'
"""
# SPDX-License-Identifier: Apache-2.0

import re

_VERSION = re.compile(r"__(float16|bfloat16|float32)$")


def base_of(name):
    """Returns the original name of a value in a converted model."""
    return _VERSION.sub("", name)


def kernels_of(trace):
    """Returns the kernels of a run by node name."""
    return dict(re.findall(r"^(\S.*): (\w+) \([^()]*\)$", trace, re.MULTILINE))


def with_outputs(mixed, onnx):
    """Returns the converted model with all its values as outputs."""
    model = onnx.ModelProto()
    model.CopyFrom(mixed)
    there = {each.name for each in model.graph.output}
    for node in mixed.graph.node:
        new = [name for name in node.output if name and name not in there]
        model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in new)
    return model


def _captured(graph):
    """Returns names that a graph, or its inner graphs, read, including the graph's own."""
    names = {output.name for output in graph.output}
    for node in graph.node:
        names.update(node.input)
        for attribute in node.attribute:
            if attribute.HasField("g"):
                names |= _captured(attribute.g)
    return names


def _rename(graph, names):
    for node in graph.node:
        node.input[:] = [names.get(name, name) for name in node.input]
        for attribute in node.attribute:
            if attribute.HasField("g"):
                _rename(attribute.g, names)
    for output in graph.output:
        output.name = names.get(output.name, output.name)


class NodesAlone:
    """Runs each node of a model on the inputs of its counterpart in the converted model: `model`
    has no inputs, and computes for each of `outputs` the value that it names."""

    def __init__(self, original, mixed, arrays, onnx):
        """`arrays`: values of the converted model, widened."""
        self.onnx, self.arrays = onnx, arrays
        twins = {base_of(name): node for node in mixed.graph.node for name in node.output if name}
        for node in mixed.graph.node:  # a cast after a node also creates a version of its value
            twins.update({base_of(name): node for name in node.output if name and node.op_type != "Cast"})
        self.model, self.outputs = onnx.ModelProto(), {}
        self.model.CopyFrom(original)
        for field in ("node", "input", "output", "initializer", "value_info"):
            del getattr(self.model.graph, field)[:]
        for number, node in enumerate(original.graph.node):
            twin = twins.get(next((base_of(name) for name in node.output if name), ""))
            if node.op_type != "Constant" and twin is not None and len(twin.input) == len(node.input):
                self.add(node, twin, f"n{number}_")
        self.model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in self.outputs)

    def take(self, version, new):
        self.model.graph.initializer.append(self.onnx.numpy_helper.from_array(self.arrays[version], new))
        return new

    def add(self, node, twin, prefix):
        new = self.onnx.NodeProto()
        new.CopyFrom(node)
        new.name = prefix + node.name
        new.input[:] = [self.take(name, f"{prefix}{i}") if name else "" for i, name in enumerate(twin.input)]
        for attribute in new.attribute:
            if attribute.HasField("g"):
                names = sorted(name for name in _captured(attribute.g) if name in self.arrays)
                _rename(attribute.g, {name: self.take(name, f"{prefix}{attribute.name}_{name}") for name in names})
        new.output[:] = [name and f"{prefix}of_{name}" for name in node.output]
        for given, made in zip(twin.output, new.output):
            if given:
                self.outputs[made] = given
        self.model.graph.node.append(new)
