#!/usr/bin/env python3
"""The packages on a machine that has never seen opledger, a fresh Debian 12: they install without network, README.md's
first three tasks print what it says, and nothing is left after removal (ci/scratch). OPLEDGER_SCRATCH_SYSTEM names
another system; Debian 13 works, too."""
# SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/scan"), str(ROOT / "ci")]
import opledger_wheel  # noqa: E402
from scanning import Skip, expect, main  # noqa: E402

SYSTEM = pathlib.Path(os.environ.get("OPLEDGER_SCRATCH_SYSTEM", ROOT / "build/debian-12"))


def require_system():
    if os.geteuid() != 0:
        raise Skip("only root may change into another system")
    if not (SYSTEM / "usr/bin/git").exists():
        raise Skip(f"{SYSTEM} is missing: `ci/scratch system {SYSTEM}` makes it, which needs debootstrap and network")


def expect_tasks(package):
    done = subprocess.run([ROOT / "ci/scratch", "try", SYSTEM, package], capture_output=True, text=True, check=False)
    expect(done.returncode == 0 and done.stdout.endswith("commands: as README.md says\n"), done.stdout, done.stderr)


def test_wheel(bin_folder, folder):
    require_system()
    expect_tasks(folder / opledger_wheel.pack(bin_folder.parent, folder))


def test_debian_package(bin_folder, folder):
    require_system()
    if opledger_wheel.needs_libraries(bin_folder / "opledger-run"):
        raise Skip("this build's opledger-run needs packages that the system lacks; ci/package builds without them")
    subprocess.run([ROOT / "ci/package", bin_folder.parent, folder], check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "COMPRESSION": "gzip"})
    package, = folder.glob("*.deb")
    expect_tasks(package)


def test_source(bin_folder, folder):
    """As ci/demo builds it, which takes a quarter of an hour and network."""
    del bin_folder, folder
    require_system()
    if os.environ.get("OPLEDGER_SCRATCH_SOURCE") != "1":
        raise Skip("a build from source is only tried with OPLEDGER_SCRATCH_SOURCE=1")
    done = subprocess.run([ROOT / "ci/scratch", "source", SYSTEM], capture_output=True, text=True, check=False)
    expect(done.returncode == 0 and done.stdout.endswith("commands: as README.md says\n"), done.stdout, done.stderr)


def test_a_difference_is_found(bin_folder, folder):
    """A package without what the tasks need fails."""
    del bin_folder
    require_system()
    root = folder / "package"
    (root / "DEBIAN").mkdir(parents=True)
    (root / "DEBIAN/control").write_text("Package: opledger\nVersion: 0\nArchitecture: all\nMaintainer: a <a@b>\n"
                                         "Description: empty\n")
    (root / "usr/bin").mkdir(parents=True)
    (root / "usr/bin/opledger").write_text("#!/bin/sh\necho nothing\n")
    (root / "usr/bin/opledger").chmod(0o755)
    subprocess.run(["dpkg-deb", "--root-owner-group", "-b", root, folder / "empty.deb"], check=True,
                   stdout=subprocess.DEVNULL)
    done = subprocess.run([ROOT / "ci/scratch", "try", SYSTEM, folder / "empty.deb"], capture_output=True, text=True,
                          check=False)
    expect(done.returncode == 1 and "printed:\nnothing" in done.stdout, done.stdout, done.stderr)


if __name__ == "__main__":
    sys.exit(main(globals()))
