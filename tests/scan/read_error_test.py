#!/usr/bin/env python3
"""A file that cannot be read is reported and never cached: the next healthy scan is right.

    tests/scan/read_error_test.py --bin build/bin
"""
# SPDX-License-Identifier: Apache-2.0

import os
import shutil
import subprocess
import sys

from scanning import Skip, Tree, expect, main, registering

# Every read of the file fails as that of a broken disk.
PRELOADED = r"""
#define _GNU_SOURCE
#include <errno.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>
ssize_t read(int file, void* bytes, size_t size) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length > 0) {
    path[length] = 0;
    if (strstr(path, "/src/broken.cc")) { errno = EIO; return -1; }
  }
  static ssize_t (*next)(int, void*, size_t);
  if (!next) next = (ssize_t(*)(int, void*, size_t))dlsym(RTLD_NEXT, "read");
  return next(file, bytes, size);
}
"""


def test_reported_and_not_cached(bin_folder, folder):
    compiler = shutil.which("gcc") or shutil.which("g++")
    if compiler is None:
        raise Skip("no C compiler")
    source, library = folder / "read.c", folder / "read.so"
    source.write_text(PRELOADED)
    subprocess.run([compiler, "-x", "c", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    tree = Tree(folder / "tree", {**registering(4), "src/broken.cc": "REGISTER_OP(broken);\n"})
    scanner = bin_folder / "opledger-scan"
    environment = tree.environment()
    environment["LD_PRELOAD"] = str(library)
    environment["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
    done = subprocess.run(tree.command(scanner), env=environment, capture_output=True, text=True,
                          check=False)
    expect(done.returncode == 3, done.returncode, done.stderr)
    expect("src/broken.cc: warning: cannot be read: Input/output error" in done.stderr, done.stderr)
    healthy = tree.scan(scanner)
    expect(healthy.status == 0, healthy.status, healthy.stderr)
    expect("broken" in healthy.names, healthy.names)


if __name__ == "__main__":
    sys.exit(main(globals()))
