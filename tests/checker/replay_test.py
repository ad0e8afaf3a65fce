#!/usr/bin/env python3
"""Replays MXNet's history, reduced to five versions: commits each to a git repository, with a
project file and lists of the first version's operators. All four differences must be exact:
`diff` names the operators that scans of the two trees, without git, find in only one of them,
and each registration that the source text adds or removes; `check --against` reports the
findings of the new tree that the old one does not have, from the root, from a folder below it,
and for staged changes."""
# SPDX-License-Identifier: Apache-2.0

import argparse
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
from test_data import require_sources  # noqa: E402

VERSIONS = ["mxnet-39ea6832", "mxnet-9e9f972d", "mxnet-626f9336", "mxnet-0208063a", "mxnet-b84609d3"]
KEPT = {".git", "opledger", "opledger.json"}
REGISTRATION = re.compile(r"^NNVM_REGISTER_OP\((\w+)\)", re.MULTILINE)
GIT = "git -c user.name=a -c user.email=a@b -c core.autocrlf=false"


class Runner:
    def __init__(self, binaries, cache):
        self.environment = {**os.environ, "PATH": f"{binaries}:/usr/bin:/bin", "OPLEDGER_CACHE_DIR": str(cache),
                            "GIT_CONFIG_NOSYSTEM": "1"}

    def run(self, command, folder, statuses=(0,)):
        done = subprocess.run(["sh", "-c", command], cwd=folder, env=self.environment, text=True,
                              capture_output=True, timeout=600, check=False)
        if done.returncode not in statuses:
            raise AssertionError(f"{command}: exit {done.returncode}: {done.stderr[-500:]}")
        return done.stdout


def fingerprints(report):
    return {each["fingerprint"]: each for each in json.loads(report)["findings"] if each["status"] == "new"}


def literal(tree):
    """Returns the operators whose names appear literally in registrations, except in comments of
    tests."""
    names = set()
    for path in sorted((tree / "src").rglob("*.cc")) + sorted((tree / "src").rglob("*.cu")):
        names |= set(REGISTRATION.findall(path.read_text(encoding="utf-8", errors="replace")))
    return names


def keep_what_is_there(runner, repository):
    """Keeps only operators of this version in the lists, so that each later one is missing."""
    manifest = json.loads(runner.run("opledger scan -o -", repository))
    names = {name for each in manifest["operators"]
             for name in [each["name"], *each.get("aliases", {})]}
    for path in (repository / "opledger").glob("*.json"):
        lists = json.loads(path.read_text(encoding="utf-8"))
        for policy in ("target", "fp32", "widest", "conditional", "either"):
            lists[policy] = [each for each in lists.get(policy, [])
                             if (each if isinstance(each, str) else each["op"]) in names]
        path.write_text(json.dumps(lists, indent=1), encoding="utf-8")


def write_settings(runner, repository):
    """Plain lists, since the framework moved its own lists to another folder between these
    versions."""
    runner.run("opledger lists sync --dialect mxnet -q", repository)
    keep_what_is_there(runner, repository)
    lists = sorted(f"opledger/{path.name}" for path in (repository / "opledger").glob("*.json"))
    (repository / "opledger.json").write_text(json.dumps({"dialect": "mxnet", "lists": lists}), encoding="utf-8")


def commit(runner, source, repository, name):
    """Commits the files of that version, and the settings of all versions."""
    for path in repository.iterdir():
        if path.name not in KEPT:
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    shutil.copytree(source, repository, symlinks=True, dirs_exist_ok=True)
    if not (repository / "opledger.json").exists():
        write_settings(runner, repository)
    runner.run(f"git add -f -A . && {GIT} commit -qm {name} && git tag {name}", repository)
    return {"operators": {each["name"] for each in json.loads(runner.run(
                "opledger scan -o - --no-cache", repository))["operators"]},
            "findings": fingerprints(runner.run(
                "opledger check --output-format json --fail-on never", repository)),
            "literal": literal(repository)}


def diff_problems(runner, repository, before, after, states):
    said = runner.run(f"opledger diff {before} {after}", repository)
    told = {sign: set(re.findall(rf"^\{sign} (\S+)", said, re.MULTILINE)) for sign in "+-"}
    # renamed: one removed, one added
    for was, now in re.findall(r"^> (\S+) -> (\S+)", said, re.MULTILINE):
        told["-"].add(was)
        told["+"].add(now)
    old, new = states[before], states[after]
    expected = {"+": new["operators"] - old["operators"], "-": old["operators"] - new["operators"]}
    problems = [f"diff {before} {after}: {sign} {sorted(told[sign] ^ expected[sign])}"
                for sign in "+-" if told[sign] != expected[sign]]
    for sign, literals in (("+", new["literal"] - old["literal"]), ("-", old["literal"] - new["literal"])):
        # from a macro, before or after
        moved = {"+": old["operators"], "-": new["operators"]}[sign]
        if literals - moved - told[sign]:
            problems.append(f"diff {before} {after}: not reported: {sign} {sorted(literals - moved - told[sign])}")
    print(f"{before} -> {after}: {len(told['+'])} operators added, {len(told['-'])} removed", end="")
    return problems


def check_problems(runner, repository, before, after, states):
    expected = states[after]["findings"].keys() - states[before]["findings"].keys()
    print(f"; {len(expected)} findings are new")
    problems = []
    for folder, options in (("", ""), ("src/operator", ""), ("", " --staged")):
        found = fingerprints(runner.run(f"opledger check --against {before}{options} --output-format json "
                                        "--fail-on never", repository / folder))
        if found.keys() != expected:
            all_of = {**states[after]["findings"], **states[before]["findings"], **found}
            differ = sorted(all_of[each]["message"] for each in found.keys() ^ expected)
            problems.append(f"check --against {before}{options} in '{folder}': {differ[:20]}")
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    binaries = parser.parse_args().bin.resolve()
    if not (binaries / "opledger-scan").exists():
        print("SKIPPED: opledger-scan was not built")
        return 77
    sources = require_sources(*VERSIONS)
    problems = []
    with tempfile.TemporaryDirectory(prefix="opledger-replay-") as scratch:
        repository = pathlib.Path(scratch) / "mxnet"
        repository.mkdir()
        runner = Runner(binaries, pathlib.Path(scratch) / "cache")
        runner.run("git init -q .", repository)
        states = {}
        for name, source in zip(VERSIONS, sources):
            states[name] = commit(runner, source, repository, name)
            if len(states) > 1:
                before = VERSIONS[len(states) - 2]
                problems += diff_problems(runner, repository, before, name, states)
                problems += check_problems(runner, repository, before, name, states)
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
