"""Shapes of programs that register the rows of tables: lists in headers and .inc files, arrays, structs, constants."""
# SPDX-License-Identifier: Apache-2.0

from compiled_programs import shape
from value_programs import braces, quoted, reg, several, start


def rows(p, form="ROW({})", ask=True):
    """Returns rows of a list, some under conditions."""
    lines = []
    for _ in range(p.random.randint(2, 4)):
        kind = p.random.randrange(5) if ask else 0
        if kind == 3:
            a = p.config((None, 1))
            lines += [f"#ifdef {a}", form.format(p.op()), "#endif"]
        elif kind == 4:
            a = p.config()
            lines += [f"#if {a} > 1", form.format(p.op()), "#else", form.format(p.op()), "#endif"]
        else:
            lines.append(form.format(p.op()))
    return "\n".join(lines) + "\n"


def each(p, names):
    return start(p, f"  for (const char* name : {names}) {{ {reg(p, 'name')} }}")


@shape
def rows_in_array(p):
    k = p.k
    name = p.file(p.one(".def", ".inc", "_ops.h"), rows(p))
    return f'static const char* const names{k}[] = {{\n#define ROW(n) #n,\n#include "{name}"\n#undef ROW\n}};\n{each(p, f"names{k}")}'


@shape
def rows_in_adders(p):
    k = p.k
    name = p.file(".def", rows(p))
    return f'#define ROW(n) {{#n, 1}},\nstatic Adder adders{k}[] = {{\n#include "{name}"\n}};\n#undef ROW'


@shape
def rows_in_structs(p):
    k = p.k
    a = p.config((0, 1, 2))
    name = p.file(".def", rows(p, "ROW({}, 1)") + rows(p, "ROW({}, 2)", ask=False))
    return (f'struct Row{k} {{ const char* name; int since; }};\nstatic const Row{k} table{k}[] = {{\n#define ROW(n, v) {{#n, v}},\n#include "{name}"\n#undef ROW\n}};\n'
            + start(p, f"  for (const auto& row : table{k}) if (row.since <= {p.one('1', '2', a)}) {{ {reg(p, 'row.name')} }}"))


@shape
def rows_in_enum(p):
    k = p.k
    name = p.file(".inc", rows(p))
    return (f'enum Kind{k} {{\n#define ROW(n) kKind_##n,\n#include "{name}"\n#undef ROW\n  kCount{k}\n}};\nstatic const char* const names{k}[] = {{\n#define ROW(n) #n,\n#include "{name}"\n#undef ROW\n}};\n'
            + start(p, f"  for (int i = 0; i < kCount{k}; ++i) {{ {reg(p, f'names{k}[i]')} }}"))


@shape
def rows_in_switch(p):
    k = p.k
    name = p.file(".inc", rows(p))
    return (f'enum class Kind{k} {{\n#define ROW(n) n,\n#include "{name}"\n#undef ROW\n  kCount\n}};\nstatic const char* NameOf{k}(Kind{k} kind) {{\n  switch (kind) {{\n'
            f'#define ROW(n) case Kind{k}::n: return #n;\n#include "{name}"\n#undef ROW\n    default: return nullptr;\n  }}\n}}\n'
            + start(p, f"  for (int i = 0; i < static_cast<int>(Kind{k}::kCount); ++i) {{ {reg(p, f'NameOf{k}(static_cast<Kind{k}>(i))')} }}"))


@shape
def rows_in_calls(p):
    name = p.file(".inc", rows(p))
    return start(p, f'{p.one("#define ROW(n) Register(#n);", "#define ROW(n) { Adder made(#n); }", "#define ROW(n) Library::Get().def(#n);")}\n#include "{name}"\n#undef ROW')


@shape
def rows_in_functions(p):
    name = p.file(".inc", rows(p))
    return (f'#define ROW(n) static void Add_##n() {{ Register(#n); }}\n#include "{name}"\n#undef ROW\n'
            + start(p, f'#define ROW(n) Add_##n();\n#include "{name}"\n#undef ROW'))


@shape
def rows_in_classes(p):
    name = p.file(".inc", rows(p))
    return f'#define ROW(n) struct Class_##n {{ Adder own{{#n}}; }}; static Class_##n object_##n;\n#include "{name}"\n#undef ROW'


@shape
def rows_of_two_files(p):
    k = p.k
    one, two = p.file("_a.inc", rows(p)), p.file("_b.inc", rows(p))
    a = p.config((None, 1))
    return f'static const char* const names{k}[] = {{\n#define ROW(n) #n,\n#include "{one}"\n#ifdef {a}\n#include "{two}"\n#endif\n#undef ROW\n}};\n{each(p, f"names{k}")}'


@shape
def rows_of_list_macro(p):
    k, a = p.k, p.config((None, 1))
    return (f"#ifdef {a}\n#define EXTRA{k}(X) X({p.op()})\n#else\n#define EXTRA{k}(X)\n#endif\n#define LIST{k}(X) X({p.op()}) X({p.op()}) EXTRA{k}(X)\n"
            f"#define TEXT{k}(n) #n,\nstatic const char* const names{k}[] = {{LIST{k}(TEXT{k})}};\n{each(p, f'names{k}')}")


@shape
def rows_of_list_in_header(p):
    k, a = p.k, p.config()
    name = p.file("_list.h", f"#pragma once\n#if {a} > 1\n#define LIST{k}(X) X({p.op()}) X({p.op()})\n#else\n#define LIST{k}(X) X({p.op()})\n#endif\n")
    if p.random.random() < 0.5:
        use = f"static const char* const names{k}[] = {{LIST{k}(TEXT{k})}};\n{each(p, f'names{k}')}"
    else:
        use = braces(start(p, f"  for (const char* name : {{LIST{k}(TEXT{k}) \"{p.op()}\"}}) {{ {reg(p, 'name')} }}"))
    return f'#include "{name}"\n#define TEXT{k}(n) #n,\n{use}'


@shape
def row_macro_in_header(p):
    k, a = p.k, p.config()
    test = p.one(f"#ifdef {a}", f"#if {a} > 1", f"#if defined({a}) && {a} != 2")
    name = p.file("_row.h", f"#pragma once\n{test}\n#define AROW{k}(n) n,\n#else\n#define AROW{k}(n)\n#endif\n")
    x, y, z = quoted(p, 3)
    form = p.random.randrange(3)
    if form == 0:
        form = f"static const char* const names{k}[] = {{{x}, AROW{k}({y}) {z}}};\n{each(p, f'names{k}')}"
    elif form == 1:
        form = f"static Adder names{k}[] = {{{x}, AROW{k}({y}) {z}}};"
    else:
        form = braces(start(p, f"  for (const char* name : {{{x}, AROW{k}({y}) {z}}}) {{ {reg(p, 'name')} }}"))
    return f'#include "{name}"\n{form}'


@shape
def row_macro_in_unit(p):
    k, a = p.k, p.config()
    x, y, z = quoted(p, 3)
    return (f"#if {a} > 1\n#define AROW{k}(n) {{n, 1}},\n#else\n#define AROW{k}(n)\n#endif\nstruct Row{k} {{ const char* name; int version; }};\n"
            f"static const Row{k} rows{k}[] = {{{{{x}, 0}}, AROW{k}({y}) {{{z}, 2}}}};\n" + start(p, f"  for (const Row{k}& row : rows{k}) {{ {reg(p, 'row.name')} }}"))


@shape
def table_filtered(p):
    k, a = p.k, p.config((None, 0, 1))
    return (f"#ifndef {a}\n#define {a} {p.random.randrange(2)}\n#endif\nstruct Row{k} {{ const char* name; bool on; }};\n"
            f"static const Row{k} rows{k}[] = {{{{\"{p.op()}\", true}}, {{\"{p.op()}\", {a} != 0}}, {{\"{p.op()}\", !{a}}}, {{\"{p.op()}\", false}}}};\n"
            + start(p, f"  for (const auto& row : rows{k}) {{\n    if (!row.on) continue;\n    {reg(p, 'row.name')}\n  }}"))


@shape
def table_of_tables(p):
    k = p.k
    return (f"static const char* const grid{k}[2][2] = {{{{{several(p, 2, 2)}}}, {{{several(p, 2, 2)}}}}};\n"
            + start(p, f"  for (const auto& line : grid{k}) for (const char* name : line) {{ {reg(p, 'name')} }}"))


@shape
def table_ends_with_null(p):
    k = p.k
    loop = p.one(f"for (const char* const* at = names{k}; *at; ++at) {{ {reg(p, '*at')} }}", f"for (int i = 0; names{k}[i] != nullptr; ++i) {{ {reg(p, f'names{k}[i]')} }}",
                 f"const char* const* at = names{k};\n  while (*at) {{ {reg(p, '*at++')} }}")
    a = p.config((None, 1))
    return f'static const char* const names{k}[] = {{{several(p)},\n#ifdef {a}\n  "{p.op()}",\n#endif\n  nullptr}};\n' + start(p, f"  {loop}")


@shape
def table_of_pointers(p):
    k = p.k
    x, y = quoted(p, 2)
    return (f"struct Op{k} {{ const char* name; }};\nstatic const Op{k} first{k} = {{{x}}}, second{k} = {{{y}}};\nstatic const Op{k}* const all{k}[] = {{&first{k}, &second{k}}};\n"
            + start(p, f"  for (const Op{k}* op : all{k}) {{ {reg(p, 'op->name')} }}"))


@shape
def table_of_class(p):
    k, a = p.k, p.config((None, 1))
    return (f"struct Table{k} {{\n  static constexpr const char* kNames[] = {{{several(p)}\n#ifdef {a}\n    , \"{p.op()}\"\n#endif\n  }};\n}};\n{each(p, f'Table{k}::kNames')}")


@shape
def table_in_header(p):
    k, a = p.k, p.config()
    const = p.one("static const char* const", "inline constexpr const char*", "constexpr const char*", "static const char*")
    name = p.file("_names.h", f"#pragma once\nnamespace names{k} {{\n{const} kAll[] = {{\n  {several(p)},\n#if {a} > 1\n  \"{p.op()}\",\n#else\n  \"{p.op()}\",\n#endif\n}};\n}}\n")
    return f'#include "{name}"\n{each(p, f"names{k}::kAll")}'


@shape
def table_designated(p):
    k = p.k
    x, y = quoted(p, 2)
    return (f"struct Row{k} {{ const char* name = nullptr; int version = 1; bool on = true; }};\n"
            f"static const Row{k} rows{k}[] = {{{{.name = {x}}}, {{.name = {y}, .version = 3, .on = {p.one('true', 'false')}}}}};\n"
            + start(p, f"  for (const auto& row : rows{k}) if (row.on) {{ {reg(p, 'row.name')} }}"))


@shape
def table_in_steps(p):
    k = p.k
    loop = p.one("for (int i = 0; i < 5; i += 2)", "for (int i = 4; i > 0; --i)", "for (int i = 1; i < 5; i *= 2)")
    return f"static const char* const names{k}[5] = {{{several(p, 5, 5)}}};\n" + start(p, f"  {loop} {{ {reg(p, f'names{k}[i]')} }}")


@shape
def table_as_parameter(p):
    k = p.k
    body = p.one("for (int i = 0; i < count; ++i) Register(names[i]);", "while (count-- > 0) Register(*names++);")
    return (f"static void All{k}(const char* const* names, int count) {{ {body} }}\nstatic const char* const few{k}[] = {{{several(p, 3, 3)}}};\n"
            + start(p, f"  All{k}(few{k}, {p.one('3', f'sizeof(few{k}) / sizeof(few{k}[0])', '2')});"))


@shape
def table_by_reference(p):
    k = p.k
    return (f"template <int N> static void All{k}(const char* const (&names)[N]) {{ for (int i = 0; i < N; ++i) Register(names[i]); }}\n"
            f"static const char* const few{k}[] = {{{several(p)}}};\nstatic const char* const more{k}[] = {{{several(p, 1, 3)}}};\n" + start(p, f"  All{k}(few{k});\n  All{k}(more{k});"))


@shape
def parameter_pack(p):
    k = p.k
    body = p.one("(Register(names), ...);", "int all[] = {Register(names)...}; (void)all;", "const char* all[] = {names...}; for (const char* name : all) Register(name);")
    return f"template <class... T> static void Pack{k}(T... names) {{ {body} }}\n" + start(p, f"  Pack{k}({several(p)});")


@shape
def table_of_functions(p):
    k = p.k
    makers = "\n".join(f"static void Make{k}_{i}() {{ {reg(p, text)} }}" for i, text in enumerate(quoted(p, 3)))
    return f"{makers}\nstatic void (*const makers{k}[])() = {{Make{k}_0, &Make{k}_1, Make{k}_2}};\n" + start(p, f"  for (auto make : makers{k}) make();")


@shape
def table_by_each(p):
    k = p.k
    return (f"template <class F> static void Each{k}(const char* const* names, int count, F f) {{ for (int i = 0; i < count; ++i) f(names[i]); }}\n"
            f"static const char* const some{k}[] = {{{several(p, 3, 3)}}};\n" + start(p, f"  Each{k}(some{k}, 3, [](const char* name) {{ {reg(p, 'name')} }});"))


@shape
def table_of_local(p):
    a = p.config((None, 1))
    form = p.one("const char* names[] = {", "static const char* const names[] = {", "constexpr const char* names[] = {")
    return start(p, f"  {form}\n    {several(p)},\n#ifdef {a}\n    \"{p.op()}\",\n#endif\n  }};\n  for (auto* name : names) {{ {reg(p, 'name')} }}")


@shape
def braces_in_loop(p):
    a = p.config()
    return braces(start(p, f"  for (const char* name : {{\n    {several(p)},\n#if {a} > 1\n    \"{p.op()}\",\n#else\n    \"{p.op()}\",\n#endif\n    \"{p.op()}\"}}) {{\n    {reg(p, 'name')}\n  }}"))


@shape
def array_assigned(p):
    """Filled by code, without an initializer."""
    a = p.config((None, 1))
    x, y, z = quoted(p, 3)
    return start(p, f"  const char* names[4] = {{}};\n  int count = 0;\n  names[count++] = {x};\n#ifdef {a}\n  names[count++] = {y};\n#endif\n  names[count++] = {z};\n  for (int i = 0; i < count; ++i) {{ {reg(p, 'names[i]')} }}")


@shape
def array_filled_by_header(p):
    a = p.config()
    x, y, z = quoted(p, 3)
    name = p.file("_fill.inc", f"names[count++] = {y};\n#if {a} > 1\nnames[count++] = {z};\n#endif\n")
    return start(p, f'  const char* names[4] = {{}};\n  int count = 0;\n  names[count++] = {x};\n#include "{name}"\n  for (int i = 0; i < count; ++i) {{ {reg(p, "names[i]")} }}')


@shape
def constants_in_header(p):
    k, a = p.k, p.config()
    const = p.one("static const char* const", "constexpr const char*", "inline constexpr const char*", "static const char")
    array = "[]" if const.endswith("char") else ""
    x, y, z = quoted(p, 3)
    name = p.file("_constants.h", f"#pragma once\n#if {a} > 1\n{const} kName{k}{array} = {x};\n#elif defined({a})\n{const} kName{k}{array} = {y};\n#else\n{const} kName{k}{array} = {z};\n#endif\n")
    return f'#include "{name}"\n' + p.one(f"static int t{k} = Register(kName{k});", f"static Adder t{k}(kName{k});", f"static Adder t{k}{{kName{k}, 1}};", f"static auto& t{k} = Library::Get().def(kName{k});")


@shape
def constant_of_constant(p):
    k, a = p.k, p.config((None, 1))
    x, y = quoted(p, 2)
    return (f"namespace names{k} {{\nstatic const char* const kX = {x};\nstatic const char* const kY = {y};\n}}\n#ifdef {a}\nstatic const char* const kUsed{k} = names{k}::kX;\n#else\n"
            f"static const char* const kUsed{k} = names{k}::kY;\n#endif\n" + p.one(f"static int t{k} = Register(kUsed{k});", f"static Adder t{k}(kUsed{k});"))


@shape
def constants_by_macro(p):
    k = p.k
    x, y = p.op(), p.op()
    return f"#define CONSTANT{k}(n) static const char* const k_##n = #n\nCONSTANT{k}({x});\nCONSTANT{k}({y});\nstatic int t{k} = Register(k_{x});\nstatic Adder u{k}(k_{y});"


@shape
def enum_names(p):
    k = p.k
    texts = quoted(p, 3)
    cases = " ".join(f"case Code{k}::k{i}: return {text};" for i, text in enumerate(texts))
    return (f"enum class Code{k} {{ k0, k1, k2 }};\nconstexpr const char* NameOf{k}(Code{k} code) {{ switch (code) {{ {cases} }} return \"\"; }}\n"
            f"static int t{k} = Register(NameOf{k}(Code{k}::k{p.random.randrange(3)}));\nstatic Adder u{k}(NameOf{k}(Code{k}::k1));")


@shape
def row_cut_by_condition(p):
    """#if inside the braces of a row."""
    k, a = p.k, p.config()
    x, y, z = quoted(p, 3)
    return (f"struct Row{k} {{ const char* name; int version; }};\nstatic const Row{k} rows{k}[] = {{{{\n#if {a} > 1\n  {x},\n#else\n  {y},\n#endif\n  3}}, {{{z}, 1}}}};\n"
            + start(p, f"  for (const auto& row : rows{k}) {{ {reg(p, 'row.name')} }}"))


@shape
def nested_struct_table(p):
    k = p.k
    return (f"struct Inner{k} {{ const char* name; }};\nstruct Outer{k} {{ Inner{k} forward, backward; }};\n"
            f"static const Outer{k} pairs{k}[] = {{{{{{\"{p.op()}\"}}, {{\"{p.op()}\"}}}}, {{{{\"{p.op()}\"}}, {{\"{p.op()}\"}}}}}};\n"
            + start(p, f"  for (const auto& pair : pairs{k}) {{ Register(pair.forward.name); Register(pair.backward.name); }}"))


@shape
def table_of_generated_types(p):
    """Each type has its own name; a template registers a list of types."""
    k = p.k
    types = "\n".join(f"struct T{k}_{i} {{ static constexpr const char* kName = {text}; }};" for i, text in enumerate(quoted(p, 3)))
    a = p.config((None, 1))
    return (f"{types}\ntemplate <class... T> struct Types{k} {{ static int All() {{ return (Register(T::kName) + ... + 0); }} }};\n"
            f"static int t{k} = Types{k}<T{k}_0\n#ifdef {a}\n  , T{k}_1\n#endif\n  , T{k}_2>::All();")
