"""Shapes of programs in which macro values of the configurations choose or form names.

For compiled_oracle_test.py, like compiled_programs.py. Also has functions that other modules of
shapes share.
"""
# SPDX-License-Identifier: Apache-2.0

from compiled_programs import CONFIGURATIONS, shape


def quoted(p, count):
    return [f'"{p.op()}"' for _ in range(count)]


def braces(text):
    """Returns a unit with a loop over braces, which needs a standard header."""
    return f"#include <initializer_list>\n{text}"


def several(p, low=2, high=4):
    """Quoted names, with commas."""
    return ", ".join(quoted(p, p.random.randint(low, high)))


def reg(p, text):
    """Returns a statement that registers a name."""
    return p.one(f"Register({text});", f"Register({text});", f"Adder made({text});", f"Library::Get().def({text});", f"Builder().op({text});")


def start(p, body):
    """Returns code that runs once, when the program starts or from main()."""
    p.fresh += 1
    tag = f"{p.k}_{p.fresh}"
    form = p.random.randrange(5)
    if form == 0:
        p.main.append(f"Load{tag}();")
        return f"static void Load{tag}() {{\n{body}\n}}"
    if form == 1:
        return f"struct Boot{tag} {{\n  Boot{tag}() {{\n{body}\n  }}\n}};\nstatic Boot{tag} boot{tag};"
    if form == 2:
        return f"static int Fill{tag}() {{\n{body}\n  return 0;\n}}\nint filled{tag} = Fill{tag}();"
    if form == 3:
        return f"namespace {{\nconst bool done{tag} = [] {{\n{body}\n  return true;\n}}();\n}}"
    return f"static int init{tag} = [] {{\n{body}\n  return 0;\n}}();"


def level(p, values=(None, 0, 1, 2, 3), default=None):
    """Returns a macro of the configurations with a number, and the text that gives it a default."""
    name = p.config(values)
    return name, f"#ifndef {name}\n#define {name} {p.random.randrange(4) if default is None else default}\n#endif"


def word(p, words, undefined=True):
    """Returns a macro of the configurations whose value is a word."""
    p.fresh += 1
    name = f"CFG_{p.prefix}_{p.fresh}"
    for configuration in CONFIGURATIONS:
        p.macros[configuration][name] = p.random.choice(list(words) + [None] * undefined)
    return name


def glue(k):
    return f"#define CAT{k}_(a, b) a##b\n#define CAT{k}(a, b) CAT{k}_(a, b)\n#define STR{k}_(x) #x\n#define STR{k}(x) STR{k}_(x)"


# Loops

@shape
def loop_bound(p):
    a, default = level(p)
    k = p.k
    loop = p.one(f"for (int i = 0; i < {a}; ++i)", f"for (int i = 0; i != {a}; i++)", f"for (int i = {a} - 1; i >= 0; --i)", f"for (unsigned i = 0; i < ({a}) + 0u; ++i)")
    return (f"{default}\nstatic const char* const names{k}[] = {{{several(p, 4, 6)}}};\n"
            + start(p, f"  {loop} {{ {reg(p, f'names{k}[i]')} }}"))


@shape
def loop_bound_digits(p):
    """The number is part of the name."""
    a, default = level(p)
    name = p.op() + "_0"
    return f"{default}\n" + start(p, f'  char text[] = "{name}";\n  for (int i = 0; i <= {a}; ++i) {{ text[{len(name) - 1}] = static_cast<char>(\'0\' + i); {reg(p, "text")} }}')


@shape
def constant_from_macro(p):
    a, default = level(p)
    k = p.k
    form = p.one(f"constexpr int kL{k} = {a};", f"static const int kL{k} = {a};", f"enum {{ kL{k} = {a} }};", f"enum Level{k} : int {{ kFirst{k}, kL{k} = {a} }};",
                 f"constexpr unsigned kL{k} = {a} + 1 - 1;", f"inline constexpr auto kL{k} = {a};")
    return (f"{default}\n{form}\n" + start(p, f"  const char* const names[] = {{{several(p, 4, 4)}}};\n  for (int i = 0; i < static_cast<int>(kL{k}); ++i) {{ {reg(p, 'names[i]')} }}"))


@shape
def constant_of_class(p):
    a, default = level(p)
    k = p.k
    form = p.one("static const int kLevel = ", "static constexpr int kLevel = ", "enum : int { kLevel = ")
    end = " };" if form.startswith("enum") else ";"
    return (f"{default}\nstruct Config{k} {{ {form}{a}{end} }};\n"
            + start(p, f"  const char* const names[] = {{{several(p, 4, 4)}}};\n  for (int i = 0; i < Config{k}::kLevel; ++i) {{ {reg(p, 'names[i]')} }}"))


@shape
def countdown(p):
    a, default = level(p)
    loop = p.one(f"int i = {a};\n  while (i-- > 0)", f"int i = {a};\n  for (; i--;)", f"for (int i = {a}; i-- > 0;)")
    return f"{default}\n" + start(p, f"  static const char* names[] = {{{several(p, 4, 4)}}};\n  {loop} {{ {reg(p, 'names[i]')} }}")


@shape
def macro_expression(p):
    a, default = level(p)
    b, other = level(p, (0, 1, 2))
    k = p.k
    form = p.one(f"(({a}) * 2 - {b})", f"({a} + {b})", f"({a} > {b} ? {a} : {b})", f"(({a} << 1) | {b})", f"(!{a} + !!{b})")
    return (f"{default}\n{other}\n#define COUNT{k} {form}\n"
            + start(p, f"  const char* const names[] = {{{several(p, 8, 8)}}};\n  for (int i = 0; i < COUNT{k}; ++i) {{ {reg(p, 'names[i]')} }}"))


@shape
def array_size(p):
    a, default = level(p)
    k = p.k
    size = p.one(f"sizeof(room{k})", f"sizeof(room{k}) / sizeof(room{k}[0])", f"sizeof room{k}")
    return (f"{default}\nstatic char room{k}[{a} + 1];\n"
            + start(p, f"  const char* const names[] = {{{several(p, 4, 4)}}};\n  for (unsigned i = 0; i < {size}; ++i) {{ {reg(p, 'names[i]')} }}"))


@shape
def array_of_adders_by_size(p):
    a, default = level(p)
    return f"{default}\nstatic Adder all{p.k}[{a} + 3] = {{{{{quoted(p, 1)[0]}}}, {{{quoted(p, 1)[0]}, 1}}}};"


@shape
def table_index(p):
    a, default = level(p)
    k = p.k
    return f"{default}\nstatic const char* const by_level{k}[] = {{{several(p, 4, 4)}}};\n" + p.one(
        f"static int t{k} = Register(by_level{k}[{a}]);", f"static Adder t{k}(by_level{k}[{a}]);", f"static Adder t{k}{{by_level{k}[({a} + 1) % 4]}};")


@shape
def default_argument_value(p):
    a, default = level(p)
    k = p.k
    p.main.append(f"Default{k}();")
    return (f"{default}\nstatic void Default{k}(int n = {a}) {{\n  const char* const names[] = {{{several(p, 4, 4)}}};\n"
            f"  for (int i = 0; i < n; ++i) {{ {reg(p, 'names[i]')} }}\n}}")


@shape
def char_arithmetic(p):
    a, default = level(p)
    name = p.op() + "_a"
    return f"{default}\n" + start(p, f'  char text[] = "{name}";\n  text[{len(name) - 1}] += {a};\n  {reg(p, "text")}')


@shape
def text_builder(p):
    """A helper of the program concatenates texts and numbers."""
    a, default = level(p, (None, 0, 2, 10, 123))
    k = p.k
    how = p.one(f'Text{k}().add("{p.op()}").add("_").add({a})', f'Text{k}().add("{p.op()}").add({a}).add("d")')
    return (f"{default}\nstruct Text{k} {{\n  char at[96] = {{}};\n  int n = 0;\n  constexpr Text{k}& add(const char* s) {{ while (*s) at[n++] = *s++; return *this; }}\n"
            f"  constexpr Text{k}& add(int i) {{\n    if (i > 9) add(i / 10);\n    at[n++] = static_cast<char>('0' + i % 10);\n    return *this;\n  }}\n}};\n"
            f"static int built{k} = Register({how}.at);")


# Choices

@shape
def if_on_macro(p):
    a, default = level(p)
    test = p.one(f"{a}", f"{a} > 1", f"!{a}", f"{a} == 2 || {a} == 0")
    return f"{default}\n" + start(p, f"  if ({test}) {{ {reg(p, quoted(p, 1)[0])} }} else {{ {reg(p, quoted(p, 1)[0])} }}")


@shape
def if_constexpr_on_macro(p):
    a, default = level(p)
    return (f"{default}\n" + start(p, f"  if constexpr ({a} > 1) {{ {reg(p, quoted(p, 1)[0])} }}\n  else if constexpr ({a} == 1) {{ {reg(p, quoted(p, 1)[0])} }}\n"
                                      f"  else {{ {reg(p, quoted(p, 1)[0])} }}"))


@shape
def ternary_on_macro(p):
    a, default = level(p)
    x, y, z = quoted(p, 3)
    text = p.one(f"{a} > 1 ? {x} : {y}", f"({a} ? {x} : {y})", f"{a} == 0 ? {x} : {a} == 1 ? {y} : {z}")
    return f"{default}\nstatic int t{p.k} = Register({text});"


@shape
def and_on_constant(p):
    a, default = level(p)
    k = p.k
    x, y = quoted(p, 2)
    return (f"{default}\nconstexpr bool kHave{k} = {a} > 1;\n"
            + p.one(f"static bool t{k} = kHave{k} && Register({x}) >= 0;\nstatic bool u{k} = kHave{k} || Register({y}) >= 0;",
                    f"static int t{k} = kHave{k} ? Register({x}) : 0;\nstatic int u{k} = !kHave{k} ? Register({y}) : 0;"))


@shape
def switch_on_macro(p):
    a, default = level(p)
    w, x, y = quoted(p, 3)
    return f"{default}\n" + start(p, f"  switch ({a}) {{\n    case 0: {{ {reg(p, w)} }} {p.one('break;', '[[fallthrough]];')}\n    case 1: {{ {reg(p, x)} }} break;\n    default: {{ {reg(p, y)} }}\n  }}")


@shape
def constexpr_choice(p):
    a, default = level(p)
    k = p.k
    w, x, y = quoted(p, 3)
    body = p.one(f"return n == 0 ? {w} : n == 1 ? {x} : {y};", f"if (n == 0) return {w};\n  if (n > 1) return {x};\n  return {y};",
                 f"switch (n) {{ case 0: return {w}; case 1: return {x}; default: return {y}; }}")
    return (f"{default}\n{p.one('constexpr', 'static constexpr', 'inline constexpr', 'consteval')} const char* Name{k}(int n) {{\n  {body}\n}}\n"
            + p.one(f"static int t{k} = Register(Name{k}({a}));", f"constexpr const char* kName{k} = Name{k}({a});\nstatic Adder t{k}(kName{k});"))


@shape
def template_argument(p):
    a, default = level(p)
    k = p.k
    x, y = quoted(p, 2)
    return (f"{default}\ntemplate <int N> struct Pick{k} {{ static const char* Name() {{ return N > 1 ? {x} : {y}; }} }};\n"
            + p.one(f"static int t{k} = Register(Pick{k}<{a}>::Name());", f"using Picked{k} = Pick{k}<{a} + 0>;\nstatic Adder t{k}(Picked{k}::Name());"))


@shape
def template_specialised(p):
    a, default = level(p, (None, 0, 1, 2), default=p.random.randrange(3))
    k = p.k
    rows = "\n".join(f"template <> struct Named{k}<{i}> {{ static constexpr const char* kName = {text}; }};" for i, text in enumerate(quoted(p, 3)))
    return f"{default}\ntemplate <int> struct Named{k};\n{rows}\nstatic int t{k} = Register(Named{k}<{a}>::kName);"


@shape
def template_recursion(p):
    a, default = level(p)
    k = p.k
    return (f"{default}\nstatic const char* const steps{k}[] = {{{several(p, 4, 4)}}};\n"
            f"template <int N> void Step{k}() {{ if constexpr (N > 0) {{ Register(steps{k}[N - 1]); Step{k}<N - 1>(); }} }}\n"
            f"static int t{k} = (Step{k}<{a}>(), 0);")


# Names

@shape
def name_pasted_from_macro(p):
    k, a = p.k, word(p, ("fast", "ref2", "simd"))
    return (f"#ifndef {a}\n#define {a} plain\n#endif\n#define N{k}_(n, b) REG_OP(n##_##b)\n#define N{k}(n, b) N{k}_(n, b)\n"
            f"N{k}({p.op()}, {a});\nN{k}({p.op()}, {a});")


@shape
def name_stringized_from_macro(p):
    k, a = p.k, word(p, ("fast", "ref2", "simd"))
    use = p.one(f'REG_STR("{p.op()}_" STR{k}({a}));', f'static Adder t{k}("{p.op()}_" STR{k}({a}));', f'static int t{k} = Register(STR{k}(CAT{k}({p.op()}_, {a})));')
    return f"#ifndef {a}\n#define {a} plain\n#endif\n{glue(k)}\n{use}"


@shape
def name_with_number(p):
    a, default = level(p, (None, 1, 2, 3))
    k = p.k
    return f"{default}\n#define N{k}_(n, d) REG_OP(n##_conv##d##d)\n#define N{k}(n, d) N{k}_(n, d)\nN{k}({p.op()}, {a});"


@shape
def name_with_version(p):
    a, default = level(p)
    b, other = level(p)
    k = p.k
    return f'{default}\n{other}\n{glue(k)}\n#define VERSION{k} STR{k}({a}) "_" STR{k}({b})\nREG_STR("{p.op()}_v" VERSION{k});\nstatic Adder t{k}("{p.op()}" VERSION{k});'


@shape
def name_macro_undefined(p):
    """A name that the configuration gives completely."""
    a = word(p, (p.op(), p.op()))
    k = p.k
    return f"#define N{k}_(n) REG_OP(n)\n#define N{k}(n) N{k}_(n)\n#ifdef {a}\nN{k}({a});\n#endif\nREG_OP({p.op()});"


@shape
def name_of_header_macro(p):
    a = p.config()
    k = p.k
    name = p.file("_names.h", f"#pragma once\n#if {a} > 1\n#define BACKEND{k} gpu\n#elif defined({a})\n#define BACKEND{k} cpu\n#else\n#define BACKEND{k} any\n#endif\n")
    use = p.one(f"N{k}({p.op()}, BACKEND{k});", f"#define BOTH{k}(n) N{k}(n, BACKEND{k})\nBOTH{k}({p.op()});\nBOTH{k}({p.op()});")
    return f'#include "{name}"\n#define N{k}_(n, b) REG_OP(n##_##b)\n#define N{k}(n, b) N{k}_(n, b)\n{use}'


@shape
def prefix_by_condition(p):
    a, k = p.config(), p.k
    x, y = p.op(), p.op()
    text = f'#if {a}\n#define PREFIX{k} "{x}"\n#else\n#define PREFIX{k} "{y}"\n#endif'
    if p.random.random() < 0.5:
        text = f'#include "{p.file("_prefix.h", text + chr(10))}"'
    return f'{text}\nREG_STR(PREFIX{k} "_abs");\nstatic Adder t{k}(PREFIX{k} "_neg");\nstatic int u{k} = Register(PREFIX{k});'


@shape
def literal_by_condition(p):
    a, k = p.config((None, 1)), p.k
    form = p.one(f"static int t{k} = Register(", f"static Adder t{k}(")
    return f'{form}"{p.op()}"\n#ifdef {a}\n  "_gpu"\n#else\n  "_cpu"\n#endif\n  "_t");'


# WHEN(x)(...) and similar macros

@shape
def when_config(p):
    a, default = level(p, (None, 0, 1), default=p.random.randrange(2))
    k = p.k
    return (f"{default}\n{glue(k)}\n#define WHEN{k}_1(...) __VA_ARGS__\n#define WHEN{k}_0(...)\n#define WHEN{k}(c) CAT{k}(WHEN{k}_, c)\n"
            f"REG_OP({p.op()});\nWHEN{k}({a})(REG_OP({p.op()});)\nWHEN{k}({a})(REG_STR(\"{p.op()}\"); REG_OP({p.op()});)")


@shape
def iif(p):
    a, default = level(p, (None, 0, 1), default=p.random.randrange(2))
    k = p.k
    use = p.one(f"IIF{k}({a})(REG_OP({p.op()}), REG_OP({p.op()}));", f"REG_STR(IIF{k}({a})(\"{p.op()}\", \"{p.op()}\"));",
                f"static int t{k} = Register(IIF{k}({a})(\"{p.op()}\", \"{p.op()}\"));")
    return f"{default}\n#define IIF{k}_1(t, f) t\n#define IIF{k}_0(t, f) f\n#define IIF{k}__(c) IIF{k}_##c\n#define IIF{k}(c) IIF{k}__(c)\n{use}"


@shape
def not_macro(p):
    a, default = level(p, (None, 0, 1), default=p.random.randrange(2))
    k = p.k
    return (f"{default}\n{glue(k)}\n#define NOT{k}_0 1\n#define NOT{k}_1 0\n#define NOT{k}(x) CAT{k}(NOT{k}_, x)\n"
            f"#if NOT{k}({a})\nREG_OP({p.op()});\n#else\nREG_OP({p.op()});\n#endif\n"
            f"#define IF{k}_1(x) x\n#define IF{k}_0(x)\n#define IF{k}(c, x) CAT{k}(IF{k}_, c)(x)\nIF{k}(NOT{k}({a}), REG_OP({p.op()});)")


@shape
def when_by_name(p):
    a, k = p.config((None, 0, 1, 2)), p.k
    text = f"#if {a}\n#define WHEN{k}_GPU(...) __VA_ARGS__\n#else\n#define WHEN{k}_GPU(...)\n#endif\n#define WHEN{k}_CPU(...) __VA_ARGS__\n#define ON{k}(d, ...) WHEN{k}_##d(__VA_ARGS__)"
    if p.random.random() < 0.5:
        text = f'#include "{p.file("_when.h", text + chr(10))}"'
    return f"{text}\nON{k}(GPU, REG_OP({p.op()});)\nON{k}(CPU, REG_OP({p.op()});)\nWHEN{k}_GPU(REG_OP({p.op()});)"


@shape
def repeat_macro(p):
    a, default = level(p)
    k = p.k
    return (f"{default}\n{glue(k)}\n#define REP{k}_0(m)\n" + "\n".join(f"#define REP{k}_{i}(m) REP{k}_{i - 1}(m) m({p.op()})" for i in range(1, 4))
            + f"\n#define REP{k}(n, m) CAT{k}(REP{k}_, n)(m)\n#define DO{k}(n) REG_OP(n);\nREP{k}({a}, DO{k})")


@shape
def enabled_in_code(p):
    a, k = p.config((None, 0, 1)), p.k
    return (f"#define HOLD{k}_1 0,\n#define NTH{k}(a, b, ...) b\n#define ASK{k}__(x) NTH{k}(x 1, 0)\n#define ASK{k}_(x) ASK{k}__(HOLD{k}_##x)\n#define ASK{k}(x) ASK{k}_(x)\n"
            + start(p, f"  if (ASK{k}({a})) {{ {reg(p, quoted(p, 1)[0])} }} else {{ {reg(p, quoted(p, 1)[0])} }}"))


@shape
def enabled_pasted(p):
    """ENABLED(X) expands to 1 or 0, from which ## makes a macro name."""
    a, k = p.config((None, 0, 1)), p.k
    return (f"{glue(k)}\n#define HOLD{k}_1 0,\n#define NTH{k}(a, b, ...) b\n#define ASK{k}__(x) NTH{k}(x 1, 0)\n#define ASK{k}_(x) ASK{k}__(HOLD{k}_##x)\n#define ASK{k}(x) ASK{k}_(x)\n"
            f"#define IF{k}_1(...) __VA_ARGS__\n#define IF{k}_0(...)\n#define IF{k}(c, ...) CAT{k}(IF{k}_, ASK{k}(c))(__VA_ARGS__)\n"
            f"IF{k}({a}, REG_OP({p.op()});)\nREG_OP({p.op()});")


@shape
def empty_probe(p):
    """Tests whether a macro is defined as nothing."""
    a, k = p.config((None, 1)), p.k
    p.undefined(f"MARK{k}")
    return (f"#ifdef {a}\n#define MARK{k}\n#endif\n#define COMMA{k} ,\n#define THIRD{k}(a, b, c, ...) c\n"
            f"#define SEEN{k}_ COMMA{k}\n#define SET{k}__(...) THIRD{k}(__VA_ARGS__, 1, 0, 0)\n#define SET{k}_(x) SET{k}__(SEEN{k}_##x)\n#define SET{k}(x) SET{k}_(x)\n"
            f"#if SET{k}(MARK{k})\nREG_OP({p.op()});\n#else\nREG_OP({p.op()});\n#endif")


@shape
def sequence(p):
    """A list in the style (a)(b)(c)."""
    a, k = p.config((None, 1)), p.k
    last = f"\n#ifdef {a}\n#define TAIL{k} ({p.op()})\n#else\n#define TAIL{k}\n#endif"
    items = "".join(f"({p.op()})" for _ in range(p.random.randint(1, 4)))
    return (f"{glue(k)}{last}\n#define A{k}(x) REG_OP(x); B{k}\n#define B{k}(x) REG_OP(x); A{k}\n#define A{k}_END\n#define B{k}_END\n"
            f"#define EACH{k}(seq) CAT{k}(A{k} seq, _END)\nEACH{k}({items} TAIL{k})")


@shape
def tuple_apply(p):
    k = p.k
    pairs = " ".join(f"P((({p.op()}, {p.one('_a', '_b')})))" for _ in range(2)).replace("P((", "P(").replace(")))", "))")
    return f"#define JOIN{k}(a, b) REG_OP(a##b);\n#define APPLY{k}(f, args) f args\n#define P(x) APPLY{k}(JOIN{k}, x)\n{pairs}\n#undef P"


@shape
def deferred(p):
    k = p.k
    return (f"#define EMPTY{k}()\n#define DEFER{k}(m) m EMPTY{k}()\n#define EVAL{k}(...) EVAL{k}_(EVAL{k}_(__VA_ARGS__))\n#define EVAL{k}_(...) __VA_ARGS__\n"
            f"#define LATE{k}(n) REG_OP(n);\nEVAL{k}(DEFER{k}(LATE{k})({p.op()}))\nEVAL{k}(EVAL{k}_(DEFER{k}(LATE{k})({p.op()})))")


@shape
def function_like_alias(p):
    """An object-like macro whose value is the name of a function-like macro, depending on a
    condition."""
    a, k = p.config(), p.k
    return (f"#define X{k}(n) REG_OP(n##_x);\n#define Y{k}(n) REG_STR(#n);\n#if {a} > 1\n#define Z{k} X{k}\n#else\n#define Z{k} Y{k}\n#endif\n"
            f"Z{k}({p.op()})\n#define W{k}(m, n) m(n)\nW{k}(Z{k}, {p.op()})")


@shape
def suffix_undefined(p):
    """An empty macro that a configuration may define."""
    a, k = word(p, ("_q", "_z")), p.k
    return f"#ifndef {a}\n#define {a}\n#endif\n#define N{k}_(n, s) REG_OP(n##s)\n#define N{k}(n, s) N{k}_(n, s)\nN{k}({p.op()}, {a});"
