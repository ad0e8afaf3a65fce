#!/usr/bin/env python3
"""Compares the scanner's facts about MXNet 1.9.1's operators with the running framework.

    tests/scan/runtime_mxnet_test.py --bin build/bin [--verbose]

MXNet 1.9.1 (build/venv) provides names, inputs, parameters, their types, allowed values and
defaults through its C interface; the source is that of its tag, the configuration cpu-1.9.
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
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/scan")]
from runtime_facts import Comparison, decide_names, problems_of  # noqa: E402
from test_data import require_sources, skip  # noqa: E402

SOURCE = "mxnet-1.9.1"
PYTHON = ROOT / "build/venv/bin/python"
# Facts that the source has in no form that a scanner reads; each was reviewed.
EXPLAINED = {
    "parameters": {"_set_value.src": "set_function() of the registry of functions adds it"},
    "defaults": {
        **dict.fromkeys(("BatchNorm.axis", "_contrib_BatchNormWithReLU.axis", "_contrib_quantized_batch_norm.axis"),
                        "a constant, DEFAULT_AXIS"),
        **dict.fromkeys((f"_contrib_{name}.{of}" for name in ("Proposal", "MultiProposal")
                         for of in ("scales", "ratios")), "an array that statements fill"),
    },
}
FEWEST = {"operators": 884, "inputs": 880, "parameters": 1390, "types": 1260, "values": 110,
          "required": 1390, "defaults": 1110}


def ask():
    """In the running framework: prints operator -> [name, type, description] as JSON."""
    import ctypes
    from mxnet.base import _LIB, check_call
    count, creators = ctypes.c_uint(), ctypes.POINTER(ctypes.c_void_p)()
    check_call(_LIB.MXSymbolListAtomicSymbolCreators(ctypes.byref(count), ctypes.byref(creators)))
    operators = {}
    for index in range(count.value):
        name, text, key, returned = (ctypes.c_char_p() for _ in range(4))
        number = ctypes.c_uint()
        lists = [ctypes.POINTER(ctypes.c_char_p)() for _ in range(3)]
        check_call(_LIB.MXSymbolGetAtomicSymbolInfo(
            ctypes.c_void_p(creators[index]), ctypes.byref(name), ctypes.byref(text),
            ctypes.byref(number), *map(ctypes.byref, lists), ctypes.byref(key), ctypes.byref(returned)))
        operators[name.value.decode()] = [[lists[0][i].decode(), lists[1][i].decode()]
                                          for i in range(number.value)]
    json.dump(operators, sys.stdout)


def running():
    done = subprocess.run([PYTHON, __file__, "--ask"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        skip("mxnet 1.9.1 in build/venv")
    return json.loads(done.stdout)


def split_type(text):
    """Splits "{'a', 'b'}, optional, default='a'" into type, allowed values, required, default."""
    found = re.match(r"(?:\{(?P<values>.*?)\}|(?P<type>.*?))(?:,\s*(?P<rest>required|optional.*))?$", text, re.S)
    values = found["values"]
    allowed = None if values is None else {value.strip(" '") for value in values.split(",")}
    rest = found["rest"] or "required"
    default = re.search(r"default=(.*)$", rest, re.S)
    return found["type"], allowed, rest == "required", default and default[1].strip().strip("'")


def number(text):
    """Returns one text for each value: for true and 1, 0.699999988 and 0.7, [1.0] and [1]."""
    if text.startswith("[") and text.endswith("]"):
        return "[" + ",".join(map(number, filter(None, text[1:-1].split(",")))) + "]"
    try:
        return f"{float({'true': '1', 'false': '0'}.get(text, text)):.6g}"
    except ValueError:
        return text


def compare_parameter(result, name, record, text):
    kind, allowed, required, default = split_type(text)
    details = record.get("details", {})
    ours = {value for value in record["value"].split(", ") if value}
    if allowed is not None or ours:
        result.same("values", name, ours, allowed or set())
    if kind:  # some types have no name
        result.same("types", name, details.get("type"), kind)
    result.same("required", name, details.get("required") == "true", required)
    if default is not None:
        result.same("defaults", name, number(details["default"]) if "default" in details else None, number(default))


def compare(manifest, operators):
    """Compares the manifest with `operators`, the answer of ask()."""
    result = Comparison()
    ours = {op["name"]: op.get("fields", {}) for op in manifest["operators"]}
    known = set(ours).union(*(op["aliases"] for op in manifest["operators"]))
    for name in sorted(set(operators) | set(ours)):
        result.add("operators", "extra" if name not in operators else "agree" if name in known else "missing", name)
    for name in sorted(set(operators) & set(ours)):
        fields, arguments = ours[name], operators[name]
        inputs = [argument for argument, kind in arguments if re.match("NDArray|Symbol", kind)]
        result.same("inputs", name, [value["key"] for value in fields.get("arguments", [])], inputs)
        parameters = {value["key"]: value for value in fields.get("parameters", [])}
        for argument, kind in arguments:
            if argument in inputs:
                continue
            record = parameters.pop(argument, None)
            result.add("parameters", "agree" if record else "missing", f"{name}.{argument}")
            if record:
                compare_parameter(result, f"{name}.{argument}", record, kind)
        for argument in parameters:
            result.add("parameters", "extra", f"{name}.{argument}")
    return result.kinds


def decide_conditions(findings, operators):
    """Returns (true, false) findings of `check` about conditions, by operator and message, as the
    framework decides: whether every attribute and value in a list's conditions exists."""
    true, false = [], []
    for finding in findings:
        types = dict(operators.get(finding["operator"], []))
        texts = [finding["message"], *(note["message"] for note in finding.get("related", []))]
        for text in texts:
            value = re.search(r"attribute '(\w+)' never has the value '(.*?)'", text)
            absent = re.search(r"has no attribute '(\w+)'", text)
            if value and value[1] in types:
                allowed = split_type(types[value[1]])[1]
                (true if allowed and value[2] not in allowed else false).append((finding["operator"], text))
            elif absent:
                (false if absent[1] in types else true).append((finding["operator"], text))
    return true, false


def condition_list(operators):
    """Returns a list with a condition on every value that the framework allows, and entries that
    must be reported: with a value that it does not allow, and with an attribute that it does not
    have."""
    entries, wrong = [], 0
    for name, arguments in sorted(operators.items()):
        if "backward" in name or any(of.startswith(name + ".") for of in EXPLAINED["parameters"]):
            continue
        clauses = []
        for argument, text in arguments:
            allowed = split_type(text)[1]
            if allowed:
                clauses += [{"attribute": argument, "values": sorted(allowed), "then": "fp32"},
                            {"attribute": argument, "values": ["no_such_value"], "then": "fp32"}]
                wrong += 1
            elif not re.match("NDArray|Symbol", text):
                clauses.append({"attribute": argument, "values": ["1"], "then": "fp32"})
        if clauses:
            clauses.append({"attribute": "no_such_attribute", "values": ["1"], "then": "fp32"})
            wrong += 1
            entries.append({"op": name, "clauses": clauses})
    return {"framework": "mxnet", "target_dtype": "float16", "configuration": "cpu-1.9",
            "conditional": entries}, wrong


def opledger(program, *arguments, **how):
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=False, **how)


def check_conditions(program, manifest, operators, folder):
    """Returns (true, false, missing) findings."""
    entries, wrong = condition_list({name: operators[name] for name in operators
                                     if name in {op["name"] for op in manifest["operators"]}})
    (folder / "list.json").write_text(json.dumps(entries))
    done = opledger(program, "check", "--operators", "union.json", "--list", "list.json", "--config", "none",
                    "--output-format", "json", cwd=folder)
    findings = [finding for finding in json.loads(done.stdout)["findings"] if finding["rule"] == "bad-condition"]
    return *decide_conditions(findings, operators), wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path)
    parser.add_argument("--ask", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    if options.ask:
        ask()
        return 0
    source, = require_sources(SOURCE)
    operators = running()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        program = options.bin.resolve() / "opledger"
        for name, configuration in (("union", "union"), ("operators", "cpu-1.9")):
            done = opledger(program, "scan", "-C", source, "--dialect", "mxnet", "--config", "none",
                            "--configuration", configuration, "-o", folder / f"{name}.json",
                            env=dict(os.environ, OPLEDGER_CACHE_DIR=str(folder / "cache")))
            if done.returncode != 0:
                sys.exit(f"the scan failed: {done.stderr}")
        manifest = json.loads((folder / "operators.json").read_text())
        problems = problems_of(compare(manifest, operators), EXPLAINED, FEWEST, options.verbose)
        problems += decide_names(program, folder, "mxnet", set(operators), ())
        true, false, wrong = check_conditions(program, manifest, operators, folder)
    print(f"bad-condition: {len(true)} of {wrong} true findings fire, {len(false)} are false")
    problems += [f"false finding: {op}: {text}" for op, text in false]
    if len(true) < wrong:
        problems.append(f"bad-condition: {wrong - len(true)} true findings are silent")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
