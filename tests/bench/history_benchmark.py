#!/usr/bin/env python3
"""Measures `opledger history` over 50 tags of MXNet: at most 30 s of CPU time.

    tests/bench/history_benchmark.py [--bin build/bin] [--tags 50]

The history is generated from the five available versions: commits between two of them each take
over a share of the files that differ, as a year of commits would. Exit status: 0 the bar is met, 1
it is not, 77 no sources.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

from scan_benchmark import ROOT, run

sys.path.insert(0, str(ROOT / "tests"))
from test_data import require_sources  # noqa: E402

SECONDS = 30
VERSIONS = ["mxnet-0208063a", "mxnet-626f9336", "mxnet-9e9f972d", "mxnet-39ea6832", "mxnet-b84609d3"]


def files_of(folder):
    return {path.relative_to(folder): path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()}


def make_history(program, folder, versions, tags):
    def git(*words):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=folder, check=True,
                       stdout=subprocess.DEVNULL)

    shutil.copytree(versions[0], folder, symlinks=True)
    git("init", "-q", ".")
    subprocess.run([program, "init"], cwd=folder, check=True, capture_output=True)
    steps = [1] + [(tags - 1) // (len(versions) - 1)] * (len(versions) - 1)
    steps[-1] += tags - sum(steps)
    number = 0
    for version, count in zip(versions, steps):
        new, old = files_of(version), files_of(folder)
        changed = sorted(path for path in new if path not in old or new[path].read_bytes() != old[path].read_bytes())
        for step in range(count):
            for path in changed[len(changed) * step // count:len(changed) * (step + 1) // count]:
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(new[path], folder / path)
            git("add", "-Af", ".")
            git("commit", "-qm", str(number), "--allow-empty")
            git("tag", f"v{number}")
            number += 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/bin")
    parser.add_argument("--tags", type=int, default=50)
    options = parser.parse_args()
    versions = [pathlib.Path(path) for path in require_sources(*VERSIONS)]
    program = options.bin.resolve() / "opledger"
    met = True
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "repository"
        make_history(program, folder, versions, options.tags)
        for what in ("nothing cached", "again"):
            cost = run([program, "history", "-o", pathlib.Path(scratch) / "history.txt"], folder,
                       # the version of 2018 cannot be read completely
                       pathlib.Path(scratch) / "cache", accepted=(0, 3))
            met = met and cost.cpu <= SECONDS
            print(f"{options.tags} tags, {what}: {cost.cpu:.1f} s CPU, {cost.memory:.0f} MB; "
                  f"bar {SECONDS} s: {'met' if cost.cpu <= SECONDS else 'MISSED'}", flush=True)
        lines = (pathlib.Path(scratch) / "history.txt").read_text().splitlines()
        print(f"{len(lines)} revisions; first and last:\n{lines[0]}\n{lines[-1]}")
        met = met and len(lines) == options.tags
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
