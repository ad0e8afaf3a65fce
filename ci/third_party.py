#!/usr/bin/env python3
"""Which software of others the programs contain, under which licenses.

    ci/third_party.py BUILD              prints what each installed program of a build contains or loads
    ci/third_party.py BUILD --sbom FILE  writes that as a bill of materials: CycloneDX, in JSON
    ci/third_party.py --write            writes THIRD_PARTY.md from the table below

The first two ask the linker which files it takes for each program, and Ninja which headers its sources include.
Each file outside of the source and build folders must belong to a row of COMPONENTS; a file that does not is an
error. Versions are those of Debian's packages, where there are any.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import collections
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import uuid

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "THIRD_PARTY.md"
INSTALLED = re.compile(r'file\(INSTALL .* TYPE (?:EXECUTABLE|MODULE) FILES "([^"]+)"\)')


@dataclasses.dataclass(frozen=True)
class Component:
    name: str
    license: str  # an SPDX expression
    supplier: str
    url: str
    used_for: str
    files: str  # a pattern: which archives, libraries and headers are its
    packages: tuple  # of Debian; {} stands for the version in a path. The first has the license's text.
    condition: str = ""  # the build that has it, if not all


GLIBC_HEADERS = (
    "alloca|assert|byteswap|ctype|dirent|dlfcn|elf|endian|errno|error|execinfo|fcntl|features|features-time64|fenv|"
    "getopt|glob|inttypes|langinfo|libgen|libintl|limits|link|locale|malloc|math|memory|mntent|netdb|poll|pthread|pty|"
    "pwd|regex|sched|search|semaphore|setjmp|signal|spawn|stdc-predef|stdint|stdio|stdlib|string|strings|syscall|"
    "syslog|termios|time|ucontext|unistd|utime|utmp|values|wait|wchar|wctype|xlocale")
COMPONENTS = (
    Component("LLVM and Clang", "Apache-2.0 WITH LLVM-exception", "LLVM Project", "https://llvm.org",
              "reading C++ sources", r"/llvm(?:-c)?-(\d+)/", ("libclang-{}-dev", "llvm-{}-dev")),
    Component("JSON for Modern C++", "MIT", "Niels Lohmann", "https://github.com/nlohmann/json",
              "JSON", r"/include/nlohmann/", ("nlohmann-json3-dev",)),
    Component("CLI11", "BSD-3-Clause", "Henry Schreiner and others", "https://github.com/CLIUtils/CLI11",
              "command lines", r"/include/CLI/", ("libcli11-dev",)),
    Component("Boost", "BSL-1.0", "Boost", "https://www.boost.org",
              "minimum cuts of graphs", r"/include/boost/", ("libboost1.74-dev", "libboost1.83-dev")),
    Component("RE2", "BSD-3-Clause", "Google", "https://github.com/google/re2",
              "regular expressions", r"/include/re2/|/libre2\.(?:a|so)", ("libre2-dev",)),
    Component("Abseil", "Apache-2.0", "Google", "https://abseil.io", "RE2 of 2023 and later",
              r"/include/absl/|/libabsl_\w+\.(?:a|so)", ("libabsl-dev",), "where RE2 needs it"),
    Component("libmd", "BSD-3-Clause AND BSD-2-Clause AND ISC AND Beerware", "Hadrons",
              "https://www.hadrons.org/software/libmd/", "SHA-256",
              r"/libmd\.(?:a|so)|/include/(?:[\w-]+/)?(?:sha2|md5)\.h", ("libmd-dev",)),
    Component("zlib", "Zlib", "Jean-loup Gailly and Mark Adler", "https://zlib.net",
              "compressed parameters and caches", r"/libz\.(?:a|so)|/include/(?:zlib|zconf)\.h", ("zlib1g-dev",)),
    Component("Zstandard", "BSD-3-Clause OR GPL-2.0-only", "Meta", "https://facebook.github.io/zstd/",
              "part of LLVM's library", r"/libzstd\.(?:a|so)|/include/zstd\w*\.h", ("libzstd-dev",)),
    Component("GCC's libraries (libstdc++, libgcc, libgomp)", "GPL-3.0-or-later WITH GCC-exception-3.1",
              "Free Software Foundation", "https://gcc.gnu.org", "the C++ library, threads",
              r"/gcc(?:-cross)?/[\w-]+/(\d+)/|/include/(?:[\w-]+/)?c\+\+/|/lib(?:stdc\+\+|gcc\w*|gomp|atomic)\.(?:a|so)",
              ("gcc-{}-base", "libstdc++-{}-dev")),
    Component("GNU C Library", "LGPL-2.1-or-later", "Free Software Foundation",
              "https://www.gnu.org/software/libc/", "the C library",
              r"/(?:lib(?:c|m|mvec|pthread|dl|rt|c_nonshared|m-[\d.]+)\.(?:a|so)|[Sgrcin]*crt[1in]\.o|"
              r"ld-linux[\w-]*\.so)|"
              r"/include/(?:[\w-]+-linux-gnu/)?(?:bits|gnu|sys|net|netinet|arpa|rpc)/|"
              rf"/include/(?:[\w-]+-linux-gnu/)?(?:{GLIBC_HEADERS})\.h$", ("libc6-dev",)),
    Component("Linux (headers for programs)", "GPL-2.0-only WITH Linux-syscall-note", "Linux", "https://kernel.org",
              "numbers of system calls", r"/include/(?:[\w-]+-linux-gnu/)?(?:linux|asm|asm-generic)/",
              ("linux-libc-dev",)),
    Component("oneDNN", "Apache-2.0", "Intel", "https://github.com/oneapi-src/oneDNN", "products of matrices",
              r"/libdnnl\.so|/include/(?:oneapi/dnnl/|dnnl)", ("libdnnl-dev",),
              "`opledger-run` with oneDNN, and `opledger-run-onednn`, which load it"),
    Component("CUDA runtime", "LicenseRef-NVIDIA-CUDA-EULA", "NVIDIA", "https://docs.nvidia.com/cuda/eula/",
              "GPUs", r"/cuda[\w.-]*/|/lib(?:cuda\w*|cublas\w*)\.(?:a|so)", (),
              "the module `opledger-cuda.so`, in no published package"),
)


class Unlisted(Exception):
    """A build has what COMPONENTS does not name."""


def ask(build, *command):
    return subprocess.run(command, cwd=build, check=True, stdout=subprocess.PIPE, text=True).stdout


def programs_of(build):
    """Returns the files that `cmake --install` takes from a build as programs, relative to it."""
    found = set()
    for script in build.rglob("cmake_install.cmake"):
        found.update(INSTALLED.findall(script.read_text()))
    names = (os.path.relpath(path, build) for path in found if pathlib.Path(path).is_relative_to(build))
    return sorted(name for name in names if (build / name).exists())


def linked(build, program):
    """Returns the files that the linker takes for a program, as it tells them."""
    command = ask(build, "ninja", "-t", "commands", program).splitlines()[-1]
    with tempfile.TemporaryDirectory(prefix="opledger-link-") as folder:
        again, count = re.subn(rf" -o {re.escape(program)} ", f" -o {folder}/program -Wl,--trace ", command)
        if count != 1:
            raise SystemExit(f"{build}: the command that links {program} is not known: {command[:200]}")
        done = subprocess.run(again, cwd=build, shell=True, check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{build}: {program} cannot be linked again; is it built?\n{done.stderr[-500:]}")
    lines = (re.sub(r"^\((.*)\).*", r"\1", line) for line in done.stdout.splitlines())
    return {line for line in lines if re.search(r"\.(?:a|o|so)(?:\.[\d.]+)?$", line)}


def headers_of(build):
    """Returns target -> the headers outside of the source and build folders that its sources include."""
    found, target = collections.defaultdict(set), None
    for line in ask(build, "ninja", "-t", "deps").splitlines():
        if not line.startswith(" "):
            target = re.search(r"CMakeFiles/([^/]+)\.dir/", line)
        elif target and (path := line.strip()).startswith("/"):
            found[target[1]].add(path)
    return found


def component_of(path):
    """Returns the row of COMPONENTS that a file belongs to, and the version in its path."""
    path = re.sub(r"/[^/]+/\.\./", "/", path) if "/../" in path else path
    for component in COMPONENTS:
        if match := re.search(component.files, path):
            return component, next(filter(None, match.groups()), "") if match.groups() else ""
    return None, ""


def contents(build):
    """Returns program -> {component: (whether the program loads its library, the version in a path)}."""
    headers, result, unlisted = headers_of(build), {}, {}
    own = (f"{ROOT}/", f"{build}/")
    for program in programs_of(build):
        files = linked(build, program)
        targets = {match[1] for file in files if not file.startswith("/")
                   for match in [re.search(r"CMakeFiles/([^/]+)\.dir/|/lib(\w+)\.a$", file)] if match and match[1]}
        targets |= {match[1] for file in files for match in [re.search(r"^[^/].*/lib(\w+)\.a$", file)] if match}
        found = result.setdefault(program.rsplit("/", 1)[-1], {})
        for path in files | set().union(*(headers[target] for target in targets)):
            path = path if path.startswith("/") else f"{build}/{path}"
            if path.startswith(own) and not re.search(r"/onednn/(?:lib|include)/", path):  # PyPI's, in the build folder
                continue
            component, number = component_of(path)
            if component is None:
                unlisted.setdefault(path, program)
                continue
            loads, known = found.get(component, (False, ""))
            found[component] = (loads or ".so" in path.rsplit("/", 1)[-1], known or number)
    if unlisted:
        lines = [f"{program} contains {path}, which is in no row of ci/third_party.py"
                 for path, program in sorted(unlisted.items())]
        raise Unlisted("\n".join(lines[:5] + [f"and {len(lines) - 5} more"] * (len(lines) > 5)))
    return result


def package_versions(build):
    """Returns Debian package -> version: of the folder that a cross build takes its libraries from, or of this
    system."""
    cache = (build / "CMakeCache.txt").read_text()
    root = re.search(r"(?m)^OPLEDGER_SYSROOT:\w+=(.+)$", cache)
    if root:
        listing = (pathlib.Path(root[1]) / "packages.txt").read_text()
    else:
        try:
            listing = subprocess.run(["dpkg-query", "-W", "-f", "${Package} ${Version} ${Architecture}\n"],
                                     check=True, stdout=subprocess.PIPE, text=True).stdout
        except (OSError, subprocess.CalledProcessError):
            return {}
    return {name: (version, architecture) for name, version, architecture in map(str.split, listing.splitlines())}


def described(component, number, versions):
    """Returns a component as CycloneDX has it."""
    entry = {"type": "library", "bom-ref": component.name, "supplier": {"name": component.supplier},
             "name": component.name, "licenses": [license_of(component.license)],
             "externalReferences": [{"type": "website", "url": component.url}]}
    for package in (each.format(number) for each in component.packages):
        if package in versions:
            version, architecture = versions[package]
            # Without Debian's epoch and revision.
            entry["version"] = re.sub(r"^\d+:|-[^-]*$", "", re.sub(r"[.+~-](?:dfsg|ds|repack).*$", "", version))
            entry["purl"] = f"pkg:deb/debian/{package}@{version.replace(':', '%3A').replace('+', '%2B')}?arch={architecture}"
            break
    return entry


def license_of(expression):
    if re.fullmatch(r"[\w.-]+", expression) and not expression.startswith("LicenseRef"):
        return {"license": {"id": expression}}
    return {"expression": expression}


def bill_of_materials(build, name, version, programs=None):
    """Returns the CycloneDX document of a package that consists of the programs."""
    found = {program: parts for program, parts in contents(build).items() if programs is None or program in programs}
    versions = package_versions(build)
    numbers = {component: number for parts in found.values() for component, (_, number) in parts.items()}
    libraries = [described(each, numbers[each], versions) for each in COMPONENTS if each in numbers]
    me = {"type": "application", "bom-ref": name, "name": name, "version": version,
          "licenses": [license_of("Apache-2.0")], "purl": f"pkg:pypi/{name}@{version}"}
    parts = [{"type": "application", "bom-ref": f"{name}/{program}", "name": program, "version": version}
             for program in sorted(found)]
    for part in parts:
        loads = sorted(each.name for each, (loaded, _) in found[part["name"]].items() if loaded)
        if loads:
            part["properties"] = [{"name": "opledger:loads", "value": each} for each in loads]
    depends = [{"ref": name, "dependsOn": [part["bom-ref"] for part in parts]}]
    depends += [{"ref": f"{name}/{program}", "dependsOn": sorted(each.name for each in found[program])}
                for program in sorted(found)]
    document = {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "metadata": {"component": me},
                "components": parts + libraries, "dependencies": depends}
    # From the content, so that the same build has the same document.
    number = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(document))
    return {**document, "serialNumber": f"urn:uuid:{number}"}


def text_of(component):
    """Returns the name of a license's text in an installation: that of Debian 12's package."""
    if not component.packages:
        return "(none)"
    return "`" + component.packages[0].format(19 if component.name == "LLVM and Clang" else 12) + "`"


def page():
    """Returns THIRD_PARTY.md."""
    rows = "".join(f"| [{each.name}]({each.url}) | {each.used_for} | `{each.license}` | {each.condition or 'all'} | "
                   f"{text_of(each)} |\n" for each in COMPONENTS)
    return f"""# Software of others in the programs

Programs are linked statically, so a package of opledger contains parts of these libraries. `ci/third_party.py` wrote
this page; `ci/third_party.py BUILD` compares it with what the linker takes and with the headers that sources include,
and `ci/third_party.py BUILD --sbom FILE` writes a bill of materials (CycloneDX) with versions and with what each program
contains. A wheel has it as `sboms/opledger.cdx.json` in its metadata.

| library | for | license (SPDX) | in builds | Debian package with the license's text |
|---|---|---|---|---|
{rows}
An installation has the licenses' texts in `share/doc/opledger/third-party`, by the names of the last column, which are
those of Debian 12.

*GNU C Library.* It is under the LGPL, which lets you link the programs with another version of the library:
[build](README.md#install-or-build) them from this source, or with `-DOPLEDGER_STATIC=OFF`. *GCC's libraries* may be
part of programs under any license by the exception that their license names. Of *Linux* only headers that describe the
interface to programs are used.

Python's packages are not part of opledger. The extra `opledger[run]` installs PyPI's oneDNN, and `opledger-run-onednn`
loads that.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("build", nargs="?", type=pathlib.Path)
    parser.add_argument("--sbom", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    if arguments.write:
        PAGE.write_text(page())
    elif arguments.build is None:
        parser.error("name a build folder, or --write")
    try:
        if arguments.sbom:
            version = (ROOT / "VERSION").read_text().strip()
            document = bill_of_materials(arguments.build.resolve(), "opledger", version)
            arguments.sbom.write_text(json.dumps(document, indent=1) + "\n")
        elif arguments.build:
            for program, parts in contents(arguments.build.resolve()).items():
                for component in sorted(parts, key=lambda each: each.name):
                    print(f"{program}: {component.name}" + (" (loads its library)" if parts[component][0] else ""))
    except Unlisted as problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
