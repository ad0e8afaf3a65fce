#!/usr/bin/env python3
"""Rooms (folders of code) include only what they declare, no two of them in a circle; heavy headers stay in
their files. Each room has a header of its own name, whose opening comment says in at most eight lines what
goes in, what comes out, and "May include: ROOM, ROOM." (FOLDER/* is every room below FOLDER)."""
# SPDX-License-Identifier: Apache-2.0

import re
import subprocess
import sys

from tree import ROOT, code_files, relative, report

# Part of the tree -> the parts whose rooms it may include besides its own. The deepest that fits counts.
PARTS = {
    "registry": (),
    "registry/scan": ("registry",),
    "checker": ("registry",),
    "conversion/model": ("registry",),
    "conversion": ("registry", "conversion/model"),
    "kernels": ("registry", "conversion/model", "conversion/label", "conversion/place",
                "conversion/hazards", "conversion/prepare"),
    "tests": ("registry", "registry/scan", "checker", "conversion/model", "conversion", "kernels"),
}
# What the repository has at its top, besides files: code, and what is about it.
TOP = {"checker", "ci", "conversion", "kernels", "python", "registry", "schemas", "tests"}

# Third-party headers that cost seconds per file -> the only files (or folder/) that include them.
CONFINED = {
    "clang/": ("registry/scan/", "tests/registry/scan/"),
    "llvm/": ("registry/scan/", "tests/registry/scan/"),
    "boost/": ("conversion/place/placement.cpp",),
    "nlohmann/": ("registry/json/json.cpp",),
    "re2/": ("registry/text/name_patterns.cpp",),
    "zlib.h": ("conversion/model/files/zip_data.cpp",),
    "CLI/": ("registry/platform/command_line.cpp", "checker/main.cpp", "registry/scan/main.cpp",
             "conversion/main.cpp", "kernels/main.cpp"),
}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^">]+)[>"]', re.MULTILINE)
HEADER_LINES = 8


def part_of(path):
    """The row of PARTS a file belongs to, or None."""
    fitting = [part for part in PARTS if path.startswith(part + "/")]
    return max(fitting, key=len, default=None)


def room_of(path):
    return path.rpartition("/")[0]


def confined(path, header):
    """The places for `header`, where `path` is none of them."""
    for prefix, places in CONFINED.items():
        if header.startswith(prefix) and not any(
                path == place or (place.endswith("/") and path.startswith(place))
                for place in places):
            return places
    return None


def problem(path, quote, header):
    """What is wrong with one include, or None."""
    places = confined(path, header)
    if places:
        return f"<{header}> belongs in {' and '.join(places)} only"
    if quote == "<":
        own = part_of(header)
        return f"<{header}> is ours: include it in quotes" if own and own != "tests" else None
    own, other = part_of(path), part_of(header)
    if any(header.startswith(prefix) for prefix in CONFINED):
        return None
    if other is None or not (ROOT / header).is_file():
        return f'"{header}" is not a path from the root of the repository'
    if other == own or any(part in PARTS[own] for part in (other, room_of(header))):
        return None
    return f'"{header}": {own} may include {", ".join(PARTS[own]) or "nothing"}'


def declared(room):
    """What the room's header says that it may include, and what is wrong with that header."""
    header = ROOT / room / f"{room.rpartition('/')[2]}.h"
    if not header.is_file():
        return None, [f"{room}: has no header {header.name} that says what the room is for"]
    comment = []
    for line in header.read_text().splitlines():
        if not line.startswith("//") or "SPDX" in line:
            break
        comment.append(line.removeprefix("//").strip())
    says = re.search(r"May include: (.*?)\.$", " ".join(comment))
    problems = []
    if len(comment) > HEADER_LINES:
        problems.append(f"{relative(header)}: opens with {len(comment)} lines, more than {HEADER_LINES}")
    if not says:
        return None, problems + [f'{relative(header)}: does not end its comment with "May include: ROOM, ROOM."']
    return [] if says[1] == "nothing" else [name.strip() for name in says[1].split(",")], problems


def allows(names, room):
    return any(room == name or (name.endswith("/*") and (room + "/").startswith(name[:-1])) for name in names)


def declaration_problems(room, included):
    names, problems = declared(room)
    if names is None:
        return problems
    problems += [f"{room}: includes {other}, which {room.rpartition('/')[2]}.h does not declare"
                 for other in sorted(included) if not allows(names, other)]
    problems += [f"{room}: declares {name}, and includes nothing of it"
                 for name in names if not any(allows([name], other) for other in included)]
    return problems


def circles(arrows):
    """The sets of rooms that include each other, directly or through others (Tarjan's algorithm)."""
    index, low, stack, found = {}, {}, [], []

    def visit(room):
        index[room] = low[room] = len(index)
        stack.append(room)
        for other in sorted(arrows.get(room, ())):
            if other not in index:
                visit(other)
                low[room] = min(low[room], low[other])
            elif other in stack:
                low[room] = min(low[room], index[other])
        if low[room] == index[room]:
            position = stack.index(room)
            if len(stack) - position > 1:
                found.append(sorted(stack[position:]))
            del stack[position:]

    for room in sorted(arrows):
        if room not in index:
            visit(room)
    return found


def check_itself():
    """What must be refused is refused."""
    problems = [f"the layering test accepts {header} in {path}" for path, quote, header in (
        ("registry/text/glob.cpp", '"', "checker/rules/rules.h"),
        ("checker/main.cpp", '"', "registry/scan/outline/outline.h"),
        ("checker/main.cpp", "<", "clang/Lex/Lexer.h"),
        ("registry/manifest/manifest.cpp", "<", "re2/re2.h"),
        ("registry/text/glob.cpp", '"', "glob.h")) if problem(path, quote, header) is None]
    if circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) != [["a", "b", "c"]]:
        problems.append("the layering test sees no circle")
    if allows(["registry/*"], "checker") or not allows(["registry/*"], "registry/text"):
        problems.append("the layering test reads FOLDER/* wrongly")
    return problems


def top_problems():
    """Folders of the top that nobody knows, where git tells which are ours; what the package imports of the project
    is itself: it runs programs, and reads their JSON."""
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False).stdout
    folders = {path.partition("/")[0] for path in listing.split("\0") if "/" in path and not path.startswith(".")}
    problems = [f"{folder}/: not a folder of the top" for folder in sorted(folders - TOP)]
    for file in sorted((ROOT / "python").rglob("*.py")):
        for name in re.findall(r"(?m)^\s*(?:from|import) ([\w.]+)", file.read_text()):
            if name.split(".")[0] in TOP - {"python"}:
                problems.append(f"{relative(file)}: imports {name}")
    return problems


def main():
    problems, arrows = check_itself() + top_problems(), {}
    for file in code_files():
        path = relative(file)
        for match in INCLUDE.finditer(file.read_text()):
            found = problem(path, match[1], match[2])
            if found:
                problems.append(f"{path}: {found}")
            room, other = room_of(path), room_of(match[2])
            if not path.startswith("tests/") and match[1] == '"' and part_of(match[2]):
                arrows.setdefault(room, set()).update({other} - {room})
                arrows.setdefault(other, set())
    for room, included in sorted(arrows.items()):
        problems += declaration_problems(room, included)
    problems += [f"these include each other in a circle: {', '.join(rooms)}" for rooms in circles(arrows)]
    return report(problems)


if __name__ == "__main__":
    sys.exit(main())
