#!/usr/bin/env python3
"""Results of an operator lie in the range that its range function returns.
Range functions (kOperators in conversion/model/operators) take the ranges of the operands. Runs
each operator of the table in ONNX Runtime on random values of random ranges (transfer_draws.py),
with random attributes and shapes (transfer_cases.py), and compares every result with `opledger
inspect MODEL --values`.

    tests/conversion/values/transfer_test.py --bin build/bin [--numbers N] [--only OPERATOR ...] [--seed N]

A new record of the table needs a case, or a reason why it has none, in transfer_cases.py. --table
prints the number of results of each operator.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/conversion")]
import peers
import value_check

try:
    import numpy
    import onnx
    import onnxruntime
    import accuracy
except ImportError:
    onnx = onnxruntime = None

TABLE = ROOT / "conversion/model/operators/operators.cpp"
NODES = 12  # per model
MODELS = 60  # at most, for operators with one element per result
RUNS = 2


def operators_with_ranges():
    rows = re.findall(r'^    (?:\{"([\w.]+)", \w+|Unary\("(\w+)"), (\w+)(?:, \w+)?[})]', TABLE.read_text(encoding="utf-8"),
                      re.MULTILINE)
    return [name or unary for name, unary, ranges in rows if ranges != "nullptr"]


def table_problems(cases, not_run):
    names = operators_with_ranges()
    cases = list(dict.fromkeys(each.partition("@")[0] for each in cases))
    yield from (f"{name}: no case in transfer_cases.py" for name in names if name not in cases and name not in not_run)
    yield from (f"{name}: has no range function" for name in [*cases, *not_run] if name not in names)
    yield from (f"{name}: has a case and a reason" for name in cases if name in not_run)


def with_outputs(draws):
    """Returns the model with all computed tensors as outputs."""
    imports = [onnx.helper.make_opsetid("", draws.opset), onnx.helper.make_opsetid("com.microsoft", 1)]
    model = onnx.helper.make_model(draws.graph(), ir_version=10, opset_imports=imports)
    inferred = onnx.shape_inference.infer_shapes(model)
    types = {each.name: each.type.tensor_type.elem_type for each in inferred.graph.value_info
             if each.type.HasField("tensor_type")}
    types.update(draws.typed)
    outputs = [name for node in draws.nodes for name in node.output if types.get(name)
               and types[name] not in (onnx.TensorProto.BFLOAT16, onnx.TensorProto.FLOAT8E4M3FN,
                                       onnx.TensorProto.FLOAT8E5M2)]
    model.graph.output.extend(onnx.helper.make_tensor_value_info(name, types[name], None) for name in outputs)
    return model


def described(draws, name):
    """Describes the node that computes a value, and what is known about its operands."""
    node = next((node for node in draws.nodes if name in node.output), None)
    if node is None:
        return ""
    parts = []
    for each in node.input:
        operand = draws.operands.get(each)
        constant = next((onnx.numpy_helper.to_array(w) for w in draws.initializers if w.name == each), None)
        if operand is not None:
            parts.append(f"{operand.dtype}{list(operand.shape)} in {operand.range or 'any'}")
        elif constant is not None:
            parts.append(f"{constant.dtype}{list(constant.shape)} of {constant.reshape(-1)[:4].tolist()}")
        else:
            parts.append(each or "-")
    attributes = ", ".join(f"{each.name}={onnx.helper.get_attribute_value(each)}" for each in node.attribute)
    return f"{node.op_type}({'; '.join(parts)}) {attributes}"


class Transfers:
    def __init__(self, programs, folder, options):
        self.programs, self.folder, self.options = programs, folder, options
        self.counts, self.problems, self.vacuous = {}, [], {}

    def said(self, model, draws):
        path = self.folder / "model.onnx"
        path.write_bytes(model.SerializeToString())
        words = [word for each in draws.ranges() for word in ("--input-range", each)]
        done = subprocess.run([self.programs / "opledger", "inspect", path, "--values", "--format", "json", *words],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            self.problems.append(f"inspect: {done.stderr.strip()}")
            return None
        return value_check.read_values(json.loads(done.stdout))

    def judge(self, name, draws, said, session):
        """Checks one run; returns how many results were compared."""
        feeds = draws.feeds()
        results = session.run(None, feeds)
        compared = 0
        for output, array in zip(session.get_outputs(), results):
            record = said.get(output.name, {}).get("float32")
            if record is None:
                self.problems.append(f"{name}: nothing is reported for {described(draws, output.name)}")
                continue
            compared += numpy.size(array)
            self.vacuous[name] = self.vacuous.get(name, 0) + is_unknown(record)
            for text in value_check.violations(record, array):
                self.problems.append(f"{name}: {text}: {described(draws, output.name)}, seed {draws.seed}")
        return compared

    def model(self, name, write, seed):
        """Runs a model of the operator on some inputs; returns how many results were compared."""
        from transfer_draws import Draws
        opset = getattr(write, "opset", 21)
        draws = Draws(seed, opset)
        draws.seed = seed
        for _ in range(NODES):
            write(draws)
        model = with_outputs(draws)
        said = self.said(model, draws)
        if said is None:
            return 0
        try:
            session = accuracy.loaded(model)
            return sum(self.judge(name, draws, said, session) for _ in range(RUNS))
        except Exception as error:  # each peer raises its own exceptions
            self.problems.append(f"{name}: ONNX Runtime, seed {seed}: {str(error)[:300]}")
            return 0

    def operator(self, name, write):
        count = 0
        first = zlib.crc32(name.encode()) + 1000003 * self.options.seed
        for at in range(MODELS * max(1, self.options.numbers // 2000)):
            count += self.model(name, write, first + at)
            if count >= self.options.numbers or sum(each.startswith(name + ":") for each in self.problems) > 9:
                break
        self.counts[name] = count
        if count == 0:
            self.problems.append(f"{name}: no result was compared")


def is_unknown(record):
    return record["low"] == "-inf" and record["high"] == "inf"


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--numbers", type=int, default=100000, help="results of each operator")
    parser.add_argument("--only", nargs="+", help="only these operators")
    parser.add_argument("--seed", type=int, default=0, help="other draws")
    parser.add_argument("--table", action="store_true", help="print how many results were compared")
    parser.add_argument("--fast", action="store_true", help="stop at the first operator with a problem")
    return parser.parse_args()


def main():
    options = read_options()
    if onnx is None:
        peers.require(options.bin, "onnx", "onnxruntime")
    onnxruntime.set_default_logger_severity(4)
    from transfer_cases import CASES, NOT_RUN
    with tempfile.TemporaryDirectory(prefix="opledger-transfer-") as folder:
        transfers = Transfers(options.bin.resolve(), pathlib.Path(folder), options)
        transfers.problems += [*value_check.self_check(), *table_problems(CASES, NOT_RUN)]
        for name, write in CASES.items():
            if options.only is None or name.partition("@")[0] in options.only:
                transfers.operator(name, write)
            if options.fast and transfers.problems:
                break
    if options.table:
        for name, count in transfers.counts.items():
            print(f"{name:30} {count:8}  {transfers.vacuous.get(name, 0)} values unbounded")
    problems = transfers.problems
    operators = {name.partition("@")[0] for name in transfers.counts}
    print(f"{len(operators)} operators, {sum(transfers.counts.values())} results, {len(problems)} problems")
    print("\n".join(problems[:200]), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
