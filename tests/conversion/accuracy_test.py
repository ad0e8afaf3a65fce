#!/usr/bin/env python3
"""Tests the accuracy of converted ONNX models of the test data.
Converts each to both types, with the shipped list and with every operator forced to 16 bits. The
result must be accepted (float16 by ONNX Runtime, bfloat16 by onnx's checker), and its outputs must
deviate by no more than rounding explains. Two oracles: ONNX Runtime on the model with explicit
roundings, and onnx's reference evaluator, which computes in 16 bits.

    tests/conversion/accuracy_test.py --bin build/bin [--all] [--table]

A sample of the models without --all. EXPLAINED lists deviations with a known reason.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import collections
import pathlib
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from model_data import ONNX as DATA, onnx_operators, require, onnx_models
import peers

SAMPLE = 37  # every 37th model
SECONDS = 60  # per model and oracle
# Oracle, type, model or prefix of its name -> why the oracle deviates.
EXPLAINED = {
    ("rounded", "float16", "light/light_resnet50.onnx"):
        "its weights are constants, so that activations reach 1e19",
    ("evaluated", "bfloat16", "node/test_averagepool_3d_dilations_large_count*"):
        "the evaluator sums in bfloat16, a kernel in float32",
    ("evaluated", "bfloat16", "node/test_layer_normalization_4d_axis*"):
        "the evaluator sums in bfloat16, a kernel in float32",
    ("evaluated", "bfloat16", "node/test_maxpool_with_argmax_2d_precomputed_pads"):
        "the evaluator's indices in bfloat16 are negative; the values are equal",
}

try:
    import onnx
    import onnxruntime
    import accuracy
    from explicit_rounding import explicitly_rounded
except ImportError:
    onnx = onnxruntime = None


class Late(Exception):
    pass


def late(*_):
    raise Late


def in_time(how, *arguments):
    signal.alarm(SECONDS)
    try:
        return accuracy.attempt(how, *arguments)
    finally:
        signal.alarm(0)


def reason_of(oracle, dtype, name):
    for (which, low, model), reason in EXPLAINED.items():
        same = name.startswith(model[:-1]) if model.endswith("*") else name == model
        if (which, low) == (oracle, dtype) and same:
            return reason
    return None


def rounded_run(model, feeds):
    return accuracy.run(explicitly_rounded(model), feeds)


def checked(model):
    onnx.checker.check_model(model, full_check=True)
    return True


class Accuracy:
    def __init__(self, program, folder, table):
        self.program, self.folder, self.table = program, folder, table
        self.counts = collections.Counter()
        self.problems = []

    def check(self, path):
        name = str(path.relative_to(DATA)).removesuffix("/model.onnx")
        original = onnx.load(path)
        used = {*onnx_operators(original.graph), *(op for each in original.functions
                                              for op in onnx_operators(each))}
        feeds = accuracy.feeds_of(path, original)
        exact, how = None, accuracy.run
        if feeds is not None:
            for how in (accuracy.run, accuracy.evaluate):
                exact = in_time(how, original, feeds)
                exact = exact and accuracy.tensors(exact)
                if exact is not None:
                    break
        for dtype in accuracy.UNIT:
            explained = None
            if exact is not None and not used & accuracy.RANDOM:
                explained = accuracy.Explained(original, feeds, how, exact, dtype)
            seen = None
            for mode, words in (("shipped list", ()), ("forced low", ("--target-ops",
                                                                      ",".join(sorted(used))))):
                result = self.convert(path, dtype, words, mode)
                if result is None or result == path.read_bytes() or result == seen:
                    continue
                seen = result
                self.counts[dtype, mode, "changed"] += 1
                self.judge(name, dtype, mode, original, onnx.load_model_from_string(result), feeds,
                           explained)

    def convert(self, path, dtype, words, mode):
        """Returns the result's bytes; None if the conversion is refused."""
        out = self.folder / "mixed.onnx"
        done = subprocess.run([self.program, path, "-o", out, "--target-dtype", dtype, "--unlisted",
                               "ignore", *words], capture_output=True, text=True, check=False)
        self.counts[dtype, mode, "converted" if done.returncode == 0 else "refused"] += 1
        if done.returncode:
            return None
        result = out.read_bytes()
        if result != path.read_bytes() and list(self.folder.glob("*.data*")):
            result = onnx.load(out).SerializeToString()  # with the external data
        for data in self.folder.glob("*.data*"):
            data.unlink()
        return result

    def judge(self, name, dtype, mode, original, result, feeds, explained):
        count = lambda what: self.counts.update([(dtype, mode, what)])  # noqa: E731
        fits = accuracy.attempt(checked, result) or not accuracy.attempt(checked, original)
        if dtype == "float16":
            fits = fits and (in_time(accuracy.loaded, result) or
                             not in_time(accuracy.loaded, original))
        count("accepted" if fits else "not accepted")
        if not fits:
            self.problems.append(f"{dtype}, {mode}: {name} is not accepted")
        if explained is None:
            count("nothing to compare")
            return
        row = []
        for oracle, how in (("rounded", rounded_run), ("evaluated", accuracy.evaluate)):
            copy = onnx.ModelProto()
            copy.CopyFrom(result)
            found = in_time(how, copy, feeds)
            found = found and accuracy.tensors(found)
            worst = explained.worst(found) if found else None
            if worst and worst > 1 and oracle == "evaluated":
                itself = in_time(accuracy.evaluate, original, feeds)
                itself = itself and accuracy.tensors(itself)
                if not itself or explained.worst(itself) > 1:
                    worst = None  # the oracle deviates in float32, too
            known = reason_of(oracle, dtype, name)
            count(f"{oracle}: " + ("none" if worst is None else "within" if worst <= 1 else
                                   "explained" if known else "off"))
            row.append("-" if worst is None else f"{worst:.2g}")
            if worst is not None and worst > 1 and not known:
                self.problems.append(f"{dtype}, {mode}: {name} deviates by {worst:.3g} times what "
                                     f"rounding explains, {oracle}")
        if self.table:
            print(f"{name:70}{dtype:9}{mode:13}{row[0]:>9}{row[1]:>9}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--every", type=int, help="only every Nth model")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", help="only models whose names contain this")
    parser.add_argument("--table", action="store_true", help="print a line for each that changes")
    options = parser.parse_args()
    if onnx is None:
        peers.require(options.bin, "onnx", "onnxruntime")
    require(DATA)
    onnxruntime.set_default_logger_severity(4)
    signal.signal(signal.SIGALRM, late)
    models = [path for path in onnx_models()
              if options.only is None or options.only in str(path)]
    step = 1 if options.all or options.only else SAMPLE * (options.every or 1)
    with tempfile.TemporaryDirectory(prefix="opledger-accuracy-") as folder:
        checks = Accuracy(options.bin.resolve() / "opledger-convert", pathlib.Path(folder),
                          options.table)
        for path in models[::step]:
            checks.check(path)
    for dtype in accuracy.UNIT:
        for mode in ("shipped list", "forced low"):
            what = {key[2]: count for key, count in checks.counts.items() if key[:2] == (dtype, mode)}
            print(f"{dtype:9}{mode:13}", ", ".join(f"{each}: {count}"
                                                   for each, count in sorted(what.items())))
    print("\n".join(checks.problems), end="\n" if checks.problems else "")
    return 1 if checks.problems else 0


if __name__ == "__main__":
    sys.exit(main())
