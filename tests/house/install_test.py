#!/usr/bin/env python3
"""`cmake --install` yields a self-contained folder that works anywhere."""
# SPDX-License-Identifier: Apache-2.0

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from tree import ROOT, report

DATA = {"dialects": "registry/dialects", "lists": "registry/lists", "schemas": "schemas"}


def names(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.json"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    build = parser.parse_args().build.resolve()
    if not (build / "bin/opledger-scan").exists():
        print("SKIPPED: opledger-scan was not built")
        return 77
    problems = []
    with tempfile.TemporaryDirectory(prefix="opledger-install-") as name:
        prefix, demo = pathlib.Path(name) / "prefix", pathlib.Path(name) / "demo"
        subprocess.run(["cmake", "--install", build, "--prefix", prefix], capture_output=True,
                       check=True)
        for folder, source in DATA.items():
            installed = names(prefix / "share/opledger" / folder)
            if not installed or installed != names(ROOT / source):
                problems.append(f"share/opledger/{folder} holds {installed}")
        for place in ("bash-completion/completions/opledger", "zsh/site-functions/_opledger",
                      "zsh/vendor-completions/_opledger"):
            written = prefix / "share" / place
            if not written.exists() or "__complete" not in written.read_text():
                problems.append(f"share/{place} has no completions")
        for module in ("opledger/__init__.py", "opledger/py.typed", "opledger/compat/mxnet_1.py"):
            if not (prefix / "lib/python3/dist-packages" / module).exists():
                problems.append(f"lib/python3/dist-packages/{module} is missing")
        said = subprocess.run([sys.executable, "-B", "-c", "import opledger; print(opledger.inspect('model.onnx').nodes)"],
                              cwd=ROOT / "tests/demo", capture_output=True, text=True, check=False,
                              env={"PYTHONPATH": str(prefix / "lib/python3/dist-packages"), "PATH": "/usr/bin:/bin"})
        if said.stdout != "6\n":
            problems.append(f"the installed package: {said.stdout}{said.stderr}")
        offered = subprocess.run([prefix / "bin/opledger", "__complete", "scan", "--expl"], capture_output=True,
                                 text=True, check=False).stdout
        if "--explain" not in offered:
            problems.append(f"the installed program does not complete opledger-scan: {offered}")
        shutil.copytree(ROOT / "tests/demo", demo)
        done = subprocess.run([prefix / "bin/opledger", "check"], cwd=demo, capture_output=True,
                              env={**os.environ, "OPLEDGER_CACHE_DIR": f"{name}/cache"}, text=True,
                              check=False)
        if done.returncode != 1 or "hard_swish" not in done.stdout:
            problems.append(f"the installed program: exit {done.returncode}\n{done.stdout}{done.stderr}")
        project = pathlib.Path(name) / "project"
        project.mkdir()
        (project / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.20)\nproject(tried NONE)\nfind_package(opledger REQUIRED)\n"
            f"opledger_operators(operators OUTPUT operators.json SOURCE {demo})\n")
        for command in (["cmake", "-G", "Ninja", "-S", project, "-B", project / "build",
                         f"-DCMAKE_PREFIX_PATH={prefix}"],
                        ["cmake", "--build", project / "build", "-t", "operators"]):
            done = subprocess.run(command, capture_output=True, text=True, check=False,
                                  env={**os.environ, "OPLEDGER_CACHE_DIR": f"{name}/cache"})
            if done.returncode:
                problems.append(f"{command}: {done.stdout}{done.stderr}")
        if "hard_swish" not in (project / "build/operators.json").read_text():
            problems.append("the installed CMake function wrote no operators.json for the demo")
    return report(problems)


if __name__ == "__main__":
    sys.exit(main())
