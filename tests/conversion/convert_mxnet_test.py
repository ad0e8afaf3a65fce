#!/usr/bin/env python3
"""Converts every MXNet model of the test data. MXNet 1.9.1 loads the result and infers the same
types for inputs and outputs; a second conversion changes nothing; with every node excluded, the
bytes stay the same; and where MXNet has kernels, the outputs equal those in float32 within
rounding.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from model_data import MXNET as DATA, mxnet_symbols, params_of, require
import peers

# MXNet rounds intermediate sums, which the test does not model; the nets have a few layers of 8
# bits.
TOLERANCE = {"bfloat16": 0.05}

os.environ["MXNET_SUBGRAPH_BACKEND"] = "NONE"
try:
    import numpy
    import mxnet
except ImportError:
    mxnet = None


def split(params):
    arguments, states = {}, {}
    for name, array in mxnet.nd.load(str(params)).items():
        kind, _, bare = name.partition(":")
        (states if kind == "aux" else arguments)[bare or kind] = array
    return arguments, states


class Conversions:
    def __init__(self, program, folder, dtype):
        self.program, self.folder, self.dtype = program, folder, dtype
        self.counts = collections.Counter()
        self.problems = []

    def convert(self, symbol, params, name, *arguments):
        """Returns (symbol, parameters, None) or (None, None, message)."""
        command = [self.program, symbol, "-o", self.folder / name, "--target-dtype", self.dtype,
                   "--unlisted", "ignore", *arguments]
        if params:
            command += ["--params", params]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return None, None, done.stderr
        epoch = re.search(r"-\d{4}\.params$", str(params or ""))
        written = self.folder / (name + epoch.group()) if epoch else None
        return self.folder / f"{name}-symbol.json", written, None

    def expect(self, condition, *what):
        if not condition:
            self.problems.append(" ".join(map(str, (self.dtype, *what))))

    def check(self, symbol):
        name, params = str(symbol.relative_to(DATA)), params_of(symbol)
        once, once_params, said = self.convert(symbol, params, "once")
        if once is None:
            self.expect(False, name, "is refused:", said)
            return
        self.counts["models"] += 1
        kept, kept_params, _ = self.convert(symbol, params, "kept", "--exclude", ".*")
        self.expect(kept and kept.read_bytes() == symbol.read_bytes(), name, "with all excluded")
        if params:
            self.expect(kept_params.read_bytes() == params.read_bytes(), name, "its parameters")
        twice, twice_params, said = self.convert(once, once_params, "twice")
        self.expect(twice and twice.read_bytes() == once.read_bytes(), name, "twice", said)
        if params and twice:
            self.expect(twice_params.read_bytes() == once_params.read_bytes(), name, "params twice")
        changed = once.read_bytes() != symbol.read_bytes()
        self.counts["changed"] += changed
        stamps = [json.loads(path.read_text(encoding="utf-8")).get("attrs") for path in (symbol, once)]
        self.expect(stamps[0] == stamps[1], name, "has another version stamp")
        if mxnet:
            self.check_types(name, symbol, once, params, once_params)
            if changed and params:
                self.check_run(name, symbol, once, params, once_params)

    def types(self, symbol, params):
        """Returns MXNet's types of arguments, outputs and states; raises MXNet's exceptions."""
        loaded = mxnet.sym.load(str(symbol))
        given = {}
        if params:
            arguments, _ = split(params)
            given = {key: value.dtype for key, value in arguments.items()
                     if key in loaded.list_arguments() and self.known(value.dtype)}
        free = [key for key in loaded.list_arguments() if key not in given]
        given.update({key: numpy.float32 for key in free
                      if key.startswith("data") or params is None and "__dtype__" not in
                      loaded.attr_dict().get(key, {})})
        _, outputs, states = loaded.infer_type(**given)
        return outputs, states

    @staticmethod
    def known(dtype):
        return numpy.dtype(dtype).names is None  # infer_type does not accept mxnet's bfloat16

    def check_types(self, name, symbol, once, params, once_params):
        try:
            outputs, states = self.types(symbol, params)
        except mxnet.base.MXNetError:
            self.counts["peer refuses the original"] += 1
            return
        try:
            low_outputs, low_states = self.types(once, once_params)
        except mxnet.base.MXNetError as error:
            self.expect(False, name, "MXNet refuses it:", str(error)[:600])
            return
        self.counts["typed by the peer"] += 1
        self.expect(outputs is None or low_outputs == outputs, name, "outputs", low_outputs)
        self.expect(states is None or low_states == states, name, "states", low_states)

    def outputs(self, symbol, params, inputs):
        loaded = mxnet.sym.load(str(symbol))
        arguments, states = split(params)
        arguments.update(inputs)
        batch = next(iter(inputs.values())).shape[:1]
        for key in loaded.list_arguments():  # a label needs no value
            arguments.setdefault(key, mxnet.nd.zeros(batch))
        wanted = {key: arguments[key] for key in loaded.list_arguments()}
        executor = loaded.bind(mxnet.cpu(), wanted, grad_req="null",
                               aux_states={key: states[key] for key in
                                           loaded.list_auxiliary_states()})
        return [output.astype("float32").asnumpy() for output in executor.forward()]

    def check_run(self, name, symbol, once, params, once_params):
        folder = symbol.parent
        stem = symbol.name.removesuffix("-symbol.json")
        found = [path for path in (folder / "input.params", folder / f"{stem}.input.params")
                 if path.is_file()]
        if not found or self.dtype not in TOLERANCE:
            return
        inputs = mxnet.nd.load(str(found[0]))
        try:
            exact = self.outputs(symbol, params, inputs)
        except mxnet.base.MXNetError:
            self.counts["peer cannot run the original"] += 1
            return
        try:
            low = self.outputs(once, once_params, inputs)
        except mxnet.base.MXNetError as error:
            if not peers.mxnet_lacks_bfloat16(self.dtype, error):
                raise
            self.counts["peer cannot run bfloat16 on this processor"] += 1
            return
        for one, other in zip(exact, low):
            error = numpy.abs(one - other).max() / max(numpy.abs(one).max(), 1e-30)
            self.expect(error <= TOLERANCE[self.dtype], name, "deviates by", error)
            self.expect(error > 0 or one.size < 20, name, "is not rounded")
        self.counts["run by the peer"] += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--every", type=int, default=1, help="only each Nth model")
    arguments = parser.parse_args()
    if mxnet is None:
        peers.require(arguments.bin, "mxnet")
    require(DATA)
    problems = []
    for dtype in ("float16", "bfloat16"):
        with tempfile.TemporaryDirectory() as folder:
            conversions = Conversions(arguments.bin / "opledger-convert", pathlib.Path(folder), dtype)
            for symbol in mxnet_symbols()[::arguments.every]:
                conversions.check(symbol)
            print(dtype, dict(conversions.counts))
            conversions.expect(conversions.counts["changed"], "no model changes")
            problems += conversions.problems
    for problem in problems:
        print(problem)
    if mxnet is None:
        print("without mxnet: no types are inferred and no model is run by it")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
