#!/usr/bin/env python3
"""Drives `opledger classify --interactive` on a pseudo-terminal: answering, skipping, undoing,
quitting. Every answer is written at once, as the smallest edit. Undoing an answer restores the file
byte for byte."""
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import os
import pathlib
import pty
import select
import sys
import tempfile

NAMES = ("abs", "exp", "log", "sin")
LIST = '{\n  "framework": "demo",\n  "target_dtype": "%s",\n  "fp32": [\n    "sqrt"\n  ]\n}\n'


def make_project(folder):
    operators = [{"name": name, "sites": [{"path": "src/ops.cc", "line": line, "column": 1, "end_line": line,
                                           "end_column": 4}]} for line, name in enumerate((*NAMES, "sqrt"), 1)]
    (folder / "operators.json").write_text(json.dumps(
        {"schema": "opledger-operators/1", "dialect": "demo", "operators": operators}))
    (folder / "opledger.json").write_text('{"lists": ["f.json", "b.json"]}\n')
    (folder / "f.json").write_text(LIST % "float16")
    (folder / "b.json").write_text(LIST % "bfloat16")


def session(program, folder, lines):
    """Types each line after a prompt; returns what the program shows and its exit status."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.execv(program, [str(program), "classify", "--interactive", "--operators", "operators.json"])
    shown, lines = b"", list(lines)
    while True:
        ready, _, _ = select.select([terminal], [], [], 60)
        try:
            piece = os.read(terminal, 65536) if ready else b""
        except OSError:  # it has ended
            piece = b""
        shown += piece
        if not piece:
            break
        if shown.endswith(b": ") and lines:
            os.write(terminal, lines.pop(0).encode() + b"\n")
    return shown.decode(), os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def policies(path):
    return {policy: entries for policy, entries in json.loads(path.read_text()).items()
            if policy not in ("framework", "target_dtype")}


def derived_problems(program, folder):
    """Answers edit the framework's own file, and undoing restores it."""
    make_project(folder)
    rows = "LOW = ['cos']\nFULL = [\n    'sqrt',\n]\n"
    (folder / "amp.py").write_text(rows)
    (folder / "opledger.json").write_text('{"lists": ["f.json"]}\n')
    (folder / "f.json").write_text(json.dumps(
        {"framework": "demo", "target_dtype": "float16", "derived_from": [
            {"file": "amp.py", "format": "python", "map": {"LOW": "target", "FULL": "fp32"}}]}))
    before = (folder / "f.json").read_bytes()
    shown, status = session(program, folder, ["2", "", "1", "", "u", "q"])
    expected = rows.replace("    'sqrt'", "    'abs',\n    'sqrt'")
    if (folder / "amp.py").read_text() != expected or (folder / "f.json").read_bytes() != before or status:
        return [f"derived: exit {status}: {(folder / 'amp.py').read_text()}", shown]
    return []


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    program = parser.parse_args().bin.resolve() / "opledger"
    problems = []
    with tempfile.TemporaryDirectory(prefix="opledger-turn-") as scratch:
        folder = pathlib.Path(scratch)
        make_project(folder)
        # abs: either, with a note; exp: fp32, undone, then conditional; log: skipped; sin: an
        # invalid answer, then quit.
        shown, status = session(program, folder, [
            "5", "exact", "2", "", "u", "4", "mode", "a, b", "", "s", "x", "q"])
        said = {"f.json": policies(folder / "f.json"), "b.json": policies(folder / "b.json")}
        expected = {"fp32": ["sqrt"], "either": [{"op": "abs", "note": "exact"}],
                    "conditional": [{"op": "exp", "attribute": "mode", "values": ["a", "b"], "then": "fp32"}]}
        for name, found in said.items():
            if found != expected:
                problems.append(f"{name}: {found}")
        for words in ("[1/4] src/ops.cc:1:1: abs", "[2/4]", "float16:", "bfloat16:", " restored",
                      "2 operators classified, 2 left"):
            if words not in shown:
                problems.append(f"not shown: {words}")
        if status:
            problems.append(f"exit {status}")
        make_project(folder)
        before = (folder / "f.json").read_bytes()
        session(program, folder, ["2", "", "u", "q"])
        if (folder / "f.json").read_bytes() != before:
            problems.append("an undone answer changed the file")
        problems += derived_problems(program, folder)
        if problems:
            problems.append(shown)
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
