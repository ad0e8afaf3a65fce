"""Functions on a ModelProto that both float16 converters of ONNX need before the conversion."""
# SPDX-License-Identifier: Apache-2.0

from typing import TYPE_CHECKING, Any, Iterable, Iterator, List, Set

if TYPE_CHECKING:
    import onnx

FLOAT, FLOAT16 = 1, 10  # onnx.TensorProto


def inner_graphs(node: Any) -> Iterator[Any]:
    for attribute in node.attribute:
        if attribute.HasField("g"):
            yield attribute.g
        yield from attribute.graphs


def graphs(graph: Any) -> Iterator[Any]:
    """Yields the graph and, recursively, the graphs inside its nodes."""
    yield graph
    for node in graph.node:
        for inner in inner_graphs(node):
            yield from graphs(inner)


def nodes(model: "onnx.ModelProto") -> Iterator[Any]:
    """Yields every node, including those of inner graphs and functions."""
    for graph in graphs(model.graph):
        yield from graph.node
    for function in model.functions:
        for node in function.node:
            yield node
            for inner in inner_graphs(node):
                for graph in graphs(inner):
                    yield from graph.node


def qualified(model: "onnx.ModelProto", operators: Iterable[str]) -> List[str]:
    """Returns the names under which lists know these operators: with their domain unless it is ONNX's. Operators that
    the model does not have are ignored. An operator without a domain matches every domain, as in the other converters,
    which do not know domains."""
    wanted, found = set(operators), set()
    for node in nodes(model):
        name = node.op_type if node.domain in ("", "ai.onnx") else f"{node.domain}.{node.op_type}"
        if node.op_type in wanted or name in wanted:
            found.add(name)
    return sorted(found)


def is_float16(graph: Any) -> bool:
    """Returns whether a value or initializer of the graph is float16 or a node casts to it. Does not look into inner
    graphs, like the other converter."""
    for value in (*graph.output, *graph.input, *graph.value_info):
        if value.type.tensor_type.elem_type == FLOAT16:
            return True
    return (any(tensor.data_type == FLOAT16 for tensor in graph.initializer) or
            any(node.op_type == "Cast" and any(each.name == "to" and each.i == FLOAT16 for each in node.attribute)
                for node in graph.node))


def clamped(model: "onnx.ModelProto", smallest: float, largest: float) -> List[str]:
    """Returns the names of the nodes that read a constant with an element that the other converters would clamp: a
    nonzero one below `smallest` in magnitude, or a finite one above `largest`. Unnamed nodes are named by an output."""
    import numpy
    from onnx import numpy_helper

    def changes(tensor: Any) -> bool:
        if tensor.data_type != FLOAT or tensor.data_location == 1:
            return False
        numbers = numpy.abs(numpy_helper.to_array(tensor))
        return bool(((numbers > 0) & (numbers < smallest) | (numbers > largest) & numpy.isfinite(numbers)).any())

    found: List[str] = []

    def walk(graph: Any, outer: Set[str]) -> None:
        here = outer | {each.name for each in graph.initializer if changes(each)}
        for node in graph.node:
            if any(each.name in ("value", "sparse_value") and each.HasField("t") and changes(each.t)
                   for each in node.attribute if node.op_type == "Constant"):
                here.update(node.output)
        for node in graph.node:
            if here.intersection(node.input):
                found.append(node.name or next(each for each in node.output if each))
            for inner in inner_graphs(node):
                walk(inner, here)

    walk(model.graph, set())
    return found
