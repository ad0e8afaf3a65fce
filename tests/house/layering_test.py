#!/usr/bin/env python3
"""Includes obey the last column of the design's table of folders; heavy headers stay in their files."""
# SPDX-License-Identifier: Apache-2.0

import re
import sys

from tree import ROOT, code_files, relative, report

# Folder -> the folders it may include besides itself. The deepest folder that fits counts.
MAY_INCLUDE = {
    "registry": (),
    "registry/scan": ("registry",),
    "checker": ("registry",),
    "conversion/model": ("registry",),
    "conversion": ("registry", "conversion/model"),
    "kernels": ("registry", "conversion/model", "conversion/labels", "conversion/placement",
                "conversion/plan", "conversion/place_onnx", "conversion/place_mxnet",
                "conversion/mxnet_parameters", "conversion/settings"),
    "tests": ("registry", "registry/scan", "checker", "conversion/model", "conversion", "kernels"),
}

# Third-party headers that cost seconds per file -> the only files (or folder/) that include them.
CONFINED = {
    "clang/": ("registry/scan/", "tests/registry/scan/"),
    "llvm/": ("registry/scan/", "tests/registry/scan/"),
    "boost/": ("conversion/placement.cpp",),
    "nlohmann/": ("registry/json_text.cpp",),
    "zlib.h": ("conversion/model/zip_data.cpp",),
    "CLI/": ("registry/command_line.cpp", "checker/main.cpp", "registry/scan/main.cpp",
             "conversion/main.cpp", "kernels/main.cpp"),
}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)


def folder_of(path):
    """The row of MAY_INCLUDE a file belongs to, or None."""
    fitting = [folder for folder in MAY_INCLUDE if path.startswith(folder + "/")]
    return max(fitting, key=len, default=None)


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
        own = folder_of(header)
        return f"<{header}> is ours: include it in quotes" if own and own != "tests" else None
    own, other = folder_of(path), folder_of(header)
    if any(header.startswith(prefix) for prefix in CONFINED):
        return None
    if other is None or not (ROOT / header).is_file():
        return f'"{header}" is not a path from the root of the repository'
    if other == own or other in MAY_INCLUDE[own] or header.removesuffix(".h") in MAY_INCLUDE[own]:
        return None
    return f'"{header}": {own} may include {", ".join(MAY_INCLUDE[own]) or "nothing"}'


def main():
    problems = []
    for file in code_files():
        path = relative(file)
        for match in INCLUDE.finditer(file.read_text()):
            found = problem(path, match[1], match[2])
            if found:
                problems.append(f"{path}: {found}")
    # The test itself: what must be refused is refused.
    for path, quote, header in (
            ("registry/glob.cpp", '"', "checker/rules.h"),
            ("checker/main.cpp", '"', "registry/scan/outline.h"),
            ("checker/main.cpp", "<", "clang/Lex/Lexer.h"),
            ("registry/manifest.cpp", "<", "nlohmann/json.hpp"),
            ("registry/glob.cpp", '"', "glob.h")):
        if problem(path, quote, header) is None:
            problems.append(f"the layering test accepts {header} in {path}")
    return report(problems)


if __name__ == "__main__":
    sys.exit(main())
