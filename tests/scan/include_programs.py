"""Shapes of programs about #include, #if and special cases of the preprocessor."""
# SPDX-License-Identifier: Apache-2.0

from compiled_programs import shape
from value_programs import glue, level, quoted, reg, start, word


def pasting(k):
    return f"#define R{k}_(n, t) REG_OP(n##_##t);\n#define R{k}(n, t) R{k}_(n, t)\n"


# Files that depend on macros of the including file

@shape
def template_include(p):
    k = p.k
    p.undefined(f"TYPE{k}")
    name = p.file(p.one(".inc", "-inl.h", ".def"), f"#ifndef TYPE{k}\n#error\n#endif\n{pasting(k)}R{k}({p.op()}, TYPE{k})\nR{k}({p.op()}, TYPE{k})\n#undef R{k}_\n#undef R{k}\n" + p.one(f"#undef TYPE{k}\n", ""))
    return "\n".join(f'#undef TYPE{k}\n#define TYPE{k} {kind}\n#include "{name}"' for kind in p.random.sample(("f16", "f32", "f64", "i8"), p.random.randint(1, 3)))


@shape
def template_include_of_unit(p):
    """A unit that registers nothing when compiled alone, since it tests TYPE."""
    k = p.k
    p.undefined(f"TYPE{k}")
    guard = p.one((f"#ifdef TYPE{k}\n", "#endif\n"), (f"#ifndef TYPE{k}\n#error\n#endif\n", ""))
    name = p.file("_impl.cc", f'{guard[0]}#include "registry.h"\n{pasting(k)}R{k}({p.op()}, TYPE{k})\n#undef R{k}_\n#undef R{k}\n{guard[1]}')
    return f'#define TYPE{k} f32\n#include "{name}"\n#undef TYPE{k}\n#define TYPE{k} f16\n#include "{name}"'


@shape
def units_of_template(p):
    """Separate units include a file for each type; the program includes the units."""
    k = p.k
    impl = p.file(p.one("_impl.inc", "_impl.h"), f"{pasting(k)}R{k}({p.op()}, TYPE{k})\n#undef R{k}_\n#undef R{k}\n#undef TYPE{k}\n")
    units = [p.file(f"_{kind}.cc", f'#include "registry.h"\n#define TYPE{k} {kind}\n#include "{impl}"\n') for kind in ("f32", "f16")]
    return "\n".join(f'#include "{unit}"' for unit in units)


@shape
def template_include_condition(p):
    """The file tests a macro of the including file."""
    k = p.k
    name = p.file(".inc", f"#if WIDTH{k} >= 32\nREG_OP({p.op()});\n#elif WIDTH{k} == 16\nREG_OP({p.op()});\n#else\nREG_OP({p.op()});\n#endif\n#undef WIDTH{k}\n")
    a, default = level(p, (None, 8, 16, 32), default=16)
    return f'{default}\n#define WIDTH{k} {p.one("64", "16")}\n#include "{name}"\n#define WIDTH{k} {a}\n#include "{name}"'


@shape
def sections_of_file(p):
    """Like TableGen's files: the including file selects a section."""
    k = p.k
    p.undefined(f"GET_A{k}", f"GET_B{k}", f"GET_C{k}")
    name = p.file(".inc", f"#ifdef GET_A{k}\n#undef GET_A{k}\nREG_OP({p.op()});\n#endif\n#ifdef GET_B{k}\n#undef GET_B{k}\nREG_OP({p.op()});\n#endif\n#ifdef GET_C{k}\n#undef GET_C{k}\nREG_OP({p.op()});\n#endif\n")
    a = p.config((None, 1))
    return f'#define GET_A{k}\n#include "{name}"\n#ifdef {a}\n#define GET_B{k}\n#endif\n#define GET_C{k}\n#include "{name}"'


@shape
def settings_of_includer(p):
    k = p.k
    p.undefined(f"WANT_GRAD{k}")
    name = p.file("_body.h", f"#ifndef WANT_GRAD{k}\n#define WANT_GRAD{k} 1\n#endif\n#define NAME{k}(n) REG_OP(n);\nNAME{k}({p.op()})\n#if WANT_GRAD{k}\nNAME{k}({p.op()})\n#endif\n#undef NAME{k}\n")
    return p.one(f'#include "{name}"', f'#define WANT_GRAD{k} 0\n#include "{name}"', f'#define WANT_GRAD{k} {p.config((0, 1))}\n#include "{name}"')


@shape
def rows_defined_before(p):
    """Macros that a file of macros defines are used after it."""
    k, a = p.k, p.config()
    name = p.file(p.one("_macros.def", "_macros.inc", "_macros.h"), f"#define UNARY{k}(n) REG_OP(n);\n#if {a} > 1\n#define BINARY{k}(n) REG_OP(n); REG_OP(n##_grad);\n#else\n#define BINARY{k}(n) REG_OP(n);\n#endif\n")
    return f'#include "{name}"\nUNARY{k}({p.op()})\nBINARY{k}({p.op()})\n#undef UNARY{k}\n#define UNARY{k}(n) REG_OP(n##_late);\nUNARY{k}({p.op()})'


@shape
def included_levels(p):
    k = p.k
    low = p.file("_low.inc", f"ROW({p.op()})\nROW({p.op()})\n")
    a = p.config((None, 1))
    high = p.file("_high.inc", f'ROW({p.op()})\n#ifdef {a}\n#include "{low}"\n#endif\nROW({p.op()})\n')
    return f'#define ROW(n) REG_OP(n);\n#include "{high}"\n#undef ROW\n#define ROW(n) REG_STR(#n "_b");\n#include "{low}"\n#undef ROW\nstatic int levels{k} = 0;'


@shape
def included_in_function(p):
    a = p.config()
    name = p.file(".inc", f"{reg(p, quoted(p, 1)[0])}\n#if {a}\n{{ {reg(p, quoted(p, 1)[0])} }}\n#endif\n")
    return start(p, f'  {{\n#include "{name}"\n  }}')


@shape
def included_in_class(p):
    k, a = p.k, p.config((None, 1))
    name = p.file(".inc", f'Adder first{{"{p.op()}"}};\n#ifdef {a}\nAdder second{{"{p.op()}"}};\n#endif\nint third = Register("{p.op()}");\n')
    return f'static struct Holder{k} {{\n#include "{name}"\n}} holder{k};'


@shape
def included_in_namespace(p):
    k = p.k
    name = p.file("_body.inc", f'REG_OP({p.op()});\nstatic Adder inner("{p.op()}");\nint number = Register("{p.op()}");\n')
    return f'namespace one{k} {{\n#include "{name}"\n}}\nnamespace {{ namespace two{k} {{\n#include "{name}"\n}} }}'


@shape
def included_expression(p):
    k, a = p.k, p.config()
    name = p.file(".txt", f'#if {a} > 1\n"{p.op()}"\n#else\n"{p.op()}"\n#endif\n')
    return f'static int t{k} = Register(\n#include "{name}"\n);\nstatic Adder u{k}{{\n#include "{name}"\n}};'


@shape
def conditional_include(p):
    k, a = p.k, p.config()
    one = p.file("_one.h", f"#pragma once\nREG_OP({p.op()});\n#define WRAP{k}(n) REG_OP(n##_one)\n")
    two = p.file("_two.h", f"#pragma once\nREG_OP({p.op()});\n#define WRAP{k}(n) REG_OP(n##_two)\n")
    return f'#if {a} > 1\n#include "{one}"\n#else\n#include "{two}"\n#endif\nWRAP{k}({p.op()});'


@shape
def conditional_include_of_flag(p):
    k, a = p.k, p.config()
    p.undefined(f"HAVE_X{k}")
    deep = p.file("_deep.h", f"#pragma once\n#define HAVE_X{k} 1\n")
    name = p.file("_flags.h", f'#pragma once\n#if {a}\n#include "{deep}"\n#endif\n#ifndef HAVE_X{k}\n#define HAVE_X{k} 0\n#endif\n')
    return f'#include "{name}"\n#if HAVE_X{k}\nREG_OP({p.op()});\n#else\nREG_OP({p.op()});\n#endif'


@shape
def derived_twice(p):
    """The second header uses what the first derived."""
    k, a, b = p.k, p.config(), p.config((None, 0, 1))
    p.undefined(f"SIMD{k}", f"WIDE{k}")
    one = p.file("_simd.h", f"#pragma once\n#if {a} > 1 || defined({b})\n#define SIMD{k} {p.random.randint(1, 3)}\n#endif\n")
    two = p.file("_wide.h", f'#pragma once\n#include "{one}"\n#if defined(SIMD{k}) && SIMD{k} >= 2 && !{b}\n#define WIDE{k}\n#endif\n')
    return f'#include "{two}"\n#ifdef WIDE{k}\nREG_OP({p.op()});\n#else\nREG_OP({p.op()});\n#endif\n#if SIMD{k} && !defined(WIDE{k})\nREG_OP({p.op()});\n#endif'


@shape
def computed_include(p):
    k = p.k
    one, two = p.file("_one.inc", f"REG_OP({p.op()});\n"), p.file("_two.inc", f"REG_OP({p.op()});\n")
    return f'#define FILE{k} "{one}"\n#include FILE{k}\n#undef FILE{k}\n#define FILE{k} "{two}"\n#include FILE{k}'


@shape
def computed_include_by_condition(p):
    k, a = p.k, p.config((None, 1))
    one, two = p.file("_one.inc", f"REG_OP({p.op()});\n"), p.file("_two.inc", f"REG_OP({p.op()});\n")
    return f'#ifdef {a}\n#define FILE{k} "{one}"\n#else\n#define FILE{k} "{two}"\n#endif\n#include FILE{k}'


@shape
def has_include_missing(p):
    form = p.one(f'#if __has_include("part{p.k}_nowhere.h")', f"#if !defined(__has_include) || __has_include(<part{p.k}/nowhere.h>)")
    return f"{form}\nREG_OP({p.op()});\n#else\nREG_OP({p.op()});\n#endif"


@shape
def has_include_then_include(p):
    k = p.k
    p.undefined(f"EXTRA{k}")
    name = p.file("_extra.h", f"#pragma once\nREG_OP({p.op()});\n#define EXTRA{k}(n) REG_OP(n)\n")
    return f'#if defined(__has_include)\n#if __has_include("{name}")\n#include "{name}"\n#endif\n#endif\n#ifndef EXTRA{k}\n#define EXTRA{k}(n)\n#endif\nEXTRA{k}({p.op()});'


@shape
def path_with_dots(p):
    name = p.file(".inc", f"REG_OP({p.op()});\n")
    return p.one(f'#include "./{name}"', f'#include "../p{p.program}/{name}"', f'#include "../p{p.program}/./{name}"')


@shape
def helper_in_header(p):
    k, a = p.k, p.config((None, 1))
    name = p.file("_helper.h", f"#pragma once\n#ifdef {a}\ninline int Help{k}(const char* name) {{ return Register(name); }}\n#else\ninline int Help{k}(const char*) {{ return 0; }}\n#endif\n")
    return f'#include "{name}"\nstatic int t{k} = Help{k}("{p.op()}");\nREG_OP({p.op()});'


@shape
def objects_in_header(p):
    k, a = p.k, p.config()
    name = p.file("_objects.h", f'#pragma once\ninline Adder shared{k}{{"{p.op()}"}};\nstatic int own{k} = Register("{p.op()}");\n#if {a} > 1\nstatic const Adder more{k}("{p.op()}");\n#endif\n')
    return f'#include "{name}"\n#include "{name}"'


@shape
def function_in_header_called(p):
    k = p.k
    name = p.file("_load.h", f"#pragma once\ninline void LoadAll{k}() {{\n  {reg(p, quoted(p, 1)[0])}\n  {{ {reg(p, quoted(p, 1)[0])} }}\n}}\n")
    return f'#include "{name}"\n' + start(p, f"  LoadAll{k}();")


@shape
def counted_self_inclusion(p):
    """Three passes, distinguished by a counter."""
    k = p.k
    p.undefined(f"DEPTH{k}")
    name = f"part{k}_again.h"
    p.file("_again.h", f'#if !defined(DEPTH{k})\n#define DEPTH{k} 0\n#include "{name}"\n#elif DEPTH{k} == 0\n#undef DEPTH{k}\n#define DEPTH{k} 1\nREG_OP({p.op()});\n#include "{name}"\n'
                       f"#else\nREG_OP({p.op()});\n#undef DEPTH{k}\n#endif\n")
    return f'#include "{name}"'


# Directives

@shape
def elifdef(p):
    a, b = p.config((None, 1)), p.config((None, 0))
    return f"#ifdef {a}\nREG_OP({p.op()});\n#elifdef {b}\nREG_OP({p.op()});\n#else\nREG_OP({p.op()});\n#endif\n#if 0\n#elifndef {b}\nREG_OP({p.op()});\n#endif"


@shape
def ifdef_in_arguments(p):
    a, k = p.config((None, 1)), p.k
    return (f"#define W{k}(n) REG_OP(n)\nW{k}(\n#ifdef {a}\n  {p.op()}\n#else\n  {p.op()}\n#endif\n);\n"
            + p.one(f'static int t{k} = Register(\n#if defined({a})\n  "{p.op()}"\n#else\n  "{p.op()}"\n#endif\n);', f"#define V{k}(...) REG_STR(#__VA_ARGS__)\nV{k}(\n#ifndef {a}\n{p.op()}\n#else\n{p.op()}\n#endif\n);"))


@shape
def character_constants(p):
    a, default = level(p, (None, 0, 1, 3), default=1)
    test = p.one(f"'A' + {a} > 'B'", f"'\\n' == 10 && {a}", f"'\\x41' == 65 || {a}", f"{a} + '0' == '1'", f"'ab' > 255 && {a} < 2", f"u'x' == 120 && {a}")
    return f"{default}\n#if {test}\nREG_OP({p.op()});\n#else\nREG_OP({p.op()});\n#endif"


@shape
def unsigned_comparison(p):
    a, default = level(p)
    test = p.one(f"-1 > {a} + 0u", f"{a} - 2 > 0u", f"({a} - 3u) < 2", f"-{a} < 1u", f"0xffffffffffffffff > {a} - 1", f"~0u >= {a}", f"({a} ? -1 : 0u) > 1")
    return f"{default}\n#if {test}\nREG_OP({p.op()});\n#else\nREG_OP({p.op()});\n#endif"


@shape
def ternary_condition(p):
    a, b = p.config(), p.config()
    test = p.one(f"{a} ? {b} : {a} + 1", f"({a} > 1 ? {b} : 2) == 2", f"defined({a}) ? {a} > 1 : defined({b})", f"{a} ? {b} ? 1 : 0 : {b} == 2", f"{a} && {b} ? 0 : 1")
    return f"#if {test}\nREG_OP({p.op()});\n#else\nREG_OP({p.op()});\n#endif"


@shape
def version_arithmetic(p):
    a, b, c = p.config((None, 1, 2, 11)), p.config((0, 4, 12)), p.config((None, 0, 3))
    k = p.k
    test = p.one(f"({a} * 10000 + {b} * 100 + {c}) >= 20401", f"(({a} << 16) + ({b} << 8) + {c}) > 0x020400", f"{a} > 2 || ({a} == 2 && {b} > 4) || ({a} == 2 && {b} == 4 && {c} >= 1)",
                 f"V{k}({a}, {b}, {c}) >= V{k}(2, 4, 0)", f"{a} * 1000000000LL + {b} * 1000000 > 2004000000")
    return f"#define V{k}(a, b, c) ((a) * 1000000UL + (b) * 1000 + (c))\n#if {test}\nREG_OP({p.op()});\n#else\nREG_OP({p.op()});\n#endif"


@shape
def precedence(p):
    a, b, c = p.config((None, 0, 1, 2)), p.config(), p.config((0, 1, 2))
    test = p.one(f"{a} | {b} && {c}", f"{a} & 1 == {c}", f"!{a} == {b}", f"{a} + {b} << {c} > 4", f"{a} ^ {b} & {c}", f"- {a} + {b} > - {c}", f"{a} < {b} < {c}", f"{a} == {b} != {c}", f"{a} || {b} && !{c}")
    return f"#if {test}\nREG_OP({p.op()});\n#else\nREG_OP({p.op()});\n#endif"


@shape
def number_formats(p):
    a, default = level(p, (None, 0, 1, 8, 16))
    test = p.one(f"{a} == 010", f"{a} == 0x10", f"{a} >= 0b1000", f"{a} * 1'000 > 1'000", f"{a} == 8ULL", f"{a} == 0X8u", f"{a} > 07l")
    return f"{default}\n#if {test}\nREG_OP({p.op()});\n#else\nREG_OP({p.op()});\n#endif"


@shape
def value_formats(p):
    """The configuration's value is an expression."""
    k, a = p.k, word(p, ("0x10", "(1 + 1)", "2 * 2", "10L", "(3)", "1 ? 0 : 1", "'a'", "true", "false"))
    test = p.one(f"{a} > 3", f"{a}", f"({a}) == 2", f"{a} + 1 == 5")
    return f"#if {test}\nREG_OP({p.op()});\n#else\nREG_OP({p.op()});\n#endif\nstatic int formats{k} = 0;"


@shape
def words_in_condition(p):
    a, b = p.config((None, 0, 1)), p.config((None, 1, 2))
    test = p.one(f"{a} and not {b}", f"defined {a} or {b} > 1", f"not defined({a})", f"true && {a}", f"{a} == false", f"{a} xor {b}", f"{a} bitor {b}", f"{a} not_eq {b}", f"compl {a} == -1")
    return f"#if {test}\nREG_OP({p.op()});\n#else\nREG_OP({p.op()});\n#endif"


@shape
def directive_spellings(p):
    a = p.config()
    form = p.one((f"#if /* why */ {a} > 1 // so", "#else // not", "#endif // " + a), (f"  #   if({a})>1", "\t#\telse", " # endif /* end */"), (f"/* a */ # /* b */ if {a} /* c\n d */ > 1", "#else", "#endif"),
                 (f"#i\\\nf {a} \\\n > \\\n 1", "#el\\\nse", "#end\\\nif"), (f"%: if {a} > 1", "%:else", "%:endif"), (f"#if{' ' * 20}{a}>1", "#else\n#", "#\n#endif"),
                 (f"#if!({a}>1)\n#else", "#if 0\n#else\n#endif\n#endif\n#if " + f"!({a}>1)", "#endif"))
    return f"{form[0]}\nREG_OP({p.op()});\n{form[1]}\nREG_OP({p.op()});\n{form[2]}"


@shape
def line_directive(p):
    return f"REG_OP({p.op()});\n#line {p.random.randint(1000, 9000)}\nREG_OP({p.op()});"


@shape
def pragma_operator(p):
    k = p.k
    return (f'#define S{k}(n) REG_OP(n##_first)\nS{k}({p.op()});\n_Pragma("push_macro(\\"S{k}\\")")\n#undef S{k}\n#define S{k}(n) REG_OP(n##_second)\n_Pragma("GCC diagnostic push")\nS{k}({p.op()});\n'
            f'_Pragma("pop_macro(\\"S{k}\\")")\nS{k}({p.op()});')


@shape
def pragma_in_macro(p):
    k = p.k
    return f'#define QUIET{k}(...) _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \\"-Wall\\"") __VA_ARGS__ _Pragma("GCC diagnostic pop")\nQUIET{k}(REG_OP({p.op()});)\n#pragma region x\nREG_OP({p.op()});\n#pragma endregion'


@shape
def counter_names(p):
    """__COUNTER__ and __LINE__ in names of variables."""
    k = p.k
    return (f"{glue(k)}\n#define C{k}(n) static Adder CAT{k}(made_, __COUNTER__)(#n)\n#define L{k}(n) static int CAT{k}(line_, __LINE__) = Register(#n)\nC{k}({p.op()});\nC{k}({p.op()});\nL{k}({p.op()});\nL{k}({p.op()});")


@shape
def counter_index(p):
    k = p.k
    return (f"static const char* const by_count{k}[] = {{{', '.join(quoted(p, 3))}}};\nenum {{ kBase{k} = __COUNTER__ }};\n#define NEXT{k} by_count{k}[__COUNTER__ - kBase{k} - 1]\n"
            f"static int a{k} = Register(NEXT{k});\nstatic int b{k} = Register(NEXT{k});")


@shape
def line_in_name(p):
    k = p.k
    return f'{glue(k)}\nREG_STR("{p.op()}_" STR{k}(__LINE__));\n#define AT{k}(n) REG_STR(#n "_" STR{k}(__LINE__))\nAT{k}({p.op()});'


@shape
def undef_between(p):
    k, a = p.k, p.config((None, 1))
    return (f"#define U{k}(n) REG_OP(n)\nU{k}({p.op()});\n#ifdef {a}\n#undef U{k}\n#define U{k}(n)\n#endif\nU{k}({p.op()});\n#ifdef {a}\n#undef U{k}\n#define U{k}(n) REG_STR(#n)\n#endif\nU{k}({p.op()});")


@shape
def undef_of_header_macro(p):
    k, a = p.k, p.config()
    name = p.file("_set.h", f"#pragma once\n#define USE{k} 1\n")
    return f'#include "{name}"\n#if {a} > 1\n#undef USE{k}\n#endif\n#ifdef USE{k}\nREG_OP({p.op()});\n#else\nREG_OP({p.op()});\n#endif'


@shape
def redefined_value(p):
    a, k = p.config(), p.k
    return (f"#define LEVEL{k} 1\n#if LEVEL{k} < {a}\n#undef LEVEL{k}\n#define LEVEL{k} {a}\n#endif\n#if LEVEL{k} > 1\nREG_OP({p.op()});\n#else\nREG_OP({p.op()});\n#endif\n"
            f"#undef LEVEL{k}\n#define LEVEL{k} 0\n#if LEVEL{k}\nREG_OP({p.op()});\n#endif\n#if !LEVEL{k} && {a}\nREG_OP({p.op()});\n#endif")


@shape
def raw_string_arguments(p):
    k = p.k
    return f"#define T{k}(...) static const char* text{k} = __VA_ARGS__;\nT{k}(R\"z(\n#else\nREG_OP({p.op()});\n/* \")z\")\nREG_OP({p.op()});\nREG_STR(R\"({p.op()})\" R\"y(_y)y\");"


@shape
def dead_group(p):
    """Skipped code need not be valid C++."""
    a = p.config((None, 0))
    return f"#if {a}\nIt's not code: REG_OP({p.op()});\n#if (\n#elif nonsense ((\n#endif\n#error no\n#include \"nowhere.h\"\n#unknown\n#else\nREG_OP({p.op()});\n#endif\n#if 0\nREG_OP({p.op()}) \"\n#endif"


@shape
def elif_not_evaluated(p):
    k, a = p.k, p.config((1, 2))
    p.undefined(f"UNKNOWN{k}", f"NONE{k}")
    return f"#if {a}\nREG_OP({p.op()});\n#elif UNKNOWN{k}(1, 2) + 1 / 0\nREG_OP({p.op()});\n#endif\n#if 1 || 1 / 0\nREG_OP({p.op()});\n#endif\n#if defined(NONE{k}) && NONE{k} > 2\nREG_OP({p.op()});\n#endif"


@shape
def defined_by_macro(p):
    """A macro that expands to defined()."""
    k, a, b = p.k, p.config((None, 1)), p.config((None, 1))
    return f"#define HAS{k} (defined({a}) && !defined({b}))\n#if HAS{k}\nREG_OP({p.op()});\n#else\nREG_OP({p.op()});\n#endif"


@shape
def builtin_questions(p):
    test = p.one("__has_cpp_attribute(nodiscard)", "defined(__has_builtin) && __has_builtin(__builtin_expect)", "defined(__has_cpp_attribute)", "__INT_MAX__ > 32767", "__CHAR_BIT__ == 8", "__SIZEOF_POINTER__ == 8")
    return f"#if {test}\nREG_OP({p.op()});\n#endif\nREG_OP({p.op()});"


@shape
def long_chain_of_ways(p):
    k, a = p.k, p.config(range(10))
    ways = "".join(f"#{'elif' if i else 'if'} {a} == {i}\n#define WAY{k} {i}\n" for i in range(p.random.randint(3, 12)))
    p.undefined(f"WAY{k}")
    name = p.file("_ways.h", f"#pragma once\n{ways}#endif\n")
    return f'#include "{name}"\n#if WAY{k} == 2\nREG_OP({p.op()});\n#elif defined(WAY{k})\nREG_OP({p.op()});\n#else\nREG_OP({p.op()});\n#endif'


@shape
def sum_of_flags(p):
    k = p.k
    flags = [p.config((None, 1)) for _ in range(p.random.randint(2, 6))]
    total = " + ".join(f"defined({flag})" for flag in flags)
    return f"#if {total} > 1\nREG_OP({p.op()});\n#elif {' + '.join(flags)} == 1\nREG_OP({p.op()});\n#else\nREG_OP({p.op()});\n#endif\nstatic int sum{k} = 0;"


@shape
def long_condition(p):
    k = p.k
    flags = [p.config((None, None, None, 0, 1)) for _ in range(p.random.randint(8, 24))]
    p.undefined(f"SIMD{k}")
    name = p.file("_simd.h", f"#pragma once\n#if {' || '.join(f'defined({flag})' for flag in flags)}\n#define SIMD{k} 1\n#else\n#define SIMD{k} 0\n#endif\n")
    return f'#include "{name}"\n#if SIMD{k}\nREG_OP({p.op()});\n#else\nREG_OP({p.op()});\n#endif'


@shape
def configuration_words(p):
    """Words compared as numbers, with values from macros of the unit."""
    k = p.k
    a = word(p, (f"FAST{k}", f"SLOW{k}"))
    return f"#define FAST{k} 1\n#define SLOW{k} 2\n#if {a} == FAST{k}\nREG_OP({p.op()});\n#elif {a} == SLOW{k}\nREG_OP({p.op()});\n#else\nREG_OP({p.op()});\n#endif"
