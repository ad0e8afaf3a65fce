#!/usr/bin/env python3
"""Tests each global flag before and after each verb that --help lists, in every program.
Apart from the flag's purpose, exit status, output and written files are those of a run without it.
Help lists the flags, and completion offers them.

    tests/checker/global_flags_test.py --bin build/bin [--verb convert]
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import itertools
import json
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

MODEL = {"opset": 17, "inputs": {"x": ["float32", [2, 2]]}, "outputs": {"y": ["float32", [2, 2]]},
         "initializers": {"w": ["float32", [2, 2], [0.1, 0.2, 0.3, 0.4]]},
         "nodes": [["MatMul", ["x", "w"], ["y"], {"name": "only"}]]}
COMMANDS = {
    "init": "init --dialect dialect.json", "config": "config validate", "doctor": "doctor",
    "completion": "completion bash",
    "check": "check --no-cache --output-format concise", "explain": "explain exp --operators ops.json",
    "baseline": "baseline write", "diff": "diff ops.json ops.json", "history": "history", "lsp": "lsp",
    "scan": "scan --no-cache", "merge": "merge of.facts",
    "classify": "classify own --as fp32 --unchecked --list list.json",
    "docs": "docs --operators ops.json --format json", "import": "import lists.py", "lists": "lists sync",
    "convert": "convert m.onnx -o out.onnx", "inspect": "inspect m.onnx", "revert": "revert m16.onnx -o back.onnx",
    "compare": "compare m.onnx m16.onnx", "tune": "tune m.onnx --max-error 1 -o tuned.json",
    "run": "run m.onnx --input x=random", "bench": "bench m.onnx --runs 1",
    "characterize": "characterize --operators ^Relu$",
}
# Output varies: times, and properties of earlier runs and of the flags.
VARIES = {"bench", "doctor"}
REFUSED = {"init", "lists"}  # the project exists already, and has no lists
SAME = {"-C": ["-C", "."], "-C twice": ["-C", "src", "-C", ".."], "--config": ["--config", "opledger.json"],
        "--config=": ["--config=opledger.json"], "--color": ["--color", "never"], "--color=": ["--color=auto"],
        "several": ["--color", "never", "-C", ".", "--config", "opledger.json"]}
FLAGS = ("-C", "--config", "--color", "-q")


def make_project(folder, program, environment):
    (folder / "src").mkdir(parents=True)
    (folder / "src/a.cc").write_text("REGISTER(exp);\nREGISTER(own);\n")
    dialect = {"name": "demo", "sinks": [{"macro": "REGISTER"}], "sources": ["src/**"]}
    (folder / "dialect.json").write_text(json.dumps(dialect))
    (folder / "opledger.json").write_text('{"dialect": "dialect.json", "lists": ["list.json"]}\n')
    (folder / "list.json").write_text('{"framework": "demo", "target_dtype": "float16", "fp32": ["exp"]}\n')
    (folder / "lists.py").write_text("FP16_FUNCS = ['own']\nFP32_FUNCS = ['exp']\n")
    (folder / "m.onnx").write_bytes(model_bytes(MODEL))
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *words], cwd=folder, env=environment, check=True)
    for words in ("scan --no-cache -o ops.json", "scan --no-cache --shard 1/1 -o of.facts",
                  "convert m.onnx -o m16.onnx -q"):
        subprocess.run([program, *words.split()], cwd=folder, env=environment, check=True, stderr=subprocess.DEVNULL)


class Runner:
    def __init__(self, program, project, folder, environment):
        self.program, self.project, self.folder, self.environment = program, project, folder, environment
        self.place = folder / "run/tree"

    def run(self, words, place=None):
        """Returns status, output, messages and files of a run in a copy of the project."""
        shutil.rmtree(self.folder / "run", ignore_errors=True)
        left_out = None if "history" in words else shutil.ignore_patterns(".git")
        shutil.copytree(self.project, self.place, ignore=left_out)
        done = subprocess.run([self.program, *words], cwd=place or self.place, env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False)
        files = {str(path.relative_to(self.place)): path.read_bytes() for path in sorted(self.place.rglob("*"))
                 if path.is_file() and ".git" not in path.parts}
        return done.returncode, done.stdout, done.stderr, files


def problems_of(verb, runner, turns=None):
    """`turns`: tries each flag at one place only, the next in turn."""
    words = COMMANDS[verb].split()
    def places(flags):
        lines = [("before", [*flags, *words]), ("after", [*words, *flags]), ("between", [words[0], *flags, *words[1:]])]
        return lines if turns is None else [lines[next(turns)]]
    usual = runner.run(words)
    def differs(found, how):
        parts = [name for name, one, other in zip(("status", "output", "messages", "files"), usual, found)
                 if one != other and not (verb in VARIES and name in ("output", "messages"))]
        said = f"{found[0]} {found[1][-200:]!r} {found[2][-300:]!r}"
        return [f"{verb} with {how}: {', '.join(parts)} differ: {said}"] if parts else []
    problems = [] if usual[0] in (0, 1) or verb in REFUSED else [f"{verb} fails by itself: {usual[2]!r}"]
    for name, flags in SAME.items():
        for where, line in places(flags):
            problems += differs(runner.run(line), f"{name} {where}")
    away = runner.folder / "run"
    problems += differs(runner.run(["-C", "tree", *words], away), "-C from above, before")
    problems += differs(runner.run([*words, "-C", "tree"], away), "-C from above, after")
    problems += differs(runner.run(["-Ctree", *words], away), "-Ctree before")
    for flags in (["-q"], ["--quiet"]):
        for _, line in places(flags):
            found = runner.run(line)
            if found[0] != usual[0] or found[3] != usual[3] or len(found[1]) > len(usual[1]) and verb not in VARIES:
                problems.append(f"{' '.join(line)}: status {found[0]}, not {usual[0]}, or other output: {found[2]!r}")
    for flags, said in ((["-C", "nowhere"], b"opledger: error: -C nowhere: No such file or directory\n"),
                        (["--color", "pink"], b"--color: unknown choice 'pink'"),
                        (["--config", ""], b"--config: the value is empty")):
        for _, line in places(flags):
            status, _, messages, _ = runner.run(line)
            if status != 2 or said not in messages:
                problems.append(f"{' '.join(line)}: status {status}, {messages!r}")
    for line in (["--version", *words], [words[0], "--version"]):
        status, output, messages, _ = runner.run(line)
        if status != 0 or messages or not re.match(rb"opledger[\w-]* \d+\.\d+", output):
            problems.append(f"{' '.join(line)}: status {status}, {output!r} {messages!r}")
    return problems + problems_of_help(verb, runner)


def problems_of_help(verb, runner):
    status, output, _, _ = runner.run([verb, "--help"])
    problems = [f"{verb} --help does not tell of {flag}" for flag in FLAGS
                if status != 0 or flag.encode() not in output]
    offered = runner.run(["__complete", verb, "-"])[1].decode()
    words = {re.split(r"[ \t]", line)[0] for line in offered.splitlines()}
    problems += [f"after {verb} completion does not offer {flag}" for flag in ("-C", "--config", "--color", "--quiet")
                 if flag not in words]
    return problems


def end_of_options(runner):
    """After `--`, every argument is a name."""
    problems = []
    for verb in ("inspect", "run", "scan", "check"):
        status, _, messages, _ = runner.run([verb, "--", "-C"])
        if status != 2 or b"-C: error: " not in messages:
            problems.append(f"{verb} -- -C: status {status}, {messages!r}")
    if runner.run(["inspect", "--", "m.onnx"])[:3] != runner.run(["inspect", "m.onnx"])[:3]:
        problems.append("inspect -- m.onnx is not inspect m.onnx")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--verb", default="", help="one verb")
    parser.add_argument("--sample", action="store_true", help="try each flag at one place of each verb")
    options = parser.parse_args()
    binaries = options.bin.resolve()
    for program in ("opledger-scan", "opledger-convert", "opledger-run"):
        if not (binaries / program).exists():
            print(f"SKIPPED: {program} was not built")
            return 77
    shown = subprocess.run([binaries / "opledger", "--help"], capture_output=True, text=True, check=True).stdout
    verbs = re.findall(r"^  (\w+) ", shown.split("Start here:\n")[1], re.MULTILINE)
    problems = [f"{verb} has no command here" for verb in verbs if verb not in COMMANDS]
    problems += [f"{verb} is not a verb" for verb in COMMANDS if verb not in verbs]
    with tempfile.TemporaryDirectory(prefix="opledger-flags-") as name:
        folder = pathlib.Path(name)
        environment = {**{key: value for key, value in os.environ.items() if not key.startswith("OPLEDGER_")},
                       "HOME": name, "OPLEDGER_CACHE_DIR": str(folder / "cache"), "GIT_CONFIG_NOSYSTEM": "1",
                       "LC_ALL": "C.UTF-8"}
        make_project(folder / "project", binaries / "opledger", environment)
        runner = Runner(binaries / "opledger", folder / "project", folder, environment)
        turns = itertools.cycle(range(3)) if options.sample else None
        for verb in [each for each in verbs if each in COMMANDS and options.verb in ("", each)]:
            problems += problems_of(verb, runner, turns)
        if not options.verb:
            problems += end_of_options(runner)
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
