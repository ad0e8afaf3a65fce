#!/usr/bin/env python3
"""A file that cannot be read is reported and never cached: the next healthy scan is right.

    tests/scan/read_error_test.py --bin build/bin
"""
# SPDX-License-Identifier: Apache-2.0

import errno
import sys

from scanning import Skip, Tree, expect, main, registering


def require_failing_reads():
    try:
        with open("/proc/self/mem", "rb") as memory:
            memory.read(1)
    except OSError as error:
        if error.errno == errno.EIO:
            return
    raise Skip("reading the begin of /proc/self/mem is no I/O error here")


def test_reported_and_not_cached(bin_folder, folder):
    require_failing_reads()
    tree = Tree(folder / "tree", registering(4))
    broken = tree.folder / "src/broken.cc"
    broken.symlink_to("/proc/self/mem")  # a regular file, and reading its begin is an I/O error
    failed = tree.scan(bin_folder / "opledger-scan")
    expect(failed.status == 3, failed.status, failed.stderr)
    expect("src/broken.cc: warning: cannot be read: Input/output error" in failed.stderr, failed.stderr)
    expect(failed.names == ["op_00", "op_01", "op_02", "op_03"], failed.names)
    broken.unlink()
    tree.write({"src/broken.cc": "REGISTER_OP(broken);\n"})
    healthy = tree.scan(bin_folder / "opledger-scan")
    expect(healthy.status == 0, healthy.status, healthy.stderr)
    expect("broken" in healthy.names, healthy.names)


if __name__ == "__main__":
    sys.exit(main(globals()))
