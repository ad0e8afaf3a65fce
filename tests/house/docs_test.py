#!/usr/bin/env python3
"""The pages of docs/ and CONTRIBUTING.md name only what exists. In backquotes: a path is that of a file or folder, or
of a test as ctest names it; NAME and the like stand for any name; an identifier occurs in code. A compound identifier
(`Scanner::Run`, `PlaceInArena`) that stands in a paragraph, list item or table row with files of code occurs in one of
them, in the header or source beside it, or in a named folder, there or elsewhere on the page. Links lead somewhere. The
passes of plans and of conversion are those of the code, in order."""
# SPDX-License-Identifier: Apache-2.0

import re
import sys

from comments_test import BACKQUOTED, IDENTIFIER, Names
from readme_test import link_problems
from tree import CODE_SUFFIXES, ROOT, relative, report

PAGES = [ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
# Files are named from the top of the repository.
TOP = ("checker", "ci", "conversion", "docs", "kernels", "python", "registry", "schemas", "tests")
PATH = re.compile(rf"(?:{'|'.join(TOP)})/[\w./*-]*")
COMPOUND = re.compile(r"\w+::\w+|k?[A-Z]+[a-z0-9]+[A-Z]\w*|k[A-Z]\w+")
PLACEHOLDER = re.compile(r"NAME|DIALECT|DTYPE|FILE|FOLDER|KIND|CASE|UNIT|MODEL|NODE|DIR|ROOM")


def blocks(text):
    """(line, text) of each paragraph, list item and table row outside fenced code."""
    block, start, fenced = [], 1, False
    for number, line in enumerate([*text.split("\n"), ""], 1):
        fence = line.startswith("```")
        if block and (fence or fenced or not line.strip() or re.match(r" *(?:[-*]|\d+\.) |\||#", line)):
            yield start, " ".join(block)
            block = []
        fenced ^= fence
        if not fence and not fenced and line.strip():
            start = start if block else number
            block.append(line.strip())


class Page:
    """What a page may name."""

    def __init__(self):
        self.names = Names()
        for path in (ROOT / "CMakePresets.json", *(ROOT / "tests/demo").rglob("*.h")):
            self.names.words.update(re.findall(r"\w+", path.read_text()))
        self.folders = {path[:end.start()] for path in self.names.paths for end in re.finditer("/", path)}
        self.texts = {}

    def exists(self, path):
        """A name with a placeholder needs its folder only."""
        folder, _, name = path.rpartition("/")
        return (path in self.names.paths or path in self.folders or f"tests/{path}_test.py" in self.names.paths or
                (PLACEHOLDER.search(name) and (folder in self.folders or PLACEHOLDER.search(folder))))

    def words_of(self, path):
        """The words of a file of code and of that beside it, or of all files of a folder."""
        if path not in self.texts:
            place = ROOT / path
            if place.is_dir():
                files = [each for each in place.iterdir() if each.suffix in CODE_SUFFIXES]
            else:
                files = [each for suffix in CODE_SUFFIXES if (each := place.with_suffix(suffix)).is_file()]
            self.texts[path] = {word for each in files for word in re.findall(r"\w+", each.read_text())}
        return self.texts[path]

    def problems(self, block):
        """The problems of a block, and the compound identifiers in it: whether one of its files has them."""
        named = BACKQUOTED.findall(block)
        paths = [each.rstrip("/") for each in named if PATH.fullmatch(each)]
        problems = [f"there is no {path}" for path in paths if not self.exists(path)]
        code = list(filter(None, (self.words_of(path) for path in paths if self.exists(path))))
        beside = {}
        for each in named:
            if not IDENTIFIER.fullmatch(each) or PLACEHOLDER.fullmatch(each):
                continue
            if found := self.names.identifier_problem(each):
                problems.append(found)
            elif code and COMPOUND.fullmatch(each):
                beside[each] = any(set(re.findall(r"\w+", each)) <= known for known in code)
        return problems, beside

    def all_problems(self, text):
        """(line, problem) of a page."""
        placed, open_ones = set(), []
        for line, block in blocks(text):
            problems, beside = self.problems(block)
            yield from ((line, problem) for problem in problems)
            placed.update(each for each, is_there in beside.items() if is_there)
            open_ones += [(line, each) for each, is_there in beside.items() if not is_there]
        yield from ((line, f"`{each}` is in none of the files named with it")
                    for line, each in open_ones if each not in placed)


def check_itself(page):
    """What must be refused is refused."""
    wrong = ("`registry/no_such_file.h`", "`NoSuchName" "Anywhere`", "`registry/nowhere/NAME.json`",
             "- `PlaceInArena`\n- `PlaceInArena` (`kernels/plan/fusion.cpp`)")
    right = ("`PlaceInArena` (`kernels/plan/arena.cpp`)", "`registry/dialects/NAME.json`", "`--explain NODE`",
             "`python/session`", "- `PlaceInArena` (`kernels/plan`)\n- `PlaceInArena` (`kernels/plan/fusion.cpp`)")
    return [f"the test of pages accepts: {text}" for text in wrong if not list(page.all_problems(text))] + [
        f"the test of pages refuses: {text}" for text in right if list(page.all_problems(text))]


def pass_problems():
    """The table of passes on the page of plans has the passes of the code, in order."""
    page = (ROOT / "docs/plan.md").read_text().partition("\n| pass |")[2].partition("\n\n")[0]
    table = (ROOT / "kernels/plan/passes.cpp").read_text().partition("kPasses[] = {")[2].partition("};")[0]
    told, passes = re.findall(r"(?m)^\| `([\w-]+)` \|", page), re.findall(r'(?m)^    \{"([\w-]+)"', table)
    return [] if told == passes != [] else [f"docs/plan.md has the passes {told}, the code {passes}"]


def conversion_problems():
    """The page of the architecture lists the passes of a conversion as the code does."""
    page = (ROOT / "docs/architecture.md").read_text().partition("`kPasses` in order: ")[2].partition(".")[0]
    table = (ROOT / "conversion/passes.cpp").read_text().partition("kPasses[])(Conversion&) = {")[2].partition("};")[0]
    told, passes = re.findall(r"`(\w+)`", page), re.findall(r"(?m)^    (\w+),", table)
    return [] if told == passes != [] else [f"docs/architecture.md has the passes {told}, the code {passes}"]


def main():
    page = Page()
    problems = check_itself(page) + pass_problems() + conversion_problems()
    for path in PAGES:
        text = path.read_text()
        problems += link_problems(relative(path), text)
        problems += [f"{relative(path)}:{line}: {problem}" for line, problem in page.all_problems(text)]
    return report(problems)


if __name__ == "__main__":
    sys.exit(main())
