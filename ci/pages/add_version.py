#!/usr/bin/env python3
"""Records the policies of one version of a framework in registry/versions, for the site's pages of operators.

    ci/pages/add_version.py FRAMEWORK VERSION --source TEXT LIST.json...

The lists are what `opledger lists sync` or `opledger import` makes of that version's sources; TEXT says where these
come from. Only names and policies are kept. A version that is already recorded is replaced; its position stays.
A new one becomes the newest, or with --before OTHER goes before that version.
"""

# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import pathlib
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
POLICIES = ("target", "fp32", "widest", "conditional", "either")


def label_of(precision_list):
    """float16-cuda, or float16 for a list without a device: the file name of a shipped list."""
    return "-".join(filter(None, (precision_list["target_dtype"], precision_list.get("device"))))


def names_by_policy(precision_list):
    found = {}
    for policy in POLICIES:
        names = {entry if isinstance(entry, str) else entry["op"] for entry in precision_list.get(policy, [])}
        if names:
            found[policy] = sorted(names)
    return found


def as_text(data):
    """JSON with the names of a policy wrapped at 118 columns."""
    blocks = []
    for version in data["versions"]:
        head = ", ".join(
            f"{json.dumps(key)}: {json.dumps(value)}" for key, value in version.items() if key != "lists"
        )
        lists = []
        for label, policies in version.get("lists", {}).items():
            rows = []
            for policy, names in policies.items():
                words = textwrap.wrap(
                    ", ".join(map(json.dumps, names)), 110, break_long_words=False, break_on_hyphens=False
                )
                rows.append(f"      {json.dumps(policy)}: [\n        " + "\n        ".join(words) + "\n      ]")
            lists.append(f"    {json.dumps(label)}: {{\n" + ",\n".join(rows) + "\n    }")
        body = ',\n   "lists": {\n' + ",\n".join(lists) + "\n   }" if lists else ""
        blocks.append("  {" + head + body + "}")
    text = (
        '{\n "$schema": "../../schemas/policy-versions.schema.json",\n "framework": '
        + json.dumps(data["framework"])
        + ',\n "versions": [\n'
        + ",\n".join(blocks)
        + "\n ]\n}\n"
    )
    assert json.loads(text)["versions"] == data["versions"]
    return text


def add(data, entry, before):
    versions = data["versions"]
    named = [each["version"] for each in versions]
    if entry["version"] in named:
        versions[named.index(entry["version"])] = entry
    else:
        versions.insert(named.index(before) if before else len(versions), entry)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("framework")
    parser.add_argument("version")
    parser.add_argument("--source", required=True)
    parser.add_argument("--before")
    parser.add_argument("--shipped", action="store_true", help="registry/lists has this version: give no lists")
    parser.add_argument("lists", nargs="*", type=pathlib.Path)
    given = parser.parse_intermixed_args()
    if given.shipped == bool(given.lists):
        parser.error("give lists, or --shipped")
    path = ROOT / "registry/versions" / f"{given.framework}.json"
    data = json.loads(path.read_text()) if path.exists() else {"framework": given.framework, "versions": []}
    entry = {"version": given.version, "source": given.source}
    if given.shipped:
        entry["shipped"] = True
    else:
        read = [json.loads(each.read_text()) for each in given.lists]
        entry["lists"] = {label_of(each): names_by_policy(each) for each in read}
    add(data, entry, given.before)
    path.write_text(as_text(data))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
