#!/usr/bin/env python3
"""On random pages with enumerations, items and tables, in Markdown and reStructuredText: the check
compares exactly the names on the page with the list, and `docs --fix` writes each missing name
once, removes nothing, and changes nothing in a second run."""
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

POLICIES = ("target", "fp32", "widest")
NAMES = [f"{a}{b}" for a in ("add", "conv", "exp", "log", "norm", "soft", "up") for b in ("", "1d", "2d", "_mm", "_plus", "max")]


def section(random_, names, markdown):
    """Returns the lines of a section with these names, in one of the usual forms."""
    quote = "`" if markdown else "``"
    role = random_.choice(["", "", "{func}" if markdown else ":func:"])
    module = random_.choice(["", "", "torch.", "~torch.nn.functional."]) if role else ""
    if role and not markdown:
        quote = "`"
    written = [f"{role}{quote}{module}{name}{quote}" for name in names]
    form = random_.choice(["lines", "row", "items", "described"] + (["table"] if markdown else []))
    if form == "lines":
        return [each + ("," if i + 1 < len(written) else "") for i, each in enumerate(written)]
    if form == "row":
        return [", ".join(written[i:i + 3]) + ("," if i + 3 < len(written) else ".") for i in range(0, len(written), 3)]
    if form == "table":
        return ["| op | why |", "|----|-----|", *[f"| {each} | since `tanh` is not |" for each in written]]
    bullet = random_.choice("*-")
    return [line for each in written for line in
            ([f"{bullet} {each}: like ``tanh``,", "  but different"] if form == "described" else [f"{bullet} {each}"])]


def page(random_, sections, markdown):
    lines = []
    for title, names in sections.items():
        written = title.replace("float", "`float`" if markdown else "``float``")
        if markdown and random_.random() < 0.7:
            lines += [f"{'#' * random_.randint(1, 4)} {written}"]
        else:
            mark = random_.choice("=-" if markdown else "=-^\"~")
            lines += [written, mark * len(written)]
        lines += [""]
        if random_.random() < 0.5:
            lines += ["If inputs are ``float16``, as in ``tanh`` and others,", "they stay so.", ""]
        if markdown and random_.random() < 0.3:
            lines += ["```python", "* `tanh`", "```", ""]
        lines += [*section(random_, names, markdown), ""]
        if random_.random() < 0.3:
            lines += ["Binary operators like ``tanh`` are not named.", ""]
    return "\n".join(lines) + "\n"


def run(binaries, folder, *arguments, statuses=(0,)):
    done = subprocess.run([binaries / "opledger", *arguments], cwd=folder, text=True, capture_output=True, check=False)
    if done.returncode not in statuses:
        raise AssertionError(f"opledger {arguments}: exit {done.returncode}: {done.stderr}")
    return done.stdout


def problem_of(binaries, seed):
    random_ = random.Random(seed)
    markdown = random_.random() < 0.5
    listed = {policy: [] for policy in POLICIES}
    for name in NAMES:
        if random_.random() < 0.6:
            listed[random_.choice(POLICIES)].append(name)
    documented = {policy: [name for name in names if random_.random() < 0.7] or names[:1] for policy, names in listed.items()}
    if not all(documented.values()):
        return None
    for names in documented.values():
        (random_.shuffle if random_.random() < 0.5 else list.sort)(names)
    titles = {policy: f"Ops of kind {i} that run in float{i}" for i, policy in enumerate(POLICIES)}
    file = "amp.md" if markdown else "amp.rst"
    with tempfile.TemporaryDirectory(prefix="opledger-pages-") as scratch:
        folder = pathlib.Path(scratch).resolve()
        text = page(random_, {titles[policy]: names for policy, names in documented.items()}, markdown)
        (folder / file).write_text(text)
        site = [{"path": "a.cc", "line": 1, "column": 1, "end_line": 1, "end_column": 2}]
        (folder / "operators.json").write_text(json.dumps(
            {"schema": "opledger-operators/1", "dialect": "demo",
             "operators": [{"name": f"aten::{name}", "sites": site} for name in sorted([*NAMES, "tanh"])]}))
        (folder / "list.json").write_text(json.dumps(
            {"framework": "demo", "target_dtype": "float16", "unlisted": "either",
             **{policy: [f"aten::{name}" for name in names] for policy, names in listed.items()},
             "documented_in": [{"file": file, "map": {titles[policy]: policy for policy in POLICIES}}]}))
        check = ("check", "--operators", "operators.json", "--list", "list.json", "--output-format", "json")
        fix = ("docs", "--operators", "operators.json", "--list", "list.json", "--fix", file)
        found = {each["operator"] for each in json.loads(run(binaries, folder, *check, statuses=(0, 1)))["findings"]}
        missing = {f"aten::{name}" for policy, names in listed.items() for name in names if name not in documented[policy]}
        if found != missing:
            return f"seed {seed}: found {sorted(found ^ missing)}:\n{text}"
        run(binaries, folder, *fix)
        after = (folder / file).read_text()
        run(binaries, folder, *check)
        run(binaries, folder, *fix)
        if (folder / file).read_text() != after:
            return f"seed {seed}: a second run changes the page:\n{after}"
        for name in missing:
            count = after.count(f"{name[6:]}`")
            if count != 1:
                return f"seed {seed}: {name} is written {count} times:\n{after}"
        rest = iter(after)
        if not all(each in rest for each in text):
            return f"seed {seed}: more than additions:\n{text}\n{after}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--pages", type=int, default=60)
    options = parser.parse_args()
    problems = list(filter(None, (problem_of(options.bin.resolve(), seed) for seed in range(options.pages))))
    print("\n".join(problems[:3]))
    print(f"{options.pages} pages, {len(problems)} wrong")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
