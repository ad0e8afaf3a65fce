#!/usr/bin/env python3
"""Converts every trap model to float16 and bfloat16.
The result is valid, has the same inputs and outputs, is finite where the original is, and deviates
by no more than rounding explains; a second conversion changes nothing; with every node excluded,
the bytes stay the same. EDGE_CASES maps the known mistakes to models.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import collections
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import peers

# Known mistakes of converters. Those without a model give the reason.
EDGE_CASES = {
    1: "a parameter that a blocked and another node use",
    2: "a blocked last node and kept output types",
    3: "pairs of casts around a value of two blocked readers",
    4: "everything excluded is the identity, with casts in the model too",
    5: "a cast of integers in the original",
    6: "blocked nodes of float64 and of integers",
    7: "branches that capture, nested",
    8: "carried values of Loop and Scan",
    9: "one name of initializers in two branches",
    10: "one name of nodes in two branches",
    11: "nodes without names",
    12: "a weight beyond float16",
    13: "sign and infinity of weights",
    14: "epsilons that float16 has not",
    15: "masks that become infinite, rows that are masked as a whole",
    16: "the square in a normalisation",
    17: "long sums",
    18: "positions that bfloat16 has not",
    19: "Range beyond the type",
    20: "ConstantOfShape without value",
    21: "attributes that choose a type, and their absence",
    22: "Constant with value_float",
    23: "Resize and its scales, of every version",
    24: "sequences, and operators without the type",
    25: "outputs that are used inside too",
    26: "outputs of a chain of casts",
    27: "functions of the model's own",
    28: "quantized nodes before opset 19",
    29: "values that are 16 bits already",
    30: "constants into casts",
    31: "external data (2 GB and more: tests/bench/convert_benchmark.py)",
    32: "bfloat16 that an operator has only from a later opset on",
    33: "statistics of batch normalisation",
    34: "a parameter used twice, as output, as input",
    35: "attributes that are absent",
    36: "no state is left for the next conversion: each is a process of its own",
    37: "amp_multicast is MXNet's",
    38: "integers beside floats",
    39: "one tensor at two positions of different rules",
    40: "parameters shared across target and excluded layers",
    41: "kernels that a runtime lacks: --profile, tests/golden/convert",
    42: "reading variables in training loops is TensorFlow's; there are none in ONNX",
    43: "a rewrite that no type check sees: every conversion here is checked by its own verifier",
    44: "shapes that nobody knows",
    45: "converting twice",
    46: "a blocked node that uses a value twice",
    47: "recurrent networks; MXNet's bucketing has no ONNX form",
}
WITHOUT_MODEL = {36, 37, 41, 42, 43}

try:
    import numpy
    import onnx
    import onnxruntime
    import onnx.inliner
    import onnx.reference
except ImportError:
    onnx = None


def borders(model):
    return [(each.name, each.type.SerializeToString())
            for each in [*model.graph.input, *model.graph.output]]


def run(model, feed):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options,
                                           providers=["CPUExecutionProvider"])
    return session.run(None, feed)


def low_nodes(graph, outer, low):
    """Yields (operator, whether an input is of type `low`) of all nodes, including inner graphs."""
    types = dict(outer)
    for each in [*graph.input, *graph.value_info, *graph.output]:
        types[each.name] = each.type.tensor_type.elem_type
    types.update((each.name, each.data_type) for each in graph.initializer)
    for node in graph.node:
        yield node.op_type, any(types.get(name) == low for name in node.input)
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from low_nodes(attribute.g, types, low)


class Conversions:
    def __init__(self, program, folder, dtype):
        self.program, self.folder, self.dtype = program, folder, dtype
        self.low = getattr(onnx.TensorProto, dtype.upper())
        self.counts = collections.Counter()
        self.problems = []

    def expect(self, condition, *what):
        if not condition:
            self.problems.append(" ".join(map(str, (self.dtype, *what))))
        return condition

    def list_with_target(self, operators):
        """Returns a list with these operators as target. --target-ops would override the hazards."""
        path = self.folder / f"{'-'.join(operators)}.json"
        shipped = self.program.parent.parent / f"share/opledger/lists/onnx/{self.dtype}.json"
        shutil.copy(shipped, self.folder / "shipped.json")
        path.write_text(json.dumps({"framework": "onnx", "target_dtype": self.dtype, "extends": "shipped.json",
                                    "target": operators}), encoding="utf-8")
        return path

    def convert(self, model, name, *arguments):
        if "--target-ops" in arguments:
            at = arguments.index("--target-ops")
            arguments = (*arguments[:at], "--list", self.list_with_target(arguments[at + 1].split(",")),
                         *arguments[at + 2:])
        out = self.folder / name
        done = subprocess.run([self.program, model, "-o", out, "--target-dtype", self.dtype,
                               # ONNX Runtime has no kernel of Random* 22.
                               *(["--opset", "keep"] if self.dtype == "bfloat16" and "random" in model.name else []),
                               *arguments], capture_output=True, text=True, check=False)
        self.expect(done.returncode == 0 and (not done.stderr or "warning: none of its" in done.stderr), model.name, done.stderr)
        return out if done.returncode == 0 else None

    def compare(self, trap, found, expected, how):
        for at, (value, exact) in enumerate(zip(found, expected)):
            name = f"{trap.name}: output {at} by {how}"
            same = value.shape == exact.shape and (value.dtype == exact.dtype or
                                                   how != "ONNX Runtime")
            if not self.expect(same, name, "is", value.dtype, value.shape):
                continue
            if trap.random or exact.dtype.kind != "f":
                continue
            value, exact = value.astype(numpy.float64), exact.astype(numpy.float64)
            finite = numpy.isfinite(exact)
            self.expect((numpy.isfinite(value) == finite).all(), name, "is not finite where the original is")
            self.expect((value[~finite] == exact[~finite]).all(), name, "has another infinity")
            width = exact[finite].max(initial=0) - exact[finite].min(initial=0)
            finite &= numpy.isfinite(value)
            worst = numpy.abs(value[finite] - exact[finite]).max(initial=0)
            self.expect(worst <= trap.error * width, name, f"deviates by {worst:.3g} of {width:.3g}")

    def run_rounded(self, trap, model, feed, expected):
        """If there are no kernels of the type: runs with explicit rounding, otherwise with onnx's
        evaluator."""
        from explicit_rounding import explicitly_rounded
        try:
            rounded = explicitly_rounded(model)
        except (ValueError, onnx.shape_inference.InferenceError):
            found = onnx.reference.ReferenceEvaluator(model).run(None, feed)
            self.counts["by onnx's evaluator"] += 1
            self.compare(trap, found, expected, "evaluation")
            return
        self.counts["rounded explicitly"] += 1
        self.compare(trap, run(rounded, feed), expected, "explicit rounding")

    def check(self, trap):
        self.counts["models"] += 1
        path = self.folder / f"{trap.name}.onnx"
        model = trap.model()
        feed = trap.feed(model)
        expected = run(model, feed)
        where = {"save_as_external_data": True, "location": f"{trap.name}.data",
                 "size_threshold": 0} if trap.external else {}
        onnx.save(model, path, **where)
        if self.dtype == "float16":
            kept = self.convert(path, "kept.onnx", "--exclude", ".*")
            self.expect(kept and kept.read_bytes() == path.read_bytes(), trap.name,
                        "changes, all excluded")
        out = self.convert(path, f"{trap.name}.{self.dtype}.onnx", *trap.arguments)
        if out is None:
            return
        twice = self.convert(out, "twice.onnx", *trap.arguments)
        self.expect(twice and twice.read_bytes() == out.read_bytes(), trap.name, "changes again")
        self.expect(self.dtype not in trap.low or out.read_bytes() != path.read_bytes(), trap.name,
                    "is not converted")
        onnx.checker.check_model(str(out), full_check=self.dtype == "float16")
        result = onnx.load(out)
        self.expect(borders(result) == borders(onnx.load(path)), trap.name,
                    "has other inputs or outputs")
        typed = onnx.shape_inference.infer_shapes(onnx.inliner.inline_local_functions(result))
        nodes = list(low_nodes(typed.graph, {}, self.low))
        for op in trap.runs_low:
            self.expect((op, True) in nodes, trap.name, "has no 16-bit node of", op)
        for op, low in nodes:
            self.counts["low nodes"] += low and op != "Cast"
            self.expect(not low or op not in trap.keep, trap.name, op, "runs low")
        if self.dtype == "float16":
            self.compare(trap, run(result, feed), expected, "ONNX Runtime")
        self.run_rounded(trap, result, feed, expected)


def check_table(traps):
    """Returns problems of the table of edge cases."""
    stands = collections.defaultdict(list)
    for trap in traps:
        for number in trap.numbers:
            stands[number].append(trap.name)
    missing = set(EDGE_CASES) - set(stands) - WITHOUT_MODEL
    problems = [f"edge case {number} has no model" for number in sorted(missing)]
    problems += [f"there is no edge case {number}" for number in set(stands) - set(EDGE_CASES)]
    return problems, stands


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--every", type=int, default=1, help="only every Nth model")
    parser.add_argument("--only", help="only the model of this name")
    parser.add_argument("--table", action="store_true", help="print which model covers which edge case")
    options = parser.parse_args()
    if onnx is None:
        peers.require(options.bin, "onnx", "onnxruntime")
    from trap_networks import NETWORKS
    from trap_models import TRAPS
    from trap_models_structure import STRUCTURE_TRAPS
    onnxruntime.set_default_logger_severity(4)
    traps = [*TRAPS, *STRUCTURE_TRAPS, *NETWORKS]
    problems, stands = check_table(traps)
    if options.table:
        for number, what in EDGE_CASES.items():
            print(f"{number:2} {what}: {', '.join(stands[number]) or '-'}")
    traps = [trap for trap in traps if options.only in (None, trap.name)][::options.every]
    for dtype in ("float16", "bfloat16"):
        with tempfile.TemporaryDirectory(prefix="opledger-traps-") as folder:
            program = options.bin.resolve() / "opledger-convert"
            conversions = Conversions(program, pathlib.Path(folder), dtype)
            for trap in traps:
                conversions.check(trap)
            counts = ", ".join(f"{count} {what}" for what, count in conversions.counts.items())
            print(f"{dtype}: {counts}, {len(conversions.problems)} problems")
            problems += conversions.problems
    print("\n".join(problems[:80]), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
