"""Makes every value of a model an output, including values of inner graphs: those of a Loop or Scan
body are collected over its iterations; a branch that is not taken yields an empty array.
"""
# SPDX-License-Identifier: Apache-2.0

import numpy
import onnx
import onnx.helper
import onnx.numpy_helper
import onnx.shape_inference

PREFIX = "seen__"
UNSEEN = (onnx.TensorProto.BFLOAT16, onnx.TensorProto.STRING)  # types that Python cannot return


def types_of(graph):
    """Returns name -> element type, for tensors whose type is known."""
    types = {each.name: each.type.tensor_type.elem_type
             for each in [*graph.input, *graph.value_info, *graph.output] if each.type.HasField("tensor_type")}
    types.update((each.name, each.data_type) for each in graph.initializer)
    return {name: dtype for name, dtype in types.items() if dtype and dtype not in UNSEEN}


def expose_in_branches(node, branches, seen):
    """`seen`: for each branch, name -> type. Every branch returns all of them; those of other
    branches are empty."""
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
    """Returns name -> type of all values that a graph's nodes compute, including their inner
    graphs."""
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
    """Returns the values of an inner graph to add to its outputs."""
    known = {each.name for each in graph.output}
    return {name: dtype for name, dtype in seen_in(graph).items() if name not in known}


def exposed(model):
    """Returns a copy of a model whose outputs with the prefix PREFIX are values of inner graphs,
    named by the rest."""
    model = onnx.shape_inference.infer_shapes(model)
    model.graph.output.extend(onnx.helper.make_tensor_value_info(name, dtype, None)
                              for name, dtype in added(model.graph).items())
    return model


def plain(name):
    while name.startswith(PREFIX):
        name = name.removeprefix(PREFIX)
    return name
