#!/usr/bin/env python3
"""Tests the golden runner itself: cases that must pass pass, and cases that must fail fail with the
reason."""
# SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import subprocess
import sys
import tempfile

RUNNER = pathlib.Path(__file__).resolve().parents[1] / "golden" / "run_golden.py"

# (name, golden file, expected exit status, a text the runner must print)
CASES = [
    ("passes", "# Says.\n$ printf 'a\\n'\n-- stdout --\na\n", 0, ""),
    ("wrong stdout", "$ echo a\n-- stdout --\nb\n", 1, "-b\n+a\n"),
    ("unexpected stdout", "$ echo a\n", 1, "+a\n"),
    ("missing stdout", "$ true\n-- stdout --\na\n", 1, "-a\n"),
    ("unexpected stderr", "$ echo a >&2\n", 1, "+a\n"),
    ("ignored stderr", "$ echo a >&2\nignore: stderr\n", 0, ""),
    ("wrong exit", "$ false\n", 1, "exit status 1, expected 0: $ false"),
    ("zero where not", "$ true\nexit 3\n", 1, "exit status 0, expected 3: $ true"),
    ("right exit", "$ sh -c 'exit 3'\nexit 3\n", 0, ""),
    ("second exit", "$ true\n$ false\nexit 2\n", 1, "expected 2: $ false"),
    ("input", "$ cat d/x y\n-- d/x --\n1\n-- y (no newline) --\n2\n"
              "-- stdout (no newline) --\n1\n2\n", 0, ""),
    ("newline matters", "$ printf a\n-- stdout --\na\n", 1, "no newline"),
    ("carriage return matters", "$ printf 'a\\r\\n'\n-- stdout --\na\n", 1, "+a\r"),
    ("output", "$ cp x y\n-- x --\n1\n-- output y --\n1\n", 0, ""),
    ("wrong output", "$ cp x y\n-- x --\n1\n-- output y --\n2\n", 1, "-2\n+1\n"),
    ("no output", "$ true\n-- output y --\n2\n", 1, "y: was not written"),
    ("one folder", "$ echo 1 > a\n$ cat a\n-- stdout --\n1\n", 0, ""),
    ("bytes", "$ printf '\\377\\n'\n-- stdout --\n\udcff\n", 0, ""),
    ("version", "$ echo 9.8.7\n-- stdout --\n{VERSION}\n", 0, ""),
    ("scratch", "$ pwd\n-- stdout --\n{SCRATCH}\n", 0, ""),
    ("clean environment", "$ echo ${NO_COLOR-unset} $TZ $LANG\n-- stdout --\nunset UTC C.UTF-8\n",
     0, ""),
    ("programs", "$ tool\n-- stdout --\ntool of the build\n", 0, ""),
    ("skipped", "requires: scanner\n$ false\n", 77, "requires scanner"),
    ("unknown requirement", "requires: luck\n$ true\n", 2, "requires: luck"),
    ("no command", "-- stdout --\na\n", 2, "no '$ command' line"),
    ("unknown head line", "$ true\nexits 1\n", 2, ":2: not a comment"),
    ("twice", "$ true\n-- a --\n-- a --\n", 2, ":3: section 'a' occurs twice"),
    ("outside", "$ true\n-- ../x --\n", 2, "outside the scratch folder"),
]

BEFORE = "# Kept.\n$ cat x; echo 9.8.7; exit 4\n-- stdout --\nold {VERSION}\n-- x --\n1\n"
AFTER = "# Kept.\n$ cat x; echo 9.8.7; exit 4\nexit 4\n-- stdout --\n1\n{VERSION}\n-- x --\n1\n"


def run(folder, text, **variables):
    case = folder / "case.txt"
    case.write_bytes(text.encode("utf-8", "surrogateescape"))
    command = [sys.executable, "-B", RUNNER, "--bin", folder / "bin", "--tool-version", "9.8.7", case]
    environment = {**os.environ, "NO_COLOR": "1", "OPLEDGER_UPDATE_GOLDEN": "", **variables}
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    return done.returncode, (done.stdout + done.stderr).decode("utf-8", "surrogateescape"), case


def main():
    problems = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "bin").mkdir()
        tool = folder / "bin" / "tool"
        tool.write_text("#!/bin/sh\necho tool of the build\n")
        tool.chmod(0o755)
        for case, text, status, says in CASES:
            got, output, _ = run(folder, text)
            if got != status or says not in output:
                problems.append(f"{case}: exit {got}, expected {status} and {says!r}:\n{output}")
        got, output, case = run(folder, BEFORE, OPLEDGER_UPDATE_GOLDEN="1")
        written = case.read_text()
        if got != 0 or written != AFTER:
            problems.append(f"update: exit {got}\n{output}{written}")
        got, output, _ = run(folder, written)
        if got != 0:
            problems.append(f"after update: exit {got}\n{output}")
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
