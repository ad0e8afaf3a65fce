#!/usr/bin/env python3
"""Chooses which sources a unity build compiles as one, so that names need not differ between files.

    ci/unity_groups.py ROOT <TARGETS >GROUPS

Each line of TARGETS is `TARGET BATCH SOURCE...`: a target, the most sources of one unit, and its sources in order. GROUPS
is a CMake script that sets UNITY_GROUP of each source. Two sources are not compiled as one if both define a name in an
unnamed namespace, as a static function or as a macro, or if one defines a name that a header of the other declares.
CMakeLists.txt runs this when it configures; after a new clash, `cmake` again makes other groups.
"""
# SPDX-License-Identifier: Apache-2.0

import pathlib
import re
import sys

TOKEN = re.compile(r'R"(?P<tag>[^(\s"]*)\(.*?\)(?P=tag)"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'
                   r"(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'", re.DOTALL)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.)*", re.MULTILINE | re.DOTALL)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)
MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
UNDEFINED = re.compile(r"^[ \t]*#[ \t]*undef[ \t]+(\w+)", re.MULTILINE)
OPENS_NAMESPACE = re.compile(r"(?:inline\s+)?namespace\s*([\w:]*)\s*$")
TYPE = re.compile(r"\b(?:struct|class|union|enum(?:\s+(?:class|struct))?)\s+(\w+)")
ALIAS = re.compile(r"^\s*using\s+(\w+)\s*=")
NOT_NAMES = {"operator", "if", "for", "while", "switch", "return", "static_assert", "decltype", "alignas", "noexcept",
             "template", "requires", "defined", "__attribute__"}


def declared_name(text):
    """The name that the declaration `text` gives, up to its body or semicolon, of a function with the number of its
    parameters: overloads do not clash. None: no new name."""
    text = re.sub(r"^\s*template\s*<[^;{}]*>\s*(?=[a-z\[])", "", text, count=1)
    if text.lstrip().startswith(("namespace", "using namespace", "friend", "extern template")):
        return None
    found = ALIAS.match(text) or TYPE.match(text.lstrip())
    if found:
        return found[1]
    head, mark, rest = re.match(r"([^=({;\[]*)(.?)(.*)", text, re.DOTALL).groups()
    name = re.search(r"(\w+)$", head.rstrip())
    qualified = re.search(r"::\s*~?\w+$", head.rstrip())
    if not name or qualified or name[1] in NOT_NAMES or name[1][0].isdigit() or " " not in head.strip():
        return None
    return f"{name[1]}/{parameters(rest)}" if mark == "(" else name[1]


def parameters(text):
    """Counts the parameters in `text`, which begins after the opening parenthesis."""
    depth, count, some = 0, 0, False
    for char in text:
        if char == ")" and depth == 0:
            break
        depth += (char in "(<{[") - (char in ")>}]")
        count += char == "," and depth == 0
        some = some or not char.isspace()
    return count + some


class Source:
    """The names of one file: own (of unnamed namespaces, static, macros), shared (of named namespaces)."""

    def __init__(self, path):
        text = path.read_text(errors="replace")
        self.includes = INCLUDE.findall(text)
        bare = TOKEN.sub(lambda match: '""' if match[0][0] in "\"'R" else " ", text)
        self.own = set(MACRO.findall(bare)) - set(UNDEFINED.findall(bare))
        self.shared = set()
        self.read(DIRECTIVE.sub("", bare))

    def read(self, text):
        """Keeps each name with the named namespaces around it: only names of one namespace clash."""
        scopes, begin, at = [("", False)], 0, 0  # name; whether it is within an unnamed namespace
        for match in re.finditer(r"[{};]", text):
            if match.start() < at:
                continue
            head, mark = text[begin:match.start()], match[0]
            if mark == "{" and head.count("(") > head.count(")"):  # within an argument
                at = self.end_of_body(text, match.end())
                continue
            begin = match.end()
            if mark == "}":
                del scopes[max(1, len(scopes) - 1):]
                continue
            space, private = scopes[-1]
            opened = OPENS_NAMESPACE.search(head) if mark == "{" else None
            if opened:
                scopes.append((f"{space}::{opened[1]}" if opened[1] else space, private or not opened[1]))
                continue
            name = declared_name(head)
            if name:
                own = private or re.match(r"\s*static\b", head)
                (self.own if own else self.shared).add(f"{space}::{name}")
            if mark == "{":  # a body: its end is the end of the declaration
                at = begin = self.end_of_body(text, match.end())

    @staticmethod
    def end_of_body(text, at):
        depth = 1
        for match in re.compile(r"[{}]").finditer(text, at):
            depth += 1 if match[0] == "{" else -1
            if depth == 0:
                return match.end()
        return len(text)


class Tree:
    def __init__(self, root):
        self.root, self.read, self.included = root, {}, {}

    def source(self, path):
        if path not in self.read:
            self.read[path] = Source(path) if path.is_file() else None
        return self.read[path]

    def names_of_headers(self, path):
        """What the project's headers that `path` includes, also through others, declare."""
        if path not in self.included:
            self.included[path] = set()  # a header that includes itself
            names = set()
            for include in self.source(path).includes:
                header = self.source(self.root / include)
                if header:
                    names |= header.shared | header.own | self.names_of_headers(self.root / include)
            self.included[path] = names
        return self.included[path]


class Group:
    def __init__(self):
        self.sources, self.own, self.of_headers, self.shared = [], set(), set(), set()

    def takes(self, own, of_headers, shared):
        return not (own & self.own or own & (self.of_headers | self.shared) or self.own & (of_headers | shared))

    def add(self, path, own, of_headers, shared):
        self.sources.append(path)
        self.own |= own
        self.of_headers |= of_headers
        self.shared |= shared


def groups_of(tree, batch, paths):
    groups = []
    for path in paths:
        source = tree.source(path)
        if source is None:
            continue
        headers = tree.names_of_headers(path)
        names = source.own, headers, source.shared
        for group in groups:
            if len(group.sources) < batch and group.takes(*names):
                break
        else:
            group = Group()
            groups.append(group)
        group.add(path, *names)
    return groups


def main():
    tree = Tree(pathlib.Path(sys.argv[1]))
    for line in sys.stdin:
        target, batch, *sources = line.split()
        for number, group in enumerate(groups_of(tree, int(batch), [pathlib.Path(each) for each in sources])):
            print(f'set_source_files_properties({" ".join(map(str, group.sources))}\n'
                  f'  TARGET_DIRECTORY {target} PROPERTIES UNITY_GROUP "{target}_{number}")')
    return 0


if __name__ == "__main__":
    sys.exit(main())
