#!/usr/bin/env python3
"""The rdjson report has the format that reviewdog reads, and each suggestion, applied to the lines
that it names, yields a list with one finding less.

The format is that of reviewdog's proto/rdf/reviewdog.proto, written here as a schema without
additional properties; $OPLEDGER_RDJSON_SCHEMA may name the file
proto/rdf/jsonschema/DiagnosticResult.json of a checkout."""
# SPDX-License-Identifier: Apache-2.0

import json
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/scan"))
from scanning import Skip, expect, main  # noqa: E402


def record(required, **properties):
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


TEXT, NUMBER = {"type": "string"}, {"type": "integer", "minimum": 1}
POSITION = record(["line"], line=NUMBER, column=NUMBER)
RANGE = record(["start"], start=POSITION, end=POSITION)
LOCATION = record(["path"], path=TEXT, range=RANGE)
SOURCE = record(["name"], name=TEXT, url=TEXT)
DIAGNOSTIC = record(
    ["message", "location"], message=TEXT, location=LOCATION,
    severity={"enum": ["UNKNOWN_SEVERITY", "ERROR", "WARNING", "INFO"]}, source=SOURCE,
    code=record(["value"], value=TEXT, url=TEXT), original_output=TEXT,
    suggestions={"type": "array", "items": record(["range", "text"], range=RANGE, text=TEXT)},
    related_locations={"type": "array", "items": record(["location"], message=TEXT, location=LOCATION)})
RESULT = record(["diagnostics"], diagnostics={"type": "array", "items": DIAGNOSTIC}, source=SOURCE,
                severity=DIAGNOSTIC["properties"]["severity"])


def problem(value, schema, place="$"):
    """Returns why the value does not match, or nothing. Supports only the parts of JSON Schema used
    above."""
    if "enum" in schema:
        return None if value in schema["enum"] else f"{place}: {value}"
    types = {"object": dict, "array": list, "string": str, "integer": int}
    if not isinstance(value, types[schema["type"]]) or isinstance(value, bool):
        return f"{place}: no {schema['type']}"
    if schema["type"] == "integer" and value < schema["minimum"]:
        return f"{place}: {value}"
    if schema["type"] == "array":
        found = (problem(item, schema["items"], f"{place}[{i}]") for i, item in enumerate(value))
        return next(filter(None, found), None)
    if schema["type"] == "object":
        missing = [key for key in schema["required"] if key not in value]
        unknown = [key for key in value if key not in schema["properties"]]
        if missing or unknown:
            return f"{place}: without {missing}, with {unknown}"
        found = (problem(value[key], schema["properties"][key], f"{place}.{key}") for key in value)
        return next(filter(None, found), None)
    return None


def check(bin_folder, folder, *more):
    command = [bin_folder / "opledger", "check", "--output-format", "rdjson", *more]
    environment = {**os.environ, "OPLEDGER_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    expect(done.returncode in (0, 1, 3), done.stderr)
    result = json.loads(done.stdout)
    expect(problem(result, RESULT) is None, problem(result, RESULT))
    return result["diagnostics"]


def apply(folder, diagnostic):
    """Commits the diagnostic's suggestion as GitHub does: replaces the lines."""
    suggestion, = diagnostic["suggestions"]
    expect(suggestion["range"] == diagnostic["location"]["range"], "reviewdog would reject:", diagnostic)
    first, last = (suggestion["range"][end]["line"] for end in ("start", "end"))
    path = folder / diagnostic["location"]["path"]
    lines = path.read_text().split("\n")
    lines[first - 1:last] = suggestion["text"].split("\n") if suggestion["text"] else []
    path.write_text("\n".join(lines))


def demo(folder):
    shutil.copytree(ROOT / "tests/demo", folder, dirs_exist_ok=True)
    return folder


def test_suggestions_can_be_committed(bin_folder, folder):
    tree = demo(folder / "demo")
    (tree / "src/more.cc").write_text(
        "#include <nnvm/op.h>\n" + "".join(f"NNVM_REGISTER_OP({name});\n" for name in (
            "log_softmax", "broadcast_add", "elemwise_sub", "batch_dot")))
    for name in ("float16", "bfloat16"):
        path = tree / f"lists/{name}.json"
        path.write_text(path.read_text().replace('"either": [', '"either": [\n    "gone_and_forgotten",', 1))
    applied = 0
    while True:
        diagnostics = check(bin_folder, tree)
        suggested = [each for each in diagnostics if "suggestions" in each]
        if not suggested:
            break
        rules = [each["code"]["value"] for each in diagnostics if "; this makes it " not in each["message"]]
        apply(tree, suggested[0])
        after = [each["code"]["value"] for each in check(bin_folder, tree)
                 if "; this makes it " not in each["message"]]
        expect(len(after) == len(rules) - 1, "one finding less:", suggested[0], rules, after)
        applied += 1
    expect(applied >= 5, "too few suggestions:", applied)


def test_the_published_schema(bin_folder, folder):
    """Validates every kind of diagnostic of the demo, if the published schema is available."""
    schema = os.environ.get("OPLEDGER_RDJSON_SCHEMA")
    if not schema:
        raise Skip("reviewdog's schema ($OPLEDGER_RDJSON_SCHEMA) is missing")
    import jsonschema  # noqa: PLC0415
    tree = demo(folder / "demo")
    with open(schema, encoding="utf-8") as file:
        jsonschema.validate({"diagnostics": check(bin_folder, tree)}, json.load(file))


if __name__ == "__main__":
    sys.exit(main(globals()))
