#!/usr/bin/env python3
"""Truncates a model's data while convert, run, compare or inspect reads it: the program prints one
message that names the file, exits with status 2, and writes nothing. The test stops the program as
soon as it has mapped the file, then truncates it.

    tests/kernels/shrinking_model_test.py --bin build/bin
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from make_onnx import model_bytes  # noqa: E402

ROWS, COLUMNS = 8192, 4096  # 128 MiB of float32, which take a while to read
ATTEMPTS = 8  # the program may already have read the truncated part
SENTENCE = "data.bin: error: another program truncated this file while it was being read"


def write_model(folder):
    model = {"opset": 17, "inputs": {"x": ["float32", [1, ROWS]]}, "outputs": {"y": ["float32", [1, COLUMNS]]},
             "initializers": {"w": ["float32", [ROWS, COLUMNS], [0.5], "data.bin", False]},
             "nodes": [["MatMul", ["x", "w"], ["y"]]]}
    (folder / "m.onnx").write_bytes(model_bytes(model, folder))
    restore(folder)


def restore(folder):
    os.truncate(folder / "data.bin", 4)
    os.truncate(folder / "data.bin", 4 * ROWS * COLUMNS)


def has_mapped(process):
    try:
        return "data.bin" in pathlib.Path(f"/proc/{process.pid}/maps").read_text(encoding="utf-8")
    except OSError:
        return False


def run_while_it_shrinks(command, folder):
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        until = time.monotonic() + 60
        while process.poll() is None and not has_mapped(process) and time.monotonic() < until:
            pass
        if process.poll() is None:
            process.send_signal(signal.SIGSTOP)
            os.truncate(folder / "data.bin", 4)
            process.send_signal(signal.SIGCONT)
        out, error = process.communicate(timeout=120)
    return process.returncode, out, error


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    programs = parser.parse_args().bin.resolve()
    opledger = programs / "opledger"
    verbs = {"convert": ["convert", "m.onnx", "-o", "out.onnx"],
             "storage": ["convert", "m.onnx", "-o", "out.onnx", "--storage-only", "--sidecar", "out.sidecar"],
             "run": ["run", "m.onnx", "--input", "x=random", "-o", "out"],
             "compare": ["compare", "m.onnx", "--autocast", "float16", "-o", "out"]}
    problems = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_model(folder)
        before = sorted(path.name for path in folder.iterdir())
        for verb, words in verbs.items():
            for attempt in range(ATTEMPTS):
                restore(folder)
                status, out, error = run_while_it_shrinks([opledger, *words], folder)
                if status != 0:
                    break
                for path in folder.glob("out*"):
                    subprocess.run(["rm", "-r", path], check=True)
            left = sorted(path.name for path in folder.iterdir())
            if status != 2 or SENTENCE not in error or out or left != before:
                problems.append(f"{verb}, attempt {attempt}: {status} {out!r} {error!r}, left {left}")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
