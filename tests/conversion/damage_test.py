#!/usr/bin/env python3
"""Damaged models are refused, and written models are valid: converts models of onnx's node tests
and of the test data, unchanged and damaged in ten ways, with the lists and with every operator
forced to 16 bits. Exit status 0 requires that onnx's checker accepts the output.

    tests/conversion/damage_test.py --bin build/bin [--step N] [--every N] [--table]

--step: each Nth model (default 29); --every: each Nth of those (default 1). For models that the
checker rejects undamaged, the only requirement is that no invalid output remains.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import collections
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import peers

try:
    import onnx
    import onnx.checker
except ImportError:
    onnx = None

SKIPPED = 77
NEWEST = 27  # opset of registry/operators/onnx.json
FLOAT, INT64, STRING = 1, 7, 8


def graphs(graph):
    """Yields the graph and all graphs inside its nodes."""
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            for inner in ([attribute.g] if attribute.HasField("g") else attribute.graphs):
                yield from graphs(inner)


def nodes(model):
    return [node for graph in graphs(model.graph) for node in graph.node]


def retype_value(model, chance):
    declared = [v for g in graphs(model.graph) for v in (*g.input, *g.output, *g.value_info)
                if v.type.HasField("tensor_type")]
    if not declared:
        return False
    type_ = chance.choice(declared).type.tensor_type
    type_.elem_type = INT64 if type_.elem_type != INT64 else FLOAT
    return True


def drop_node(model, chance):
    if not model.graph.node:
        return False
    del model.graph.node[chance.randrange(len(model.graph.node))]
    return True


def duplicate_output(model, chance):
    if not model.graph.node:
        return False
    model.graph.node.append(chance.choice(model.graph.node))
    return True


def permute_nodes(model, _):
    reversed_ = list(model.graph.node)[::-1]
    del model.graph.node[:]
    model.graph.node.extend(reversed_)
    return len(reversed_) > 1


def cut_list(model, chance):
    """Removes the values of a list attribute, or the last input of a node."""
    lists = [(a, f) for n in nodes(model) for a in n.attribute for f in ("ints", "floats", "strings")
             if getattr(a, f)]
    if lists and chance.random() < 0.5:
        attribute, field = chance.choice(lists)
        attribute.ClearField(field)
        return True
    inputs = [n for n in nodes(model) if n.input]
    if not inputs:
        return False
    chance.choice(inputs).input.pop()
    return True


def wrong_element(model, chance):
    """Declares another element type for a sequence or an optional."""
    declared = [v.type for g in graphs(model.graph) for v in (*g.input, *g.output, *g.value_info)]
    found = [t.sequence_type.elem_type if t.HasField("sequence_type") else t.optional_type.elem_type
             for t in declared if t.HasField("sequence_type") or t.HasField("optional_type")]
    found = [t.sequence_type.elem_type if t.HasField("sequence_type") else t for t in found]
    found = [t for t in found if t.HasField("tensor_type")]
    if not found:
        return False
    type_ = chance.choice(found).tensor_type
    type_.elem_type = INT64 if type_.elem_type != INT64 else FLOAT
    return True


def missing_output(model, chance):
    if not model.graph.output:
        return False
    chance.choice(model.graph.output).name = "nobody_makes_this"
    return True


def unknown_input(model, chance):
    found = [n for n in nodes(model) if n.input]
    if not found:
        return False
    node = chance.choice(found)
    node.input[chance.randrange(len(node.input))] = "nobody_makes_this"
    return True


def cycle(model, chance):
    found = [n for n in nodes(model) if n.input and n.output]
    if not found:
        return False
    node = chance.choice(found)
    node.input[0] = node.output[0]
    return True


def wrong_attribute(model, chance):
    """Gives an attribute another type than its operator declares."""
    found = [a for n in nodes(model) for a in n.attribute]
    if not found:
        return False
    attribute = chance.choice(found)
    name = attribute.name
    other = onnx.helper.make_attribute(name, "text" if attribute.type != 3 else 5)
    attribute.CopyFrom(other)
    return True


DAMAGES = (retype_value, drop_node, duplicate_output, permute_nodes, cut_list, wrong_element,
           missing_output, unknown_input, cycle, wrong_attribute)


def why_invalid(path):
    """Returns the checker's error; empty if it accepts the model."""
    try:
        onnx.checker.check_model(str(path), full_check=True)
    except Exception as error:  # noqa: BLE001: of several kinds
        return str(error).strip() or type(error).__name__
    return None


def only_shapes(wrong):
    """Returns whether the error is about shapes or an operator's own rules: conversion keeps those
    as in the input. Output types of training operators are known only to onnx."""
    training = re.search(r"op_type:(Momentum|Adagrad|Adam|Gradient)\b", wrong)
    return "Inference error" in wrong and (training or not re.search("elem type|bit-width", wrong))


class Trial:
    def __init__(self, binary, folder):
        self.binary, self.folder = binary, folder
        self.counts, self.failures = collections.Counter(), []

    def convert(self, path, options):
        out = self.folder / "out.onnx"
        out.unlink(missing_ok=True)
        done = subprocess.run([self.binary, "convert", str(path), "-o", str(out), *options],
                              capture_output=True, text=True)
        return done, out

    def hold(self, what, damage, path, valid, options):
        done, out = self.convert(path, options)
        if done.returncode not in (0, 2):
            return self.fail(what, damage, f"exit {done.returncode}: {done.stderr[-300:]}")
        if "internal error" in done.stderr:
            self.fail(what, damage, done.stderr.strip()[:400])
        if done.returncode == 2:
            self.counts[damage, "refused, valid" if valid else "refused"] += 1
            if valid and damage == "none":
                self.fail(what, damage, "a valid model was refused: " + done.stderr[:300])
            return None
        wrong = why_invalid(out)
        if wrong is not None and not valid and only_shapes(wrong):
            self.counts[damage, "written, with the input's wrong shapes"] += 1
            return None
        self.counts[damage, "written" if wrong is None else "INVALID"] += 1
        if wrong is not None:
            self.fail(what, damage, " ".join(options)[:40] + " wrote an invalid model: " + wrong[:300])
        return None

    def fail(self, what, damage, message):
        self.failures.append(f"{what}, {damage}: {message}")


def operators(model):
    return sorted({f"{n.domain}.{n.op_type}" if n.domain not in ("", "ai.onnx") else n.op_type
                   for n in (*nodes(model), *(n for f in model.functions for n in f.node))})


def trial(held, what, damage, model, number):
    path = held.folder / "model.onnx"
    path.write_bytes(model.SerializeToString())
    valid = why_invalid(path) is None
    if damage == "none" and not valid:
        return
    dtype = ("float16", "bfloat16")[number % 2]
    common = ["--target-dtype", dtype, "--unlisted", "ignore"]
    held.hold(what, damage, path, valid, common)
    held.hold(what, damage, path, valid, [*common, "--target-ops", ",".join(operators(model))])


def models(step):
    """Returns (name, model) of onnx's node tests, then of the test data."""
    import onnx.backend.test.case.node as node_tests
    found = [(case.name, case.model) for case in node_tests.collect_testcases(None) if case.model]
    data = pathlib.Path(onnx.__file__).parent / "backend/test/data/simple"
    found += [(p.parent.name, onnx.load(p)) for p in sorted(data.glob("*/model.onnx"))]
    # Opsets newer than the shipped operators' are not tested.
    known = [(n, m) for n, m in found if all(o.version <= NEWEST for o in m.opset_import if not o.domain)]
    return known[::step]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--step", type=int, default=29, help="only every Nth model; all of them take an hour")
    parser.add_argument("--every", type=int, default=1, help="only every Nth of those")
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    if onnx is None:
        peers.go_on_with(arguments.bin, "onnx")
        print("skipped: onnx is not installed")
        return SKIPPED
    found = models(arguments.step * arguments.every)
    with tempfile.TemporaryDirectory() as folder:
        held = Trial(os.fspath(arguments.bin.resolve() / "opledger"), pathlib.Path(folder))
        for number, (name, model) in enumerate(found):
            chance = random.Random(number)
            trial(held, name, "none", model, number)
            for damage in DAMAGES:
                damaged = onnx.ModelProto()
                damaged.CopyFrom(model)
                if damage(damaged, chance):
                    trial(held, name, damage.__name__, damaged, number)
    if arguments.table:
        for (damage, outcome), count in sorted(held.counts.items()):
            print(f"{damage:18} {outcome:40} {count}")
    print(f"{len(found)} models, {sum(held.counts.values())} conversions, "
          f"{len(held.failures)} failures")
    print("\n".join(held.failures[:2000]))
    return 1 if held.failures else 0


if __name__ == "__main__":
    sys.exit(main())
