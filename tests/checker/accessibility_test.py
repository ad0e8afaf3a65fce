#!/usr/bin/env python3
"""Checks the HTML pages with axe-core (https://github.com/dequelabs/axe-core) in a real browser:
the page of `opledger docs`, light and dark, on a desktop and on a phone, with and without a filter,
and the page of `opledger convert --report`. There must be no violation of WCAG 2.2 A or AA, nor of
axe-core's best practices. Skipped without chromium or the Python package axe-playwright-python, of
which only axe.min.js is used (ci/setup)."""
# SPDX-License-Identifier: Apache-2.0

import argparse
import pathlib
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1]), str(pathlib.Path(__file__).parent)]

import peers  # noqa: E402
from browser import Browser, find_browser  # noqa: E402
from docs_page_test import make_page  # noqa: E402

SCREENS = [(width, dark, phone) for width, phone in ((1280, False), (390, True)) for dark in (False, True)]
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RUN = """axe.run(document, {preload: false, runOnly: {type: 'tag', values: %s}}).then(found => ({
  passes: found.passes.length,
  violations: found.violations.map(each => each.id + ' (' + each.help + '): ' +
    each.nodes.slice(0, 3).map(node => node.target.join(' ') + ' ' + node.html.slice(0, 160) + ' ' +
      (node.any[0] || node.all[0] || node.none[0] || {message: ''}).message).join('; '))}))"""
# A page that must fail: an image without alternative text, low contrast, a control without a name.
BAD = ("<html><head></head><body><img src='data:,'><p style='color:#eee;background:#fff'>text</p>"
       "<input></body></html>")


def find_axe(programs):
    """Returns the path of axe.min.js in a virtual environment; prints a message and returns None if
    there is none."""
    for folder in (programs.parent, peers.ROOT / "build"):
        for found in sorted(folder.glob("venv/lib/python3*/site-packages/axe_playwright_python/axe.min.js")):
            return found.read_text()
    return None


# Forces the layout of rows outside the viewport, which axe-core cannot judge otherwise.
LAID_OUT = """document.head.append(Object.assign(document.createElement('style'),
  {textContent: '*{content-visibility:visible!important}'}))"""


def look(browser, axe, page):
    browser.open(page)
    browser.run(LAID_OUT)
    browser.run(axe + ";0")
    return browser.run(RUN % RULES)


def convert_page(programs, folder):
    """Converts the demo's model and returns its report, if the converter was built."""
    if not (programs / "opledger-convert").exists():
        return []
    model = peers.ROOT / "tests/demo/model.onnx"
    subprocess.run([programs / "opledger-convert", model, "-o", folder / "mixed.onnx", "--report",
                    folder / "report.html"], check=True, capture_output=True)
    return [folder / "report.html"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    programs = parser.parse_args().bin.resolve()
    browser_program, axe = find_browser(), find_axe(programs)
    if browser_program is None or axe is None:
        print("SKIPPED: " + ("chromium" if browser_program is None else
                             "the Python package axe-playwright-python") + " is missing")
        return 77
    problems = []
    with tempfile.TemporaryDirectory(prefix="opledger-accessible-") as name, Browser(browser_program) as browser:
        folder = pathlib.Path(name)
        (folder / "bad.html").write_text(BAD)
        wrong = {each.split(" ")[0] for each in look(browser, axe, folder / "bad.html")["violations"]}
        if not {"image-alt", "color-contrast", "label", "document-title"} <= wrong:
            problems.append(f"axe-core misses problems of the bad page: {wrong}")
        pages = [make_page(programs / "opledger", folder / "docs", 40), *convert_page(programs, folder)]
        for page in pages:
            for width, dark, phone in SCREENS:
                browser.screen(width, 900, dark, phone)
                found = look(browser, axe, page)
                what = f"{page.name}, {'dark' if dark else 'light'}, {width} wide"
                print(f"{what}: {found['passes']} rules pass, {len(found['violations'])} do not")
                problems += [f"{what}: {each}" for each in found["violations"]]
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
