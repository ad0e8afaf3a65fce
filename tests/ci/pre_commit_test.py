#!/usr/bin/env python3
"""Tests the hook in every available pre-commit (Debian's, and PyPI's newest in the build's
environment): from a repository without opledger to a passing hook and one caught operator, by the
commands of ci/README.md; then commits that are difficult for a hook."""
# SPDX-License-Identifier: Apache-2.0

import functools
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/scan"))
from scanning import Skip, expect, main  # noqa: E402

MOST_COMMANDS = 5
ADDRESS = "https://github.com/OWNER/FRAMEWORK"
PROGRAMS = {"Debian's": "/usr/bin/pre-commit", "the newest": "venv/bin/pre-commit"}


@functools.cache
def programs(build):
    """Returns name -> pre-commit; prints what is missing."""
    found = {}
    for name, path in PROGRAMS.items():
        places = [build / path, ROOT / "build" / path]
        place = next((str(place) for place in places if place.exists()), None)
        if place:
            found[name] = place
        else:
            print(f"SKIPPED: {name} pre-commit is missing; ci/setup installs it")
    if not found:
        raise Skip("there is no pre-commit")
    return found


class Repository:
    """A clone of a legacy project: the demo's sources with gaps, and none of its lists."""

    def __init__(self, folder, bin_folder, pre_commit, fresh=True):
        self.origin, self.folder = folder / "origin", folder / "framework"
        self.tools = folder / "tools"
        self.tools.mkdir(parents=True)
        (self.tools / "pre-commit").symlink_to(pre_commit)
        self.environment = {
            "PATH": f"{self.tools}:{bin_folder}:/usr/bin:/bin", "HOME": str(folder), "LANG": "C.UTF-8",
            "PRE_COMMIT_HOME": str(folder / "pre-commit"), "OPLEDGER_CACHE_DIR": str(folder / "cache"),
            "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b",
            "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b", "PIP_NO_INDEX": "1",
            **{name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")}}
        for name in ("src", "include"):
            shutil.copytree(ROOT / "tests/demo" / name, self.origin / name)
        self.run("git init -q -b main . && git add . && git commit -qm legacy", self.origin)
        if fresh:
            self.run("git clone -q origin framework", folder)

    def try_(self, command, where=None):
        return subprocess.run(["bash", "-c", command], cwd=where or self.folder, env=self.environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, check=False)

    def run(self, command, where=None):
        done = self.try_(command, where)
        expect(done.returncode == 0, command, done.stdout)
        return done.stdout

    def adopt(self):
        self.run("opledger init --pre-commit && pre-commit install && git add . && git commit -m adopt")

    def caught(self, command, *names):
        """The commit is refused, and the message names these of the old operators."""
        done = self.try_(command)
        found = set(re.findall(r"error: operator '(\w+)'", done.stdout))
        expect(done.returncode == 1 and found == set(names), command, done.stdout)
        return done.stdout


def readme_commands():
    """Returns the commands under the heading about the hook, without comments."""
    section = re.search(r"(?ms)^## Before every commit\n(.*?)(?=^## )", (ROOT / "ci/README.md").read_text())[1]
    block = re.search(r"(?ms)^```sh\n(.*?)^```$", section)[1]
    return [re.sub(r"\s+# .*", "", line) for line in block.splitlines() if line]


def test_the_commands_of_the_readme(bin_folder, folder):
    commands = readme_commands()
    expect(2 <= len(commands) <= MOST_COMMANDS, len(commands), "commands")
    for number, (name, program) in enumerate(programs(bin_folder.parent).items()):
        repository = Repository(folder / str(number), bin_folder, program, fresh=False)
        lines = "\n".join(f"{command}\necho status $?" for command in commands)
        said = repository.run(lines.replace(ADDRESS, shlex.quote(str(repository.origin))),
                              repository.origin.parent)
        statuses = re.findall(r"^status (\d+)$", said, re.MULTILINE)
        expect(statuses == ["0"] * (len(commands) - 1) + ["1"], name, said)
        passing, caught = said.rsplit("status 0\n", 1)
        expect(re.search(r"opledger\.*Passed", passing) and "error:" not in passing, name, said)
        expect(re.search(r"opledger\.*Failed", caught) and
               set(re.findall(r"error: operator '(\w+)'", caught)) == {"probe"}, name, caught)
        expect("fix: opledger classify probe" in caught, name, caught)
        expect("arn" not in said.replace("warning:", ""), name, "warns of something", said)


def test_the_hook_of_the_repository(bin_folder, folder):
    """Runs .pre-commit-hooks.yaml as a user of this repository does; users may change `args`."""
    for number, (name, program) in enumerate(programs(bin_folder.parent).items()):
        repository = Repository(folder / str(number), bin_folder, program)
        ours = folder / f"opledger-{number}"
        ours.mkdir()
        shutil.copy(ROOT / ".pre-commit-hooks.yaml", ours)
        repository.run("pre-commit validate-manifest .pre-commit-hooks.yaml", ours)
        repository.run("git init -q . && git add . && git commit -qm x && git tag v1", ours)
        config = f"repos:\n  - repo: {ours}\n    rev: v1\n    hooks:\n      - id: opledger\n"
        path = repository.folder / ".pre-commit-config.yaml"
        path.write_text(config)
        repository.run("opledger init && pre-commit install && git add . && git commit -m adopt")
        repository.caught("echo 'NNVM_REGISTER_OP(probe);' >>src/unary.cc && git commit -am x", "probe")
        path.write_text(config + "        args: [--staged, --against, HEAD, --ignore, unclassified-operator]\n")
        said = repository.run("git commit -am x")
        expect(re.search(r"opledger\.*Passed", said), name, said)


def test_what_init_writes_is_the_hook(bin_folder, folder):
    (folder / ".git").mkdir()
    (folder / "a.cc").write_text("")
    run = functools.partial(subprocess.run, [bin_folder / "opledger", "init", "--dialect", "mxnet", "--pre-commit"],
                            cwd=folder, capture_output=True, text=True, check=False)
    expect(run().returncode == 0)
    config = folder / ".pre-commit-config.yaml"
    written = dict(re.findall(r"(?m)^ +(?:- )?(\w+): ([^#\n]+?) *(?:#.*)?$", config.read_text()))
    ours = dict(re.findall(r"(?m)^(?:- |  )(\w+): ([^#\n]+?) *(?:#.*)?$", (ROOT / ".pre-commit-hooks.yaml").read_text()))
    ours["entry"] += " " + re.sub(r"[\[\],]", "", ours.pop("args"))
    ours["repo"] = "local"
    del ours["description"]
    expect(written == ours, written, ours)
    # An existing file is not changed; the lines to add are printed.
    config.write_text("repos: []\n")
    done = run()
    expect(done.returncode == 0 and config.read_text() == "repos: []\n" and "entry: opledger" in done.stdout, done)


def test_hard_commits(bin_folder, folder):
    program = list(programs(bin_folder.parent).values())[-1]
    repository = Repository(folder, bin_folder, program)
    repository.adopt()
    # A commit that only deletes a file: pre-commit passes no file name, but a list's entry becomes
    # stale.
    done = repository.try_("git rm -q src/matrix.cc && git commit -m gone")
    expect(done.returncode == 1 and re.search("'batch_dot' .*stale-entry", done.stdout), done.stdout)
    repository.run("git reset -q --hard")
    # Unstaged changes and untracked files do not count, whether or not pre-commit itself hides
    # them.
    repository.run("echo 'NNVM_REGISTER_OP(later);' >>src/unary.cc && echo '// x' >>src/binary.cc && "
                   "echo 'NNVM_REGISTER_OP(unknown);' >src/unknown.cc && git add src/binary.cc")
    repository.run("opledger check --staged --against HEAD && git commit -m other")
    repository.caught("git add src/unary.cc && git checkout -q HEAD^ -- src/binary.cc && "
                      "echo 'int x;' >src/unary.cc && opledger check --staged --against HEAD", "later")
    repository.run("git reset -q --hard && rm src/unknown.cc")
    # In a worktree, and from a subfolder.
    repository.run("git worktree add -q -b side ../side")
    done = repository.try_("cd src && echo 'NNVM_REGISTER_OP(aside);' >>unary.cc && git commit -am aside",
                           folder / "side")
    expect(done.returncode == 1 and "'aside'" in done.stdout, done.stdout)


def test_staged(bin_folder, folder):
    """As a hook of git itself, which passes its own index; in a project that is not a repository's
    root."""
    repository = Repository(folder, bin_folder, list(programs(bin_folder.parent).values())[-1])
    repository.run("mkdir below && git mv src include below && git commit -qm moved")
    repository.run("cd below && opledger init && git add . && git commit -qm adopt")
    hook = repository.folder / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\nexec opledger -C below check --staged --against HEAD "
                    "--output-format text --output-format json=report.json\n")
    hook.chmod(0o755)
    repository.caught("echo 'NNVM_REGISTER_OP(all);' >>below/src/unary.cc && git commit -am x", "all")
    report = repository.folder / "below/report.json"
    expect('"path":"src/unary.cc"' in report.read_text(), report.read_text())
    repository.caught("git add . && echo >below/src/unary.cc && cd below && git commit -m x", "all")
    repository.run("git reset -q --hard && echo 'NNVM_REGISTER_OP(other);' >>below/src/unary.cc && "
                   "echo '// x' >>below/src/binary.cc && git commit -m x below/src/binary.cc")
    repository.caught("git commit -m x below/src/unary.cc", "other")
    # The staged lists and the staged baseline count.
    repository.run("cd below && opledger classify other --as fp32 --list float16 && "
                   "opledger classify other --as fp32 --list bfloat16 && git add src")
    repository.caught("git commit -m x", "other")
    repository.run("cd below && git add opledger && git commit -m x")
    repository.run("cd below && echo 'NNVM_REGISTER_OP(kept);' >>src/unary.cc && opledger baseline write && git add src")
    repository.caught("git commit -m x", "kept")
    # A new operator that the commit itself adds to the baseline is hidden: a reviewer has to accept
    # it.
    done = repository.try_("cd below && git add . && git commit -m x")
    expect(done.returncode == 1 and "[hidden-findings]" in done.stdout, done.stdout)
    repository.run("git commit --no-verify -m x")
    # Links are followed within the tree, but not out of it.
    repository.run("cd below && git mv include/demo real && ln -s ../real include/demo && "
                   "ln -s ../../../real include/out && ln -s out/sample.h include/through && git add . && git commit -m x")
    repository.caught("echo 'DEMO_REGISTER_UNARY(linked);' >>below/src/unary.cc && git commit -am x", "linked")
    done = repository.try_("cd below && opledger check --staged --fix")
    expect(done.returncode == 2 and "--staged" in done.stdout, done.stdout)
    done = repository.try_("cp -r framework/below elsewhere && cd elsewhere && opledger check --staged", folder)
    expect(done.returncode == 2 and "git repository" in done.stdout, done.stdout)


def test_before_there_is_anything(bin_folder, folder):
    """Before HEAD exists; then HEAD without operators."""
    repository = Repository(folder, bin_folder, list(programs(bin_folder.parent).values())[-1])
    new = folder / "new"
    new.mkdir()
    shutil.copy(ROOT / "tests/demo/src/sample.cc", new)
    hook = "opledger check --against HEAD --dialect mxnet"
    (new / "src").mkdir()
    (new / "src/a.cc").write_text("NNVM_REGISTER_OP(first);\n")
    repository.run("git init -q .", new)
    done = repository.try_(hook, new)
    expect(done.returncode == 1 and "'first'" in done.stdout, done.stdout)
    repository.run("echo x >x && git add x && git commit -qm x", new)
    done = repository.try_(hook, new)
    expect(done.returncode == 1 and "'first'" in done.stdout, done.stdout)
    repository.run(f"git add . && git commit -qm x && {hook}", new)
    done = repository.try_("opledger check --dialect mxnet --against nonsense", new)
    expect(done.returncode == 2 and "no revision" in done.stdout, done.stdout)


def test_a_project_file_that_says_where_the_sources_are(bin_folder, folder):
    """Operators existed before the project file did."""
    repository = Repository(folder, bin_folder, list(programs(bin_folder.parent).values())[-1])
    repository.run("git mv src kernels && git commit -qm moved")
    (repository.folder / "opledger.json").write_text(
        '{"dialect": "mxnet", "sources": ["kernels/**"], "include_directories": ["include"]}')
    repository.run("opledger init --pre-commit && pre-commit install && git add . && git commit -m adopt")
    repository.caught("echo 'NNVM_REGISTER_OP(probe);' >>kernels/unary.cc && git commit -am x", "probe")


if __name__ == "__main__":
    sys.exit(main(globals()))
