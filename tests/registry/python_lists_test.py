#!/usr/bin/env python3
"""Compares the lists that opledger reads from Python with CPython: on random modules with the
idioms of frameworks, name by name, lists as multisets. A list marked as incomplete may differ; few
may be incomplete."""
# SPDX-License-Identifier: Apache-2.0

import argparse
import ast
import collections
import copy
import os
import pathlib
import random
import re
import sys
import tempfile
import types

import python_use_cases
from python_list_modules import FEATURES, Modules
from python_witness import dump

BATCH = 100
ALLOWED = 0.025  # share of incomplete lists: in most, an unsupported test removes an item


class Features:
    def is_enabled(self, name): return FEATURES[name]


Features.instance = Features()


def plain(value):
    """Returns a value in the format of opledger's dump, with sets sorted."""
    if isinstance(value, bool) or value is None:
        return ("constant", str(value))
    if isinstance(value, (int, float)):
        return ("number", float(value))
    if isinstance(value, str):
        return ("str", value)
    if isinstance(value, dict) and not isinstance(value, type):
        return ("dict", tuple(sorted(((plain(key), plain(each)) for key, each in value.items()), key=repr)))
    if isinstance(value, (set, frozenset)):
        return ("set", tuple(sorted((plain(each) for each in value), key=repr)))
    if isinstance(value, (list, tuple)):
        return (type(value).__name__, tuple(plain(each) for each in value))
    return ("unreadable", "")


def own(value):
    kind, content = value
    if kind == "number":
        return (kind, float(content))
    if kind == "dict":
        pairs = {own(key): own(each) for key, each in zip(content[::2], content[1::2])}
        return (kind, tuple(sorted(pairs.items(), key=repr)))
    if kind == "set":
        return (kind, tuple(sorted({own(each) for each in content}, key=repr)))
    return (kind, tuple(map(own, content)) if isinstance(content, list) else content)


class Notes(ast.NodeTransformer):
    """Wraps each test in __note__, which records its results."""

    def noted(self, node):
        self.generic_visit(node)
        line = ast.Constant(node.test.lineno)
        node.test = ast.Call(ast.Name("__note__", ast.Load()), [line, node.test], [])
        return node

    visit_If = visit_IfExp = noted


def holds(condition, tests):
    """Evaluates a condition on features and unsupported tests; raises ValueError if a test had
    several results, or none."""
    def result(found):
        (only,) = tests.get(int(found[1]), ())
        return str(only)
    text = re.sub(r"unread\((\d+)\)", result, condition)
    text = text.replace("&&", " and ").replace("||", " or ").replace("!", " not ")
    return not condition or eval(text, {}, dict(FEATURES))


def compared(kind, items):
    if kind == "dict":
        return ("dict", dict(items))
    return ("set", set(items)) if kind == "set" else ("sequence", collections.Counter(items))


def read(found, tests):
    items = [item for item in found["items"] if holds(item["feature"], tests)]
    if found["kind"][0] == "dict":
        return compared("dict", [(own(item["key"]), own(item["value"])) for item in items])
    return compared(found["kind"][0], [own(item["value"]) for item in items])


def expected(value):
    if isinstance(value, dict):
        return compared("dict", [(plain(key), plain(each)) for key, each in value.items()])
    return compared("set" if isinstance(value, (set, frozenset)) else "list", [plain(each) for each in value])


def names(module):
    """Returns the names in CPython, in opledger's notation."""
    lists = {}

    def add(name, value):
        if isinstance(value, (list, tuple, set, frozenset, dict)):
            lists[name] = value
            for key, each in value.items() if isinstance(value, dict) else ():
                if isinstance(key, str):
                    add(f"{name}.{key}", each)
        elif isinstance(value, type) and value is not Features:
            for key, each in vars(value).items():
                if not key.startswith("__"):
                    add(f"{name}.{key}", each)

    members = [(name, value) for name, value in module.items() if not name.startswith("__")]
    for name, value in members:
        if not isinstance(value, types.FunctionType):
            add(name, value)
    lists = copy.deepcopy(lists)
    for name, value in members:
        if isinstance(value, types.FunctionType) and value.__code__.co_argcount == 0:
            add(name, copy.deepcopy(value()))
    return lists


class Comparison:
    def __init__(self):
        self.lists = self.items = self.incomplete = self.unknown = self.skipped = 0
        self.problems = []

    def one(self, text, found):
        tests = collections.defaultdict(set)

        def note(line, value):
            tests[line].add(bool(value))
            return value
        module = {"Features": Features, "os": os, "__note__": note}
        try:
            tree = ast.fix_missing_locations(Notes().visit(ast.parse(text)))
            exec(compile(tree, "module", "exec"), module)
            values = names(module)
        except Exception:  # a module that Python rejects is skipped
            self.skipped += 1
            return
        read_lists = {each["name"]: each for each in found.get("lists", [])}
        if "error" in found:
            self.problems.append((text, found["error"]))
        for name, value in values.items():
            self.lists += 1
            outer = [read_lists.get(name[:found.start()]) for found in re.finditer(r"\.", name)]
            if any(each is not None and not each["complete"] for each in outer):
                self.incomplete += 1
            elif name not in read_lists:
                self.problems.append((text, f"{name} is not there"))
            elif not read_lists[name]["complete"]:
                self.incomplete += 1
                if self.incomplete < 4 and "--show" in sys.argv:
                    print(text, "\nINCOMPLETE", name, found["messages"])
            else:
                self.items += len(value)
                try:
                    have, want = read(read_lists[name], tests), expected(value)
                except ValueError:
                    self.unknown += 1
                    continue
                if have[1] != want[1]:
                    self.problems.append((text, f"{name} is {have}, Python has {want}"))


def check_uses(binary, folder):
    """Every change of a list that its assignments do not show is reported, or has the result that
    CPython has."""
    cases = [(text, True) for text in python_use_cases.CHANGED] + [(text, False) for text in python_use_cases.READ]
    paths = [pathlib.Path(folder) / f"use{number}.py" for number in range(len(cases))]
    for path, (text, _) in zip(paths, cases):
        path.write_text(python_use_cases.BASE + text)
    problems = []
    for (text, changes), path, found in zip(cases, paths, dump(binary, "lists", paths)):
        lists = {each["name"]: each for each in found.get("lists", [])}
        want = python_use_cases.witnessed(path.read_text())
        if changes and want == ["gamma", "delta"]:
            problems.append((text, "CPython has FP32 unchanged"))
        complete = "FP32" in lists and lists["FP32"]["complete"]
        have = [item["value"][1] for item in lists["FP32"]["items"]] if complete else None
        if complete and sorted(have) != sorted(want or []) or not complete and not changes:
            problems.append((text, f"FP32 is {have}, Python has {want}"))
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--count", type=int, default=2000, help="modules")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--table", action="store_true", help="print the figures")
    parser.add_argument("--show", action="store_true", help="print some incomplete lists")
    options = parser.parse_args()
    made = random.Random(options.seed)
    comparison = Comparison()
    with tempfile.TemporaryDirectory() as folder:
        for start in range(0, options.count, BATCH):
            texts = [Modules(made).module() for _ in range(min(BATCH, options.count - start))]
            paths = []
            for number, text in enumerate(texts):
                paths.append(pathlib.Path(folder) / f"{start + number}.py")
                paths[-1].write_text(text)
            for text, found in zip(texts, dump(options.bin / "opledger-python-dump", "lists", paths)):
                comparison.one(text, found)
        comparison.problems += check_uses(options.bin / "opledger-python-dump", folder)
    failed = bool(comparison.problems) or comparison.incomplete > ALLOWED * comparison.lists or comparison.lists == 0
    if options.table or failed:
        print(f"{comparison.lists} lists of {comparison.items} items, {comparison.incomplete} incomplete, {comparison.unknown} under "
              f"tests with several results, "
              f"{len(comparison.problems)} differ, {comparison.skipped} modules that Python rejects")
    for text, problem in comparison.problems[:3]:
        print(f"{text}\n{problem}\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
