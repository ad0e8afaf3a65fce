#!/usr/bin/env python3
"""Builds the wheel of opledger: its programs and their data, laid out as by `cmake --install`, so that they find
each other in an environment's bin/ and share/; and the package `opledger`, which runs them.

    pip wheel .                        builds into build-wheel, without tests, and packs that
    ci/opledger_wheel.py BUILD [FOLDER]         packs an existing build (-C build=BUILD of pip); prints the files

Programs that depend on no library (OPLEDGER_STATIC) make a wheel for every Linux of their
architecture; others make one for this machine, with a tag that no index accepts. If the build has
opledger-run-onednn, which needs ci/setup's copy of PyPI's oneDNN, the second command also packs it into a separate
wheel, which the extra opledger[run] requires; its tag names the glibc that it needs. Each wheel has a bill of materials
(PEP 770), by ci/third_party.py. pyproject.toml names this file as the build backend, with the interface of PEP 517,
and has the configuration of cibuildwheel; it needs only Python, and no network. The build may be one for aarch64
(ci/cross).
"""
# SPDX-License-Identifier: Apache-2.0

import base64
import hashlib
import io
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import zipfile

import third_party

ROOT = pathlib.Path(__file__).resolve().parents[1]
EARLIEST = 315532800  # 1980, the earliest time in a zip archive
PACKAGES = "lib/python3/dist-packages/"  # `cmake --install` puts here what a wheel has at its top level
ONEDNN_NAME = "opledger-run-onednn"
ONEDNN = "onednn-cpu-gomp==2023.2.0"  # as in ci/setup; another version may have another file name than libdnnl.so.3
ANY_LINUX = "manylinux_2_17_{0}.manylinux2014_{0}.musllinux_1_1_{0}"
MACHINES = {62: "x86_64", 183: "aarch64"}  # of ELF's e_machine
LICENSES = ("LICENSE", "THIRD_PARTY.md")


def version():
    return (ROOT / "VERSION").read_text().strip()


def metadata(name="", summary="", requires=()):
    """Returns the metadata of the distribution that pyproject.toml describes, or of another one next to it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    head = [("Metadata-Version", "2.4"), ("Name", name or project["name"]), ("Version", version()),
            ("Summary", summary or project["description"]), ("License-Expression", project["license"]),
            *(("License-File", file) for file in LICENSES), ("Requires-Python", project["requires-python"])]
    head += [("Requires-Dist", each) for each in requires]
    if not name:
        # PyPI has oneDNN only for this machine; elsewhere the extra is empty, and the wheel's own program runs models.
        where = "extra == 'run' and platform_machine == 'x86_64'"
        head += [("Provides-Extra", "run"), ("Requires-Dist", f"{ONEDNN_NAME}=={version()}; {where}")]
    head.append(("Description-Content-Type", "text/markdown"))
    text = (ROOT / project["readme"]).read_text() if not name else summary + "\n"
    return "".join(f"{field}: {value}\n" for field, value in head) + "\n" + text


def machine_of(program):
    """Returns the architecture of an ELF program, as uname names it."""
    data = program.read_bytes()[:64]
    if data[:4] != b"\x7fELF" or data[4:6] != b"\x02\x01":
        raise SystemExit(f"{program}: not a program for 64-bit Linux")
    number, = struct.unpack_from("<H", data, 18)
    if number not in MACHINES:
        raise SystemExit(f"{program}: a program for machine {number} of ELF; wheels are made for {MACHINES}")
    return MACHINES[number]


def needs_libraries(program):
    """Returns whether an ELF program names an interpreter (PT_INTERP), which loads the libraries it needs."""
    data = program.read_bytes()
    start, = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    return any(struct.unpack_from("<I", data, start + i * size)[0] == 3 for i in range(count))


def platforms_of(programs):
    machine = machine_of(programs[0])
    fits_any = not any(needs_libraries(program) for program in programs)
    return ANY_LINUX.format(machine) if fits_any else f"linux_{machine}"


def glibc_tag(program):
    """Returns the tag of the newest glibc whose symbols a program needs: "manylinux_2_35_x86_64"."""
    listing = subprocess.run(["objdump", "-T", program], check=True, stdout=subprocess.PIPE, text=True).stdout
    versions = [tuple(map(int, each)) for each in re.findall(r"\(?GLIBC_(\d+)\.(\d+)", listing)]
    major, minor = max(versions)
    return f"manylinux_{major}_{minor}_{machine_of(program)}"


class Wheel:
    """A zip archive with the record of its contents; the same bytes for the same contents."""

    def __init__(self, path):
        self.archive = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self.time = time.gmtime(max(EARLIEST, int(os.environ.get("SOURCE_DATE_EPOCH", EARLIEST))))[:6]
        self.record = []

    def add(self, name, content, mode=0o644):
        info = zipfile.ZipInfo(name, self.time)
        info.external_attr = (0o100000 | mode) << 16
        info.compress_type = zipfile.ZIP_DEFLATED
        self.archive.writestr(info, content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(content)}\n")

    def close(self, stem, platforms, about, materials):
        """Adds the wheel's metadata and closes it."""
        info = f"{stem}.dist-info"
        tags = "".join(f"Tag: py3-none-{each}\n" for each in platforms.split("."))
        self.add(f"{info}/METADATA", about.encode())
        self.add(f"{info}/WHEEL",
                 f"Wheel-Version: 1.0\nGenerator: opledger\nRoot-Is-Purelib: false\n{tags}".encode())
        for file in LICENSES:
            self.add(f"{info}/licenses/{file}", (ROOT / file).read_bytes())
        if materials:
            self.add(f"{info}/sboms/opledger.cdx.json", json.dumps(materials, indent=1).encode())
        self.record.append(f"{info}/RECORD,,\n")
        self.add(f"{info}/RECORD", "".join(self.record).encode())
        self.archive.close()


def build_static():
    folder = ROOT / "build-wheel"
    for command in (["cmake", "--preset", "release", "-B", folder, "-DBUILD_TESTING=OFF", "-DOPLEDGER_STATIC=ON",
                     "-DOPLEDGER_ONEDNN=OFF", "-DOPLEDGER_CUDA=OFF", "-DOPLEDGER_SCANNER=ON"], ["cmake", "--build", folder]):
        subprocess.run(command, cwd=ROOT, check=True, stdout=sys.stderr)
    return folder


def install(build, prefix, *options):
    subprocess.run(["cmake", "--install", build, "--prefix", prefix, "--strip", *options], check=True,
                   stdout=subprocess.DEVNULL)
    return sorted(path for path in prefix.rglob("*") if path.is_file())


def bill_of_materials(build, name, programs):
    """Returns that of a wheel; None, with a warning, for a build without Ninja, which is asked for it."""
    build = pathlib.Path(build).resolve()
    if not (build / "build.ninja").exists():
        print(f"{build}: not a build with Ninja, so {name} will have no bill of materials", file=sys.stderr)
        return None
    try:
        return third_party.bill_of_materials(build, name, version(), [program.name for program in programs])
    except third_party.Unlisted as problem:
        raise SystemExit(str(problem)) from problem


def pack(build, folder):
    """Writes the wheel of a build tree into a folder, and returns its name."""
    with tempfile.TemporaryDirectory(prefix="opledger-wheel-") as scratch:
        prefix = pathlib.Path(scratch)
        files = install(build, prefix)
        programs = [path for path in files if path.parent == prefix / "bin"]
        stem, platforms = f"opledger-{version()}", platforms_of(programs)
        path = pathlib.Path(folder) / f"{stem}-py3-none-{platforms}.whl"
        wheel = Wheel(path)
        for file in files:
            name = file.relative_to(prefix).as_posix()
            if name.startswith(PACKAGES):
                place = name[len(PACKAGES):]
            else:
                place = f"{stem}.data/" + (f"scripts/{file.name}" if file in programs else f"data/{name}")
            wheel.add(place, file.read_bytes(), file.stat().st_mode & 0o755)
        wheel.close(stem, platforms, metadata(), bill_of_materials(build, "opledger", programs))
    return path.name


def pack_onednn(build, folder):
    """Does the same for opledger-run-onednn; returns None if the build does not have it."""
    with tempfile.TemporaryDirectory(prefix="opledger-wheel-") as scratch:
        files = install(build, pathlib.Path(scratch), "--component", "onednn")
        if not files:
            return None
        program, = files
        stem, platforms = f"{ONEDNN_NAME.replace('-', '_')}-{version()}", glibc_tag(program)
        path = pathlib.Path(folder) / f"{stem}-py3-none-{platforms}.whl"
        wheel = Wheel(path)
        wheel.add(f"{stem}.data/scripts/{program.name}", program.read_bytes(), 0o755)
        wheel.close(stem, platforms, metadata(ONEDNN_NAME, "opledger-run with oneDNN: comes with opledger[run]",
                                              [ONEDNN]), bill_of_materials(build, ONEDNN_NAME, [program]))
    return path.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    del metadata_directory
    build = (config_settings or {}).get("build")
    return pack(build or build_static(), wheel_directory)


def build_sdist(sdist_directory, config_settings=None):
    """Packs the files that git tracks."""
    del config_settings
    stem = f"opledger-{version()}"
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    with tarfile.open(pathlib.Path(sdist_directory) / f"{stem}.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for name in sorted(filter(None, listing.decode().split("\0"))):
            archive.add(ROOT / name, f"{stem}/{name}", recursive=False)
        content = metadata().encode()
        entry = tarfile.TarInfo(f"{stem}/PKG-INFO")
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))
    return f"{stem}.tar.gz"


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        raise SystemExit("usage: ci/opledger_wheel.py BUILD [FOLDER]")
    print(*filter(None, (made(*(sys.argv[1:] + ["."])[:2]) for made in (pack, pack_onednn))), sep="\n")
