#!/usr/bin/env python3
"""Lists that C++ code builds are read completely or reported as incomplete, for a table of ways to
build such a list, in functions and outside of them. Lists that are read completely have the rows
that the compiled program prints."""
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

FUNCTION = """#include <set>
#include <string>
{before}
std::set<std::string> FP32() {{
  std::set<std::string> list = {{{elements}}};
  {body}
  return {result};
}}
"""
# Read completely; the compiled program prints the same.
FULL = {
    "plain": {},
    "insert": {"body": 'list.insert("zeta");'},
    "insert of several": {"body": 'list.insert({"zeta", "eta"});'},
    "literal of type string": {"elements": '"exp"s, "gamma"', "before": "using namespace std::string_literals;"},
    "loop over an array": {"body": 'static const char* const kOps[] = {"zeta", "eta"};\n  for (auto op : kOps) list.insert(op);'},
    "reading": {"body": 'for (auto& x : list) (void)x;\n  if (list.count("gamma") == 0 || list.empty()) return {};'},
    "moved out": {"result": "std::move(list)", "before": "#include <utility>"},
    "helper": {"body": "Add(&list);", "before": 'static void Add(std::set<std::string>* list) { list->insert("exp"); }'},
    "settings at run time": {"body": 'Update("LIST", &list);', "before": """#include <cstdlib>
static void Update(const char* name, std::set<std::string>* list) {
  const char* const value = getenv(name);
  if (value != nullptr) list->insert(value);
}"""},
    "both sides of #if": {"elements": '"gamma",\n#ifdef X\n"eta"\n#else\n"delta"\n#endif\n'},
}
# Not read completely, in a function. These need not compile.
PARTLY = {
    "clear": {"body": "list.clear();"},
    "assigned braces": {"body": 'list = {"zeta"};'},
    "assigned call": {"body": "list = Load();"},
    "loop over a call": {"body": "for (auto& x : Extra()) list.insert(x);"},
    "loop over braces": {"body": 'for (const char* x : {"zeta"}) list.insert(x);'},
    "merge": {"body": "list.merge(other);"},
    "extract": {"body": 'list.extract("gamma");'},
    "erase": {"body": 'list.erase("gamma");'},
    "erase_if": {"body": "std::erase_if(list, Pred);"},
    "swap": {"body": "list.swap(other);"},
    "swapped": {"body": "other.swap(list);"},
    "std::swap": {"body": "std::swap(list, other);"},
    "inserter": {"body": "std::copy(o.begin(), o.end(), std::inserter(list, list.end()));"},
    "another variable": {"result": "other"},
    "another function": {"result": "More()"},
    "one of two": {"result": "flag ? list : other"},
    "pointer": {"body": "Strip(&list);"},
    "reference": {"body": "Strip(list);"},
    "constant": {"elements": 'kExp, "gamma"'},
    "macro before": {"elements": 'ROWS "gamma"'},
    "macro behind": {"elements": '"gamma", ROWS'},
    "constructor": {"elements": 'std::string("exp"), "gamma"'},
    "included rows": {"elements": '"gamma",\n#include "rows.inc"\n'},
    "macro that erases": {"body": 'DROP("gamma");', "before": "#define DROP(n) list.erase(n)"},
    "early result": {"body": 'if (list.empty()) return {"zeta"};'},
    "two lists": {"body": 'std::set<std::string> other = {"zeta"};'},
    "alias by reference": {"body": "auto& r = list; r.clear();"},
    "alias by pointer": {"body": "auto* r = &list; r->clear();"},
    "lambda": {"body": "[&] { list.clear(); }();"},
    "operator": {"body": "list += Load();"},
    "index": {"body": 'list["zeta"] = 1;'},
    "computed name": {"body": "list.emplace(kExp);"},
    "concatenated": {"body": 'list.insert("gamma" + suffix);'},
    "copy": {"body": "auto s = FP16; s.insert(\"gamma\"); return s;"},
}
# Code after a variable outside of functions.
GLOBAL = {
    "erase": 'void Init() { FP32.erase("gamma"); }', "insert": 'void Init() { FP32.insert("zeta"); }',
    "clear": "void Init() { FP32.clear(); }", "assigned": 'void Init() { FP32 = {"zeta"}; }',
    "loop": "void Init() { for (auto x : Y()) FP32.insert(x); }",
    "initialiser that inserts": 'static bool b = FP32.insert("zeta").second;',
    "lambda": "static int b = [] { FP32.clear(); return 0; }();", "pointer": "static auto* p = &FP32;",
    "reference": "static auto& p = FP32;", "argument": "void Init() { Strip(FP32); }",
}
WHOLE = {
    "result that is changed": FUNCTION.format(before="", elements='"gamma"', body="", result="list") +
                              'static int x = FP32().erase("gamma");\n',
    "lambda": 'const std::set<std::string> FP32 = [] { std::set<std::string> s{"gamma"}; s.insert("delta"); return s; }();\n',
    "two namespaces": 'namespace a { const char* FP32[] = {"gamma"}; }\nconst char* FP32[] = {"zeta"};\n',
    "structs": 'Op FP32[] = {{"gamma", true}, {"iota", false}};\n',
}
NAMES = "alpha gamma delta zeta eta exp log".split()
OUTER = 'std::set<std::string> FP32 = {"gamma", "delta"};\n'


def function(parts):
    return FUNCTION.format(**{"before": "", "elements": '"gamma", "delta"', "body": "", "result": "list", **parts})


def write_project(folder):
    (folder / "src").mkdir()
    (folder / "src/a.cc").write_text("".join(f'REG_OP("{name}");\n' for name in NAMES))
    (folder / "dialect.json").write_text(json.dumps(
        {"name": "q", "sources": ["src/**"], "sinks": [{"macro": "REG_OP", "parameters": 1, "form": "string"}]}))
    (folder / "opledger.json").write_text('{"dialect": "dialect.json", "lists": ["list.json"]}')
    (folder / "list.json").write_text(json.dumps(
        {"framework": "q", "target_dtype": "float16", "unlisted": "either",
         "derived_from": [{"file": "l.h", "format": "cpp", "map": {"FP32": "fp32"}}]}))


def read(binaries, folder, text):
    """Returns the exit status of a check, and the rows if that is 0."""
    (folder / "l.h").write_text(text)
    status = subprocess.run([binaries / "opledger", "check", "--no-cache", "-q"], cwd=folder, capture_output=True,
                            check=False).returncode
    if status != 0:
        return status, None
    subprocess.run([binaries / "opledger", "lists", "sync", "--output", "out.json", "-q"], cwd=folder, check=True)
    rows = json.loads((folder / "out.json").read_text())["fp32"]
    return 0, sorted(each if isinstance(each, str) else each["op"] for each in rows)


def compiled(folder, text):
    (folder / "main.cpp").write_text(
        text + '#include <cstdio>\nint main() { for (auto& each : FP32()) std::puts(each.c_str()); }\n')
    subprocess.run(["g++", "-std=c++20", "-o", "main", "main.cpp"], cwd=folder, check=True)
    return sorted(subprocess.run(["./main"], cwd=folder, capture_output=True, text=True, check=True).stdout.split())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    binaries = parser.parse_args().bin.resolve()
    if not (binaries / "opledger-scan").exists() or shutil.which("g++") is None:
        print("SKIPPED: opledger-scan was not built, or there is no g++")
        return 77
    problems = []
    with tempfile.TemporaryDirectory(prefix="opledger-cpp-lists-") as scratch:
        folder = pathlib.Path(scratch).resolve()
        write_project(folder)
        for name, parts in FULL.items():
            (folder / "out.json").unlink(missing_ok=True)
            status, rows = read(binaries, folder, function(parts))
            expected = compiled(folder, function(parts))
            if name == "both sides of #if":  # the build without X has one side
                expected = sorted([*expected, "eta"])
            if status != 0 or rows != expected:
                problems.append(f"{name}: exit status {status}, {rows}, not {expected}")
        partly = {**{name: function(parts) for name, parts in PARTLY.items()}, **WHOLE,
                  **{f"outside: {name}": OUTER + text + "\n" for name, text in GLOBAL.items()}}
        for name, text in partly.items():
            status, _ = read(binaries, folder, text)
            if status != 3:
                problems.append(f"{name}: exit status {status}, not 3:\n{text}")
    print("\n".join(problems))
    print(f"{len(FULL)} lists read completely, {len(partly)} partly, {len(problems)} wrong")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
