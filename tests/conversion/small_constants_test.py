#!/usr/bin/env python3
"""Tests --small-constants clamp.
Constants that float16 would round to zero become 2^-24 with their sign where they are written in 16
bits, and the rest of the file is rounded as usual. Guarded models are finite where float32 is, run
in 16 bits at the guard, yield the bits of `run --autocast`, and `revert` restores the original.

    tests/conversion/small_constants_test.py --bin build/bin [--every N] [--only PART]
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/conversion/values"), str(ROOT / "tests/conversion")]
import peers  # noqa: E402
from make_onnx import model_bytes  # noqa: E402

try:
    import numpy
    import onnx
    import onnx.numpy_helper
    import onnxruntime
except ImportError:
    onnx = None

CLAMP = ("--small-constants", "clamp")
LEAST = 2.0 ** -24
F = "float32"
WRONG = ("not finite where float32 is", "another type or shape", "refused", "does not run")
# Exactly 2^-25 is a tie, which rounds to zero; the next larger value does not.
NUMBERS = (1e-12, -1e-12, 0.0, -0.0, 1e-40, -1e-45, 2.0 ** -25, float.fromhex("0x1.000002p-25"), 2.0 ** -24, 1e-7, 1.0,
           -65504.0, float("inf"))
# Nodes after a guard of 1e-12 added to |x|, and which of them run low. Products prefer 16 bits.
CHAINS = {
    "root": ([["Sqrt", ["e"], ["r"]], ["Div", ["m", "r"], ["u"]]], {"guard", "u"}),
    # 1 / 2^-24 overflows float16: the overflowing node stays in float32, its guard does not.
    "quotient": ([["Div", ["one", "e"], ["u"]]], {"guard"}),
    "logarithm": ([["Log", ["e"], ["u"]]], {"guard"}),
}


class Test:
    def __init__(self, programs, folder):
        self.programs, self.folder, self.problems = programs, folder, []

    def expect(self, holds, *what):
        if not holds:
            self.problems.append(" ".join(map(str, what)))

    def call(self, program, *words):
        return subprocess.run([self.programs / program, *words], capture_output=True, text=True, check=False)

    def convert(self, path, out, *words):
        done = self.call("opledger-convert", path, "-o", out, *CLAMP, *words)
        self.expect(done.returncode == 0, path.name, done.stderr)
        return done.stdout

    def same_bits(self, name, path, mixed, feeds):
        outputs = []
        for model, words in ((mixed, ()), (path, ("--autocast", "float16", *CLAMP))):
            given, out = [], self.folder / f"of {len(outputs)}"
            shutil.rmtree(out, ignore_errors=True)
            for key, value in feeds.items():
                numpy.save(self.folder / f"{key}.npy", value)
                given += ["--input", f"{key}={self.folder / key}.npy"]
            done = self.call("opledger-run", model, *given, "-o", out, *words)
            self.expect(done.returncode == 0, name, done.stderr)
            outputs.append({each.name: each.read_bytes() for each in out.iterdir()} if done.returncode == 0 else None)
        self.expect(outputs[0] == outputs[1], name, "autocast gives other bits")

    def reverts(self, name, path, mixed, sidecar):
        back = self.folder / "back.onnx"
        done = self.call("opledger-convert", "--revert", mixed, "-o", back, "--sidecar", sidecar)
        self.expect(done.returncode == 0 and back.read_bytes() == path.read_bytes(), name, "is not restored",
                    done.stderr)


def clamped(numbers):
    with numpy.errstate(over="ignore"):
        halves = numbers.astype(numpy.float16)
    lost = (halves == 0) & (numbers != 0)
    return numpy.where(lost, numpy.copysign(numpy.float16(LEAST), numbers), halves).astype(numpy.float16)


def check_numbers(test):
    """Compares every element with numpy's clamping: in an initializer, inline and external, one
    also used in float32, and Constants of each kind."""
    numbers = list(NUMBERS)
    for where in ([], ["data.bin"]):
        folder = test.folder / f"numbers{len(where)}"
        folder.mkdir()
        path, mixed, sidecar = folder / "m.onnx", folder / "low.onnx", folder / "m.sidecar"
        path.write_bytes(model_bytes({
            "opset": 17, "inputs": {"x": [F, [1, len(numbers)]]}, "outputs": {"y": [F, [1, len(numbers)]],
                                                                             "s": [F, [1, len(numbers)]]},
            "initializers": {"w": [F, [1, len(numbers)], numbers, *where],
                             "both": [F, [1, len(numbers)], numbers, *where]},
            "nodes": [["Constant", [], ["c"], {"value": {"tensor": [F, [1], [1e-9]]}}],
                      ["Constant", [], ["f"], {"value_float": -1e-9}],
                      ["Constant", [], ["l"], {"value_floats": [1e-9, 0.5]}],
                      ["Add", ["x", "w"], ["a"]], ["Add", ["a", "c"], ["b"]], ["Add", ["b", "f"], ["d"]],
                      ["ReduceMax", ["l"], ["k"], {"name": "k"}], ["Add", ["d", "k"], ["g"]],
                      ["Add", ["g", "both"], ["y"]], ["Add", ["x", "both"], ["s"], {"name": "high"}]]}, folder))
        said = test.convert(path, mixed, "--target-ops", "Add,ReduceMax", "--exclude", "^high$", "--sidecar", sidecar)
        lost = int(((numpy.float32(numbers) != 0) & (numpy.abs(numpy.float32(numbers)) <= LEAST / 2)).sum())
        line = f"  --small-constants clamp: {2 * lost + 3} elements of 5 parameters raised to 5.96e-08\n"
        test.expect(line in said, "numbers:", said, "instead of", line)
        original, model = onnx.load(path), onnx.load(mixed)
        floats = {each.name: onnx.numpy_helper.to_array(each) for each in original.graph.initializer}
        found = {each.name: onnx.numpy_helper.to_array(each) for each in model.graph.initializer}
        for name, of in (("w", "w"), ("both__float16", "both"), ("both", None)):
            right = clamped(floats[of]) if of else floats[name]
            test.expect(found[name].tobytes() == right.tobytes(), "numbers:", name, found[name], "instead of", right)
        constants = {node.output[0]: onnx.numpy_helper.to_array(node.attribute[0].t).ravel().tolist()
                     for node in model.graph.node if node.op_type == "Constant"}
        test.expect(constants == {"c": [LEAST], "f": [-LEAST], "l": [LEAST, 0.5]}, "numbers: Constants", constants)
        test.reverts("numbers", path, mixed, sidecar)
        done = test.call("opledger-convert", "--revert", mixed, "-o", folder / "plain.onnx")
        names = done.returncode or [each.name for each in onnx.load(folder / "plain.onnx").graph.initializer]
        test.expect(names == ["w", "both"], "numbers: without a sidecar the copy stays", names, done.stderr)


def check_chains(test):
    for name, (nodes, wanted) in CHAINS.items():
        path, mixed, sidecar = (test.folder / f"{name}.{end}" for end in ("onnx", "low.onnx", "sidecar"))
        report = test.folder / "report.json"
        weight = numpy.random.default_rng(1).standard_normal(16).astype(numpy.float32).tolist()
        path.write_bytes(model_bytes({
            "opset": 17, "inputs": {"x": [F, [2, 4]]}, "outputs": {"y": [F, [2, 4]]},
            "initializers": {"w": [F, [4, 4], weight], "eps": [F, [], [1e-12]], "one": [F, [], [1.0]]},
            "nodes": [["MatMul", ["x", "w"], ["m"]], ["Abs", ["m"], ["q"]],
                      ["Add", ["q", "eps"], ["e"], {"name": "guard"}], *nodes, ["MatMul", ["u", "w"], ["y"]]]}))
        words = ("--target-ops", "Sqrt,Abs", "--report", report)
        kept = test.call("opledger-convert", path, "--dry-run", *words)
        before = {each["name"] for each in json.loads(report.read_text())["nodes"] if each["precision"] == "float16"}
        test.expect("guard" not in before, name, "keep has the guard low", kept.stdout)
        test.convert(path, mixed, "--sidecar", sidecar, *words)
        told = json.loads(report.read_text())
        low = {each["name"] for each in told["nodes"] if each["precision"] == "float16"}
        test.expect(wanted <= low and ("u" in low) == ("u" in wanted), name, "low are", sorted(low))
        raised = {each["tensor"]: each["rounding"]["raised"] for each in told["parameters"]}
        test.expect(raised.get("eps") == 1 and raised["w"] == 0, name, "the report says", raised)
        x = numpy.zeros((2, 4), numpy.float32)
        x[1] = (1, -2, 0.5, 3)
        session = onnxruntime.InferenceSession(str(mixed), providers=["CPUExecutionProvider"])
        before, = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"]).run(None, {"x": x})
        after, = session.run(None, {"x": x})
        near = numpy.isfinite(after).all() and numpy.allclose(after[1], before[1], rtol=0.02, atol=0.02)
        test.expect(near, name, "gives", after, "instead of", before)
        test.reverts(name, path, mixed, sidecar)


def check_high_guard(test):
    """A guard that stays in float32 because of its neighbors is cast unchanged: a low node that
    reads it would not be guarded, and so stays in float32."""
    path, mixed, listed = (test.folder / name for name in ("high.onnx", "high.low.onnx", "list.json"))
    path.write_bytes(model_bytes({
        "opset": 17, "inputs": {"x": [F, [2, 4]], "w": [F, [4, 4]]}, "outputs": {"y": [F, [2, 4]], "z": [F, [2, 4]]},
        "initializers": {"eps": [F, [], [1e-12]]},
        "nodes": [["Softmax", ["x"], ["q"]], ["Add", ["q", "eps"], ["e"], {"name": "guard"}],
                  ["Softmax", ["e"], ["f"]], ["Softmax", ["e"], ["g"], {"axis": 0}], ["Add", ["f", "g"], ["z"]],
                  ["Log", ["e"], ["l"], {"name": "log"}], ["MatMul", ["l", "w"], ["y"]]]}))
    listed.write_text(json.dumps({"framework": "onnx", "target_dtype": "float16", "target": ["MatMul", "Log"],
                                  "fp32": ["Softmax"], "widest": ["Add"]}))
    test.convert(path, mixed, "--list", listed)
    x = numpy.float32([[0, 60, 0, 0], [1, 2, 3, 4]])
    feeds = {"x": x, "w": numpy.eye(4, dtype=numpy.float32)}
    from verdict import npy_run  # ONNX Runtime removes a cast to float16 and back
    after = npy_run(test.programs / "opledger-run", mixed, feeds, test.folder)[0]
    test.expect(numpy.isfinite(after).all(), "high:", after)


def check_plans(test):
    """A recorded plan applies only with the same choice of clamped or unclamped constants."""
    path, plan = test.folder / "root.onnx", test.folder / "plan.json"
    words = ("--input", "x=random", "--autocast", "float16")
    done = test.call("opledger-run", path, *words, *CLAMP, "--write-plan", plan)
    test.expect(done.returncode == 0, "plan:", done.stderr)
    test.expect(test.call("opledger-run", path, *words, *CLAMP, "--plan", plan).returncode == 0, "plan: does not run")
    done = test.call("opledger-run", path, *words, "--plan", plan)
    test.expect(done.returncode == 2 and "--small-constants clamp, but the model" in done.stderr, "plan:", done.stderr)


def check_mxnet(test):
    """A parameter changed in place and one also kept in float32, in an archive; the bits of
    autocast; and revert."""
    folder, rng = test.folder, numpy.random.default_rng(3)
    floats = {"w": rng.standard_normal((4, 4)).astype(numpy.float32), "eps": numpy.float32([1e-12, -1e-12, 0, 0.5])}
    floats["w"][0, 0] = -1e-9
    numpy.savez(folder / "net-0000.npz", **{f"arg:{name}": each for name, each in floats.items()})
    nodes = [("null", "data", []), ("null", "w", []), ("FullyConnected", "fc", [0, 1]), ("abs", "a", [2]),
             ("null", "eps", []), ("broadcast_add", "guard", [3, 4]), ("FullyConnected", "low", [5, 1]),
             ("exp", "e", [4]), ("broadcast_add", "sum", [6, 7])]
    layer = {"attrs": {"no_bias": "True", "num_hidden": "4"}}
    (folder / "net-symbol.json").write_text(json.dumps({
        "nodes": [{"op": op, "name": name, "inputs": [[each, 0, 0] for each in inputs],
                   **(layer if op == "FullyConnected" else {})} for op, name, inputs in nodes],
        "arg_nodes": [0, 1, 4], "heads": [[8, 0, 0]], "attrs": {"mxnet_version": ["int", 20000]}}))
    net, params = folder / "net-symbol.json", ("--params", folder / "net-0000.npz")
    said = test.convert(net, folder / "low", *params, "--sidecar", folder / "net.sidecar")
    test.expect("3 elements of 2 parameters raised to 5.96e-08" in said, "mxnet:", said)
    found = dict(numpy.load(folder / "low-0000.npz"))
    for name, of in (("arg:w", "w"), ("arg:eps__float16", "eps")):
        test.expect(name in found and found[name].tobytes() == clamped(floats[of]).tobytes(), "mxnet:", name, found)
    test.expect(found["arg:eps"].tobytes() == floats["eps"].tobytes(), "mxnet: eps", found)
    x = rng.standard_normal((2, 4)).astype(numpy.float32)
    numpy.save(folder / "data.npy", x)
    outputs = []
    for model, words in ((folder / "low-symbol.json", ("--params", folder / "low-0000.npz")),
                         (net, (*params, "--autocast", "float16", *CLAMP))):
        out = folder / f"mxnet {len(outputs)}"
        done = test.call("opledger-run", model, *words, "--input", f"data={folder / 'data.npy'}", "-o", out)
        test.expect(done.returncode == 0, "mxnet:", done.stderr)
        outputs.append([each.read_bytes() for each in out.iterdir()])
    test.expect(outputs[0] == outputs[1], "mxnet: autocast gives other bits")
    back = folder / "back"
    back.mkdir()
    done = test.call("opledger-convert", "--revert", folder / "low-symbol.json", "-o", back / "net", "--sidecar",
                     folder / "net.sidecar", "--params", folder / "low-0000.npz")
    same = done.returncode == 0 and all((back / each.name).read_bytes() == each.read_bytes()
                                        for each in (net, folder / "net-0000.npz"))
    test.expect(same, "mxnet: is not restored", done.stderr)


def check_guarded(test, options):
    from guarded_models import guarded_model, name_of, names
    from verdict import Judge
    chosen = [each for each in names() if options.only in name_of(*each)][::options.every]
    judge = Judge(test.programs, test.folder, "float16")
    for each in chosen:
        case = guarded_model(*each)
        case.words = (*case.words, *CLAMP)
        verdict = judge.judge(case)
        test.expect(verdict.text not in WRONG, case.name, verdict.text, verdict.detail)
        path, mixed, sidecar = (test.folder / name for name in ("model.onnx", "converted.onnx", "sidecar"))
        if verdict.text == "unchanged" or verdict.text in WRONG:
            continue
        test.convert(path, mixed, "--sidecar", sidecar, "--inline-functions")  # as they are run
        test.same_bits(case.name, path, mixed, case.feeds)
        test.reverts(case.name, path, mixed, sidecar)
    test.expect(chosen, "no model is selected")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--every", type=int, default=1, help="only every Nth guarded model")
    parser.add_argument("--only", default="", help="only guarded models whose names contain this")
    options = parser.parse_args()
    if onnx is None:
        peers.require(options.bin, "onnx", "onnxruntime")
    onnxruntime.set_default_logger_severity(4)
    with tempfile.TemporaryDirectory(prefix="opledger-clamp-") as folder:
        test = Test(options.bin.resolve(), pathlib.Path(folder))
        for check in (check_numbers, check_chains, check_high_guard, check_plans, check_mxnet,
                      lambda each: check_guarded(each, options)):
            check(test)
    print("\n".join(test.problems[:40]), end="\n" if test.problems else "")
    return 1 if test.problems else 0


if __name__ == "__main__":
    sys.exit(main())
