#!/usr/bin/env python3
"""Compares the Python registrations that a scan of a tree finds with the calls that CPython's `ast`
finds: tests/scan/python_sites.py --bin build/bin TREE... prints, for each tree, calls of known
functions with a constant name, and those of them that are neither in the manifest nor reported at
their lines."""
# SPDX-License-Identifier: Apache-2.0

import argparse
import ast
import json
import pathlib
import re
import subprocess
import sys

FUNCTIONS = {"custom_op", "triton_op", "define", "direct_register_custom_op", "register_custom_op"}
KEYWORDS = {"op_name", "name", "schema"}
EXCLUDED = re.compile(r"(^|/)(docs?|benchmarks?|tests?|third_party|third-party|3rdparty|external|build)/|"
                      r"(^|/)conftest\.py$|(^|/)test_[^/]*\.py$|_test\.py$")


def bare(name):
    """Returns "add" for "ns::add.out(Tensor x)"."""
    return re.match(r"[\w:.]*", name)[0].split("::")[-1].split(".")[0]


def constant_names(call):
    given = list(call.args) + [keyword.value for keyword in call.keywords if keyword.arg in KEYWORDS]
    return [each.value for each in given if isinstance(each, ast.Constant) and isinstance(each.value, str)]


def sites(tree):
    """Yields the path, the lines and the name of each call."""
    for path in sorted(tree.rglob("*.py")):
        relative = path.relative_to(tree).as_posix()
        if EXCLUDED.search(relative) or ".git/" in relative:
            continue
        try:
            module = ast.parse(path.read_text(encoding="utf-8"))
        except (SyntaxError, ValueError):
            continue
        for call in ast.walk(module):
            if not isinstance(call, ast.Call):
                continue
            function = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            names = constant_names(call)
            if function == "define":
                names = names if any("(" in name or "::" in name for name in names) else []
            if function in FUNCTIONS and names:
                yield relative, range(call.lineno, (call.end_lineno or call.lineno) + 1), names[0]


def compare(binaries, dialect, tree):
    done = subprocess.run([binaries / "opledger", "scan", "--dialect", dialect, "--no-cache"], cwd=tree,
                          capture_output=True, text=True, check=False)
    if done.returncode not in (0, 3):
        sys.exit(done.stderr)
    manifest = json.loads(done.stdout)
    found = {bare(operator["name"]) for operator in manifest["operators"]}
    unread = {(each["path"], each.get("line")) for each in manifest["incomplete"] + manifest["dynamic"]}
    all_sites = list(sites(tree))
    missing = [(path, lines[0], name) for path, lines, name in all_sites
               if bare(name) not in found and not any((path, line) in unread for line in lines)]
    python = sum(1 for path, _ in unread if path.endswith(".py"))
    print(f"{tree.name}: {len(all_sites)} sites, {len(missing)} missing, {python} places incomplete")
    for site in missing:
        print("  missing:", *site)
    return not missing


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--dialect", default="pytorch-extension")
    parser.add_argument("trees", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    results = [compare(arguments.bin.resolve(), arguments.dialect, tree.resolve()) for tree in arguments.trees]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
