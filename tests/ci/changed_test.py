#!/usr/bin/env python3
"""ci/changed names what a change touches: committed since the base, changed in the working tree, and new."""
# SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def git(folder, *arguments):
    subprocess.run(["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@b.invalid", *arguments], check=True,
                   capture_output=True)


def write(folder, *paths):
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        with open(folder / path, "a", encoding="utf-8") as file:
            file.write("x\n")


def changed(folder, *arguments, base=None):
    environment = {key: value for key, value in os.environ.items() if key != "OPLEDGER_BASE"}
    if base:
        environment["OPLEDGER_BASE"] = base
    return subprocess.run(["ci/changed", *arguments], cwd=folder, env=environment, capture_output=True, text=True,
                          check=True).stdout.split()


def main():
    problems = []

    def expect(what, found, expected):
        if sorted(found) != sorted(expected):
            problems.append(f"{what}: {found}, not {expected}")

    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "ci").mkdir()
        shutil.copy2(ROOT / "ci/changed", folder / "ci")
        git(folder, "init", "-q")
        write(folder, "README.md", "registry/scan/a.cpp")
        git(folder, "add", "-A")
        git(folder, "commit", "-qm", "first")
        write(folder, "README.md", "conversion/label/a.cpp")
        git(folder, "add", "-A")
        git(folder, "commit", "-qm", "second")
        write(folder, "README.md")
        git(folder, "commit", "-qam", "third")
        expect("the last commit", changed(folder), ["README.md"])
        expect("its areas", changed(folder, "--areas"), [])
        expect("two commits", changed(folder, "--areas", base="HEAD~2"), ["conversion"])
        git(folder, "update-ref", "refs/remotes/origin/main", "HEAD~2")
        expect("since origin/main", changed(folder), ["README.md", "conversion/label/a.cpp"])
        write(folder, "registry/scan/a.cpp", "kernels/new.h")
        expect("the working tree", changed(folder, "--areas"), ["conversion", "kernels", "scan"])
    return print("\n".join(problems)) or 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
