#!/usr/bin/env python3
"""Tests features of MXNet models on networks built for it: loops and branches, a parameter needed
in both types, attributes of old files, 16-bit inputs and outputs, reports. MXNet 1.9.1 builds the
networks, and loads, types and runs the results.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import peers

os.environ["MXNET_SUBGRAPH_BACKEND"] = "NONE"
try:
    import numpy
    import mxnet
except ImportError:
    mxnet = None

TOLERANCE = 0.05  # for bfloat16, over a few layers


def layer(data, weight, name):
    return mxnet.sym.FullyConnected(data, weight, no_bias=True, num_hidden=4, name=name)


def networks():
    """Yields name -> (symbol, inputs, casts needed in float16)."""
    sym = mxnet.sym
    data, weight, state = sym.var("data"), sym.var("w"), sym.var("state")
    rows = numpy.linspace(-1, 1, 8, dtype=numpy.float32).reshape(2, 4)

    def step(each, carried):
        result = sym.exp(layer(each + carried, weight, "fc")) * 0.1
        return result, result

    outputs, states = sym.contrib.foreach(step, sym.var("seq"), state)
    yield "foreach", sym.Group([outputs, states]), {
        "seq": numpy.stack([rows, -rows, rows]), "state": rows}, 2

    def body(count, carried):
        result = sym.exp(layer(carried, weight, "fc")) * 0.1
        return [result], [count + 1, result]

    outputs, states = sym.contrib.while_loop(lambda count, _: count < 5, body,
                                             [sym.var("count"), data], max_iterations=4)
    yield "while_loop", sym.Group([*outputs, *states]), {
        "count": numpy.ones(1, numpy.float32), "data": rows}, 2

    # A loop value that only low nodes use stays in the low type.
    carried = sym.contrib.foreach(
        lambda each, state: (layer(each, weight, "a"), layer(state, weight, "b")),
        sym.var("seq"), state)
    yield "low_loop", sym.Group([carried[0], carried[1]]), {
        "seq": numpy.stack([rows, -rows]), "state": rows}, 4

    branch = sym.contrib.cond(sym.sum(data) > -1, lambda: sym.exp(layer(data, weight, "yes")) * 0.1,
                              lambda: layer(data * 2, weight, "no"))
    yield "cond", branch, {"data": rows}, 3

    yield "both", sym.Group([layer(data, weight, "fc"), sym.exp(weight)]), {"data": rows}, 2


# Before 1.0, attributes of variables were stored with their operators, under names without
# underscores. A cast must not separate weight_lr_mult from its variable.
OLD = {"nodes": [
    {"op": "null", "param": {}, "name": "data", "inputs": [], "backward_source_id": -1},
    {"op": "Activation", "param": {"act_type": "relu"}, "name": "positive", "inputs": [[0, 0]],
     "backward_source_id": -1},
    {"op": "null", "param": {}, "name": "fc_weight", "inputs": [], "backward_source_id": -1,
     "attr": {"__dtype__": "0", "ctx_group": "one"}},
    {"op": "FullyConnected", "param": {"no_bias": "True", "num_hidden": "4"}, "name": "fc",
     "inputs": [[1, 0], [2, 0]], "backward_source_id": -1,
     "attr": {"ctx_group": "one", "weight_lr_mult": "0.2"}},
    {"op": "exp", "param": {}, "name": "e", "inputs": [[3, 0]], "backward_source_id": -1}],
    "arg_nodes": [0, 2], "heads": [[4, 0]]}


class Features:
    def __init__(self, program, folder):
        self.program, self.folder, self.problems = program, folder, []
        weight = numpy.random.default_rng(3).standard_normal((4, 4)).astype(numpy.float32) / 3
        self.weight = mxnet.nd.array(weight)

    def expect(self, condition, *what):
        if not condition:
            self.problems.append(" ".join(map(str, what)))
        return condition

    def run(self, *arguments):
        done = subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True,
                              check=False)
        self.expect(done.returncode == 0, *arguments, done.stderr)
        return done.stdout

    def save(self, name, symbol, arrays):
        symbol.save(str(self.folder / f"{name}-symbol.json"))
        mxnet.nd.save(str(self.folder / f"{name}-0000.params"), arrays)

    def files(self, name):
        return self.folder / f"{name}-symbol.json", self.folder / f"{name}-0000.params"

    def load(self, name):
        symbol, params = self.files(name)
        arrays = {key.partition(":")[2]: value for key, value in mxnet.nd.load(str(params)).items()}
        return mxnet.sym.load(str(symbol)), arrays

    def types(self, name, low_inputs=None):
        """Returns the outputs' types as MXNet infers them from 16-bit or float32 inputs and the
        arrays' types."""
        symbol, arrays = self.load(name)
        given = {key: arrays[key].dtype if key in arrays else low_inputs or numpy.float32
                 for key in symbol.list_arguments()}
        given = {key: dtype for key, dtype in given.items() if numpy.dtype(dtype).names is None}
        return [numpy.dtype(each).name for each in symbol.infer_type(**given)[1]]

    def outputs(self, name, inputs):
        symbol, arrays = self.load(name)
        given = arrays | {key: mxnet.nd.array(value) for key, value in inputs.items()}
        executor = symbol.bind(mxnet.cpu(), {key: given[key] for key in symbol.list_arguments()},
                               grad_req="null")
        return [output.astype("float32").asnumpy() for output in executor.forward()]

    def casts(self, name):
        return self.files(name)[0].read_text(encoding="utf-8").count('"op": "amp_cast"')

    def check_network(self, name, symbol, inputs, casts):
        self.save(name, symbol, {"arg:w": self.weight})
        files = self.files(name)
        for dtype in ("float16", "bfloat16"):
            low = f"{name}_{dtype}"
            self.run(files[0], "--params", files[1], "-o", self.folder / low, "--target-dtype", dtype,
                     "--sidecar", self.folder / "sidecar")
            made = self.files(low)
            self.expect("amp_multicast" not in made[0].read_text(encoding="utf-8"), low)
            self.expect(dtype != "float16" or self.casts(low) == casts, low, "has",
                        self.casts(low), "casts")
            self.expect(set(self.types(low)) == {"float32"}, low, self.types(low))
            self.run(made[0], "--params", made[1], "-o", self.folder / "twice", "--target-dtype",
                     dtype)
            self.run(files[0], "--params", files[1], "-o", self.folder / "kept", "--exclude", ".*",
                     "--target-dtype", dtype)
            self.run("--revert", made[0], "-o", self.folder / "back", "--sidecar",
                     self.folder / "sidecar")
            for one, other in (("twice", made), ("kept", files), ("back", files)):
                same = [a.read_bytes() == b.read_bytes() for a, b in zip(self.files(one), other)]
                self.expect(all(same), low, one, same)
            self.run("--revert", made[0], "--params", made[1], "-o", self.folder / "graph")
            self.expect(self.files("graph")[0].read_bytes() == files[0].read_bytes(), low, "graph")
            self.check_report(low, files, dtype)
            if dtype == "bfloat16":
                self.check_bfloat16(name, low, inputs)
        self.run(files[0], "--params", files[1], "-o", self.folder / "stored", "--storage-only")
        weight = mxnet.nd.load(str(self.files("stored")[1]))["arg:w"]
        self.expect(weight.dtype == numpy.float16, name, weight.dtype)
        self.check_outputs(name + " stored", self.outputs(name, inputs),
                           self.outputs("stored", inputs), 0.005)

    def check_bfloat16(self, name, low, inputs):
        exact = self.outputs(name, inputs)
        try:
            rounded = self.outputs(low, inputs)
        except mxnet.base.MXNetError as error:
            if not peers.mxnet_lacks_bfloat16("bfloat16", error):
                raise
            print(f"{low}: MXNet cannot run bfloat16 on this processor")
            return
        self.check_outputs(low, exact, rounded)

    def check_outputs(self, name, exact, low, tolerance=TOLERANCE):
        for one, other in zip(exact, low):
            error = numpy.abs(one - other).max() / numpy.abs(one).max()
            self.expect(one.shape == other.shape and error <= tolerance, name, "deviates by", error)
        self.expect(any((one != other).any() for one, other in zip(exact, low)), name,
                    "is not rounded")

    def check_report(self, low, files, dtype):
        report, page = self.folder / "report.json", self.folder / "report.html"
        said = self.run(files[0], "--params", files[1], "-o", self.folder / low, "--target-dtype",
                        dtype, "--report", report, "--report", page, "--explain",
                        self.first_layer(files[0]))
        self.expect(dtype in said.splitlines()[1] and "rule: list" in said, low, said)
        told = json.loads(report.read_text(encoding="utf-8"))
        self.expect(len(told["casts"]) == told["totals"]["casts"] == self.casts(low), low, told)
        self.expect(all(each["rule"]["kind"] and each["rule"]["reason"] for each in told["nodes"]), low)
        weight = {each["tensor"]: each for each in told["parameters"]}["w"]
        numbers = self.weight.asnumpy()
        if dtype == "float16":
            rounded = numbers.astype(numpy.float16).astype(numpy.float32)
            worst = (numpy.abs(rounded.astype(float) - numbers) / numpy.abs(numbers)).max()
            self.expect(abs(weight["rounding"]["largest_relative_error"] - worst) < 1e-9, low, weight)
        self.expect(weight["rounding"]["numbers"] == numbers.size and
                    weight["rounding"]["overflowing"] == 0, low, weight)
        text = page.read_text(encoding="utf-8")
        self.expect(text.count("<svg") >= 1 and all(each["name"] in text for each in told["nodes"]),
                    low, "its page lacks nodes")

    @staticmethod
    def first_layer(symbol):
        def find(graph):
            for node in graph["nodes"]:
                if node["op"] == "FullyConnected":
                    return node["name"]
                for inner in node.get("subgraphs", []):
                    if name := find(inner):
                        return name
            return None
        return find(json.loads(symbol.read_text(encoding="utf-8")))

    def check_copies(self):
        """A parameter in both types: its copies must not reuse the name of a variable or an
        array."""
        sym, data = mxnet.sym, mxnet.sym.var("data")
        weight, other = sym.var("w"), sym.var("w__float16_1")
        network = sym.Group([layer(data, weight, "fc"), sym.exp(weight), sym.exp(other)])
        arrays = {"arg:w": self.weight, "arg:w__float16": self.weight * 2,
                  "arg:w__float16_1": self.weight * 3}
        self.save("clash", network, arrays)
        files = self.files("clash")
        self.run(files[0], "--params", files[1], "-o", self.folder / "clash_low")
        made = mxnet.nd.load(str(self.files("clash_low")[1]))
        self.expect(list(made) == [*arrays, "arg:w__float16_2"], list(made))
        copy = made["arg:w__float16_2"]
        self.expect(copy.dtype == numpy.float16 and
                    (copy.asnumpy() == self.weight.asnumpy().astype(numpy.float16)).all(), copy)
        for name, array in arrays.items():
            self.expect((made[name].asnumpy() == array.asnumpy()).all(), name, "has changed")
        self.expect(self.types("clash_low") == ["float32"] * 3, self.types("clash_low"))
        low = self.files("clash_low")
        self.run("--revert", low[0], "--params", low[1], "-o", self.folder / "clash_back")
        self.expect(self.files("clash_back")[0].read_bytes() == files[0].read_bytes(), "clash")
        self.expect(list(mxnet.nd.load(str(self.files("clash_back")[1]))) == list(arrays), "arrays")

    def check_low_io(self):
        """16-bit inputs and outputs, except those that hold positions."""
        sym = mxnet.sym
        rows = sym.Embedding(sym.var("data0"), sym.var("table"), input_dim=3000, output_dim=4,
                             name="rows")
        network = layer(rows + sym.var("data1"), sym.var("w"), "fc")
        self.save("io", network, {"arg:w": self.weight, "arg:table": mxnet.nd.ones((3000, 4))})
        files = self.files("io")
        self.run(files[0], "--params", files[1], "-o", self.folder / "io_low", "--io-types", "low")
        symbol, arrays = self.load("io_low")
        types = {key: value.dtype for key, value in arrays.items()}
        given = types | {"data0": numpy.float32, "data1": numpy.float16}
        found = symbol.infer_type(**{key: given[key] for key in symbol.list_arguments()})[1]
        self.expect([numpy.dtype(each).name for each in found] == ["float16"], "low io", found)
        declared = symbol.attr_dict()
        self.expect(declared["data1"]["__dtype__"] == "2" and "data0" not in declared, declared)
        low = self.files("io_low")
        self.run(low[0], "--params", low[1], "-o", self.folder / "io_wide", "--target-dtype",
                 "float32", "--io-types", "low")
        self.expect(self.types("io_wide") == ["float32"], self.types("io_wide"))
        self.run(low[0], "--params", low[1], "-o", self.folder / "io_kept", "--target-dtype", "float32")
        self.expect(self.types("io_kept", numpy.float16) == ["float16"], "kept io")

    def check_old(self):
        """weight_lr_mult of an operator must find its variable: a parameter may be low, but no cast
        may precede it."""
        symbol, params = self.files("old")
        symbol.write_text(json.dumps(OLD), encoding="utf-8")
        mxnet.nd.save(str(params), {"arg:fc_weight": self.weight})
        self.run(symbol, "--params", params, "-o", self.folder / "old_low")
        loaded, arrays = self.load("old_low")
        self.expect(arrays["fc_weight"].dtype == numpy.float16, "old weight")
        attributes = loaded.attr_dict()["fc_weight"]
        self.expect(attributes["__dtype__"] == "2" and attributes["__lr_mult__"] == "0.2" and
                    attributes["__ctx_group__"] == "one", attributes)
        self.expect(self.types("old_low") == ["float32"], self.types("old_low"))
        said = self.run(symbol, "--params", params, "-o", self.folder / "old_run",
                        "--cast-params-at-run-time", "--explain", "fc")
        self.expect("requires a variable there" in said and self.casts("old_run") == 0, said)
        for each in ("old_run", "old_low"):
            self.expect(self.types(each) == ["float32"], each)
        self.run(symbol, "--params", params, "-o", self.folder / "old_stored", "--storage-only")
        self.expect(self.files("old_stored")[0].read_bytes() == symbol.read_bytes(), "old stored")
        made = self.files("old_low")
        self.run("--revert", made[0], "--params", made[1], "-o", self.folder / "old_back")
        back = json.loads(self.files("old_back")[0].read_text(encoding="utf-8"))
        # Without a shape beside it, the type is taken as written by a conversion.
        back["nodes"][2]["attr"].setdefault("__dtype__", "0")
        self.expect(back == OLD, "old back", back)

    def check_declared(self):
        """A type that a variable declares is kept: float64 stays."""
        sym = mxnet.sym
        network = layer(sym.Cast(sym.var("data", dtype="float64"), dtype="float32"), sym.var("w"), "fc")
        self.save("declared", network, {"arg:w": self.weight})
        files = self.files("declared")
        self.run(files[0], "--params", files[1], "-o", self.folder / "declared_low")
        symbol, _ = self.load("declared_low")
        self.expect(symbol.attr_dict()["data"]["__dtype__"] == "1", symbol.attr_dict())
        types = symbol.infer_type(w=numpy.float16)
        self.expect(types[0][0] == numpy.float64 and types[1] == [numpy.float32], types)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--every", type=int, default=1, help="only each Nth network")
    options = parser.parse_args()
    if mxnet is None:
        peers.require(options.bin, "mxnet")
    with tempfile.TemporaryDirectory(prefix="opledger-features-") as name:
        features = Features(options.bin.resolve() / "opledger-convert", pathlib.Path(name))
        for network in list(networks())[::options.every]:
            features.check_network(*network)
        features.check_copies()
        features.check_low_io()
        features.check_old()
        features.check_declared()
    print("\n".join(features.problems[:40]), end="\n" if features.problems else "")
    return 1 if features.problems else 0


if __name__ == "__main__":
    sys.exit(main())
