#!/usr/bin/env python3
"""A file that cannot be read is reported and never cached: the next healthy scan is right.

    tests/scan/read_error_test.py --bin build/bin
"""
# SPDX-License-Identifier: Apache-2.0

import os
import shlex
import shutil
import sys

from scanning import Skip, Tree, expect, main, registering


def failing_reads(program, of, folder):
    """Writes a program that runs `of`, but in which every read of the file fails."""
    strace = shutil.which("strace")
    if strace is None:
        raise Skip("strace is not installed, which makes reads fail")
    wrapper = folder / "failing"
    words = [strace, "-f", "-qq", "-o", "/dev/null", "-P", of, "-e", "trace=read", "-e",
             "inject=read:error=EIO", program]
    wrapper.write_text(f'#!/bin/sh\nexec {shlex.join(map(str, words))} "$@"\n')
    os.chmod(wrapper, 0o755)
    return wrapper


def test_reported_and_not_cached(bin_folder, folder):
    tree = Tree(folder / "tree", registering(4))
    tree.write({"src/broken.cc": "REGISTER_OP(broken);\n"})
    broken = tree.folder / "src/broken.cc"
    failed = tree.scan(failing_reads(bin_folder / "opledger-scan", broken, folder))
    expect(failed.status == 3, failed.status, failed.stderr)
    expect("src/broken.cc: warning: cannot be read: Input/output error" in failed.stderr, failed.stderr)
    expect(failed.names == ["op_00", "op_01", "op_02", "op_03"], failed.names)
    healthy = tree.scan(bin_folder / "opledger-scan")
    expect(healthy.status == 0, healthy.status, healthy.stderr)
    expect("broken" in healthy.names, healthy.names)


if __name__ == "__main__":
    sys.exit(main(globals()))
