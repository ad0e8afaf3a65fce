#!/usr/bin/env python3
"""VERSION is the only place that states the version; the changelog has the form of Keep a Changelog; every schema has
an address with its version, which the programs that write such files name, and ci/schemas serves it there. ci/version
makes a release of a copy."""
# SPDX-License-Identifier: Apache-2.0

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from tree import ROOT, code_files, files, relative, report

# What may name the version: examples name the action's, and the changelog those of all releases.
ACTION = re.compile(r"opledger/ci/github@v(\d+\.\d+\.\d+)\b")
STATES = ("VERSION", "CHANGELOG.md")
# Files that an earlier build wrote, as inputs of fuzz targets.
RECORDED = ("tests/fuzz/corpus/",)
# Versions that are equal by chance: those of other programs.
OTHERS = re.compile(r"^[\w.\[\]-]+==\S+|https?://\S+")
RELEASE = re.compile(r"\[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)")
KINDS = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security", "Known limits")
SCHEMA = re.compile(r"\bopledger-([a-z]+(?:-[a-z]+)*)/(\d+)\b")
# Formats of files that only the same build reads.
INTERNAL = {"manifest-pack", "outlines", "index"}
ADDRESS = re.compile(r"https://[\w.-]+\.github\.io/opledger/schemas/([a-z-]+)/(\d+)\.json")


def tracked():
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    return [name for name in listing.decode().split("\0") if name]


def stated(line, version):
    """What is wrong with the versions that a line states, or None."""
    for found in ACTION.findall(line):
        if found != version:
            return f"names version {found} of the action; VERSION says {version} (ci/version)"
    rest = OTHERS.sub("", ACTION.sub("", line))
    if re.search(rf"(?<![\d.]){re.escape(version)}(?!\.?\d)", rest):
        return f"states the version {version}: read it from VERSION"
    return None


def version_problems():
    version = (ROOT / "VERSION").read_text().removesuffix("\n")
    problems = [] if re.fullmatch(r"\d+\.\d+\.\d+", version) else [f"VERSION: '{version}' is not MAJOR.MINOR.PATCH"]
    for name in tracked():
        path = ROOT / name
        if name in STATES or name.startswith(RECORDED) or path.is_symlink() or not path.is_file():
            continue
        data = path.read_bytes()
        if version.encode() not in data and b"opledger/ci/github@v" not in data or b"\0" in data:
            continue
        for number, line in enumerate(data.decode("utf-8", "replace").split("\n"), 1):
            found = stated(line, version)
            if found:
                problems.append(f"{name}:{number}: {found}")
    return problems


def changelog_problems(text):
    titles = re.findall(r"^## (.*)$", text, re.MULTILINE)
    problems = [] if titles[:1] == ["[Unreleased]"] else ["the first section is not [Unreleased]"]
    releases = [RELEASE.fullmatch(title) for title in titles[1:]]
    problems += [f"'{title}' is not '[1.2.3] - 2026-01-31'" for title, found in zip(titles[1:], releases) if not found]
    numbers = [tuple(map(int, found[1].split("."))) for found in releases if found]
    if numbers != sorted(set(numbers), reverse=True):
        problems.append("the releases are not in descending order")
    problems += [f"unknown kind of change '{kind}'" for kind in re.findall(r"^### (.*)$", text, re.MULTILINE)
                 if kind not in KINDS]
    return problems


def schema_versions():
    """(name -> version, problems) of the addresses in schemas/."""
    versions, problems = {}, []
    for path in sorted((ROOT / "schemas").glob("*.schema.json")):
        name, text = path.name.removesuffix(".schema.json"), path.read_text()
        found = ADDRESS.fullmatch(json.loads(text).get("$id", ""))
        if not found or found[1] != name:
            problems.append(f"{relative(path)}: its $id does not end in schemas/{name}/VERSION.json")
            continue
        versions[name] = int(found[2])
        problems += [f"{relative(path)}: names {kind}/{number}, its $id has {found[2]}"
                     for kind, number in SCHEMA.findall(text) if kind != name or number != found[2]]
        for earlier in range(1, versions[name]):
            if not (ROOT / f"schemas/earlier/{name}-{earlier}.schema.json").is_file():
                problems.append(f"schemas/earlier has no {name}-{earlier}.schema.json")
    return versions, problems


def writer_problems(versions):
    """Programs and package name versions that exist."""
    problems, named = [], set()
    for path in (*code_files(), *files((".py",), ("python",))):
        if relative(path).startswith("tests/"):
            continue
        for name, version in SCHEMA.findall(path.read_text()):
            named.add(name)
            if name not in INTERNAL and versions.get(name) != int(version):
                problems.append(f"{relative(path)}: opledger-{name}/{version} is not the version of its schema")
    return problems + [f"no program names {name}" for name in INTERNAL - named]


def served_problems(versions):
    with tempfile.TemporaryDirectory(prefix="opledger-schemas-") as name:
        subprocess.run([ROOT / "ci/schemas", name], check=True)
        served = {path.relative_to(name).as_posix() for path in pathlib.Path(name).rglob("*.json")}
    missing = {f"schemas/{each}/{version}.json" for each, version in versions.items()} - served
    return [f"ci/schemas does not write {each}" for each in sorted(missing)]


def release_problems():
    """ci/version 9.8.7, in a copy."""
    with tempfile.TemporaryDirectory(prefix="opledger-version-") as name:
        copy = pathlib.Path(name)
        for each in ("VERSION", "CHANGELOG.md", "README.md", "ci/version", "ci/README.md", "ci/recipes"):
            (copy / each).parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if (ROOT / each).is_dir() else shutil.copy)(ROOT / each, copy / each)

        def run(*arguments):
            return subprocess.run([copy / "ci/version", *arguments], capture_output=True, text=True, check=False,
                                  env={"PATH": "/usr/bin:/bin", "SOURCE_DATE_EPOCH": "1700000000"})
        refused = [run(each).returncode for each in ("0.0.1", "1.2", "v9.8.7", "--what", "")]
        before = run().stdout
        done, after = run("9.8.7"), run().stdout
        changelog = (copy / "CHANGELOG.md").read_text()
        problems = []
        if refused != [2] * 5 or before != (ROOT / "VERSION").read_text():
            problems.append(f"ci/version refuses {refused}, prints {before}")
        if done.returncode or after != "9.8.7\n" or "## [Unreleased]\n\n## [9.8.7] - 2023-11-14\n" not in changelog:
            problems.append(f"ci/version 9.8.7: {done.stderr}{after}{changelog[:600]}")
        if changelog_problems(changelog) or "### Added" not in run("--notes").stdout:
            problems.append(f"ci/version 9.8.7 leaves a changelog with {changelog_problems(changelog)}")
        examples = "".join(path.read_text() for path in (copy / "ci").rglob("*") if path.is_file())
        if set(ACTION.findall(examples)) != {"9.8.7"}:
            problems.append(f"the examples name {set(ACTION.findall(examples))}")
        if run("9.8.7").returncode != 2 or run("9.8.8").returncode != 2:
            problems.append("ci/version releases twice, or what nothing is unreleased of")
    return problems


def self_problems():
    """This test can fail."""
    action = "a/opledger/ci/github@"
    cases = (("opledger 1.2.3", True), ("opledger_1.2.3_amd64.deb", True), ("v1.2.3", True), ("1.2.34", False),
             ("11.2.3", False),
             (f"uses: {action}v1.2.3", False), (f"uses: {action}v1.2.2", True),
             ("tool==1.2.3", False), ("1.2.3.4", False))
    problems = [f"this test is wrong about {line}" for line, wrong in cases if bool(stated(line, "1.2.3")) != wrong]
    problems += [f"this test accepts the changelog {text!r}" for text in (
        "## [1.0.0] - 2026-01-01\n", "## [Unreleased]\n## 1.0.0\n", "## [Unreleased]\n### News\n",
        "## [Unreleased]\n## [1.0.0] - 2026-01-01\n## [1.1.0] - 2026-01-02\n") if not changelog_problems(text)]
    return problems


def main():
    versions, problems = schema_versions()
    problems += version_problems() + writer_problems(versions) + served_problems(versions) + release_problems()
    problems += [f"CHANGELOG.md: {each}" for each in changelog_problems((ROOT / "CHANGELOG.md").read_text())]
    return report(problems + self_problems())


if __name__ == "__main__":
    sys.exit(main())
