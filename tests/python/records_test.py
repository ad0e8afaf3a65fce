#!/usr/bin/env python3
"""Every dataclass of the package has the fields of its schema, required if the schema requires
them, with its types; and reads the programs' output about the demo completely."""
# SPDX-License-Identifier: Apache-2.0

import dataclasses
import importlib
import json
import pkgutil
import subprocess
import sys
import typing

from in_python import ROOT, enter_demo, expect, main, use

REMARKS = {"$schema", "$comment"}
INFINITE = ("inf", "-inf")  # JSON has no infinities: the record has the float
PLAIN = {"integer": int, "number": float, "string": str, "boolean": bool}


def record_classes(package):
    for module in pkgutil.walk_packages(package.__path__, "opledger."):
        if ".compat." not in module.name:
            importlib.import_module(module.name)
    from opledger.records import Record
    return Record.__subclasses__()


def schema_at(place):
    """"conversion#/$defs/node/properties/rule": returns the schema, and the document it is part
    of."""
    name, _, path = place.partition("#")
    whole = json.loads((ROOT / f"schemas/{name}.schema.json").read_text())
    part = whole
    for step in path.strip("/").split("/") if path else ():
        part = part[int(step)] if isinstance(part, list) else part[step]
    return part, whole


def resolve(part, whole):
    while "$ref" in part:
        found = whole
        for step in part["$ref"].lstrip("#/").split("/"):
            found = found[step]
        part = found
    return part


def kinds(part, whole):
    """Returns (JSON types other than null, whether null is allowed)."""
    part = resolve(part, whole)
    if "oneOf" in part:
        all_kinds = [kinds(each, whole) for each in part["oneOf"]]
        return set().union(*(each for each, _ in all_kinds)), any(null for _, null in all_kinds)
    values = part.get("enum", [part["const"]] if "const" in part else None)
    if values is not None and set(values) <= set(INFINITE):
        return {"number"}, False
    if values is not None:
        return {{str: "string", int: "integer", bool: "boolean"}[type(each)] for each in values if each is not None}, None in values
    named = part.get("type", "object")
    named = set(named if isinstance(named, list) else [named])
    return named - {"null"}, "null" in named


def fits(hint, part, whole, classes):
    """Returns the problem of a field's type, or None."""
    named, null = kinds(part, whole)
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Union:
        expect(type(None) in arguments)
        hint = next(each for each in arguments if each is not type(None))
        origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    elif null:
        return "null is not allowed"
    if named == {"array"}:
        items = resolve(part, whole).get("items", {})
        return fits(arguments[0], items, whole, classes) if origin is list else "it is a list"
    if named == {"object"}:
        return None if origin is dict or hint in classes else "it is an object"
    return None if named <= {name for name, kind in PLAIN.items() if kind is hint} | (
        {"integer"} if hint is float else set()) else f"it is {named}, not {hint}"


def problems_of(cls, classes):
    part, whole = schema_at(cls.SCHEMA)
    part = resolve(part, whole)
    known = {name: each for name, each in part["properties"].items() if name not in REMARKS | set(cls.OMITTED)}
    ours = {ours: name for name, ours in cls.RENAMED.items()}
    hints = typing.get_type_hints(cls)
    fields = {ours.get(field.name, field.name): field for field in dataclasses.fields(cls) if field.name not in cls.OWN}
    for name in sorted(known.keys() ^ fields.keys()):
        yield f"{cls.__name__}.{name} is in one of class and schema"
    for name in known.keys() & fields.keys():
        field = fields[name]
        required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        if required != (name in part.get("required", ())):
            yield f"{cls.__name__}.{name} is required in one of class and schema"
        wrong = fits(hints[field.name], known[name], whole, classes)
        if wrong:
            yield f"{cls.__name__}.{name}: {wrong}"


def test_dataclasses_are_their_schemas(bin_folder, folder):
    classes = record_classes(use(bin_folder))
    expect(len(classes) > 30, classes)
    problems = [problem for cls in classes for problem in problems_of(cls, classes)]
    expect(not problems, *problems)
    for cls in classes:
        expect(cls.__doc__ and not cls.__doc__.startswith(cls.__name__ + "("), cls, "has no docstring")


def missing(data, record, place):
    """Yields keys of the JSON data that the record lacks."""
    if isinstance(data, list):
        for index, (each, one) in enumerate(zip(data, record)):
            yield from missing(each, one, f"{place}[{index}]")
    elif isinstance(data, dict) and dataclasses.is_dataclass(record):
        for name, value in data.items():
            if name in REMARKS or name in record.OMITTED:
                continue
            field = record.RENAMED.get(name, name)
            if not hasattr(record, field):
                yield f"{place}.{name}"
            else:
                yield from missing(value, getattr(record, field), f"{place}.{name}")
    elif isinstance(data, dict) and isinstance(record, dict) and data.keys() == record.keys():
        for name, value in data.items():
            yield from missing(value, record[name], f"{place}.{name}")
    elif (float(data) if data in INFINITE and isinstance(record, float) else data) != record:
        yield f"{place}: {data!r} is {record!r}"


def test_records_read_all_that_is_written(bin_folder, folder):
    opledger = use(bin_folder)
    enter_demo(folder)
    from opledger.checking import Manifest, Summary
    from opledger.comparison import Comparison, Tuned
    from opledger.conversion import Conversion, ModelSummary

    def written(*arguments):
        done = subprocess.run([bin_folder / "opledger", *arguments], capture_output=True, check=False)
        return json.loads(done.stdout)

    out, shape = str(folder / "out.json"), ("--input-shape", "pixels=2,8")
    subprocess.run([bin_folder / "opledger", "convert", "model.onnx", "--dry-run", "--report", out], check=True,
                   capture_output=True)
    conversion = json.loads((folder / "out.json").read_text())
    report = written("check", "--output-format", "json")
    for cls, data in ((Conversion, conversion),
                      (ModelSummary, written("inspect", "model.onnx", "--nodes", "--values", "--format", "json")),
                      (Comparison, written("compare", "model.onnx", "--autocast", "float16", *shape, "--format", "json")),
                      (Tuned, written("tune", "model.onnx", *shape, "--max-error", "4e-4", "--format", "json", "-o",
                                      str(folder / "list.json"))),
                      (Manifest, written("scan")), (Summary, report["summary"])):
        found = list(missing(data, cls.of(data), cls.__name__))
        expect(not found, *found)
    findings = [opledger.Finding.of(each) for each in report["findings"]]
    found = list(missing(report["findings"], findings, "Finding"))
    expect(findings and not found, *found)
    expect(Conversion.of({**conversion, "no such field": 1}) == Conversion.of(conversion))


if __name__ == "__main__":
    sys.exit(main(globals()))
