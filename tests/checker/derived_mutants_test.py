#!/usr/bin/env python3
"""Edits the real precision lists of MXNet, TensorFlow, TVM and PyTorch as pull requests do: a row
is removed, added, moved, misspelled, repeated or glued to the next, a list is renamed, moved or
emptied. In a repository set up by `init`, `check --staged --against HEAD` must report what follows
from the edit and from how the framework runs an operator without a row."""
# SPDX-License-Identifier: Apache-2.0

import argparse
import collections
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from test_data import require_sources  # noqa: E402

LITERAL = re.compile(r"""^\s*(["'])(?P<name>[\w.]+)\1,?\s*([#/].*)?$""")
MACRO_ROW = re.compile(r"^\s*_\((?P<name>\w+(?:, \w+)?)\)\s*\\$")


class Framework:
    """Where a framework's lists are, how a row looks, and what an operator without a row means."""

    def __init__(self, source, dialect, file, lists, unlisted, row=LITERAL, copied=(), label=None):
        self.source, self.dialect, self.file, self.lists = source, dialect, file, lists
        self.unlisted, self.row, self.copied, self.label = unlisted, row, copied, label


FRAMEWORKS = {
    "mxnet": Framework("mxnet-b84609d3", "mxnet", "python/mxnet/amp/lists/symbol_fp16.py",
                       {"\nFP16_FUNCS = [": "target", "\nFP32_FUNCS = [": "fp32", "\nFP16_FP32_FUNCS = [": "either",
                        "\nWIDEST_TYPE_CASTS = [": "widest"}, "required",
                       copied=["python/mxnet/amp/lists/symbol_bf16.py"]),
    "tensorflow": Framework("tensorflow-2.14.1", "tensorflow",
                            "tensorflow/core/grappler/optimizers/auto_mixed_precision_lists.h",
                            {"AllowList() override {\n    auto list = gtl::FlatSet<string>{\n": "target",
                             "InferList() override {\n    if (IsPseudo": "widest",
                             "DenyList() override {\n    if (IsPseudo": "fp32",
                             "ClearList() override {\n    if (IsPseudo": "either"}, "fp32"),
    "tvm-relay": Framework("tvm-v0.18.0", "tvm-relay", "python/tvm/relay/transform/mixed_precision.py",
                           {"DEFAULT_ALWAYS_LIST = [": "target", "DEFAULT_FOLLOW_LIST = [": "widest",
                            "DEFAULT_NEVER_LIST = [": "fp32"}, "widest"),
    "pytorch": Framework("pytorch-2.6.0", "pytorch", "aten/src/ATen/autocast_mode.h",
                         {"#define AT_FORALL_LOWER_PRECISION_FP(_)": "target", "#define AT_FORALL_FP32(_)": "fp32",
                          "#define AT_FORALL_PROMOTE(_)": "widest"}, "either", row=MACRO_ROW,
                         copied=["aten/src/ATen/autocast_mode.cpp", "aten/src/ATen/native/native_functions.yaml",
                                 "c10"]),
}


def rows_of(framework, lines):
    """Returns policy -> (line, name) of the rows of the literal that follows the list's head."""
    text = "".join(lines)
    rows = {}
    for head, policy in framework.lists.items():
        at = text.index(head)
        line = text.count("\n", 0, at + 1) + 1
        found = []
        while line < len(lines):
            match = framework.row.match(lines[line].rstrip("\n"))
            if match:
                found.append((line, match["name"]))
            elif found and lines[line].strip() and not lines[line].strip().startswith(("#", "//")):
                break
            line += 1
        rows[policy] = found
    return rows


def operator_of(framework, name):
    return "aten::" + name.replace(", ", ".") if framework.row is MACRO_ROW else name


class Repository:
    def __init__(self, name, binaries, folder):
        self.framework = FRAMEWORKS[name]
        source = require_sources(self.framework.source)[0]
        self.folder = folder / name
        self.environment = {**os.environ, "PATH": f"{binaries}:/usr/bin:/bin", "GIT_CONFIG_NOSYSTEM": "1",
                            "OPLEDGER_CACHE_DIR": str(folder / "cache")}
        for path in [self.framework.file, *self.framework.copied]:
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            copy = shutil.copytree if (source / path).is_dir() else shutil.copy
            copy(source / path, self.folder / path)
        self.options = ""
        if not self.framework.row is MACRO_ROW:
            # The operators do not change, so a manifest of all sources replaces the scan.
            self.run(f"opledger -C '{source}' scan --dialect {self.framework.dialect} "
                     f"-o '{self.folder}/operators.json'", (0, 3))
            manifest = json.loads((self.folder / "operators.json").read_text(encoding="utf-8"))
            manifest["incomplete"] = []
            (self.folder / "operators.json").write_text(json.dumps(manifest), encoding="utf-8")
            self.options = "--operators operators.json"
        self.run("git init -q && git add -f . && git -c user.name=a -c user.email=a@b commit -qm first")
        self.run(f"opledger init --dialect {self.framework.dialect}")
        self.run("git add -f . && git -c user.name=a -c user.email=a@b commit -qm init")
        self.original = (self.folder / self.framework.file).read_text(encoding="utf-8")
        lines = self.original.splitlines(keepends=True)
        self.rows = rows_of(self.framework, lines)
        self.names = self.registered()

    def registered(self):
        """Returns the operators that no list of the file names."""
        where = "operators.json" if self.options else None
        if where is None:
            self.run(f"opledger scan --dialect {self.framework.dialect} -o ../scan.json", (0, 3))
        manifest = json.loads((self.folder / (where or "../scan.json")).read_text(encoding="utf-8"))
        self.all_names = {op["name"] for op in manifest["operators"]}
        for op in manifest["operators"]:
            self.all_names.update(alias if isinstance(alias, str) else alias["alias"] for alias in op["aliases"])
        text = self.original
        wanted = r"[a-z]\w*" if self.framework.row is LITERAL else r"aten::[a-z]\w*[a-z0-9]"
        return [op["name"] for op in manifest["operators"] if re.fullmatch(wanted, op["name"], re.IGNORECASE)
                and not op.get("exempt") and op["name"].split("::")[-1] not in text
                and not op.get("fields", {}).get("policy")]

    def run(self, command, statuses=(0,)):
        self.folder.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(["sh", "-c", command], cwd=self.folder, env=self.environment, text=True,
                              capture_output=True, timeout=600, check=False)
        if done.returncode not in statuses:
            raise AssertionError(f"{command}: exit {done.returncode}: {done.stderr[-800:]}{done.stdout[-800:]}")
        return done.stdout

    def verdict(self, text, path=None):
        """Returns the exit status and rule -> operators of its findings for this state of the
        file."""
        file = self.folder / self.framework.file
        if path:
            file.unlink()
            (self.folder / path).write_text(text, encoding="utf-8")
        else:
            file.write_text(text, encoding="utf-8")
        self.run("git add -A -f .")
        done = subprocess.run(
            ["sh", "-c", f"opledger check --staged --against HEAD {self.options} --output-format json"],
            cwd=self.folder, env=self.environment, text=True, capture_output=True, timeout=600, check=False)
        self.run("git reset -q --hard HEAD")
        report = json.loads(done.stdout) if done.stdout.startswith("{") else {"findings": []}
        rules = collections.defaultdict(set)
        for finding in report["findings"]:
            counts = finding["severity"] != "note" or finding["rule"] == "removed-from-target"
            if finding.get("status", "new") == "new" and counts:
                rules[finding["rule"]].add(finding.get("operator", ""))
        return done.returncode, dict(rules), done.stderr


LOW = {"target": 0, "either": 1, "widest": 1, "fp32": 2, "required": 3}


class Mutants:
    """Each method returns the new text, the rule that must fire with its operator (None: no failing
    finding), and the exit status."""

    def __init__(self, repository, seed):
        self.repository, self.random = repository, random.Random(seed)
        self.framework = repository.framework

    def lines(self):
        return self.repository.original.splitlines(keepends=True)

    def pick(self, policies):
        rows = {policy: [row for row in self.repository.rows.get(policy, [])
                         if operator_of(self.framework, row[1]) in self.repository.all_names] for policy in policies}
        policy = self.random.choice([p for p in policies if rows[p]])
        line, name = self.random.choice(rows[policy])
        return policy, line, name

    def row(self, template, name):
        if self.framework.row is MACRO_ROW:
            return f"  _({name.split('::')[-1].replace('.', ', ')}) \\\n"
        return re.sub(r"""(["'])[\w.]+\1""", lambda m: m[1] + name + m[1], template)

    def removed(self):
        policy, line, name = self.pick(["target", "fp32", "widest", "either"])
        lines = self.lines()
        del lines[line]
        op = operator_of(self.framework, name)
        unlisted = self.framework.unlisted
        if unlisted == "required":
            return "".join(lines), "unclassified-operator", op, 1
        if policy == "fp32" and unlisted != "fp32":
            return "".join(lines), "moved-to-target", op, 1
        if policy == "target":
            return "".join(lines), "removed-from-target", op, 0
        return "".join(lines), None, op, 0

    def added(self):
        if not self.repository.names:  # MXNet has a row for each
            return None
        policy, line, _ = self.pick(["target", "fp32", "widest", "either"])
        name = self.random.choice(self.repository.names)
        lines = self.lines()
        lines.insert(line, self.row(lines[line], name))
        if policy == "target":
            return "".join(lines), "moved-to-target", name, 1
        return "".join(lines), None, name, 0

    def moved(self):
        policy, line, name = self.pick(["target", "fp32", "widest", "either"])
        other, place, _ = self.pick([p for p in self.repository.rows if p != policy])
        lines = self.lines()
        row = self.row(lines[place], operator_of(self.framework, name))
        for at in sorted((line, place), reverse=True):
            if at == place:
                lines.insert(place, row)
            else:
                del lines[line]
        op = operator_of(self.framework, name)
        if policy == "fp32" or (policy, other) == ("widest", "target"):
            return "".join(lines), "moved-to-target", op, 1
        return "".join(lines), None, op, 0

    def moved_with_reason(self):
        _, line, name = self.pick(["fp32"])
        _, place, _ = self.pick(["target"])
        lines = self.lines()
        row = self.row(lines[place], operator_of(self.framework, name)).rstrip("\n")
        note = "opledger: numeric, measured in #123"
        if self.framework.row is MACRO_ROW:
            row = row.rstrip("\\").rstrip() + f" /* {note} */ \\"
        else:
            row += f"  # {note}" if self.framework.file.endswith(".py") else f"  // {note}"
        for at in sorted((line, place), reverse=True):
            if at == place:
                lines.insert(place, row + "\n")
            else:
                del lines[line]
        return "".join(lines), None, operator_of(self.framework, name), 0

    def misspelled(self):
        _, line, name = self.pick(["target", "fp32", "widest", "either"])
        base = name.split(", ")[0]
        at = self.random.randrange(len(base))
        wrong = base[:at] + "zq" + base[at:]
        lines = self.lines()
        lines[line] = re.sub(rf"\b{re.escape(base)}\b", wrong, lines[line], count=1)
        return "".join(lines), ("near-miss-name", "stale-entry"), None, 1

    def repeated(self):
        _, line, name = self.pick(["target", "fp32", "widest", "either"])
        lines = self.lines()
        lines.insert(line, lines[line])
        return "".join(lines), "duplicate-entry", operator_of(self.framework, name), 1

    def in_two(self):
        policy, line, name = self.pick(["target", "fp32", "widest", "either"])
        _, place, _ = self.pick([p for p in self.repository.rows if p != policy])
        lines = self.lines()
        lines.insert(place, self.row(lines[place], operator_of(self.framework, name)))
        return "".join(lines), "in-several-lists", operator_of(self.framework, name), 1

    def glued(self):
        if self.framework.row is MACRO_ROW:
            return None
        rows = [(line, name) for found in self.repository.rows.values() for line, name in found]
        line, _ = self.random.choice([r for r in rows if any(o[0] == r[0] + 1 for o in rows)])
        lines = self.lines()
        if "," not in lines[line].split("#")[0]:
            return None
        lines[line] = lines[line].replace(",", "", 1)
        return "".join(lines), ("glued-literals", "stale-entry", "near-miss-name"), None, 1

    def renamed(self):
        head = self.random.choice(list(self.framework.lists))
        name = re.search(r"\w+List\b|\w+_(?:FUNCS|CASTS|LIST|FP|FP32|PROMOTE)\b", head)[0]
        text = self.repository.original
        at = text.index(head) + head.index(name)
        return text[:at] + name + "Renamed" + text[at + len(name):], "incomplete-scan", None, 3

    def emptied(self):
        policy = self.random.choice([p for p in self.repository.rows if self.repository.rows[p]])
        lines = self.lines()
        gone = {line for line, _ in self.repository.rows[policy]}
        if self.framework.row is MACRO_ROW:
            last = max(gone)
            lines[last + 1] = ""  # the last row has no backslash
            head = lines[min(gone) - 1]
            lines[min(gone) - 1] = head.rstrip().rstrip("\\").rstrip() + "\n"
        lines = [text for at, text in enumerate(lines) if at not in gone]
        return "".join(lines), "incomplete-scan", None, 3


KINDS = ["removed", "added", "moved", "moved_with_reason", "misspelled", "repeated", "in_two", "glued", "renamed",
         "emptied"]


def check(repository, mutant, kind, seed):
    text, rule, op, status = mutant
    got, rules, said = repository.verdict(text)
    wanted = rule if isinstance(rule, tuple) else (rule,)
    pair = rules.pop("gradient-pair-split", None)  # also true for an operator and its gradient
    pair = rules.pop("device-lists-disagree", pair)  # ... and for the other device's list
    right = got == status or (status == 0 and got == 1 and pair is not None)
    if rule is None:
        right = right and not any(op in found for name, found in rules.items() if name != "removed-from-target")
    else:
        right = right and any(name in rules and (op is None or op in rules[name]) for name in wanted)
    if right:
        return True
    print(f"{repository.folder.name} {kind} seed {seed}: exit {got}, not {status}; {op}: wanted {rule}, got "
          f"{ {name: sorted(found)[:4] for name, found in rules.items()} }\n{said[-200:]}")
    return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--mutants", type=int, default=40, help="in all")
    parser.add_argument("--framework", action="append")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    names = arguments.framework or list(FRAMEWORKS)
    total = wrong = 0
    with tempfile.TemporaryDirectory() as scratch:
        for name in names:
            repository = Repository(name, os.path.abspath(arguments.bin), pathlib.Path(scratch))
            for number in range(arguments.mutants // len(names)):
                seed = arguments.seed * 100000 + number
                kind = KINDS[number % len(KINDS)]
                mutant = getattr(Mutants(repository, seed), kind)()
                if mutant is None:
                    continue
                total += 1
                wrong += not check(repository, mutant, kind, seed)
            file = repository.folder / repository.framework.file
            total += 1
            moved = repository.verdict(repository.original, str(pathlib.PurePath(repository.framework.file).parent /
                                                                f"moved{file.suffix}"))
            if moved[0] != 3:
                print(f"{name} moved file: exit {moved[0]}: {moved[1]}")
                wrong += 1
    print(f"{total} mutants, {wrong} with another verdict")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
