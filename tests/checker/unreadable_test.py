#!/usr/bin/env python3
"""Lets each stat, open, read, readlink and readdir of a scan and of a check fail once.
Each fails with each error other than "not found". The exit status is 3, or the result is correct;
and the next run, with the cache that this one left, is correct. Uses strace; skipped without it.

    tests/checker/unreadable_test.py --bin build/bin [--count N] [--seed S]
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

CALLS = {"stat": "newfstatat,statx,stat,lstat,fstat", "open": "openat,openat2", "read": "read,pread64",
         "list": "getdents64", "link": "readlink,readlinkat", "access": "access,faccessat,faccessat2"}
ERRORS = ("EACCES", "EIO", "ESTALE", "ENOMEM", "ELOOP", "ENAMETOOLONG")
VERBS = {"scan": ("scan", "-o", "-"), "check": ("check", "--output-format", "json"),
         "exhaustive": ("check", "--mode", "exhaustive", "--output-format", "json"),
         "built": ("check", "-p", "build", "--output-format", "json")}
FILES = {
    "opledger.json": '{"dialect": "dialect.json", "lists": ["lists/a.json"], "evidence": "evidence.json"}',
    "dialect.json": '{"name": "demo", "sources": ["src/**"], "extensions": [".cc"], "include_directories": '
                    '["include"], "sinks": [{"macro": "R"}], "suspicious": {"containing": "REG"}}',
    "lists/a.json": '{"framework": "demo", "target_dtype": "float16", "extends": "b.json", "fp32": ["log"]}',
    "lists/b.json": '{"framework": "demo", "target_dtype": "float16", "fp32": ["exp"]}',
    "evidence.json": '{"schema": "opledger-evidence/1", "framework": "demo", "operators": []}',
    "opledger-baseline.json": '{"schema": "opledger-baseline/1", "findings": []}',
    "include/deep/make.h": "#define MAKE(n) R(n)\n#if __has_include(\"more.h\")\n#include \"more.h\"\n#endif\n",
    "include/deep/more.h": "#define MORE(n) R(more_##n)\n",
    "src/log.cc": "R(log);  // opledger: ignore\n",
    "src/made.cc": '#include "deep/make.h"\nMAKE(hidden)\nMORE(x)\n',
    "src/sub/tanh.cc": '#include "../table.inc"\nR(tanh);\n',
    "src/table.inc": "#define R2(x) R(x)\n",
}


class Project:
    def __init__(self, programs, folder):
        self.programs, self.folder, self.project = programs, folder, folder / "project"
        self.environment = {**os.environ, "HOME": str(folder), "OPLEDGER_CACHE_DIR": str(folder / "cache")}
        for name, text in FILES.items():
            path = self.project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (self.project / "src/linked.cc").symlink_to("../include/linked.cc")
        (self.project / "include/linked.cc").write_text("R(linked);\n")
        (self.project / "build").mkdir()
        units = ["log.cc", "made.cc", "sub/tanh.cc", "linked.cc"]
        (self.project / "build/compile_commands.json").write_text("[" + ",".join(
            f'{{"directory": "{self.project}", "file": "src/{unit}", "command": "c++ -Iinclude -c src/{unit}"}}'
            for unit in units) + "]")
        subprocess.run(["git", "init", "-q"], cwd=self.project, check=True)

    def forget(self):
        shutil.rmtree(self.folder / "cache", ignore_errors=True)

    def run(self, verb, *before):
        done = subprocess.run([*before, self.programs / "opledger", *VERBS[verb]], cwd=self.project,
                              env=self.environment, capture_output=True, timeout=60, check=False)
        return done.returncode, done.stdout, done.stderr

    def counts(self, verb):
        """Returns the most calls of each kind that any process makes."""
        log = self.folder / "log"
        found = {}
        for kind, calls in CALLS.items():
            self.forget()
            self.run(verb, "strace", "-f", "-qq", "-o", log, "-e", "trace=" + self.known(calls))
            each = {}
            for process in re.findall(r"^(\d+) ", log.read_text(errors="replace"), re.MULTILINE):
                each[process] = each.get(process, 0) + 1
            found[kind] = max(each.values(), default=0)
        return found

    @staticmethod
    def known(calls):
        return ",".join("?" + call for call in calls.split(","))


def check(project, verb, kind, place, error, problems):
    where = f"{verb}: {kind} number {place} fails with {error}"
    project.forget()
    healthy = project.run(verb)
    project.forget()
    calls = Project.known(CALLS[kind])
    status, said, messages = project.run(verb, "strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={calls}", "-e",
                                         f"inject={calls}:error={error}:when={place}")
    if status == 127 and b"shared librar" in messages or b"loading shared libraries" in messages:
        return  # before the program began
    if status != 3 and (status, said) != healthy[:2]:
        problems.append(f"{where}: exit status {status}, not {healthy[0]}: {messages[-300:]!r}")
    if status == 3 and not messages and b"incomplete" not in said:
        problems.append(f"{where}: incomplete without a message")
    if project.run(verb)[:2] != healthy[:2]:
        problems.append(f"{where}: the next run is wrong")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--count", type=int, default=0, help="number of failures to sample; default: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="one verb")
    options = parser.parse_args()
    programs = options.bin.resolve()
    if not shutil.which("strace"):
        print("SKIPPED: there is no strace")
        return 77
    if b"__asan_init" in (programs / "opledger").read_bytes():
        print("SKIPPED: calls of the sanitizers would fail, not the program's alone")
        return 77
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        project = Project(programs, pathlib.Path(folder).resolve())
        cases = [(verb, kind, place, error) for verb in VERBS if options.only in ("", verb)
                 for kind, count in project.counts(verb).items() for place in range(1, count + 1) for error in ERRORS]
        if options.count:
            random.Random(options.seed).shuffle(cases)
        for case in cases[:options.count or None]:
            check(project, *case, problems)
        print(f"{len(cases[:options.count or None])} of {len(cases)} failures, {len(problems)} problems")
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
