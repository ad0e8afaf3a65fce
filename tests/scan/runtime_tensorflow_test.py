#!/usr/bin/env python3
"""Compares the scanner's facts about TensorFlow's operators with the running framework.

    tests/scan/runtime_tensorflow_test.py --bin build/bin [--verbose]

TensorFlow 2.14.1 for the CPU (ci/setup --runtimes) provides its operators' inputs, outputs and
attributes, and its kernels; the source is that of its tag, the configuration cpu+mkl, as built for
PyPI.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import fnmatch
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/scan")]

SOURCE = "tensorflow-2.14.1"
# Sources whose kernels are not linked into the wheel.
UNLINKED = ("tensorflow/core/tpu/", "tensorflow/core/kernels/risc/", "tensorflow/core/kernels/tpu", "tensorflow/compiler/")
UNDER_IF = {"_MklMaxPoolGrad": "an input that stands under #else comes last"}
FEWEST = {"operators": 1684, "inputs": 1683, "outputs": 1684, "attributes": 5083, "attribute types": 5083,
          "defaults": 2366, "stateful": 1684, "commutative": 1684, "aggregate": 1684, "deprecated": 1684,
          "allowed values": 1641, "minimums": 922, "kernels": 1047}
GRADIENTS = re.compile("Grad|Backprop")  # in the names of operators that compute gradients
SHARED = {"BroadcastGradientArgs": "shapes, for any gradient", "PreventGradient": "hands on what it is given",
          "SymbolicGradient": "of any function"}
# Registered in C++: cc/gradients/nn_grad.cc. Python uses Sigmoid for its gradient.
IN_CPP = {("Softplus", "SoftplusGrad")}
GROUPS = ("numbertype", "realnumbertype", "quantizedtype")
REGISTERS = re.compile(r'\bREGISTER_(?:\w+_)?OP\w*\(\s*(?:Name\()?"([^"]+)"')
# DataType -> opledger's name; other types are left out of both sides.
OURS = {"DT_HALF": "float16", "DT_FLOAT": "float32", "DT_DOUBLE": "float64"}
NONE_OF_OURS = re.compile(r"q|variant|resource|float8|u?int4")


def ask():
    """In the running framework: prints its operators and kernels as JSON."""
    import tensorflow_gradients
    from tensorflow.core.framework import op_def_pb2, types_pb2
    from tensorflow.python.client import pywrap_tf_session
    from tensorflow.python.framework import kernels

    def name_of(number):
        name = types_pb2.DataType.Name(number)
        return OURS.get(name, name.removeprefix("DT_").lower())

    def type_of(argument):
        if argument.type_list_attr:
            return argument.type_list_attr
        one = argument.type_attr or name_of(argument.type)
        one = f"Ref({one})" if argument.is_ref else one
        return f"{argument.number_attr} * {one}" if argument.number_attr else one

    def value_of(value):
        kind = value.WhichOneof("value")
        if kind == "list":
            return [name_of(v) if field.name == "type" else v.decode() if isinstance(v, bytes) else v
                    for field, values in value.list.ListFields() if field.name not in ("shape", "func", "tensor")
                    for v in values]
        if kind == "type":
            return name_of(value.type)
        if kind == "s":
            return value.s.decode(errors="replace")
        return getattr(value, kind) if kind in ("i", "f", "b") else kind

    every = op_def_pb2.OpList()
    every.ParseFromString(pywrap_tf_session.TF_GetBuffer(pywrap_tf_session.TF_GetAllOpList()))
    operators = {}
    for op in every.op:
        operators[op.name] = {
            "inputs": [[a.name, type_of(a)] for a in op.input_arg],
            "outputs": [[a.name, type_of(a)] for a in op.output_arg],
            "attributes": [[a.name, a.type,
                            value_of(a.allowed_values) if a.HasField("allowed_values") else None,
                            value_of(a.default_value) if a.HasField("default_value") else None,
                            a.minimum if a.has_minimum else None] for a in op.attr],
            "stateful": op.is_stateful, "commutative": op.is_commutative, "aggregate": op.is_aggregate,
            "deprecated": op.HasField("deprecation")}
    registered = [[k.op, k.device_type, k.label,
                   {c.name: [name_of(t) for t in c.allowed_values.list.type] for c in k.constraint
                    if c.allowed_values.list.type}]
                  for k in kernels.get_all_registered_kernels().kernel]
    json.dump({"operators": operators, "kernels": registered, "gradients": tensorflow_gradients.gradients()},
              sys.stdout)


class Reader:
    """Reads OpDef's texts, "T: {half, float} = DT_FLOAT", with the dialect's names of types."""

    def __init__(self, dialect):
        self.names = dialect["types"]["names"]

    def type(self, text):
        text = text.strip()
        ours = self.names.get(text)
        plain = text.removeprefix("DT_").lower()
        return ours[0] if ours and len(ours) == 1 and plain != "tstring" else plain if text.startswith("DT_") else text

    def argument(self, text):
        name, kind = (part.strip() for part in text.split(":", 1))
        reference = kind.startswith("Ref(")
        number, star, one = kind.removeprefix("Ref(").removesuffix(")" if reference else "").rpartition("*")
        reference, one = reference or one.strip().startswith("Ref("), one.strip().removeprefix("Ref(")
        one = f"Ref({self.type(one.rstrip(')'))})" if reference else self.type(one)
        return [name, f"{number.strip()} * {one}" if star else one]

    def value(self, kind, text):
        """Parses a default: false, 0.5, 'NHWC', [1, 1], DT_FLOAT."""
        text = text.strip()
        if kind.startswith("list("):
            inner = kind[5:-1]
            return [self.value(inner, item) for item in re.findall(r"'[^']*'|\"[^\"]*\"|[^,\[\]\s][^,\[\]]*", text)]
        if kind == "type":
            return self.type(text)
        if kind == "bool":
            return text.lower() == "true"
        if kind in ("int", "float"):
            return float(text)
        if kind == "string":
            return text.strip("'\"")
        return kind

    def attribute(self, text):
        """Returns name, type, allowed values or None, default or None, minimum or None."""
        name, rest = (part.strip() for part in text.split(":", 1))
        rest, equals, default = rest.partition("=") if ">=" not in rest else self.bounded(rest)
        found = re.match(r"\s*(list\()?\s*(\{.*\}|[\w]+)\s*\)?\s*(?:>=\s*(-?\d+))?\s*$", rest, re.S)
        listed, kind, minimum = found[1], found[2], found[3]
        allowed = None
        if kind.startswith("{"):
            items = [item.strip() for item in kind[1:-1].split(",") if item.strip()]
            strings = items[0][0] in "'\""
            allowed = [item.strip("'\"") for item in items] if strings else [
                one for item in items for one in (self.names.get(item, []) if item in GROUPS else [self.type(item)])]
            kind = "string" if strings else "type"
        elif kind in GROUPS:
            allowed, kind = list(self.names.get(kind, [])), "type"
        kind = f"list({kind})" if listed else kind
        return [name, kind, allowed, self.value(kind, default) if equals else None,
                None if minimum is None else int(minimum)]

    @staticmethod
    def bounded(rest):
        at = re.search(r"(?<!>)=", rest)
        return (rest[:at.start()], "=", rest[at.end():]) if at else (rest, "", "")


def ours_only(types):
    return None if types is None else sorted(set(types) - {one for one in types if NONE_OF_OURS.match(one.removeprefix("DT_").lower())})


def same_value(ours, theirs):
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(same_value, ours, theirs))
    if isinstance(ours, (int, float)) and isinstance(theirs, (int, float)):
        return ours == theirs or abs(ours - theirs) <= 1e-6 * max(abs(ours), abs(theirs))
    return ours == theirs


def compare_attributes(result, name, least, ours, theirs):
    """`least`: attributes that give the number of inputs or outputs, which is at least one by
    default."""
    ours = {attribute[0]: attribute for attribute in ours}
    for attribute, kind, allowed, default, minimum in theirs:
        full = f"{name}.{attribute}"
        mine = ours.pop(attribute, None)
        result.add("attributes", "agree" if mine else "missing", full)
        if mine is None:
            continue
        result.same("attribute types", full, mine[1], kind)
        if allowed is not None or mine[2] is not None:
            mine_allowed, theirs_allowed = mine[2], allowed
            if kind.endswith("type") or kind.endswith("type)"):
                mine_allowed, theirs_allowed = ours_only(mine[2]), ours_only(allowed)
            result.same("allowed values", full, sorted(mine_allowed or []), sorted(theirs_allowed or []))
        if default is not None or mine[3] is not None:
            result.add("defaults", "agree" if same_value(mine[3], default) else "contradict", full)
        if minimum is not None or mine[4] is not None:
            implied = 1 if attribute in least and kind in ("int", "list(type)") else None
            result.same("minimums", full, implied if mine[4] is None else mine[4], minimum)
    for attribute in ours:
        result.add("attributes", "extra", f"{name}.{attribute}")


def registered_elsewhere(source, dialect):
    """Returns operators of files that are not in the dialect's sources; the dialect gives the
    reasons."""
    excluded = [one if isinstance(one, str) else one["path"] for one in dialect["exclude"]]
    names = set()
    for path in (source / "tensorflow").rglob("*.cc"):
        name = path.relative_to(source).as_posix()
        read = any(fnmatch.fnmatch(name, glob.replace("**", "*")) for glob in dialect["sources"])
        if not read or any(fnmatch.fnmatch(name, glob.replace("**/", "*")) for glob in excluded):
            names.update(REGISTERS.findall(path.read_text(errors="replace")))
    return names


def compare_operators(result, manifest, operators, reader):
    ours = {op["name"]: op.get("fields", {}) for op in manifest["operators"]}
    for name in sorted(set(operators) | set(ours)):
        result.add("operators", "extra" if name not in operators else "agree" if name in ours else "missing", name)
    for name in sorted(set(operators) & set(ours)):
        fields, op = ours[name], operators[name]
        for side in ("inputs", "outputs"):
            mine = [reader.argument(value["value"]) for value in fields.get(side, [])]
            result.same(side, name, mine, op[side])
        least = {one[1].split(" * ")[0] for side in ("inputs", "outputs") for one in op[side]}
        compare_attributes(result, name, least, [reader.attribute(value["value"]) for value in fields.get("attributes", [])],
                           op["attributes"])
        for flag in ("stateful", "commutative", "aggregate", "deprecated"):
            result.same(flag, name, flag in fields, op[flag])


def kernel_types(kernels, variables, allowed):
    """Returns variable -> element types of any kernel; for a variable that a kernel does not
    constrain, the types that the operator allows, or None for any."""
    return {variable: allowed.get(variable) if any(variable not in kernel for kernel in kernels)
            else {one for kernel in kernels for one in ours_only(kernel[variable])} for variable in variables}


def compare_kernels(result, manifest, operators, registered):
    """Compares CPU kernels. Adds to `result` by operator and variable; returns the wrong "no"s."""
    theirs = {}
    for op, device, label, constraints in registered:
        if device in ("CPU", "DEFAULT") and not label:
            theirs.setdefault(op, []).append({v: ours_only(types) for v, types in constraints.items()})
    wrong = []
    for op in manifest["operators"]:
        ours, unread = [], set()
        for kernel in op.get("kernels", []):
            if kernel["device"] in ("cpu", "*") and not kernel.get("label"):
                ours.append(kernel.get("types", {}))
                unread |= set(kernel.get("unread", {}))
        name = op["name"]
        if not ours or name not in theirs:
            if ours or name in theirs:
                result.add("kernels", "extra" if ours else "missing", name)
                wrong += [name] if name in theirs else []
            continue
        variables = {variable for kernel in ours + theirs[name] for variable in kernel}
        allowed = {of: set(ours_only(types)) for of, _, types, _, _ in operators[name]["attributes"]
                   if types and of in variables}
        mine, running = (kernel_types(kernels, variables, allowed) for kernels in (ours, theirs[name]))
        for variable in sorted(variables):
            a, b = mine.get(variable), running.get(variable)
            full = f"{name}.{variable}"
            result.add("kernels", "agree" if a == b else "missing" if variable in unread else "contradict", full)
            if a is not None and variable not in unread and (b is None or b - a):
                wrong.append(f"{full}: {sorted((b or set()) - a) or 'any'}")
    return wrong


# Rule -> the policy and reason of its findings.
ASKED = {"target-without-kernel": {"policy": "target"}, "either-without-kernel": {"policy": "either"},
         "capable-kept-fp32": {"policy": "fp32"}, "no-kernel-outdated": {"policy": "fp32", "reason": "no-kernel"}}


def decide(op, kernels):
    """Returns the rules that are right about an operator whose every entry has the policy that they
    check, in a float16 list for the CPU; None if the registry cannot decide, since no input may be
    float32."""
    allowed = {name: types for name, kind, types, _, _ in op["attributes"] if kind.endswith(("type", "type)"))}
    lists = {name for name, kind, *_ in op["attributes"] if kind == "list(type)"}
    floats = {}  # variable, or float32 itself -> whether it may be float16
    for _, kind in op["inputs"]:
        one = kind.split(" * ")[-1].removeprefix("Ref(").rstrip(")")
        types = allowed.get(one, [] if one in allowed else [one])
        if one in lists:
            return None
        if one in allowed and types is None:
            floats[one] = True
        elif "float32" in types:
            floats[one] = "float16" in types
    # A variable that no kernel runs in float32 is not a float.
    floats = {one: low for one, low in floats.items() if not kernels or any(
        "float32" in kernel.get(one, ["float32"]) for kernel in kernels)}
    if not floats:
        return None
    every, some = all(floats.values()), any(floats.values())
    low = [variable for variable in floats if floats[variable]]
    takes = any(all("float16" in (kernel.get(variable) or ["float16"]) for variable in low) for kernel in kernels)
    right = set()
    if not some or (kernels and not takes):
        right.add("target-without-kernel")
    if some and kernels and not takes:
        right.add("either-without-kernel")
    if every and (takes or not kernels):
        right.add("capable-kept-fp32")
    if every and takes:
        right.add("no-kernel-outdated")
    return right


def decide_findings(program, folder, manifest, operators, registered):
    """Prints, for each rule, how many findings are true, and how many true ones exist; returns the
    false ones."""
    kernels = {}
    for op, device, label, constraints in registered:
        if device in ("CPU", "DEFAULT") and not label:
            kernels.setdefault(op, []).append(constraints)
    right = {name: decide(op, kernels.get(name, [])) for name, op in operators.items()}
    false = []
    for rule, entry in ASKED.items():
        entries = [{"op": name, **({"reason": entry["reason"]} if "reason" in entry else {})}
                   for name in sorted(operators)]
        (folder / "list.json").write_text(json.dumps({
            "framework": "tensorflow", "target_dtype": "float16", "device": "cpu", "configuration": "cpu+mkl",
            entry["policy"]: entries}))
        done = opledger(program, "check", "--operators", "union.json", "--list", "list.json", "--config",
                        "none", "--select", rule, "--output-format", "json", cwd=folder)
        if done.returncode > 1:
            sys.exit(f"the check failed: {done.stderr}")
        fired = {finding["operator"] for finding in json.loads(done.stdout)["findings"]}
        fired = {name for name in fired if right[name] is not None}
        # Nothing is known about a kernel that is not linked.
        fired = {name for name in fired if name in kernels or rule in right[name]
                 or not any(op.get("kernels") for op in manifest["operators"] if op["name"] == name)}
        true = {name for name, rules in right.items() if rules and rule in rules}
        false += [f"false finding: {rule}: {name}" for name in sorted(fired - true)]
        print(f"{rule}: {len(fired & true)} of {len(true)} true findings fire, {len(fired - true)} are false")
    return false


def decide_pairs(program, folder, operators, gradients):
    """Prints how many pairs of a function and its gradient's operator gradient-pair-split knows;
    returns false pairs, and gradient operators without a pair."""
    of_gradients = {name for name in operators if GRADIENTS.search(name)} - set(SHARED)
    (folder / "pairs.json").write_text(json.dumps({
        "framework": "tensorflow", "target_dtype": "float16", "configuration": "cpu+mkl",
        "target": sorted(set(operators) - of_gradients)}))
    done = opledger(program, "check", "--operators", "union.json", "--list", "pairs.json", "--config", "none",
                    "--select", "gradient-pair-split", "--output-format", "json", cwd=folder)
    pairs = {(finding["operator"], re.search(r"but not '(\w+)'", finding["message"])[1])
             for finding in json.loads(done.stdout)["findings"]}
    decided = {pair for pair in pairs if pair[0] in gradients and pair not in IN_CPP}
    false = sorted(pair for pair in decided if pair[1] not in gradients[pair[0]])
    used = {of for function, made in gradients.items() if function in operators and function not in of_gradients
            for of in made if of in of_gradients}
    silent = sorted(used - {gradient for _, gradient in pairs})
    print(f"gradient-pair-split: {len(decided) - len(false)} pairs are true, {len(false)} are false, "
          f"{len(pairs - decided)} not decided; {len(used) - len(silent)} of {len(used)} operators of gradients have one")
    return [f"false pair: {function}, {gradient}" for function, gradient in false] + [
        f"no pair with {gradient}" for gradient in silent]


def opledger(program, *arguments, **how):
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=False, **how)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path)
    parser.add_argument("--ask", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    if options.ask:
        ask()
        return 0
    import runtime_facts
    from test_data import require_sources
    source, = require_sources(SOURCE)
    running = json.loads(runtime_facts.ask(__file__, "tensorflow-cpu 2.14.1"))
    dialect = json.loads((ROOT / "registry/dialects/tensorflow.json").read_text())
    program = options.bin.resolve() / "opledger"
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for name, configuration in (("union", "union"), ("operators", "cpu+mkl")):
            done = opledger(program, "scan", "-C", source, "--dialect", "tensorflow", "--config", "none",
                            "--configuration", configuration, "-o", folder / f"{name}.json",
                            env=dict(os.environ, OPLEDGER_CACHE_DIR=str(folder / "cache")))
            if done.returncode != 0:
                sys.exit(f"the scan failed: {done.stderr}")
        manifest = json.loads((folder / "operators.json").read_text())
        decided = {op["name"]: running["operators"][op["name"]] for op in manifest["operators"]
                   if op["name"] in running["operators"]}
        false = decide_findings(program, folder, manifest, decided, running["kernels"])
        false += decide_pairs(program, folder, decided, running["gradients"])
    result = runtime_facts.Comparison()
    elsewhere = registered_elsewhere(source, dialect)
    compare_operators(result, manifest, running["operators"], Reader(dialect))
    unlinked = {op["name"] for op in manifest["operators"]
                if all(kernel["path"].startswith(UNLINKED) for kernel in op.get("kernels", []))}
    wrong = compare_kernels(result, manifest, running["operators"], running["kernels"])
    problems = runtime_facts.problems_of(result.kinds, {"operators": elsewhere, "inputs": UNDER_IF, "kernels": unlinked}, FEWEST, options.verbose)
    problems += false
    problems += [f'wrong "no" of a kernel: {one}' for one in wrong]
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
