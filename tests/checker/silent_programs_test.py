#!/usr/bin/env python3
"""Tests programs that hang, answer incompletely, print endlessly, or leave a child on their pipe.
opledger runs git and its own siblings. It prints one sentence and exits with status 2 within a time
limit, and uses no more memory than a listing needs.

    tests/checker/silent_programs_test.py --bin build/bin
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from peak_memory import peak_memory  # noqa: E402

MOST_MEMORY = 400 << 20
LONGEST = 25  # seconds for a run with a limit of one second, on a busy machine
GIT = """#!/bin/sh
real={git}
case "$FAKE" in
sleep) sleep 600 ;;
busy) while :; do :; done ;;
deaf) trap '' TERM; while :; do sleep 600; done ;;
left) sleep 600 >&1 & exec $real "$@" ;;
endless) exec yes ;;
listing) case "$*" in *ls-tree*|*ls-files*) exec {python} {listing} "$*" ;; *) exec $real "$@" ;; esac ;;
long) case "$*" in *ls-tree*|*ls-files*) exec head -c 300000000 /dev/zero ;; *) exec $real "$@" ;; esac ;;
wide) case "$*" in *rev-parse*) head -c 300000000 /dev/zero | tr '\\0' x ;; *) exec $real "$@" ;; esac ;;
half) case "$*" in *cat-file*) read id; printf '%s blob 1000\\nhalf' "$id"; sleep 600 ;; *) exec $real "$@" ;; esac ;;
torn) case "$*" in *cat-file*) read id; printf '%s blob 1000\\nhalf' "$id" ;; *) exec $real "$@" ;; esac ;;
*) exec $real "$@" ;;
esac
"""
LISTING = """import sys
head = "100644 " + "a" * 40 + " 0" if "ls-files" in sys.argv[1] else "100644 blob " + "a" * 40
for i in range(300):
    sys.stdout.write("".join(f"{head}\\tsrc/{'d' * 30}/file{i:06}{j:06}.cc\\0" for j in range(10000)))
"""
# What git does -> message, and the verb to run. The listing has a record for each of 3 million
# files.
CASES = [
    ("sleep", "against", "git has not answered for 1 s: git rev-parse"),
    ("sleep", "staged", "git has not answered for 1 s: git ls-files"),
    ("sleep", "history", "git has not answered for 1 s: git rev-parse"),
    ("busy", "against", "git has not answered for 1 s"),
    ("deaf", "against", "git has not answered for 1 s"),
    ("endless", "against", "git printed more than 16 MiB"),
    ("wide", "against", "git printed more than 16 MiB"),
    ("listing", "against", "git listed more than 1000000 items"),
    ("listing", "staged", "git listed more than 1000000 items"),
    ("long", "against", "git listed more than 1000000 items"),
    ("half", "against", "git has not answered for 1 s"),
    ("torn", "against", "git has ended or sent an invalid answer"),
]
VERBS = {"against": ["check", "--against", "HEAD"], "staged": ["check", "--staged"],
         "history": ["history"]}


class Runs:
    def __init__(self, programs, folder):
        self.folder, self.problems = folder, []
        self.bin = folder / "bin"
        self.bin.mkdir()
        for name in ("opledger", "opledger-scan", "opledger-scan-ast", "opledger-convert", "opledger-run"):
            if (programs / name).exists():
                shutil.copy(programs / name, self.bin / name)
        self.environment = {**os.environ, "OPLEDGER_DATA_DIR": str(programs.parent / "share/opledger"),
                            "OPLEDGER_CACHE_DIR": str(folder / "cache"), "HOME": str(folder)}
        self.environment.pop("GIT_DIR", None)
        self.project = folder / "project"
        (self.project / "src").mkdir(parents=True)
        files = {"dialect.json": '{"name": "demo", "sinks": [{"macro": "R"}], "sources": ["src/**"]}',
                 "opledger.json": '{"dialect": "dialect.json", "lists": ["list.json"]}',
                 "list.json": '{"framework": "demo", "target_dtype": "float16", "fp32": ["a"]}',
                 "src/a.cc": "R(a);\n"}
        for name, text in files.items():
            (self.project / name).write_text(text)
        user = ("-c", "user.name=a", "-c", "user.email=a@b")
        for words in (("init", "-q"), ("add", "."), (*user, "commit", "-qm", "all")):
            subprocess.run(["git", *words], cwd=self.project, check=True)
        self.fake_git()

    def fake_git(self):
        fakes = self.folder / "fakes"
        fakes.mkdir()
        (fakes / "listing.py").write_text(LISTING)
        (fakes / "git").write_text(GIT.format(git=shutil.which("git"), python=sys.executable,
                                              listing=fakes / "listing.py"))
        (fakes / "git").chmod(0o755)
        self.environment["PATH"] = f"{fakes}:{self.environment['PATH']}"

    def run(self, words, fake="", timeout=LONGEST):
        """Returns exit status, standard output, standard error, seconds. Output goes to files,
        since a child may hold a pipe open."""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as error:
            began = time.monotonic()
            with subprocess.Popen([self.bin / "opledger", *words], cwd=self.project, stdout=out, stderr=error,
                                  stdin=subprocess.DEVNULL, env={**self.environment, "FAKE": fake}) as process:
                try:
                    process.wait(timeout=timeout)
                except subprocess.TimeoutExpired:
                    process.kill()
            took = time.monotonic() - began
            texts = []
            for file in (out, error):
                file.seek(0)
                texts.append(file.read().decode())
        return process.returncode, *texts, took

    def expect(self, where, condition, seen):
        if not condition:
            self.problems.append(f"{where}: {seen}")

    def check_git(self):
        for fake, verb, message in CASES:
            limit = "20" if fake in ("listing", "long", "wide") else "1"
            os.environ.update({**self.environment, "FAKE": fake})
            began = time.monotonic()
            memory, status, error = peak_memory(
                [str(self.bin / "opledger"), "--git-timeout", limit, *VERBS[verb]], self.project)
            took = time.monotonic() - began
            where = f"git that does '{fake}', {verb}"
            self.expect(where, status in (2, 3) and message in error, (status, error))
            self.expect(where, took < LONGEST * (1 if limit == "1" else 3), f"{took:.1f} s")
            self.expect(where, memory < MOST_MEMORY, f"{memory >> 20} MiB")
        os.environ.pop("FAKE")

    def check_left_child(self):
        for verb in ("against", "staged"):
            healthy = self.run(VERBS[verb])
            left = self.run(VERBS[verb], fake="left", timeout=5 * LONGEST)
            self.expect(f"git that leaves a child, {verb}", left[:2] == healthy[:2], (healthy, left))

    def replace(self, name, script):
        real = self.bin / f"real-{name}"
        if not real.exists():
            (self.bin / name).rename(real)
        (self.bin / name).write_text(f"#!/bin/sh\nreal={real}\n{script}\n")
        (self.bin / name).chmod(0o755)

    def start_with_a_sleeping_scanner(self):
        """Starts a check whose scanner sleeps. The time limit of its first answer cannot be set: it is a minute."""
        programs = self.folder / "asleep"
        programs.mkdir()
        shutil.copy(self.bin / "opledger", programs)
        (programs / "opledger-scan").write_text("#!/bin/sh\nexec sleep 600\n")
        (programs / "opledger-scan").chmod(0o755)
        return subprocess.Popen([programs / "opledger", "check"], cwd=self.project, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=self.environment)

    def check_sleeping_scanner(self, process):
        error = process.communicate(timeout=100)[1]
        self.expect("a scanner that sleeps",
                    process.returncode == 2 and "opledger-scan has been inactive for 60 s" in error, error)

    def check_scanner(self):
        healthy = self.run(["check"])
        self.replace("opledger-scan", 'sleep 600 & exec $real "$@"')
        left = self.run(["check"], timeout=2 * LONGEST)
        self.expect("a scanner that leaves a child", left[:2] == healthy[:2], (healthy, left))
        self.replace("opledger-scan",
                     'case "$*" in *--for-check*) $real "$@" | head -c 60 ;; *) exec $real "$@" ;; esac')
        half = self.run(["check"])
        self.expect("a scanner that answers incompletely", half[0] == 2 and "error" in half[2], half)
        self.replace("opledger-scan", 'kill -9 $$')
        killed = self.run(["check"])
        self.expect("a scanner that is killed", killed[0] == 2 and "killed by signal 9" in killed[2], killed)
        self.replace("opledger-scan", 'exec yes')
        endless = self.run(["check"], timeout=4 * LONGEST)
        self.expect("a scanner that does not end", endless[0] == 2 and "more than 1 GiB" in endless[2], endless)

    def check_completion(self):
        self.replace("opledger-convert", 'exec sleep 600')
        done = self.run(["__complete", "convert", "--"])
        self.expect("completion with a sibling that sleeps", done[0] == 0 and done[3] < LONGEST, done)
        done = self.run(["__complete", "check", "--against", ""], fake="sleep")
        self.expect("completion with a git that sleeps", done[0] == 0 and done[3] < LONGEST, done)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    programs = parser.parse_args().bin.resolve()
    if not (programs / "opledger-scan").exists() or shutil.which("git") is None:
        print("SKIPPED: there is no opledger-scan, or no git")
        return 77
    with tempfile.TemporaryDirectory() as name:
        runs = Runs(programs, pathlib.Path(name))
        asleep = runs.start_with_a_sleeping_scanner()
        runs.check_git()
        runs.check_left_child()
        runs.check_completion()
        runs.check_scanner()
        runs.check_sleeping_scanner(asleep)
    for problem in runs.problems:
        print(problem)
    return 1 if runs.problems else 0


if __name__ == "__main__":
    sys.exit(main())
