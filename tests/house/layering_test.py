#!/usr/bin/env python3
"""Rooms (folders of code) include only what they declare, without cycles; expensive headers are included only in their
files. Each room has a header of its own name, whose opening comment gives in at most eight lines its input, its output,
and "May include: ROOM, ROOM." (FOLDER/* is every room below FOLDER). The modules of the Python package do not import
each other in a cycle either, not even for type checking."""
# SPDX-License-Identifier: Apache-2.0

import ast
import re
import subprocess
import sys

from tree import ROOT, code_files, relative, report

# Part of the tree -> other parts whose rooms it may include. The longest matching path counts.
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
# Folders at the top of the repository: code, and files about it.
TOP = {"checker", "ci", "conversion", "docs", "kernels", "python", "registry", "schemas", "tests"}

# Third-party headers that cost seconds per file -> the only files (or folder/) that may include
# them.
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
    """Returns the row of PARTS a file belongs to, or None."""
    fitting = [part for part in PARTS if path.startswith(part + "/")]
    return max(fitting, key=len, default=None)


def room_of(path):
    return path.rpartition("/")[0]


def confined(path, header):
    """Returns the allowed places for `header`, if `path` is not one of them."""
    for prefix, places in CONFINED.items():
        if header.startswith(prefix) and not any(
                path == place or (place.endswith("/") and path.startswith(place))
                for place in places):
            return places
    return None


def problem(path, quote, header):
    """Returns the problem of one include, or None."""
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
    """Returns the rooms that the room's header allows it to include, and the problems of that
    header."""
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
    """Returns the sets of rooms that include each other, directly or through others (Tarjan's
    algorithm)."""
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
    """Bad input is rejected."""
    problems = [f"the layering test accepts {header} in {path}" for path, quote, header in (
        ("registry/text/glob.cpp", '"', "checker/rules/rules.h"),
        ("checker/main.cpp", '"', "registry/scan/outline/outline.h"),
        ("checker/main.cpp", "<", "clang/Lex/Lexer.h"),
        ("registry/manifest/manifest.cpp", "<", "re2/re2.h"),
        ("registry/text/glob.cpp", '"', "glob.h")) if problem(path, quote, header) is None]
    if circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) != [["a", "b", "c"]]:
        problems.append("the layering test misses a cycle")
    if allows(["registry/*"], "checker") or not allows(["registry/*"], "registry/text"):
        problems.append("the layering test misreads FOLDER/*")
    return problems


def top_problems():
    """Unknown folders at the top, if git knows which are tracked; the package may import only
    itself from the project: it runs programs, and reads their JSON."""
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False).stdout
    folders = {path.partition("/")[0] for path in listing.split("\0") if "/" in path and not path.startswith(".")}
    problems = [f"{folder}/: not a folder of the top" for folder in sorted(folders - TOP)]
    for file in sorted((ROOT / "python").rglob("*.py")):
        for name in re.findall(r"(?m)^\s*(?:from|import) ([\w.]+)", file.read_text()):
            if name.split(".")[0] in TOP - {"python"}:
                problems.append(f"{relative(file)}: imports {name}")
    return problems


def imported(path, text, modules):
    """The modules of the package that a module imports, in functions and under TYPE_CHECKING too."""
    package = path.relative_to(ROOT / "python").parent.parts
    for node in ast.walk(ast.parse(text)):
        names = [name.name for name in getattr(node, "names", ())]
        if isinstance(node, ast.Import):
            yield from (name for name in names if name in modules)
        elif isinstance(node, ast.ImportFrom):
            base = package[:len(package) + 1 - node.level] if node.level else ()
            module = ".".join(base + tuple((node.module or "").split(".") if node.module else ()))
            inner = {f"{module}.{name}" for name in names} & modules
            yield from inner
            if module in modules and len(inner) < len(names):
                yield module


def module_arrows(texts):
    """Module -> the modules that it imports, given the texts of the package's files."""
    names = {path: ".".join(path.relative_to(ROOT / "python").with_suffix("").parts).removesuffix(".__init__")
             for path in texts}
    return {names[path]: set(imported(path, text, set(names.values()))) - {names[path]}
            for path, text in texts.items()}


def module_problems():
    """Circles among the modules of the Python package, and a check that circles are seen."""
    package = ROOT / "python/opledger"
    seen = circles(module_arrows({
        package / "__init__.py": "from .a import A", package / "c.py": "import opledger.a",
        package / "d.py": "from . import a",
        package / "a.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .compat.b import B",
        package / "compat/b.py": "def f():\n    from .. import c, d"}))
    problems = [] if seen == [["opledger.a", "opledger.c", "opledger.compat.b", "opledger.d"]] else [
        f"the layering test sees the circles {seen} among modules"]
    texts = {path: path.read_text() for path in sorted(package.rglob("*.py"))}
    return problems + [f"these modules import each other in a circle: {', '.join(modules)}"
                       for modules in circles(module_arrows(texts))]


def main():
    problems, arrows = check_itself() + top_problems() + module_problems(), {}
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
