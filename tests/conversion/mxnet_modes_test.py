#!/usr/bin/env python3
"""Converts MXNet models and reverts them: `opledger revert` restores every model of the test data
byte for byte with the sidecar, and its symbol without one; --storage-only yields what MXNet
computes with rounded parameters; --target-dtype float32 leaves no 16-bit values. MXNet 1.9.1 infers
the types of each result.
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
from model_data import MXNET as DATA, mxnet_symbols, params_of, require
import peers

# How many of the converted symbols have 16-bit values of their own, and so cannot be reverted
# without a sidecar.
REFUSED = 0
KNOWN_TYPES = {}  # inferred by the peer for the originals; None if it refuses them

os.environ["MXNET_SUBGRAPH_BACKEND"] = "NONE"
try:
    import numpy
    import mxnet
except ImportError:
    mxnet = None


def rounded(array, dtype):
    """Returns an array as rounded by a 16-bit file, in float32."""
    numbers = array.astype("float32").asnumpy()
    with numpy.errstate(over="ignore"):
        if dtype == "float16":
            return numbers.astype(numpy.float16).astype(numpy.float32)
    bits = numbers.view(numpy.uint32).astype(numpy.uint64)
    return ((bits + 0x7fff + (bits >> 16 & 1)) >> 16 << 16).astype(numpy.uint32).view(numpy.float32)


class Modes:
    def __init__(self, program, folder, dtype):
        self.program, self.folder, self.dtype = program, folder, dtype
        self.counts, self.problems = collections.Counter(), []
        self.typed = True  # by the peer, which takes longer than everything else

    def expect(self, condition, *what):
        if not condition:
            self.problems.append(" ".join(map(str, (self.dtype, *what))))
        return condition

    def run(self, model, params, name, *arguments):
        """Returns the symbol and parameters that are written, or the message if nothing is."""
        command = [self.program, *arguments[:1], model, "-o", self.folder / name, *arguments[1:]]
        if params:
            command += ["--params", params]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            return None, None, done.stderr
        epoch = re.search(r"-\d{4}\.params$", str(params or ""))
        return (self.folder / f"{name}-symbol.json",
                self.folder / (name + epoch.group()) if epoch else None, done.stdout)

    def convert(self, model, params, name, *arguments):
        return self.run(model, params, name, "--unlisted=ignore", "--target-dtype", self.dtype,
                        *arguments)

    def clean(self):
        for path in self.folder.iterdir():
            path.unlink()

    def check(self, symbol):
        name, params = str(symbol.relative_to(DATA)), params_of(symbol)
        self.clean()
        low, low_params, said = self.convert(symbol, params, "low", "--sidecar",
                                             self.folder / "sidecar")
        if not self.expect(low, name, said):
            return
        back, back_params, said = self.run(low, low_params, "back", "--revert", "--sidecar",
                                           self.folder / "sidecar")
        self.counts["reverted"] += 1
        if self.expect(back, name, said):
            self.expect(back.read_bytes() == symbol.read_bytes(), name, "is not restored")
            if params:
                self.expect(back_params.read_bytes() == params.read_bytes(), name, "its parameters")
        if low.read_bytes() == symbol.read_bytes():
            return
        self.counts["changed"] += 1
        self.check_without_sidecar(name, symbol, params, low, low_params)
        self.check_float32(name, symbol, params, low, low_params)
        if params:
            self.check_storage(name, symbol, params)

    def check_without_sidecar(self, name, symbol, params, low, low_params):
        back, back_params, said = self.run(low, low_params, "graph", "--revert")
        if back is None:
            self.expect("may be the original's own" in said, name, said)
            self.counts["refused"] += 1
            return
        self.expect(back.read_bytes() == symbol.read_bytes(), name, "has another symbol")
        self.counts["graph reverted"] += 1
        if params and mxnet:
            before, after = (mxnet.nd.load(str(path)) for path in (params, back_params))
            self.expect(list(before) == list(after), name, "has other arrays", list(after))
            for key, array in before.items():
                one, other = array.asnumpy(), after[key].asnumpy()
                same = one.dtype == other.dtype and (one == other).all()
                self.expect(same or (rounded(array, self.dtype) == other).all(), name, key,
                            "is neither unchanged nor rounded")

    def check_float32(self, name, symbol, params, low, low_params):
        wide, wide_params, said = self.run(low, low_params, "wide", "--unlisted=ignore",
                                           "--target-dtype", "float32")
        if not self.expect(wide, name, said):
            return
        text = wide.read_text(encoding="utf-8")
        self.expect("float16" not in text and '"__dtype__": "2"' not in text and
                    '"__dtype__": "12"' not in text, name, "has 16 bits left")
        if mxnet:
            self.check_types(name, symbol, params, wide, wide_params)
            if params:
                kinds = {str(each.dtype) for each in mxnet.nd.load(str(wide_params)).values()}
                self.expect("float32" in str(kinds) and "16" not in str(kinds), name, kinds)

    def check_storage(self, name, symbol, params):
        stored, stored_params, said = self.convert(symbol, params, "stored", "--storage-only")
        if not self.expect(stored, name, said):
            return
        half = stored_params.stat().st_size / params.stat().st_size
        self.expect(half < 0.8 or params.stat().st_size < 20000, name, "is", half, "as large")
        again, again_params, said = self.convert(stored, stored_params, "stored2", "--storage-only")
        self.expect(again and again.read_bytes() == stored.read_bytes() and
                    again_params.read_bytes() == stored_params.read_bytes(), name, "twice", said)
        back, _, said = self.run(stored, stored_params, "unstored", "--revert")
        self.expect(back and back.read_bytes() == symbol.read_bytes(), name, "stored", said)
        if mxnet:
            self.check_types(name, symbol, params, stored, stored_params)
            self.check_run(name, symbol, params, stored, stored_params)

    def types(self, symbol, params):
        """Returns MXNet's types of outputs and states; raises MXNet's exceptions."""
        loaded = mxnet.sym.load(str(symbol))
        given = {}
        for key, array in (mxnet.nd.load(str(params)) if params else {}).items():
            plain = numpy.dtype(array.dtype).names is None  # infer_type does not accept bfloat16
            bare = key.partition(":")[2] or key
            if plain and not key.startswith("aux:") and bare in loaded.list_arguments():
                given[bare] = array.dtype
        for key in loaded.list_arguments():
            if key.startswith("data") or params is None and "__dtype__" not in (
                    loaded.attr_dict().get(key, {})):
                given.setdefault(key, numpy.float32)
        return loaded.infer_type(**given)[1:]

    def check_types(self, name, symbol, params, made, made_params):
        if not self.typed:
            return
        if symbol not in KNOWN_TYPES:
            try:
                KNOWN_TYPES[symbol] = self.types(symbol, params)
            except mxnet.base.MXNetError:
                KNOWN_TYPES[symbol] = None
        types = KNOWN_TYPES[symbol]
        if types is None:
            return
        try:
            found = self.types(made, made_params)
        except mxnet.base.MXNetError as error:
            self.expect(False, name, made.name, "MXNet refuses it:", str(error)[:400])
            return
        self.counts["typed by the peer"] += 1
        self.expect(types[0] is None or types == found, name, made.name, found)

    def outputs(self, symbol, arrays, inputs):
        loaded = mxnet.sym.load(str(symbol))
        given = {key.partition(":")[2] or key: array for key, array in arrays.items()} | inputs
        batch = next(iter(inputs.values())).shape[:1]
        given = {key: given[key] if key in given else mxnet.nd.zeros(batch)
                 for key in loaded.list_arguments() + loaded.list_auxiliary_states()}
        executor = loaded.bind(mxnet.cpu(), {key: given[key] for key in loaded.list_arguments()},
                               grad_req="null", aux_states={key: given[key] for key in
                                                            loaded.list_auxiliary_states()})
        return [output.astype("float32").asnumpy() for output in executor.forward()]

    def check_run(self, name, symbol, params, stored, stored_params):
        stem = symbol.name.removesuffix("-symbol.json")
        found = [path for path in (symbol.parent / "input.params",
                                   symbol.parent / f"{stem}.input.params") if path.is_file()]
        if not found:
            return
        inputs, before = mxnet.nd.load(str(found[0])), mxnet.nd.load(str(params))
        after = mxnet.nd.load(str(stored_params))
        low = {key: mxnet.nd.array(rounded(array, self.dtype))
               if after[key].dtype != array.dtype else array for key, array in before.items()}
        self.expect(any(after[key].dtype != before[key].dtype for key in before), name, "kept")
        try:
            exact = self.outputs(symbol, low, inputs)
            ours = self.outputs(stored, after, inputs)
        except mxnet.base.MXNetError:
            self.counts["peer cannot run it"] += 1
            return
        self.counts["run by the peer"] += 1
        for one, other in zip(exact, ours):
            error = numpy.abs(one - other).max() / max(numpy.abs(one).max(), 1e-30)
            self.expect(error < 1e-5, name, "deviates by", error)

    def check_damage(self, symbol, params):
        """A damaged sidecar or model yields an error and no files."""
        self.clean()
        low, low_params, _ = self.convert(symbol, params, "low", "--sidecar", self.folder / "sidecar")
        sidecar = (self.folder / "sidecar").read_bytes()
        random.seed(4)
        places = [random.randrange(len(sidecar)) for _ in range(20)]
        damaged = [sidecar[:at] for at in places] + [
            sidecar[:at] + bytes([sidecar[at] ^ 1 << random.randrange(8)]) + sidecar[at + 1:]
            for at in places]
        for each in damaged:
            (self.folder / "bad").write_bytes(each)
            back, _, said = self.run(low, low_params, "out", "--revert", "--sidecar",
                                     self.folder / "bad")
            self.expect(back is None and "error" in said, "damaged", said)
            self.expect(not (self.folder / "out-symbol.json").exists(), "a damaged sidecar wrote")
        low_params.write_bytes(low_params.read_bytes() + b"\0")
        back, _, said = self.run(low, low_params, "out", "--revert", "--sidecar",
                                 self.folder / "sidecar")
        self.expect(back is None and "not the file" in said, "other parameters", said)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--every", type=int, default=1, help="only each Nth model")
    arguments = parser.parse_args()
    if mxnet is None:
        peers.require(arguments.bin, "mxnet")
    require(DATA)
    symbols = mxnet_symbols()
    problems = []
    for dtype in ("float16", "bfloat16"):
        with tempfile.TemporaryDirectory(prefix="opledger-modes-") as folder:
            modes = Modes(arguments.bin / "opledger-convert", pathlib.Path(folder), dtype)
            for number, symbol in enumerate(symbols[::arguments.every]):
                modes.typed = dtype == "float16" or number % 4 == 0
                modes.check(symbol)
            modes.check_damage(DATA / "gen/resnet_tiny/model-symbol.json", DATA / "gen/resnet_tiny/model-0000.params")
            if arguments.every == 1:
                modes.expect(modes.counts["refused"] == REFUSED, dict(modes.counts))
            print(dtype, dict(modes.counts))
            problems += modes.problems
    print("\n".join(problems[:40]), end="\n" if problems else "")
    if mxnet is None:
        print("without mxnet: no types are inferred and no model is run by it")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
