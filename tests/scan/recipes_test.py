#!/usr/bin/env python3
"""Runs the commands of the recipe for a matrix of CI jobs, taken from the file, one after the
other: they yield the manifest of a whole scan."""
# SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import re
import shutil
import subprocess
import sys

from scanning import expect, main

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECIPE = ROOT / "ci/recipes/github-matrix.yml"


def jobs():
    """Returns job -> its commands; and the numbers of shards in the file."""
    text = RECIPE.read_text()
    found = {}
    for name, body in re.findall(r"(?ms)^  (\w+):(?:  #[^\n]*)?\n(    .*?)(?=^  \w+:|\Z)", text.split("jobs:\n")[1]):
        found[name] = re.findall(r"(?m)^ +- run: (.+)$", body)
    shards = int(re.search(r"(?m)^  SHARDS: (\d+)$", text)[1])
    matrix = [int(number) for number in re.search(r"shard: \[(.+)\]", text)[1].split(",")]
    return found, shards, matrix


def test_the_commands_of_the_matrix(bin_folder, folder):
    found, shards, matrix = jobs()
    expect(matrix == list(range(1, shards + 1)), "SHARDS and the matrix differ:", shards, matrix)
    expect(set(found) == {"scan", "check"} and len(found["scan"]) == 1 and len(found["check"]) == 2, found)
    artifacts = folder / "artifacts"
    artifacts.mkdir()

    def run(command, where, **environment):
        return subprocess.run(["bash", "-e", "-c", command], cwd=where, capture_output=True, text=True,
                              check=False, env={**os.environ, "SHARDS": str(shards), **environment,
                                                "PATH": f"{bin_folder}:{os.environ['PATH']}"})

    for shard in matrix:
        checkout = folder / f"runner-{shard}"
        shutil.copytree(ROOT / "tests/demo", checkout)
        done = run(found["scan"][0], checkout, SHARD=str(shard), OPLEDGER_CACHE_DIR=".opledger-cache")
        expect(done.returncode == 0, done.stderr)
        (checkout / f"shard-{shard}.facts").rename(artifacts / f"shard-{shard}.facts")
    checkout = folder / "merging"
    shutil.copytree(ROOT / "tests/demo", checkout, ignore=shutil.ignore_patterns("src", "include"))
    for path in artifacts.iterdir():
        shutil.copy(path, checkout)
    done = run(found["check"][0], checkout)
    expect(done.returncode == 0, done.stderr)
    plain = run("opledger scan --no-cache -o plain.json", folder / "runner-1")
    expect(plain.returncode == 0, plain.stderr)
    expect((checkout / "operators.json").read_text() == (folder / "runner-1/plain.json").read_text())
    done = run(found["check"][1], checkout)
    expect(done.returncode == 1 and "hard_swish" in done.stdout, done.stdout, done.stderr)
    # A lost job.
    (checkout / "shard-2.facts").unlink()
    done = run(found["check"][0], checkout)
    expect(done.returncode == 3 and f"shard 2/{shards} is missing" in done.stderr, done.stderr)


if __name__ == "__main__":
    sys.exit(main(globals()))
