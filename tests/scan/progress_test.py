#!/usr/bin/env python3
"""A long scan shows its progress on a terminal, in one line that is removed at the end; into a pipe
it prints nothing."""
# SPDX-License-Identifier: Apache-2.0

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FILES = 400


def said(command, folder, terminal):
    """Returns standard error."""
    if not terminal:
        return subprocess.run(command, cwd=folder, stderr=subprocess.PIPE, check=True).stderr.decode()
    ours, theirs = os.openpty()
    with subprocess.Popen(command, cwd=folder, stderr=theirs) as process:
        os.close(theirs)
        text = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # the other end is closed
                piece = b""
            if not piece:
                break
            text += piece
    os.close(ours)
    if process.returncode:
        raise RuntimeError(f"exit {process.returncode}: {text!r}")
    return text.decode()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    scanner = parser.parse_args().bin.resolve() / "opledger-scan"
    problems = []
    with tempfile.TemporaryDirectory(prefix="opledger-progress-") as name:
        folder = pathlib.Path(name)
        (folder / "src").mkdir()
        (folder / "src/wide.h").write_text("".join(f"#define WIDE_{n}(x) x\n" for n in range(3000)))
        for number in range(FILES):
            (folder / f"src/unit{number}.cc").write_text(
                f'#include "wide.h"\nNNVM_REGISTER_OP(operator_{number});\n')
        command = [scanner, "--config", "none", "--dialect", "mxnet", "--no-cache", "--mode", "exhaustive",
                   "-j", "1", "-o", "operators.json"]
        seen = said(command, folder, True)
        counts = [tuple(map(int, each)) for each in re.findall(r"\r[\w ]* (\d+) of (\d+) files", seen)]
        if not counts or counts != sorted(counts) or any(done > total for done, total in counts):
            problems.append(f"on a terminal: {seen!r}")
        if "\n" in seen or not seen.endswith("\r\x1b[K"):
            problems.append(f"the line stays: {seen[-200:]!r}")
        piped = said(command, folder, False)
        if piped:
            problems.append(f"into a pipe: {piped!r}")
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
