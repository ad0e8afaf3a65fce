"""Reads what the repository has of each framework: its lists, their versions, and shipped manifests."""

# SPDX-License-Identifier: Apache-2.0

import json
import re

from .layout import ROOT

POLICIES = ("target", "fp32", "widest", "conditional", "either")


def natural(text):
    """A key that sorts 2 before 10, and upper before lower case only where nothing else differs."""
    parts = [part for part in re.split(r"(\d+)", text.lower()) if part]
    return [(part.isdigit(), int(part) if part.isdigit() else part) for part in parts], text


class List:
    """A shipped precision list."""

    def __init__(self, path):
        data = json.loads(path.read_text(encoding="utf-8"))
        self.label, self.dtype, self.device = path.stem, data["target_dtype"], data.get("device", "")
        self.configuration = data.get("configuration", "")
        self.entries = {}  # operator -> (policy, reason or condition or note)
        for policy in POLICIES:
            for entry in data.get(policy, []):
                entry = {"op": entry} if isinstance(entry, str) else entry
                self.entries[entry["op"]] = (policy, details(entry))

    @property
    def policies(self):
        return {op: policy for op, (policy, _) in self.entries.items()}

    def words(self):
        where = {"cuda": "on CUDA", "cpu": "on the CPU", "mps": "on Apple's MPS", "xpu": "on Intel's XPU"}
        return f"{self.dtype} {where.get(self.device, 'on ' + self.device)}" if self.device else self.dtype


def details(entry):
    """The reason, condition and note of an entry, in words."""
    parts = [entry["reason"]] if "reason" in entry else []
    clauses = entry.get("any", [entry] if "attribute" in entry else [])
    for clause in clauses:
        if "attribute" in clause:
            parts.append(
                f"{clause['attribute']} {' or '.join(map(str, clause.get('values', [])))}: {clause.get('then', '?')}"
                f", otherwise {entry.get('otherwise', clause.get('otherwise', '?'))}"
            )
    if "note" in entry:
        parts.append(entry["note"])
    return "; ".join(parts)


class Framework:
    """`versions` is [(version, source, {label: {operator: policy}})], oldest first; `shipped` the version of `lists`,
    or "" if the framework has no versions of its own."""

    def __init__(self, name, title):
        self.name, self.title = name, title
        paths = (ROOT / "registry/lists" / name).glob("*.json")
        self.lists = [List(path) for path in sorted(paths, key=lambda path: (path.stem.startswith("b"), path.stem))]
        dialect = json.loads((ROOT / "registry/dialects" / f"{name}.json").read_text(encoding="utf-8"))
        self.description, self.unlisted = dialect.get("description", ""), dialect.get("unlisted", "")
        self.versions, self.shipped = [], ""
        path = ROOT / "registry/versions" / f"{name}.json"
        for each in json.loads(path.read_text(encoding="utf-8"))["versions"] if path.exists() else ():
            shipped = each.get("shipped", False)
            lists = (
                {each.label: each.policies for each in self.lists}
                if shipped
                else {
                    label: {op: policy for policy, ops in policies.items() for op in ops}
                    for label, policies in each["lists"].items()
                }
            )
            self.versions.append((each["version"], each["source"], lists))
            self.shipped = each["version"] if shipped else self.shipped
        self.types = type_tables(name)

    def operators(self):
        """Of its lists in every version, and of its manifests."""
        names = {op for each in self.lists for op in each.entries}
        names |= {op for _, _, lists in self.versions for policies in lists.values() for op in policies}
        names |= {op for table in self.types for steps in table[2] for op in steps[1]}
        return sorted(names, key=natural)

    def history(self, label):
        """[(version, {operator: policy})] of one list, oldest first, with the shipped one if there are no versions."""
        found = [(version, lists[label]) for version, _, lists in self.versions if label in lists]
        return found or [("", each.policies) for each in self.lists if each.label == label]


def takes(operator, dtype):
    """Whether some input or output may have the type."""
    values = [field["value"] for field in operator["fields"].get("dtypes", [])]
    values += [field["value"] for field in operator["fields"].get("type_variables", [])]
    wanted = {dtype, f"tensor({dtype})"}
    return any(wanted & {part.strip() for part in value.split(",")} for value in values)


def type_tables(name):
    """Which operators take a 16-bit type at all: [(id, words, [(version, {operator: "takes" or "does not"})])]."""
    tables = []
    if name == "onnx":
        operators = json.loads((ROOT / "registry/operators/onnx.json").read_text())["operators"]
        own = [each for each in operators if "." not in each["name"]]
        opsets = sorted({each["since"] for operator in own for each in (operator, *operator.get("earlier", []))})
        for dtype in ("float16", "bfloat16"):
            steps = []
            for opset in opsets:
                at = {}
                for operator in own:
                    known = [each for each in (*operator.get("earlier", []), operator) if each["since"] <= opset]
                    if known:
                        at[operator["name"]] = (
                            "takes" if takes(max(known, key=lambda e: e["since"]), dtype) else "does not"
                        )
                steps.append((f"opset {opset}", at))
            tables.append((f"{dtype}-type", f"{dtype} in the operator's definition", steps))
    if name == "onnxruntime":
        profile = json.loads((ROOT / "registry/profiles/onnxruntime-cpu.json").read_text())
        newest = {}
        for kernel in profile["kernels"]:
            if "until" not in kernel or kernel["op"] not in newest:
                newest[kernel["op"]] = kernel
        at = {op: "takes" if "float16" in kernel["dtypes"] else "does not" for op, kernel in newest.items()}
        tables.append(("float16-kernel", "float16 in the newest kernel for the CPU", [(profile["version"], at)]))
    return tables


def changes(old, new):
    """[(operator, policy before or None, policy after or None)] between two versions."""
    names = sorted(old.keys() | new.keys(), key=natural)
    return [(op, old.get(op), new.get(op)) for op in names if old.get(op) != new.get(op)]
