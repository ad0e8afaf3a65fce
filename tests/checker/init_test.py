#!/usr/bin/env python3
"""`opledger init` on real registries: it finds the dialect by itself, what it writes is well formed and
explains every key of the schema, the command that it names next works, and it overwrites nothing."""
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from test_data import require_sources  # noqa: E402

# Source -> dialect, what check says then: 1 (findings to mend or to keep in a baseline).
REGISTRIES = {"mxnet-b84609d3": "mxnet", "tvm-v0.18.0": "tvm-relay", "tvm-5d4dc872": "tvm-relax",
              "onnx-f7546912": "onnx"}


class Project:
    def __init__(self, binaries, folder, cache):
        self.folder = folder
        self.environment = {**os.environ, "PATH": f"{binaries}:/usr/bin:/bin",
                            "OPLEDGER_CACHE_DIR": str(cache)}

    def run(self, command):
        done = subprocess.run(["sh", "-c", command], cwd=self.folder, env=self.environment, text=True,
                              capture_output=True, timeout=300, check=False)
        return done.returncode, done.stdout + done.stderr


def unexplained(project_file):
    """Keys of the schema of which the file says nothing."""
    text = (ROOT / "schemas/project.schema.json").read_text()
    keys = set(json.loads(text)["properties"]) - {"$schema", "$comment"}
    comment = "\n".join(json.loads(project_file)["$comment"]) + "\nseverities:"
    return [key for key in sorted(keys) if not re.search(rf"^{key}:", comment, re.MULTILINE)]


def problems_of(project, dialect):
    status, output = project.run("opledger init")
    if status:
        return [f"init: {output}"]
    text = (project.folder / "opledger.json").read_text()
    problems = [f"opledger.json does not explain {key}" for key in unexplained(text)]
    if json.loads(text)["dialect"] != dialect:
        problems.append(f"found {json.loads(text)['dialect']}, not {dialect}")
    status, said = project.run("opledger config validate")
    problems += [f"validate: {said}"] if status else []
    following = re.search(r"^next: (.*)$", output, re.MULTILINE)[1]
    status, said = project.run(following)
    if status not in (0, 1) or not re.search(rf"^{dialect}: \d+ operators", said, re.MULTILINE):
        problems.append(f"{following}: exit {status}: {said[-500:]}")
    status, said = project.run("opledger baseline write -q && opledger check -q")
    problems += [f"with a baseline: exit {status}: {said[-500:]}"] if status else []
    status, said = project.run("opledger init")
    if status != 2 or (project.folder / "opledger.json").read_text() != text:
        problems.append(f"init again: exit {status}: {said}")
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    binaries = parser.parse_args().bin.resolve()
    if not (binaries / "opledger-scan").exists():
        print("SKIPPED: opledger-scan was not built")
        return 77
    problems = []
    with tempfile.TemporaryDirectory(prefix="opledger-init-") as scratch:
        for name, source in zip(REGISTRIES, require_sources(*REGISTRIES)):
            shutil.copytree(source, pathlib.Path(scratch) / name, symlinks=True)
            project = Project(binaries, pathlib.Path(scratch) / name, pathlib.Path(scratch) / "cache")
            problems += [f"{name}: {each}" for each in problems_of(project, REGISTRIES[name])]
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
