"""Builds MXNet models for tests node by node: symbol.json and .params as MXNet writes them, without
the package mxnet.
"""
# SPDX-License-Identifier: Apache-2.0

import json
import struct

NP_SHAPE = {"is_np_shape": ["int", 2]}


class Symbol:
    """A symbol's nodes in order. The result of `node` stands for its first output; (result, 1) for
    the second."""

    def __init__(self, version=20000):
        self.nodes, self.outputs, self.shapes, self.written = [], [], {}, set()
        self.version = version

    def variable(self, name, shape=None, written=False):
        """Adds a variable; with a shape it is a parameter. `written`: a state that its node
        changes."""
        if shape is not None:
            self.shapes[name] = shape
        if written:
            self.written.add(len(self.nodes))
        self.nodes.append({"op": "null", "name": name, "inputs": []})
        self.outputs.append(1)
        return len(self.nodes) - 1

    def node(self, op, name, inputs, attributes=None, outputs=1):
        made = {"op": op, "name": name}
        if attributes:
            made["attrs"] = dict(sorted(attributes.items()))
        made["inputs"] = [self.entry(each) for each in inputs]
        self.nodes.append(made)
        self.outputs.append(outputs)
        return len(self.nodes) - 1

    def entry(self, each):
        return [*(each if isinstance(each, tuple) else (each, 0)), int(each in self.written)]

    def text(self, heads):
        row, rows = 0, [0]
        for count in self.outputs:
            row += count
            rows.append(row)
        variables = [at for at, node in enumerate(self.nodes) if node["op"] == "null"]
        stamp = {**(NP_SHAPE if self.version >= 20000 else {}), "mxnet_version": ["int", self.version]}
        return json.dumps({"nodes": self.nodes, "arg_nodes": variables, "node_row_ptr": rows,
                           "heads": [self.entry(each) for each in heads], "attrs": stamp}, indent=2)

    def params(self, numbers=lambda shape: struct.pack("<f", 0.5)):
        """Returns all float32 parameters as a list of arrays in the format of their version.
        `numbers` returns the bytes for a shape; they are repeated to fill it."""
        magic = 0xF993FACA if self.version >= 20000 else 0xF993FAC9
        states = {self.nodes[at]["name"] for at in self.written}
        out = bytearray()
        out += struct.pack("<QQQ", 0x112, 0, len(self.shapes))
        for shape in self.shapes.values():
            count = 1
            for each in shape:
                count *= each
            out += struct.pack(f"<Iii{len(shape)}q", magic, 0, len(shape), *shape)
            data = numbers(shape)
            out += struct.pack("<iii", 1, 0, 0) + data * (count * 4 // len(data))
        out += struct.pack("<Q", len(self.shapes))
        for name in self.shapes:
            bare = (b"aux:" if name in states else b"arg:") + name.encode()
            out += struct.pack("<Q", len(bare)) + bare
        return out

    def save(self, prefix, heads, **how):
        """Writes PREFIX-symbol.json and PREFIX-0000.params."""
        paths = [prefix.parent / (prefix.name + end) for end in ("-symbol.json", "-0000.params")]
        paths[0].write_text(self.text(heads), encoding="utf-8")
        paths[1].write_bytes(self.params(**how))
        return paths
