#!/usr/bin/env python3
"""Tests each limit of registry/scan/LIMITS.md: just below it, a tree is read normally; beyond it,
the scan reports what it left out (exit status 3), fails (2), or yields an open condition, but never
drops anything silently."""
# SPDX-License-Identifier: Apache-2.0

import dataclasses
import json
import pathlib
import re
import subprocess
import sys
import typing

import scanning
from scanning import Tree, expect, main

ROOT = pathlib.Path(__file__).resolve().parents[2]
MACRO = scanning.DIALECT
# Names that are evaluated.
CALLS = {"name": "calls", "sources": ["src/**"], "include_directories": ["include"],
         "sinks": [{"macro": "Add", "form": "string", "call": True, "receiver": "own::Registry::"}]}
KERNELS = json.loads((ROOT / "registry/dialects/pytorch.json").read_text())
NATIVE = "aten/src/ATen/native/"


@dataclasses.dataclass
class Case:
    limit: str  # as in LIMITS.md
    files: typing.Callable  # files for a size
    below: int
    beyond: int
    said: str = ""  # message beyond it, with exit status 3 or 2; "open": an unknown condition
    dialect: typing.Union[dict, str] = dataclasses.field(default_factory=lambda: MACRO)
    names: typing.Callable = lambda size: ["a"]
    flags: typing.Callable = lambda size: []
    special: typing.Callable = lambda folder, size: None


CASES = []


def case(limit, below, beyond, said="", **more):
    def add(files):
        each = Case(limit, files, below, beyond, said, **more)
        CASES.append(each)
        globals()[f"test_{files.__name__}"] = lambda bin_folder, folder: run(bin_folder, folder, each)
        return files
    return add


def one(text):
    return {"src/a.cc": text}


def expression(size):
    return "A + (" * size + "A" + ")" * size


# Conditions.

@case("kMaxConditionDepth", 190, 210, "takes too long to evaluate")
def deep_condition(size):
    return one(f"#if {expression(size)}\nREGISTER_OP(a);\n#endif\n")


def pairs_far_apart(size):
    """Terms in an order that makes the decision diagram large."""
    return " || ".join(f"(A{i} && B{i})" for i in range(size))


@case("kMaxSteps of a diagram", 8, 24, names=lambda size: ["b"], flags=lambda size: ["--configuration", "own"],
      dialect=lambda size: {**MACRO, "configurations": {
          "own": {f"{macro}{i}": str(int((macro, i) == ("A", 1))) for macro in "AB" for i in range(size)}}})
def large_diagram(size):
    """An expression too large for a diagram is evaluated as written."""
    return one(f"#if {pairs_far_apart(size)}\nREGISTER_OP(a);\n#else\nREGISTER_OP(b);\n#endif\n")


@case("kMaxDepth of a diagram", 1000, 6000, names=lambda size: ["b"], flags=lambda size: ["--configuration", "own"],
      dialect=lambda size: {**MACRO, "configurations": {"own": {f"A{i}": str(int(i != 7)) for i in range(size)}}})
def deep_diagram(size):
    even, odd = (" && ".join(f"A{i}" for i in range(first, size, 2)) for first in (0, 1))
    return one(f"#if {even}\n#if {odd}\nREGISTER_OP(a);\n#endif\n#endif\nREGISTER_OP(b);\n")


@case("kMaxFurtherWays", 3, 8, "takes too long to evaluate")
def ways_to_a_header(size):
    """Each header includes all that follow."""
    files = {f"include/h{i}.h": "".join(f'#if C{i}_{j}\n#include "h{j}.h"\n#endif\n' for j in range(i + 1, size + 1))
             for i in range(size)}
    files[f"include/h{size}.h"] = "#define MAKE(x) REGISTER_OP(x)\n"
    return {**files, "src/a.cc": '#define MAKE(x)\n#undef MAKE\n#include "h0.h"\n#ifdef MAKE\nMAKE(a);\n#endif\n'}


@case("kMaxDepth of headers", 150, 260, "takes too long to evaluate",
      names=lambda size: ["a"] if size < 200 else ["a", "b"])
def headers_in_headers(size):
    files = {f"include/h{i}.h": f'#ifndef H{i}\n#define H{i}\n#include "h{i + 1}.h"\n#endif\n' for i in range(size)}
    files[f"include/h{size}.h"] = "#define X 1\n"
    return {**files, "src/a.cc": '#include "h0.h"\n#if X\nREGISTER_OP(a);\n#else\nREGISTER_OP(b);\n#endif\n'}


@case("kMaxChain", 14, 20, "open", names=lambda size: ["a"] if size < 16 else ["a", "b"],
      flags=lambda size: ["--configuration", "own"],
      dialect=lambda size: {**MACRO, "configurations": {
          "own": {**{f"A{i}": f"A{i + 1}" for i in range(size)}, f"A{size}": "1"}}})
def chain_of_defines(size):
    return one("#if A0\nREGISTER_OP(a);\n#else\nREGISTER_OP(b);\n#endif\n")


@case("kMaxExpansionSteps", 8, 14, "open")
def condition_that_grows(size):
    text = "".join(f"#define M{i} (M{i + 1} + M{i + 1})\n" for i in range(size))
    return one(text + f"#define M{size} X\n#if M0 == 4096\nREGISTER_OP(a);\n#endif\n")


@case("kMaxMeanings of a condition", 10, 13, "open")
def meanings_of_a_condition(size):
    text = "".join(f"#if C{i}\n#define M{i} 1\n#else\n#define M{i} 2\n#endif\n" for i in range(size))
    return one(text + "#if " + " + ".join(f"M{i}" for i in range(size)) + f" == {size + 1}\nREGISTER_OP(a);\n#endif\n")


# Units.

@case("kMaxMeanings of a macro", 20, 70, "its conditionals combine in too many ways")
def definitions_of_a_wrapper(size):
    text = "".join(f"#ifdef C{i}\n#undef W\n#define W(x) REGISTER_OP(x).doc(\"{i}\")\n#endif\n" for i in range(size))
    return {"include/w.h": "#define W(x) REGISTER_OP(x)\n" + text, "src/a.cc": '#include "w.h"\nW(a);\n'}


@case("kMaxCombined", 5, 8, "its conditionals combine in too many ways", names=lambda size: ["a"])
def conditionals_in_arguments(size):
    text = "".join(f"#if C{i}\n.doc(\"c{i}\")\n#endif\n" for i in range(size))
    return one(f"#define TWICE(x) x\nTWICE(REGISTER_OP(a)\n{text});\n")


@case("kMaxPasses", 200, 300, "its conditionals combine in too many ways",
      names=lambda size: sorted(f"n{i}" for i in range(min(size, 256))))
def passes(size):
    text = "".join(f"#if V == {i}\n#define NAME n{i}\n#endif\n" for i in range(size))
    return one(text + "#define R(x) REGISTER_OP(x)\n#define R2(x) R(x)\n#ifdef NAME\nR2(NAME);\n#endif\n")


@case("kMaxPasted", 200, 300, names=lambda size: ["a"])
def macros_alike(size):
    header = "".join(f"#define MAKE_{i}(x) REGISTER_OP(x)\n" for i in range(size))
    return {"include/m.h": header, "src/a.cc": '#include "m.h"\n#define GLUE(n, x) MAKE_##n(x)\nGLUE(7, a);\n'}


@case("kMaxDepth of macros before an include", 5, 20, "the file that 'F0' names was not followed",
      names=lambda size: ["a", "b"])
def include_by_macros(size):
    text = "".join(f"#define F{i} F{i + 1}\n" for i in range(size))
    return {"src/b.inc": "REGISTER_OP(b);\n",
            "src/a.cc": f'{text}#define F{size} "b.inc"\n#include F0\nREGISTER_OP(a);\n'}


def block(body, before=""):
    return {"a.cpp": f"#include <torch/library.h>\n{before}TORCH_LIBRARY(ns, m) {{\n{body}}}\n"}


@case("kDeepest of receivers", 10, 30, dialect="pytorch-extension", names=lambda size: ["ns::a"])
def names_of_a_receiver(size):
    text = "auto& m0 = m;\n" + "".join(f"auto& m{i + 1} = m{i};\n" for i in range(size))
    return block(f'{text}m{size}.def("a(Tensor x) -> Tensor");\n')


@case("kManyKept", 3_000, 600_000, dialect="pytorch-extension", names=lambda size: ["ns::a"])
def receiver_far_before(size):
    return block("f(m);\n", "void f(torch::Library& m) {\n" + "int a;\n" * (size // 3)
                 + 'm.def("a(Tensor x) -> Tensor");\n}\n')


# Other than source files.

@case("kMaxSourceBytes", (64 << 20) - 100, 64 << 20, "larger than 64 MB")
def large_file(size):
    return one("REGISTER_OP(a);\n" + " " * size)


@case("kMaxMacros", 249_000, 250_001, "defines more than 250,000 macros")
def many_definitions(size):
    return one("#define A\n" * size + "REGISTER_OP(a);\n")


@case("kMaxIncludes", 19_990, 20_001, "has more than 20,000 #includes")
def many_includes(size):
    return one('#include "empty.h"\n' * size + "REGISTER_OP(a);\n")


@case("kMaxSuspiciousNames", 49_990, 50_002, "has more than 50,000 names that look like registrations")
def many_registrations(size):
    return one("REGISTER_OP(a);\n" * size)


@case("kMaxConditionalDepth", 99, 102, "nests conditionals more than 100 deep")
def deep_conditionals(size):
    return one("#if A\n" * size + "REGISTER_OP(a);\n" + "#endif\n" * size)


@case("kMaxConditionals", 49_000, 50_002, "has more than 50,000 conditionals")
def many_conditionals(size):
    return one("#if A\n#endif\n" * size + "REGISTER_OP(a);\n")


@case("kMaxBranches", 990, 1_002, "has a conditional with more than 1,000 branches")
def many_branches(size):
    return one("#if A\n" + "#elif A\n" * size + "#endif\nREGISTER_OP(a);\n")


@case("kMaxConditionBytes", 60_000, 66_000, "has a condition longer than 64 kB")
def long_condition(size):
    return one("#if " + "A" * size + "\n#endif\nREGISTER_OP(a);\n")


@case("kMaxTokens", 19, 26, "contains a macro bomb")
def macro_bomb(size):
    text = "".join(f"#define M{i} M{i + 1} M{i + 1}\n" for i in range(size))
    return one(text + f"#define M{size} x\nint a[] = {{M0}};\nREGISTER_OP(a);\n")


@case("kLargestSource", 1 << 20, (1 << 30) + 1, "cannot be read: File too large",
      special=lambda folder, size: (folder / "src/b.cc").open("r+b").truncate(size + 100) if size > 1 << 29 else None)
def sparse_file(size):
    return {"src/a.cc": "REGISTER_OP(a);\n", "src/b.cc": "int x;\n"}


# Compile commands and build files.

def database(folder, flags):
    (folder / "compile_commands.json").write_text(json.dumps(
        [{"directory": str(folder), "file": "src/a.cc", "command": f"g++ {flags} -c src/a.cc"}]))


@case("kMaxResponseFileDepth", 3, 6, "since response files are nested more than", flags=lambda size: ["-p", "."],
      special=lambda folder, size: database(folder, "@f0"))
def response_files(size):
    files = {f"f{i}": f"@f{i + 1}" for i in range(size)}
    return {**files, f"f{size}": "-DX", "src/a.cc": "REGISTER_OP(a);\n"}


@case("kMaxFlags", 90_000, 100_001, "flags; does a response file (@FILE) include itself?", flags=lambda size: ["-p", "."],
      special=lambda folder, size: database(folder, "-DX " * size))
def many_flags(size):
    return one("REGISTER_OP(a);\n")


LIBRARY = ('#include <torch/library.h>\n'
           'TORCH_LIBRARY_FRAGMENT(TORCH_EXTENSION_NAME, m) { m.def("a(Tensor x) -> Tensor"); }\n')
NAMED = "target_compile_definitions(ext PRIVATE TORCH_EXTENSION_NAME=ext)\n"


@case("kMostFolders", 4000, 4200, "contains the macro 'TORCH_EXTENSION_NAME' of the build", dialect="pytorch-extension",
      names=lambda size: ["ext::a"] if size < 4090 else ["TORCH_EXTENSION_NAME::a"])
def many_folders(size):
    return {**{f"d{i:04}/x": "" for i in range(size)}, "CMakeLists.txt": NAMED, "csrc/a.cpp": LIBRARY}


@case("kLargestFile", 900_000, 1_100_000, "contains the macro 'TORCH_EXTENSION_NAME' of the build",
      dialect="pytorch-extension",
      names=lambda size: ["ext::a"] if size < 1_000_000 else ["TORCH_EXTENSION_NAME::a"])
def large_build_file(size):
    return {"CMakeLists.txt": NAMED, "csrc/CMakeLists.txt": "# " + " " * size + "\n" + NAMED,
            "csrc/a.cpp": LIBRARY}


@case("kMaxShards", 100_000, 100_001, "--shard", names=lambda size: ["a"] if size == 1 else None,
      flags=lambda size: ["--shard", f"1/{size}"])
def shards(size):
    return one("REGISTER_OP(a);\n")


# Kernels.

CHOICE = 'AT_DISPATCH_FLOATING_TYPES(self.scalar_type(), "x", [&] {});'


def kernel(text):
    return {NATIVE + "native_functions.yaml": "- func: a(Tensor self) -> Tensor\n  dispatch:\n    CPU: f0\n",
            NATIVE + "f.cpp": text}


def kernel_case(limit, below, beyond, said):
    return case(limit, below, beyond, said, dialect=KERNELS, names=lambda size: ["aten::a"])


TOO_LARGE = "the element types of 'f0' are not known"


@kernel_case("kMaxFunctionDepth", 90, 110, TOO_LARGE)
def kernels_that_call(size):
    calls = "".join(f"Tensor f{i}(const Tensor& self) {{ return f{i + 1}(self); }}\n" for i in range(size))
    return kernel(calls + f"Tensor f{size}(const Tensor& self) {{ {CHOICE} }}\n")


@kernel_case("kMaxCalls", 3, 14, TOO_LARGE)
def kernels_that_call_much(size):
    """Each call with another half of the arguments."""
    names = [f"p{i}" for i in range(size)]
    text = ""
    for i in range(size):
        first = [name if k != i else "0" for k, name in enumerate(names)]
        text += (f"Tensor f{i}({', '.join('const Tensor& ' + name for name in names)}) "
                 f"{{ f{i + 1}({', '.join(names)}); return f{i + 1}({', '.join(first)}); }}\n")
    return kernel(text + f"Tensor f{size}(const Tensor& p0) {{ {CHOICE.replace('self', 'p0')} }}\n")


@kernel_case("kMaxNesting", 190, 210, TOO_LARGE)
def deep_blocks(size):
    return kernel("Tensor f0(const Tensor& self) {" + "{" * size + CHOICE + "}" * size + "}\n")


@kernel_case("kMaxBoundBytes", 10, 500, TOO_LARGE)
def many_returns(size):
    text = "".join(f"if (a{i}) {{ {CHOICE} return; }}\n" for i in range(size))
    return kernel("Tensor f0(const Tensor& self) {" + text + CHOICE + "}\n")


@kernel_case("kMaxExpandedOfFunction", 5, 14, TOO_LARGE)
def macros_in_a_function(size):
    text = "".join(f"#define D{i}(x) {{ D{i + 1}(x); D{i + 1}(x); }}\n" for i in range(size))
    return kernel(f"{text}#define D{size}(x) {CHOICE}\nTensor f0(const Tensor& self) {{ D0({'y' * 100}); }}\n")


MACROS = "its macros are too large to expand"


@kernel_case("kMaxMacroDepth", 31, 40, MACROS)
def macros_of_functions(size):
    text = "".join(f"#define D{i}(x) D{i + 1}(x)\n" for i in range(size))
    return kernel(f"{text}#define D{size}(x) Tensor x(const Tensor& self) {{ {CHOICE} }}\nD0(f0)\n")


@kernel_case("kMaxExpandedOfFile", 5, 10, MACROS)
def macros_of_a_file(size):
    text = "".join(f"#define D{i}(x, y) D{i + 1}(x, y) D{i + 1}(x, y)\n" for i in range(size))
    return kernel(f"{text}#define D{size}(x, y) Tensor x(const Tensor& self) {{ {CHOICE} }}\nD0(f0, {'y' * 5000})\n")


# Names that are evaluated.

HEADERS = "#include <array>\n#include <string>\n#include <vector>\n"


def at_start(body, before=""):
    return one(HEADERS + before + "static auto at_start = [] {\n" + body + "  return true;\n}();\n")


def call_case(limit, below, beyond, said, names=None):
    return case(limit, below, beyond, said, dialect=CALLS, names=names or (lambda size: ["a"] if size >= 0 else []))


def none_beyond(limit, name="a"):
    return lambda size: [name] if size <= limit else []


@call_case("kMaxNames", 9_990, 10_010, "it yields more than 10,000 names",
           lambda size: sorted(f"a{i}" for i in range(min(size, 10_000))))
def many_names(size):
    return at_start(f'for (int i = 0; i < {size}; ++i) own::Registry::Add(std::string("a") + std::to_string(i));\n')


@call_case("kMaxSteps of evaluation", 1_000, 2_000_000, "evaluation takes more than a million steps",
           none_beyond(1_000, "a1000"))
def many_steps(size):
    return at_start(f'int n = 0;\nfor (int i = 0; i < {size}; ++i) ++n;\n'
                    'own::Registry::Add(std::string("a") + std::to_string(n));\n')


@call_case("kMaxTextLength", 1_000, 100_000, "a string is too long", none_beyond(1_000))
def long_text(size):
    return at_start(f"std::string s;\nfor (int i = 0; i < {size}; i += 1000) s.append(1000, 'x');\n"
                    'own::Registry::Add(s.empty() ? "b" : "a");\n')


@call_case("kMaxCallDepth of evaluation", 100, 600, "cannot be followed", none_beyond(100))
def recursion(size):
    return at_start(f"own::Registry::Add(F({size}));\n",
                    'static std::string F(int n) { return n == 0 ? std::string("a") : F(n - 1); }\n')


@call_case("kMaxItems", 99_990, 100_010, "an array is too long", none_beyond(99_990))
def long_array(size):
    return at_start("own::Registry::Add(std::string(kNames[0]));\n", f'static const char* kNames[{size}] = {{"a"}};\n')


@call_case("kMaxFilled", 9_990, 10_010, "the contents of a list are unknown", none_beyond(9_990))
def long_list(size):
    return at_start(f'std::vector<std::string> v({size}, "a");\nown::Registry::Add(v[0]);\n')


# Names from kernels and evaluation.

ROWS = {"name": "own", "sources": ["src/**"],
        "sinks": [{"macro": "KERNEL", "parameters": 2, "chain": 1, "kernel": {"operator": True, "on": "cpu"}},
                  {"macro": "MATCHED", "parameters": 2, "chain": 1, "kernel": {"operator": True}}],
        "kernels": {"methods": [{"method": "Type", "variable": 0, "dtypes": [1]},
                                {"method": "When", "condition": {"argument": 0, "device": "Device", "dtype": "DType"}}],
                    "devices": {"kCpu": "cpu"}, "type_traits": ["List", "FromList"]},
        "types": {"names": {"float": ["float32"]}}}
UNREAD = "the element types of this kernel were not read"


@case("kMaxTokensOfList", 900, 1_100, UNREAD, dialect=ROWS)
def long_type_list(size):
    types = ", ".join(["float"] * size)
    return one(f'using Floats = List<{types}>;\nKERNEL(a, Def().Type("T", FromList<Floats>()));\n')


@case("kMaxNameDepth", 5, 20, UNREAD, dialect=ROWS)
def names_of_type_lists(size):
    text = "".join(f"using T{i} = List<T{i + 1}>;\n" for i in range(size))
    return one(f"{text}using T{size} = float;\nKERNEL(a, Def().Type(\"T\", FromList<T0>()));\n")


@case("kMaxAlternatives", 60, 70, UNREAD, dialect=ROWS)
def kernel_conditions(size):
    ways = " || ".join(f"(Device() == kCpu && DType(\"x{i}\", 0) == float)" for i in range(size))
    return one(f"MATCHED(a, Def().When({ways}));\n")


IS_UNKNOWN = "cannot be evaluated"
INPUT = 'schema.Input(0, "x", "", "T");\n'


def onnx_case(limit, below, beyond):
    return case(limit, below, beyond, IS_UNKNOWN, dialect="onnx", names=lambda size: ["A"])


def filled(body, functions="", use="FillUsing(F())"):
    fills = f"static std::function<void(OpSchema&)> F() {{\n  return [=](OpSchema& schema) {{\n{body}  }};\n}}\n"
    return {"onnx/defs/schema.h": "#pragma once\n",
            "onnx/defs/a/defs.cc": f'#include "onnx/defs/schema.h"\n{functions}{fills}'
                                   f"ONNX_OPERATOR_SET_SCHEMA(A, 1, OpSchema().{use});\n"}


@onnx_case("kMaxFillDepth", 15, 30)
def fills_in_fills(size):
    text = "".join(f"static std::function<void(OpSchema&)> F{i}() {{ return [=](OpSchema& schema) "
                   f"{{ schema.FillUsing(F{i + 1}()); }}; }}\n" for i in range(size))
    last = f"static std::function<void(OpSchema&)> F{size}() {{ return [=](OpSchema& schema) {{ {INPUT} }}; }}\n"
    return filled(INPUT, text + last, "FillUsing(F0())")


@onnx_case("kMaxCallDepth of constants", 10, 50)
def functions_of_constants(size):
    text = "".join(f"static const char* N{i}() {{ return N{i + 1}(); }}\n" for i in range(size))
    return filled('schema.Input(0, N0(), "", "T");\n', text + f'static const char* N{size}() {{ return "x"; }}\n')


@onnx_case("kMaxChoiceDepth", 100, 600)
def choices(size):
    return filled("schema.Input(0, " + "true ? " * size + '"x"' + ' : "y"' * size + ', "", "T");\n')


@onnx_case("kMaxBlockDepth", 150, 250)
def blocks(size):
    return filled("{" * size + INPUT + "}" * size + "\n")


@onnx_case("kMaxExpressionTokens", 4_000, 6_000)
def tokens(size):
    return filled("schema.Input(0, " + ' + '.join(['std::string("")'] * (size // 2)) + ' + "x", "", "T");\n')


@onnx_case("kMaxTextLength of constants", 9_000, 11_000)
def constant_text(size):
    return filled(f'schema.Input(0, "{"x" * size}", "", "T");\n')


@onnx_case("kMaxListLength", 9_000, 11_000)
def constant_list(size):
    types = ",".join(['"tensor(float)"'] * size)
    return filled(INPUT, use=f'Input(0, "x", "", "T").TypeConstraint("T", {{{types}}}, "")')


@onnx_case("kMaxSteps of constants", 4_000, 40_000)
def steps(size):
    text = "".join(f"s = N();\n" for i in range(size // 10))
    loops = "static const char* N() { " + "".join(f"bool b{i} = true; " for i in range(10)) + 'return "x"; }\n'
    return filled("std::string s;\n" + text * 1 + INPUT, loops)


# Python.

OPERATOR = "    @custom_op(name, mutates_args=())\n    def a(x: 'Tensor') -> 'Tensor': ...\n"
IMPORT = "from torch.library import custom_op\n"


def python_case(limit, below, beyond, said):
    return case(limit, below, beyond, said, dialect="pytorch-extension",
                names=lambda size: ["m::a"] if size <= below else None)


@python_case("kMaxFrames", 15, 20, "modules and was not followed, so what it registers is not known")
def python_calls(size):
    files = {"pkg/__init__.py": "", "pkg/m0.py": IMPORT + "def w0(name):\n" + OPERATOR}
    for i in range(1, size):
        files[f"pkg/m{i}.py"] = f"from .m{i - 1} import w{i - 1}\ndef w{i}(name):\n    w{i - 1}(name)\n"
    return {**files, "pkg/z.py": f"from .m{size - 1} import w{size - 1}\nw{size - 1}('m::a')\n"}


@python_case("kMaxReexports", 60, 70, "is imported through more than 64 modules")
def python_imports(size):
    files = {"pkg/__init__.py": "", "pkg/m0.py": IMPORT}
    for i in range(1, size):
        files[f"pkg/m{i}.py"] = f"from .m{i - 1} import custom_op\n"
    return {**files, "pkg/z.py": f"from .m{size - 1} import custom_op\ndef z(name):\n{OPERATOR}z('m::a')\n"}


def check(program, folder, each, size):
    """Returns the status, the messages, and the resulting names and conditions."""
    dialect = each.dialect(size) if callable(each.dialect) else each.dialect
    files = each.files(size)
    if isinstance(dialect, dict):
        files = {**files, "dialect.json": json.dumps(dialect)}
    tree = Tree(folder, files)
    each.special(tree.folder, size)
    command = tree.command(program, "--no-cache", *each.flags(size))
    if isinstance(dialect, str):
        command[command.index("./dialect.json")] = dialect
    output = tree.folder / "operators.json"
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
                          env=tree.environment())
    text = output.read_text() if output.exists() else ""
    manifest = json.loads(text) if text.startswith("{\n \"schema\": \"opledger-operators") else {"operators": []}
    return done, manifest["operators"]


def run(bin_folder, folder, each):
    program = bin_folder / "opledger-scan"
    done, operators = check(program, folder / "below", each, each.below)
    found = [operator["name"] for operator in operators]
    expect(done.returncode == 0, each.limit, "below:", done.returncode, done.stderr[:500])
    wanted = each.names(each.below)
    expect(wanted is None or found == wanted, each.limit, "below:", found[:5])
    expect("unparsable" not in json.dumps(operators), each.limit, "below: open")
    done, operators = check(program, folder / "beyond", each, each.beyond)
    found = [operator["name"] for operator in operators]
    expect(not re.search("Sanitizer: |: runtime error: ", done.stderr), done.stderr[:2000])
    wanted = each.names(each.beyond)
    if each.said in ("", "open"):
        expect(done.returncode == 0, each.limit, "beyond:", done.returncode, done.stderr[:500])
        expect(found == wanted, each.limit, "beyond:", found[:5])
    else:
        expect(done.returncode in (2, 3), each.limit, "beyond:", done.returncode, found[:5], done.stderr[:500])
        expect(each.said in done.stderr, each.limit, "beyond:", done.stderr[:500])
    if each.said == "open":
        expect(any(op in ("b",) for op in found) or "unparsable" in json.dumps(operators), each.limit, "is not open")


if __name__ == "__main__":
    sys.exit(main(globals()))
