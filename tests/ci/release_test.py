#!/usr/bin/env python3
"""ci/release makes a folder of artifacts from a tag in a scratch clone, with the programs of this build, and ci/install
installs from it. A changed artifact is refused by both, and so is a checkout that is not the tag's."""
# SPDX-License-Identifier: Apache-2.0

import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/scan"))
import scanning  # noqa: E402
from scanning import Skip, expect, main  # noqa: E402

NEEDED = ("cmake", "ninja", "cpack", "dpkg-deb", "dpkg-shlibdeps", "git", "sha256sum")
PROGRAMS = ("opledger", "opledger-convert", "opledger-run", "opledger-scan", "opledger-scan-ast")
VERSION = (ROOT / "VERSION").read_text().strip()
TAG = f"v{VERSION}"
SOURCE = ("ci", "schemas", "VERSION", "README.md", "LICENSE", "pyproject.toml")  # what the source archive is made with
GIT = ("git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")


def run(*command, status=0, **options):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, **options)
    expect(done.returncode == status, *command, done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


def clone(folder, *only):
    """A repository of the files of this checkout (or of some of them), as they are, with a tag."""
    source = folder / "clone"
    listing = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *only, cwd=ROOT)
    for name in filter(None, listing.split("\0")):
        if (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, source / name)
    for command in (("init", "-q", "-b", "main"), ("add", "."), ("commit", "-qm", "Release"), ("tag", TAG)):
        run(*GIT, *command, cwd=source)
    return source


def make(source, bin_folder, out, *options):
    """Makes the release; the programs are built already."""
    return run(source / "ci/release", *options, "--programs", bin_folder, "--compression", "zstd", TAG, out, cwd=source,
               env={**os.environ, "GITHUB_TOKEN": "none"})


def install(source, out, to, *options, status=0, **variables):
    return run(source / "ci/install", "--version", VERSION, "--from", out, "--to", to, *options, status=status,
               env={**os.environ, **variables})


def expect_installed(said, folder):
    """The installed program checks the demo."""
    program = pathlib.Path(said.strip()) / "opledger"
    expect(VERSION in run(program, "--version"), program)
    demo = folder / "demo"
    shutil.rmtree(demo, ignore_errors=True)
    shutil.copytree(ROOT / "tests/demo", demo)
    said = run(program, "check", cwd=demo, status=1, env={"PATH": "/usr/bin:/bin", "HOME": str(folder)})
    expect("'hard_swish' has no policy" in said and said.count("error:") == 1, said)


def expect_complete(out):
    """The artifacts, and SHA256SUMS as sha256sum reads it. Returns name -> path."""
    found = {path.name: path for path in out.iterdir()}
    ends = sorted(name.replace(VERSION, "V") for name in found)
    expect(len(ends) == 5 and ends[0] == "SHA256SUMS" and ends[1].startswith("opledger-V-py3-none-") and
           ends[2:4] == ["opledger-V.tar.gz", "opledger-schemas-V.tar.gz"] and ends[4].startswith("opledger_V_"), ends)
    run("sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS", cwd=out)
    expect(len((out / "SHA256SUMS").read_text().splitlines()) == 4)
    with tarfile.open(found[f"opledger-{VERSION}.tar.gz"]) as archive:
        names = archive.getnames()
    stem = f"opledger-{VERSION}"
    tracked = {f"{stem}/{name}" for name in ("CMakeLists.txt", "VERSION", "PKG-INFO", "ci/release", "schemas/report.schema.json")}
    expect(tracked <= set(names) and all(name.startswith(stem) for name in names), names[:9])
    with tarfile.open(found[f"opledger-schemas-{VERSION}.tar.gz"]) as archive:
        schemas = {pathlib.PurePath(name).name for name in archive.getnames() if name.endswith(".json")}
    expect(schemas == {path.name for path in (ROOT / "schemas").glob("*.json")}, schemas)
    return found


def expect_refusals(source, out, folder, found):
    """What was changed after SHA256SUMS was written is neither installed nor published."""
    deb, = (path for name, path in found.items() if name.endswith(".deb"))
    digest = hashlib.sha256(deb.read_bytes()).hexdigest()
    install(source, out, folder / "by-digest", "--package", "deb", "--sha256", digest)
    sums = (out / "SHA256SUMS").read_text()
    for path in found.values():
        if path.suffix not in (".deb", ".whl"):
            continue
        package = "deb" if path.suffix == ".deb" else "wheel"
        with open(path, "r+b") as file:
            file.seek(1000)
            byte = file.read(1)
            file.seek(1000)
            file.write(bytes([byte[0] ^ 1]))
        said = install(source, out, folder / "refused", "--package", package, status=1)
        expect(f"{path.name} has the digest" in said and "nothing was installed" in said, said)
        said = run(source / "ci/release", "--publish", "--dry-run", TAG, out, status=1, cwd=source)
        expect(f"{path.name} is not the file that SHA256SUMS describes" in said, said)
        # With a matching SHA256SUMS, only a digest from elsewhere tells.
        changed = hashlib.sha256(path.read_bytes()).hexdigest()
        (out / "SHA256SUMS").write_text("".join(f"{changed if line.endswith(path.name) else line[:64]}{line[64:]}\n"
                                                for line in sums.splitlines()))
        said = install(source, out, folder / "refused", "--package", package, "--sha256", digest, status=1)
        expect("but --sha256 says" in said, said)
        (out / "SHA256SUMS").write_text(sums)
        expect(not (folder / "refused").exists(), "something was installed")


def test_from_a_tag_to_an_installation(bin_folder, folder):
    for program in NEEDED:
        if shutil.which(program) is None:
            raise Skip(f"{program} is missing")
    for program in PROGRAMS:
        if not (bin_folder / program).exists():
            raise Skip(f"{program} is not built")
    source, out = clone(folder), folder / "out"
    programs = folder / "programs"
    programs.mkdir()
    for program in PROGRAMS:
        # The largest program takes most of the time; nothing here runs it.
        built = "opledger-scan" if scanning.SAMPLE and program == "opledger-scan-ast" else program
        (programs / program).symlink_to(bin_folder / built)
    said = make(source, programs, out, "--dry-run")
    expect(f"would run: gh release create {TAG} --verify-tag" in said and "SHA256SUMS" in said, said)
    found = expect_complete(out)
    for package in ("deb", "wheel"):
        expect_installed(install(source, out, folder / package, "--package", package), folder)
    said = install(source, out, folder / "deb", status=1)
    expect("exists" in said, said)
    expect_refusals(source, out, folder, found)
    next(out.glob("*.whl")).unlink()
    said = run(source / "ci/release", "--publish", "--dry-run", TAG, out, status=1, cwd=source)
    expect(".whl is not the file that SHA256SUMS describes" in said, said)


def test_the_source_archive_is_reproducible(bin_folder, folder):
    del bin_folder
    source = clone(folder, *SOURCE)
    for name in ("first", "second"):
        run(source / "ci/release", "--make", "--only", "source", TAG, folder / name, cwd=source)
        time.sleep(1.1)
    first, second = ((folder / name / "SHA256SUMS").read_text() for name in ("first", "second"))
    expect(first == second and len(first.splitlines()) == 2, first, second)
    said = run(source / "ci/release", "--publish", "--dry-run", TAG, folder / "first", status=1, cwd=source)
    expect("has no file" in said and ".whl" in said, said)


def test_only_what_the_tag_names(bin_folder, folder):
    del bin_folder
    source, out = clone(folder, *SOURCE), folder / "out"

    def refused(tag):
        said = run(source / "ci/release", "--make", "--only", "source", tag, out, status=1, cwd=source)
        expect(not out.exists(), "a release was made")
        return said

    expect("has version" in refused("v99.0"))
    (source / "LICENSE").write_text("Free of charge\n")
    expect("the checkout has changes" in refused(TAG))
    run(*GIT, "commit", "-qam", "Change the license", cwd=source)
    expect("HEAD is not the commit" in refused(TAG))
    run(*GIT, "tag", "-d", TAG, cwd=source)
    expect("refs/tags" in refused(TAG))


def test_hostile_arguments_of_the_installer(bin_folder, folder):
    del bin_folder
    (folder / "SHA256SUMS").write_text("")
    for version in ("../1", "1;touch pwned", "$(touch pwned)", "-1", "1.2\n1.2", ""):
        said = run(ROOT / "ci/install", "--version", version, "--from", folder, "--to", folder / "x", status=2, cwd=folder)
        expect("is not a version" in said, said)
    for given in (("--sha256", "0"), ("--package", "rpm"), ("--to",), ("--unknown", "x")):
        run(ROOT / "ci/install", "--version", "1.2", "--from", folder, "--to", folder / "x", *given, status=2, cwd=folder)
    said = run(ROOT / "ci/install", "--version", "1.2", "--from", folder, "--to", folder / "x", status=1, cwd=folder)
    expect("does not list one" in said, said)
    expect(sorted(path.name for path in folder.iterdir()) == ["SHA256SUMS"], list(folder.iterdir()))


if __name__ == "__main__":
    sys.exit(main(globals()))
