#!/usr/bin/env python3
"""Runs all of ONNX's node tests, as the package onnx generates them, with `opledger-run`: at least
95 % of those with ordinary types pass, each of the others is refused with a reason, and none is
wrong.

Ordinary: tensors of bool, integers of 8 to 64 bits and floats of 16 to 64, in opset 26 or older; no
strings, no images, no classical models (ai.onnx.ml), no previews, no sequences or optionals, no
random outputs. Prints the reasons with their counts. Exit status: 0 success, 1 failure, 77 the
Python package onnx is missing.
"""
# SPDX-License-Identifier: Apache-2.0

import collections
import concurrent.futures
import os
import pathlib
import sys
import tempfile
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/conversion")]
import peers  # noqa: E402
from model_run import read_arguments  # noqa: E402
from onnx_nodes_test import run_case  # noqa: E402

# Number of passing tests with onnx 1.23. If more pass, raise it.
PASSING, ORDINARY_SHARE = 1643, 0.95
LAST_OPSET = 26
PREVIEWS = ("ai.onnx.preview", "ai.onnx.preview.training", "ai.onnx.training")
AT_RANDOM = ("Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike")
# Number of refused tests, by kind of model; "other": ordinary ones.
REFUSED = {"ai.onnx.ml": 8, "image": 9, "list": 0, "newer": 0, "other": 3, "preview": 18, "random": 10, "small type": 164,
           "text": 29}


def make_cases(folder):
    """Writes the files of all node tests with onnx."""
    from onnx.backend.test import cmd_tools
    from onnx.backend.test.case import model as model_cases, node as node_cases
    warnings.simplefilter("ignore")
    collected = node_cases.collect_testcases(None)
    model_cases.collect_testcases = lambda: collected
    arguments, sys.argv = sys.argv, ["onnx", "generate-data", "-o", str(folder)]
    cmd_tools.main()
    sys.argv = arguments
    return sorted((pathlib.Path(folder) / "node").iterdir())


def nodes_of(graph):
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from nodes_of(attribute.g)


def kind_of(case, onnx):
    """Returns "ordinary", or the kind of a test that is not."""
    model = onnx.load(case / "model.onnx", load_external_data=False)
    nodes = list(nodes_of(model.graph)) + [node for function in model.functions for node in function.node]
    domains, operators = {node.domain for node in nodes}, {node.op_type for node in nodes}
    values = [*model.graph.input, *model.graph.output]
    names = {onnx.TensorProto.DataType.Name(value.type.tensor_type.elem_type) for value in values}
    casts = {onnx.TensorProto.DataType.Name(attribute.i) for node in nodes for attribute in node.attribute
             if attribute.name in ("to", "output_dtype") and attribute.i}
    if "ai.onnx.ml" in domains:
        return "ai.onnx.ml"
    if domains & set(PREVIEWS):
        return "preview"
    if "ImageDecoder" in operators:
        return "image"
    if operators & set(AT_RANDOM) or case.name.startswith("test_training_dropout"):
        return "random"
    if any(not value.type.HasField("tensor_type") for value in values):
        return "list"
    if "STRING" in names or operators & {"TfIdfVectorizer"}:
        return "text"
    ordinary = {"BOOL", "FLOAT", "FLOAT16", "BFLOAT16", "DOUBLE"} | {f"{u}INT{bits}" for u in ("", "U")
                                                                  for bits in (8, 16, 32, 64)}
    if (names | casts) - ordinary:
        return "small type"
    if any(opset.version > LAST_OPSET for opset in model.opset_import if opset.domain in ("", "ai.onnx")):
        return "newer"
    return "ordinary"


def main():
    options = read_arguments(__doc__, "kernels")
    try:
        import onnx
    except ImportError:
        peers.require(options.bin, "onnx")
    program = options.bin.resolve() / "opledger-run"
    counts, ordinary, lines = collections.Counter(), collections.Counter(), []
    reasons = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        cases = [case for case in make_cases(folder) if options.only in case.name][::options.every]
        results = pool.map(lambda case: run_case(case, program, options.kernels), cases)
        for case, (what, why) in zip(cases, results):
            kind = kind_of(case, onnx)
            counts[what] += 1
            if kind == "ordinary":
                ordinary[what] += 1
            if what == "fail":
                lines.append(f"{case.name}: {why}")
            elif what == "none":
                reasons["other" if kind == "ordinary" else kind].append(f"{case.name}: {why}")
    for kind, said in sorted(reasons.items()):
        print(f"{len(said):4} refused: {kind}")
        for line in said if options.only or kind == "other" else []:
            print(f"       {line}")
    share = ordinary["pass"] / max(1, sum(ordinary.values()))
    print("\n".join([*lines, f"{counts['pass']} of {sum(counts.values())} node tests pass, {counts['none']} are refused, "
                     f"{counts['fail']} are wrong; of {sum(ordinary.values())} ordinary ones {ordinary['pass']} pass "
                     f"({100 * share:.1f} %)"]))
    pinned = f"onnx=={onnx.__version__}\n" in (ROOT / "ci/peers.txt").read_text(encoding="utf-8")
    # the counts are those of the pinned version's tests
    if options.only or options.every != 1 or not pinned:
        return 1 if counts["fail"] else 0
    for kind, said in reasons.items():
        if len(said) > REFUSED[kind]:
            lines.append(kind)
            print(f"of {kind} {REFUSED[kind]} were refused before")
    if counts["pass"] < PASSING:
        print(f"{PASSING} passed before")
    return 1 if lines or counts["pass"] < PASSING or share < ORDINARY_SHARE else 0


if __name__ == "__main__":
    sys.exit(main())
