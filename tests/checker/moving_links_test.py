#!/usr/bin/env python3
"""A list, or its folder, is replaced by a link to the outside and back, over and over, while
`classify`, `check --fix`, `docs --fix` and `baseline write` edit it. Nothing outside changes, no
file is left behind, and a run that reports an edit has made it.

    tests/checker/moving_links_test.py --bin build/bin [--seconds 3]
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

LIST = '{"framework": "demo", "target_dtype": "float16", "fp32": ["log", "log"]}\n'
VERBS = {
    "classify": ("classify", "exp", "--as", "fp32", "--unchecked"),
    "check --fix": ("check", "--fix", "--no-cache"),
    "baseline": ("baseline", "write", "--no-cache"),
}


def make_project(folder):
    (folder / "src").mkdir(parents=True)
    (folder / "lists").mkdir()
    (folder / "dialect.json").write_text('{"name": "demo", "sinks": [{"macro": "R"}], "sources": ["src/**"]}')
    (folder / "opledger.json").write_text(
        '{"dialect": "dialect.json", "lists": ["lists/list.json"], "baseline": "lists/baseline.json"}')
    (folder / "src/ops.cc").write_text("R(exp);\nR(log);\n")


class Swapper(threading.Thread):
    """Replaces `place` by a link to `target` and restores it, until stopped."""

    def __init__(self, place, target):
        super().__init__()
        self.place, self.link, self.aside = place, place.with_name("link"), place.with_name("aside")
        os.symlink(target, self.link)
        self.stopped = False

    def run(self):
        while not self.stopped:
            try:
                os.rename(self.place, self.aside)
                os.rename(self.link, self.place)
                os.rename(self.place, self.link)
                os.rename(self.aside, self.place)
            except OSError:  # a run has created the folder meanwhile
                self.put_back()

    def put_back(self):
        if self.place.is_symlink():
            os.rename(self.place, self.link)
        if self.aside.exists():
            shutil.rmtree(self.place, ignore_errors=True)
            os.rename(self.aside, self.place)

    def stop(self):
        self.stopped = True
        self.join()


def attack(program, verb, whole_folder, seconds, problems):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        outside, project = folder / "outside", folder / "project"
        outside.mkdir()
        (outside / "list.json").write_text(LIST)
        (outside / "baseline.json").write_text("{}")
        make_project(project)
        place = project / "lists" if whole_folder else project / "lists/list.json"
        target = outside if whole_folder else outside / "list.json"
        (project / "lists/list.json").write_text(LIST)
        swapper = Swapper(place, target)
        swapper.start()
        runs = {}
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            done = subprocess.run([program, *VERBS[verb]], cwd=project, capture_output=True, timeout=60, check=False)
            runs[done.returncode] = runs.get(done.returncode, 0) + 1
            if done.returncode not in (0, 1, 2, 3):
                problems.append(f"{verb}: exit status {done.returncode}: {done.stderr[-200:]!r}")
            if done.returncode in (2, 3) and not done.stderr:
                problems.append(f"{verb}: exit status {done.returncode} without a message")
        swapper.stop()
        if (outside / "list.json").read_text() != LIST or (outside / "baseline.json").read_text() != "{}":
            problems.append(f"{verb}: a file outside has changed")
        if sorted(path.name for path in outside.iterdir()) != ["baseline.json", "list.json"]:
            problems.append(f"{verb}: files outside: {list(outside.iterdir())}")
        left = [path for path in folder.rglob("*") if ".opledger-tmp" in path.name or ".opledger-lock" in path.name]
        if left:
            problems.append(f"{verb}: {left} is left behind")
        print(f"{verb}, {'folder' if whole_folder else 'file'}: exit statuses {dict(sorted(runs.items()))}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--seconds", type=float, default=1)
    arguments = parser.parse_args()
    problems = []
    for verb in VERBS:
        for whole_folder in (False, True):
            attack(arguments.bin.resolve() / "opledger", verb, whole_folder, arguments.seconds, problems)
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
