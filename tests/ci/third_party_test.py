#!/usr/bin/env python3
"""THIRD_PARTY.md lists everything of others that is in the programs: ci/third_party.py finds nothing else in what the
linker takes and in the headers of the build that is there, and finds what a build adds."""
# SPDX-License-Identifier: Apache-2.0

import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/scan"), str(ROOT / "ci")]
import third_party  # noqa: E402
from scanning import expect, main  # noqa: E402

# A program that uses a library without a row, from the folder of the build's own generator.
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(other LANGUAGES CXX)
file(WRITE ${CMAKE_BINARY_DIR}/empty.cpp "int One();\\nint One() { return 1; }\\n")
file(WRITE ${CMAKE_BINARY_DIR}/main.cpp "int One();\\nint main() { return One() - 1; }\\n")
add_library(foreign STATIC ${CMAKE_BINARY_DIR}/empty.cpp)
set_target_properties(foreign PROPERTIES ARCHIVE_OUTPUT_DIRECTORY ${FOREIGN})
add_executable(other ${CMAKE_BINARY_DIR}/main.cpp)
add_dependencies(other foreign)
target_link_libraries(other PRIVATE ${FOREIGN}/libforeign.a)
install(TARGETS other DESTINATION bin)
"""


def test_every_part_is_listed(bin_folder, folder):
    del folder
    build = bin_folder.parent.resolve()
    found = third_party.contents(build)
    expect({"opledger", "opledger-convert", "opledger-run"} <= set(found), found)
    names = {program: {each.name for each in parts} for program, parts in found.items()}
    expect({"JSON for Modern C++", "RE2", "libmd", "GNU C Library"} <= names["opledger"], names)
    expect("LLVM and Clang" in names.get("opledger-scan", {"LLVM and Clang"}), names)
    expect("LLVM and Clang" not in names["opledger-convert"], names)


def test_what_is_not_listed_is_found(bin_folder, folder):
    del bin_folder
    (folder / "source").mkdir()
    (folder / "source/CMakeLists.txt").write_text(PROJECT)
    build = folder / "build"
    for command in (["cmake", "-G", "Ninja", "-S", folder / "source", "-B", build, f"-DFOREIGN={folder}/elsewhere"],
                    ["cmake", "--build", build]):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env={**os.environ, "CCACHE_DISABLE": "1"})
    try:
        third_party.contents(build.resolve())
    except third_party.Unlisted as problem:
        expect(str(problem) == f"other contains {folder.resolve()}/elsewhere/libforeign.a, which is in no row of "
               "ci/third_party.py", problem)
    else:
        raise AssertionError("a library without a row is not found")


def test_page(bin_folder, folder):
    """It is the table's, and an installation has the texts that it names."""
    del bin_folder, folder
    expect(third_party.PAGE.read_text() == third_party.page(), "run ci/third_party.py --write")
    script = re.sub(r"\$\{\w+\}", "{}", (ROOT / "ci/package.cmake").read_text())
    installed = set(re.search(r"foreach\(package ([^)]*)\)", script)[1].split())
    named = {each.packages[0] for each in third_party.COMPONENTS if each.packages}
    expect(named - {"libdnnl-dev"} <= installed, named - installed)


def test_bill_of_materials(bin_folder, folder):
    """By CycloneDX's own schema where its package is installed."""
    build = bin_folder.parent.resolve()
    document = third_party.bill_of_materials(build, "opledger", "1.2.3")
    expect(document == third_party.bill_of_materials(build, "opledger", "1.2.3"), "it changes")
    parts = {each["bom-ref"] for each in document["components"]} | {"opledger"}
    expect(all(set(each["dependsOn"]) <= parts and each["ref"] in parts for each in document["dependencies"]), parts)
    (folder / "sbom.json").write_text(json.dumps(document))
    subprocess.run([sys.executable, "-B", ROOT / "ci/third_party.py", build, "--sbom", folder / "written.json"],
                   check=True, stdout=subprocess.DEVNULL)
    written = json.loads((folder / "written.json").read_text())
    version = (ROOT / "VERSION").read_text().strip()
    expect(written["metadata"]["component"]["version"] == version, written["metadata"])
    check = ("import sys; from cyclonedx.validation.json import JsonStrictValidator as V; "
             "from cyclonedx.schema import SchemaVersion as S; "
             "print(V(S.V1_5).validate_str(open(sys.argv[1]).read()))")
    for place in (bin_folder.parent / "venv/bin/python", ROOT / "build/venv/bin/python"):
        if place.exists() and subprocess.run([place, "-c", "import cyclonedx"], capture_output=True, check=False).returncode == 0:
            said = subprocess.run([place, "-c", check, folder / "sbom.json"], capture_output=True, text=True, check=True)
            expect(said.stdout == "None\n", said)
            return
    print("SKIPPED: CycloneDX's schema: the Python package cyclonedx-python-lib is missing; ci/setup installs it")


if __name__ == "__main__":
    sys.exit(main(globals()))
