#!/usr/bin/env python3
"""python -m opledger.evidence: its measurements of operators of numpy, ONNX Runtime, MXNet and
PyTorch, and of a user's function, are correct; and `opledger check --evidence` accepts them."""
# SPDX-License-Identifier: Apache-2.0

import json
import math
import os
import subprocess
import sys

from in_python import PACKAGE, ROOT, Skip, expect, go_on_where_there_are, has, main, raises, use

SCHEMA = ROOT / "schemas/measurements.schema.json"
# Sums in the type itself, and in float32: the first saturates in float16 at 2048.
OWN = '''
import numpy
def by_steps(rows):
    total = numpy.zeros(rows.shape[0], rows.dtype)
    for column in range(rows.shape[1]):
        total = (total + rows[:, column]).astype(rows.dtype)
    return total / rows.dtype.type(rows.shape[1])
def wide(rows):
    kind = rows.dtype if rows.dtype == numpy.float64 else numpy.float32
    return rows.astype(kind).mean(1).astype(rows.dtype)
def shout(rows):
    if rows.dtype.itemsize == 2:
        raise TypeError("\\x1b[2J no half precision\\nhere")
    return numpy.exp(rows)
number = 3
def nothing(rows):
    raise ValueError("takes nothing")
'''
MANIFEST = {"schema": "opledger-operators/1", "dialect": "demo",
            "operators": [{"name": name, "sites": [{"path": "ops.cc"}]} for name in ("by_steps", "wide")]}
LIST = {"framework": "demo", "target_dtype": "float16", "either": ["by_steps", "wide"]}
# numpy's function -> opledger's kernel: both measurements suggest the same policy in both types.
# (Not functions with a share near a limit, which depend on the random samples: cosh in bfloat16.)
SAME = {"exp": "Exp", "log": "Log", "sqrt": "Sqrt", "tanh": "Tanh", "abs": "Abs", "expm1": "Expm1",
        "arctan": "Atan", "square": "Square", "sum": "ReduceSum", "max": "ReduceMax", "add": "Add", "multiply": "Mul",
        "arccos": "Acos", "arctanh": "Atanh", "floor": "Floor"}


def run(folder, *arguments):
    """Returns (exit status, standard output, standard error) of `python -m opledger.evidence
    ARGUMENTS`."""
    done = subprocess.run([sys.executable, "-B", "-m", "opledger.evidence", *arguments], cwd=folder, capture_output=True,
                          text=True, check=False, env={**os.environ, "PYTHONPATH": str(PACKAGE)})
    return done.returncode, done.stdout, done.stderr


def measured(folder, *arguments):
    status, output, errors = run(folder, *arguments)
    expect(status == 0, errors)
    result = json.loads(output)
    validate(result)
    return result


def validate(result):
    if has("jsonschema"):
        import jsonschema
        jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8"))).validate(result)


def rows_of(result, dtype, computed="by-kernel", operator=None):
    return [row for row in result["measurements"] if (row["dtype"], row["computed"]) == (dtype, computed)
            and operator in (None, row["operator"])]


def harm(rows):
    """As in registry/precision_list/harm.h."""
    return (any(row.get("not_finite", 0) > 0.001 for row in rows)
            or any(row.get("error", 0) > 16 or row.get("flushed", 0) > 0.01 for row in rows if not row.get("rare")))


def test_rounds_as_numpy_does(bin_folder, folder):
    import numpy
    use(bin_folder)
    from opledger.evidence import rounded
    random = numpy.random.RandomState(1)
    numbers = numpy.concatenate([10 ** random.uniform(-12, 6, 20000) * random.choice([-1, 1], 20000),
                                 [0, -0.0, 65504, 65519.99, 65520, 2 ** -24, 2 ** -25, 2 ** -25 * 1.0001, 3 * 2 ** -25,
                                  math.inf, -math.inf]])
    with numpy.errstate(over="ignore"):
        expect(numpy.array_equal(rounded(numbers, "float16"), numbers.astype(numpy.float16).astype(numpy.float64)))
    expect(numpy.isnan(rounded(numpy.array([math.nan]), "bfloat16")).all())
    if has("ml_dtypes"):
        import ml_dtypes
        single = numbers.astype(numpy.float32)  # from float64 some versions round twice
        expect(numpy.array_equal(rounded(single.astype(numpy.float64), "bfloat16"),
                                 single.astype(ml_dtypes.bfloat16).astype(numpy.float64)))


def test_errors_are_in_units_of_rounding(bin_folder, folder):
    import numpy
    use(bin_folder)
    from opledger.evidence import judge
    exact = numpy.array([1.0, 2.0, 4.0, 0.0, 1e-9, math.inf, 1e300])
    got = numpy.array([1 + 3 / 2048, 2.0, math.inf, 5.0, 7.0, 1.0, 1.0])
    found = judge(exact, got, "float16", True)
    # Samples that float32 cannot represent do not count; a result of 0, or far below the largest,
    # has no error of its own.
    expect(found == {"samples": 5, "not_finite": 1 - 4 / 5, "flushed": 0, "error": 0, "most": 3}, found)
    lost = judge(numpy.ones(200), numpy.r_[numpy.zeros(3), numpy.ones(197)], "bfloat16", True)
    expect(lost["flushed"] == 3 / 200 and lost["error"] == 256, lost)
    none = judge(numpy.ones(4), numpy.full(4, math.inf), "float16", True)
    expect(none == {"samples": 4, "not_finite": 1}, none)


def test_numpy(bin_folder, folder):
    result = measured(folder, "numpy", "exp", "numpy.sum", "linalg.inv")
    expect((result["framework"], result["package"]) == ("numpy", "numpy"), result)
    exp = {row["domain"]: row for row in rows_of(result, "float16", operator="exp")}
    expect(exp["reals 1"]["error"] < 2 and exp["reals 64"]["rare"], exp)
    # exp overflows float16 from 11.09 on: the expected share, of normally distributed samples with
    # deviation 64 that are finite in float32.
    share = (0.5 * math.erfc(11.09 / 64 / math.sqrt(2)) - 0.5 * math.erfc(88.72 / 64 / math.sqrt(2)))
    share /= 1 - 0.5 * math.erfc(88.72 / 64 / math.sqrt(2)) - 0.5 * math.erfc(87.34 / 64 / math.sqrt(2))
    expect(abs(exp["reals 64"]["not_finite"] - share) < 0.02, exp["reals 64"], share)
    sums = rows_of(result, "float16", operator="numpy.sum")
    expect({"sizes 1", "long rows", "cancellations"} <= {row["domain"] for row in sums} and harm(sums), sums)
    # numpy's linear algebra does not support float16: that is not an error of 0.
    refused, = rows_of(result, "float16", operator="linalg.inv")
    expect(set(refused) == {"operator", "dtype", "computed", "unsupported"} and "float16" in refused["unsupported"], refused)
    again = measured(folder, "numpy", "exp", "numpy.sum", "linalg.inv")
    expect(again == result, "a repeated call measures something else")


def test_the_same_as_our_kernels(bin_folder, folder):
    if not (bin_folder / "opledger-run").exists():
        raise Skip("opledger-run was not built")
    names = "|".join(SAME.values())
    subprocess.run([bin_folder / "opledger-run", "--characterize", "--operators", f"^({names})$", "--kernels", "reference",
                    "-o", "ours.json"], cwd=folder, capture_output=True, check=True)
    ours = {(each["operator"], each["dtype"]): each["computed"]["policy"] == "fp32"
            for each in json.loads((folder / "ours.json").read_text())["operators"]}
    result = measured(folder, "numpy", *SAME)
    for name, kernel in SAME.items():
        for dtype in ("float16", "bfloat16"):
            rows = rows_of(result, dtype, "rounded-once", name)
            expect(rows and harm(rows) == ours[kernel, dtype], name, dtype, ours[kernel, dtype], rows)


def test_function_of_ones_own(bin_folder, folder):
    (folder / "own_ops.py").write_text(OWN)
    status, output, errors = run(folder, "own_ops:by_steps", "--dtype", "float16", "-o", "steps.csv")
    expect((status, output, errors) == (0, "", ""), errors)
    head, *lines = (folder / "steps.csv").read_text().splitlines()
    expect(head.startswith("operator,dtype,computed,") and all(line.startswith("by_steps,float16,") for line in lines), head)
    wide = measured(folder, "own_ops:wide", "wide", "--dtype", "float16")
    expect("framework" not in wide and not harm(rows_of(wide, "float16")), wide)
    (folder / "wide.json").write_text(json.dumps(wide))
    (folder / "ops.json").write_text(json.dumps(MANIFEST))
    (folder / "list.json").write_text(json.dumps(LIST))
    opledger = use(bin_folder)
    check = {"operators": folder / "ops.json", "lists": [folder / "list.json"], "config": "none"}
    findings = opledger.check(str(folder), evidence=folder / "steps.csv", **check)
    expect([(each.rule, each.operator) for each in findings] == [("contradicts-evidence", "by_steps")], findings)
    # Its mean is no larger than its elements, and its total overflows.
    expect("of the results are not finite on sizes 64" in findings[0].message, findings[0].message)
    expect(not len(opledger.check(str(folder), evidence=folder / "wide.json", **check)))


def test_what_is_not_supported(bin_folder, folder):
    (folder / "own_ops.py").write_text(OWN)
    result = measured(folder, "own_ops:shout")
    for dtype in ("float16", "bfloat16"):
        row, = rows_of(result, dtype)
        expect("error" not in row and row["unsupported"].startswith(("TypeError", "numpy has bfloat16")), row)
    expect(rows_of(result, "float32") and rows_of(result, "float16", "rounded-once"), result)


def test_mistakes(bin_folder, folder):
    (folder / "own_ops.py").write_text(OWN)
    for status, part, *arguments in (
            (2, "'jaxx' is neither one of torch, numpy", "jaxx", "exp"), (2, "name at least one operator", "numpy"),
            (2, "not an input such as", "numpy", "exp", "--input", "reals"), (3, "no function 'expp'", "numpy", "expp"),
            (3, "no function 'number'", "own_ops:number"), (3, "'no_such' is not installed", "no_such:f"),
            (3, "takes nothing", "own_ops:nothing"), (2, "a function is one operator", "own_ops:wide", "a", "b"),
            (2, "cannot write", "numpy", "exp", "-o", "none/such.json")):
        found, output, errors = run(folder, *arguments)
        expect(found == status and part in errors and "Traceback" not in errors and not output, arguments, found, errors)
    # An operator that cannot be measured does not prevent the others.
    status, output, errors = run(folder, "numpy", "expp", "tanh")
    expect(status == 3 and "'expp'" in errors and {row["operator"] for row in json.loads(output)["measurements"]} == {"tanh"})


def test_as_it_is_told(bin_folder, folder):
    result = measured(folder, "numpy", "power", "--input", "divisors:8x512", "--input", "unit:8x512", "--dtype", "float16")
    expect({row["samples"] for row in rows_of(result, "float16")} == {4096}, result)
    softmax = "import numpy\ndef softmax(x, axis, temperature=1):\n    e = numpy.exp((x - x.max(axis, keepdims=True)))\n" \
              "    return (e / e.sum(axis, keepdims=True)).astype(x.dtype)\n"
    (folder / "soft.py").write_text(softmax)
    found = measured(folder, "soft:softmax", "--argument", "axis=0", "--argument", "temperature=2.5", "--dtype", "float16")
    expect(len(rows_of(found, "float16")) >= 3 and not harm(rows_of(found, "float16", "rounded-once")), found)


def test_onnxruntime(bin_folder, folder):
    if not has("onnxruntime", "onnx"):
        raise Skip("the Python packages onnxruntime and onnx are missing; ci/setup installs them")
    result = measured(folder, "onnxruntime", "Exp", "Softplus", "MatMul", "LayerNormalization", "ReduceSum")
    for name in ("Exp", "MatMul", "ReduceSum"):
        expect(rows_of(result, "float16", "rounded-once", name), name)
    for row in result["measurements"]:
        if "unsupported" in row:
            expect("error" not in row and " kernel for " in row["unsupported"], row)
    # Its CPU has no float64 kernel for it.
    expect({row.get("reference") for row in rows_of(result, "float16", "rounded-once", "Softplus")} <= {"float32", None})
    expect(harm(rows_of(result, "float16", "rounded-once", "ReduceSum")))


def test_mxnet(bin_folder, folder):
    if not has("mxnet"):
        raise Skip("the Python package mxnet is missing; ci/setup installs it")
    result = measured(folder, "mxnet", "exp", "sum", "_npi_exp")
    expect(result["framework"] == "mxnet" and harm(rows_of(result, "float16", operator="exp")), result)
    expect(harm(rows_of(result, "float16", operator="_npi_exp")), result)


def test_torch(bin_folder, folder):
    if not has("torch"):
        raise Skip("the Python package torch is missing; ci/setup --runtimes installs it")
    result = measured(folder, "torch", "exp", "aten::softmax.int", "torch.linalg.norm", "aten::sum", "layer_norm")
    names = {row["operator"] for row in result["measurements"]}
    expect({"aten::exp", "aten::softmax.int", "aten::linalg_norm", "aten::layer_norm"} <= names and
           any(name.startswith("aten::sum") for name in names), names)
    expect(harm(rows_of(result, "float16", operator="aten::exp")), result)


def test_from_python(bin_folder, folder):
    use(bin_folder)
    from opledger.evidence import measure_operators
    from opledger.operator_calls import NoOperator
    expect("no function" in str(raises(NoOperator, measure_operators, "numpy", ["expp"])))
    raises(ValueError, measure_operators, "jaxx", ["exp"])


if __name__ == "__main__":
    go_on_where_there_are("numpy")
    sys.exit(main(globals()))
