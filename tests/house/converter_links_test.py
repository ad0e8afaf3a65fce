#!/usr/bin/env python3
"""opledger-convert links neither kernels nor oneDNN: its targets link only the libraries below, and
the built program contains no symbol that only kernels/ defines, and none of oneDNN's."""
# SPDX-License-Identifier: Apache-2.0

import argparse
import pathlib
import re
import subprocess
import sys

from tree import ROOT, report

# Libraries, ours and others, that each target of conversion/CMakeLists.txt may link.
MAY_LINK = {
    "opledger_model": {"opledger_registry", "ZLIB::ZLIB"},
    "opledger_conversion": {"opledger_model", "Boost::headers"},
    "opledger-convert": {"opledger_conversion", "CLI11::CLI11"},
}
WORDS = {"PUBLIC", "PRIVATE", "INTERFACE"}


def linked(text):
    """Returns target -> the libraries that CMake's text links into it."""
    found = {}
    for target, what in re.findall(r"target_link_libraries\(\s*(\S+)\s+([^()]*)\)", text):
        what = re.sub(r"\$<IF:\$<BOOL:\${OPLEDGER_STATIC}>,z,([\w:]+)>", r"\1", what)
        found.setdefault(target, set()).update(set(what.split()) - WORDS)
    return found


def target_problems(text):
    found = linked(text)
    for target, may in MAY_LINK.items():
        if target not in found:
            yield f"conversion/CMakeLists.txt: links nothing into {target}"
        for library in sorted(found.get(target, set()) - may):
            yield f"conversion/CMakeLists.txt: {target} links {library}; it needs {', '.join(sorted(may))} only"
    yield from (f"conversion/CMakeLists.txt: the target {target} is not known here"
                for target in found if target not in MAY_LINK)


def symbols(files):
    """Returns the global functions and data that files define, or need."""
    listing = subprocess.run(["nm", "--extern-only", *files], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in listing.splitlines()]
    return {row[-1] for row in rows if len(row) == 3 and row[-2] in "TDBR"}, {row[-1] for row in rows if len(row) == 2}


def binary_problems(build):
    """Returns None if a file to check is not built."""
    kernels = [*(build / "kernels").glob("libopledger_kernels.a"),
               *(build / "kernels/CMakeFiles/opledger_cpu_kernels.dir").rglob("*.o")]
    libraries = [build / "conversion/libopledger_conversion.a", build / "conversion/libopledger_model.a",
                 build / "registry/libopledger_registry.a"]
    programs = [build / "bin/opledger-convert", build / "bin/opledger-run"]
    if len(kernels) < 2 or not all(file.exists() for file in libraries + programs):
        return None
    of_kernels = symbols(kernels)[0] - symbols(libraries)[0] - {"main"}
    (convert, needed), (runs, _) = symbols(programs[:1]), symbols(programs[1:])
    problems = [f"opledger-convert has {name}, which kernels/ defines" for name in sorted(convert & of_kernels)[:9]]
    problems += [f"opledger-convert has {name}, of oneDNN" for name in sorted(convert | needed) if "dnnl" in name][:9]
    if len(runs & of_kernels) < 100:  # otherwise this test could not fail
        problems.append("opledger-run has no symbols: this test needs programs that are not stripped")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    build = parser.parse_args().build.resolve()
    text = (ROOT / "conversion/CMakeLists.txt").read_text(encoding="utf-8")
    problems = [*target_problems(text)]
    for planted in ("target_link_libraries(opledger_conversion PRIVATE opledger_kernels)",
                    "target_link_libraries(opledger-convert PRIVATE opledger_cpu_kernels)"):
        if not [*target_problems(text + planted)]:
            problems.append(f"this test accepts {planted}")
    found = binary_problems(build)
    if found is None and not problems:
        print("SKIPPED: opledger-convert and opledger-run were not built")
        return 77
    return report(problems + (found or []))


if __name__ == "__main__":
    sys.exit(main())
