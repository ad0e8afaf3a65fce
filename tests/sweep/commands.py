"""A small project, and the commands of each verb that run on it. A verb of `opledger --help`
without a command here fails the sweep."""
# SPDX-License-Identifier: Apache-2.0

import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from make_onnx import model_bytes  # noqa: E402

# Before a command: "warm" starts with the cache that a run left, otherwise with an empty one; "pty"
# types answers; "varies" prints values that differ from run to run; "in FOLDER" runs there;
# "offers" offers less without an error message if it cannot read something, or reports the failure
# as its result.
COMMANDS = {
    "scan": ["scan -o out.json", "warm: scan -o out.json", "scan --shard 1/1 -o out.facts", "scan src/log.cc",
             "scan --explain src/made.cc", "scan --detect-dialect", "varies: scan --statistics --timing",
             "scan -p build --mode exhaustive", "scan --verify names.json"],
    "merge": ["merge of.facts -o out.json"],
    "check": ["check --output-format json=out.json", "warm: check", "check --operators ops.json --fix",
              "check --against HEAD", "warm: check --against HEAD --policy-from HEAD", "check --staged",
              "warm: check --staged",
              "check --evidence measured.json --operators ops.json", "check --mode exhaustive -p build",
              "check --operators ops.json --fix --diff",
              "check --operators ops.json --output-format sarif=out.sarif --output-format junit=out.xml"],
    "baseline": ["baseline write --operators ops.json", "baseline show --operators ops.json",
                 "baseline prune --operators ops.json", "baseline write"],
    "classify": ["classify exp --as fp32 --operators ops.json", "classify exp --as fp32",
                 "classify --like log tanh --operators ops.json",
                 "pty: classify --interactive --operators ops.json"],
    "docs": ["docs --operators ops.json -o out.md", "docs --operators ops.json --format html -o out.html",
             "docs --check -o page.md --operators ops.json", "docs --atlas"],
    "import": ["import lists.py -o out.json"],
    "lists": ["in kept: lists sync", "in kept: lists sync --check"],
    "diff": ["diff HEAD", "diff old.json ops.json --format markdown"],
    "history": ["history --every commit", "history --every commit --format svg -o out.svg"],
    "init": ["in empty: init --dialect mxnet", "in empty: init"],
    "explain": ["explain exp --operators ops.json", "explain stale-entry", "explain"],
    "config": ["config show", "config validate", "config schema --file list"],
    "doctor": ["offers: doctor"],
    "completion": ["completion bash", "offers: completion operators"],
    "convert": ["convert m.onnx -o out.onnx --sidecar out.sidecar --report out.json --report out.html",
                "convert net-symbol.json --params net.params -o out16", "convert m.onnx -o out.onnx --verify",
                "convert m.onnx --dry-run"],
    "inspect": ["inspect m.onnx", "inspect net-symbol.json --format json"],
    "revert": ["revert m16.onnx -o out.onnx --sidecar of.sidecar", "revert m16.onnx -o out.onnx"],
    "run": ["run m.onnx --input x=random", "run m.onnx --input x=x.npy -o out --write-plan out.json"],
    "compare": ["compare m.onnx m16.onnx", "compare m.onnx --autocast float16"],
    "bench": ["varies: bench m.onnx --runs 1"],
    "tune": ["varies: tune m.onnx --max-error 1e-6 -o out.json"],
    "characterize": ["varies: characterize --operators ^Relu$ -o out.json"],
    "lsp": ["lsp"],
}
HEAD = '{"framework": "demo", "target_dtype": "float16", '
FILES = {
    "opledger.json": '{"dialect": "dialect.json", "lists": ["lists/a.json"]}',
    "dialect.json": '{"name": "demo", "sources": ["src/**"], "extensions": [".cc"], "include_directories": ["include"],'
                    ' "sinks": [{"macro": "R"}], "suspicious": {"containing": "REG"}}',
    "lists/a.json": HEAD + '"extends": "b.json", "fp32": ["log", "gone"]}\n',
    "lists/b.json": HEAD + '"fp32": ["cos"]}\n',
    "measured.json": '{"schema": "opledger-evidence/1", "framework": "demo", "operators": []}',
    "opledger-baseline.json": '{"schema": "opledger-baseline/1", "findings": []}',
    "include/deep/make.h": "#define MAKE(n) R(n)\n#if __has_include(\"more.h\")\n#include \"more.h\"\n#endif\n",
    "include/deep/more.h": "#define MORE(n) R(more_##n)\n",
    "src/log.cc": "R(log);  // opledger: ignore\n",
    "src/made.cc": '#include "deep/make.h"\nMAKE(hidden)\nMORE(x)\n',
    "src/sub/tanh.cc": '#include "../table.inc"\nR(tanh);\nR(exp);\n',
    "src/table.inc": "#define R2(x) R(x)\n",
    "names.json": '["log", "tanh", "exp", "hidden", "more_x"]',
    "page.md": "old\n",
    "out.json": "old\n", "out.md": "old\n",
    "lists.py": "FP16_FUNCS = ['log']\nFP32_FUNCS = ['exp']\n",
    "kept/opledger.json": '{"dialect": "dialect.json", "lists": ["kept.json"]}',
    "kept/dialect.json": '{"name": "demo", "sinks": [{"macro": "R"}], "sources": ["*.cc"]}',
    "kept/a.cc": "R(exp);\n",
    "kept/kept.json": HEAD + '"derived_from": [{"file": "lists.py", "format": "python", "map": {"FP16_FUNCS": "target",'
                             ' "FP32_FUNCS": "fp32"}}]}',
    "kept/lists.py": "FP16_FUNCS = ['log']\nFP32_FUNCS = ['exp']\n",
    "empty/a.cc": "NNVM_REGISTER_OP(relu);\n",
}
MODEL = {"opset": 17, "inputs": {"x": ["float32", [2, 2]]}, "outputs": {"y": ["float32", [2, 2]]},
         "initializers": {"w": ["float32", [2, 2], [0.1, 0.2, 0.3, 0.4]]},
         "nodes": [["MatMul", ["x", "w"], ["h"], {"name": "m"}], ["Exp", ["h"], ["y"], {"name": "e"}]]}
SYMBOL = {"nodes": [{"op": "null", "name": "x", "inputs": []}, {"op": "null", "name": "w", "inputs": []},
                    {"op": "broadcast_mul", "name": "m", "inputs": [[0, 0, 0], [1, 0, 0]]},
                    {"op": "exp", "name": "e", "inputs": [[2, 0, 0]]}],
          "arg_nodes": [0, 1], "heads": [[3, 0, 0]], "attrs": {"mxnet_version": ["int", 10900]}}
FLOATS = struct.pack("<4f", 1, 2, 3, 4)
# Commands that write the files that other verbs read.
MADE = ("scan -o ops.json", "scan --shard 1/1 -o of.facts", "convert m.onnx -o m16.onnx --sidecar of.sidecar")


def params():
    array = struct.pack("<Iiiqiii", 0xF993FAC9, 0, 1, 4, 1, 0, 0) + FLOATS
    return struct.pack("<QQQ", 0x112, 0, 1) + array + struct.pack("<QQ", 1, 5) + b"arg:w"


def array():
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }".ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + FLOATS


def session(folder):
    """Returns an editor's messages: it opens a file, sends requests, and exits."""
    uri = f"file://{folder}/src/log.cc"
    messages = [
        {"id": 1, "method": "initialize", "params": {"rootUri": f"file://{folder}", "capabilities": {}}},
        {"method": "initialized", "params": {}},
        {"method": "textDocument/didOpen", "params": {"textDocument": {
            "uri": uri, "languageId": "cpp", "version": 1, "text": "R(log);\n"}}},
        {"id": 2, "method": "textDocument/hover", "params": {"textDocument": {"uri": uri},
                                                             "position": {"line": 0, "character": 3}}},
        {"id": 3, "method": "shutdown"}, {"method": "exit"}]
    bodies = [json.dumps({"jsonrpc": "2.0", **each}).encode() for each in messages]
    return b"".join(b"Content-Length: %d\r\n\r\n" % len(body) + body for body in bodies)


def make_project(programs, folder, environment):
    """Writes the project and runs the commands that write some of its files."""
    for name, content in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    (folder / "src/linked.cc").symlink_to("../include/linked.cc")
    (folder / "include/linked.cc").write_text("R(linked);\n")
    (folder / "build").mkdir()
    (folder / "build/compile_commands.json").write_text(json.dumps(
        [{"directory": str(folder), "file": f"src/{unit}", "command": f"c++ -Iinclude -c src/{unit}"}
         for unit in ("log.cc", "made.cc", "sub/tanh.cc", "linked.cc")]))
    (folder / "m.onnx").write_bytes(model_bytes(MODEL))
    (folder / "net-symbol.json").write_text(json.dumps(SYMBOL))
    (folder / "net.params").write_bytes(params())
    (folder / "x.npy").write_bytes(array())
    user = ("-c", "user.name=a", "-c", "user.email=a@b")
    for words in (("init", "-q", "-b", "main"), ("add", "-A"), (*user, "commit", "-qm", "all")):
        subprocess.run(["git", *words], cwd=folder, env=environment, check=True)
    (folder / "src/log.cc").write_text("R(log);  // opledger: ignore\nR(new);\n")
    subprocess.run(["git", "add", "src/log.cc"], cwd=folder, env=environment, check=True)
    for words in MADE:
        program = programs / "opledger"
        if (programs / "opledger-convert").exists() or not words.startswith("convert"):
            subprocess.run([program, *words.split()], cwd=folder, env=environment, check=True, capture_output=True)
    (folder / "old.json").write_bytes((folder / "ops.json").read_bytes().replace(b'"tanh"', b'"atan"'))


def environment_of(programs, folder):
    """Returns the environment for a project in this folder, without the user's settings."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("OPLEDGER_", "XDG_", "GIT_"))}
    return {**kept, "HOME": str(folder), "OPLEDGER_CACHE_DIR": str(folder / "cache"), "TMPDIR": str(folder / "tmp"),
            "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8", "PATH": f"{programs}:{os.path.dirname(shutil.which('git'))}",
            "GIT_AUTHOR_DATE": "2024-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2024-01-01T00:00:00Z"}
