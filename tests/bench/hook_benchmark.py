#!/usr/bin/env python3
"""Measures the wall time of the pre-commit hook, `opledger check --staged --against HEAD`: the best
of ten.

    tests/bench/hook_benchmark.py [--bin build/bin] [--repeats 10] [--only mxnet]

Runs in a git repository of the framework's sources below TMPDIR: with an empty cache; with one
source edited and staged, a new edit each time; with an edit of a file that no scan reads; with an
edit of a header that most sources include (no bar); and after a commit of the edited source, with
the next edit staged. Peak memory is that of the largest process. Run it on an idle machine. Exit
status: 0 all bars are met, 1 some are not, 77 no sources.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import dataclasses
import pathlib
import shutil
import subprocess
import sys
import tempfile

from scan_benchmark import ROOT, run

sys.path.insert(0, str(ROOT / "tests"))
from test_data import require_sources  # noqa: E402

MEGABYTES = 64


@dataclasses.dataclass
class Tree:
    sources: str
    edited: str
    header: str
    cold: float  # bars, in seconds
    warm: float


TREES = {
    "mxnet": Tree("mxnet-b84609d3", "src/operator/nn/softmax.cc", "src/operator/mxnet_op.h", 3, 0.25),
    "tensorflow": Tree("tensorflow-2.14.1", "tensorflow/core/kernels/matmul_op_real.cc",
                       "tensorflow/core/framework/op.h", 15, 0.4),
}


class Repository:
    def __init__(self, program, folder, tree):
        self.program, self.folder, self.cache = program, folder / "repository", folder / "cache"
        shutil.copytree(require_sources(tree.sources)[0], self.folder, symlinks=True)
        self.git("init", "-q", ".")
        self.git("add", "-Af", ".")
        self.git("commit", "-qm", "one")
        subprocess.run([program, "init"], cwd=self.folder, check=True, capture_output=True)
        self.git("add", "-Af", ".")
        self.git("commit", "-qm", "two")

    def git(self, *words):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=self.folder,
                       check=True, stdout=subprocess.DEVNULL)

    def hook(self):
        return run([self.program, "check", "--staged", "--against", "HEAD"], self.folder, self.cache)

    def edits(self, path, repeats, commit=False):
        """Returns the cost after each edit of the file."""
        costs = []
        for number in range(repeats):
            with open(self.folder / path, "a") as file:
                file.write(f"// edit {number}\n")
            self.git("add", path)
            costs.append(self.hook())
            if commit:
                self.git("commit", "-qm", str(number))
        self.git("reset", "-q", "--hard")
        return costs


def measure(program, tree, folder, repeats):
    """Yields (what, costs, bar in seconds) for each row."""
    repository = Repository(program, folder, tree)
    cold = []
    for _ in range(3):
        shutil.rmtree(repository.cache, ignore_errors=True)
        cold.append(repository.hook())
    yield "nothing cached", cold, tree.cold
    yield "nothing changed", [repository.hook() for _ in range(repeats)], tree.warm
    yield f"{tree.edited} edited", repository.edits(tree.edited, repeats), tree.warm
    (repository.folder / "README.md").touch()
    yield "README.md edited", repository.edits("README.md", repeats), tree.warm
    yield "commits, each of an edited source", repository.edits(tree.edited, repeats, commit=True), None
    yield f"{tree.header} edited", repository.edits(tree.header, repeats), None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/bin")
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--only", choices=TREES)
    options = parser.parse_args()
    all_met = True
    for name, tree in TREES.items():
        if options.only not in (None, name):
            continue
        print(name)
        with tempfile.TemporaryDirectory() as folder:
            rows = measure(options.bin.resolve() / "opledger", tree, pathlib.Path(folder), options.repeats)
            for what, costs, bar in rows:
                best, cpu = min(cost.wall for cost in costs), min(cost.cpu for cost in costs)
                memory = max(cost.memory for cost in costs)
                met = memory <= MEGABYTES and (bar is None or best <= bar)
                all_met = all_met and met
                said = "no bar for time" if bar is None else f"bar {bar} s"
                print(f"  {what:58} {best:6.3f} s, {cpu:6.3f} s CPU, {memory:3.0f} MB; {said}, "
                      f"{MEGABYTES} MB: {'met' if met else 'MISSED'}", flush=True)
    return 0 if all_met else 1


if __name__ == "__main__":
    sys.exit(main())
