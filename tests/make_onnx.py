#!/usr/bin/env python3
"""Small ONNX models for tests, described in JSON, without the package onnx:

    {"opset": 17,
     "functions": [{"name": "Double", "domain": "own", "inputs": ["a"], "outputs": ["b"], "nodes": []}],
     "inputs": {"x": ["float32", [1, 4]]}, "outputs": {"y": ["float32", [1, 4]]},
     "values": {"any": ["float32"], "h": ["float32", [1, 4]]},
     "initializers": {"w": ["float32", [2], [0.5, 1]], "big": ["float32", [2], [1, 2], "data.bin"]},
     "nodes": [["Relu", ["x"], ["y"], {"name": "first", "axis": 1, "body": {...a graph...}}]]}

A type is ["sequence", TYPE] or ["optional", TYPE], too. An operator's domain precedes its name,
"com.microsoft:Gelu"; in Python the two may also be a tuple. An attribute is an int, a float, a
string, a list of them, a list of numbers in packed form {"packed": numbers}, a tensor {"tensor":
[type, shape, elements]}, a graph, or in a function one of its "attributes" or "defaults":
{"reference": "alpha", "type": 1}; "name" and "overload" are the node's own. A function may have an
"overload", too. The fourth entry of a tensor is the external file to which its data is appended;
the fifth, false, leaves out its length. Elements given as {"location": "data.bin", "offset": 0} are
already in that file. Tests call `model_bytes`. As a program: make_onnx.py MODEL.json MODEL.onnx.
"""
# SPDX-License-Identifier: Apache-2.0

import json
import math
import pathlib
import struct
import sys

TYPES = {"float32": (1, "f"), "uint8": (2, "B"), "int8": (3, "b"), "int32": (6, "i"),
         "int64": (7, "q"), "bool": (9, "?"), "float16": (10, "e"), "float64": (11, "d"),
         "bfloat16": (16, "H")}


def varint(value):
    value &= 2 ** 64 - 1
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def text(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def tensor(name, type_name, shape, numbers, location=None, with_length=True, folder=None):
    kind, code = TYPES[type_name]
    out = b"".join(number(1, each) for each in shape) + number(2, kind) + text(8, name)
    if isinstance(numbers, dict):
        entries = {**numbers, "length": math.prod(shape) * struct.calcsize(code)}
    else:
        raw = struct.pack(f"<{len(numbers)}{code}", *numbers)
        if location is None:
            return out + text(9, raw)
        path = folder / location
        offset = path.stat().st_size if path.exists() else 0
        with path.open("ab") as file:
            file.write(raw)
        entries = {"location": location, "offset": offset, **({"length": len(raw)} if with_length else {})}
    for key, value in entries.items():
        out += text(13, text(1, key) + text(2, str(value)))
    return out + number(14, 1)


def attribute(name, value, folder):
    out = text(1, name)
    if isinstance(value, dict) and "reference" in value:
        return out + text(21, value["reference"]) + number(20, value["type"])
    if isinstance(value, dict) and "tensor" in value:
        return out + text(5, tensor("", *value["tensor"], folder=folder)) + number(20, 4)
    if isinstance(value, dict) and "packed" in value:
        floats = any(isinstance(each, float) for each in value["packed"])
        body = b"".join(struct.pack("<f", each) if floats else varint(each)
                        for each in value["packed"])
        return out + text(7 if floats else 8, body) + number(20, 6 if floats else 7)
    if isinstance(value, dict):
        return out + text(6, graph(value, folder)) + number(20, 5)
    if isinstance(value, float):
        return out + varint(2 << 3 | 5) + struct.pack("<f", value) + number(20, 1)
    if isinstance(value, int):
        return out + number(3, value) + number(20, 2)
    if isinstance(value, str):
        return out + text(4, value) + number(20, 3)
    if any(isinstance(each, float) for each in value):
        return out + b"".join(varint(7 << 3 | 5) + struct.pack("<f", each)
                              for each in value) + number(20, 6)
    return out + b"".join(number(8, each) for each in value) + number(20, 7)


def node(op, inputs, outputs, attributes=None, folder=None):
    attributes = dict(attributes or {})
    domain, op = op if isinstance(op, tuple) else op.rpartition(":")[::2]
    out = b"".join(text(1, each) for each in inputs) + b"".join(text(2, each) for each in outputs)
    if "name" in attributes:
        out += text(3, attributes.pop("name"))
    if "overload" in attributes:
        out += text(8, attributes.pop("overload"))
    out += text(4, op)
    out += b"".join(text(5, attribute(name, value, folder)) for name, value in attributes.items())
    return out + (text(7, domain) if domain else b"")


def type_bytes(name, shape=None):
    """For a sequence or an optional, `shape` is the type that it holds."""
    if name in ("sequence", "optional"):
        return text(4 if name == "sequence" else 9, text(1, type_bytes(*shape)))
    if shape is None:
        return text(1, number(1, TYPES[name][0]))
    dimensions = b"".join(text(1, text(2, each) if isinstance(each, str) else number(1, each))
                          for each in shape)
    return text(1, number(1, TYPES[name][0]) + text(2, dimensions))


def value_info(name, type_name, shape=None):
    return text(1, name) + text(2, type_bytes(type_name, shape))


def graph(description, folder=None):
    out = b"".join(text(1, node(*each, folder=folder)) for each in description["nodes"])
    out += text(2, description.get("name", "graph"))
    for name, parts in description.get("initializers", {}).items():
        out += text(5, tensor(name, *parts, folder=folder))
    for field, key in ((11, "inputs"), (12, "outputs"), (13, "values")):
        for name, parts in description.get(key, {}).items():
            out += text(field, value_info(name, *parts))
    return out


def function(description, opset):
    out = text(1, description["name"])
    out += b"".join(text(4, each) for each in description["inputs"])
    out += b"".join(text(5, each) for each in description["outputs"])
    out += b"".join(text(7, node(*each)) for each in description["nodes"])
    out += b"".join(text(6, each) for each in description.get("attributes", []))
    out += b"".join(text(11, attribute(name, value, None))
                    for name, value in description.get("defaults", {}).items())
    if "overload" in description:
        out += text(13, description["overload"])
    opset = description.get("opset", opset)
    return out + text(9, text(1, "") + number(2, opset)) + text(10, description["domain"])


def model_bytes(description, folder=None):
    """`folder`: folder for external data."""
    opset = description["opset"]
    functions = description.get("functions", [])
    domains = {"": opset, **{each["domain"]: 1 for each in functions},
               **description.get("domains", {})}
    out = number(1, description.get("ir_version", 8)) + text(7, graph(description, folder))
    for domain, version in domains.items():
        out += text(8, text(1, domain) + number(2, version))
    return out + b"".join(text(25, function(each, opset)) for each in functions)


def main():
    source, target = map(pathlib.Path, sys.argv[1:3])
    target.write_bytes(model_bytes(json.loads(source.read_text()), target.resolve().parent))


if __name__ == "__main__":
    main()
