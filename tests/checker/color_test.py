#!/usr/bin/env python3
"""Escape sequences appear only where they belong: every verb, into a pipe and into a terminal,
under NO_COLOR, TERM and --color, with operators whose names contain escape sequences."""
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import completion_lines
from typed_lines import Terminal

ESCAPE = "\x1b"
NAMES = ["exp", "hard_swish", "\x1b[31mred", "\x9b31mred"]
CHECK = ("check", "--operators", "operators.json", "--list", "lists/float16.json")
# Each prints something; the last ones print errors.
COMMANDS = [
    ("baseline", "write", *CHECK[1:], "--baseline", "baseline.json"),
    ("baseline", "show", *CHECK[1:], "--baseline", "baseline.json"),
    (*CHECK, "--diff"), (*CHECK, "--output-format", "concise"), (*CHECK, "--output-format", "markdown"),
    (*CHECK, "--output-format", "json"), (*CHECK, "--output-format", "github"),
    ("diff", "operators.json", "other.json", "--list", "lists/float16.json"),
    ("docs", "--operators", "operators.json", "--list", "lists/float16.json"),
    ("explain",), ("explain", "stale-entry"), ("config", "show"), ("config", "validate"),
    ("config", "schema", "--with-ops", "--operators", "operators.json"), ("completion", "bash"),
    ("completion", "zsh"), ("completion", "operators"), ("import", "operators.json"), ("--version",),
    ("chekc",), ("check", "--frob"), ("check", "--list", "\x1b[31mred.json", *CHECK[1:3]),
    ("explain", "\x1b[31mred"), ("convert", "\x1b[31mred.onnx", "-o", "x.onnx"),
]
# Environment, flag -> whether `check` uses color in a terminal, and in a pipe.
MODES = {
    (("TERM", "xterm-256color"),): (True, False),
    (("TERM", "dumb"),): (False, False),
    (): (False, False),
    (("TERM", "xterm"), ("NO_COLOR", "1")): (False, False),
    (("TERM", "xterm"), ("NO_COLOR", "")): (True, False),  # empty counts as absent
    (("TERM", "xterm"), "--color=never"): (False, False),
    (("TERM", "dumb"), ("NO_COLOR", "1"), "--color=always"): (True, True),
}


class Runner:
    def __init__(self, opledger, folder):
        self.opledger, self.folder = str(opledger), folder

    def run(self, arguments, environment, terminal):
        if terminal:
            program = Terminal([self.opledger, *arguments], self.folder, environment)
            text = program.rest()
            program.close()
            return text
        done = subprocess.run([self.opledger, *arguments], cwd=self.folder, env=environment,
                              capture_output=True, check=False)
        return (done.stdout + done.stderr).decode("utf-8", "replace")


def make_project(folder):
    (folder / "lists").mkdir()
    site = {"path": "src/a.cc", "line": 1, "column": 1, "end_line": 1, "end_column": 2}
    operators = [{"name": name, "sites": [site]} for name in sorted(NAMES)]
    for name, some in (("operators.json", operators), ("other.json", operators[:2])):
        (folder / name).write_text(json.dumps(
            {"schema": "opledger-operators/1", "dialect": "mxnet", "operators": some}))
    (folder / "lists/float16.json").write_text(json.dumps(
        {"framework": "mxnet", "target_dtype": "float16", "fp32": ["exp", "gone"]}))
    (folder / "opledger.json").write_text('{"dialect": "mxnet", "lists": ["lists/float16.json"]}')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    binaries = parser.parse_args().bin.resolve()
    problems = []
    base = {name: value for name, value in os.environ.items() if name not in ("TERM", "NO_COLOR")}
    with tempfile.TemporaryDirectory(prefix="opledger-color-") as scratch:
        runner = Runner(binaries / "opledger", pathlib.Path(scratch))
        make_project(runner.folder)
        for mode, wanted in MODES.items():
            environment = {**base, **dict(each for each in mode if isinstance(each, tuple))}
            flags = [each for each in mode if isinstance(each, str)]
            for terminal, colored in zip((True, False), wanted):
                text = runner.run([*flags, *CHECK], environment, terminal)
                if (ESCAPE in text) != colored or "hard_swish" not in text or ESCAPE + "[31mred" in text:
                    problems.append(f"check, {mode}, terminal {terminal}: {text[:300]!r}")
        environment = {**base, "TERM": "xterm-256color"}
        verbs = completion_lines.verbs_of(binaries)
        for command in COMMANDS + [(verb, "--help") for verb in verbs]:
            for terminal, flags in ((True, []), (False, ["--color=always"])):
                if command[0] in ("convert", "--version") or "--help" in command:
                    flags = []
                text = runner.run([*flags, *command], environment, terminal)
                if not text or ESCAPE in text or "\x9b" in text:
                    problems.append(f"{command}, terminal {terminal}: {text[:300]!r}")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
