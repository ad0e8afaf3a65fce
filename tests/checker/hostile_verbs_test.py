#!/usr/bin/env python3
"""Puts hostile names into every file that a verb reads and into its arguments.
No format of any verb may print a control character, bidirectional text or a workflow command, and
all output is well formed. Verbs, actions and formats come from --help; one without a case here is a
failure.

    tests/checker/hostile_verbs_test.py --bin build/bin [--verb check]
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import html.parser
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unicodedata
import xml.etree.ElementTree
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from make_onnx import model_bytes, text  # noqa: E402

SEEN = b"pwned"  # part of every name: output that shows the name contains this
NAMES = {
    "lines": b"a\n::error::pwned\r##[error]b%0A::error::c",
    "begins": b"::error file=a,line=1::pwned%0D%0Ab",
    "terminal": b"\x1b[31mpwned\x1b]8;;http://x\x1b\\\xc2\x9b31m\x7f\x07",
    "turned": "\u202epwned\u2066b\u2028c\u2029d\ufffee\uffff\ufefff\u200e".encode(),
    "unseen": ("pwned\u00ada\u034fb\u115f\u17b4c\u180bd\u180f\u2060e\u3164f\ufe0fg\uffa0h\ufff0"
               "\U0001bca0i\U0001d173j\U000e0001\U000e0061\U000e0100\U000e0fff").encode(),
    "markup": b"</script><script>pwned</script>]]>&\"'<svg onload=x>|`{0}${HOME}--><!--",
    "not-utf8": b"\xff\xc3(pwned\xed\xa0\x80\xf4\x90\x80\x80",
}
# Default_Ignorable_Code_Point except for the categories that text_problem() covers.
UNSEEN = re.compile("[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2060-\u206f\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8"
                    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]")
FLOATS = struct.pack("<4f", 1, 2, 3, 4)

# Verb -> its commands; {n} is the name, {f} the name as a file name. Commands that begin with "?"
# need not show the name, since it does not appear in their output. FORMAT stands for each format.
CHECKED = "--operators ops.json --list list.json"
COMMANDS = {
    "check": [f"check {CHECKED} --output-format FORMAT", "check --operators ops.json --output-format FORMAT",
              "check --output-format FORMAT", "check", "check --no-cache --output-format json=out.json",
              "?check --operators ops.json --list {f}.json", "check --staged", "check --against HEAD", "?check --fix --diff", "?check --list list.json --fix --diff",
              "check {n}", "check --select {n}", "check --severity {n}=off", "check --against {n}", "check --policy-from {n}",
              "check --configuration {n}", "check --dialect {n}", "check --config {n}", "check --{n}", "check -p {n}",
              "check -D {n}", "?check -D {n}=1", "check --list bad_list.json", "check --list bad_reason.json",
              "check --config bad_project.json", "check --dialect ./bad_dialect.json", "check --operators bad_ops.json",
              f"check {CHECKED} --baseline bad_baseline.json", f"check {CHECKED} --evidence evidence.json",
              f"check {CHECKED} --evidence bad_evidence.json", "?check --statistics", "check --output-format {n}",
              "check --output-format text={n}/{n}", "check --config ignoring.json", "check --list condition.json"],
    "baseline": ["?baseline write --add", "?baseline show", "?baseline prune", "baseline show {n}",
                 "baseline {n}", f"baseline show {CHECKED} --baseline baseline.json",
                 f"baseline prune {CHECKED} --baseline baseline.json"],
    "diff": ["?diff HEAD --format FORMAT", "diff old_ops.json ops.json --format FORMAT", "?diff HEAD --list list.json --format FORMAT", "diff {n}", "?diff HEAD {n}",
             "diff old_ops.json ops.json --format markdown --source-url http://{n}/{path}#{line}"],
    "scan": ["scan", "scan -o out.json", "scan src", "scan {n}", "scan --explain {f}.cc", "scan --explain src/later.cc", "scan --verify names.json", "scan --verify {f}.names",
             "?scan --statistics", "scan --dialect {n}", "scan --configuration {n}", "?scan -D {n}", "scan -C {n}",
             "scan --shard {n}", "scan --shard 1/1", "?scan --detect-dialect", "scan --dialect ./bad_dialect.json",
             "scan --among {n} --verify names.json", "scan -p {n}", "scan -p build", "?scan --timing"],
    "merge": ["merge of.facts", "merge {n}", "?merge bad.facts", "merge of.facts --configuration {n}", "?merge forged.facts"],
    "classify": ["classify {n} --as fp32", "classify {n} --as fp32 --operators ops.json --note {n}",
                 "classify new{n} --as target --unchecked --list list.json --note {n}", "?classify --like {n} exp",
                 "classify exp --as {n}", "?classify --from report.json --as fp32", "?classify exp --as fp32 --list {n}",
                 "?classify --from bad_ops.json --as fp32",
                 "classify exp{n} --as conditional --attribute {n} --values {n} --then fp32 --unchecked"],
    "explain": ["explain {n}", "explain {n} --operators ops.json", "?explain", "explain {f}", "?explain exp"],
    "init": ["-C empty init --dialect {n}", "?-C empty init", "-C other init --dialect ./bad_dialect.json", "init -C {n}"],
    "docs": ["docs --operators ops.json --format FORMAT", "docs --operators ops.json --list list.json --format FORMAT", "docs --format FORMAT", "?docs -o out.html", "docs -o {n}/{n}",
             "docs --check -o {f}.md", "docs --revision {n}", "docs --source-url http://{n}/{path}", "?docs --atlas",
             "docs --atlas --evidence bad_evidence.json"],
    "import": ["import lists.py", "import lists.cc --dialect onnx --target-dtype float16", "import {n}", "?import lists.py --map {n}=fp32",
               "import lists.py --map X={n}", "?import bad.py", "import lists.py --device {n} --configuration {n}",
               "import classified.json", "import bad_ops.json", "import {f}.py --dialect {n}"],
    "lists": ["?lists sync", "?-C kept lists sync", "?-C kept lists sync --check", "-C kept lists sync --list {n}", "?-C kept lists sync --revision {n}",
              "?-C kept lists sync --output {f}", "-C kept lists sync --dialect {n}"],
    "convert": ["convert {f}.onnx -o out.onnx --sidecar out.sidecar --report out.json --report out.html",
                "convert m.onnx --dry-run --explain {n} --list {f}.list.json", "convert m.onnx --dry-run --explain absent{n}",
                "convert net-symbol.json --params net.params -o net16 --report out.json --report out.html",
                "convert net-symbol.json --params net.npz --dry-run", "convert {n} -o out.onnx", "convert m.onnx --dry-run --exclude ({n}",
                "convert m.onnx --dry-run --list bad_list.json", "convert m.onnx --dry-run --target-ops {n}",
                "convert m.onnx --dry-run --profile {n}", "convert m.onnx --dry-run --profile bad_ops.json",
                "convert broken.onnx --dry-run", "convert bad-symbol.json --params net.params --dry-run",
                "convert external.onnx --dry-run", "convert m.onnx --dry-run --keep-io {n} --io-types low",
                "convert m.onnx --dry-run --input-shape {n}=1 --cost bytes", "convert m.onnx -o {n}/{n}",
                "convert {f}.onnx -o out.onnx --verify", "convert {f}-symbol.json --params {f}.params -o {f}16",
                "convert {f}.onnx -o {f}16.onnx --sidecar {f}.sidecar --report {f}.html", "convert net-symbol.json --params bad.params --dry-run",
                "convert functions.onnx -o out.onnx --inline-functions --report out.json", "convert --{n}",
                "convert net-symbol.json --params net.params --dry-run --input-dtype {n}=float32"],
    "inspect": ["inspect {f}.onnx --format FORMAT", "inspect {f}-symbol.json --format FORMAT", "inspect {n}",
                "inspect broken.onnx", "inspect functions.onnx --format FORMAT", "inspect bad-symbol.json", "inspect m.onnx --list {n}", "inspect m.onnx --list {f}.list.json"],
    "revert": ["revert {f}16.onnx -o {f}back.onnx --sidecar of.sidecar", "revert {f}16.onnx -o {f}back.onnx",
               "revert {f}-symbol.json --params {f}.params -o {f}back", "revert {n} -o back.onnx",
               "revert m16.onnx -o {n}/{n}", "revert m16.onnx -o back.onnx --sidecar {n}",
               "revert m16.onnx -o back.onnx --sidecar forged.sidecar", "revert broken.onnx -o back.onnx"],
    "run": ["run m.onnx --input {n}=random", "run m.onnx --input {n}=random --trace", "run m.onnx --input {n}=x.npy -o runs/1",
            "run m.onnx", "?run m.onnx --input {n}=bad.npy", "run m.onnx --input no{n}=random", "run m.onnx --plan forged.json --input {n}=random",
            "run m.onnx --input {n}=random --write-plan out.json", "run m.onnx --inputs-from samples", "run {n}",
            "run broken.onnx --input x=random", "?run --list-kernels FORMAT", "run m.onnx --input {n}={n}",
            "run {f}-symbol.json --params {f}.params --input {n}=random", "run net-symbol.json --params bad.params",
            "run m.onnx --autocast float16 --list bad_list.json --input {n}=random", "run external.onnx --input x=random",
            "run m.onnx --input-shape {n}=x --input {n}=random"],
    "compare": ["compare {f}.onnx m16.onnx --format FORMAT", "compare {f}.onnx --autocast float16 --format FORMAT", "compare m.onnx {n}",
                "compare m.onnx m16.onnx --inputs-from samples", "compare broken.onnx m.onnx"],
    "bench": ["bench {f}.onnx --runs 1 --format FORMAT --by-kernel", "bench {n}", "bench --suite suite.json", "bench --suite {n}",
              "bench m.onnx --runs 1 --onnxruntime {n}"],
    "tune": ["tune {f}.onnx --max-error 1e-6 -o tuned.json --format FORMAT", "tune {n} --max-error 1 -o tuned.json",
             "tune m.onnx --max-error 1e-1 -o {n}/{n}", "tune m.onnx --max-error {n} -o tuned.json"],
    "characterize": ["characterize --operators ({n}", "characterize --operators ^Relu$ --list bad_list.json",
                     "?characterize --operators ^Relu$ --list list.json", "characterize --operators ^Relu$ -o {n}/{n}"],
    "config": ["?config show", "?config validate", "?config schema", "config schema --with-ops --operators ops.json", "config {n}", "config schema --file {n}",
               "config validate --config bad_project.json", "config show --dialect {n}"],
    "doctor": ["?doctor --format FORMAT", "doctor -C {n}", "doctor -o {n}/{n}"],
    "completion": ["?completion bash", "?completion zsh", "?completion operators", "completion {n}"],
    "history": ["?history --format FORMAT", "?history --every commit --format FORMAT", "history {n}..HEAD", "history --dialect {n}"],
    "lsp": ["?lsp {n}", "lsp -C {n}"],  # its messages to an editor: checker/lsp
    "help": ["help {n}"],
}
# Programs other than verbs: a build's steps, the session of the Python package.
PROGRAMS = [
    "opledger {n}", "opledger -C {n} check", "opledger --config {n} check", "opledger --color {n}", "?opledger-scan --{n}",
    "opledger-scan --merge {n}", "?opledger-scan --list-units", "?opledger-scan --outline {f}.cc -o outlines",
    "?opledger-scan --outline {n} -o outlines", "?opledger-scan --index outlines -o index --tree tree.facts",
    "opledger-scan --index {n} -o index", "?opledger-scan --facts {f}.cc --index index -o unit.facts",
    "?opledger-scan --facts {n} --index index -o unit.facts", "?opledger-convert {n}", "opledger-convert --inspect {n}",
    "?opledger-convert --revert {n}", "opledger-run {n}", "?opledger-run --{n}", "opledger-run --compare {n} {n}",
]


def quoted(name):
    """Returns a JSON string; for invalid UTF-8, what a broken program would write."""
    try:
        return json.dumps(name.decode(), ensure_ascii=False).encode()
    except UnicodeDecodeError:
        return b'"' + name + b'"'


def cpp(name):
    return b'"' + re.sub(rb'[\x00-\x1f"\\?%]', lambda each: b"\\%03o" % each[0][0], name) + b'"'


def file_name(name):
    return name.replace(b"/", b"_")[:200]


def params(names):
    """Returns an MXNet .params file of arrays of four elements."""
    array = struct.pack("<Iiiqiii", 0xF993FAC9, 0, 1, 4, 1, 0, 0) + FLOATS
    return struct.pack("<QQQ", 0x112, 0, len(names)) + array * len(names) + struct.pack("<Q", len(names)) + \
        b"".join(struct.pack("<Q", len(each)) + each for each in names)


def npy(descr=b"'<f4'"):
    header = (b"{'descr': " + descr + b", 'fortran_order': False, 'shape': (2, 2), }").ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + FLOATS


class Project:
    """A repository in which everything has the name."""

    def __init__(self, binaries, folder, name):
        self.folder, self.name = folder / "project", name
        (self.folder / "src").mkdir(parents=True)
        self.environment = {**{key: value for key, value in os.environ.items() if not key.startswith("OPLEDGER_")},
                            "PATH": f"{binaries}:{os.environ['PATH']}", "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1",
                            "OPLEDGER_CACHE_DIR": str(folder / "cache"), "LC_ALL": "C.UTF-8"}
        self.write_texts()
        self.write_models()
        git = [b"git", b"-c", b"user.name=" + name.replace(b"\n", b" "), b"-c", b"user.email=a@example.com"]
        for words in ([b"git", b"init", b"-q"], [b"git", b"add", b"-A"], [*git, b"commit", b"-qm", name],
                      [b"git", b"tag", b"v1"]):
            subprocess.run(words, cwd=self.folder, env=self.environment, check=True, capture_output=True)
        self.file(b"src/later.cc", b"REGISTER(" + cpp(b"later" + name) + b");\n")
        for words in ("opledger scan --shard 1/1 -o of.facts", "opledger check --operators ops.json --output-format json=report.json", "opledger convert m.onnx -o m16.onnx --sidecar of.sidecar"):
            subprocess.run(words.split(), cwd=self.folder, env=self.environment, capture_output=True, check=False)
        facts = self.folder / "of.facts"
        if facts.exists():
            self.file(b"forged.facts", re.sub(rb'"tool":"[^"]*"', b'"tool":' + quoted(name).replace(b"\\", rb"\\"),
                                              facts.read_bytes()))
        if (self.folder / "m16.onnx").exists():
            self.file(file_name(name) + b"16.onnx", (self.folder / "m16.onnx").read_bytes())
        self.files = self.files_now()

    def files_now(self):
        return {path: path.read_bytes() for path in self.folder.iterdir() if path.is_file()}

    def reset(self):
        """Restores the folder's original files."""
        now = self.files_now()
        for path in now.keys() - self.files.keys():
            path.unlink()
        for path, content in self.files.items():
            if now.get(path) != content:
                path.write_bytes(content)

    def file(self, path, content):
        with open(os.path.join(os.fsencode(self.folder), path), "wb") as file:
            file.write(content)

    def write_texts(self):
        n, q = self.name, quoted(self.name)
        site = b'"sites": [{"path": %s, "line": 1, "column": 1, "end_line": 1, "end_column": 4}]' % q
        ops = b'{"schema": "opledger-operators/1", "dialect": "demo",\n "operators": [%s]}\n'
        self.file(b"src/" + file_name(n) + b".cc", b"REGISTER(" + cpp(n) + b").alias(" + cpp(b"alias" + n) + b");\n"
                  b"REGISTER(exp);\n")
        self.file(b"src/raw.cc", b"REGISTER(dynamic + " + cpp(n) + b");\nREGISTER(" + n + b");\n")
        self.file(b"dialect.json", b'{"name": "demo", "sinks": [{"macro": "REGISTER"}], "sources": ["src/**"],\n'
                  b' "chain": [{"method": "alias", "field": "alias"}]}')
        self.file(b"opledger.json", b'{"dialect": "dialect.json", "lists": ["plain.json"]}')
        self.file(b"ignoring.json", b'{"dialect": "dialect.json", "lists": ["list.json"],\n'
                  b' "ignore": [{"rule": "stale-entry", "operator": %s, "reason": %s}]}' % (quoted(b"none" + n), q))
        self.file(b"plain.json", b'{"framework": "demo", "target_dtype": "float16", "fp32": [{"op": "exp", "note": %s}]}' % q)
        entry = b'{"op": %s, "reason": "numeric", "note": %s}'
        self.file(b"list.json", b'{"framework": "demo", "target_dtype": "float16",\n "fp32": [' +
                  entry % (quoted(b"stale" + n), q) + b", " + entry % (quoted(n + b"x"), q) + b'],\n "widest": [' +
                  entry % (quoted(b"stale" + n), q) + b"]}\n")
        self.file(file_name(n) + b".json", b'{"framework": "demo", "target_dtype": "float16", "fp32": [%s]}' % q)
        head = b'{"framework": "demo", "target_dtype": "float16", '
        self.file(file_name(n) + b".list.json", b'{"framework": "onnx", "target_dtype": "float16", "target": ["MatMul"], '
                  b'"fp32": [{"op": "Exp", "note": "pwned"}]}')
        self.file(b"condition.json", head + b'"conditional": [{"op": %s, "attribute": %s, "values": [%s], "then": "fp32"}]}'
                  % (q, q, q))
        self.file(b"bad_list.json", head + b'%s: [%s]}' % (q, q))
        self.file(b"bad_reason.json", head + b'"fp32": [{"op": "exp", "reason": %s}]}' % q)
        self.file(b"bad_project.json", b'{"dialect": %s, "lists": [%s], %s: 1, "severities": {%s: %s}}' % (q, q, q, q, q))
        (self.folder / "other").mkdir(exist_ok=True)
        for folder in (b"", b"other/"):
            self.file(folder + b"bad_dialect.json",
                      b'{"name": %s, "sinks": [{"macro": %s, %s: 1}], "sources": [%s]}' % (q, q, q, q))
        def operator(name, alias):
            return b'{"name": %s, "aliases": [%s], ' % (quoted(name), quoted(alias)) + site + b"}"
        self.file(b"ops.json", ops % (operator(n, b"alias" + n) + b",\n " + operator(b"b" + n, b"c" + n)))
        self.file(b"old_ops.json", ops % operator(b"gone" + n, b"d" + n))
        self.file(b"bad_ops.json", b'{"schema": %s, "dialect": %s, %s: %s}' % (q, q, q, q))
        self.file(b"classified.json", ops % (b'{"name": %s, "policy": %s, ' % (q, q) + site + b"}"))
        self.file(b"bad_baseline.json", b'{"schema": "opledger-baseline/1", "findings": [{"rule": %s, %s: 1}]}' % (q, q))
        self.file(b"baseline.json", b'{"schema": "opledger-baseline/1", "findings": [{"rule": "stale-entry", "list": %s, '
                  b'"operator": %s}]}' % (q, q))
        self.file(b"bad_evidence.json", b'{"schema": "opledger-evidence/1", "framework": %s, "operators": [{"op": %s, %s: 1}]}'
                  % (q, q, q))
        self.file(b"evidence.json", b'{"schema": "opledger-evidence/1", "framework": %s, "operators": []}' % q)
        for path in (b"names.json", file_name(n) + b".names"):
            self.file(path, b"[%s]" % quoted(b"other" + n))
        self.file(b"suite.json", b'{%s: %s}' % (q, q))
        self.file(b"bad.facts", b'{"schema": "opledger-facts/1", %s: %s}\n' % (q, q))
        self.file(b"forged.facts", b"")
        self.file(b"lists.py", b"FP16_FUNCS = [" + cpp(n) + b"]\nFP32_FUNCS = ['exp']\nOTHER = [" + cpp(n) + b"]\n")
        self.file(file_name(n) + b".py", b"FP16_FUNCS = [" + cpp(n) + b"]\nFP32_FUNCS = ['exp']\n")
        self.file(b"bad.py", b"FP16_FUNCS = ['" + n + b"' +\n")
        self.file(b"lists.cc", b"const std::set<std::string> fp16 = {" + cpp(n) + b", \"exp\"};\n")
        for folder in ("build", "empty", "kept"):
            (self.folder / folder).mkdir()
        self.file(b"kept/opledger.json", b'{"dialect": "dialect.json", "lists": ["kept.json"]}')
        self.file(b"kept/dialect.json", b'{"name": "demo", "sinks": [{"macro": "REGISTER"}], "sources": ["*.cc"]}')
        self.file(b"kept/a.cc", b"REGISTER(exp);\n")
        self.file(b"kept/kept.json", head + b'"derived_from": [{"file": "lists.py", "format": "python", "map": '
                  b'{"FP16_FUNCS": "target", "FP32_FUNCS": "fp32"}}]}')
        self.file(b"kept/lists.py", b"FP16_FUNCS = [" + cpp(n) + b"]\nFP32_FUNCS = ['exp']\n")
        self.file(b"build/compile_commands.json", b'[{"directory": %s, "file": %s, "command": %s}]' % (q, q, q))

    def write_models(self):
        n = self.name
        model = {"opset": 17, "inputs": {n: ["float32", [2, 2]]}, "outputs": {b"y" + n: ["float32", [2, 2]]},
                 "initializers": {b"w" + n: ["float32", [2, 2], [0.1, 0.2, 0.3, 0.4]]},
                 "nodes": [["MatMul", [n, b"w" + n], [b"h" + n], {"name": n}], ["Exp", [b"h" + n], [b"y" + n], {"name": b"z" + n}]],
                 "name": n}
        tail = text(2, n) + text(3, n) + text(4, n) + text(6, n) + text(14, text(1, n) + text(2, n))
        for path in (b"m.onnx", file_name(n) + b".onnx"):
            self.file(path, model_bytes(model) + tail)
        self.file(b"broken.onnx", model_bytes({**model, "nodes": [["MatMul", [n], [b"y" + n], {"name": n}], [("", n), [n], [n]]]}))
        inner = {"name": n, "domain": n, "inputs": ["a"], "outputs": ["b"], "nodes": [["Relu", ["a"], ["b"], {"name": n}]]}
        self.file(b"functions.onnx", model_bytes({**model, "nodes": [[(n, n), [n], [b"y" + n], {"name": n}]],
                                                  "functions": [inner]}))
        external = b"\x08\x02\x08\x02\x10\x01" + text(8, b"w" + n) + text(13, text(1, "location") + text(2, b"../" + n)) + b"\x70\x01"
        self.file(b"external.onnx", model_bytes({**model, "initializers": {}}) + text(7, text(5, external)))
        q = quoted(n)
        symbol = b'{"nodes": [{"op": "null", "name": %s, "inputs": []}, {"op": "null", "name": %s, "inputs": []},\n' \
                 b' {"op": "broadcast_mul", "name": %s, "attrs": {%s: %s}, "inputs": [[0, 0, 0], [1, 0, 0]]},\n' \
                 b' {"op": %s, "name": %s, "inputs": [[2, 0, 0]]}], "arg_nodes": [0, 1], "heads": [[3, 0, 0]],\n' \
                 b' "attrs": {"mxnet_version": ["int", 10900]}}'
        parts = (q, quoted(b"w" + n), quoted(b"m" + n), q, q)
        self.file(b"net-symbol.json", symbol % (*parts, b'"exp"', quoted(b"e" + n)))
        self.file(b"bad-symbol.json", symbol % (*parts, q, quoted(b"e" + n)))
        self.file(b"net.params", params([b"arg:w" + n]))
        self.file(file_name(n) + b"-symbol.json", symbol % (*parts, b'"exp"', quoted(b"e" + n)))
        self.file(file_name(n) + b".params", params([b"arg:w" + n]))
        self.file(b"bad.params", params([b"arg:w" + n, b"arg:w" + n, n]))
        with zipfile.ZipFile(self.folder / "net.npz", "w") as archive:
            archive.writestr((b"arg:w" + n).decode(errors="replace") + ".npy", npy())
        self.file(b"x.npy", npy())
        self.file(b"bad.npy", npy(quoted(n)))
        os.makedirs(os.path.join(os.fsencode(self.folder), b"samples", file_name(n)))
        self.file(b"forged.json", b'{"schema": "opledger-execution-plan/1", "graphs": [{"steps": [{"node": %s, "kernel": %s}]}]}' % (q, q))
        record = lambda value: struct.pack("<B", len(value)) + value  # noqa: E731
        self.file(b"forged.sidecar", b"opledger-sidecar/1\n\x00\x01" + record(n) + b"\x04" + record(n) + b"\x00")

    def run(self, command, program):
        words = [word.replace(b"{n}", self.name).replace(b"{f}", b"src/" + file_name(self.name)
                                                         if b".cc" in word else file_name(self.name))
                 for word in os.fsencode(command).split(b" ")]
        return subprocess.run([program, *words], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=120, check=False)


class Pages(html.parser.HTMLParser):
    """Checks that each element is closed, and collects the scripts."""
    VOID = {"meta", "link", "br", "input", "img", "hr", "path", "rect", "line", "circle", "use", "source", "col", "wbr"}

    def __init__(self):
        super().__init__()
        self.open, self.problem, self.script = [], "", False

    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            self.open.append(tag)
        if tag == "svg" and dict(attrs).get("onload"):
            self.problem = "an element of the name's"

    def handle_endtag(self, tag):
        if tag in self.VOID:
            return
        if not self.open or self.open[-1] != tag:
            self.problem = self.problem or f"</{tag}> in {self.open[-3:]}"
        else:
            self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] == "script" and data.strip() == "pwned":
            self.problem = "a script of the name's"


def shape_problem(kind, content):
    """Returns why the content is not well formed; empty if it is."""
    try:
        if kind in ("json", "sarif", "gitlab", "rdjson"):
            json.loads(content)
        elif kind in ("junit", "svg", "badge"):
            xml.etree.ElementTree.fromstring(content)
        elif kind == "html":
            page = Pages()
            page.feed(content)
            return page.problem or ("elements are left open" if page.open else "")
        elif kind in ("markdown", "md") and re.search(r"(?<!\\)<(/?script|svg onload)", re.sub(r"`[^`]*`", "", content)):
            return "markup from the name"
    except (ValueError, xml.etree.ElementTree.ParseError) as error:
        return str(error)
    return ""


def text_problem(content, workflow=False):
    """Returns what breaks out of its place in the text; empty if nothing does."""
    try:
        shown = content.decode()
    except UnicodeDecodeError as error:
        return f"bytes that are not UTF-8: {content[max(0, error.start - 40):error.end + 20]!r}"
    for at, character in enumerate(shown):
        bad = character != "\n" and (unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp", "Cn") or
                                     UNSEEN.match(character))
        if bad:
            return f"U+{ord(character):04X}: {shown[max(0, at - 60):at + 20]!r}"
    for line in shown.splitlines():
        # GitHub trims a line before it looks for "::", but finds "##[" anywhere in it.
        opens = line.lstrip().startswith("::")
        if opens and not workflow or not opens and re.search(r"##(vso)?\[", line):
            return f"a line of a workflow command: {line[:100]!r}"
        if workflow and opens and not re.match(r"::(error|warning|notice|group|endgroup|debug)\b[^:]*(:[^:]+)*::", line):
            return f"a workflow command that opledger does not write: {line[:100]!r}"
    return ""


def formats_of(help_text):
    """Returns the values of FORMAT, and the actions."""
    found = re.search(r"--format FORMAT:\{([^}]*)\}|--list-kernels FORMAT:\{([^}]*)\}", help_text)
    formats = (found[1] or found[2]).split(",") if found else []
    found = re.search(r"--output-format FMT\[=FILE\] \.\.\.\s+([\w, ]+);", help_text)
    actions = re.search(r"^  [A-Z]+ \{([\w,]+)\} REQUIRED", help_text, re.MULTILINE)
    return formats + (found[1].split(", ") if found else []), actions[1].split(",") if actions else []


def problem_of(project, command, program, kind):
    optional, command = command.startswith("?"), command.removeprefix("?")
    done = project.run(command, program)
    said = done.stdout + done.stderr
    if done.returncode not in (0, 1, 2, 3):
        return f"exit status {done.returncode}: {done.stderr[-300:]!r}"
    problem = text_problem(done.stdout, kind == "github") or text_problem(done.stderr)
    if not problem and kind and done.returncode in (0, 1, 3):
        problem = shape_problem(kind, done.stdout.decode())
    for path, content in project.files_now().items():
        if not path.name.startswith("out"):
            continue
        said += content
        if path.suffix in (".json", ".html"):
            problem = problem or text_problem(content) or shape_problem(path.suffix[1:], content.decode())
    if not problem and not optional and kind not in ("svg", "badge") and SEEN not in said:
        problem = f"nothing of the name is shown: {said[-300:]!r}"
    return problem


def cases(binaries, wanted):
    """Returns (verb, command, program, format) of each case, and problems of the table."""
    def help_of(*words):
        return subprocess.run([binaries / "opledger", *words], capture_output=True, text=True, check=True).stdout
    verbs = re.findall(r"^  (\w+) ", help_of("--help").split("Start here:\n")[1], re.MULTILINE)
    found, problems = [], []
    if len(verbs) < 20:
        problems.append(f"the help of opledger lists only {verbs}")
    problems += [f"{verb} is a verb without a case" for verb in verbs if verb not in COMMANDS]
    problems += [f"{verb} is not a verb" for verb in COMMANDS if verb not in [*verbs, "help"]]
    for verb in [each for each in verbs if each in COMMANDS]:
        formats, actions = formats_of(help_of(verb, "--help"))
        commands = COMMANDS[verb]
        problems += [f"{verb} {action} has no case" for action in actions
                     if not any(re.match(rf"\??{verb} {action}\b", each) for each in commands)]
        if formats and not any("FORMAT" in each for each in commands):
            problems.append(f"no case of {verb} goes over its formats {formats}")
        for each in commands:
            for kind in formats if "FORMAT" in each else [""]:
                found.append((verb, each.replace("FORMAT", kind), binaries / "opledger", kind))
    found += [("help", each, binaries / "opledger", "") for each in COMMANDS["help"]]
    for each in PROGRAMS:
        program, _, rest = each.removeprefix("?").partition(" ")
        found.append((program, ("?" if each.startswith("?") else "") + rest, binaries / program, ""))
    return [case for case in found if wanted in ("", case[0])], problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--verb", default="", help="one verb, or program")
    parser.add_argument("--every", type=int, default=1, help="only every Nth name")
    parser.add_argument("--name", default="", help="one of the names")
    options = parser.parse_args()
    binaries = options.bin.resolve()
    for program in ("opledger-scan", "opledger-convert", "opledger-run"):
        if not (binaries / program).exists():
            print(f"SKIPPED: {program} was not built")
            return 77
    found, problems = cases(binaries, options.verb)
    for title, name in list(NAMES.items())[::options.every]:
        if options.name not in ("", title):
            continue
        with tempfile.TemporaryDirectory(prefix="opledger-hostile-") as folder:
            project = Project(binaries, pathlib.Path(folder), name)
            before = ""
            for verb, command, program, kind in found:
                if verb != before:
                    project.reset()
                before = verb
                if problem := problem_of(project, command, program, kind):
                    problems.append(f"{title}: {program.name} {command}: {problem}")
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
