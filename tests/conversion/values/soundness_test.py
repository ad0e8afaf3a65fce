#!/usr/bin/env python3
"""What `opledger inspect --values` reports for each value holds for all inputs.
Tests float32 and conversions to 16 bits on random graphs, each run on several random inputs with
every value as an output (value_check.py).

    tests/conversion/values/soundness_test.py --bin build/bin [--count N] [--from random|hazards|guards|DIR]

--from DIR takes all models in DIR. --unsaid checks only that the models run and convert.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import collections
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/conversion")]
import peers
import value_check

try:
    import numpy
    import onnx
    import onnxruntime
    import accuracy
except ImportError:
    onnx = onnxruntime = None

TYPES = ("float16", "bfloat16")


def random_cases(options):
    from random_graphs import random_graph
    for seed in range(0, options.count, options.every):
        yield lambda seed=seed: random_graph(seed)


def hazard_cases(options):
    from hazard_models import hazard_model, names
    for each in names()[:options.count:options.every]:
        yield lambda each=each: hazard_model(*each)


def guard_cases(options):
    from guarded_models import guarded_model, names
    for each in names()[:options.count:options.every]:
        yield lambda each=each: guarded_model(*each)


def model_cases(options):
    from graph_writer import Case
    for path in sorted(pathlib.Path(options.source).rglob("*.onnx"))[:options.count:options.every]:
        def load(path=path):
            model = onnx.load(path)
            return Case(str(path), model, accuracy.attempt(accuracy.feeds_of, path, model))
        yield load


class Soundness:
    def __init__(self, programs, folder, options):
        self.programs, self.folder, self.options = programs, folder, options
        self.counts, self.problems = collections.Counter(), []

    def problem(self, case, dtype, text):
        self.problems.append(f"{case.name} in {dtype}: {text}")
        if self.options.keep:
            where = self.options.keep / f"{case.name.strip('/').replace('/', '_')}.{dtype}"
            where.mkdir(parents=True, exist_ok=True)
            for file in self.folder.iterdir():
                shutil.copy(file, where)

    def inspect(self, path, dtype, words):
        """Returns name -> what is reported about it, or why nothing is."""
        command = [self.programs / "opledger", "inspect", path, "--values", "--format", "json", "--target-dtype", dtype,
                   *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            return None, done.stderr.strip()
        (self.folder / "values.json").write_text(done.stdout, encoding="utf-8")
        return value_check.read_values(json.loads(done.stdout)), ""

    def draws(self, case):
        """Yields the inputs of each run: the case's own, otherwise random ones."""
        from random_graphs import random_feeds
        rng = numpy.random.default_rng(zlib.crc32(case.name.encode()))
        if case.feeds:
            yield case.feeds
            return
        for _ in range(self.options.runs):
            yield random_feeds(case, rng)

    def watch(self, case, dtype, said, side, observed):
        seen, told = set(), set()
        for feeds in self.draws(case):
            values = accuracy.attempt(observed.values, feeds)
            if values is None:
                self.counts["runs refused"] += 1
                continue
            self.counts[f"{side} runs"] += 1
            seen.update(values)
            told.update(name for name in values if said.get(name, {}).get(side))
            for name, text in value_check.check(said, side, values):
                self.problem(case, dtype, f"{side}: {name}: {text}")
        self.counts[f"{side} values reported"] += len(told)
        self.counts[f"{side} values not reported"] += len(seen - told)

    def check(self, case, dtype):
        path, out = self.folder / "model.onnx", self.folder / "converted.onnx"
        path.write_bytes(case.model.SerializeToString())
        words = [word for name, (low, high) in case.ranges.items()
                 for word in ("--input-range", f"{name}={low!r},{high!r}")]
        said, reason = ({}, "") if self.options.unsaid else self.inspect(path, dtype, words)
        if said is None:
            self.problem(case, dtype, f"inspect: {reason}")
            return
        observed = accuracy.attempt(value_check.Observed, case.model)
        if observed is None:
            self.counts["not run by ONNX Runtime"] += 1
            return
        if dtype == TYPES[0]:  # float32 is the same for both types
            self.watch(case, dtype, said, "float32", observed)
        command = [self.programs / "opledger-convert", path, "-o", out, "--target-dtype", dtype, "--unlisted", "ignore",
                   *([] if self.options.unsaid else words)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            self.problem(case, dtype, f"convert: {done.stderr.strip()}")
            return
        observed = accuracy.attempt(value_check.observed_converted, out)
        if observed is None:
            self.counts["converted, not run by ONNX Runtime"] += 1
            return
        self.watch(case, dtype, said, "converted", observed)


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--count", type=int, default=2000, help="number of models")
    parser.add_argument("--every", type=int, default=1, help="only every Nth model")
    parser.add_argument("--seed", type=int, help="only the random graph of this seed")
    parser.add_argument("--runs", type=int, default=6, help="number of inputs for each model")
    parser.add_argument("--from", dest="source", default="random", help="random, hazards, guards, or a folder")
    parser.add_argument("--unsaid", action="store_true", help="check only that the models run and convert")
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIR", help="keep the models with problems")
    return parser.parse_args()


def main():
    options = read_options()
    if onnx is None:
        peers.require(options.bin, "onnx", "onnxruntime")
    onnxruntime.set_default_logger_severity(4)
    sources = {"random": random_cases, "hazards": hazard_cases, "guards": guard_cases}
    makers = list(sources.get(options.source, model_cases)(options))
    if options.seed is not None:
        from random_graphs import random_graph
        makers = [lambda: random_graph(options.seed)]
    with tempfile.TemporaryDirectory(prefix="opledger-values-") as folder:
        soundness = Soundness(options.bin.resolve(), pathlib.Path(folder), options)
        soundness.problems += value_check.self_check()
        for make in makers:
            case = make()
            for dtype in TYPES:
                if case.feeds is not None:
                    soundness.check(case, dtype)
    counts, problems = soundness.counts, soundness.problems
    print(f"{len(makers)} models: " + ", ".join(f"{count} {what}" for what, count in counts.items()) +
          f", {len(problems)} problems")
    print("\n".join(problems[:40]), end="\n" if problems else "")
    checked = counts["float32 runs"] and counts["converted runs"]
    checked = checked and (options.unsaid or counts["float32 values reported"] and counts["converted values reported"])
    return 1 if problems or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
