"""Runs opledger-scan on small source trees of a test, and reads the results.

    def test_something(bin_folder, folder):
        tree = Tree(folder, {"src/a.cc": "REGISTER_OP(a);"})
        result = tree.scan(bin_folder / "opledger-scan")

A test program ends with `sys.exit(main(globals()))`: every function test_* runs in its own scratch
folder; nothing is printed if all pass.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import dataclasses
import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import traceback

DIALECT = {
    "name": "hostile",
    "sources": ["src/**"],
    "extensions": [".cc"],
    "include_directories": ["include"],
    "sinks": [{"macro": "REGISTER_OP"}],
    "chain": [{"method": "add_alias", "field": "alias"}, {"method": "doc", "field": "doc"}],
    "suspicious": {"containing": "REGISTER"},
}
SKIPPED = 77
SAMPLE = False  # --sample


class Skip(Exception):
    pass


@functools.cache
def sanitized(program):
    """Returns whether it was built with AddressSanitizer, which needs much address space, so that
    there are no memory limits."""
    return b"__asan_init" in pathlib.Path(program).read_bytes()


@functools.cache  # prints it once
def skip_part(what):
    print(f"SKIPPED {what}: built with AddressSanitizer, so memory is not limited")


@dataclasses.dataclass
class Result:
    status: int
    stderr: str
    text: str  # of the manifest; "" if none was written
    seconds: float  # CPU time of all its processes, independent of other work on the machine
    megabytes: float  # peak of the largest process

    @property
    def manifest(self):
        return json.loads(self.text)

    @property
    def names(self):
        return [op["name"] for op in self.manifest["operators"]]

    @property
    def incomplete(self):
        """Returns path -> details."""
        found = {}
        for entry in self.manifest["incomplete"]:
            found.setdefault(entry["path"], []).append(entry["detail"])
        return found

    @property
    def operator_lines(self):
        """Returns the text of the manifest's operators."""
        begin, end = self.text.index(' "operators": ['), self.text.index(' "dynamic": [')
        return self.text[begin:end]


class Tree:
    def __init__(self, folder, files):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.write({"dialect.json": json.dumps(DIALECT), "include/empty.h": "", **files})

    def write(self, files):
        for name, content in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
            # Old enough that the scanner trusts the time.
            os.utime(path, ns=(time.time_ns() - 10**10,) * 2)

    def command(self, program, *arguments, output="operators.json"):
        return [program, "-C", self.folder, "--config", "none", "--dialect", "./dialect.json",
                "-o", output, *arguments]

    def environment(self, cache=None, fault=""):
        own = {"OPLEDGER_FAULT": fault, "HOME": str(self.folder.parent),
               "OPLEDGER_CACHE_DIR": str(cache or self.folder.parent / "cache")}
        if fault:  # AddressSanitizer should not report an intended crash
            own["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":handle_segv=0"
        return {**os.environ, **own}

    def start(self, program, *arguments, cache=None, fault="", output="operators.json", **options):
        return subprocess.Popen(self.command(program, *arguments, output=output), stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env=self.environment(cache, fault), **options)

    def scan(self, program, *arguments, cache=None, fault="", may_crash=False):
        output = self.folder / "operators.json"
        output.unlink(missing_ok=True)
        log = self.folder.parent / "stderr"
        with open(log, "wb") as stderr:
            process = subprocess.Popen(self.command(program, *arguments), stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=stderr,
                                       env=self.environment(cache, fault))
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = usage.ru_utime + usage.ru_stime
        text = output.read_text() if output.exists() else ""
        said = log.read_text(errors="replace")
        expect(may_crash or not re.search("Sanitizer: |: runtime error: ", said), said[:4000])
        return Result(process.returncode, said, text, seconds, usage.ru_maxrss / 1024)


def registering(count, first=0):
    """Returns ordinary units: path -> text."""
    return {f"src/unit_{i:02}.cc": f'REGISTER_OP(op_{i:02}).add_alias("alias_{i:02}")\n'
                                   f'    .doc("what it does");\n' for i in range(first, first + count)}


def processes_of(folder):
    """Returns ids of processes whose command line contains the folder."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            if str(folder).encode() in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
        except OSError:
            pass
    return found


def expect(condition, *context):
    if not condition:
        raise AssertionError(" ".join(map(str, context)) or "not as expected")


def main(names):
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of the programs")
    parser.add_argument("--sample", action="store_true", help="run each case in only one of the modes")
    parser.add_argument("tests", nargs="*", help="run only tests of these names")
    options = parser.parse_args()
    global SAMPLE  # pylint: disable=global-statement
    SAMPLE = options.sample
    tests = {name: test for name, test in names.items() if name.startswith("test_")}
    failed, skipped = 0, 0
    for name, test in tests.items():
        if options.tests and name not in options.tests:
            continue
        with tempfile.TemporaryDirectory(prefix="opledger-scan-") as folder:
            try:
                test(options.bin.resolve(), pathlib.Path(folder).resolve())
            except Skip as reason:
                skipped += 1
                print(f"SKIPPED {name}: {reason}")
            except Exception:
                failed += 1
                print(f"FAILED {name}\n{traceback.format_exc()}")
    if failed:
        return 1
    return SKIPPED if skipped == len(options.tests or tests) else 0
