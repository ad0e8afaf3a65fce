#!/usr/bin/env python3
"""The report of a conversion is correct.
It validates, is deterministic, counts the casts that the model has, and names for every node the
one rule that decided: removing that entry from the list changes the labels of the nodes that name
it, and of no others.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import base64
import hashlib
import collections
import html.parser
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from make_onnx import model_bytes  # noqa: E402
from model_data import ONNX as DATA

LIST = ROOT / "registry/lists/onnx/float16.json"

F = "float32"
# Every kind of reason: the list, a constant needed in both types, one that overflows, a cast in the
# model, integers, an unknown operator, a branch, a function.
MODEL = {
    "opset": 17, "domains": {"nobodys": 1},
    "inputs": {"x": [F, [2, 4]], "n": ["int64", [1]], "c": ["bool", []]},
    "outputs": {"y": [F, [2, 4]], "z": [F, [2, 4]], "m": ["int64", [1]]},
    "values": {"h": [F, [2, 4]], "o": [F, [2, 4]]},
    "initializers": {"w": [F, [4, 4], [0.1] * 16], "far": [F, [1], [-1e9]]},
    "functions": [{"name": "Twice", "domain": "own", "inputs": ["a"], "outputs": ["b"],
                   "nodes": [["Add", ["a", "a"], ["b"], {"name": "inner_add"}]]}],
    "nodes": [
        ["MatMul", ["x", "w"], ["h"], {"name": "first"}],
        ["Pow", ["w", "w"], ["p"], {"name": "power"}],
        ["Cast", ["n"], ["f"], {"name": "own_cast", "to": 1}],
        ["Add", ["n", "n"], ["m"], {"name": "integers"}],
        ["Add", ["h", "far"], ["masked"], {"name": "mask"}],
        ["nobodys:Strange", ["masked"], ["o"], {"name": "strange"}],
        ["own:Twice", ["h"], ["t"], {"name": "call"}],
        ["MatMul", ["t", "w"], ["s"], {"name": "second"}],
        ["Mul", ["s", "f"], ["q"], {"name": "scaled"}],
        ["If", ["c"], ["y"], {"name": "branch",
                              "then_branch": {"nodes": [["Relu", ["q"], ["then"], {"name": "in"}]],
                                              "outputs": {"then": [F, [2, 4]]}},
                              "else_branch": {"nodes": [["Identity", ["s"], ["else"]]],
                                              "outputs": {"else": [F, [2, 4]]}}}],
        ["Add", ["o", "p"], ["z"], {"name": "last"}]],
}
RULES = {"first": "list", "power": "list", "own_cast": "cast", "integers": "fixed",
         "mask": "absorbing", "strange": "unknown", "call": "scope", "inner_add": "list",
         "branch": "scope", "in": "list"}


SCRIPT = ROOT / "conversion/report/report.js"
KINDS = {"list", "option", "excluded", "unlisted", "unknown", "cast", "scope", "fixed"}
VOID = {"meta", "br", "input"}


class Page(html.parser.HTMLParser):
    """Collects a page's structure: open tags, link targets, and resources it would load."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.problems = [], set(), [], []
        self.scripts = 0
        digest = base64.b64encode(hashlib.sha256(SCRIPT.read_bytes()).digest()).decode()
        if f"script-src 'sha256-{digest}'" not in text:
            self.problems.append("the page's policy does not allow its own script")
        self.feed(text)
        self.problems += [f"<{each}> is not closed" for each in self.open]
        self.problems += [f"{each} has no target" for each in self.links if each[1:] not in self.ids]

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if tag not in VOID:
            self.open.append(tag)
        self.scripts += tag == "script"
        if tag == "script" and (attrs or self.scripts > 1):
            self.problems.append("a script that is not the page's own")
        if tag in ("img", "link", "iframe", "object", "b1") or "src" in attributes:
            self.problems.append(f"<{tag}> is there")
        if any(name.startswith("on") for name in attributes):
            self.problems.append(f"<{tag}> runs something")
        if "href" in attributes:
            self.links.append(attributes["href"])
        if "id" in attributes and attributes["id"] in self.ids:
            self.problems.append(f"{attributes['id']} occurs twice")
        self.ids.add(attributes.get("id"))
        if tag == "svg" and not attributes.get("aria-label"):
            self.problems.append("a picture without alternative text")

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"</{tag}> closes nothing")


class Reports:
    def __init__(self, program, folder, every):
        self.program, self.folder, self.every = program, folder, every
        self.problems = []

    def report(self, model, *arguments):
        path = self.folder / "report.json"
        done = subprocess.run([self.program, model, "-o", self.folder / "out.onnx", "--unlisted",
                               "ignore", "--report", path, *arguments], capture_output=True,
                              text=True, check=False)
        if done.returncode:
            return None
        return json.loads(path.read_text())

    def expect(self, condition, *what):
        if not condition:
            self.problems.append(" ".join(map(str, what)))

    def check_model(self, path):
        report = self.report(path)
        if report is None:
            return
        totals, name = report["totals"], path.name
        bytes_before = (self.folder / "report.json").read_bytes()
        self.report(path, "--dry-run")
        self.expect((self.folder / "report.json").read_bytes() == bytes_before, name, "is unstable")
        self.expect(len(report["casts"]) == totals["casts"], name, "counts casts wrongly")
        self.expect(totals["casts"] == len(self.inserted()) - len(self.inserted(path)), name,
                    "reports", totals["casts"], "casts")
        self.check_references(name, report)
        # Removing a rule of the list changes what it decided, and nothing else.
        by_line = collections.defaultdict(set)
        for node, each in enumerate(report["nodes"]):
            if each["rule"]["kind"] == "list":
                by_line[each["rule"]["line"]].add(node)
        for line, nodes in sorted(by_line.items())[::self.every]:
            self.check_rule(path, report, line, nodes)

    def inserted(self, path=None):
        """Returns the outputs of Cast nodes, by searching the bytes, which needs no package."""
        data = (path or self.folder / "out.onnx").read_bytes()
        return [part for part in data.split(b"\x22\x04Cast")[1:]]

    def check_references(self, name, report):
        low = report["target_dtype"]
        for index, cast in enumerate(report["casts"]):
            self.expect({cast["from"], cast["to"]} == {low, "float32"}, name, cast)
            self.expect(cast["consumers"] or cast["outputs"], name, cast, "is not needed")
            for node in cast["consumers"]:
                self.expect(index in report["nodes"][node]["casts_wanted"], name, cast)
            if cast["producer"] is not None:
                node = report["nodes"][cast["producer"]]
                self.expect(index in node["casts_of_outputs"], name, cast)

    def check_rule(self, path, report, line, nodes):
        lines = LIST.read_text().splitlines(keepends=True)
        taken = lines.pop(line - 1)
        if lines[line - 1].lstrip().startswith("]"):
            lines[line - 2] = lines[line - 2].rstrip().rstrip(",") + "\n"
        shorter = self.folder / "shorter.json"
        shorter.write_text("".join(lines))
        other = self.report(path, "--list", shorter, "--dry-run")
        if other is None:
            self.expect(False, path.name, "cannot be converted without", taken)
            return
        for node, (before, after) in enumerate(zip(report["nodes"], other["nodes"])):
            if before["rule"]["kind"] not in KINDS:
                continue  # pinned by its values, which take precedence over the list
            same = before["label"] == after["label"]
            what = "keeps its label" if node in nodes else "changes its label"
            self.expect(same == (node not in nodes), path.name, f"node '{before['name']}' {what}",
                        "without", taken.strip())


def check_own_model(reports, folder):
    path = folder / "model.onnx"
    path.write_bytes(model_bytes(MODEL))
    report = reports.report(path)
    if report is None:
        reports.expect(False, "the model of the test cannot be converted")
        return
    by_name = {each["name"]: each for each in report["nodes"]}
    for name, rule in RULES.items():
        reports.expect(by_name[name]["rule"]["kind"] == rule, name, by_name[name]["rule"])
    reports.expect(by_name["inner_add"]["scope"] == "function own.Twice", by_name["inner_add"])
    reports.expect(by_name["in"]["scope"] == "branch.then_branch", by_name["in"])
    copies = {each["tensor"]: each for each in report["parameters"]}
    reports.expect(copies.get("w", {}).get("copies") == 2, "w has not two copies", copies)
    cast = [each for each in report["casts"] if each["tensor"] == "h"]
    reports.expect([each["bytes"] for each in cast] == [8 * 6], "h's cast", cast)
    # An option decides; without it, the list does.
    other = reports.report(path, "--fp32-ops", "MatMul", "--exclude", "^inner_add$")
    by_name = {each["name"]: each for each in other["nodes"]}
    reports.expect(by_name["first"]["rule"]["kind"] == "option", by_name["first"])
    reports.expect(by_name["first"]["label"] == "fp32", by_name["first"])
    reports.expect(by_name["inner_add"]["rule"]["kind"] == "excluded", by_name["inner_add"])
    reports.check_model(path)
    return path


def check_style(reports):
    """A browser ignores declarations of unknown properties, so all property names must be known."""
    for name in ("conversion/report/report.css", "registry/text/page.css", "checker/docs/page.css"):
        path = ROOT / name
        blocks = re.findall(r"\{([^{}]*)\}", path.read_text(encoding="utf-8"))
        reports.expect(blocks, path, "has no declarations")
        for declaration in ";".join(blocks).split(";"):
            known = re.fullmatch(r"\s*|\s*-{0,2}[a-z][a-z0-9-]*\s*:\s*[^:]+", declaration)
            reports.expect(known and " - " not in declaration.partition(":")[0], path, "declares", declaration)


def check_pages(reports, model):
    """The page has every node and cast, its links have targets, and names are not interpreted as
    markup."""
    hostile = {**MODEL, "nodes": [*MODEL["nodes"], ["Relu", ["h"], ["<b1 onload='x'>&amp;\n\x1b"]]]}
    path = reports.folder / "hostile.onnx"
    path.write_bytes(model_bytes(hostile))
    long = {"opset": 17, "inputs": {"x": [F, [1]]}, "outputs": {"n3000": [F, [1]]},
            "nodes": [["Sin" if i % 4 == 0 else "MatMul", [f"n{i}" if i else "x"] * (1 + (i % 4 > 0)),
                       [f"n{i + 1}"]] for i in range(3000)]}
    (reports.folder / "long.onnx").write_bytes(model_bytes(long))
    for each in (path, model, reports.folder / "long.onnx"):
        page = reports.folder / "report.html"
        report = reports.report(each, "--dry-run", "--report", page)
        if report is None:
            reports.expect(False, each.name, "has no report")
            continue
        parsed = Page(page.read_text())
        for problem in parsed.problems:
            reports.expect(False, each.name, problem)
        if each.name != "long.onnx":
            wanted = {f"n{i}" for i in range(len(report["nodes"]))}
            wanted |= {f"c{i}" for i in range(len(report["casts"]))}
            reports.expect(wanted <= parsed.ids, each.name, "misses", wanted - parsed.ids)
        reports.expect(page.stat().st_size < 6_000_000, each.name, page.stat().st_size)


def validate(reports, build, model):
    folders = (build / "venv/bin", ROOT / "build/venv/bin")
    found = [each for each in folders if (each / "check-jsonschema").exists()]
    program = found[0] / "check-jsonschema" if found else shutil.which("check-jsonschema")
    if program is None:
        print("check-jsonschema is missing: the report is not validated")
        return
    reports.report(model)
    done = subprocess.run([program, "--schemafile", ROOT / "schemas/conversion.schema.json",
                           reports.folder / "report.json"], capture_output=True, text=True,
                          check=False)
    reports.expect(done.returncode == 0, done.stdout, done.stderr)
    summary = reports.folder / "summary.json"
    with summary.open("w") as out:
        subprocess.run([reports.program, "--inspect", model, "--format", "json"], stdout=out,
                       check=True)
    done = subprocess.run([program, "--schemafile", ROOT / "schemas/model.schema.json", summary],
                          capture_output=True, text=True, check=False)
    reports.expect(done.returncode == 0, done.stdout, done.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--every", type=int, default=1, help="only every Nth rule")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="opledger-report-") as name:
        folder = pathlib.Path(name)
        reports = Reports(options.bin.resolve() / "opledger-convert", folder, options.every)
        model = check_own_model(reports, folder)
        if model:
            validate(reports, options.bin.resolve().parent, model)
            check_pages(reports, model)
        check_style(reports)
        reports.check_model(ROOT / "tests/demo/model.onnx")
        if DATA.is_dir():
            for path in sorted(DATA.glob("gen/*_tiny/model.onnx"))[::options.every]:
                reports.check_model(path)
        else:
            print("data/onnx is missing: only the test's own models; ci/test-data makes it")
    print("\n".join(reports.problems[:50]), end="\n" if reports.problems else "")
    return 1 if reports.problems else 0


if __name__ == "__main__":
    sys.exit(main())
