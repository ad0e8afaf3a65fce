#!/usr/bin/env python3
"""Every verb's --help has at least two examples, and all of them work when copied into a shell in a
repository that has the files they name: status 0, or 1 for findings or differences, and no error
message. Verbs of programs that were not built are skipped and named."""
# SPDX-License-Identifier: Apache-2.0

import argparse
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/conversion")]

from make_onnx import model_bytes  # noqa: E402

MODEL = {"opset": 17, "inputs": {"x": ["float32", [1, 4]]}, "outputs": {"y": ["float32", [1, 4]]},
         "initializers": {"w": ["float32", [4, 4], [0.1 * number for number in range(16)]]},
         "nodes": [["MatMul", ["x", "w"], ["h"], {"name": "/head/first"}],
                   ["Relu", ["h"], ["y"], {"name": "second"}]]}
IMAGE = {"opset": 17, "inputs": {"x": ["float32", [1, 3, 224, 224]]},
         "outputs": {"y": ["float32", [1, 3, 1, 1]]}, "nodes": [["GlobalAveragePool", ["x"], ["y"], {}]]}
LISTS = "{}_FUNCS = ['dense']\nFP32_FUNCS = ['exp', 'sqrt']\n"
# Commands to run before a verb's first example.
BEFORE = {
    "init": "rm -r opledger.json lists",
    "lists": "mkdir pytorch && cp -r include lists python src pytorch && "
             "sed 's/^  .lists.*/\"lists\": [\"lists\\/own.json\"]/' opledger.json > pytorch/opledger.json",
    "docs": "opledger docs -o docs/operators.md && mkdir docs/source && "
            "printf '# Float32\\n`exp`\\n' > docs/source/amp.md && sed -i '0,/{/s//"
            "{\"documented_in\": [{\"file\": \"docs\\/source\\/amp.md\", \"map\": {\"Float32\": \"fp32\"}}],/' "
            "lists/float16.json",
    "bench": "cp image.onnx model.onnx",
    "merge": "rm operators.json",
    "compare": "opledger convert model.onnx -o mixed.onnx",
    "revert": "cp model.onnx original.onnx",
}
# Checks to run after its last one.
AFTER = {
    "init": "test -s opledger.json -a -s incubator-mxnet/opledger.json",
    "merge": "test -s operators.json",
    "classify": "grep -q hard_swish lists/float16.json && grep -q act_type lists/float16.json",
    "lists": "grep -q softmax project/lists/float16.json",
    "docs": "grep -q softmax docs/source/amp.md && grep -q '</html>' docs.html && opledger docs --check -o docs/operators.md",
    "import": "grep -q sqrt float16.json",
    "completion": "test -s home/.zfunc/_opledger -a "
                  "-s home/.local/share/bash-completion/completions/opledger",
    "doctor": "test -s doctor.json",
    "baseline": "test -s opledger-baseline.json",
}


def write_npy(path, rows, columns):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {columns}), }}".encode().ljust(117)
    numbers = [1, -2, 3, 4] * (rows * columns // 4)
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header) + 1) + header + b"\n" +
                     struct.pack(f"<{len(numbers)}f", *numbers))


def write_repository(folder):
    """Writes the files that the examples name."""
    shutil.copytree(ROOT / "tests/demo", folder)
    shutil.copytree(folder, folder / "incubator-mxnet", ignore=shutil.ignore_patterns("*.json", "*.onnx"))
    (folder / "model.onnx").write_bytes(model_bytes(MODEL))
    (folder / "image.onnx").write_bytes(model_bytes(IMAGE))
    write_npy(folder / "x.npy", 1, 4)
    (folder / "samples/one").mkdir(parents=True)
    write_npy(folder / "samples/one/x.npy", 1, 4)
    write_npy(folder / "data.npy", 2, 8)
    for name, dtype in (("fp16", "FP16"), ("bf16", "BF16")):
        (folder / f"symbol_{name}.py").write_text(LISTS.format(dtype))
    shutil.copy(folder / "lists/float16.json", folder / "float16.json")
    for name in ("docs", "home/.local/share/bash-completion/completions", "home/.zfunc"):
        (folder / name).mkdir(parents=True)


class Repository:
    def __init__(self, folder, binaries):
        self.folder = folder / "repository"
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("OPLEDGER_")},
            "PATH": f"{binaries}:{os.environ['PATH']}", "HOME": str(self.folder / "home"),
            "OPLEDGER_CACHE_DIR": str(folder / "cache"), "GIT_CONFIG_NOSYSTEM": "1"}
        write_repository(self.folder)
        for command in ("git init -q .", "git add -A",
                        "git -c user.name=A -c user.email=a@example.com commit -qm first",
                        "git update-ref refs/remotes/origin/main HEAD", "git tag v1.0", "git tag v2.0", "opledger scan -o operators.json",
                        "cp operators.json old-operators.json"):
            done = self.run(command)
            if done.returncode:
                raise RuntimeError(f"{command}: {done.stderr}")

    def run(self, command):
        return subprocess.run(["sh", "-c", command], cwd=self.folder, env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)


def examples_of(help_text):
    """Returns the commands of the examples: commands are indented by two columns, descriptions by
    six."""
    block = re.search(r"^Examples:\n((?: .*\n)+)", help_text, re.MULTILINE)
    return re.findall(r"^  (opledger .*)$", block[1], re.MULTILINE) if block else []


def problems_of(verb, folder, binaries):
    repository = Repository(folder, binaries)
    help_text = repository.run(f"opledger {verb} --help").stdout
    commands = examples_of(help_text)
    if sum(re.match(rf"opledger (-C \S+ )?{verb}\b", each) is not None for each in commands) < 2:
        return [f"the help of {verb} has fewer than two examples: {commands}"]
    problems = []
    for command in [*filter(None, [BEFORE.get(verb)]), *commands, *filter(None, [AFTER.get(verb)])]:
        done = repository.run(command)
        if done.returncode > (command in commands) or "error:" in done.stderr:
            problems.append(f"{verb}: `{command}` ends with {done.returncode}:\n{done.stdout[-500:]}"
                            f"{done.stderr}")
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    binaries = parser.parse_args().bin.resolve()
    if not (binaries / "opledger-scan").exists():
        print("SKIPPED: opledger-scan was not built")
        return 77
    listed = subprocess.run([binaries / "opledger", "--help"], capture_output=True, text=True, check=True)
    verbs = re.findall(r"^  (\w+) ", listed.stdout.split("Start here:\n")[1], re.MULTILINE)
    problems = [] if len(verbs) > 15 else [f"the help of opledger lists only {verbs}"]
    problems += [f"{verb} is not a verb" for verb in {*BEFORE, *AFTER} - set(verbs)]
    if examples_of("Examples:\n  opledger x\n      why\n  opledger y -z\nEnd") != ["opledger x", "opledger y -z"]:
        problems.append("this test parses examples incorrectly")
    for verb in verbs:
        with tempfile.TemporaryDirectory(prefix="opledger-examples-") as name:
            problems += problems_of(verb, pathlib.Path(name), binaries)
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
