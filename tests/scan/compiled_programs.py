"""Generates programs that register operators in many ways from a seed: each is a composition of
shapes.

A shape is a function of a Part: it returns text for the unit, and may add files, lines of main()
and macros of the configurations. Programs share macro and function names, as in real trees; only
operator names and the configurations' macros are unique.
"""
# SPDX-License-Identifier: Apache-2.0

import random

# The program's own registry, without the standard library, which is slow to compile.
REGISTRY = """#pragma once
extern "C" int puts(const char*);
inline int add_to_registry(const char* name) { return puts(name); }
inline int Register(const char* name) { return add_to_registry(name); }
class Adder {
 public:
  Adder(const char* name, int = 0) { add_to_registry(name); }
  Adder() {}
};
template <typename T> class TypedAdder {
 public:
  TypedAdder(const char* name, T = T()) { add_to_registry(name); }
};
class Library {
 public:
  Library& def(const char* name) { add_to_registry(name); return *this; }
  static Library& Get() { static Library library; return library; }
};
class Builder {
 public:
  Builder& op(const char* name, int = 0) { add_to_registry(name); return *this; }
};
#define REG_GLUE_(a, b) a##b
#define REG_GLUE(a, b) REG_GLUE_(a, b)
#define REG_OP(name) static int REG_GLUE(registered_, __COUNTER__) = add_to_registry(#name)
#define REG_STR(text) static int REG_GLUE(registered_, __COUNTER__) = add_to_registry(text)
"""

SINKS = [
    {"macro": "REG_OP"},
    {"macro": "REG_STR", "form": "string"},
    {"macro": "Register", "form": "string", "call": True},
    {"macro": "Adder", "form": "string", "call": True, "variable": True},
    {"macro": "TypedAdder", "form": "string", "call": True, "variable": True},
    {"macro": "def", "form": "string", "call": True, "receiver": "Library::Get()."},
    {"macro": "Builder", "form": "string", "call": True, "variable": True, "methods": ["op"]},
]
CONFIGURATIONS = ("c", "d")
SHAPES = {}


class Part:
    """One use of a shape in a program."""

    def __init__(self, chance, program, place):
        self.random = chance
        self.k = place
        self.prefix = f"p{program}s{place}"
        self.program = program
        self.fresh = 0
        self.files = {}
        self.main = []
        self.macros = {name: {} for name in CONFIGURATIONS}

    def op(self):
        self.fresh += 1
        return f"{self.prefix}_{self.random.choice(('abs', 'Relu', 'x', 'conv2d', '_min'))}{self.fresh}"

    def config(self, values=(None, 0, 1, 2, 7)):
        """Adds a macro of the configurations; None leaves it undefined."""
        self.fresh += 1
        name = f"CFG_{self.prefix}_{self.fresh}"
        for configuration in CONFIGURATIONS:
            self.macros[configuration][name] = self.random.choice(values)
        return name

    def undefined(self, *names):
        """Declares for each configuration that its command line does not define macros that files
        may define."""
        for macros in self.macros.values():
            macros.update(dict.fromkeys(names))

    def one(self, *values):
        return self.random.choice(values)

    def file(self, suffix, text):
        name = f"part{self.k}{suffix}"
        self.files[name] = text
        return name


def shape(function):
    SHAPES[function.__name__] = function
    return function


class Program:
    def __init__(self, seed, number, names):
        chance = random.Random(f"{seed}/{number}")
        self.number = number
        self.parts = []
        self.files, self.macros, main = {}, {name: {} for name in CONFIGURATIONS}, []
        lines = ['#include "registry.h"']
        for place in range(chance.randint(2, 5)):
            name = chance.choice(names)
            part = Part(chance, number, place)
            text = SHAPES[name](part)
            first = len(lines) + 1
            lines += text.rstrip("\n").split("\n")
            part.shape, part.first, part.last = name, first, len(lines)
            self.parts.append(part)
            self.files.update(part.files)
            main += [(place, line) for line in part.main]
            for configuration in CONFIGURATIONS:
                self.macros[configuration].update(part.macros[configuration])
        lines.append("int main() {")
        self.main_lines = {}
        for place, line in main:
            lines.append("  " + line)
            self.main_lines[len(lines)] = place
        lines += ["}", ""]
        self.files["unit.cc"] = "\n".join(lines)

    def place_at(self, path, line):
        """Returns the part that contains a line; None if there is none."""
        if path != "unit.cc":
            return int(path[4])
        return self.main_lines.get(line, next((p.k for p in self.parts if p.first <= line <= p.last), None))

    def place_of(self, operator):
        """Returns the part of a name, by its prefix; None if there is none."""
        start = f"p{self.number}s"
        digit = operator[len(start):len(start) + 1] if operator.startswith(start) else ""
        return int(digit) if digit.isdigit() and int(digit) < len(self.parts) else None

    def shape_of(self, operator):
        place = self.place_of(operator)
        return None if place is None else self.parts[place].shape


def generate(seed, count, names):
    return [Program(seed, number, names) for number in range(count)]


# Macros

@shape
def plain(p):
    return f'REG_OP({p.op()});\nREG_STR("{p.op()}");'


@shape
def wrapper(p):
    lines, inner, k = [], p.one("REG_OP", "REG_STR_OF"), p.k
    if inner == "REG_STR_OF":
        lines.append(f"#define TEXT{k}(n) REG_STR(#n)")
        inner = f"TEXT{k}"
    for level in range(p.random.randint(1, 4)):
        lines.append(f"#define WRAP{k}_{level}(name) {inner}({p.one('name', 'name##_w')})")
        inner = f"WRAP{k}_{level}"
    p.random.random() < 0.5 and lines.append(f"#define ALSO{k} {inner}")
    last = f"ALSO{k}" if lines[-1].startswith("#define ALSO") else inner
    return "\n".join(lines + [f"{last}({p.op()});", f"{inner}({p.op()});"])


@shape
def wrapper_order(p):
    """Defines the outermost wrapper first, which is equivalent."""
    k = p.k
    return (f"#define OUT{k}(n) MID{k}(n, _b)\n#define MID{k}(n, s) IN{k}(n##s)\n#define IN{k}(n) REG_OP(n)\n"
            f"OUT{k}({p.op()});\n#undef IN{k}\n#define IN{k}(n) REG_OP(n##_again)\nOUT{k}({p.op()});")


@shape
def variadic(p):
    k = p.k
    body = p.one(f"#define V{k}(...) REG_OP(__VA_ARGS__)", f"#define V{k}(a...) REG_OP(a)",
                 f"#define W{k}(first, ...) REG_OP(first)\n#define V{k}(...) W{k}(__VA_ARGS__, more, 1)")
    both = f"#define B{k}(a, ...) REG_OP(a); REG_OP(__VA_ARGS__)\nB{k}({p.op()}, {p.op()});"
    opt = f"#define O{k}(a, ...) REG_OP(a##__VA_OPT__(_v))\nO{k}({p.op()});\nO{k}({p.op()}, 1);"
    return f"{body}\nV{k}({p.op()});\n{p.one(both, opt)}"


@shape
def pasted(p):
    k = p.k
    return (f"#define P{k}(a, b) REG_OP(a##_##b)\n#define Q{k}(a) REG_OP(a##_grad)\n#define S{k}(a, b) P{k}(a, b)\n"
            f"#define TAIL{k} expanded\nP{k}({p.op()}, TAIL{k});\nS{k}({p.op()}, TAIL{k});\nQ{k}({p.op()});")


@shape
def pasted_macro_name(p):
    k = p.k
    kind = p.one("A", "B")
    return (f"#define SINK{k}_A(n) REG_OP(n##_a)\n#define SINK{k}_B(n) REG_STR(#n \"_b\")\n"
            f"#define PICK{k}(kind, n) SINK{k}_##kind(n)\nPICK{k}({kind}, {p.op()});\nPICK{k}(A, {p.op()});")


@shape
def by_count(p):
    k = p.k
    return (f"#define COUNT{k}_(a, b, c, n, ...) n\n#define COUNT{k}(...) COUNT{k}_(__VA_ARGS__, 3, 2, 1)\n"
            f"#define CAT{k}_(a, b) a##b\n#define CAT{k}(a, b) CAT{k}_(a, b)\n"
            f"#define R{k}_1(a) REG_OP(a)\n#define R{k}_2(a, b) REG_OP(a##_##b)\n"
            f"#define R{k}_3(a, b, c) REG_OP(a); REG_OP(b); REG_OP(c)\n"
            f"#define R{k}(...) CAT{k}(R{k}_, COUNT{k}(__VA_ARGS__))(__VA_ARGS__)\n"
            f"R{k}({p.op()});\nR{k}({p.op()}, two);\nR{k}({p.op()}, {p.op()}, {p.op()});")


@shape
def x_macro(p):
    k = p.k
    rows = " ".join(f"X({p.op()})" for _ in range(3))
    use = p.one(f"#define REG{k}(n) REG_OP(n);\nLIST{k}(REG{k})\n#define MORE{k}(n) REG_OP(n##_grad);\nLIST{k}(MORE{k})",
                f"#define REG{k}(n) REG_STR(#n \"_s\");\n#define ALL{k}(list, f) list(f)\nALL{k}(LIST{k}, REG{k})")
    return f"#define LIST{k}(X) \\\n  {rows}\n{use}"


@shape
def x_macro_ambient(p):
    """The list uses X, which its user defines before including it."""
    k = p.k
    return (f"#define NAMES{k} X({p.op()}) X({p.op()})\n#define X(n) REG_OP(n);\nNAMES{k}\n#undef X\n"
            f"#define X(n) REG_OP(n##_2);\nNAMES{k}\n#undef X")


@shape
def for_each(p):
    k = p.k
    args = ", ".join(p.op() for _ in range(p.random.randint(1, 3)))
    return (f"#define E{k}_1(f, a) f(a)\n#define E{k}_2(f, a, ...) f(a) E{k}_1(f, __VA_ARGS__)\n"
            f"#define E{k}_3(f, a, ...) f(a) E{k}_2(f, __VA_ARGS__)\n#define GET{k}(a, b, c, n, ...) n\n"
            f"#define EACH{k}(f, ...) GET{k}(__VA_ARGS__, E{k}_3, E{k}_2, E{k}_1)(f, __VA_ARGS__)\n"
            f"#define DO{k}(n) REG_OP(n);\nEACH{k}(DO{k}, {args})")


@shape
def inc_list(p):
    name = p.file(".inc", f"ROW({p.op()})\n{p.one('#undef NONE', '// rows', '')}\nROW({p.op()})\n")
    again = f'#define ROW(n) REG_STR(#n "_b");\n#include "{name}"\n#undef ROW'
    return f'#define ROW(n) REG_OP(n);\n#include "{name}"\n#undef ROW\n{p.one(again, "")}'


@shape
def inc_undefines(p):
    name = p.file(".inc", f"#ifndef ROW\n#define ROW(n)\n#endif\nROW({p.op()})\nROW({p.op()})\n#undef ROW\n")
    return f'#include "{name}"\n#define ROW(n) REG_OP(n);\n#include "{name}"\n#define ROW(n) REG_OP(n##_3);\n#include "{name}"'


@shape
def inc_name(p):
    """A macro names the included file."""
    k = p.k
    name = p.file(".inc", f"REG_OP({p.op()});\n#define SAID{k} {p.random.randrange(2)}\n")
    use = p.one(f'#define FILE{k} "{name}"\n#include FILE{k}', f'#define WHICH{k} "{name}"\n#define FILE{k} WHICH{k}\n#include FILE{k}')
    return f"{use}\n#if SAID{k}\nREG_OP({p.op()});\n#else\nREG_OP({p.op()});\n#endif"


@shape
def inc_name_elsewhere(p):
    """The file alone does not determine which file it includes."""
    k = p.k
    name = p.file(".inc", f"REG_OP({p.op()});\n")
    header = p.file("_names.h", f'#define LIST{k} "{name}"\n')
    return p.one(f'#include "{header}"\n#include LIST{k}',
                 f"#define STR{k}_(x) #x\n#define STR{k}(x) STR{k}_(x)\n#include STR{k}({name})",
                 f'#if {p.config()}\n#define SOME{k} "{name}"\n#else\n#define SOME{k} "{header}"\n#endif\n#include SOME{k}')


@shape
def self_inclusion(p):
    k = p.k
    name = f"part{k}.h"
    p.file(".h", f'#ifndef PASS{k}\n#define PASS{k} 1\n#define T{k} _one\n#include "{name}"\n#undef T{k}\n'
                 f'#define T{k} _two\n#include "{name}"\n#undef T{k}\n#undef PASS{k}\n#else\n'
                 f'#define G{k}_(a, b) REG_OP(a##b)\n#define G{k}(a, b) G{k}_(a, b)\nG{k}({p.op()}, T{k});\n'
                 f'#undef G{k}\n#undef G{k}_\n#endif\n')
    return f'#include "{name}"'


@shape
def self_inclusion_of_words(p):
    k = p.k
    name = f"part{k}.h"
    p.file(".h", f'#ifndef TYPE{k}\n#define GLUE{k}_(a, b) REG_OP(a##b)\n#define GLUE{k}(a, b) GLUE{k}_(a, b)\n#define TYPE{k} _float\n'
                 f'#include "{name}"\n#undef TYPE{k}\n#define TYPE{k} _int\n#include "{name}"\n#undef TYPE{k}\n#else\nGLUE{k}({p.op()}, TYPE{k});\n#endif\n')
    return f'#include "{name}"'


@shape
def stringized(p):
    k = p.k
    return (f"#define ST{k}_(x) #x\n#define ST{k}(x) ST{k}_(x)\n#define VERSION{k} 3\n"
            f'REG_STR("{p.op()}" "_" ST{k}(VERSION{k}));\nREG_STR(ST{k}_({p.op()}) "_t");\n'
            f'#define NAMED{k}(a) Register(#a "_" ST{k}(VERSION{k}))\nstatic int named{k} = NAMED{k}({p.op()});')


@shape
def redefined(p):
    k = p.k
    return (f"#define R{k}(n) REG_OP(n)\nR{k}({p.op()});\n#undef R{k}\n#define R{k}(n) REG_OP(n##_new)\nR{k}({p.op()});\n"
            f"#undef R{k}\n#define R{k}(n) int n\nR{k}({p.op()});\n#undef R{k}\n#define R{k}(n) REG_STR(#n)\nR{k}({p.op()});")


@shape
def pushed(p):
    k = p.k
    return (f'#define S{k} _first\n#define G{k}_(a, b) REG_OP(a##b)\n#define G{k}(a, b) G{k}_(a, b)\n'
            f'#pragma push_macro("S{k}")\n#undef S{k}\n#define S{k} _second\nG{k}({p.op()}, S{k});\n'
            f'#pragma pop_macro("S{k}")\nG{k}({p.op()}, S{k});')


@shape
def pushed_wrapper(p):
    k = p.k
    return (f'#define PW{k}(n) REG_OP(n)\n#pragma push_macro("PW{k}")\n#undef PW{k}\n#define PW{k}(n) REG_OP(n##_in)\n'
            f'PW{k}({p.op()});\n#pragma pop_macro("PW{k}")\nPW{k}({p.op()});')


# Conditions

@shape
def arithmetic(p):
    a, b = p.config((0, 1, 2, 7)), p.config()
    test = p.one(f"{a} + {b} > 2", f"{a} * 3 == {b} - 1", f"({a} << 1) >= 2 && !{b}", f"{a} ? {b} : 1", f"{a} % 2 || {b}",
                 f"~{a} & 1", f"-{a} < {b}", f"{a} > 1u", f"{b} == 0x7", f"{a} ^ {b}", f"({a} | 4) != 5")
    return f"#if {test}\nREG_OP({p.op()});\n#else\nREG_OP({p.op()});\n#endif"


@shape
def defined(p):
    a, b = p.config((None, 1)), p.config((None, 0))
    test = p.one(f"defined({a}) && !defined {b}", f"defined {a} || defined({b})", f"!defined({a}) && !defined({b})",
                 f"defined({a}) == defined({b})", f"defined({a}) + defined({b}) == 1")
    return (f"#if {test}\nREG_OP({p.op()});\n#endif\n#ifdef {a}\nREG_OP({p.op()});\n#endif\n"
            f"#ifndef {b}\nREG_OP({p.op()});\n#endif")


@shape
def elif_chain(p):
    a, b = p.config(), p.config()
    return (f"#if {a} == 1\nREG_OP({p.op()});\n#elif {b} > 1\nREG_OP({p.op()});\n#elif defined({a})\nREG_OP({p.op()});\n"
            f"#else\nREG_OP({p.op()});\n#endif")


@shape
def nested(p):
    a, b, c = p.config(), p.config((None, 1)), p.config((0, 1))
    return (f"#if {a}\n#ifdef {b}\nREG_OP({p.op()});\n#else\n#if {c}\nREG_OP({p.op()});\n#endif\n#endif\n#else\n"
            f"# if {c}\nREG_OP({p.op()});\n# endif\nREG_OP({p.op()});\n#endif")


def default_value(p):
    a = p.config((None, 0, 1, 5))
    text = f"#ifndef {a}\n#define {a} {p.random.randrange(3)}\n#endif\n"
    return text, f"#if {a} > 1\nREG_OP({p.op()});\n#elif {a}\nREG_OP({p.op()});\n#else\nREG_OP({p.op()});\n#endif"


@shape
def default_guarded(p):
    return "".join(default_value(p))


@shape
def default_in_header(p):
    text, use = default_value(p)
    return f'#include "{p.file(".h", text)}"\n{use}'


@shape
def config_header(p):
    """Declares for each configuration the macros that a header may define, since the command line
    could define them, too."""
    k, a = p.k, p.config()
    for macros in p.macros.values():
        macros[f"WITH{k}"] = None
    name = p.file("_config.h", f"#pragma once\n#define LEVEL{k} {p.random.randrange(4)}\n#if {a}\n#define WITH{k}\n#endif\n"
                               f"#define AT_LEAST{k}(n) (LEVEL{k} >= (n))\n")
    return (f'#include "{name}"\n#if LEVEL{k} >= 2\nREG_OP({p.op()});\n#endif\n#ifdef WITH{k}\nREG_OP({p.op()});\n#else\n'
            f"REG_OP({p.op()});\n#endif\n#if AT_LEAST{k}(1) && !defined(WITH{k})\nREG_OP({p.op()});\n#endif")


@shape
def function_in_if(p):
    k, a = p.k, p.config((0, 1, 2))
    return (f"#define VER{k}(x, y) ((x) * 100 + (y))\n#define IS{k}(x) ON{k}_##x\n#define ON{k}_A {a}\n"
            f"#if VER{k}({a}, 3) > 103\nREG_OP({p.op()});\n#endif\n#if IS{k}(A)\nREG_OP({p.op()});\n#endif")


@shape
def derived(p):
    """A header derives a macro from a macro of the unit, before or after it."""
    a, k = p.config((None, 0, 1, 2)), p.k
    name = p.file("_late.h", f"#define HAVE{k} {p.random.randrange(2)}\n#define DEPTH{k} {p.random.randrange(3)}\n#ifdef {a}\n#define DEEP{k} {a}\n"
                             f"#else\n#define DEEP{k} 0\n#endif\n")
    lines = [f'#include "{name}"', f"#define USE{k} (HAVE{k} && DEEP{k} < 2)"]
    p.random.random() < 0.3 and lines.reverse()
    return ("\n".join(lines) + f"\n#if USE{k}\nREG_OP({p.op()});\n#else\nREG_OP({p.op()});\n#endif\n#ifndef DEPTH{k}\n#define DEPTH{k} 1\n#endif\n"
            f"#if DEPTH{k}\nREG_OP({p.op()});\n#elif DEEP{k}\nREG_OP({p.op()});\n#endif")


@shape
def enabled(p):
    """Linux's idiom for testing options."""
    a, k = p.config((None, 0, 1)), p.k
    return (f"#define JUNK{k}_1 0,\n#define SECOND{k}(a, b, ...) b\n#define IS_C{k}(junk) SECOND{k}(junk 1, 0)\n#define IS_B{k}(x) IS_C{k}(JUNK{k}_##x)\n"
            f"#define IS{k}(x) IS_B{k}(x)\n#define ON{k} 1\n#if IS{k}(ON{k})\nREG_OP({p.op()});\n#endif\n#if IS{k}({a})\nREG_OP({p.op()});\n"
            f"#else\nREG_OP({p.op()});\n#endif\n#if IS{k}({p.config((None,))})\nREG_OP({p.op()});\n#endif")


@shape
def has_include(p):
    """The scanner takes both sides, since the files installed on the build machine are unknown."""
    there = p.file(".h", "#pragma once\n")
    return (f'#if __has_include("{there}")\nREG_OP({p.op()});\n#endif\n'
            f'#ifdef __has_include\n#if __has_include("{there}")\nREG_OP({p.op()});\n#endif\n#endif')


@shape
def compiler(p):
    return (f"#ifdef __cplusplus\nREG_OP({p.op()});\n#endif\n#if defined(__GNUC__) && __GNUC__ >= 4\nREG_OP({p.op()});\n#endif\n"
            f"#ifdef _MSC_VER\nREG_OP({p.op()});\n#endif\n#if __cplusplus >= 201103L\nREG_OP({p.op()});\n#endif")


@shape
def undefined_then_tested(p):
    a, k = p.config((None, 1)), p.k
    return (f"#define U{k} 1\n#undef U{k}\n#ifdef U{k}\nREG_OP({p.op()});\n#endif\n#undef {a}\n#ifdef {a}\nREG_OP({p.op()});\n"
            f"#else\nREG_OP({p.op()});\n#endif\n#define U{k} 2\n#if U{k} == 2\nREG_OP({p.op()});\n#endif")


@shape
def wrapper_by_condition(p):
    a, k = p.config(), p.k
    return (f"#if {a} > 1\n#define C{k}(n) REG_OP(n##_gpu)\n#elif defined({a})\n#define C{k}(n) REG_OP(n)\n#else\n"
            f"#define C{k}(n)\n#endif\nC{k}({p.op()});\nC{k}({p.op()});")


@shape
def redefined_by_condition(p):
    a, k = p.config((None, 0, 1)), p.k
    return (f"#define RC{k}(n) REG_OP(n)\n#if {a}\n#undef RC{k}\n#define RC{k}(n) REG_OP(n##_gpu)\n#endif\nRC{k}({p.op()});\n"
            f"#ifdef {a}\n#undef RC{k}\n#define RC{k}(n) REG_STR(#n \"_late\")\n#endif\nRC{k}({p.op()});")


@shape
def list_by_condition(p):
    a, k = p.config((None, 1)), p.k
    return (f"#ifdef {a}\n#define EXTRA{k}(F) F({p.op()})\n#else\n#define EXTRA{k}(F)\n#endif\n#define F{k}(n) REG_OP(n);\n"
            f"#define ALL{k}(F) F({p.op()}) EXTRA{k}(F)\nALL{k}(F{k})")


# Headers

@shape
def header(p):
    k = p.k
    guard = p.one(("#pragma once\n", ""), (f"#ifndef H{k}\n#define H{k}\n", "#endif\n"),
                  (f"#if !defined(H{k})\n#define H{k} 1\n", "#endif\n"))
    name = p.file(".h", f"{guard[0]}#define HW{k}(n) REG_OP(n##_h)\nREG_OP({p.op()});\n{guard[1]}")
    return f'#include "{name}"\n#include "{name}"\nHW{k}({p.op()});'


@shape
def nested_headers(p):
    k = p.k
    low = p.file("_low.h", f"#pragma once\n#define LOW{k}(n) REG_OP(n##_low)\nREG_OP({p.op()});\n")
    mid = p.file("_mid.h", f'#ifndef MID_H{k}\n#define MID_H{k}\n#include "{low}"\n#define MIDDLE{k}(n) LOW{k}(n)\n#endif\n')
    return f'#include "{mid}"\n#include "{low}"\nMIDDLE{k}({p.op()});'


@shape
def header_by_includer(p):
    k = p.k
    name = p.file(".h", f"#ifdef WANT{k}\nREG_OP({p.op()});\n#else\nREG_OP({p.op()});\n#endif\n")
    return p.one(f'#define WANT{k}\n#include "{name}"', f'#include "{name}"\n#define WANT{k} 1\n#include "{name}"')


# Classes that register

@shape
def variables(p):
    k = p.k
    o = p.op
    return (f'static Adder a{k}("{o()}"), b{k}{{"{o()}", 2}};\nAdder c{k} = Adder("{o()}");\nstatic Adder d{k} = {{"{o()}", 1}};\n'
            f'static Adder e{k}[] = {{{{"{o()}"}}, {{"{o()}", 1}}, Adder("{o()}")}};\nAdder f{k}[2] = {{"{o()}", "{o()}"}};')


@shape
def typed(p):
    k, o = p.k, p.op
    return (f'static TypedAdder<int> t{k}("{o()}");\nstatic TypedAdder<const char*> u{k}{{"{o()}", "x"}};\n'
            f'using Int{k} = TypedAdder<int>;\ntypedef Adder Old{k};\nstatic Int{k} v{k}("{o()}"), w{k}{{"{o()}"}};\n'
            f'static Old{k} x{k}("{o()}");\nstatic auto y{k} = Int{k}("{o()}");')


@shape
def alias_template(p):
    k, o = p.k, p.op
    return f'template <typename T> using Of{k} = TypedAdder<T>;\nstatic Of{k}<int> z{k}("{o()}");\nstatic Of{k}<char> y{k}{{"{o()}"}};'


@shape
def elements_by_condition(p):
    k, o, a = p.k, p.op, p.config()
    form = p.one(f"static const Adder all{k}[] = {{", f"static Adder all{k}[] = {{")
    return f'{form}\n  {{"{o()}"}},\n#if {a} >= 2\n  {{"{o()}"}},\n#else\n  {{"{o()}", 3}},\n#endif\n  Adder("{o()}")\n}};'


@shape
def aliases_by_condition(p):
    k, o, a, b = p.k, p.op, p.config(), p.config((None, 1))
    form = p.one(f"using Short{k} = Adder;", f"typedef Adder Short{k};", f"struct Short{k} : Adder {{ using Adder::Adder; }};")
    return (f'{form}\n#if {a} > 1\nstatic Short{k} a{k}("{o()}");\n#else\nstatic Short{k} b{k}{{"{o()}"}};\n#endif\n'
            f'static auto& add{k} = Register;\n#ifdef {b}\nstatic int c{k} = add{k}("{o()}");\n#endif')


@shape
def table_by_condition(p):
    """Evaluated names that depend on code elsewhere."""
    k, o, a = p.k, p.op, p.config()
    table = f'{{"{o()}", 1}},\n#if {a} > 1\n  {{"{o()}", 2}},\n#else\n  {{"{o()}", 0}},\n#endif\n  {{"{o()}", 3}}'
    return (f"struct Row{k} {{ const char* name; int version; }};\nstatic const Row{k} rows{k}[] = {{\n  {table}\n}};\n"
            f"static int r{k} = [] {{ for (const Row{k}& row : rows{k}) Register(row.name); return 0; }}();")


@shape
def name_by_condition(p):
    k, o, a = p.k, p.op, p.config((None, 1))
    one, other = f'"{o()}"', f'"{o()}"'
    return p.one(
        f"static const char* Name{k}() {{\n#ifdef {a}\n  return {one};\n#else\n  return {other};\n#endif\n}}\nstatic int n{k} = Register(Name{k}());",
        f"#ifdef {a}\nconstexpr const char* kName{k} = {one};\n#else\nconstexpr const char* kName{k} = {other};\n#endif\n"
        f"static int n{k} = Register(kName{k});",
        f"#ifdef {a}\n#define NAME{k} {one}\n#else\n#define NAME{k} {other}\n#endif\nstatic const char* const kName{k} = NAME{k};\n"
        f"static int n{k} = Register(kName{k});")


@shape
def static_members(p):
    k, o = p.k, p.op
    return (f'struct Holder{k} {{ static Adder first; static inline Adder second{{"{o()}"}}; }};\nAdder Holder{k}::first("{o()}");\n'
            f'struct Member{k} {{ Adder own{{"{o()}"}}; }};\nstatic Member{k} member{k};')


@shape
def locals_of_functions(p):
    k, o = p.k, p.op
    p.main.append(f"Load{k}();")
    return f'static void Load{k}() {{\n  static Adder local("{o()}");\n  Adder other{{"{o()}"}};\n  Adder("{o()}");\n  new Adder("{o()}");\n}}'


@shape
def variables_by_macro(p):
    k, o = p.k, p.op
    return (f"#define ADD{k}(n) static Adder adder_##n(#n)\n#define ADD_S{k}(v, t) static Adder v{k}##v{{t}}\nADD{k}({o()});\n"
            f'ADD_S{k}(a, "{o()}");')


@shape
def namespaces(p):
    k, o = p.k, p.op
    return (f'namespace n{k} {{ namespace {{ Adder a("{o()}"); }} REG_OP({o()}); }}\n'
            f'namespace n{k}::inner {{ ::Adder b{{"{o()}"}}; int c = ::Register("{o()}"); }}')


# Calls

@shape
def calls(p):
    k, o = p.k, p.op
    p.main += [f"Init{k}();", f'Register("{o()}"), Register("{o()}");']
    return (f'static int i{k} = Register("{o()}");\nint j{k} = (Register("{o()}"), 3);\nstatic int l{k}[] = {{Register("{o()}"), Register("{o()}")}};\n'
            f'static void Init{k}() {{ if (Register("{o()}") >= 0) {{ Register("{o()}"); }} }}')


@shape
def helper_function(p):
    k, o = p.k, p.op
    p.main += [f'Help{k}("{o()}");']
    return f'static void Help{k}(const char* name) {{ Register(name); }}\nstatic int h{k} = (Help{k}("{o()}"), 0);'


@shape
def constants(p):
    k, o = p.k, p.op
    return (f'static const char* const kName{k} = "{o()}";\nconstexpr char kOther{k}[] = "{o()}";\nstatic int m{k} = Register(kName{k});\n'
            f'static Adder n{k}(kOther{k});')


@shape
def braced_argument(p):
    return f'static int q{p.k} = Register({{"{p.op()}"}});'


@shape
def loop(p):
    k, o = p.k, p.op
    return (f"static int r{k} = [] {{ const char* const names[] = {{\"{o()}\", \"{o()}\"}};"
            f" for (const char* name : names) Register(name); return 0; }}();")


@shape
def lambdas(p):
    k, o = p.k, p.op
    return (f'static int s{k} = [] {{ return Register("{o()}"); }}();\n'
            f'static int u{k} = [](const char* n) {{ return Register(n); }}("{o()}");')


@shape
def function_alias(p):
    k, o = p.k, p.op
    form = p.one(f"static auto& alias{k} = Register;", f"static auto alias{k} = Register;", f"static int (*alias{k})(const char*) = &Register;",
                 f"static int (&alias{k})(const char*) = Register;", f"constexpr auto* alias{k} = &Register;")
    return f'{form}\nstatic int a{k} = alias{k}("{o()}");'


@shape
def default_argument(p):
    k, o = p.k, p.op
    return f'static int Given{k}(int x = Register("{o()}")) {{ return x; }}\nstatic int g{k} = Given{k}();'


# Receivers

@shape
def receiver(p):
    k, o = p.k, p.op
    p.main += [f'Library lib{k};', f'lib{k}.def("{o()}");', f'(lib{k}).def("{o()}");', f"auto& l{k} = lib{k};",
               f'l{k}.def("{o()}");', f"Library* q{k} = &lib{k};", f'q{k}->def("{o()}");', f'(*q{k}).def("{o()}");']
    return f'static Library& g{k} = Library::Get().def("{o()}");'


@shape
def receiver_chain(p):
    p.main.append(f'Library::Get().def("{p.op()}").def("{p.op()}");')
    return ""


@shape
def receiver_parameter(p):
    k, o = p.k, p.op
    p.main += [f"Fill{k}(Library::Get());", f"Point{k}(&Library::Get());"]
    return (f'static void Fill{k}(Library& lib) {{ lib.def("{o()}"); }}\n'
            f'static void Point{k}(Library* lib) {{ lib->def("{o()}"); }}')


@shape
def builder(p):
    k, o = p.k, p.op
    return (f'static auto b{k} = Builder().op("{o()}").op("{o()}", 2);\nstatic Builder c{k} = Builder()\n    .op("{o()}")\n'
            f'    .op("{o()}");')


@shape
def builder_variable(p):
    k, o = p.k, p.op
    p.main += [f"Builder v{k};", f'v{k}.op("{o()}").op("{o()}");', f'Builder{{}}.op("{o()}");']
    return ""


# Spellings

@shape
def spellings(p):
    k, o = p.k, p.op
    raw = p.op()
    return (f"REG_OP/* why */(/* name */ {o()} // which\n);\nREG_OP \\\n  ({o()}\\\n);\nREG_STR(R\"({o()})\");\nREG_STR(R\"x({raw})x\" \"_\" R\"(t)\");\n"
            f"// REG_OP({o()});\n/* REG_OP({o()}); */\nstatic const char* text{k} = \"REG_OP({o()});\";\n"
            f"static const char* raw{k} = R\"y(\n#if 0\nREG_OP({o()});\n\")y\";")


@shape
def digraphs(p):
    k, o = p.k, p.op
    return (f'%:define DG{k}(a, b) REG_OP(a%:%:b)\nDG{k}({o()}, _d);\nstatic Adder dg{k}<::> = <% "{o()}", <%"{o()}"%> %>;\n'
            f'%:if 1\nREG_OP({o()});\n%:endif')


@shape
def literals(p):
    return (f'REG_STR("{p.op()}" /* and */ "_a"\n   "_b");\nREG_STR(("{p.op()}"));\n'
            f'REG_STR("{p.op()}" "\\x41" "B\\101");')


@shape
def continued(p):
    k, o = p.k, p.op
    name = p.op()
    return (f"#define LC{k}(n) \\\n  REG_OP(n); \\\n  REG_OP(n##_\\\ntwo)\nLC{k}({o()});\nREG\\\n_OP({name[:4]}\\\n{name[4:]});\n"
            f"#if 0 \\\n  || 1\nREG_OP({o()});\n#endif\n// comment \\\nREG_OP({o()});\nREG_OP({o()});")
