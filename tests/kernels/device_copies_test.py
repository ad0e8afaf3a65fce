#!/usr/bin/env python3
"""Nodes without a GPU kernel run on the CPU (`--device cuda`, with the emulated module): the
outputs equal the CPU's bit for bit, and only the necessary tensors are copied, each once, as
counted by the emulation.

The emulation is strict: the program cannot access its memory, and queued work runs only when the
program waits. So a CPU node that does not wait, or reads device memory, fails the test. Exit
status: 0 success, 1 failure.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from make_onnx import model_bytes  # noqa: E402

X = {"x": ["float32", [4, 6]]}
Y = {"y": ["float32", [4, 6]]}
W = {"w": ["float32", [6], [0.5, -1, 2, 0.25, 3, -0.5]]}
AXIS = {"axis": ["int64", [1], [1]], "last": ["int64", [], [1]], "k": ["int64", [1], [2]]}
WHOLE = 4 * 6 * 4  # bytes of x


def model(nodes, inputs=None, outputs=None, initializers=None):
    return {"opset": 18, "inputs": inputs or X, "outputs": outputs or Y, "initializers": initializers or {},
            "nodes": nodes}


# Trilu and CumSum have no CUDA kernels; Softmax, Transpose, Relu, Mul and Cast have. name: model,
# number of nodes on the CPU and of all nodes (None: no note), operators on the CPU, bytes in the
# note; then the emulation's counts: copies in, bytes in, copies out, bytes out.
CASES = {
    "in the middle": (model([["Softmax", ["x"], ["a"]], ["Trilu", ["a"], ["b"]], ["Softmax", ["b"], ["y"]]]),
                      (1, 3), "Trilu", 2 * WHOLE, (2, 2 * WHOLE, 2, 2 * WHOLE)),
    # The GPU does not get x, and b is not computed there.
    "at the start": (model([["Trilu", ["x"], ["a"]], ["Softmax", ["a"], ["y"]]]),
                     (1, 2), "Trilu", WHOLE, (1, WHOLE, 1, WHOLE)),
    "at the end": (model([["Softmax", ["x"], ["a"]], ["Trilu", ["a"], ["y"]]]),
                   (1, 2), "Trilu", WHOLE, (1, WHOLE, 1, WHOLE)),
    "two in a row": (model([["Softmax", ["x"], ["a"]], ["Trilu", ["a"], ["b"]], ["CumSum", ["b", "last"], ["c"]],
                            ["Softmax", ["c"], ["y"]]], initializers={"last": AXIS["last"]}),
                     (2, 4), "CumSum, Trilu", 2 * WHOLE, (2, 2 * WHOLE, 2, 2 * WHOLE)),
    "alone": (model([["Trilu", ["x"], ["y"]]]), (1, 1), "Trilu", 0, (0, 0, 0, 0)),
    # s is read twice on each side, t on both: one copy of each.
    "several consumers": (model([["Softmax", ["x"], ["s"]], ["Trilu", ["s"], ["t"]], ["CumSum", ["s", "last"], ["c"]],
                                 ["Transpose", ["s"], ["r"], {"perm": [1, 0]}], ["Transpose", ["t"], ["u"], {"perm": [1, 0]}],
                                 ["Add", ["r", "u"], ["v"]], ["Softmax", ["t"], ["z"]], ["Trilu", ["t"], ["q"], {"upper": 0}]],
                                outputs={"v": ["float32", [6, 4]], "z": Y["y"], "c": Y["y"], "q": Y["y"]},
                                initializers={"last": AXIS["last"]}),
                          (3, 8), "2 Trilu, CumSum", 2 * WHOLE, (2, 2 * WHOLE, 3, 3 * WHOLE)),
    # w is copied to the GPU once, when the model is loaded, and is also kept on the CPU.
    "an initializer on both sides": (model([["Mul", ["x", "w"], ["a"]], ["Trilu", ["a"], ["b"]],
                                            ["BitShift", ["n", "m"], ["p"], {"direction": "LEFT"}],
                                            ["Mul", ["b", "w"], ["y"]],
                                            ["ScatterElements", ["w", "i", "u"], ["f"], {"axis": 0}]],
                                           inputs={**X, "u": ["float32", [1]], "n": ["uint8", [1]], "m": ["uint8", [1]]},
                                           outputs={**Y, "f": ["float32", [6]], "p": ["uint8", [1]]},
                                           initializers={**W, "i": ["int64", [1], [2]]}),
                                     (3, 5), "BitShift, ScatterElements, Trilu", 2 * WHOLE,
                                     (3, 2 * WHOLE + 24, 2, 2 * WHOLE)),
    # An output on the GPU that the CPU reads, too, is copied once; one that the CPU computes is not
    # copied.
    "outputs of both sides": (model([["Softmax", ["x"], ["s"]], ["Trilu", ["s"], ["t"]], ["Softmax", ["t"], ["y"]]],
                                    outputs={**Y, "s": Y["y"], "t": Y["y"]}),
                              (1, 3), "Trilu", 2 * WHOLE, (2, 2 * WHOLE, 2, 2 * WHOLE)),
    # Views share the memory of their tensors, on either side.
    "through a reshape": (model([["Softmax", ["x"], ["a"]], ["Reshape", ["a", "shape"], ["b"]], ["Trilu", ["b"], ["c"]],
                                 ["Reshape", ["c", "shape"], ["d"]], ["Softmax", ["d"], ["y"]],
                                 ["Reshape", ["a", "shape"], ["e"]]],
                                outputs={"y": ["float32", [2, 12]], "e": ["float32", [2, 12]], "x": X["x"]},
                                initializers={"shape": ["int64", [2], [2, 12]]}),
                          (1, 3), "Trilu", 2 * WHOLE, (2, 2 * WHOLE, 2, 2 * WHOLE)),
    "mixed types": (model([["Softmax", ["x"], ["a"]], ["Cast", ["a"], ["h"], {"to": 10}], ["Trilu", ["h"], ["t"]],
                           ["Cast", ["t"], ["b"], {"to": 16}], ["Trilu", ["b"], ["c"]], ["Relu", ["c"], ["d"]],
                           ["TopK", ["a", "k"], ["values", "places"]], ["Cast", ["d"], ["y"], {"to": 1}]],
                          outputs={**Y, "places": ["int64", [4, 2]]}, initializers={"k": AXIS["k"]}),
                    (3, 8), "2 Trilu, TopK", 288, (3, 192, 4, 288)),
    # Tensors of which inner graphs use only the shape are not copied.
    "control flow": (model([["Softmax", ["x"], ["a"]], ["Transpose", ["a"], ["b"], {"perm": [1, 0]}],
                            ["If", ["cond"], ["c"], {
                                "then_branch": {"name": "t", "inputs": {}, "outputs": {"d": Y["y"]},
                                                "nodes": [["Trilu", ["a"], ["d"]]]},
                                "else_branch": {"name": "e", "inputs": {}, "outputs": {"g": Y["y"]},
                                                "nodes": [["Shape", ["b"], ["n"]], ["Cast", ["n"], ["f"], {"to": 1}],
                                                          ["ReduceSum", ["f"], ["r"]], ["Add", ["a", "r"], ["g"]]]}}],
                            ["Softmax", ["c"], ["y"]]], inputs={**X, "cond": ["bool", []]},
                           outputs={**Y, "b": ["float32", [6, 4]]}),
                     (1, 4), "If", 2 * WHOLE, (2, 2 * WHOLE, 3, 3 * WHOLE)),
    "only a shape": (model([["Softmax", ["x"], ["a"]], ["EyeLike", ["a"], ["e"]], ["Mul", ["a", "e"], ["y"]]]),
                     (1, 3), "EyeLike", WHOLE, (2, 2 * WHOLE, 1, WHOLE)),
    "all on the GPU": (model([["Softmax", ["x"], ["a"]], ["Relu", ["a"], ["y"]]]), None, None, None,
                       (1, WHOLE, 1, WHOLE)),
}
problems = []


def expect(condition, *what):
    if not condition:
        problems.append(" ".join(map(str, what)))


class Program:
    def __init__(self, program, module, folder):
        self.program, self.folder = program, folder
        self.environment = {**os.environ, "OPLEDGER_CUDA_MODULE": str(module), "OPLEDGER_CUDA_EMULATED": "strict"}

    def path(self, name, description=None):
        path = self.folder / f"{name.replace(' ', '_')}.onnx"
        if description:
            path.write_bytes(model_bytes(description, self.folder))
        return path

    def run(self, *words):
        return subprocess.run([self.program, *words], env=self.environment, capture_output=True, text=True, check=False)

    def outputs(self, model_path, description, *options):
        """Returns (completed process, outputs by file)."""
        inputs = [word for name in description["inputs"] for word in ("--input", f"{name}=random")]
        with tempfile.TemporaryDirectory() as folder:
            done = self.run(model_path, *inputs, "-o", folder, *options)
            expect(done.returncode == 0, model_path.stem, options, done.stderr)
            return done, {path.name: path.read_bytes() for path in pathlib.Path(folder).iterdir()}


def counts(text):
    """Returns copies in, their bytes, copies out, their bytes; launches, captures, replays."""
    found = re.search(r"emulated CUDA: (\d+) launches, (\d+) copies in of (\d+) bytes, (\d+) copies out of (\d+) "
                      r"bytes, (\d+) recordings, (\d+) replays", text)
    numbers = [int(each) for each in found.groups()] if found else [0] * 7
    return tuple(numbers[1:5]), numbers[0], numbers[5], numbers[6]


def size(count):
    return "nothing is" if not count else f"{count} bytes are" if count < 1024 else f"{count / 1024:.1f} KiB are"


def check_case(program, name, case):
    description, share, operators, crossing, copies = case
    path = program.path(name, description)
    _, want = program.outputs(path, description, "--kernels", "reference")
    done, got = program.outputs(path, description, "--device", "cuda")
    expect(got == want, name, ": other bits:", [key for key in want if got.get(key) != want[key]])
    said = f"note: {share[0]} of {share[1]} node{' runs' if share[1] == 1 else 's run'} on the CPU" if share else ""
    if operators:
        said += f" ({operators}), {size(crossing)} copied"
    expect(said in done.stderr and ("note:" in done.stderr) == bool(share), name, "is told", done.stderr, "not", said)
    if copies:
        expect(counts(done.stderr)[0] == copies, name, "copies", counts(done.stderr)[0], "not", copies)
    _, traced = program.outputs(path, description, "--device", "cuda", "--trace")
    expect(traced == want, name, ": other bits when traced")


def check_plan(program):
    """A plan records which nodes run on the CPU, is followed, and may be edited."""
    name = "several consumers"
    description, path = CASES[name][0], program.path(name)
    _, want = program.outputs(path, description)
    first, second = program.folder / "first.json", program.folder / "second.json"
    done, _ = program.outputs(path, description, "--device", "cuda", "--write-plan", first)
    plan = json.loads(first.read_text())
    steps = plan["graphs"][0]["steps"]
    expect([s["operator"] for s in steps if s.get("device") == "cpu"] == ["Trilu", "CumSum", "Trilu"]
           or sorted(s["operator"] for s in steps if s.get("device") == "cpu") == ["CumSum", "Trilu", "Trilu"],
           "the plan has", steps)
    again, got = program.outputs(path, description, "--device", "cuda", "--plan", first, "--write-plan", second)
    expect(got == want and first.read_text() == second.read_text(), "the followed plan differs")
    expect(counts(again.stderr)[0] == counts(done.stderr)[0], "the plan copies", again.stderr, done.stderr)
    only = program.run(path, "--input", "x=random", "--device", "cuda-only", "--plan", first)
    expect(only.returncode == 2 and "cuda-only does not allow" in only.stderr, "cuda-only with a plan:", only.stderr)
    for step in steps:  # edited: all on the CPU
        step.update(device="cpu", implementation="reference")
        step.pop("instruction_set", None)
    first.write_text(json.dumps(plan))
    hand, got = program.outputs(path, description, "--device", "cuda", "--plan", first)
    expect(got == want and counts(hand.stderr)[0] == (0, 0, 0, 0) and "8 of 8 nodes" in hand.stderr,
           "by hand:", hand.stderr)
    steps[0]["device"] = "cuda"
    first.write_text(json.dumps(plan))
    wrong = program.run(path, "--input", "x=random", "--device", "cuda", "--plan", first)
    expect(wrong.returncode == 2 and "device" in wrong.stderr, "an unknown device:", wrong.stderr)


def check_inner_plan(program):
    """Nodes inside a CPU node run on the CPU, whatever a plan leaves out."""
    name = "control flow"
    description, path = CASES[name][0], program.path(name)
    _, want = program.outputs(path, description)
    plan_path = program.folder / "inner.json"
    program.outputs(path, description, "--device", "cuda", "--write-plan", plan_path)
    plan = json.loads(plan_path.read_text())
    expect(len(plan["graphs"]) == 3, "the plan has", len(plan["graphs"]), "graphs")
    for graph in plan["graphs"][1:]:
        for step in graph["steps"]:
            expect(step.pop("device", None) == "cpu", "an inner step is on", step)
    plan_path.write_text(json.dumps(plan))
    _, got = program.outputs(path, description, "--device", "cuda", "--plan", plan_path)
    expect(got == want, "an inner plan without devices differs")


def check_refusal(program):
    path = program.path("in the middle")
    done = program.run(path, "--input", "x=random", "--device", "cuda-only")
    expect(done.returncode == 2 and "node 'b' (Trilu): there is no kernel 'Trilu' for cuda" in done.stderr,
           "cuda-only:", done.stderr)
    traced = program.run(path, "--input", "x=random", "--device", "cuda", "--trace")
    expect(re.search(r"^b: Trilu \(cpu.*; not on the GPU: there is no kernel 'Trilu' for cuda\)$", traced.stdout, re.M)
           and re.search(r"^a: Softmax \(cuda\)$", traced.stdout, re.M)
           and "float32[4,6] to the CPU, 96 bytes" in traced.stdout, "the trace says", traced.stdout)


def check_recording(program):
    """From the second run on, the device's work between two CPU nodes is a capture of its own, with
    the same results, which check_case's runs cannot show."""
    description = model([["Softmax", ["x"], ["a"]], ["Transpose", ["a"], ["b"], {"perm": [1, 0]}], ["Trilu", ["b"], ["c"]],
                         ["Softmax", ["c"], ["d"]], ["Transpose", ["d"], ["e"], {"perm": [1, 0]}], ["Trilu", ["e"], ["f"]],
                         ["Softmax", ["f"], ["y"]]])
    path = program.path("recorded", description)
    runs, ways = 2, 1  # it runs twice before; no list changes it, so there are no runs with a list
    done = program.run("--bench", path, "--device", "cuda", "--runs", str(runs), "--format", "json", "--input", "x=random")
    expect(done.returncode == 0, "bench:", done.stderr)
    timings = json.loads(done.stdout or "{}").get("models", [{}])[0].get("timings", [])
    timings = [timing for timing in timings if "same_as_float32" not in timing]
    expect(len(timings) == ways and all("2 of 7 nodes run on the CPU (2 Trilu)" in t.get("on_cpu", "") for t in timings),
           "bench says", done.stdout)
    _, launches, recordings, replays = counts(done.stderr)
    expect(recordings == ways * 2 and replays % (ways * 2) == 0 and replays >= ways * 2 * (runs + 1), recordings, "recordings,", replays, "replays")
    expect(launches >= ways * (runs + 2) * 5, launches, "launches")
    text = program.run("--bench", path, "--device", "cuda", "--runs", "1", "--by-kernel", "--input", "x=random")
    expect("float32: 2 of 7 nodes run on the CPU (2 Trilu), 384 bytes are copied" in text.stdout
           and "CopyToCpu" in text.stdout, "bench says", text.stdout, text.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--every", type=int, default=1, help="ignored: the models are small")
    programs = parser.parse_args().bin.resolve()
    modules = sorted(programs.parent.rglob("opledger-cuda-emulated.so"))
    if not modules:
        print("the emulated module was not built")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        program = Program(programs / "opledger-run", modules[0], pathlib.Path(folder))
        for name, case in CASES.items():
            check_case(program, name, case)
        for check in (check_plan, check_inner_plan, check_refusal, check_recording):
            check(program)
    for problem in problems:
        print(problem)
    print(f"{len(CASES)} models on CPU and GPU")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
