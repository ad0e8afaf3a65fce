#!/usr/bin/env python3
"""The file of `opledger doctor --report` has nothing of the user's: in a tree whose every name, text and path contains
a mark, the mark does not occur in it, whatever is wrong with the tree. With --with-paths it does. The counts are
right."""
# SPDX-License-Identifier: Apache-2.0

import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../scan"))
from scanning import Skip, expect, main  # noqa: E402

MARK = "zqxcanary"
UPPER = MARK.upper()
SITE = {"path": f"{MARK}/a.cc", "line": 1, "column": 1, "end_line": 1, "end_column": 2}

DIALECT = {"name": f"{MARK}-dialect", "sources": [f"{MARK}_src/**"], "extensions": [".cc"],
           "include_directories": [f"{MARK}_include"], "sinks": [{"macro": f"{UPPER}_REGISTER"}],
           "suspicious": {"containing": f"{UPPER}_REGISTER"}}
LIST = {"framework": f"{MARK}-dialect", "target_dtype": "float16", "device": f"{MARK}device",
        "fp32": [{"op": f"{MARK}_exp", "reason": "numeric", "note": f"{MARK} note"}, f"{MARK}_gone", f"{MARK}_ecp"]}
PROJECT = {"dialect": f"./{MARK}_dialect.json", "lists": [f"{MARK}_lists/{MARK}.json"], "guidelines": f"{MARK} guide",
           "exclude": [f"{MARK}_src/{MARK}_out/**"],
           "configurations": {f"{MARK}conf": {f"{UPPER}_GPU": "1"}}}
SOURCE = f"""// {MARK} comment
#include "{MARK}.h"
{UPPER}_REGISTER({MARK}_exp);
{UPPER}_REGISTER({MARK}_log);
#if {UPPER}_GPU
{UPPER}_REGISTER({MARK}_gpu);
#endif
const char* {MARK}_name();
{UPPER}_REGISTER({MARK}_paste ## __LINE__ ( {MARK});
static {UPPER}_REGISTRY {MARK}_variable({MARK}_name());
"""


def text_of(content):
    return content if isinstance(content, str) else json.dumps(content)


class Tree:
    """A project below a folder whose name has the mark, too."""

    def __init__(self, folder, **changed):
        self.folder = folder / f"{MARK}_home" / f"{MARK}_tree"
        files = {"opledger.json": PROJECT, f"{MARK}_dialect.json": DIALECT, f"{MARK}_lists/{MARK}.json": LIST,
                 f"{MARK}_src/{MARK}.cc": SOURCE, f"{MARK}_include/{MARK}.h": f"// {MARK}\n#define {MARK} {MARK}\n"}
        for name, content in (files | changed).items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text_of(content))
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder.parent), "USER": MARK,
                            "OPLEDGER_CACHE_DIR": str(self.folder.parent / f"{MARK}_cache")}
        subprocess.run(f"git init -q -b {MARK} . && git add . && git -c user.name={MARK} -c user.email={MARK}@{MARK} "
                       f"commit -qm {MARK}", shell=True, cwd=self.folder, check=True, env=self.environment)

    def bundle(self, bin_folder, *options, status=(0, 1), **variables):
        """(the text of the bundle, as JSON); without the file's name, which has no mark."""
        file = self.folder.parents[1] / "bundle.json"
        done = subprocess.run([bin_folder / "opledger", "doctor", "--report", file, *options], cwd=self.folder,
                              env=self.environment | variables, capture_output=True, text=True, check=False)
        expect(done.returncode in status and done.stdout == "", done.returncode, done.stdout, done.stderr)
        text = file.read_text()
        file.unlink()
        return text, json.loads(text)


def expect_no_mark(text):
    found = [line for line in text.splitlines() if MARK in line.lower()]
    expect(not found, *found)
    for variable in ("HOME", "USER", "HOSTNAME", "PWD"):
        value = os.environ.get(variable, "")
        expect(len(value) < 5 or value not in text, variable, value)


def test_a_bundle_has_nothing_of_the_tree(bin_folder, folder):
    if not (bin_folder / "opledger-scan").exists():
        raise Skip("opledger-scan was not built")
    tree = Tree(folder)
    text, bundle = tree.bundle(bin_folder)
    expect_no_mark(text)
    check = bundle["check"]
    expect(check["exit_status"] in (1, 3) and check["counts"]["operators"] >= 3, check)
    rules = {each["rule"]: each["count"] for each in check["findings"]}
    expect("other" not in rules and rules.get("unclassified-operator", 0) >= 2 and "stale-entry" in rules, check)
    expect(check["milliseconds"]["scan"] > 0 and check["milliseconds"]["total"] >= check["milliseconds"]["scan"], check)
    expect(bundle["settings"] == {"project_file": True, "unknown_keys": 0,
                                  "entries": {"dialect": 1, "lists": 1, "guidelines": 1, "exclude": 1,
                                              "configurations": 1}}, bundle["settings"])
    expect("texts" not in check and "incomplete_places" not in check and bundle["names"] is False)
    expect(bundle["limits"]["open_files"] > 0 and bundle["memory_bytes"] > 0, bundle["limits"])
    expect("mxnet" in bundle["versions"]["dialects"], bundle["versions"])


def test_with_paths_it_has(bin_folder, folder):
    if not (bin_folder / "opledger-scan").exists():
        raise Skip("opledger-scan was not built")
    text, bundle = Tree(folder).bundle(bin_folder, "--with-paths")
    expect(MARK in text and bundle["names"] is True, text)
    places = bundle["check"]["incomplete_places"]
    expect(len(places) == sum(bundle["check"]["incomplete"].values()), bundle["check"])


def test_whatever_is_wrong(bin_folder, folder):
    """Malformed files, unknown keys, missing lists: messages of the check quote names; the bundle counts them."""
    cases = {
        "unknown key": {"opledger.json": PROJECT | {f"{MARK}_key": [f"{MARK}"]}},
        "not JSON": {"opledger.json": f'{{"dialect": {MARK}'},
        "no such dialect": {"opledger.json": PROJECT | {"dialect": MARK}},
        "no such list": {"opledger.json": PROJECT | {"lists": [f"{MARK}_nowhere.json"]}},
        "a malformed list": {f"{MARK}_lists/{MARK}.json": LIST | {f"{MARK}_policy": [MARK]}},
        "a malformed dialect": {f"{MARK}_dialect.json": DIALECT | {f"{MARK}_field": MARK}},
        "a file that nobody can read as text": {f"{MARK}_src/{MARK}.cc": f"{UPPER}_REGISTER(\n" * 3},
        "no project": {"opledger.json": "{}"},
    }
    for number, (case, changed) in enumerate(cases.items()):
        tree = Tree(folder / str(number), **changed)
        text, bundle = tree.bundle(bin_folder)
        expect_no_mark(text)
        check = bundle["check"]
        expect(check["exit_status"] not in (0, None), case, check)
        expect(check["exit_status"] != 2 or check["messages"], case, check)
        if case == "unknown key":
            expect(bundle["settings"]["unknown_keys"] == 1, bundle["settings"])
        text, _ = tree.bundle(bin_folder, "--with-paths")
        expect(MARK in text, case)


def test_settings_of_the_environment(bin_folder, folder):
    tree = Tree(folder)
    (tree.folder / f"{MARK}_data/dialects").mkdir(parents=True)
    (tree.folder / f"{MARK}_data/dialects/{MARK}.json").write_text(json.dumps({"name": MARK, MARK: 1}))
    (tree.folder / f"{MARK}_data/schemas").mkdir()
    (tree.folder / f"{MARK}_data/schemas/{MARK}.schema.json").write_text('{"$id": "x/1.json"}')
    for variables in ({"OPLEDGER_DATA_DIR": f"{MARK}_data"}, {"OPLEDGER_CONFIG": f"{MARK}_nowhere.json"},
                      {"OPLEDGER_CONFIG": f"{MARK}_lists/{MARK}.json"}, {"OPLEDGER_OUTPUT_FORMAT": f"json={MARK}.out"},
                      {"OPLEDGER_DIAGNOSTICS": "json"}):
        text, bundle = tree.bundle(bin_folder, **variables)
        expect_no_mark(text)
        names = {each["name"] for each in bundle["examined"]}
        expect(set(variables) & names or "OPLEDGER_DIAGNOSTICS" in variables, names)
    text, bundle = tree.bundle(bin_folder, "--config", f"{MARK}_lists/{MARK}.json")
    expect_no_mark(text)
    text, bundle = tree.bundle(bin_folder, "--config", "none")
    expect_no_mark(text)
    expect(bundle["settings"] == {"project_file": False, "entries": {}, "unknown_keys": 0}, bundle["settings"])


def test_options(bin_folder, folder):
    opledger = bin_folder / "opledger"
    for arguments in (["--with-paths"], ["--report", "x.json", "-o", "y"], ["--report", "x.json", "--format", "json"]):
        done = subprocess.run([opledger, "doctor", *arguments], cwd=folder, capture_output=True, text=True, check=False)
        expect(done.returncode == 2 and "--report" in done.stderr, arguments, done.stderr)
    expect(not list(pathlib.Path(folder).iterdir()))


if __name__ == "__main__":
    sys.exit(main(globals()))
