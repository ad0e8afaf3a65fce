#!/usr/bin/env python3
"""Every program that reads untrusted files does so in the sandbox.
Its standard output is a full pipe, so that it has to wait, and /proc shows that it has no new
privileges and filters calls. With strace, also checks that it entered the sandbox before it opened
the input, and that no call it needs is refused. Skipped if the kernel has no sandbox.

    tests/checker/sandbox_test.py --bin build/bin
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import fcntl
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from make_onnx import model_bytes  # noqa: E402

MODEL = {"opset": 17, "inputs": {"x": ["float32", [2, 2]]}, "outputs": {"y": ["float32", [2, 2]]},
         "initializers": {"w": ["float32", [2, 2], [0.1, 0.2, 0.3, 0.4]]},
         "nodes": [["MatMul", ["x", "w"], ["y"], {"name": "only"}]]}
VERBS = {
    "convert": "convert m.onnx -o out.onnx", "dry-run": "convert m.onnx --dry-run",
    "verify": "convert m.onnx -o out.onnx --verify", "inspect": "inspect m.onnx",
    "revert": "revert m16.onnx -o back.onnx --sidecar of.sidecar", "run": "run m.onnx --input x=random",
    "compare": "compare m.onnx m16.onnx", "tune": "tune m.onnx --max-error 1e-6 -o tuned.json",
    "characterize": "characterize --operators ^Relu$",
}
# In the sandbox are the processes that bench starts, not bench itself, and the workers of a scan.
TRACED = {**VERBS, "bench": "bench m.onnx --runs 1", "scan": "scan --no-cache -o out.json"}
INPUTS = r'"[^"]*(?:m|m16)\.onnx"|"[^"]*src/[^"]*\.cc"'
FALLS_BACK = ("clone3(",)  # if it is refused, the C library uses clone instead
SECONDS = 30


def full_pipe():
    """Returns (read end, write end) of a full pipe."""
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETFL, os.O_NONBLOCK)
    try:
        while True:
            os.write(writing, bytes(4096))
    except BlockingIOError:
        fcntl.fcntl(writing, fcntl.F_SETFL, 0)
    return reading, writing


def is_kept(process):
    """Returns whether the process is in the sandbox, at the latest when it waits for its reader."""
    status = ""
    for _ in range(SECONDS * 20):
        try:
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        except OSError:
            return False
        if "Seccomp:\t2" in status and "NoNewPrivs:\t1" in status:
            return True
        if process.poll() is not None:
            return False
        time.sleep(0.05)
    return False


def waits_in_sandbox(program, words, folder, environment):
    reading, writing = full_pipe()
    with subprocess.Popen([program, *words], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=writing,
                          stderr=subprocess.DEVNULL) as process:
        os.close(writing)
        kept = is_kept(process)
        os.close(reading)
        process.wait(SECONDS)
    return kept


def traced_calls(program, words, folder, environment):
    """Returns (process, call with its result) for each call of the program and its children, as
    strace prints them."""
    log = folder / "trace"
    subprocess.run(["strace", "-f", "-qq", "-y", "-o", log, program, *words], cwd=folder, env=environment,
                   stdin=subprocess.DEVNULL, capture_output=True, timeout=240, check=False)
    begun, calls = {}, []
    for line in log.read_text(errors="replace").splitlines():
        process, _, call = line.partition(" ")
        call = call.strip()
        if call.endswith("<unfinished ...>"):  # output of another process follows
            begun[process] = call.removesuffix("<unfinished ...>")
            continue
        if rest := re.match(r"<\.\.\. \w+ resumed>(.*)", call):
            call = begun.pop(process, "") + rest[1].strip()
        calls.append((process, call))
    return calls


def wrong_calls(program, words, folder, environment):
    """Returns problems: inputs that a process read before it entered the sandbox, no input read
    inside, or calls that the program needs and the sandbox refuses."""
    calls = traced_calls(program, words, folder, environment)
    landlock, seccomp, within, problems = set(), set(), 0, []
    first = calls[0][0] if calls else ""
    for process, call in calls:
        if found := re.match(r"(?:clone|clone3|fork|vfork)\(.*= (\d+)", call):
            for kept in (landlock, seccomp):
                if process in kept:
                    kept.add(found[1])
        elif "landlock_restrict_self" in call and call.endswith("= 0"):
            landlock.add(process)
        elif call.startswith("prctl(PR_SET_SECCOMP") and call.endswith("= 0"):
            seccomp.add(process)
        elif call.startswith("openat") and re.search(INPUTS, call) and re.search(r"= \d+", call) and \
                "O_PATH" not in call and "O_WRONLY" not in call:
            if process in landlock and process in seccomp:
                within += 1
            elif process != first or words[0] != "bench":
                problems.append(f"read outside the sandbox: {call[:160]}")
        elif process in seccomp and re.search(r"= -1 (EPERM|ENOSYS) ", call) and not call.startswith(FALLS_BACK):
            problems.append(f"needed but denied: {call[:160]}")
    return problems or ([] if within or "characterize" in words else ["no input was read"])


def problems_of(binaries, folder):
    (folder / "src").mkdir()
    (folder / "m.onnx").write_bytes(model_bytes(MODEL))
    for number in range(3):
        (folder / f"src/a{number}.cc").write_text(f"REGISTER(op{number});\n")
    (folder / "dialect.json").write_text(json.dumps({"name": "demo", "sinks": [{"macro": "REGISTER"}],
                                                     "sources": ["src/**"]}))
    (folder / "opledger.json").write_text('{"dialect": "dialect.json"}')
    environment = {**os.environ, "OPLEDGER_CACHE_DIR": str(folder / "cache"), "HOME": str(folder)}
    opledger = binaries / "opledger"
    subprocess.run([opledger, *"convert m.onnx -o m16.onnx -q --sidecar of.sidecar".split()], cwd=folder, env=environment,
                   check=True, stdout=subprocess.DEVNULL)
    problems = [f"{verb}: waits outside the sandbox" for verb, line in VERBS.items()
                if not waits_in_sandbox(opledger, line.split(), folder, environment)]
    if shutil.which("strace") is None:
        print("SKIPPED the checks with strace: strace is missing")
        return problems
    for verb, line in TRACED.items():
        found = wrong_calls(opledger, line.split(), folder, environment)
        problems += [f"{verb}: {each}" for each in found]
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    binaries = parser.parse_args().bin.resolve()
    for program in ("opledger-scan", "opledger-convert", "opledger-run"):
        if not (binaries / program).exists():
            print(f"SKIPPED: {program} was not built")
            return 77
    if b"__asan_init" in (binaries / "opledger").read_bytes():
        print("SKIPPED: the sandbox has no seccomp if built with AddressSanitizer")
        return 77
    said = subprocess.run([binaries / "opledger", "doctor", "--format", "json"], capture_output=True, text=True, check=False)
    if "Landlock" not in said.stdout or "seccomp" not in said.stdout:
        print("SKIPPED: this kernel has no Landlock, or no seccomp")
        return 77
    with tempfile.TemporaryDirectory(prefix="opledger-sandbox-") as folder:
        problems = problems_of(binaries, pathlib.Path(folder))
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
