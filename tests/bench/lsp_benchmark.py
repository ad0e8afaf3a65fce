#!/usr/bin/env python3
"""Compares the CPU time of `opledger lsp` with the commands that it replaces: the median of the
repeats.

    tests/bench/lsp_benchmark.py [--bin build/bin] [--repeats 5] [--only mxnet]

In a git repository of the framework's sources: a session that opens a source and ends, compared
with `opledger check`, both with an empty cache; and each further edit in a session, typed or saved,
compared with the pre-commit hook, `opledger check --staged`, for the same edit. Exit status: 0 all
bars are met, 1 some are not, 77 no sources.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import os
import pathlib
import shutil
import statistics
import sys
import tempfile

from hook_benchmark import TREES, Repository
from scan_benchmark import ROOT, run

sys.path.insert(0, str(ROOT / "tests/checker"))
from lsp_client import Client, uri_of  # noqa: E402

EDITED = {"mxnet": "src/operator/nn/softmax.cc", "tensorflow": "tensorflow/core/ops/math_ops.cc"}
EDITS = 10  # per session
# A registration, so that there is something to report.
REGISTRATION = {"mxnet": "NNVM_REGISTER_OP(edit_{});\n",
                "tensorflow": 'REGISTER_OP("Edit{}").Input("x: float").Output("y: float");\n'}


def session(repository, edited, registration, edits, saved):
    """Returns the CPU seconds of the server and its scans."""
    path = repository.folder / edited
    before = path.read_bytes().decode()
    client = Client(repository.program, {**os.environ, "OPLEDGER_CACHE_DIR": str(repository.cache)},
                    repository.folder)
    client.start(repository.folder)
    client.open(path, before)
    client.wait_for(lambda: uri_of(path) in client.diagnostics, 600)
    for number in range(edits):
        text = before + registration.format(number)
        client.change(path, text, number + 2)
        if saved:
            path.write_text(text)
            client.save(path)
        # The answer requires a check of this text. (With some lists there are no findings.)
        line = text.count("\n") - 1
        hover = client.call("textDocument/hover", {"textDocument": {"uri": uri_of(path)}, "position": {
            "line": line, "character": registration.lower().index("edit") + 1}})
        if hover is None:
            raise RuntimeError(f"{registration.format(number)} was not read")
    client.call("shutdown", None)
    client.notify("exit", None)
    client.process.stdin.close()
    client.settle_end()
    _, _, usage = os.wait4(client.process.pid, 0)
    client.process.returncode = 0
    path.write_text(before)
    return usage.ru_utime + usage.ru_stime


def per_edit(repository, edited, registration, saved, repeats):
    """Returns the cost of one more edit."""
    costs = []
    for _ in range(repeats):
        one = session(repository, edited, registration, 1, saved)
        more = session(repository, edited, registration, 1 + EDITS, saved)
        costs.append((more - one) / EDITS)
    return statistics.median(costs)


def hook(repository, edited, registration, repeats):
    path = repository.folder / edited
    before = path.read_bytes()
    costs = []
    for number in range(repeats * 3):
        path.write_bytes(before + registration.format(number).encode())
        repository.git("add", edited)
        costs.append(run([repository.program, "check", "--staged"], repository.folder, repository.cache,
                         accepted=(0, 1)).cpu)
    repository.git("reset", "-q", "--hard")
    return statistics.median(costs)


def cold(repository, cost, repeats):
    costs = []
    for _ in range(repeats):
        shutil.rmtree(repository.cache, ignore_errors=True)
        costs.append(cost())
    return statistics.median(costs)


def measure(program, name, folder, repeats):
    """Yields (what, our cost, compared with, its cost) for each row."""
    edited, registration = EDITED[name], REGISTRATION[name]
    repository = Repository(program, folder, TREES[name])
    first = cold(repository, lambda: session(repository, edited, registration, 0, False), repeats)
    check = cold(repository, lambda: run([program, "check"], repository.folder, repository.cache,
                                         accepted=(0, 1)).cpu, repeats)
    yield "the first check, with an empty cache", first, "opledger check", check
    staged = hook(repository, edited, registration, repeats)
    for saved, what in ((False, "typed"), (True, "saved")):
        yield (f"{edited} {what}", per_edit(repository, edited, registration, saved, repeats),
               "opledger check --staged", staged)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/bin")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", choices=TREES)
    options = parser.parse_args()
    all_met = True
    for name in TREES:
        if options.only not in (None, name):
            continue
        print(name)
        with tempfile.TemporaryDirectory() as folder:
            rows = measure(options.bin.resolve() / "opledger", name, pathlib.Path(folder), options.repeats)
            for what, ours, against, theirs in rows:
                met = ours <= theirs * 1.02  # tolerance of the clock
                all_met = all_met and met
                print(f"  {what:55} {ours * 1000:7.1f} ms CPU; {against}: {theirs * 1000:7.1f} ms: "
                      f"{'met' if met else 'MISSED'}", flush=True)
    return 0 if all_met else 1


if __name__ == "__main__":
    sys.exit(main())
