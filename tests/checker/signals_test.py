#!/usr/bin/env python3
"""SIGTERM, SIGHUP, Ctrl-C and even SIGKILL leave nothing in the folder for temporary files.
This holds whenever they arrive, and a reader of the output does not wait for the cleanup.
Concurrent runs share a cache.

    tests/checker/signals_test.py --bin build/bin
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

SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL)
SECONDS = 10


def make_repository(folder):
    (folder / "src").mkdir(parents=True)
    (folder / "dialect.json").write_text('{"name": "demo", "sinks": [{"macro": "R"}], "sources": ["src/**"]}')
    (folder / "opledger.json").write_text('{"dialect": "dialect.json", "lists": ["list.json"]}')
    names = [f"op_{i:04}" for i in range(400)]
    (folder / "list.json").write_text('{"framework": "demo", "target_dtype": "float16", "fp32": [%s]}'
                                      % ", ".join(f'"{name}"' for name in names))
    for name in names:
        (folder / f"src/{name}.cc").write_text(f"R({name});\n")
    user = ("-c", "user.name=a", "-c", "user.email=a@b")
    for words in (("init", "-q"), ("add", "."), (*user, "commit", "-qm", "all")):
        subprocess.run(["git", *words], cwd=folder, check=True)


def is_empty(folder):
    until = time.monotonic() + SECONDS
    while any(folder.iterdir()):
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


def interrupt(program, folder, environment, words, number, delay, problems):
    """Sends the signal some time after the folder was created."""
    temporary = pathlib.Path(environment["TMPDIR"])
    where = f"{' '.join(words)}, {number.name} after {delay} s"
    with subprocess.Popen([program, *words], cwd=folder, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        while process.poll() is None and not any(temporary.iterdir()):
            time.sleep(0.001)
        time.sleep(delay)
        process.send_signal(number)
        try:
            process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            problems.append(f"{where}: its output stays open")
            process.kill()
    if not is_empty(temporary):
        problems.append(f"{where}: left {list(temporary.iterdir())}")


def run_at_once(program, folder, environment, count, problems):
    environment = {**environment, "OPLEDGER_CACHE_DIR": str(folder / f"cache{count}")}
    for _ in range(3):  # with an empty cache, and with a warm one
        runs = [subprocess.Popen([program, "scan"], cwd=folder, env=environment, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE) for _ in range(count)]
        results = {(run.communicate(timeout=10 * SECONDS), run.returncode) for run in runs}
        if len(results) != 1 or next(iter(results))[1] != 0:
            problems.append(f"{count} runs at once: {len(results)} results: {[each[0][1][:200] for each in results]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    program = parser.parse_args().bin.resolve() / "opledger"
    if not (program.parent / "opledger-scan").exists():
        print("SKIPPED: there is no opledger-scan")
        return 77
    problems = []
    with tempfile.TemporaryDirectory() as scratch:
        folder, temporary = pathlib.Path(scratch) / "project", pathlib.Path(scratch) / "temporary"
        make_repository(folder)
        temporary.mkdir()
        environment = {**os.environ, "TMPDIR": str(temporary), "HOME": scratch,
                       "OPLEDGER_CACHE_DIR": str(folder / "cache")}
        for number in SIGNALS:
            # SIGKILL cannot be handled before the folder is watched.
            for delay in (0.03,) if number == signal.SIGKILL else (0, 0.03):
                for words in (("check", "--against", "HEAD"), ("check", "--staged")):
                    interrupt(program, folder, environment, words, number, delay, problems)
        done = subprocess.run([program, "check", "--against", "HEAD"], cwd=folder, env=environment,
                              capture_output=True, text=True, check=False)
        if done.returncode != 0 or any(temporary.iterdir()):
            problems.append(f"a run without a signal: {done.returncode} {done.stderr} {list(temporary.iterdir())}")
        for count in (2, 8):
            run_at_once(program, folder, environment, count, problems)
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
