#!/usr/bin/env python3
"""Runs the examples of each README and of CONTRIBUTING.md, and compares their output.

A block fenced with ```console holds lines `$ command`, each followed by what it prints (both
streams). All blocks of a document run in order in one copy of tests/demo, a git repository with one
commit on `main`. A line `...` stands for any lines. OPLEDGER_UPDATE_GOLDEN=1 writes the output into
the document. README.md has at most 200 lines; links to files and to headings have targets.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from tree import ROOT, report

FOLDERS = ("registry", "checker", "conversion", "kernels", "python", "ci")
DOCUMENTS = ("README.md", "CONTRIBUTING.md", *(f"{folder}/README.md" for folder in FOLDERS))
PAGES = ("docs/versions.md", "CHANGELOG.md", "CODE_OF_CONDUCT.md", "GOVERNANCE.md", "SECURITY.md",
         "THIRD_PARTY.md")  # without examples
LONGEST_README = 200  # lines
BLOCK = re.compile(r"(?<=^```console\n)(.*?)(?=^```$)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#:]*)(?:#([^)]*))?\)")
KEPT_VARIABLES = ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS")


def steps(block):
    """Returns [command, expected output] of each `$` line."""
    result = []
    for line in block.splitlines():
        if line.startswith("$ "):
            result.append([line[2:], ""])
        elif result:
            result[-1][1] += line + "\n"
        else:
            raise ValueError(f"a console block that does not open with a command: {line!r}")
    return result


def matches(expected, actual):
    parts = re.split(r"^\.\.\.\n", expected, flags=re.MULTILINE)
    pattern = r"(?:.*\n)*?".join(re.escape(part) for part in parts)
    return re.fullmatch(pattern, actual) is not None


def headings(text):
    """Returns the anchors of a page's headings."""
    return {re.sub(r"[^\w -]", "", line.lstrip("# ")).lower().replace(" ", "-")
            for line in text.splitlines() if line.startswith("#")}


def link_problems(name, text):
    """Returns links of a document without a target."""
    problems = []
    for path, anchor in LINK.findall(text):
        target = (ROOT / name).parent / path if path else ROOT / name
        if not target.exists():
            problems.append(f"{name}: there is no {path}")
        elif anchor and anchor not in headings(target.read_text()):
            problems.append(f"{name}: {path or name} has no heading #{anchor}")
    return problems


def make_repository(folder, environment):
    """Makes a git repository of the folder, with one commit."""
    who = {f"GIT_{who}_{what}": "demo" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    for command in ("git init -q -b main", "git add .", "git commit -qm demo"):
        subprocess.run(command.split(), cwd=folder, env=environment | who, check=True)


def run_document(text, folder, binaries):
    """Returns (problems, the text with the actual output)."""
    demo = folder / "demo"
    shutil.copytree(ROOT / "tests/demo", demo)
    environment = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    environment.update(PATH=f"{binaries}:/usr/bin:/bin", LANG="C.UTF-8", HOME=str(folder),
                       OPLEDGER_CACHE_DIR=str(folder / "cache"))
    make_repository(demo, environment)
    problems = []

    def run_block(match):
        out = ""
        for command, expected in steps(match[0]):
            done = subprocess.run(["sh", "-c", command], cwd=demo, env=environment, text=True,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=120, check=False)
            same = matches(expected, done.stdout)
            if not same:
                problems.append(f"$ {command}\nexpected:\n{expected}printed:\n{done.stdout}")
            out += f"$ {command}\n{expected if same else done.stdout}"
        return out

    return problems, BLOCK.sub(run_block, text)


def check_itself():
    problems = []
    for expected, actual, same in (("a\n", "a\n", True), ("a\n", "b\n", False), ("", "a\n", False),
                                   ("a\n...\nd\n", "a\nb\nc\nd\n", True), ("...\n", "", True),
                                   ("a\n...\nd\n", "a\nb\nc\n", False)):
        if matches(expected, actual) != same:
            problems.append(f"the README test compares {expected!r} and {actual!r} wrongly")
    if not link_problems("README.md", "[a](nowhere.md) [b](#nowhere)"):
        problems.append("the README test does not check links")
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    binaries = parser.parse_args().build.resolve() / "bin"
    if not (binaries / "opledger-scan").exists():
        print("SKIPPED: opledger-scan was not built")
        return 77
    problems = check_itself()
    for name in DOCUMENTS:
        text = (ROOT / name).read_text()
        with tempfile.TemporaryDirectory(prefix="opledger-readme-") as folder:
            found, updated = run_document(text, pathlib.Path(folder).resolve(), binaries)
        if found and os.environ.get("OPLEDGER_UPDATE_GOLDEN") == "1":
            (ROOT / name).write_text(updated)
        else:
            problems += [f"{name}: {problem}" for problem in found]
        if name != "CONTRIBUTING.md" and not BLOCK.search(text):
            problems.append(f"{name} has no example")
        problems += link_problems(name, text)
    for name in PAGES:
        problems += link_problems(name, (ROOT / name).read_text())
    if (lines := len((ROOT / "README.md").read_text().splitlines())) > LONGEST_README:
        problems.append(f"README.md has {lines} lines, more than {LONGEST_README}")
    return report(problems)


if __name__ == "__main__":
    sys.exit(main())
