#!/usr/bin/env python3
"""Tests the Debian package and the wheel, built from this build: their contents, their
dependencies, and that their programs work from any folder."""
# SPDX-License-Identifier: Apache-2.0

import email
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/scan"))
from scanning import Skip, expect, main  # noqa: E402

PROGRAMS = ["opledger", "opledger-convert", "opledger-run", "opledger-scan", "opledger-scan-ast"]
OPTIONAL = {"opledger-cuda-selftest"}  # only built with a CUDA toolkit


def run(*command, status=0, **options):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, **options)
    expect(done.returncode == status, *command, done.stdout, done.stderr)
    return done.stdout


# Library that a program needs -> its package, without the version if that changes.
PACKAGE_OF = {"libz": "zlib1g", "libzstd": "libzstd1", "libdnnl": "libdnnl", "libgomp": "libgomp1",
              "libstdc": "libstdc++6"}


def is_static(program):
    return "INTERP" not in run("readelf", "-lW", program)


def expect_it_works(program, folder):
    """Runs the program in an environment without opledger."""
    demo = folder / "demo"
    shutil.copytree(ROOT / "tests/demo", demo)
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder)}
    said = run(program, "check", status=1, cwd=demo, env=environment)
    expect("'hard_swish' has no policy" in said and said.count("error:") == 1, said)
    said = run(program, "convert", "model.onnx", "-o", "mixed.onnx", cwd=demo, env=environment)
    expect("2 casts" in said, said)


def expect_it_imports(python, demo, **more):
    """The package finds the programs installed with it."""
    said = run(python, "-B", "-c", "import opledger; print(opledger.convert('model.onnx'))", cwd=demo,
               env={"PATH": "/usr/bin:/bin", "HOME": str(demo.parent), **more})
    expect("5 of 6 nodes" in said, said)


def test_debian_package(bin_folder, folder):
    for program in ("cpack", "dpkg-deb", "dpkg-shlibdeps", "readelf"):
        if shutil.which(program) is None:
            raise Skip(f"{program} is missing")
    # xz would take ten times as long, and lintian does not know zstd.
    run(ROOT / "ci/package", bin_folder.parent, folder, env={**os.environ, "COMPRESSION": "gzip"})
    package, = folder.glob("*.deb")
    architecture = run("dpkg", "--print-architecture").strip()
    fields = dict(re.findall(r"(?m)^([\w-]+): (.*)$", run("dpkg-deb", "-f", package)))
    expect(package.name == f"opledger_{fields['Version']}_{architecture}.deb", package.name)
    expect(fields["Architecture"] == architecture and fields["Recommends"] == "git", fields)
    listing = run("dpkg-deb", "-c", package)
    for line in listing.splitlines():
        rights, owner, path = re.match(r"(\S+) (\S+) .* (\./\S*)$", line).groups()
        expect(owner == "root/root" and path.startswith("./usr/"), line)
        expect(rights[1:] in ("rwxr-xr-x", "rw-r--r--"), line)
    expect(sorted(set(re.findall(r" \./usr/bin/(.+)", listing)) - OPTIONAL) == PROGRAMS, listing)
    expect("./usr/lib/python3/dist-packages/opledger/__init__.py" in listing and "__pycache__" not in listing, listing)
    expect("./usr/share/doc/opledger/copyright" in listing and "/third-party/libc6-dev" in listing, listing)
    if shutil.which("lintian") is None:
        print("SKIPPED: what lintian says of the package: it is missing; ci/setup --packages installs it")
    root = folder / "elsewhere"
    run("dpkg", "-x", package, root)
    programs = [root / "usr/bin" / name for name in PROGRAMS]
    needed = set(re.findall(r"NEEDED.*\[(lib\w+)", "".join(run("readelf", "-d", program) for program in programs)))
    asked = set(re.findall(r"(?:^|, )([\w.+-]+)", fields.get("Depends", "")))
    asked = {re.sub(r"^libdnnl\d+$", "libdnnl", name) for name in asked}
    expected = {"libc6"} if needed else set()
    expected |= {name for library, name in PACKAGE_OF.items() if library in needed}
    expect(asked - {"libc6", "libgcc-s1"} == expected - {"libc6"} and expected <= asked, needed, fields)
    for program in programs:
        expect(".debug_info" not in run("readelf", "-SW", program), program, "is not stripped")
    expect_it_works(root / "usr/bin/opledger", folder)
    expect_it_imports(sys.executable, folder / "demo", PYTHONPATH=str(root / "usr/lib/python3/dist-packages"))


def test_wheel(bin_folder, folder):
    wheels = folder / "wheels"
    run(sys.executable, "-m", "pip", "wheel", "--disable-pip-version-check", "--no-index", "--no-deps",
        "--config-settings", f"build={bin_folder.parent}", "-w", wheels, ROOT, cwd=folder,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    wheel, = wheels.glob("*.whl")
    static = all(is_static(bin_folder / name) for name in PROGRAMS)
    expect(("manylinux2014" in wheel.name and "musllinux" in wheel.name) if static else "-linux_" in wheel.name,
           wheel.name)
    with zipfile.ZipFile(wheel) as archive:
        fields = email.message_from_bytes(archive.read(next(n for n in archive.namelist() if n.endswith("/METADATA"))))
        expect({info.date_time[0] for info in archive.infolist()} == {1980} or "SOURCE_DATE_EPOCH" in os.environ)
    expect(wheel.name.startswith(f"opledger-{fields['Version']}-py3-none-"), wheel.name)
    run(sys.executable, "-m", "venv", "--without-pip", folder / "clean")
    pip = (sys.executable, "-m", "pip", "--python", folder / "clean/bin/python", "--disable-pip-version-check")
    run(*pip, "install", "--no-index", wheel)
    expect_it_works(folder / "clean/bin/opledger", folder)
    expect_it_imports(folder / "clean/bin/python", folder / "demo")
    hook_with_the_wheel(bin_folder, folder, wheel)
    run(*pip, "uninstall", "-y", "opledger")
    left = [path for path in (folder / "clean").rglob("*opledger*") if path.is_file()]
    expect(not left, left)


def hook_with_the_wheel(bin_folder, folder, wheel):
    """As ci/README.md says, pre-commit installs the wheel itself; here from a folder, not from an
    index."""
    places = [bin_folder.parent / "venv", ROOT / "build/venv"]
    place = next((place for place in places if (place / "bin/pre-commit").exists()), None)
    if place is None:
        print("SKIPPED: the hook with the wheel: pre-commit is missing; ci/setup installs it")
        return
    # pre-commit builds its own package of a local hook with setuptools, which virtualenv brings.
    for path in place.rglob("virtualenv/seed/wheels/embed/*.whl"):
        shutil.copy(path, wheel.parent)
    repository = folder / "repository"
    shutil.copytree(ROOT / "tests/demo", repository)
    version = wheel.name.split("-")[1]
    (repository / ".pre-commit-config.yaml").write_text(
        "repos:\n  - repo: local\n    hooks:\n      - id: opledger\n        name: opledger\n"
        "        entry: opledger check\n        language: python\n"
        f"        additional_dependencies: [opledger=={version}]\n"
        "        always_run: true\n        pass_filenames: false\n")
    environment = {"PATH": f"{place / 'bin'}:/usr/bin:/bin", "HOME": str(folder), "PIP_NO_INDEX": "1",
                   "PIP_FIND_LINKS": str(wheel.parent),
                   "PRE_COMMIT_HOME": str(folder / "pre-commit")}
    run("git", "init", "-q", ".", cwd=repository, env=environment)
    run("git", "add", ".", cwd=repository, env=environment)
    said = run("pre-commit", "run", "opledger", status=1, cwd=repository, env=environment)
    expect("'hard_swish' has no policy" in said, said)


def test_container(bin_folder, folder):
    """The image cannot be built here: hadolint checks it, its packages are those that ci/setup
    installs, and its build configuration is tested."""
    text = (ROOT / "ci/Containerfile").read_text()
    places = [bin_folder.parent / "venv/bin/hadolint", ROOT / "build/venv/bin/hadolint"]
    program = next((place for place in places if place.exists()), None)
    if program is None:
        print("SKIPPED: the check of ci/Containerfile: hadolint is missing; ci/setup installs it")
    else:
        run(program, "--no-color", ROOT / "ci/Containerfile")
    commands = text.replace("\\\n", " ")
    named = " ".join(re.findall(r"--no-install-recommends ([\w .+-]+?) +&&", commands)).split()
    known = set(re.findall(r"[\w.+-]+", re.search(r"needs=\((.*?)\n\)", (ROOT / "ci/setup").read_text(), re.DOTALL)[1]))
    expect(len(named) > 10 and set(named) <= known, set(named) - known)
    configure = re.search(r"(?m)^RUN (cmake --preset .*?) +&&", commands)[1].split()
    build = folder / "build"
    run(*[{"/source": ROOT, "/build": build}.get(word, word) for word in configure], cwd=folder)
    expect(re.search(r"(?m)^OPLEDGER_STATIC:\w+=ON$", (build / "CMakeCache.txt").read_text()))


if __name__ == "__main__":
    sys.exit(main(globals()))
