"""Measures an installed operator in 16 bits, for `opledger check --evidence`.

    python -m opledger.evidence torch aten::exp aten::softmax.int -o evidence.json
    python -m opledger.evidence my_package.ops:fused_norm fused_norm -o evidence.csv

The operator runs in float64, which is the reference, and in float32, float16 and bfloat16, on inputs generated for
it: activations of several sizes, small divisors, numbers that cancel, long rows. Each 16-bit type is measured twice:
"by-kernel", as the package computes; and "rounded-once", in float64 with only inputs and results rounded. No kernel
is more accurate than that, so it also applies to the same operation in other frameworks. If the operator does not run
in a type, that is recorded as unsupported, with the reason. Needs numpy.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import csv
import io
import json
import math
import os
import sys
from dataclasses import dataclass, replace
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from .errors import Diagnostic
from .operator_calls import ARRAYS, PACKAGES, NoOperator, OperatorCall, Unsupported, find_function, load, said
from .operator_inputs import (LONG, LONGEST, ROLES, Domain, Input, attempts, domains_of, draw, layouts, parse_input,
                              with_rows)
from .printable import printable
from .registry import write

SCHEMA = "opledger-measurements/1"
CANNOT = 3  # exit status if an operator could not be measured
# Significant bits, exponent of the smallest number, largest number.
TYPES: Dict[str, Tuple[int, int, float]] = {"float16": (11, -24, 65504.0), "bfloat16": (8, -133, 3.3895313892515355e38),
                                            "float32": (24, -149, 3.4028234663852886e38)}
LARGEST, SMALLEST = TYPES["float32"][2], 2.0 ** -126  # range of float32's normal numbers

COLUMNS = ("operator", "dtype", "computed", "domain", "rare", "error", "samples", "not_finite", "flushed", "most",
           "reference", "unsupported")

Measurement = Dict[str, Any]


@dataclass(frozen=True)
class Plan:
    """How to call an operator, found by trial in float64."""

    operator: OperatorCall
    inputs: List[Input]
    arguments: Mapping[str, Any]
    reference: str  # the type that the others are compared with
    alone: bool  # element-wise: each result depends on one element of each input

    @property
    def single(self) -> bool:
        return len(self.inputs) == 1


def rounded(numbers: Any, dtype: str) -> Any:
    """Rounds to the nearest number of the type, ties to even, as IEEE 754 does; beyond the largest, to infinity."""
    import numpy
    bits, lowest, largest = TYPES[dtype]
    with numpy.errstate(all="ignore"):
        _, exponents = numpy.frexp(numbers)
        step = numpy.maximum(exponents - bits, lowest)
        near = numpy.ldexp(numpy.rint(numpy.ldexp(numbers, -step)), step)
        near = numpy.where(abs(near) > largest, numpy.copysign(numpy.inf, numbers), near)
    return numpy.where(numpy.isfinite(numbers), near, numbers)


def judge(exact: Any, got: Any, dtype: str, alone: bool) -> Measurement:
    """Returns the errors of results, in units of the type's rounding; the same as kernels/evidence/measurement.cpp.

    Only results that float32 can represent count. Those more than 2^14 times smaller than the largest have no error of
    their own. If a result depends on several elements, its error is relative to the root mean square of all results, if
    that is larger: the data cause cancellation."""
    import numpy
    exact, got = exact.ravel(), got.ravel()
    with numpy.errstate(all="ignore"):
        counted = (abs(exact) <= LARGEST) & ((abs(exact) >= SMALLEST) | (exact == 0))
        exact, got = exact[counted], got[counted]
        if not len(exact):
            return {"samples": 0}
        finite = numpy.isfinite(got)
        size = abs(exact)
        judged = finite & (size >= size.max() * 2.0 ** -14) & (exact != 0)
        if not alone:
            size = numpy.maximum(size, math.sqrt(float(numpy.mean(numpy.square(exact)))))
        errors = numpy.sort(abs(got - exact)[judged] / (size[judged] * 2.0 ** -TYPES[dtype][0]))
    found: Measurement = {"samples": len(exact), "not_finite": 1 - float(finite.mean())}
    if len(errors):
        found["flushed"] = float((got[judged] == 0).mean())
        found["error"] = float(errors[int(0.99 * (len(errors) - 1))])
        found["most"] = float(errors[-1])
    elif finite.any():  # the results that count are zeros, or none has an error of its own
        found.update(flushed=0.0, error=0.0, most=0.0)
    return found


def is_alone(plan: Plan, arrays: Sequence[Any], result: Any) -> bool:
    """Returns whether changing the first element of each input changes only the first result."""
    import numpy
    if any(each.shape != result.shape for each in arrays):
        return False
    changed = [each.copy() for each in arrays]
    for each in changed:
        each.flat[0] = each.flat[0] * 0.75 + 0.125
    try:
        again = plan.operator.call(changed, plan.reference, plan.arguments)
    except Exception:
        return False
    return bool(numpy.array_equal(result.flat[1:], again.flat[1:], equal_nan=True))


def finite_share(result: Any) -> float:
    import numpy
    return float(numpy.isfinite(result).mean())


def with_role(inputs: Sequence[Input], role: str) -> List[Input]:
    return [replace(each, role=role) if each.role == "reals" and (index == 0 or role != "positives") else each
            for index, each in enumerate(inputs)]


def settle_role(plan: Plan, seed: int) -> Plan:
    """Chooses inputs for which all results are finite: sqrt has no results for negative ones. For operators that add up
    rows, uses elements of one sign, as after Relu, and long rows."""
    arrays = draw(plan.inputs, Domain(""), seed)
    result = plan.operator.call(arrays, plan.reference, plan.arguments)
    plan = replace(plan, alone=is_alone(plan, arrays, result))
    reduces = plan.single and result.size * 4 <= arrays[0].size
    best, share = plan, finite_share(result)
    for role in ("sizes", *ROLES) if reduces else ROLES:
        tried = replace(plan, inputs=with_role(plan.inputs, role))
        if reduces:
            tried = replace(tried, inputs=with_rows(tried.inputs, LONG) or tried.inputs)
        here = finite_share(plan.operator.call(draw(tried.inputs, Domain(""), seed), plan.reference, plan.arguments))
        if here >= 0.999:
            return tried
        if here > share:
            best, share = tried, here
    return best


def make_plan(calls: Sequence[OperatorCall], inputs: Optional[List[Input]], arguments: Optional[Dict[str, Any]],
              seed: int) -> Plan:
    """Returns the first way to call the operator that gives several elements, otherwise one that gives one element."""
    why = ""
    single: Optional[Plan] = None
    for count in (len(inputs),) if inputs else (1, 2, 3, 4):
        for layout in [inputs] if inputs else layouts(count):
            for given in (attempts(layout) if arguments is None else [arguments]):
                for call in calls:
                    for reference in ("float64", "float32"):
                        try:
                            result = call.call(draw(layout, Domain(""), seed), reference, given)
                        except Exception as error:
                            why = why or (str(error) if isinstance(error, Unsupported) else said(error))
                            continue
                        plan = Plan(call, layout, given, reference, False)
                        if result.size > 1 and finite_share(result) > 0:
                            return plan if inputs else settle_role(plan, seed)
                        single = single or (plan if result.size == 1 else None)
    if single is not None:
        return single if inputs else settle_role(single, seed)
    raise NoOperator(f"found no inputs that it accepts ({why}); use --input and --argument to say how to call it")


def trials(plan: Plan) -> List[Tuple[Domain, List[Input]]]:
    """Returns the domains for an operator, each with its inputs."""
    first = next((each.role for each in plan.inputs if each.role != "weights"), "weights")
    found = [(domain, plan.inputs) for domain in domains_of(first)]
    same = all(each.shape == plan.inputs[0].shape for each in plan.inputs)
    if len(plan.inputs) == 2 and same and first in ("reals", "positives"):
        found.append((Domain("small divisors", special="small-divisors"), plan.inputs))
        found.append((Domain("cancellations", rare=True, special="cancellations"), plan.inputs))
    elif plan.single and not plan.alone and first in ("reals", "sizes"):
        found.append((Domain("cancellations", rare=True, special="cancellations"), plan.inputs))
    if not plan.alone:
        longer = with_rows(plan.inputs, LONGEST)
        if longer:
            found.append((Domain("long rows"), longer))
    return found


def measure_kernel(plan: Plan, arrays: Sequence[Any], exact: Any, dtype: str) -> Measurement:
    """Measures the operator as the package computes it."""
    try:
        got = plan.operator.call([rounded(each, dtype) for each in arrays], dtype, plan.arguments)
    except Unsupported as error:
        return {"unsupported": str(error)}
    except Exception as error:
        return {"unsupported": said(error)}
    if got.shape != exact.shape:
        return {"unsupported": f"gives {got.size} elements instead of {exact.size}"}
    return judge(exact, got, dtype, plan.alone and plan.single)


def measure_rounded(plan: Plan, arrays: Sequence[Any], exact: Any, dtype: str) -> Measurement:
    """Measures the best possible kernel: only inputs and results are rounded."""
    got = plan.operator.call([rounded(each, dtype) for each in arrays], plan.reference, plan.arguments)
    return judge(exact, rounded(got, dtype), dtype, plan.alone and plan.single)


def measure(plan: Plan, dtypes: Sequence[str], seed: int) -> List[Measurement]:
    """Returns one measurement for each type, way to compute and domain, but only one for an unsupported type."""
    rows: List[Measurement] = []
    dropped: Dict[str, str] = {}
    for domain, inputs in trials(plan):
        arrays = draw(inputs, domain, seed)
        try:
            exact = plan.operator.call(arrays, plan.reference, plan.arguments)
        except Exception:
            if inputs is plan.inputs:
                raise
            continue  # its arguments fit only rows of another length
        for dtype in dtypes:
            ways = [("by-kernel", measure_kernel)] + ([("rounded-once", measure_rounded)] if dtype != "float32" else [])
            if dtype == plan.reference:
                continue
            for computed, way in ways:
                found = {} if computed == "by-kernel" and dtype in dropped else way(plan, arrays, exact, dtype)
                if "unsupported" in found:
                    dropped[dtype] = found["unsupported"]
                if found.get("samples"):
                    rows.append({"operator": plan.operator.name, "dtype": dtype, "computed": computed,
                                 "domain": domain.name, **({"rare": True} if domain.rare else {}), **found,
                                 **({"reference": plan.reference} if plan.reference != "float64" else {})})
    rows += [{"operator": plan.operator.name, "dtype": dtype, "computed": "by-kernel", "unsupported": why}
             for dtype, why in dropped.items()]
    return sorted(rows, key=lambda row: (dtypes.index(row["dtype"]), row["computed"]))


def measure_operators(package: str, operators: Sequence[str], *, inputs: Optional[List[Input]] = None,
                      arguments: Optional[Dict[str, Any]] = None, dtypes: Sequence[str] = tuple(TYPES),
                      arrays: str = "numpy", seed: int = 1) -> Dict[str, Any]:
    """Measures operators of an installed package: "torch", "numpy", "onnxruntime" or "mxnet"; or a function,
    "module:function", which takes `arrays` and whose one operator is its name in the project's lists.
    `inputs` and `arguments` say how to call the operators; without them, this is found by trial.

    Returns a JSON object (schemas/measurements.schema.json). The package is imported, and runs, in this process.

    Raises ValueError if there is no such package, and NoOperator if it is not installed, has no such operator, or no
    inputs were found that the operator takes.

    >>> from opledger.evidence import measure_operators
    >>> found = measure_operators("numpy", ["exp"], dtypes=["float16"])
    >>> sorted({row["domain"] for row in found["measurements"] if row["not_finite"] > 0.001})
    ['reals 64', 'reals 8']
    """
    load("numpy")
    is_function = ":" in package
    if not is_function and package not in PACKAGES:
        raise ValueError(f"'{package}' is neither one of {', '.join(PACKAGES)} nor module:function")
    if is_function and len(operators) != 1:
        raise ValueError("a function is one operator: give only its name in the lists")
    result: Dict[str, Any] = {"schema": SCHEMA}
    if not is_function:
        result["framework"] = PACKAGES[package].framework
    result["package"] = package
    version = getattr(sys.modules.get(package) or (None if is_function else load(package)), "__version__", None)
    if version is not None:
        result["version"] = str(version)
    result["measurements"] = []
    for name in operators:
        calls = find_function(package, name, arrays) if is_function else PACKAGES[package].find(name)
        try:
            plan = make_plan(calls, inputs, arguments, seed)
        except NoOperator as error:
            raise NoOperator(f"'{name}' cannot be measured: {error}") from error
        result["measurements"] += measure(plan, dtypes, seed)
    return result


def csv_text(result: Dict[str, Any]) -> str:
    text = io.StringIO()
    named = ("framework",) if "framework" in result else ()
    table = csv.writer(text, lineterminator="\n")
    table.writerow((*named, *COLUMNS))
    for row in result["measurements"]:
        values = ["true" if row.get(name) is True else row.get(name, "") for name in COLUMNS]
        table.writerow((*(result[name] for name in named), *values))
    return text.getvalue()


def json_text(result: Dict[str, Any]) -> str:
    """Returns JSON with one line per measurement."""
    rows = ",\n".join("  " + json.dumps(row) for row in result["measurements"])
    head = "".join(f" {json.dumps(key)}: {json.dumps(value)},\n" for key, value in result.items() if key != "measurements")
    return "{\n" + head + ' "measurements": [\n' + rows + "\n ]\n}\n"


def input_of(text: str) -> Input:
    try:
        return parse_input(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def argument_of(text: str) -> Tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"'{text}' is not an argument such as 'axis=-1'")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def options_of(words: Optional[Sequence[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m opledger.evidence", description="Runs an installed operator in float64, float32, float16 and "
        "bfloat16, and writes its errors for `opledger check --evidence`.")
    parser.add_argument("package", metavar="PACKAGE", help=f"{', '.join(PACKAGES)}, or module:function")
    parser.add_argument("operators", metavar="OPERATOR", nargs="*",
                        help="the package's name of it: aten::exp, Softmax; for a function, its name in the lists")
    parser.add_argument("--input", dest="inputs", metavar="ROLE:SHAPE", action="append", type=input_of,
                        help="a tensor that the operator takes, such as reals:64x1024; may be repeated")
    parser.add_argument("--argument", dest="arguments", metavar="NAME=VALUE", action="append", type=argument_of,
                        help="another argument, with its value as JSON or text, such as axis=-1")
    parser.add_argument("--dtype", dest="dtypes", metavar="DTYPE", action="append", choices=TYPES,
                        help="measure only this type; may be repeated")
    parser.add_argument("--arrays", metavar="PACKAGE", choices=ARRAYS, default="numpy",
                        help="type of a function's arguments: arrays of numpy (the default), torch or mxnet")
    parser.add_argument("--import", dest="imports", metavar="MODULE", action="append", default=[],
                        help="a module that registers operators, to be imported first")
    parser.add_argument("--seed", metavar="N", type=int, default=1, help="seed of the random inputs; default: 1")
    parser.add_argument("-o", dest="output", metavar="FILE", default="-",
                        help="NAME.json or NAME.csv; default: JSON to standard output")
    options = parser.parse_args(words)
    if ":" in options.package and len(options.operators) > 1:
        parser.error("a function is one operator: give only its name in the lists")
    if not options.operators and ":" not in options.package:
        parser.error("name at least one operator")
    return options


def report(error: Exception, status: int) -> int:
    print(Diagnostic("error", printable(str(error))), file=sys.stderr)
    return status


def main(words: Optional[Sequence[str]] = None) -> int:
    """Returns the exit status: 0; 2 if the command line is wrong or the file cannot be written; 3 if an operator could
    not be measured, in which case the file has the others."""
    options = options_of(words)
    if "" not in sys.path and os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    status, result = 0, None
    try:
        for each in options.imports:
            load(each)
        for name in options.operators or [options.package.rpartition(":")[2]]:
            try:
                found = measure_operators(
                    options.package, [name], inputs=options.inputs,
                    arguments=None if options.arguments is None else dict(options.arguments),
                    dtypes=options.dtypes or tuple(TYPES), arrays=options.arrays, seed=options.seed)
            except NoOperator as error:
                status = report(error, CANNOT)
                continue
            if result is not None:
                found["measurements"] = result["measurements"] + found["measurements"]
            result = found
        if result is not None:
            write(options.output, csv_text(result) if options.output.endswith(".csv") else json_text(result))
    except NoOperator as error:
        return report(error, CANNOT)
    except ValueError as error:
        return report(error, 2)
    except OSError as error:
        print(Diagnostic("error", f"cannot write: {error.strerror}", printable(options.output)), file=sys.stderr)
        return 2
    return status


if __name__ == "__main__":
    sys.exit(main())
