#!/usr/bin/env python3
"""Building for aarch64 elsewhere: the toolchain file configures a build with Debian's libraries for arm64, the files that
depend on the processor compile, and ci/emulated starts such programs, also those that they start."""
# SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/scan"))
from scanning import Skip, expect, main  # noqa: E402

COMPILER = "aarch64-linux-gnu-g++"
SYSROOT = pathlib.Path(os.environ.get("OPLEDGER_SYSROOT", ROOT / "build-aarch64/sysroot"))
# With what each processor has of its own.
FILES = ("conversion/model/half/vector_instructions.cpp", "kernels/arithmetic/loops/loops_avx512.cpp",
         "registry/platform/system_calls.cpp")
STARTS_ITSELF = """#include <stdio.h>
#include <unistd.h>
int main(int count, char** words) {
  if (count == 2) return puts(words[1]) < 0;
  execl("/proc/self/exe", words[0], "again", (char*)0);
  return 1;
}
"""


def run(*command, status=0, **options):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, **options)
    expect(done.returncode == status, *command, done.stdout, done.stderr)
    return done.stdout


def require(sysroot=False):
    if shutil.which(COMPILER) is None:
        raise Skip(f"{COMPILER} is missing; ci/setup --packages installs it")
    if sysroot and not (SYSROOT / "packages.txt").exists():
        raise Skip(f"{SYSROOT} is missing: `ci/cross --sysroot {SYSROOT}` makes it, which needs network")


def test_programs_start_under_qemu(bin_folder, folder):
    del bin_folder
    require()
    if shutil.which("qemu-aarch64-static") is None:
        raise Skip("qemu-aarch64-static is missing; ci/setup --packages installs it")
    source = folder / "starts_itself.c"
    source.write_text(STARTS_ITSELF)
    run(COMPILER, "-x", "c", "-static", source, "-o", folder / "program")
    if subprocess.run([ROOT / "ci/emulated", "true"], check=False, capture_output=True).returncode:
        raise Skip("this system lets nobody mount binfmt_misc in a namespace: Linux 6.7 or binfmt-support")
    expect(run(ROOT / "ci/emulated", folder / "program") == "again\n", "the program does not start itself")


def test_configures(bin_folder, folder):
    del bin_folder
    require(sysroot=True)
    said = run("cmake", "--preset", "release", "-B", folder / "build", "-DBUILD_TESTING=OFF", "-DOPLEDGER_SCANNER=ON",
               f"-DCMAKE_TOOLCHAIN_FILE={ROOT}/ci/aarch64.cmake", f"-DOPLEDGER_SYSROOT={SYSROOT}",
               "-DOPLEDGER_ONEDNN=OFF", "-DOPLEDGER_CUDA=OFF", cwd=ROOT)
    expect("scanner: on (LLVM 19" in said, said)
    cache = (folder / "build/CMakeCache.txt").read_text()
    for library in ("LIBMD", "LIBRE2"):
        expect(f"{SYSROOT}/usr/lib/aarch64-linux-gnu/" in re.search(rf"(?m)^OPLEDGER_{library}:.*$", cache)[0], cache)
    said = run("cmake", "-B", folder / "other", "-S", ROOT, f"-DCMAKE_TOOLCHAIN_FILE={ROOT}/ci/aarch64.cmake",
               "-DOPLEDGER_SYSROOT=/nowhere", status=1)


def test_files_of_processors_compile(bin_folder, folder):
    del bin_folder, folder
    require(sysroot=True)
    for file in FILES:
        run(COMPILER, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}",
            "-isystem", SYSROOT / "usr/include", ROOT / file)


if __name__ == "__main__":
    sys.exit(main(globals()))
