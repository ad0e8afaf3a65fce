"""Rewrites a model in mixed precision to one in float32 with the same results: every float16 or
bfloat16 value becomes float32 and is rounded where it is computed. ONNX Runtime computes float16 in
float32 on a CPU and has few kernels for bfloat16; this model shows the effect of rounding.
"""
# SPDX-License-Identifier: Apache-2.0

import numpy
import onnx
import onnx.helper
import onnx.inliner
import onnx.numpy_helper

FLOAT = onnx.TensorProto.FLOAT
LOW = (onnx.TensorProto.FLOAT16, onnx.TensorProto.BFLOAT16)


def widened(tensor):
    if tensor.data_type not in LOW:
        return tensor
    array = onnx.numpy_helper.to_array(tensor).astype(numpy.float32)
    return onnx.numpy_helper.from_array(array, tensor.name)


def element(type_proto):
    """Returns the field that holds a tensor's or a sequence's element type, or None."""
    if type_proto.HasField("tensor_type"):
        return type_proto.tensor_type
    if type_proto.HasField("sequence_type"):
        return element(type_proto.sequence_type.elem_type)
    return None


def widen_type(type_proto):
    found = element(type_proto)
    if found is not None and found.elem_type in LOW:
        found.elem_type = FLOAT


def types_of(graph, outer):
    types = dict(outer)
    for each in [*graph.input, *graph.value_info, *graph.output]:
        if each.type.HasField("tensor_type"):
            types[each.name] = each.type.tensor_type.elem_type
        elif each.type.HasField("sequence_type"):
            types[each.name] = None  # a sequence: its tensors were rounded before
    types.update((each.name, each.data_type) for each in graph.initializer)
    return types


def cast(source, target, dtype):
    return onnx.helper.make_node("Cast", [source], [target], to=dtype)


def round_cast(node, types):
    """Replaces a Cast or CastLike of the model by a rounding."""
    source, target = node.input[0], node.output[0]
    to = types.get(target) or next((a.i for a in node.attribute if a.name == "to"), 0)
    types[target] = to
    if to not in LOW:
        return [cast(source, target, to)]
    return [cast(source, target + "__low", to), cast(target + "__low", target, FLOAT)]


def round_node(node, types):
    if node.op_type in ("Cast", "CastLike"):
        return round_cast(node, types)
    for attribute in node.attribute:
        if attribute.HasField("t"):
            attribute.t.CopyFrom(widened(attribute.t))
        if attribute.HasField("g"):
            round_graph(attribute.g, types)
        if attribute.name in ("dtype", "stash_type", "output_dtype") and attribute.i in LOW:
            attribute.i = FLOAT
    nodes = [node]
    for at, output in enumerate(node.output):
        if output and output not in types:
            raise ValueError(f"unknown type of {output}")
        if output and types[output] in LOW:
            node.output[at] = output + "__exact"
            nodes.append(cast(output + "__exact", output + "__low", types[output]))
            nodes.append(cast(output + "__low", output, FLOAT))
    return nodes


def round_graph(graph, outer):
    types = types_of(graph, outer)
    nodes = []
    for node in list(graph.node):
        nodes += round_node(node, types)
    del graph.node[:]
    graph.node.extend(nodes)
    for tensor in graph.initializer:
        tensor.CopyFrom(widened(tensor))
    for each in [*graph.input, *graph.output]:
        widen_type(each.type)
    del graph.value_info[:]


def explicitly_rounded(model):
    model = onnx.inliner.inline_local_functions(model, True)
    model = onnx.shape_inference.infer_shapes(model)
    round_graph(model.graph, {})
    return model
