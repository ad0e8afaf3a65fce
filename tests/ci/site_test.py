#!/usr/bin/env python3
"""The site that ci/site makes: links lead somewhere, pages load nothing from elsewhere and are small, every rule has a
page and every operator a row, the feed is valid RSS, and the folder of somebody else is not replaced. tests/ci/site_page_test.py
looks at the pages in a browser. Skipped by name without the Python package markdown-it-py (ci/setup)."""

# SPDX-License-Identifier: Apache-2.0

import argparse
import email.utils
import html.parser
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.parse
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import peers  # noqa: E402

ROOT = peers.ROOT
URL = "https://example.com/opledger/"
SECONDS = 180
VOID = {"meta", "link", "br", "hr", "img", "input", "source", "wbr"}
LOADED = {
    ("link", "href"),
    ("script", "src"),
    ("img", "src"),
    ("source", "srcset"),
    ("iframe", "src"),
    ("object", "data"),
}


class Page(html.parser.HTMLParser):
    """Anchors, links and loaded files of a page, and tags that are not closed."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loads, self.problems, self.open = set(), [], [], [], []
        self.feed(text)
        self.close()
        self.problems += [f"<{tag}> is not closed" for tag in self.open]

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id":
                if value in self.anchors:
                    self.problems.append(f"the id {value!r} occurs twice")
                self.anchors.add(value)
            elif name == "href" and tag == "a":
                self.links.append(value)
            elif (tag, name) in LOADED:
                self.loads.append(value)
            elif name.startswith("on"):
                self.problems.append(f"<{tag}> has {name}")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if not self.open or self.open[-1] != tag:
            self.problems.append(f"</{tag}> closes {self.open[-1] if self.open else 'nothing'}")
        if tag in self.open:
            while self.open.pop() != tag:
                pass


def make(out, programs, *more):
    return subprocess.run(
        [sys.executable, "-B", ROOT / "ci/site", out, "--bin", programs, "--url", URL, *more],
        capture_output=True,
        text=True,
        check=False,
        timeout=10 * SECONDS,
    )


def read(out):
    return {
        path.relative_to(out).as_posix(): Page(path.read_text(encoding="utf-8"))
        for path in sorted(out.rglob("*.html"))
    }


def link_problem(out, pages, name, link):
    parts = urllib.parse.urlsplit(link)
    if parts.scheme in ("http", "https"):
        return None
    if parts.scheme:
        return f"a link of another kind: {link}"
    target = (out / name).parent / urllib.parse.unquote(parts.path) if parts.path else out / name
    if not target.is_file():
        return f"the link {link} leads nowhere"
    fragment = urllib.parse.unquote(parts.fragment)
    page = pages.get(target.resolve().relative_to(out).as_posix())
    if fragment and page and fragment not in page.anchors and not re.match(r"(list|version|policy|since)=", fragment):
        return f"the link {link} names no anchor"
    return None


def page_problems(out, pages):
    problems = []
    for name, page in pages.items():
        found = page.problems + [
            f"loads {each}"
            for each in page.loads
            if not each.startswith("data:,") and ":" in each or each.startswith("//")
        ]
        found += [
            f"lacks the file {each}"
            for each in page.loads
            if ":" not in each and not ((out / name).parent / each).is_file()
        ]
        found += filter(None, (link_problem(out, pages, name, link) for link in page.links))
        problems += [f"{name}: {each}" for each in found]
    for path in (*out.rglob("*.css"), *out.rglob("*.js"), *out.rglob("*.svg")):
        outside = re.findall(r"(?:url\(|@import|fetch\(|import\()[^)\n]*", path.read_text(encoding="utf-8"))
        problems += [f"{path.name}: loads {each}" for each in outside if "#" not in each]
    return problems


def question_problems(pages, out):
    """Links that ask a page of operators name a list and versions that the page has."""
    problems, asked = [], 0
    for name, page in pages.items():
        for link in page.links:
            if not re.match(r"#list=", link):
                continue
            asked += 1
            state = dict(urllib.parse.parse_qsl(link[1:]))
            data = re.search(r'id="history">(.*?)</script>', (out / name).read_text(encoding="utf-8"), re.S)
            table = next((each for each in json.loads(data[1])["tables"] if each["id"] == state["list"]), None)
            if table is None or not {state[key] for key in ("version", "since") if key in state} <= set(
                table["versions"]
            ):
                problems.append(f"{name}: the page cannot answer {link}")
    return problems + (["no page of operators has questions"] if asked < 10 else [])


def coverage_problems(pages, programs):
    """Every rule has a page, every operator of a shipped list a row, every guide its headings."""
    rules = re.findall(
        r"^([a-z-]+) +(?:error|warning|note|off) ",
        subprocess.run(
            [programs / "opledger", "explain"], capture_output=True, text=True, check=True, cwd=ROOT
        ).stdout,
        re.M,
    )
    problems = [f"rule {rule} has no page" for rule in rules if f"rules/{rule}.html" not in pages]
    if len(rules) < 20:
        problems.append(f"`opledger explain` lists {len(rules)} rules")
    operators = 0
    for path in sorted((ROOT / "registry/lists").glob("*/*.json")):
        page = pages.get(f"operators/{path.parent.name}.html")
        data = json.loads(path.read_text(encoding="utf-8"))
        entries = [entry for value in data.values() if isinstance(value, list) for entry in value]
        names = [entry if isinstance(entry, str) else entry.get("op") for entry in entries]
        names = [name for name in names if name and name not in data.get("registered_elsewhere", [])]
        operators += len(names)
        if page is None:
            problems.append(f"{path.parent.name} has no page of operators")
            continue
        problems += [
            f"{path.parent.name}: operator {name} has no row" for name in names if f"op-{name}" not in page.anchors
        ]
    for operation in json.loads((ROOT / "registry/atlas/operations.json").read_text(encoding="utf-8"))["operations"]:
        if f"op-{operation['operation']}" not in pages["atlas.html"].anchors:
            problems.append(f"operation {operation['operation']} is not in the atlas")
    return problems + (["there are hardly any operators"] if operators < 2000 else [])


def feed_problems(out, pages):
    """Well-formed, with what RSS 2.0 demands of a channel and of items; links lead to entries of changes.html."""
    channel = xml.etree.ElementTree.parse(out / "feed.xml").getroot().find("channel")
    problems = [
        f"feed.xml: the channel lacks {each}"
        for each in ("title", "link", "description")
        if not channel.findtext(each)
    ]
    items = channel.findall("item")
    guids = [item.findtext("guid") for item in items]
    if len(set(guids)) != len(guids):
        problems.append("feed.xml: an identifier occurs twice")
    for item in items:
        link = item.findtext("link") or ""
        if not item.findtext("title") or not link.startswith(URL + "changes.html#"):
            problems.append(f"feed.xml: an item without title or link: {item.findtext('title')} {link}")
        elif link.partition("#")[2] not in pages["changes.html"].anchors:
            problems.append(f"feed.xml: {link} names no entry")
        if email.utils.parsedate_to_datetime(item.findtext("pubDate")) is None:
            problems.append(f"feed.xml: the date {item.findtext('pubDate')}")
    shallow = subprocess.run(
        ["git", "-C", ROOT, "rev-parse", "--is-shallow-repository"], capture_output=True, text=True, check=False
    )
    if shallow.stdout.strip() == "false" and len(items) < 10:
        problems.append(f"feed.xml has {len(items)} items only")
    return problems


def refusal_problems(folder, programs):
    """Another folder is left alone, a missing program is named."""
    other = folder / "other"
    other.mkdir()
    (other / "mine.txt").write_text("mine")
    done = make(other, programs)
    problems = (
        []
        if done.returncode == 2 and "other contents" in done.stderr
        else ["a folder with other contents is accepted"]
    )
    if not (other / "mine.txt").exists():
        problems.append("ci/site removed a file that it did not write")
    done = make(folder / "x", folder / "nothing")
    if done.returncode != 2 or "opledger" not in done.stderr:
        problems.append("missing programs are not reported")
    return problems


def checker_problems():
    """This test sees what is wrong with a bad page."""
    page = Page('<p id="a"><b id="a"></p><script src="https://example.com/x.js"></script>')
    seen = len(page.problems) >= 2 and page.loads == ["https://example.com/x.js"]
    return [] if seen else ["the test does not see what is wrong with a bad page"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    programs = parser.parse_args().bin.resolve()
    try:
        import markdown_it  # noqa: F401
    except ImportError:
        peers.require(programs, "markdown_it")
    missing = [
        each
        for each in ("opledger", "opledger-scan", "opledger-convert", "opledger-run")
        if not (programs / each).exists()
    ]
    if missing:
        print(f"SKIPPED: not built: {', '.join(missing)}")
        return 77
    with tempfile.TemporaryDirectory(prefix="opledger-site-test-") as name:
        folder = pathlib.Path(name).resolve()
        out = folder / "site"
        done = make(out, programs)
        if done.returncode != 0:
            print(done.stdout + done.stderr)
            return 1
        first = {path.name: path.read_bytes() for path in out.rglob("*") if path.is_file()}
        pages = read(out)
        problems = checker_problems() + page_problems(out, pages) + question_problems(pages, out)
        problems += (
            coverage_problems(pages, programs) + feed_problems(out, pages) + refusal_problems(folder, programs)
        )
        again = make(out, programs)
        second = {path.name: path.read_bytes() for path in out.rglob("*") if path.is_file()}
        if again.returncode != 0 or first != second:
            problems.append(
                f"made again, the site differs: {[each for each in first if first[each] != second.get(each)]}"
            )
        if float(re.search(r"in ([0-9.]+) s", done.stdout)[1]) > SECONDS:
            problems.append(f"slower than {SECONDS} s: {done.stdout}")
    print("\n".join(problems[:40]), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
