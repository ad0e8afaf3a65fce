#!/usr/bin/env python3
"""The texts of ci/first-tasks are up to date: each names files that ci/add writes or edits for its kind, and an entry
that does not exist yet. The issue forms are valid, name verbs that exist, and have the fields that GitHub requires."""
# SPDX-License-Identifier: Apache-2.0

import json
import re
import subprocess
import sys

from tree import ROOT, relative, report

FORMS = ROOT / ".github/ISSUE_TEMPLATE"
EXPECTED = ("wrong-operator.yml", "conversion.yml", "feature.yml", "question.yml")
TYPES = {"dropdown", "input", "textarea", "checkboxes", "markdown"}


def run(*arguments):
    return subprocess.run([ROOT / "ci/first-tasks", *arguments], capture_output=True, text=True, check=False)


def task_problems():
    found = json.loads(run("--json").stdout)
    problems = []
    for task in found:
        title, body = task["title"], task["body"]
        edited, new = re.findall(r"^- `(.+)` \(edited\)$", body, re.M), re.findall(r"^- `(.+)` \(new\)$", body, re.M)
        problems += [f"{title}: there is no {path}" for path in edited if not (ROOT / path).is_file()]
        problems += [f"{title}: {path} exists already" for path in new if (ROOT / path).exists()]
        if not new or f"ci/add {task['kind']} " not in body or "good first issue" not in task["labels"]:
            problems.append(f"{title}: the text is incomplete: {body}")
    kinds = {task["kind"] for task in found}
    if not {"rule", "list", "dialect", "operator"} <= kinds:
        problems.append(f"ci/first-tasks has tasks of {kinds} only")
    only = run("--kind", "list").stdout
    if only.count("\n# ") + only.startswith("# ") != sum(task["kind"] == "list" for task in found):
        problems.append("ci/first-tasks --kind list does not print the tasks of lists")
    if run("--kind", "nonsense").returncode != 2:
        problems.append("ci/first-tasks accepts an unknown kind")
    return problems


def form_problems(name, form):
    """What GitHub would refuse in an issue form."""
    problems = [f"{name}: no {key}" for key in ("name", "description", "body") if not form.get(key)]
    ids, labels = set(), set()
    for part in form.get("body", []):
        attributes = part.get("attributes", {})
        if part.get("type") not in TYPES:
            problems.append(f"{name}: unknown type {part.get('type')}")
        if part.get("type") != "markdown":
            problems += [f"{name}: '{value}' is there twice, or missing" for value, known in
                         ((part.get("id"), ids), (attributes.get("label"), labels)) if not value or value in known]
            ids.add(part.get("id"))
            labels.add(attributes.get("label"))
        options = attributes.get("options", [])
        if part.get("type") in ("dropdown", "checkboxes") and not options:
            problems.append(f"{name}: {part.get('id')} has no options")
        if part.get("type") == "dropdown" and len(set(options)) != len(options):
            problems.append(f"{name}: {part.get('id')} has an option twice")
        if not isinstance(part.get("validations", {}).get("required", False), bool):
            problems.append(f"{name}: {part.get('id')}: required is neither true nor false")
    return problems


def forms_problems(yaml):
    names = {path.name for path in FORMS.glob("*.yml")}
    problems = [f"{relative(FORMS)}: no {name}" for name in (*EXPECTED, "config.yml") if name not in names]
    for path in sorted(FORMS.glob("*.yml")):
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        if path.name == "config.yml":
            links = content.get("contact_links", [])
            if not any("/security/advisories/new" in link["url"] for link in links):
                problems.append("config.yml: no link to report a vulnerability privately")
        else:
            problems += form_problems(path.name, content)
    good = {"name": "a", "description": "b", "body": [{"type": "input", "id": "x", "attributes": {"label": "X"}}]}
    bad = ({}, good | {"body": good["body"] * 2}, good | {"body": [{"type": "text"}]},
           good | {"body": [{"type": "dropdown", "id": "x", "attributes": {"label": "X"}}]})
    if form_problems("good", good) or not all(form_problems("bad", each) for each in bad):
        problems.append("this test is wrong about its own forms")
    return problems


def main():
    problems = task_problems()
    try:
        import yaml
    except ImportError:
        if problems:
            return report(problems)
        print("SKIPPED: the issue forms are not checked: python3-yaml is missing")
        return 77
    return report(problems + forms_problems(yaml))


if __name__ == "__main__":
    sys.exit(main())
