"""Makes every value of a model an output, those of inner graphs too: what a body of Loop or Scan computes is collected
over its turns; of a branch that is not taken comes an empty array.
"""
# SPDX-License-Identifier: Apache-2.0

import numpy
import onnx
import onnx.helper
import onnx.numpy_helper
import onnx.shape_inference

PREFIX = "seen__"
UNSEEN = (onnx.TensorProto.BFLOAT16, onnx.TensorProto.STRING)  # which Python is not given


def types_of(graph):
    """Name -> element type, of tensors whose type is known."""
    types = {each.name: each.type.tensor_type.elem_type
             for each in [*graph.input, *graph.value_info, *graph.output] if each.type.HasField("tensor_type")}
    types.update((each.name, each.data_type) for each in graph.initializer)
    return {name: dtype for name, dtype in types.items() if dtype and dtype not in UNSEEN}


def expose_in_branches(node, branches, seen):
    """`seen`: of each branch, name -> type. Every branch gives all of them, empty where they are another's."""
    for at, mine in enumerate(seen):
        for name, dtype in mine.items():
            node.output.append(PREFIX + name)
            for other, branch in enumerate(branches):
                here = name
                if other != at:
                    here = f"{PREFIX}empty_{at}_{name}"
                    empty = numpy.empty([0], onnx.helper.tensor_dtype_to_np_dtype(dtype))
                    branch.node.append(onnx.helper.make_node("Constant", [], [here],
                                                             value=onnx.numpy_helper.from_array(empty)))
                branch.output.append(onnx.helper.make_tensor_value_info(here, dtype, None))
    return {PREFIX + name: dtype for mine in seen for name, dtype in mine.items()}


def expose_in_body(node, body, seen):
    for name, dtype in seen.items():
        body.output.append(onnx.helper.make_tensor_value_info(name, dtype, None))
        node.output.append(PREFIX + name)
    return {PREFIX + name: dtype for name, dtype in seen.items()}


def seen_in(graph):
    """Name -> type of all that a graph's nodes compute, what their inner graphs do included."""
    types, seen = types_of(graph), {}
    for node in graph.node:
        seen.update((name, types[name]) for name in node.output if name in types)
        inner = {each.name: each.g for each in node.attribute if each.HasField("g")}
        if node.op_type == "If":
            branches = [inner["then_branch"], inner["else_branch"]]
            seen.update(expose_in_branches(node, branches, [added(branch) for branch in branches]))
        elif node.op_type in ("Loop", "Scan"):
            seen.update(expose_in_body(node, inner["body"], added(inner["body"])))
    return seen


def added(graph):
    """What is to become an output of an inner graph and is none yet."""
    known = {each.name for each in graph.output}
    return {name: dtype for name, dtype in seen_in(graph).items() if name not in known}


def exposed(model):
    """A copy of a model; its outputs that begin with PREFIX are values of inner graphs, by the rest of their names."""
    model = onnx.shape_inference.infer_shapes(model)
    model.graph.output.extend(onnx.helper.make_tensor_value_info(name, dtype, None)
                              for name, dtype in added(model.graph).items())
    return model


def plain(name):
    while name.startswith(PREFIX):
        name = name.removeprefix(PREFIX)
    return name
