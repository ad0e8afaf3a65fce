#!/usr/bin/env python3
"""The wheel as an index sees it: cibuildwheel's configuration names one build for each machine, auditwheel finds that the
programs need no library, and the file is small enough. ci/packages tests that the wheel works."""
# SPDX-License-Identifier: Apache-2.0

import email
import json
import pathlib
import re
import subprocess
import sys
import tomllib
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/scan"), str(ROOT / "ci")]
import opledger_wheel  # noqa: E402
from scanning import Skip, expect, main  # noqa: E402

LARGEST = 40_000_000  # bytes
BUILDS = ["cp311-manylinux_x86_64", "cp311-manylinux_aarch64"]


def tool(bin_folder, name):
    """Returns a program that ci/setup installs from PyPI."""
    for place in (bin_folder.parent / "venv/bin", ROOT / "build/venv/bin"):
        if (place / name).exists():
            return place / name
    raise Skip(f"{name} is missing; ci/setup installs it")


def run(*command, **options):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, **options)
    expect(done.returncode == 0, *command, done.stdout, done.stderr)
    return done.stdout


def wheel_of(bin_folder, folder):
    return folder / opledger_wheel.pack(bin_folder.parent, folder)


def test_configuration(bin_folder, folder):
    """Also without cibuildwheel: the image's Python is the one that is named, and has the build's packages."""
    del bin_folder, folder
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["cibuildwheel"]
    image = (ROOT / "ci/Containerfile.wheel").read_text()
    expect(settings["build"] == "cp311-manylinux_*" and "/opt/python/cp311-cp311" in image, settings)
    expect("auditwheel show" in settings["linux"]["repair-wheel-command"], settings)
    programs = (ROOT / "ci/Containerfile").read_text().split("FROM ")[1]
    needed = set(re.findall(r"[\w.+-]+-dev|cmake|ninja-build|g\+\+", programs))
    expect(len(needed) > 8 and needed <= set(re.findall(r"[\w.+-]+", image)), needed)


def test_builds(bin_folder, folder):
    program = tool(bin_folder, "cibuildwheel")
    said = run(program, "--platform", "linux", "--print-build-identifiers", ROOT, cwd=folder)
    expect(said.split() == BUILDS, said)


def test_size_and_contents(bin_folder, folder):
    wheel = wheel_of(bin_folder, folder)
    expect(wheel.stat().st_size <= LARGEST, wheel.stat().st_size)
    with zipfile.ZipFile(wheel) as archive:
        names = {name.split(".dist-info/")[1]: name for name in archive.namelist() if ".dist-info/" in name}
        fields = email.message_from_bytes(archive.read(names["METADATA"]))
        expect(all(f"licenses/{file}" in names for file in fields.get_all("License-File")), names)
        materials = json.loads(archive.read(names["sboms/opledger.cdx.json"]))
        programs = {name.rsplit("/", 1)[1] for name in archive.namelist() if ".data/scripts/" in name}
    expect({each["name"] for each in materials["components"] if each["type"] == "application"} == programs, programs)
    expect(fields.get_all("License-File") == ["LICENSE", "THIRD_PARTY.md"], fields.items())


def test_auditwheel(bin_folder, folder):
    program = tool(bin_folder, "auditwheel")
    wheel = wheel_of(bin_folder, folder)
    said = " ".join(run(program, "show", wheel).split())
    if "manylinux" in wheel.name:
        expect("requires no external shared libraries" in said, said)
    else:
        print("SKIPPED: what auditwheel says of static programs: this build's opledger-run loads oneDNN")
        expect("libgomp.so.1" in said or "libc.so.6" in said, said)


def test_tag_of_another_machine(bin_folder, folder):
    """The wheel of a cross build has the tag of its programs, not that of the machine that packs it."""
    del bin_folder
    header = b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\x00"
    for number, name in ((62, "x86_64"), (183, "aarch64")):
        program = folder / name
        program.write_bytes(header + number.to_bytes(2, "little") + bytes(64))
        expect(opledger_wheel.machine_of(program) == name, name)
        expect(f"manylinux2014_{name}" in opledger_wheel.platforms_of([program]), name)
    (folder / "else").write_bytes(header + (8).to_bytes(2, "little") + bytes(64))
    try:
        opledger_wheel.machine_of(folder / "else")
    except SystemExit as problem:
        expect("machine 8" in str(problem), problem)
    else:
        raise AssertionError("a program of another machine is taken")


if __name__ == "__main__":
    sys.exit(main(globals()))
