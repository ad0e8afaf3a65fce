#!/usr/bin/env python3
"""The hook, `check --staged --against HEAD`, prints the same bytes with a warm cache as with an
empty one, whatever is edited, staged and committed, and leaves nothing behind."""
# SPDX-License-Identifier: Apache-2.0

import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/scan"))
import scanning  # noqa: E402
from scanning import expect, main  # noqa: E402

DIALECT = {
    "name": "own", "sources": ["src/**"], "include_directories": ["include"],
    "sinks": [{"macro": "REGISTER_OP"}], "chain": [{"method": "takes", "field": "attributes"}],
    "evaluation": {"names": ["Attrs"], "definitions": ["string"]},
}
PROJECT = {"dialect": "own.json", "lists": ["lists/float16.json"]}


class Repository:
    """A project that changes randomly, in the ways people change theirs."""

    def __init__(self, bin_folder, folder, seed):
        self.random = random.Random(seed)
        self.folder, self.program = folder / "repository", str(bin_folder / "opledger")
        self.folder.mkdir(parents=True)
        self.environment = {
            "PATH": "/usr/bin:/bin", "HOME": str(folder), "OPLEDGER_CACHE_DIR": str(folder / "cache"),
            "TMPDIR": str(folder / "temporary"), "LANG": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a",
            "GIT_COMMITTER_EMAIL": "a@b",
            **{name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")}}
        (folder / "temporary").mkdir()
        self.git("init", "-q", ".")
        self.put("own.json", json.dumps(DIALECT))
        self.put("opledger.json", json.dumps(PROJECT))
        self.put("include/wrap.h", "#define WRAP(name) REGISTER_OP(wrapped_##name)\n")
        self.put("src/attributes.cc", "string Attrs() { return \"axis\"; }\n")
        self.put("lists/float16.json", self.list())
        for number in range(5):
            self.put(f"src/unit_{number}.cc", self.unit(number))
        self.git("add", ".")

    def git(self, *words):
        subprocess.run(["git", *words], cwd=self.folder, env=self.environment, check=False,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def put(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_symlink():
            path.unlink()
        path.write_text(text)

    def unit(self, number):
        pieces = [f"REGISTER_OP(op_{number});\n", f"WRAP(of_{number});\n", "// a remark\n",
                  f"REGISTER_OP(takes_{number}).takes(Attrs());\n", "REGISTER_OP(shared);\n",
                  f"// opledger-ignore(unclassified-operator): a test\nREGISTER_OP(test_{number});\n",
                  f"#define OWN_{number}(x) REGISTER_OP(own_{number}_##x)\nOWN_{number}(a);\n"]
        chosen = [piece for piece in pieces if self.random.random() < 0.5]
        return '#include "wrap.h"\n' + "".join(chosen) + f"REGISTER_OP(sure_{number});\n"

    def list(self):
        names = [f"{kind}_{number}" for kind in ("op", "wrapped_of", "sure", "takes") for number in range(5)]
        places = {name: self.random.choice(["target", "fp32", "widest", "either", None]) for name in names}
        entries = {policy: [name for name in names if places[name] == policy]
                   for policy in ("target", "fp32", "widest", "either")}
        return json.dumps({"framework": "own", "target_dtype": "float16", **entries}, indent=1)

    def edit(self):
        unit = f"src/unit_{self.random.randrange(6)}.cc"
        other = f"src/unit_{self.random.randrange(6)}.cc"
        project = {**PROJECT, **self.random.choice([{}, {"severities": {"stale-entry": "off"}}, {
            "ignore": [{"operator": "op_*", "reason": "tests"}]}, {"sources": ["src/**", "more/**"]}])}
        choices = [
            (8, lambda: self.put(unit, self.unit(int(unit[9])))),
            (4, lambda: self.put("lists/float16.json", self.list())),
            (2, lambda: self.put("include/wrap.h", "#define WRAP(name) REGISTER_OP("
                                 f"wrapped{self.random.choice(['', '2'])}_##name)\n")),
            (2, lambda: self.put("src/attributes.cc", "string Attrs() { return "
                                 f"\"axis{self.random.randrange(3)}\"; }}\n")),
            (2, lambda: self.put("README", str(self.random.random()))),
            (1, lambda: self.put("opledger.json", json.dumps(project))),
            (1, lambda: self.put("own.json", json.dumps(
                {**DIALECT, "include_directories": self.random.choice([["include"], ["include", "more"]])}))),
            (1, lambda: self.put(".gitignore", self.random.choice(["*.json\n", "src/unit_1.cc\n", ""]))),
            (1, lambda: self.put("more/wrap.h", "#define WRAP(name) REGISTER_OP(more_##name)\n")),
            (1, lambda: self.put("more/unit.cc", "REGISTER_OP(more);\n")),
            (1, lambda: self.git("mv", "-f", unit, other)),
            (1, lambda: self.git("rm", "-qf", self.random.choice([unit, "lists/float16.json"]))),
            (1, lambda: (self.folder / unit).unlink(missing_ok=True)),
            (1, lambda: self.git("rm", "-q", "--cached", self.random.choice([unit, "opledger.json", "own.json"]))),
            (1, lambda: self.git("reset", "-q", "--hard")),
            (1, lambda: self.link(self.random.choice(["src/linked.cc", unit]), f"unit_{self.random.randrange(6)}.cc")),
        ]
        weights, edits = zip(*choices)
        self.random.choices(edits, weights)[0]()

    def link(self, name, target):
        path = self.folder / name
        path.unlink(missing_ok=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(target)

    def step(self):
        for _ in range(self.random.randrange(1, 4)):
            self.edit()
        chance = self.random.random()
        if chance < 0.6:
            self.git("add", "-A")
        elif chance < 0.8:
            self.git("add", f"src/unit_{self.random.randrange(6)}.cc")
        if self.random.random() < 0.3:
            self.git("commit", "-qm", "step")

    def check(self, *more, revision="HEAD"):
        done = subprocess.run([self.program, "check", "--staged", "--against", revision, *more],
                              cwd=self.folder, env=self.environment, check=False, capture_output=True)
        return done.returncode, done.stdout, done.stderr

    def left(self):
        return list(pathlib.Path(self.environment["TMPDIR"]).iterdir())


def test_what_is_kept_changes_nothing(bin_folder, folder):
    statuses = set()
    for seed in range(1 if scanning.SAMPLE else 4):
        repository = Repository(bin_folder, folder / str(seed), seed)
        for step in range(30):
            kept, anew = repository.check(), repository.check("--no-cache")
            expect(kept == anew, "seed", seed, "step", step, kept, anew)
            statuses.add(kept[0])
            repository.step()
        expect(repository.left() == [], "left behind:", repository.left())
    expect(statuses >= {0, 1, 2}, "too few kinds of changes:", statuses)


def test_damage_changes_nothing(bin_folder, folder):
    repository = Repository(bin_folder, folder, 7)
    for step in range(25):
        repository.step()
        cache = sorted(path for path in (folder / "cache").rglob("*")
                       if path.is_file() and not path.is_symlink())
        for path in repository.random.sample(cache, min(3, len(cache))):
            whole = path.read_bytes()
            path.chmod(0o600)
            path.write_bytes(repository.random.choice(
                [b"", whole[:len(whole) // 2], whole[:-1] + b"\0", b"\0" * len(whole), whole + b"x"]))
        kept, anew = repository.check(), repository.check("--no-cache")
        expect(kept == anew, "step", step, kept, anew)


def test_several_runs_at_once(bin_folder, folder):
    repository = Repository(bin_folder, folder, 3)
    for _ in range(4):
        repository.step()
        expected = repository.check("--no-cache")
        command = [repository.program, "check", "--staged", "--against", "HEAD"]
        runs = [subprocess.Popen(command, cwd=repository.folder, env=repository.environment,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(6)]
        for run in runs:
            output, errors = run.communicate()
            expect((run.returncode, output, errors) == expected, output, errors, expected)
    expect(repository.left() == [], repository.left())


def test_nothing_is_written_but_the_cache(bin_folder, folder):
    repository = Repository(bin_folder, folder, 5)
    repository.git("commit", "-qm", "one")
    before = sorted(path for path in folder.rglob("*") if "cache" not in path.parts)
    for kept in ((), ("--no-cache",)):
        repository.check(*kept)
        expect(sorted(path for path in folder.rglob("*") if "cache" not in path.parts) == before)
        expect(repository.left() == [], repository.left())


def test_a_run_that_was_ended_leaves_no_git(bin_folder, folder):
    repository = Repository(bin_folder, folder, 5)
    repository.git("commit", "-qm", "one")
    for number in range(3000):
        repository.put(f"src/more/{number}.cc", f"NNVM_REGISTER_OP(op_{number});")
    repository.git("add", ".")
    signal.signal(signal.SIGINT, signal.default_int_handler)  # otherwise children ignore it, too
    command = [repository.program, "check", "--staged", "--against", "HEAD", "--no-cache"]
    for end in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        run = subprocess.Popen(command, cwd=repository.folder, env=repository.environment,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        time.sleep(0.15)
        os.kill(run.pid, end)
        run.wait()
        started = time.monotonic()
        while subprocess.run(["pgrep", "-s", str(run.pid)], stdout=subprocess.DEVNULL).returncode == 0:
            expect(time.monotonic() < started + 20, end, "processes remain")
            time.sleep(0.02)
        expect(repository.left() == [], end, "left behind:", repository.left())
    expect(repository.check() == repository.check("--no-cache"))


if __name__ == "__main__":
    sys.exit(main(globals()))
