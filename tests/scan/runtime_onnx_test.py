#!/usr/bin/env python3
"""Compares the scanner's facts about ONNX's operators, version by version, with the onnx package.

    tests/scan/runtime_onnx_test.py --bin build/bin [--verbose]

The onnx package (build/venv) provides inputs, outputs, attributes and type variables of all
versions of its schemas. It may be newer than the source: schemas missing in the source's own tables
are left out.
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
import peers  # noqa: E402
from runtime_facts import Comparison, decide_names, problems_of  # noqa: E402
from test_data import require_sources  # noqa: E402

SOURCE = "onnx-f7546912"
SEPARATOR = re.compile(r", (?![^(]*\))")  # between types, but not the one in map(string, float)
LISTED = re.compile(r"SCHEMA_CLASS_NAME\((?:\w+,\s*)?(\d+),\s*(\w+)\)")  # in the source's own tables of opsets
FEWEST = {"versions": 642, "inputs": 642, "outputs": 642, "deprecated": 642, "attributes": 1326,
          "attribute types": 1326, "required": 1326, "type variables": 921, "defaults": 616}


def has_default(attribute):
    return attribute.default_value.ByteSize() != 0


def default_of(onnx, attribute):
    """Returns the default as a text, a number or a list of these."""
    value = onnx.helper.get_attribute_value(attribute.default_value)
    values = [one.decode() if isinstance(one, bytes) else one for one in (value if isinstance(value, list) else [value])]
    return values if isinstance(value, list) else values[0]


def same_default(ours, theirs):
    """`ours` is a text."""
    if isinstance(theirs, list):
        parts = ours.split(", ")
        return len(parts) == len(theirs) and all(map(same_default, parts, theirs))
    if isinstance(theirs, str):
        return ours == theirs
    try:
        return abs(float(ours) - theirs) <= 1e-6 * abs(theirs)
    except ValueError:
        return False


def parameters(values):
    """Returns parameters as in a manifest: name, type, option, homogeneous, minimum."""
    return [(value.get("key", ""), value["value"], details.get("option", "Single"),
             details.get("homogeneous", "true") == "true", int(details.get("minimum", 1)))
            for value in values for details in [value.get("details", {})]]


def running_parameters(onnx, values):
    # The minimum counts only for variadic parameters.
    return [(value.name, value.type_str, value.option.name, value.is_homogeneous,
             value.min_arity if value.option == onnx.defs.OpSchema.FormalParameterOption.Variadic else 1)
            for value in values]


def compare_attributes(result, onnx, name, ours, schema):
    ours = {value["key"]: value for value in ours}
    for key, attribute in schema.attributes.items():
        full = f"{name}.{key}"
        mine = ours.pop(key, None)
        result.add("attributes", "agree" if mine else "missing", full)
        if mine is None:
            continue
        details = mine.get("details", {})
        result.same("attribute types", full, mine["value"], attribute.type.name)
        result.same("required", full, details.get("required") == "true", attribute.required)
        if has_default(attribute) or "default" in details:
            said = details.get("default_number", details.get("default"))
            agree = said is not None and has_default(attribute) and same_default(said, default_of(onnx, attribute))
            result.add("defaults", "agree" if agree else "missing" if said is None else "contradict", full)
    for key in ours:
        result.add("attributes", "extra", f"{name}.{key}")


def compare(onnx, manifest, schemas):
    result = Comparison()
    ours = {(op["name"], each["since"]): each.get("fields", {})
            for op in manifest["operators"] for each in [op, *op.get("earlier", [])]}
    for key in sorted(set(ours) | set(schemas)):
        name = f"{key[0]}-{key[1]}"
        result.add("versions", "extra" if key not in schemas else "agree" if key in ours else "missing", name)
        if key not in ours or key not in schemas:
            continue
        fields, schema = ours[key], schemas[key]
        result.same("inputs", name, parameters(fields.get("inputs", [])), running_parameters(onnx, schema.inputs))
        result.same("outputs", name, parameters(fields.get("outputs", [])), running_parameters(onnx, schema.outputs))
        result.same("deprecated", name, "deprecated" in fields, schema.deprecated)
        compare_attributes(result, onnx, name, fields.get("attributes", []), schema)
        variables = {value["key"]: set(SEPARATOR.split(value["value"])) for value in fields.get("type_variables", [])}
        theirs = {one.type_param_str: set(one.allowed_type_strs) for one in schema.type_constraints}
        for variable in sorted(set(variables) | set(theirs)):
            result.same("type variables", f"{name}.{variable}", variables.get(variable), theirs.get(variable))
    return result.kinds


def listed(source):
    """Returns name and version of all schemas in the source's own tables."""
    return {(name, int(version)) for path in source.glob("onnx/defs/operator_sets*.h")
            for version, name in LISTED.findall(path.read_text())}


def full_name(schema):
    return f"{schema.domain}.{schema.name}" if schema.domain else schema.name


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    try:
        import onnx
    except ImportError:
        peers.require(options.bin, "onnx")
    source, = require_sources(SOURCE)
    there = listed(source)
    schemas = {(full_name(schema), schema.since_version): schema
               for schema in onnx.defs.get_all_schemas_with_history()
               if (schema.name, schema.since_version) in there}
    program = options.bin.resolve() / "opledger"
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        done = subprocess.run([program, "scan", "-C", source, "--dialect", "onnx", "--config", "none",
                               "-o", folder / "union.json"], capture_output=True, text=True, check=False,
                              env=dict(os.environ, OPLEDGER_CACHE_DIR=str(folder / "cache")))
        if done.returncode != 0:
            sys.exit(f"the scan failed: {done.stderr}")
        manifest = json.loads((folder / "union.json").read_text())
        problems = problems_of(compare(onnx, manifest, schemas), {}, FEWEST, options.verbose)
        problems += decide_names(program, folder, "onnx", {name for name, _ in schemas}, ())
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
