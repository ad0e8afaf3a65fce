#!/usr/bin/env python3
"""Each kind of system call of each verb fails, at several places: the program says so and exits with 2 or
3, or does without the call and gives what it gives otherwise. It never crashes and never hangs; outputs are
old or new; the cache serves the next run right. By strace; skipped by name without it.

    tests/checker/failing_calls_test.py --bin build/bin [--all]
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from make_onnx import model_bytes  # noqa: E402

# Call -> the error that it fails with.
CALLS = {"openat": "EIO", "openat2": "EIO", "read": "EIO", "pread64": "EIO", "write": "ENOSPC", "fsync": "EIO",
         "rename": "ENOSPC", "fchmod": "EPERM", "flock": "ENOLCK", "getdents64": "EIO", "mkdir": "ENOSPC",
         "pipe2": "EMFILE", "clone": "EAGAIN", "memfd_create": "EMFILE", "lseek": "EIO", "fstat": "EIO",
         "newfstatat": "EIO", "mmap": "ENOMEM", "getcwd": "EIO", "chdir": "EIO", "execve": "EIO", "poll": "EINTR",
         "wait4": "EINTR", "unlink": "EIO", "statx": "EIO", "dup2": "EBUSY", "setrlimit": "EPERM",
         "prlimit64": "EPERM", "landlock_create_ruleset": "ENOSYS", "seccomp": "EINVAL", "prctl": "EINVAL"}
VERBS = {
    "scan": ("scan", "-o", "out"), "check": ("check", "--output-format", "json=out"),
    "docs": ("docs", "-o", "out", "--format", "md"), "classify": ("classify", "exp", "--as", "fp32"),
    "baseline": ("baseline", "write"), "shard": ("scan", "--shard", "1/1", "-o", "out"),
    "merge": ("merge", "facts", "-o", "out"), "convert": ("convert", "m.onnx", "-o", "out"),
    "inspect": ("inspect", "m.onnx"), "run": ("run", "m.onnx", "--input", "x=random"),
    "staged": ("check", "--staged", "--output-format", "json=out"), "config": ("config", "show"),
    "explain": ("explain", "exp", "--operators", "ops.json")}
OUTPUTS = ("out", "list.json", "opledger-baseline.json")
SECONDS = 60
PLACES = (1, 2, 3, 5, 9, 17, 40)


class Project:
    def __init__(self, programs, folder):
        self.programs, self.folder = programs, folder
        self.environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(folder),
                            "OPLEDGER_CACHE_DIR": str(folder / "cache"), "TMPDIR": str(folder / "tmp")}
        (folder / "tmp").mkdir()
        self.project = folder / "project"
        (self.project / "src").mkdir(parents=True)
        self.reset()
        for words in (("git", "init", "-q"), ("git", "add", ".")):
            subprocess.run(words, cwd=self.project, check=True)
        for verb in ("scan", "shard"):
            subprocess.run(["opledger", *VERBS[verb]], cwd=self.project, env=self.environment, check=True,
                           stderr=subprocess.DEVNULL)
            (self.project / "out").rename(self.project / {"scan": "ops.json", "shard": "facts"}[verb])

    def reset(self):
        project = self.project
        (project / "dialect.json").write_text('{"name": "demo", "sinks": [{"macro": "R"}], "sources": ["src/**"]}')
        (project / "opledger.json").write_text('{"dialect": "dialect.json", "lists": ["list.json"]}')
        (project / "list.json").write_text('{"framework": "demo", "target_dtype": "float16", "fp32": ["log"]}\n')
        for name in ("exp", "log", "tanh"):
            (project / f"src/{name}.cc").write_text(f"R({name});\n")
        (project / "m.onnx").write_bytes(model_bytes(
            {"opset": 17, "inputs": {"x": ["float32", [1, 4]]}, "outputs": {"y": ["float32", [1, 4]]},
             "nodes": [["Relu", ["x"], ["y"], {"name": "only"}]]}))
        (project / "opledger-baseline.json").unlink(missing_ok=True)
        (project / "out").write_text("old")
        shutil.rmtree(self.folder / "cache", ignore_errors=True)

    def run(self, verb, *before):
        done = subprocess.run([*before, self.programs / "opledger", *VERBS[verb]], cwd=self.project,
                              env=self.environment, capture_output=True, timeout=SECONDS, check=False)
        return done.returncode, done.stdout, self.outputs(), done.stderr

    def outputs(self):
        paths = {name: self.project / name for name in OUTPUTS}
        return {name: path.read_bytes() if path.exists() else None for name, path in paths.items()}


def counted(project, verb):
    """How many of each call a run makes, all its processes together."""
    log = project.folder / "log"
    project.run(verb, "strace", "-f", "-qq", "-o", str(log), "-e", "trace=" + ",".join(CALLS))
    return collections.Counter(re.findall(r"^\d+ +(\w+)\(", log.read_text(errors="replace"), re.MULTILINE))


def check(project, verb, call, place, problems):
    where = f"{verb}: {call} number {place} fails"
    project.reset()
    before = project.outputs()
    status, stdout, outputs, _ = project.run(verb)
    project.reset()
    inject = f"inject={call}:error={CALLS[call]}:when={place}"
    try:
        failed, said, left, messages = project.run(verb, "strace", "-f", "-qq", "-o", "/dev/null", "-e",
                                                   f"trace={call}", "-e", inject)
    except subprocess.TimeoutExpired:
        problems.append(f"{where}: hangs")
        return
    loader = failed == 127 and b"shared librar" in messages or b"cannot allocate TLS" in messages
    if failed not in (0, 1, 2, 3) and not loader:
        problems.append(f"{where}: exit status {failed}: {messages[-300:]!r}")
    if failed in (2, 3) and not messages:
        problems.append(f"{where}: exit status {failed} without a word")
    # What could not be read is said in the output, too.
    warned = b"warning:" in messages or any(b"incomplete" in (each or b"") for each in (said, *left.values()))
    if failed == status and failed in (0, 1) and (said, left) != (stdout, outputs) and not warned:
        problems.append(f"{where}: another result: {messages[-300:]!r}")
    if failed in (0, 1) and failed != status:
        problems.append(f"{where}: exit status {failed}, not {status}")
    for name, content in left.items():
        if failed != 3 and not warned and content not in (before[name], outputs[name]):
            problems.append(f"{where}: {name} is neither old nor new: {content[:80]!r}")
    # The cache that the failed run left serves the next one.
    (project.project / "out").write_text("old")
    (project.project / "list.json").write_text('{"framework": "demo", "target_dtype": "float16", "fp32": ["log"]}\n')
    (project.project / "opledger-baseline.json").unlink(missing_ok=True)
    if project.run(verb)[:3] != (status, stdout, outputs):
        problems.append(f"{where}: the next run is not right")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--all", action="store_true", help="every call, not a sample")
    parser.add_argument("--every", type=int, default=1, help="of a verb, only every Nth kind of call")
    parser.add_argument("--only", default="", help="one verb")
    options = parser.parse_args()
    programs = options.bin.resolve()
    for program, why in (("strace", shutil.which("strace")), ("opledger-scan", (programs / "opledger-scan").exists())):
        if not why:
            print(f"SKIPPED: there is no {program}")
            return 77
    if b"__asan_init" in (programs / "opledger").read_bytes():
        print("SKIPPED: calls of the sanitizers would fail, not the program's alone")
        return 77
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        project = Project(programs, pathlib.Path(folder))
        for number, verb in enumerate(VERBS):
            if options.only not in ("", verb):
                continue
            for call, count in sorted(counted(project, verb).items())[number % options.every::options.every]:
                places = range(1, count + 1) if options.all else {
                    min(PLACES[(number + len(call)) % len(PLACES)], count), count}
                for place in places:
                    check(project, verb, call, place, problems)
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
