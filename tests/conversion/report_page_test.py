#!/usr/bin/env python3
"""Tests the page of `opledger convert --report` in a real browser.
Checks search, links into folded parts, no horizontal overflow on a phone, indented scopes, pictures
in the legend's colors, the model's name without its path, and everything readable without scripts.
Skipped without chromium.

    tests/conversion/report_page_test.py --bin build/bin
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from browser import Browser, find_browser  # noqa: E402
from make_onnx import model_bytes  # noqa: E402

F = "float32"
LONG = "a_rather_long_name_of_a_block_without_any_space_in_it" * 3


def branch(name, depth):
    """Returns nodes of a graph with If nodes nested three deep, with long names that contain
    slashes."""
    if depth == 0:
        return [["Relu", ["h"], [f"{name}_r"], {"name": f"{name}/leaf"}]], f"{name}_r"
    (yes, yes_out), (no, no_out) = branch(name + "_t", depth - 1), branch(name + "_e", depth - 1)
    graphs = {"then_branch": {"nodes": yes, "outputs": {yes_out: [F, [2, 4]]}},
              "else_branch": {"nodes": no, "outputs": {no_out: [F, [2, 4]]}}}
    return [["If", ["c"], [f"{name}_o"], {"name": f"{LONG}/{name}", **graphs}]], f"{name}_o"


def make_page(program, folder):
    nodes, last = branch("n", 3)
    model = {"opset": 17, "inputs": {"x": [F, ["batch", 4]], "c": ["bool", []]}, "outputs": {"y": [F, ["batch", 4]]},
             "initializers": {"w": [F, [4, 4], [0.1] * 16], LONG: [F, [4], [1.0] * 4]},
             "nodes": [["MatMul", ["x", "w"], ["h"], {"name": "first"}],
                       *[["Softmax" if i % 5 == 0 else "Add", [f"s{i}" if i else "h"] + [LONG] * (i % 5 > 0),
                          [f"s{i + 1}"], {"name": f"step_{i}"}] for i in range(200)], *nodes,
                       ["Add", ["s200", last], ["y"], {"name": "last"}]]}
    (folder / "block.onnx").write_bytes(model_bytes(model))
    page = folder / "report.html"
    subprocess.run([program, folder / "block.onnx", "--dry-run", "--report", page], check=True, capture_output=True)
    return page


# Each must return an empty list.
CHECKS = {
    "nothing sticks out sideways": """
      document.documentElement.scrollWidth > innerWidth ? [document.documentElement.scrollWidth, innerWidth] : []""",
    "each node of a picture is drawn in the legend's colour of its type": """
      ['low', 'float32', 'other', 'cast'].flatMap(kind => {
        const legend = getComputedStyle(document.querySelector('.legend .' + kind));
        return [...document.querySelectorAll('svg.strip .' + kind + ', .v.' + kind + ' rect')].map(e =>
          getComputedStyle(e)).filter(s => s.fill !== legend.backgroundColor || s.stroke !== legend.borderTopColor)
          .slice(0, 1).map(s => [kind, s.fill, s.stroke, legend.backgroundColor, legend.borderTopColor]);
      })""",
    "nothing leads nowhere": """
      [...document.querySelectorAll('a[href^="#"]')].filter(e =>
        !document.getElementById(e.getAttribute('href').slice(1))).map(e => e.href)""",
}
SHOWN = """[...document.querySelectorAll('#nodes tr[id]')].filter(e => e.checkVisibility())
  .map(e => e.querySelector('code').textContent)"""


class PageChecks:
    def __init__(self, browser, page):
        self.browser, self.page, self.problems = browser, page, []

    def expect(self, what, found, wanted):
        if found != wanted:
            self.problems.append(f"{what}: {str(found)[:300]}, not {str(wanted)[:300]}")

    def layout(self):
        for dark in (False, True):
            for width, phone in ((1280, False), (390, True), (320, True)):
                self.browser.screen(width, 900, dark, phone)
                self.browser.open(self.page)
                self.browser.run("document.querySelectorAll('details').forEach(e => e.open = true)")
                for what, script in CHECKS.items():
                    self.expect(f"{what}, {width}", self.browser.run(script), [])
        self.browser.screen(1280, 900)

    def search(self):
        self.browser.open(self.page)
        self.browser.key("/", "Slash", "/")
        self.browser.type("step_105")
        self.expect("found", self.browser.run(SHOWN), ["step_105"])
        self.expect("told", self.browser.run("document.getElementById('found').textContent").split(" of ")[0], "1")
        self.browser.run("(e => { e.value = 'softmax list'; e.dispatchEvent(new Event('input')); })"
                         "(document.getElementById('find'))")
        self.expect("two words", sorted(self.browser.run(SHOWN)),
                    sorted(f"step_{i}" for i in range(0, 200, 5)))
        self.browser.run("location.hash = '#n1'")
        self.browser.run("new Promise(done => setTimeout(done, 100)).then(() => 0)")
        self.expect("a link to a row that the search hides", self.browser.run(
            "(e => [e.hidden, e.closest('details').open])(document.getElementById('n1'))"), [False, True])
        self.browser.open(self.page, "#n3")
        self.expect("a link into a folded part", self.browser.run(
            "document.getElementById('n3').closest('details').open"), True)

    def words(self):
        self.browser.open(self.page)
        text = self.browser.run("document.body.textContent")
        self.expect("the path is not shown", str(self.page.parent) in text, False)
        titles = self.browser.run("[...document.querySelectorAll('#graph ~ details > summary')].map(e => "
                                  "[e.parentElement.className, e.textContent.split(',')[0], e.title.length > 300])")
        self.expect("scopes", sorted({(depth, len(title) < 40) for depth, title, _ in titles}),
                    [(f"d{depth}", True) for depth in range(4)])
        self.expect("the whole name of a scope", any(whole for _, _, whole in titles), True)
        self.expect("per batch", "per batch" in text, True)
        steps = self.browser.run("[...document.querySelectorAll('#next + ul code')].map(e => e.textContent)")
        self.expect("steps", any(step.startswith("opledger tune block.onnx") for step in steps), True)

    def without_scripts(self):
        self.browser.scripts(False)
        self.browser.open(self.page)
        self.browser.scripts(True)
        self.expect("without scripts", self.browser.run(
            "[document.getElementById('search').hidden, document.querySelectorAll('#nodes tr[id]').length > 200]"),
            [True, True])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--every", type=int, default=1, help="ignored: there is one page")
    program = parser.parse_args().bin.resolve() / "opledger-convert"
    found = find_browser()
    if found is None:
        print("SKIPPED: chromium is missing")
        return 77
    with tempfile.TemporaryDirectory(prefix="opledger-page-") as folder, Browser(found) as browser:
        checks = PageChecks(browser, make_page(program, pathlib.Path(folder)))
        for check in (checks.layout, checks.search, checks.words, checks.without_scripts):
            check()
    print("\n".join(checks.problems) or "all checks passed")
    return 1 if checks.problems else 0


if __name__ == "__main__":
    sys.exit(main())
