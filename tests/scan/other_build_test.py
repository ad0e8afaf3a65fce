#!/usr/bin/env python3
"""Files of another build are not used: its cache is a miss, and its facts, outlines and indexes are
refused. The other build is this one with another identity, patched into a copy of the programs."""
# SPDX-License-Identifier: Apache-2.0

import re
import shutil
import subprocess
import sys

from scanning import Tree, expect, main, registering


def identity(program, tree):
    """Returns the identity in the header of a facts file."""
    subprocess.run(tree.command(program, "--no-cache", "--shard", "1/1", output="of.facts"), check=True,
                   env=tree.environment(), stderr=subprocess.DEVNULL)
    return re.search(rb'"tool":\s*"opledger-scan [^"]*, build ([0-9a-f]{16})"', (tree.folder / "of.facts").read_bytes())[1]


def other_build(bin_folder, folder, tree):
    """Writes a folder of the same programs with the identity of another build."""
    shutil.copytree(bin_folder.parent / "share", folder / "share")
    programs = folder / "bin"
    programs.mkdir()
    own = identity(bin_folder / "opledger-scan", tree)
    for name in ("opledger-scan", "opledger-scan-ast"):
        content = (bin_folder / name).read_bytes()
        changed = content.replace(own, own[::-1])
        expect(name != "opledger-scan" or changed != content, "the program does not hold its identity")
        (programs / name).write_bytes(changed)
        (programs / name).chmod(0o755)
    expect(identity(programs / "opledger-scan", tree) == own[::-1])
    return programs


def work(result):
    """Returns (files read, units preprocessed, whether the last scan was reused)."""
    found = re.search(r"\((\d+) of \d+ files read\).*\((\d+) of \d+ units preprocessed", result.stderr)
    return int(found[1]), int(found[2]), "from the last scan" in result.stderr


def test_cache_of_another_build(bin_folder, folder):
    tree = Tree(folder / "tree", registering(3))
    other = other_build(bin_folder, folder / "other", tree)
    own, theirs = bin_folder / "opledger-scan", other / "opledger-scan"
    first = tree.scan(own, "--timing")
    expect(work(first)[0] >= 3 and work(first)[1] == 3, first.stderr)
    again = tree.scan(own, "--timing")
    expect(work(again)[:2] == (0, 0), again.stderr)
    expect(again.text == first.text)
    their_first = tree.scan(theirs, "--timing")
    expect(work(their_first)[:2] == work(first)[:2] and not work(their_first)[2], their_first.stderr)
    expect(their_first.text == first.text)
    # Both builds can share a cache.
    for program in (own, theirs):
        expect(work(tree.scan(program, "--timing"))[:2] == (0, 0))
    tree.write({"src/unit_01.cc": "REGISTER_OP(changed)\n"})
    for program in (own, theirs):
        changed = tree.scan(program, "--timing")
        expect(work(changed)[1] == 1 and "changed" in changed.names, changed.stderr)


def test_files_of_another_build(bin_folder, folder):
    tree = Tree(folder / "tree", registering(2))
    other = other_build(bin_folder, folder / "other", tree)
    own, theirs = bin_folder / "opledger-scan", other / "opledger-scan"
    unit = "src/unit_00.cc"
    steps = {
        "outlines": ["--outline", unit, "src/unit_01.cc", "-o", "outlines"],
        "index": ["--index", "outlines", "-o", "index", "--tree", "tree.facts"],
        "facts": ["--facts", unit, "--index", "index", "-o", "unit.facts"],
        "merge": ["--merge", "of.facts", "-o", "merged.json"],
    }

    def step(program, name):
        return subprocess.run([program, *steps[name], "--config", "none", "--dialect", "./dialect.json"],
                              cwd=tree.folder, env=tree.environment(), capture_output=True, text=True, check=False,
                              timeout=60)

    for name in ("outlines", "index", "facts"):
        done = step(own, name)
        expect(done.returncode == 0, name, done.stderr)
    for name, file in (("index", "outlines"), ("facts", "index")):
        done = step(theirs, name)
        expect(done.returncode in (2, 3) and f"{file}: error: is damaged, " in done.stderr and
               "of another program" in done.stderr, name, done.returncode, done.stderr)
    done = step(theirs, "merge")
    expect(done.returncode == 0, done.stderr)  # they were the last to write it
    done = step(own, "merge")
    expect(done.returncode == 3 and "was written by opledger-scan" in done.stderr and "hint: run" in done.stderr,
           done.returncode, done.stderr)


if __name__ == "__main__":
    sys.exit(main(globals()))
