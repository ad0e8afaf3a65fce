#!/usr/bin/env python3
"""registry/operators/onnx.json has the type of every output: read as its README describes, it
yields the types that the onnx package infers, for every version of every operator with inputs of
all types, with and without optional parts, and on every node of every model of the test data.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import peers  # noqa: E402
from test_data import ONNX as DATA, require_models  # noqa: E402

# Operators whose outputs depend on the number of inputs; training previews.
UNSTATED = {"ai.onnx.preview.training." + name for name in ("Adagrad", "Adam", "Gradient", "Momentum")}
SHARE = 0.95  # minimum share compared, of the outputs whose type the package infers

try:
    import onnx
    from onnx import AttributeProto, TensorProto, TypeProto
    REFUSALS = (onnx.shape_inference.InferenceError, onnx.checker.ValidationError, RuntimeError,
                ValueError)
except ImportError:
    onnx = None


def text(of):
    """Returns a TypeProto in the manifest's notation; empty if it has no type."""
    kind = of.WhichOneof("value")
    if kind in ("tensor_type", "sparse_tensor_type"):
        number = getattr(of, kind).elem_type
        if not number:
            return ""
        sparse = "sparse_" if kind == "sparse_tensor_type" else ""
        return f"{sparse}tensor({TensorProto.DataType.Name(number).lower()})"
    if kind in ("sequence_type", "optional_type"):
        inner = text(getattr(of, kind).elem_type)
        return inner and f"{'seq' if kind == 'sequence_type' else 'optional'}({inner})"
    if kind == "map_type":
        key = TensorProto.DataType.Name(of.map_type.key_type).lower()
        inner = text(of.map_type.value_type)
        return inner and f"map({key}, {inside('tensor', inner) or inner})"
    return ""


def inside(outer, of):
    return of[len(outer) + 1:-1] if of.startswith(outer + "(") else ""


def shaped(of, how):
    """Returns the type that `as` makes from a type."""
    if not how or not of:
        return of
    if how in ("sequence", "optional"):
        return f"{'seq' if how == 'sequence' else how}({of})"
    if how == "element":
        return inside("seq", of)
    if how == "content":
        return inside("optional", of) or of
    value = inside("map", of).split(", ", 1)[1]
    return value if "(" in value else f"tensor({value})"


class Operators:
    """The manifest's records of each operator, by version."""

    def __init__(self, path):
        self.versions = {}
        for op in json.loads(path.read_text())["operators"]:
            all_versions = [op, *op.get("earlier", [])]
            self.versions[op["name"]] = {each["since"]: each.get("fields", {}) for each in all_versions}

    def find(self, node, opsets):
        domain = "" if node.domain == "ai.onnx" else node.domain
        name = f"{domain}.{node.op_type}" if domain else node.op_type
        since = [v for v in self.versions.get(name, {}) if v <= opsets.get(domain, 1)]
        return name, self.versions[name][max(since)] if since else None


def of_attribute(attribute):
    """Returns the type of an attribute, given as a number, a name, a tensor or a type."""
    if attribute.type == AttributeProto.INT:
        number = attribute.i
    elif attribute.type == AttributeProto.STRING:
        number = TensorProto.DataType.Value(attribute.s.decode())
    elif attribute.type == AttributeProto.TENSOR:
        number = attribute.t.data_type
    elif attribute.type == AttributeProto.SPARSE_TENSOR:
        return f"sparse_tensor({TensorProto.DataType.Name(attribute.sparse_tensor.values.data_type).lower()})"
    else:
        return text(attribute.tp)
    return f"tensor({TensorProto.DataType.Name(number).lower()})" if number else ""


def empty(attribute):
    """Returns whether a list attribute has no elements."""
    lists = {AttributeProto.FLOATS: "floats", AttributeProto.INTS: "ints",
             AttributeProto.STRINGS: "strings"}
    field = lists.get(attribute.type)
    return field is not None and not getattr(attribute, field)


def said(fields, name, position):
    return [value for value in fields.get(name, []) if value["key"] in (str(position), "*")]


class Node:
    def __init__(self, node, fields, inputs, subgraphs):
        self.fields = fields
        self.inputs = inputs  # their types; None: omitted; "": unknown
        self.attributes = {attribute.name: attribute for attribute in node.attribute}
        self.subgraphs = subgraphs  # attribute -> types of its outputs

    def by_attribute(self, value):
        details = value.get("details", {})
        attribute = self.attributes.get(value["value"])
        if attribute is not None:
            return shaped(of_attribute(attribute), details.get("as"))
        defaults = [each.get("details", {}).get("default")
                    for each in self.fields.get("attributes", []) if each["key"] == value["value"]]
        default = details.get("default") or (defaults[0] if defaults else None)
        if default in (None, "0"):
            return ""
        return shaped(f"tensor({default.lower()})", details.get("as"))

    def by_condition(self, value):
        details = value.get("details", {})
        if "input" in details:
            return value["value"] if self.inputs[int(details["input"])] == details["equals"] else ""
        attribute = self.attributes.get(details.get("attribute"))
        if "equals" in details:
            holds = attribute is not None and attribute.s.decode() == details["equals"]
        else:
            holds = "attribute" not in details or attribute is not None and not empty(attribute)
        return value["value"] if holds else ""

    def declared(self, values, position):
        """Returns the input or output declared for a position; the last may be variadic."""
        if position < len(values):
            return values[position]
        last = values[-1] if values else {}
        return last if last.get("details", {}).get("option") == "Variadic" else None

    def bound(self, variable):
        for position, of in enumerate(self.inputs):
            declared = self.declared(self.fields.get("inputs", []), position)
            if of is None or declared is None or declared["value"] != variable:
                continue
            if declared.get("details", {}).get("homogeneous") != "false":
                return of
        return None

    def output(self, position):
        """Returns the type of an output; None: the manifest does not give it; "": it follows from
        unknown types."""
        for value in said(self.fields, "typed_by_attribute", position):
            if found := self.by_attribute(value):
                return found
        for value in said(self.fields, "typed_by_input", position):
            at = int(value["value"])
            if at < len(self.inputs) and self.inputs[at] is not None:
                return shaped(self.inputs[at], value.get("details", {}).get("as"))
        for value in said(self.fields, "typed_by_subgraph", position):
            types = self.subgraphs[value["value"]][int(value.get("details", {}).get("first", 0)):]
            return shaped(types[position], value.get("details", {}).get("as"))
        for value in said(self.fields, "typed_when", position):
            if found := self.by_condition(value):
                return found
        declared = self.declared(self.fields.get("outputs", []), position)
        if declared is None:
            return None
        if "(" in declared["value"]:
            return declared["value"]
        found = self.bound(declared["value"])
        if found is not None:
            return found
        for value in said(self.fields, "typed_as", position):
            return f"tensor({value['value'].lower()})"
        only = [each["value"] for each in self.fields.get("type_variables", [])
                if each["key"] == declared["value"]]
        return only[0] if only and "," not in only[0] else None


class Comparison:
    def __init__(self, operators):
        self.operators = operators
        self.compared = 0
        self.known = 0
        self.problems = []

    def graph(self, name, graph, opsets, outer):
        """Compares the nodes of a graph; returns the types of its outputs."""
        types = dict(outer)
        for tensor in graph.initializer:
            types[tensor.name] = f"tensor({TensorProto.DataType.Name(tensor.data_type).lower()})"
        for tensor in graph.sparse_initializer:
            kind = TensorProto.DataType.Name(tensor.values.data_type).lower()
            types[tensor.values.name] = f"sparse_tensor({kind})"
        for info in [*graph.value_info, *graph.output, *graph.input]:
            types[info.name] = text(info.type) or types.get(info.name, "")
        for node in graph.node:
            self.node(name, node, opsets, types)
        return [types.get(info.name, "") for info in graph.output]

    def node(self, name, node, opsets, types):
        subgraphs = {each.name: self.graph(name, each.g, opsets, types)
                     for each in node.attribute if each.type == AttributeProto.GRAPH}
        op, fields = self.operators.find(node, opsets)
        if fields is None or op in UNSTATED:
            return
        inputs = [types.get(each, "") if each else None for each in node.input]
        here = Node(node, fields, inputs, subgraphs)
        for position, output in enumerate(node.output):
            expected = types.get(output, "")
            self.known += bool(expected)
            found = here.output(position)
            if found is None and output:
                self.problems.append(f"{name}: {op} has no type for output {position}")
            if not output or not found:
                continue
            types[output] = expected or found
            self.compared += bool(expected)
            if expected and found != expected:
                self.problems.append(f"{name}: output {position} of {op}: {found}, not {expected}")


def types_of(schema, name):
    """Returns the types of a type or a type variable of a schema, as TypeProtos."""
    said = [each.allowed_type_strs for each in schema.type_constraints if each.type_param_str == name]
    return [parsed(each) for each in (said[0] if said else [name])]


def parsed(spelled):
    """Returns the TypeProto of "seq(tensor(float))"."""
    of = TypeProto()
    kind, inner = spelled.split("(", 1)
    inner = inner[:-1]
    if kind in ("tensor", "sparse_tensor"):
        getattr(of, f"{kind}_type").elem_type = TensorProto.DataType.Value(inner.upper())
    elif kind in ("seq", "optional"):
        getattr(of, {"seq": "sequence_type"}.get(kind, "optional_type")).elem_type.CopyFrom(parsed(inner))
    else:
        key, value = inner.split(", ", 1)
        of.map_type.key_type = TensorProto.DataType.Value(key.upper())
        of.map_type.value_type.CopyFrom(parsed(value if "(" in value else f"tensor({value})"))
    return of


def attribute_variants(schema):
    """Yields the required attributes, and these with each optional one that may affect types."""
    kinds = onnx.defs.OpSchema.AttrType
    simple = {kinds.INT: 1, kinds.FLOAT: 1.0, kinds.STRING: "a", kinds.INTS: [1], kinds.FLOATS: [1.0],
              kinds.STRINGS: ["a"], kinds.TENSOR: onnx.helper.make_tensor("t", 11, [1], [1.0])}
    required, others = [], []
    for name, attribute in schema.attributes.items():
        if attribute.type in simple:
            made = onnx.helper.make_attribute(name, simple[attribute.type])
            (required if attribute.required else others).append((name, attribute, made))
    yield [made for *_, made in required]
    for name, attribute, made in [*required, *others]:
        rest = [each for other, _, each in required if other != name]
        if attribute.type == kinds.INT and ("type" in name or name == "to"):
            for number in (1, 7, 10, 16):
                yield [*rest, onnx.helper.make_attribute(name, number)]
        elif name == "cast_to":
            for word in ("TO_FLOAT", "TO_STRING", "TO_INT64"):
                yield [*rest, onnx.helper.make_attribute(name, word)]
        elif attribute.type in (kinds.TENSOR, kinds.STRINGS, kinds.INTS, kinds.FLOATS) or "value" in name:
            yield [*rest, made]


def input_variants(schema):
    """Yields types of the inputs: every type of each variable in turn, with all inputs and the
    fewest."""
    counts = {schema.min_input, len(schema.inputs)}
    for count in sorted(counts):
        given = [schema.inputs[min(i, len(schema.inputs) - 1)] for i in range(count)]
        first = {each.type_str: types_of(schema, each.type_str)[0] for each in given}
        for variable in first or {"": None}:
            for of in types_of(schema, variable) if variable else [None]:
                chosen = {**first, variable: of}
                yield [chosen[each.type_str] for each in given]


def compare_schema(comparison, schema):
    name = f"{schema.domain}.{schema.name}" if schema.domain else schema.name
    fields = comparison.operators.versions.get(name, {}).get(schema.since_version)
    if fields is None or schema.deprecated or name in UNSTATED:
        return
    outputs = [f"y{i}" for i in range(max(len(schema.outputs), schema.min_output))]
    for attributes in attribute_variants(schema):
        for types in input_variants(schema):
            inputs = {f"x{i}": of for i, of in enumerate(types)}
            node = onnx.helper.make_node(schema.name, list(inputs), outputs, domain=schema.domain)
            node.attribute.extend(attributes)
            try:
                inferred = onnx.shape_inference.infer_node_outputs(schema, node, inputs)
            except REFUSALS:
                continue  # not a valid node
            here = Node(node, fields, [text(of) for of in inputs.values()], {})
            for position, output in enumerate(outputs):
                expected = text(inferred[output]) if output in inferred else ""
                if not expected:
                    continue
                comparison.known += 1
                found = here.output(position)
                comparison.compared += bool(found)
                if found != expected:
                    comparison.problems.append(
                        f"{name}-{schema.since_version}: output {position} of {[text(t) for t in types]} "
                        f"with {[a.name for a in attributes]}: {found}, not {expected}")


def compare_schemas(operators):
    comparison = Comparison(operators)
    for schema in onnx.defs.get_all_schemas_with_history():
        compare_schema(comparison, schema)
    return comparison


def compare_models(operators):
    comparison = Comparison(operators)
    for path in sorted(DATA.glob("**/*.onnx")):
        model = onnx.load(path, load_external_data=False)
        opsets = {each.domain if each.domain != "ai.onnx" else "": each.version
                  for each in model.opset_import}
        try:
            model = onnx.shape_inference.infer_shapes(model)
        except REFUSALS:
            pass  # its own declarations remain
        name = str(path.relative_to(DATA))
        comparison.graph(name, model.graph, opsets, {})
    return comparison


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    options = parser.parse_args()
    if onnx is None:
        peers.require(options.bin, "onnx")
    require_models(DATA)
    operators = Operators(ROOT / "registry/operators/onnx.json")
    problems = []
    for what, compare in (("models", compare_models), ("schemas", compare_schemas)):
        comparison = compare(operators)
        problems += comparison.problems
        if not comparison.known or comparison.compared < SHARE * comparison.known:
            problems.append(f"only {comparison.compared} of {comparison.known} outputs of {what} compared")
    print("\n".join(problems[:50]), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
