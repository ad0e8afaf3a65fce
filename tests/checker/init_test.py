#!/usr/bin/env python3
"""`opledger init` on real registries: it finds the dialect, its files are well formed and explain
every key of the schema, the command that it suggests makes the next run clean, and it overwrites
nothing. Then the hook passes, and rejects a new operator without a policy, within three commands
and a minute of CPU time."""
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from test_data import require_sources  # noqa: E402

MOST_CPU_SECONDS = 60
# Source -> dialect; a file, and the text that registers the operator 'probe' at its end.
REGISTRIES = {
    "mxnet-b84609d3": ("mxnet", "src/operator/nn/softmax.cc", "NNVM_REGISTER_OP(probe);"),
    "tvm-v0.18.0": ("tvm-relay", "src/relay/op/nn/nn.cc", 'RELAY_REGISTER_OP("probe").set_num_inputs(1);'),
    "tvm-5d4dc872": ("tvm-relax", "src/relax/op/nn/nn.cc", 'TVM_REGISTER_OP("relax.probe").set_num_inputs(1);'),
    "onnx-f7546912": ("onnx", "onnx/defs/math/defs.cc",
                      "ONNX_OPERATOR_SET_SCHEMA(probe, 1, OpSchema().Input(0, \"X\", \"x\", \"T\"));"),
    "tensorflow-2.14.1": ("tensorflow", "tensorflow/core/ops/math_ops.cc",
                          'REGISTER_OP("probe").Input("x: T").Output("y: T").Attr("T: {float}");'),
    "pytorch-2.6.0": ("pytorch", "aten/src/ATen/native/quantized/library.cpp",
                      'TORCH_LIBRARY_FRAGMENT(aten, m) { m.def("probe(Tensor x) -> Tensor"); }'),
    "onnxruntime-1.21.0": ("onnxruntime", "onnxruntime/core/graph/contrib_ops/contrib_defs.cc",
                           "ONNX_CONTRIB_OPERATOR_SCHEMA(probe).SetDomain(kMSDomain).SinceVersion(1);"),
    "pytorch_scatter-648dda3": ("pytorch-extension", "csrc/scatter.cpp",
                                'TORCH_LIBRARY_FRAGMENT(torch_scatter, m) { m.def("probe(Tensor x) -> Tensor"); }'),
}
GIT = "git -c user.name=a -c user.email=a@b"


class Project:
    def __init__(self, binaries, folder, cache):
        self.folder = folder
        self.environment = {**os.environ, "PATH": f"{binaries}:/usr/bin:/bin",
                            "OPLEDGER_CACHE_DIR": str(cache)}

    def run(self, command):
        done = subprocess.run(["sh", "-c", command], cwd=self.folder, env=self.environment, text=True,
                              capture_output=True, timeout=300, check=False)
        return done.returncode, done.stdout + done.stderr


def unexplained(project_file):
    """Returns the keys of the schema that the file does not explain."""
    text = (ROOT / "schemas/project.schema.json").read_text()
    keys = set(json.loads(text)["properties"]) - {"$schema", "$comment"}
    comment = "\n".join(json.loads(project_file)["$comment"]) + "\nseverities:"
    return [key for key in sorted(keys) if not re.search(rf"^{key}:", comment, re.MULTILINE)]


def problems_of(project, dialect, file, registration):
    project.run(f"git init -q . && git add . && {GIT} commit -qm one")
    start = cpu_seconds()
    status, output = project.run("opledger init")
    if status:
        return [f"init: {output}"]
    text = (project.folder / "opledger.json").read_text()
    problems = [f"opledger.json does not explain {key}" for key in unexplained(text)]
    if json.loads(text)["dialect"] != dialect:
        problems.append(f"found {json.loads(text)['dialect']}, not {dialect}")
    status, said = project.run("opledger config validate")
    problems += [f"validate: {said}"] if status else []
    following = re.search(r"^next: (.*)$", output, re.MULTILINE)[1]
    for command in (following, "opledger check -q", "git add -f . && opledger check --staged --against HEAD -q"):
        status, said = project.run(command)
        problems += [f"{command}: exit {status}: {said[-500:]}"] if status else []
    with open(project.folder / file, "a", encoding="utf-8") as source:
        source.write(f"\n{registration}\n")
    status, said = project.run("git add -u && opledger check --staged --against HEAD -q --output-format concise")
    refused = [line for line in said.splitlines() if "unclassified-operator" in line]
    if status != 1 or not refused or not all("probe" in line for line in said.splitlines()):
        problems.append(f"a new operator: exit {status}: {said[-500:]}")
    if cpu_seconds() - start > MOST_CPU_SECONDS:
        problems.append(f"{cpu_seconds() - start:.0f} s of CPU time, more than {MOST_CPU_SECONDS}")
    status, said = project.run("opledger init")
    if status != 2 or (project.folder / "opledger.json").read_text() != text:
        problems.append(f"init again: exit {status}: {said}")
    return problems


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    binaries = parser.parse_args().bin.resolve()
    if not (binaries / "opledger-scan").exists():
        print("SKIPPED: opledger-scan was not built")
        return 77
    problems = []
    with tempfile.TemporaryDirectory(prefix="opledger-init-") as scratch:
        for name, source in zip(REGISTRIES, require_sources(*REGISTRIES)):
            shutil.copytree(source, pathlib.Path(scratch) / name, symlinks=True)
            project = Project(binaries, pathlib.Path(scratch) / name, pathlib.Path(scratch) / "cache")
            problems += [f"{name}: {each}" for each in problems_of(project, *REGISTRIES[name])]
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
