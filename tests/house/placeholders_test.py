#!/usr/bin/env python3
"""OWNER and REGISTRY stand for the names under which opledger is published (ci/publish.json), and for nothing else. No
other placeholder is in ci/, .github/, the schemas, the packaging files and the pages. `ci/publish --write` leaves
none."""
# SPDX-License-Identifier: Apache-2.0

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tree import ROOT, load_script, relative, report

SKELETONS = "ci/skeletons/"  # their placeholders, such as @NAME@, are those of ci/add
LOOKED_AT = re.compile(r"(?:ci|\.github|schemas|docs)/.*|[^/]+|.*\.md|\.ci/.*")
NAMES = re.compile(r"\b(?:OWNER|REGISTRY)\b")
# Their own placeholders, which users fill in: a shell variable, an option's value.
VARIABLE = re.compile(r"\$\{\{.*?\}\}|\$\{\w+[^}]*\}|\$\w+|\b\w+REGISTRY\w*|\b\w+OWNER\w*")
# Places where a word in capitals is a name to fill in: addresses, steps and images of pipelines.
ADDRESS = re.compile(r"(?:https?://|git@|ghcr\.io/|docker\.io/|\buses: *|\bimage: *)[^\s)'\"`<>]+"
                     r"|[\w.+-]+@[\w-]+\.[\w.-]+")
CAPITALS = re.compile(r"(?<![A-Za-z0-9_.-])[A-Z]{3,}(?![A-Za-z0-9_])")
FILES = {"LICENSE", "README", "CONTRIBUTING", "SECURITY", "CHANGELOG", "GOVERNANCE", "VERSION", "NEWS", "NOTICE"}
WORDS = re.compile(r"\b(?:TODO|FIXME|TBD|CHANGE_?ME|PLACEHOLDERS?|XXX+|YOUR)\b"
                   r"|\byour[-_](?:org|name|user|account|repo)\w*|<(?:owner|user|org|repo|registry|name|your[^>]*)>|@invalid\b|\.invalid\b")


def line_problems(line, forms, chosen):
    """What a line has that should not be there."""
    problems = []
    rest = line
    for name, form in forms.items():
        if chosen[name] is not None and form.search(line):
            problems.append(f"{name}, although ci/publish.json says '{chosen[name]}': ci/publish --write")
        rest = form.sub("", rest)
    rest = VARIABLE.sub("", rest)
    if NAMES.search(rest):
        problems.append(f"{NAMES.search(rest)[0]} does not stand for where opledger is published")
    for address in ADDRESS.findall(rest):
        found = [word for word in CAPITALS.findall(address) if word not in FILES]
        problems += [f"the placeholder {word}" for word in found if not NAMES.fullmatch(word)]
    problems += [f"the placeholder {word}" for word in WORDS.findall(rest)]
    return problems


def tracked():
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    return [name for name in listing.decode().split("\0") if name]


def tree_problems(publish, chosen):
    problems = []
    for name in tracked():
        path = ROOT / name
        if not LOOKED_AT.fullmatch(name) or name in publish.EXPLAIN or name.startswith(SKELETONS) or not path.is_file():
            continue
        text = path.read_bytes().decode("utf-8", "surrogateescape")
        for number, line in enumerate(text.split("\n"), 1):
            problems += [f"{relative(path)}:{number}: {each}" for each in line_problems(line, publish.FORMS, chosen)]
    return problems


def write_problems(publish):
    """Runs `ci/publish --write` in a copy."""
    with tempfile.TemporaryDirectory(prefix="opledger-publish-") as name:
        copy = Path(name)
        used = [path for path, _ in publish.texts()]
        for path in (*used, ROOT / "ci/publish", ROOT / "ci/publish.json"):
            target = copy / path.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
        subprocess.run("git init -q . && git add -A", shell=True, cwd=copy, check=True)
        refused = subprocess.run([copy / "ci/publish", "--write"], capture_output=True, text=True, check=False)
        chosen = json.loads((copy / "ci/publish.json").read_text())
        unset = any(entry["value"] is None for entry in chosen.values())
        told = not unset or "give it a value" in refused.stderr
        problems = [] if told else ["ci/publish --write writes without names"]
        for entry, value in zip(chosen.values(), ("some-body", "ghcr.io/some-body")):
            entry["value"] = value
        (copy / "ci/publish.json").write_text(json.dumps(chosen))
        subprocess.run([copy / "ci/publish", "--write"], capture_output=True, check=True)
        left = subprocess.run([copy / "ci/publish"], capture_output=True, text=True, check=False)
        if left.returncode or left.stdout:
            problems.append(f"ci/publish --write leaves {left.stdout}")
        if unset and "some-body.github.io/opledger" not in (copy / "schemas/report.schema.json").read_text():
            problems.append("ci/publish --write does not fill in the addresses of schemas")
        return problems


WRONG = ("see https://github.com/OWNER/FRAMEWORK", "uses: ACCOUNT/opledger/ci/github@v1", "a <opledger@invalid>",
         "image: registry.example.com/GROUP/opledger", "TODO: name it", "https://github.com/your-org/opledger",
         "pip install OWNER", "https://REGISTRY.example.com/x", "git@github.com:USER/opledger.git")
RIGHT = ("uses: OWNER/opledger/ci/github@v1", "https://OWNER.github.io/opledger/schemas/report/1.json",
         "docker run REGISTRY/opledger", "$CI_REGISTRY/opledger", "https://github.com/$REPOSITORY/releases",
         "https://example.com/blob/main/LICENSE", "opledger check --report FILE",
         "https://github.com/${{ github.repository }}")


def main():
    publish = load_script(ROOT / "ci/publish")
    chosen = {name: entry["value"] for name, entry in json.loads((ROOT / "ci/publish.json").read_text()).items()}
    problems = [] if list(chosen) == list(publish.FORMS) else ["ci/publish.json does not give OWNER and REGISTRY"]
    problems += tree_problems(publish, chosen) + write_problems(publish)
    unset = dict.fromkeys(chosen)
    problems += [f"this test accepts: {line}" for line in WRONG if not line_problems(line, publish.FORMS, unset)]
    problems += [f"this test refuses: {line}: {line_problems(line, publish.FORMS, unset)}" for line in RIGHT
                 if line_problems(line, publish.FORMS, unset)]
    if not line_problems(RIGHT[0], publish.FORMS, chosen | {"OWNER": "some-body"}):
        problems.append("this test accepts OWNER after it was chosen")
    return report(problems)


if __name__ == "__main__":
    sys.exit(main())
