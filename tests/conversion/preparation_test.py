#!/usr/bin/env python3
"""Tests --cse on the test data's ONNX models, and --inline-functions on models built for it.
With every node excluded, changed models are valid for onnx's checker, and ONNX Runtime computes the
same bits; a second run changes nothing; a sidecar restores the original. Inlined models have the
nodes that onnx's inliner produces.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import collections
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from model_data import ONNX as DATA, onnx_models
from model_verdicts import is_refused
import peers
from make_onnx import model_bytes

OPTIONS = ("--cse", "--inline-functions")

try:
    import numpy
    import onnx
    import onnx.inliner
    import onnx.numpy_helper
    import onnxruntime
except ImportError:
    onnx = None

F = "float32"
TWICE = {"name": "Twice", "domain": "own", "inputs": ["a"], "outputs": ["b"],
         "nodes": [["Add", ["a", "a"], ["h"]], ["Relu", ["h"], ["b"]]]}
# Nested calls, name collisions, a graph in a function, an output that is only passed through.
MADE = {
    "nested": {"opset": 17, "inputs": {"x": [F, [2]]}, "outputs": {"y": [F, [2]], "h": [F, [2]]},
               "functions": [
                   TWICE,
                   {"name": "Four", "domain": "own", "inputs": ["a"], "outputs": ["b"],
                    "nodes": [["own:Twice", ["a"], ["h"]], ["own:Twice", ["h"], ["b"]]]}],
               "nodes": [["own:Four", ["x"], ["h"]], ["own:Four", ["h"], ["y"]]]},
    "branch": {"opset": 17, "inputs": {"x": [F, [2]], "c": ["bool", []]}, "outputs": {"y": [F, [2]]},
               "functions": [
                   TWICE,
                   {"name": "Choose", "domain": "own", "inputs": ["c", "a"], "outputs": ["b"],
                    "nodes": [["Neg", ["a"], ["h"]],
                              ["If", ["c"], ["b"], {
                                  "then_branch": {"outputs": {"t": [F, [2]]},
                                                  "nodes": [["own:Twice", ["h"], ["t"]]]},
                                  "else_branch": {"outputs": {"h2": [F, [2]]},
                                                  "nodes": [["Exp", ["a"], ["h2"]]]}}]]}],
               "nodes": [["own:Choose", ["c", "x"], ["h"], {"name": "one"}],
                         ["own:Choose", ["c", "h"], ["y"], {"name": "one"}]]},
    "passed": {"opset": 17, "inputs": {"x": [F, [2]]}, "outputs": {"y": [F, [2]], "z": [F, [2]]},
               "functions": [{"name": "Both", "domain": "own", "inputs": ["a", "e"],
                              "outputs": ["a", "b"], "nodes": [["Clip", ["a", "", "e"], ["b"]]]}],
               "nodes": [["own:Both", ["x"], ["y", "z"]]]},
    "attributes": {"opset": 17, "ir_version": 9, "inputs": {"x": [F, [2, 3]]},
                   "outputs": {"y": [F, [2, 3]], "z": [F, [2, 3]]},
                   "functions": [
                       {"name": "Leak", "domain": "own", "inputs": ["a"], "outputs": ["b"],
                        "attributes": ["axis"], "defaults": {"alpha": 0.5},
                        "nodes": [["LeakyRelu", ["a"], ["h"],
                                   {"alpha": {"reference": "alpha", "type": 1}}],
                                  ["Softmax", ["h"], ["b"],
                                   {"axis": {"reference": "axis", "type": 2}}]]},
                       {"name": "Outer", "domain": "own", "inputs": ["a"], "outputs": ["b"],
                        "attributes": ["slope"],
                        "nodes": [["own:Leak", ["a"], ["b"],
                                   {"alpha": {"reference": "slope", "type": 1}, "axis": 0}]]}],
                   "nodes": [["Sub", ["x", "x"], ["n"]], ["Cos", ["n"], ["o"]], ["Neg", ["o"], ["p"]],
                             ["Add", ["x", "p"], ["q"]], ["own:Leak", ["q"], ["y"]],
                             ["own:Outer", ["q"], ["z"], {"slope": 0.25}]]},
    "within": {"opset": 17, "inputs": {"x": [F, [2]], "c": ["bool", []]}, "outputs": {"y": [F, [2]]},
               "functions": [TWICE],
               "nodes": [["Exp", ["x"], ["e"]],
                         ["If", ["c"], ["y"], {
                             "then_branch": {"outputs": {"t": [F, [2]]},
                                             "nodes": [["Exp", ["x"], ["s"]], ["Add", ["s", "e"], ["u"]],
                                                       ["own:Twice", ["u"], ["t"]]]},
                             "else_branch": {"outputs": {"o": [F, [2]]},
                                             "nodes": [["Exp", ["x"], ["o"]]]}}]]},
    "casts": {"opset": 17, "inputs": {"x": [F, [2]]}, "outputs": {"y": [F, [2]], "z": [F, [2]]},
              "nodes": [["Cast", ["x"], ["d"], {"to": 11}], ["Cast", ["d"], ["s"], {"to": 1}],
                        ["Cast", ["x"], ["h"], {"to": 10}], ["Cast", ["h"], ["r"], {"to": 1}],
                        ["Cast", ["s"], ["q"], {"to": 1}],
                        ["Neg", ["q"], ["n"]], ["Neg", ["s"], ["m"]],
                        ["Mul", ["n", "m"], ["y"]], ["Mul", ["r", "m"], ["z"]]]},
    "random": {"opset": 17, "inputs": {"x": [F, [2]]}, "outputs": {"y": [F, [2]]},
               "nodes": [["RandomNormalLike", ["x"], ["a"]], ["RandomNormalLike", ["x"], ["b"]],
                         ["Sub", ["a", "b"], ["d"]], ["Sign", ["d"], ["s"]],
                         ["Abs", ["s"], ["y"]]]},
}


def run(path, feeds):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return session.run(None, feeds)


def feeds_of(model, path):
    """Returns the inputs beside the model, and generated ones for the rest; None if an input is not
    a tensor."""
    initializers = {each.name for each in model.graph.initializer}
    feeds = {}
    names = [each.name for each in model.graph.input]
    files = sorted((path.parent / "test_data_set_0").glob("input_*.pb"))
    for file in files:
        tensor = onnx.TensorProto()
        try:
            tensor.ParseFromString(file.read_bytes())
            feeds[tensor.name or names[len(feeds)]] = onnx.numpy_helper.to_array(tensor)
        except Exception:  # a sequence
            return None
    generator = numpy.random.default_rng(1)
    for each in model.graph.input:
        if each.name in feeds or each.name in initializers:
            continue
        tensor = each.type.tensor_type
        shape = [dim.dim_value or 2 for dim in tensor.shape.dim]
        try:
            dtype = onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type)
            feeds[each.name] = (generator.random(shape) * 2).astype(dtype)
        except (KeyError, TypeError, ValueError):
            return None
    return feeds


def same_bits(ours, theirs):
    if isinstance(ours, list):
        return len(ours) == len(theirs) and all(map(same_bits, ours, theirs))
    if not isinstance(ours, numpy.ndarray):
        return ours == theirs
    return ours.dtype == theirs.dtype and ours.shape == theirs.shape and (
        ours.tobytes() == theirs.tobytes() or ours.dtype == object and (ours == theirs).all())


def accepted(path):
    try:
        onnx.checker.check_model(str(path))
        return True
    except Exception:
        return False


def operators(graph):
    found = collections.Counter(node.op_type for node in graph.node)
    for node in graph.node:
        for attribute in node.attribute:
            for inner in [attribute.g, *attribute.graphs]:
                found += operators(inner)
    return found


def has_repeated_node(path):
    """Returns whether two nodes of the graph are identical except for names. Random nodes and those
    that compute an output of the graph, whose name is fixed, do not count."""
    graph = onnx.load(path, load_external_data=False).graph
    outputs, seen = {each.name for each in graph.output}, set()
    for node in graph.node:
        if node.op_type.startswith(("Random", "Multinomial", "Bernoulli", "Dropout")) or outputs & set(node.output):
            continue
        same = onnx.NodeProto()
        same.CopyFrom(node)
        for field in ("name", "doc_string", "output", "metadata_props"):
            same.ClearField(field)
        key = (same.SerializeToString(deterministic=True), len(node.output))
        if key in seen:
            return True
        seen.add(key)
    return False


class Preparations:
    def __init__(self, programs, folder):
        self.program, self.folder = programs / "opledger-convert", folder
        self.problems = []
        self.changed = collections.Counter()
        self.run = collections.Counter()

    def convert(self, model, name, *arguments):
        out = self.folder / name
        done = subprocess.run([self.program, model, "-o", out, "--unlisted", "ignore", *arguments],
                              capture_output=True, text=True, check=False)
        return (out, None) if done.returncode == 0 else (None, done.stderr)

    def revert(self, model, name, sidecar):
        out = self.folder / name
        subprocess.run([self.program, "--revert", model, "-o", out, "--sidecar", sidecar],
                       check=False, capture_output=True)
        return out

    def check(self, path, name, option):
        def expect(condition, *what):
            if not condition:
                self.problems.append(" ".join(map(str, (name, option, *what))))

        out, said = self.convert(path, path.name + ".once", option, "--exclude", ".*")
        if out is None:
            without, _ = self.convert(path, path.name + ".none", "--exclude", ".*")
            expect(without is None and is_refused(path), "is refused:", said)
            return
        if option == "--cse":
            repeated = has_repeated_node(path)
            self.run["with a repeated node"] += repeated
            expect(not repeated or out.read_bytes() != path.read_bytes(), "has a repeated node but does not change")
        if out.read_bytes() == path.read_bytes():
            return
        self.changed[option] += 1
        expect(not accepted(path) or accepted(out), "is not valid for onnx's checker")
        twice, said = self.convert(out, path.name + ".twice", option, "--exclude", ".*")
        expect(twice and twice.read_bytes() == out.read_bytes(), "changes again", said)
        original = onnx.load(path, load_external_data=False)
        if option == "--inline-functions":
            ours = onnx.load(out, load_external_data=False)
            expect(not ours.functions, "has functions left")
            theirs = onnx.inliner.inline_local_functions(original)
            # for values that are only passed through
            copies = collections.Counter({"Identity": 1 << 30})
            expect(operators(ours.graph) - copies == operators(theirs.graph) - copies,
                   "has other nodes than onnx's inliner gives:", operators(ours.graph),
                   operators(theirs.graph))
        self.same(path, out, original, expect)
        low, said = self.convert(path, path.name + ".low", option, "--sidecar",
                                 self.folder / "sidecar")
        if low is None:
            expect(self.convert(path, "none", )[0] is None, "is not converted:", said)
            return
        expect(not accepted(path) or accepted(low), "is not valid for onnx's checker after conversion")
        back = self.revert(low, path.name + ".back", self.folder / "sidecar")
        expect(back.exists() and back.read_bytes() == path.read_bytes(), "is not restored")

    def same(self, path, out, original, expect):
        feeds = feeds_of(original, path)
        if feeds is None:
            return
        if path.parent != out.parent:
            for tensor in original.graph.initializer:
                for entry in tensor.external_data:
                    target = out.parent / entry.value
                    if entry.key == "location" and not target.exists():
                        target.write_bytes((path.parent / entry.value).read_bytes())
        try:
            expected = run(path, feeds)
        except Exception:  # it cannot run here
            return
        self.run["run"] += 1
        try:
            expect(all(map(same_bits, run(out, feeds), expected)), "computes other bits")
        except Exception as error:
            expect(False, "does not run:", error)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--every", type=int, default=1, help="only every Nth model")
    options = parser.parse_args()
    if onnx is None:
        peers.require(options.bin, "onnx", "onnxruntime")
    onnxruntime.set_default_logger_severity(4)
    with tempfile.TemporaryDirectory(prefix="opledger-preparation-") as name:
        folder = pathlib.Path(name)
        made = folder / "made"
        made.mkdir()
        preparations = Preparations(options.bin.resolve(), folder)
        for model, description in MADE.items():
            path = made / (model + ".onnx")
            path.write_bytes(model_bytes(description, made))
            for option in OPTIONS:
                preparations.check(path, model, option)
        if dict(preparations.changed) != {"--cse": 2, "--inline-functions": 5}:
            preparations.problems.append(f"of the generated models change {preparations.changed}")
        preparations.changed.clear()
        preparations.run.clear()
        if not DATA.is_dir():
            print("SKIPPED: missing: models of onnx; ci/test-data gets what is missing")
            print("\n".join(preparations.problems))
            return 1 if preparations.problems else 77
        for path in onnx_models()[::options.every]:
            preparations.check(path, str(path.relative_to(DATA)), "--cse")
        if not preparations.run["with a repeated node"]:
            preparations.problems.append("no model has a repeated node")
        print(dict(preparations.changed), dict(preparations.run))
    print("\n".join(preparations.problems[:50]), end="\n" if preparations.problems else "")
    return 1 if preparations.problems else 0


if __name__ == "__main__":
    sys.exit(main())
