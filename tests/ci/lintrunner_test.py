#!/usr/bin/env python3
"""ci/lintrunner: its output is always valid input of lintrunner. With lintrunner itself, if the
build's environment has it: its report, and the safe fixes that it applies."""
# SPDX-License-Identifier: Apache-2.0

import json
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/scan"))
from scanning import Skip, expect, main  # noqa: E402

ADAPTER = ROOT / "ci/lintrunner"
FIELDS = {"path", "line", "char", "code", "severity", "name", "description", "original", "replacement"}


def demo(folder):
    shutil.copytree(ROOT / "tests/demo", folder / "demo")
    return folder / "demo"


def environment(bin_folder, folder):
    return {**os.environ, "OPLEDGER_CACHE_DIR": str(folder / "cache"), "HOME": str(folder),
            "PATH": f"{bin_folder}:{os.environ['PATH']}", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b",
            "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}


def messages(bin_folder, folder, where, *flags):
    done = subprocess.run([sys.executable, "-B", ADAPTER, *flags, "@/nowhere"], cwd=where, text=True,
                          env=environment(bin_folder, folder), capture_output=True, check=False)
    expect(done.returncode == 0 and not done.stderr, done.stderr)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    for each in found:
        expect(each.keys() == FIELDS and each["severity"] in ("error", "warning", "advice"), each)
    return found


def test_messages(bin_folder, folder):
    where = demo(folder)
    found, = messages(bin_folder, folder, where)
    expect((found["path"], found["line"], found["char"], found["severity"], found["name"], found["original"]) ==
           ("src/activation.cc", 8, 35, "error", "unclassified-operator", None), found)
    expect("fix: opledger classify hard_swish" in found["description"], found)
    expect(messages(bin_folder, folder, where, "--ignore", "unclassified-operator") == [])
    # All safe fixes of a file belong to its first finding, and match --fix.
    path = where / "lists/float16.json"
    before = path.read_text()
    path.write_text(before.replace('"fp32": [', '"fp32": [\n    "gone", "gone too", "gone",'))
    texts = [each for each in messages(bin_folder, folder, where) if each["replacement"]]
    expect(len(texts) == 1 and texts[0]["original"] == path.read_text(), texts)
    subprocess.run([bin_folder / "opledger", "check", "--fix"], cwd=where, capture_output=True,
                   env=environment(bin_folder, folder), check=False)
    expect(texts[0]["replacement"] == path.read_text() != texts[0]["original"], texts)


def test_what_cannot_run_is_a_message(bin_folder, folder):
    where = demo(folder)
    found, = messages(bin_folder, folder, where, "--program", "/nowhere/opledger")
    expect(found["severity"] == "error" and "/nowhere/opledger" in found["description"], found)
    found, = messages(bin_folder, folder, where, "--against", "nonsense")
    expect("there is no revision 'nonsense'" in found["description"] or "git" in found["description"], found)
    (where / "opledger.json").write_text("{")
    found, = messages(bin_folder, folder, where)
    expect(found["name"] == "cannot-run" and "opledger.json" in found["description"], found)


def test_merge_base(bin_folder, folder):
    """Counts what any commit of a branch adds, and nothing that is on the other branch, too."""
    where = demo(folder)

    def run(command):
        subprocess.run(["bash", "-c", command], cwd=where, env=environment(bin_folder, folder), check=True,
                       capture_output=True)

    run("git init -q -b main . && git add . && git commit -qm x && git checkout -qb work")
    run("echo 'NNVM_REGISTER_OP(first);' >>src/unary.cc && git commit -qam first")
    run("echo 'NNVM_REGISTER_OP(second);' >>src/unary.cc && git commit -qam second")
    run("git checkout -q main && echo 'NNVM_REGISTER_OP(others);' >>src/unary.cc && git commit -qam others")
    run("git checkout -q work")
    found = messages(bin_folder, folder, where, "--merge-base", "main")
    named = [word for word in ("first", "second", "others", "hard_swish") if f"'{word}'" in str(found)]
    expect(named == ["first", "second"], found)
    found, = messages(bin_folder, folder, where, "--merge-base", "nonsense")
    expect(found["name"] == "cannot-run" and "nonsense" in found["description"], found)


def test_lintrunner_itself(bin_folder, folder):
    places = [bin_folder.parent / "venv/bin/lintrunner", ROOT / "build/venv/bin/lintrunner"]
    program = next((place for place in places if place.exists()), None)
    if program is None:
        raise Skip("lintrunner is missing; ci/setup installs it")
    where = demo(folder)
    # The configuration from its documentation, with the place replaced.
    config = ADAPTER.read_text().split('"""')[1].split("\n\n")[1]
    config = "\n".join(line[4:] for line in config.splitlines()).replace("'ci/lintrunner'", f"'{ADAPTER}'")
    config = config.replace("'origin/main'", "'HEAD'")
    (where / ".lintrunner.toml").write_text(config + "\n")
    (where / ".gitignore").write_text("*.pyc\n")

    def run(command, status=0):
        done = subprocess.run(["bash", "-c", command], cwd=where, env=environment(bin_folder, folder),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        expect(done.returncode == status, command, done.stdout, done.stderr)
        return done.stdout

    run("git init -q . && git add . && git commit -qm x")
    lint = f"{program} --tee-json seen.json"
    run(f"echo '// x' >>src/unary.cc && {lint}")
    path = where / "lists/float16.json"
    before = path.read_text()
    path.write_text(before.replace('"fp32": [', '"fp32": [\n    "gone",'))
    said = run(f"echo 'NNVM_REGISTER_OP(probe);' >>src/unary.cc && {lint}", status=1)
    expect("unclassified-operator" in said and "'probe'" in said and "hard_swish" not in said, said)
    run(f"{lint} -a", status=1)
    expect(path.read_text() == before, path.read_text())


if __name__ == "__main__":
    sys.exit(main(globals()))
