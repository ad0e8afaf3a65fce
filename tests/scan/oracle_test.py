#!/usr/bin/env python3
"""Fast and exhaustive scans of generated sources agree with a compiler's own preprocessor.

For every assignment of the outside macros, `g++ -E` determines the operators, aliases and inputs;
the manifest's conditions, evaluated by the same compiler run, must select exactly those.

    tests/scan/oracle_test.py --bin build/bin [--seed N] [--count N] [--only N]
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from generated_units import SETTINGS, Unit, generate

DIALECT = {
    "name": "generated",
    "sources": ["src/**"],
    "extensions": [".cc"],
    "sinks": [{"macro": "REGISTER_OPERATOR"}, {"macro": "REGISTER_NAMED", "form": "string"}],
    "chain": [{"method": "add_alias", "field": "alias"},
              {"method": "set_num_inputs", "field": "num_inputs"}],
    "suspicious": {"containing": "REGISTER"},
}
SINKS = ("#define REGISTER_OPERATOR(x) oracle_registration(#x)\n"
         "#define REGISTER_NAMED(x) oracle_registration(x)\n")
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[A-Za-z_]\w*|\d+|[^\s\w]')


def assignments():
    for values in itertools.product(*SETTINGS.values()):
        yield {name: value for name, value in zip(SETTINGS, values) if value is not None}


def scan(program, folder, mode):
    """Returns the manifest's bytes."""
    output = folder / f"{mode}.json"
    environment = dict(os.environ, OPLEDGER_CACHE_DIR=str(folder / "cache"))
    done = subprocess.run([program, "--dialect", "dialect.json", "--mode", mode, "--no-cache",
                           "--config", "none", "-o", output], cwd=folder, env=environment,
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"{mode}: exit status {done.returncode}\n{done.stderr[:4000]}")
    return output.read_bytes() if output.exists() else b"{}"


def conditional_facts(manifest):
    """Yields (fact, conditions that must all hold) for every operator, alias and field."""
    for op in manifest.get("operators", []):
        sites = [site["condition"] for site in op["sites"]]
        for condition in sites:
            yield ("operator", op["name"]), condition, None
        for alias in op.get("alias_sites", []):
            yield ("alias", op["name"], alias["alias"]), alias.get("condition", ""), op["name"]
        for field, values in op.get("fields", {}).items():
            for value in values:
                yield (field, op["name"], value["value"]), value.get("condition", ""), op["name"]


def strings(tokens, at):
    """Returns the literals of the balanced group that opens at `at`, joined, and the index after
    it."""
    depth, text = 0, ""
    while at < len(tokens):
        depth += (tokens[at] == "(") - (tokens[at] == ")")
        if tokens[at].startswith('"'):
            text += tokens[at][1:-1]
        elif tokens[at].isdigit():
            text += tokens[at]
        at += 1
        if depth == 0:
            break
    return text, at


def registered(text):
    """Returns the registrations in preprocessed text as facts."""
    tokens = TOKEN.findall(text)
    facts = set()
    at = 0
    while at < len(tokens):
        if tokens[at] != "oracle_registration":
            at += 1
            continue
        name, at = strings(tokens, at + 1)
        facts.add(("operator", name))
        while at + 1 < len(tokens) and tokens[at] == ".":
            method = tokens[at + 1]
            value, at = strings(tokens, at + 2)
            kind = {"add_alias": "alias", "set_num_inputs": "num_inputs"}[method]
            facts.add((kind, name, value))
    return facts


def whole_program(units, conditions, assignment):
    """Returns all units in one text, with macros kept separate, then a line per condition that
    holds."""
    lines = [SINKS]
    for unit in units:
        lines.append(f'#include "src/u{unit.number}.cc"')
        lines += [f"#undef {macro}" for macro in sorted(unit.macros)]
    for index, condition in enumerate(conditions):
        lines += [f"#if {condition}", f"oracle_condition({index})", "#endif"]
    defines = [f"#define {name} {value}" for name, value in assignment.items()]
    return "\n".join(defines + lines) + "\n"


def preprocess(folder, units, conditions, assignment):
    """Returns (facts, indices of conditions that hold) under the assignment."""
    text = whole_program(units, conditions, assignment)
    compiler = shutil.which("g++") or shutil.which("clang++")
    done = subprocess.run([compiler, "-E", "-P", "-x", "c++", "-std=c++20", "-I.", "-"], cwd=folder,
                          input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{compiler} failed on the generated sources:\n{done.stderr[:4000]}")
    holding = {int(number) for number in re.findall(r"oracle_condition\((\d+)\)", done.stdout)}
    return registered(done.stdout), holding


def compare(folder, units, manifest):
    """Returns problems: {unit number: [texts]}."""
    facts = list(conditional_facts(manifest))
    conditions = sorted({condition for _, condition, _ in facts if condition})
    number = {condition: index for index, condition in enumerate(conditions)}
    problems = {}
    for assignment in assignments():
        expected, holding = preprocess(folder, units, conditions, assignment)
        holds = [fact for fact, condition, _ in facts
                 if not condition or number[condition] in holding]
        operators = {fact[1] for fact in holds if fact[0] == "operator"}
        found = {fact for fact in holds if fact[1] in operators}
        for fact in sorted(expected ^ found):
            unit = int(re.search(r"u(\d+)_", " ".join(fact))[1])
            word = "missing" if fact in expected else "extra"
            problems.setdefault(unit, []).append(f"{word} {' '.join(fact)} under {assignment}")
    return problems


def show(unit, problems, manifest):
    for path, text in unit.files.items():
        print(f"-- {path} --\n{text}")
    for op in manifest.get("operators", []):
        if re.search(rf"u{unit.number}_\d", op["name"]):
            sites = [f"{s['path']}:{s['line']} [{s['condition']}]" for s in op["sites"]]
            aliases = [f"{a['alias']} [{a.get('condition', '')}]" for a in op.get("alias_sites", [])]
            print(op["name"], sites, aliases, op.get("fields", ""))
    print("\n".join(problems[:12]), f"... {len(problems)} problems in unit {unit.number}")


def write(folder, units, shared):
    (folder / "src").mkdir()
    (folder / "dialect.json").write_text(json.dumps(DIALECT))
    for files in [shared] + [unit.files for unit in units]:
        for path, text in files.items():
            (folder / path).write_text(text)


def check(options):
    units, shared = generate(options.seed, options.count)
    if options.only is not None:
        units = [units[options.only]]
    with tempfile.TemporaryDirectory(prefix="opledger-oracle-") as scratch:
        folder = pathlib.Path(scratch)
        write(folder, units, shared)
        program = options.bin.resolve() / "opledger-scan"
        fast, exhaustive = (scan(program, folder, mode) for mode in ("fast", "exhaustive"))
        manifest = json.loads(fast)
        problems = compare(folder, units, manifest)
        if fast != exhaustive:
            print("fast and exhaustive differ")
            problems.setdefault(units[0].number, []).append("fast and exhaustive differ")
            if options.only is not None:
                subprocess.run(["diff", folder / "fast.json", folder / "exhaustive.json"], check=False)
        for record in manifest.get("incomplete", []):
            number = int(re.search(r"/u(\d+)", record["path"])[1])
            problems.setdefault(number, []).append(f"incomplete: {record}")
    by_number = {unit.number: unit for unit in units}
    for number in range(options.count, options.count + len(shared)):
        files = {path: text for path, text in shared.items() if path.startswith(f"src/u{number}_")}
        by_number[number] = Unit(number, files, set())
    smallest = sorted(problems, key=lambda n: sum(map(len, by_number[n].files.values())))
    for number in smallest[:options.show]:
        show(by_number[number], problems[number], manifest)
    if problems:
        print(f"{len(problems)} of {len(units)} units fail: {smallest}")
    if len(manifest.get("operators", [])) < 2 * len(units):
        print(f"only {len(manifest.get('operators', []))} operators: the generator is broken")
        return 1
    return 1 if problems else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--only", type=int, help="number of the only unit to compare")
    parser.add_argument("--show", type=int, default=3, help="number of failing units to print")
    options = parser.parse_args()
    if not (options.bin / "opledger-scan").exists():
        print("SKIPPED: opledger-scan was not built")
        return 77
    return check(options)


if __name__ == "__main__":
    sys.exit(main())
