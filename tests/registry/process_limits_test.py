#!/usr/bin/env python3
"""Runs each program under each limit that a shell sets (`ulimit -n`, -s, -v, -f): it succeeds as
without the limit, or ends with status 2 or 3 and a reason, naming the limit if that is the cause.
It is never killed by a signal, and leaves no partial file.

    tests/registry/process_limits_test.py --bin build/bin [--all]
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from make_onnx import model_bytes  # noqa: E402

MODEL = {"opset": 17, "inputs": {"x": ["float32", [2, 4]]}, "outputs": {"y": ["float32", [2, 4]]},
         "initializers": {"w": ["float32", [4, 4], [0.5] * 16]},
         "nodes": [["MatMul", ["x", "w"], ["h"]], ["Exp", ["h"], ["y"]]]}
VERBS = {"scan": ["scan", "-o", "out.json", "--no-cache"], "check": ["check", "--output-format", "json=out.json"],
         "against": ["check", "--against", "HEAD"], "doctor": ["config", "doctor"],
         "atlas": ["docs", "--atlas", "-o", "out.html"], "convert": ["convert", "m.onnx", "-o", "out.onnx"],
         "inspect": ["inspect", "m.onnx"], "run": ["run", "m.onnx", "--input", "x=random", "-o", "out"],
         "compare": ["compare", "m.onnx", "--autocast", "float16"]}
KIB, MIB = 1 << 10, 1 << 20
LOADER = "error while loading shared libraries"  # which reports the cause itself


class Programs:
    def __init__(self, programs, folder):
        self.opledger, self.folder, self.problems = programs / "opledger", folder, []
        self.environment = {**os.environ, "HOME": str(folder), "OPLEDGER_CACHE_DIR": str(folder / "cache"),
                            "OMP_NUM_THREADS": "2"}
        self.project = folder / "project"
        (self.project / "src").mkdir(parents=True)
        files = {"dialect.json": '{"name": "demo", "sinks": [{"macro": "R"}], "sources": ["src/**"]}',
                 "opledger.json": '{"dialect": "dialect.json", "lists": ["list.json"]}',
                 "list.json": '{"framework": "demo", "target_dtype": "float16", "fp32": ["a"]}',
                 "src/a.cc": "R(a);\n"}
        for name, text in files.items():
            (self.project / name).write_text(text)
        (self.project / "m.onnx").write_bytes(model_bytes(MODEL))
        user = ("-c", "user.name=a", "-c", "user.email=a@b")
        for words in (("init", "-q"), ("add", "."), (*user, "commit", "-qm", "all")):
            subprocess.run(["git", *words], cwd=self.project, check=True)
        self.before = self.files()
        self.healthy = {verb: self.run(verb) for verb in VERBS}

    def files(self):
        return sorted(str(path.relative_to(self.project)) for path in self.project.rglob("*")
                      if ".git" not in path.parts)

    def run(self, verb, *limits):
        """Returns exit status, standard output, standard error; removes written files."""
        def limit():
            for kind, soft, hard in limits:
                resource.setrlimit(kind, (soft, hard))
        done = subprocess.run([self.opledger, *VERBS[verb]], cwd=self.project, env=self.environment, timeout=120,
                              capture_output=True, text=True, check=False, preexec_fn=limit)
        written = [name for name in self.files() if name not in self.before]
        for name in sorted(written, reverse=True):
            path = self.project / name
            path.rmdir() if path.is_dir() else path.unlink()
        return done.returncode, done.stdout, done.stderr, written

    def expect(self, verb, where, remedy, *limits):
        """Returns whether the verb succeeded."""
        status, out, error, written = self.run(verb, *limits)
        where = f"{verb} with {where}"
        if (status, out, written) == (self.healthy[verb][0], self.healthy[verb][1], self.healthy[verb][3]):
            return True
        if status == 127 and LOADER in error:
            return False
        # about a file that was not read
        said = "error" in error or (status == 3 and "warning" in error)
        if status not in (2, 3) or not said:
            self.problems.append(f"{where}: ends with {status}: {error[:300]!r}")
        elif remedy and remedy not in error:
            self.problems.append(f"{where}: does not say '{remedy}': {error[:300]!r}")
        if any("tmp" in name for name in written):
            self.problems.append(f"{where}: left {written}")
        return False

    def check_descriptors(self, verb, remedy):
        for count in (*range(4, 24), 32):
            self.expect(verb, f"ulimit -n {count}", remedy if count == 4 else "",
                        (resource.RLIMIT_NOFILE, count, count))

    def check_stack(self, verb):
        self.expect(verb, "ulimit -s 64", "ulimit -s", (resource.RLIMIT_STACK, 64 * KIB, 64 * KIB))
        if not self.expect(verb, "ulimit -Ss 64", "", (resource.RLIMIT_STACK, 64 * KIB, resource.RLIM_INFINITY)):
            self.problems.append(f"{verb}: does not raise its stack limit")
        self.expect(verb, "ulimit -s 1024", "", (resource.RLIMIT_STACK, MIB, MIB))

    def check_memory(self, verb, every):
        # If the limit is less than a program's own size, the kernel kills it at the start.
        sizes = [each * MIB for each in (12, 14, 16, 20, 24, 32, 40, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320,
                                         384, 448, 512, 640, 768, 1024, 1536, 2048)]
        for size in sizes if every else sizes[::3]:
            self.expect(verb, f"ulimit -v {size // KIB}", "", (resource.RLIMIT_AS, size, size))

    def check_file_size(self, verb, writes):
        remedy = "ulimit -f" if writes else ""
        self.expect(verb, "ulimit -f 0", remedy, (resource.RLIMIT_FSIZE, 0, 0))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--all", action="store_true", help="every size of memory")
    parser.add_argument("--verb", choices=VERBS)
    arguments = parser.parse_args()
    programs = arguments.bin.resolve()
    if not (programs / "opledger-scan").exists():
        print("SKIPPED: there is no opledger-scan")
        return 77
    with tempfile.TemporaryDirectory() as name:
        tests = Programs(programs, pathlib.Path(name))
        for verb in [arguments.verb] if arguments.verb else VERBS:
            tests.check_descriptors(verb, "ulimit -n" if verb in ("convert", "inspect", "run", "compare") else "")
            tests.check_stack(verb)
            tests.check_memory(verb, arguments.all)
            tests.check_file_size(verb, verb == "convert")
    for problem in tests.problems:
        print(problem)
    return 1 if tests.problems else 0


if __name__ == "__main__":
    sys.exit(main())
