#!/usr/bin/env python3
"""The site that ci/site makes, in a real browser: axe-core finds no violation in light and dark, on a desktop and on a
phone; nothing sticks out sideways; nothing is loaded but the site's files; the keyboard reaches what can be used, in
order; searches and the questions about versions give what the data says; without scripts everything can be read.
Skipped by name without chromium, axe-playwright-python or markdown-it-py (ci/setup --browser).

    tests/ci/site_page_test.py --bin BUILD/bin [--all] [--pictures FOLDER]
"""

# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import pathlib
import sys
import tempfile

sys.path[:0] = [
    str(pathlib.Path(__file__).resolve().parents[1]),
    str(pathlib.Path(__file__).resolve().parents[1] / "checker"),
    str(pathlib.Path(__file__).parent),
]

import peers  # noqa: E402
from accessibility_test import RULES, RUN, SCREENS, find_axe  # noqa: E402
from browser import Browser, find_browser  # noqa: E402
from site_test import make  # noqa: E402

# One of each kind. Without --all, each is looked at on two of the four screens.
PAGES = (
    "index.html",
    "install.html",
    "guides/checker.html",
    "rules/index.html",
    "rules/incomplete-scan.html",
    "operators/index.html",
    "operators/pytorch.html",
    "atlas.html",
    "changes.html",
)
SIDEWAYS = "document.documentElement.scrollWidth > innerWidth ? document.documentElement.scrollWidth : 0"
SETTLED = """new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"""
# Rows out of sight have no layout to be judged; a page of a thousand rows takes axe-core half a minute, so most go.
FEWER_ROWS = """document.querySelectorAll('.ops tbody tr, .atlas tbody tr').forEach(
  (row, at) => at < 12 || row.remove());
document.head.append(Object.assign(document.createElement('style'), {textContent: '*{content-visibility:visible!important}'}));
document.querySelectorAll('details').forEach((each, at) => { each.open = at < 2; });
document.querySelectorAll('.changes li').forEach((each, at) => at < 30 || each.remove())"""
FOCUS = """(() => { const e = document.activeElement, box = e.getBoundingClientRect();
  return [e.tagName, (e.textContent || '').trim().slice(0, 30), e.id, Math.round(box.top + scrollY), box.width > 0]; })()"""
SHOWN = "[...document.querySelectorAll('.ops tbody tr')].filter(row => !row.hidden).map(row => row.id.slice(3))"


def look(browser, axe, out, page, screens, pictures):
    problems = []
    for width, dark, phone in screens:
        browser.screen(width, 900, dark, phone)
        browser.open(out / page)
        browser.run(SETTLED)
        what = f"{page}, {'dark' if dark else 'light'}, {width} wide"
        if pictures:
            browser.picture(pictures / f"{page.replace('/', '-')[:-5]}-{width}{'-dark' if dark else ''}.png")
        if browser.run(SIDEWAYS):
            problems.append(f"{what}: {browser.run(SIDEWAYS)} pixels wide")
        browser.run(FEWER_ROWS)
        browser.run(axe + ";0")
        problems += [f"{what}: {each}" for each in browser.run(RUN % RULES)["violations"]]
    return problems


def keyboard(browser, out):
    """Tab goes to the skip link, the navigation, then down the page; Enter on the skip link goes to the content."""
    browser.screen(1280, 900)
    browser.open(out / "operators/pytorch.html")
    seen = []
    for _ in range(24):
        browser.key("Tab")
        seen.append(browser.run(FOCUS))
    problems = []
    if not seen[0][1].startswith("Skip") or [each[1] for each in seen[1:4]] != ["opledger", "Home", "Install"]:
        problems.append(f"Tab goes first to {[each[1] for each in seen[:4]]}")
    tops = [each[3] for each in seen[1:]]
    if any(after < before - 30 for before, after in zip(tops, tops[1:])):
        problems.append(f"Tab goes up the page: {seen}")
    if not {"q", "list", "policy"} <= {each[2] for each in seen}:
        problems.append(f"Tab does not reach the controls: {[each[1:3] for each in seen]}")
    browser.open(out / "index.html")
    browser.key("Tab")
    browser.key("Enter")
    if browser.run("document.activeElement.id") != "main":
        problems.append("the skip link does not go to the content")
    return problems


def questions(browser, out):
    """What a page of operators shows for a question is what the data says."""
    data = {
        each["version"]: each
        for each in json.loads((peers.ROOT / "registry/versions/pytorch.json").read_text())["versions"]
    }
    shipped = json.loads((peers.ROOT / "registry/lists/pytorch/float16-cuda.json").read_text())
    now = {
        entry if isinstance(entry, str) else entry["op"]: policy
        for policy in ("target", "fp32", "widest")
        for entry in shipped[policy]
    }
    then = {op: policy for policy, ops in data["1.13.1"]["lists"]["float16-cuda"].items() for op in ops}
    wanted = {
        "#list=float16-cuda&version=2.6.0&policy=target": {op for op, policy in now.items() if policy == "target"},
        "#list=float16-cuda&version=1.13.1&policy=target": {op for op, policy in then.items() if policy == "target"},
        "#list=float16-cuda&version=2.6.0&since=1.13.1": {
            op for op in now.keys() | then.keys() if now.get(op) != then.get(op)
        },
    }
    problems = []
    for fragment, operators in wanted.items():
        browser.open(out / "operators/pytorch.html", fragment)
        shown = set(browser.run(SHOWN))
        if shown != operators:
            problems.append(f"{fragment} shows {len(shown)} operators instead of {len(operators)}")
    browser.run("""(() => { const form = document.getElementById('ask'); form.list.value = 'bfloat16-cpu';
                   form.list.dispatchEvent(new Event('change', {bubbles: true})); })()""")
    if "list=bfloat16-cpu" not in browser.run("location.hash"):
        problems.append("what was chosen is not in the address")
    browser.open(out / "operators/pytorch.html", "#op-aten::softmax.int")
    if not 0 <= browser.run("document.getElementById('op-aten::softmax.int').getBoundingClientRect().top") < 900:
        problems.append("a link to an operator does not show it")
    return problems


def searches(browser, out):
    problems = []
    for page, text, count in (
        ("atlas.html", "softmax", ".atlas tbody tr:not([hidden])"),
        ("operators/index.html", "softmax", "#found li"),
    ):
        browser.open(out / page)
        browser.run("document.getElementById('q').focus()")
        browser.type(text)
        browser.run(SETTLED)
        hits = browser.run(f"[...document.querySelectorAll('{count}')].map(each => each.textContent.toLowerCase())")
        if not hits or not all(text in each for each in hits):
            problems.append(f"{page}: the search for {text} finds {len(hits)} entries")
    target = browser.run("document.querySelector('#found a').href")
    browser.call("Page.navigate", url=target)
    return problems


def without_scripts(browser, out):
    browser.scripts(False)
    problems = []
    for page, kind in (("operators/pytorch.html", ".ops tbody tr"), ("atlas.html", ".atlas tbody tr")):
        browser.open(out / page)
        if browser.run(f"document.querySelectorAll('{kind}').length") < 100 or browser.run(
            "document.querySelector('form').offsetHeight"
        ):
            problems.append(f"{page} without scripts shows no table, or controls that do nothing")
    browser.scripts(True)
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--all", action="store_true", help="every page instead of one of each kind")
    parser.add_argument("--pictures", type=pathlib.Path)
    given = parser.parse_args()
    programs = given.bin.resolve()
    browser_program, axe = find_browser(), find_axe(programs)
    if browser_program is None or axe is None:
        print(
            f"SKIPPED: {'chromium' if browser_program is None else 'the Python package axe-playwright-python'} is missing"
        )
        return 77
    try:
        import markdown_it  # noqa: F401
    except ImportError:
        peers.require(programs, "markdown_it")
    if given.pictures:
        given.pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="opledger-site-page-") as name, Browser(browser_program) as browser:
        out = pathlib.Path(name).resolve() / "site"
        done = make(out, programs)
        if done.returncode != 0:
            print(done.stdout + done.stderr)
            return 1
        pages = sorted(path.relative_to(out).as_posix() for path in out.rglob("*.html")) if given.all else PAGES
        halves = [[screen for at, screen in enumerate(SCREENS) if at in half] for half in ((0, 3), (1, 2))]
        problems = [
            each
            for at, page in enumerate(pages)
            for each in look(browser, axe, out, page, SCREENS if given.all else halves[at % 2], given.pictures)
        ]
        problems += (
            keyboard(browser, out) + questions(browser, out) + searches(browser, out) + without_scripts(browser, out)
        )
        problems += [
            f"loads {each}" for each in browser.requests if not each.startswith(("file:", "data:", "about:"))
        ]
        problems += [f"the console says {each}" for each in browser.console]
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
