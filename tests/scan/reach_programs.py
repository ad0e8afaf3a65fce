"""Shapes of programs in which functions, classes and templates register, or are unreachable."""
# SPDX-License-Identifier: Apache-2.0

from compiled_programs import shape
from value_programs import braces, quoted, reg, several, start


def one_name(p):
    return quoted(p, 1)[0]


# Code that may be unreachable

@shape
def if_false(p):
    test = p.one("if (false)", "if (0)", "while (false)", "for (; false;)", "if constexpr (false)", "if (!true)", "if (nullptr)", "if (1 > 2)")
    return start(p, f"  {test} {{ {reg(p, one_name(p))} }}\n  {reg(p, one_name(p))}")


@shape
def code_after_return(p):
    k = p.k
    end = p.one("return 0;", "{ return 1; }", "if (true) return 0;")
    return f"static int After{k}() {{\n  {reg(p, one_name(p))}\n  {end}\n  {{ {reg(p, one_name(p))} }}\n  return 0;\n}}\nstatic int after{k} = After{k}();"


@shape
def function_uncalled(p):
    k = p.k
    kind = p.one("static void", "inline void", "[[maybe_unused]] static void")
    return f"{kind} Never{k}() {{ {reg(p, one_name(p))} }}\nREG_OP({p.op()});"


@shape
def template_uncalled(p):
    k = p.k
    return f"template <class T> void Never{k}() {{ Register({one_name(p)}); }}\ntemplate <class T> struct None{k} {{ Adder own{{{one_name(p)}}}; }};\nREG_OP({p.op()});"


@shape
def short_circuit(p):
    k = p.k
    x, y, z = quoted(p, 3)
    return f"static bool a{k} = false && Register({x});\nstatic bool b{k} = true || Register({y});\nstatic bool c{k} = true && Register({z}) >= 0;"


@shape
def lambda_uncalled(p):
    k = p.k
    return f"[[maybe_unused]] static auto never{k} = [] {{ Register({one_name(p)}); }};\nstatic auto called{k} = [] {{ return Register({one_name(p)}); }};\nstatic int t{k} = called{k}();"


@shape
def class_unused(p):
    k = p.k
    return f"struct Never{k} {{ Adder own{{{one_name(p)}}}; }};\nstruct Used{k} {{ Adder own{{{one_name(p)}}}; }};\n{p.one('static ', '')}Used{k} used{k};"


@shape
def after_break(p):
    return start(p, f"  for (;;) {{\n    {{ {reg(p, one_name(p))} }}\n    break;\n    {{ {reg(p, one_name(p))} }}\n  }}")


@shape
def loop_never(p):
    return start(p, f"  for (int i = 3; i < 3; ++i) {{ {reg(p, one_name(p))} }}\n  do {{ {reg(p, one_name(p))} }} while (false);")


@shape
def early_return(p):
    k, a = p.k, p.config((None, 0, 1))
    return (f"#ifndef {a}\n#define {a} 0\n#endif\nstatic int Early{k}() {{\n  {{ {reg(p, one_name(p))} }}\n  if ({a}) return 0;\n  {{ {reg(p, one_name(p))} }}\n  return 1;\n}}\nstatic int early{k} = Early{k}();")


@shape
def unused_overload(p):
    k = p.k
    return f"static int Over{k}(int) {{ return Register({one_name(p)}); }}\nstatic int Over{k}(const char*) {{ return Register({one_name(p)}); }}\nstatic int over{k} = Over{k}({p.one('1', chr(34) + 'x' + chr(34))});"


@shape
def if_else_chain(p):
    k = p.k
    n = p.random.randrange(4)
    return (f"static int Chain{k}(int n) {{\n  if (n == 0) return Register({one_name(p)});\n  else if (n == 1) return Register({one_name(p)});\n  else return Register({one_name(p)});\n}}\nstatic int chain{k} = Chain{k}({n});")


def left(p):
    """A value known only at run time."""
    p.fresh += 1
    return f"left{p.k}_{p.fresh}"


@shape
def nested_tests(p):
    n = left(p)
    return f"static volatile int {n} = 1;\n" + start(p, f"  if (1) {{\n    if (0) {{ if ({n}) {{ {reg(p, one_name(p))} }} else {{ {reg(p, one_name(p))} }} }}\n    else if ({n}) {{ {reg(p, one_name(p))} }}\n  }} else {{ {reg(p, one_name(p))} }}")


@shape
def loops_that_end(p):
    k = p.k
    return (f"static int Ends{k}() {{\n  do {{\n    {{ {reg(p, one_name(p))} }}\n    if (true) break;\n    {{ {reg(p, one_name(p))} }}\n  }} while (true);\n"
            f"  for (;;) {{\n    {{ {reg(p, one_name(p))} }}\n    return 0;\n  }}\n  {{ {reg(p, one_name(p))} }}\n}}\nstatic int ends{k} = Ends{k}();")


@shape
def call_without_return(p):
    k = p.k
    return f"[[noreturn]] static void Stop{k}() {{ throw 1; }}\n" + start(p, f"  try {{\n    {{ {reg(p, one_name(p))} }}\n    Stop{k}();\n    {{ {reg(p, one_name(p))} }}\n  }} catch (int) {{ {reg(p, one_name(p))} }}")


@shape
def cases_fall_through(p):
    names = [one_name(p) for _ in range(5)]
    return start(p, f"  switch ({p.random.randrange(6)}) {{\n    case 1: Register({names[0]}); break;\n    case 2: Register({names[1]}); [[fallthrough]];\n    case 3: Register({names[2]}); break; Register({names[3]});\n    default: Register({names[4]});\n  }}")


@shape
def return_at_run_time(p):
    k, n = p.k, left(p)
    return (f"static volatile int {n} = 2;\nstatic int Some{k}() {{\n  {{ {reg(p, one_name(p))} }}\n  if (!{n}) return 0;\n  {{ {reg(p, one_name(p))} }}\n  while ({n} > 5) return 1;\n"
            f"  switch ({n}) {{ case 7: return 1; default: break; }}\n  {{ {reg(p, one_name(p))} }}\n  return 2;\n}}\nstatic int some{k} = Some{k}();")


@shape
def uncalled_calls_uncalled(p):
    k = p.k
    return (f"static void Deep{k}() {{ {reg(p, one_name(p))} }}\nnamespace {{\nvoid Middle{k}() {{ Deep{k}(); }}\nvoid Around{k}() {{ Middle{k}(); }}\n}}\n"
            f"static int Shared{k}() {{ return Register({one_name(p)}); }}\nstatic int Dead{k}() {{ return Shared{k}(); }}\nstatic int alive{k} = Shared{k}();")


@shape
def handed_on(p):
    """Functions that are named here, and called elsewhere."""
    k = p.k
    x, y, z = quoted(p, 3)
    return (f"static int One{k}() {{ return Register({x}); }}\nstatic int Two{k}() {{ return Register({y}); }}\nstatic int Three{k}() {{ return Register({z}); }}\n"
            f"template <int (*F)()> struct Call{k} {{ int done = F(); }};\nstatic Call{k}<One{k}> call{k};\nstatic int (*const table{k}[])() = {{Two{k}, &Three{k}}};\n"
            f"static int all{k} = [] {{ for (int (*const f)() : table{k}) f(); return 0; }}();")


@shape
def jumps_into(p):
    n = left(p)
    x, y, z = quoted(p, 3)
    return f"static volatile int {n} = 1;\n" + start(p, f"  if ({n}) goto inside;\n  throw 1;\n  if (0) {{\n  inside:\n    Register({x});\n  }}\n  switch (1) {{ if (0) {{ case 1: Register({y}); }} }}\n  if ({n}--) goto inside;\n  Register({z});")


@shape
def called_by_paste(p):
    k = p.k
    return f"#define CALL{k}(a, b) a##b()\nstatic int Hidden{k}() {{ return Register({one_name(p)}); }}\nstatic int Plain{k}() {{ return Register({one_name(p)}); }}\n#define RUN{k} Plain{k}()\nstatic int a{k} = CALL{k}(Hid, den{k}), b{k} = RUN{k};"


@shape
def constants_hidden(p):
    k = p.k
    return (f"constexpr int kOff{k} = 0;\nenum {{ kOn{k} = 1 }};\nstatic int Hides{k}(int kOff{k}) {{ if (kOff{k}) {{ {reg(p, one_name(p))} }} return 0; }}\nstatic int hides{k} = Hides{k}(1);\n"
            + start(p, f"  if (kOn{k}) {{ {reg(p, one_name(p))} }}\n  if (kOff{k} == 0) {{ {reg(p, one_name(p))} }}"))


@shape
def parameters_change(p):
    k = p.k
    change = p.one("n = 0;", "--n, --n;", "int& same = n; same = 0;", "[&] { n = 0; }();", "for (int n = 0; n < 1; ++n) {}\n  n -= 2;")
    return f"static int Change{k}(int n) {{\n  {change}\n  if (n == 0) {{ {reg(p, one_name(p))} }}\n  return n;\n}}\nstatic int change{k} = Change{k}(2);"


@shape
def returns_by_argument(p):
    k = p.k
    return f"static int Which{k}(bool first) {{\n  if (first) {{ {{ {reg(p, one_name(p))} }} return 1; }}\n  {{ {reg(p, one_name(p))} }}\n  return 0;\n}}\nstatic int which{k} = Which{k}({p.one('true', 'false', '!false')});"


@shape
def goes_back(p):
    n = left(p)
    return start(p, f"  int {n} = 0;\nagain:\n  {{ {reg(p, one_name(p))} }}\n  if ({n}++ < 1) goto again;\n  {{ {reg(p, one_name(p))} }}\n  for (int i = 2; i > 0; --i) if (i == 2) {{ {reg(p, one_name(p))} }} else {{ {reg(p, one_name(p))} }}")


@shape
def operators_in_arguments(p):
    k = p.k
    w, x, y, z = quoted(p, 4)
    return f"static int Take{k}(int a, bool b) {{ return a + b; }}\nstatic int t{k} = Take{k}(false ? Register({w}) : Register({x}), (true && Register({y}) < 0) || Register({z}));\nstatic int u{k} = sizeof(Register({one_name(p)})) + 0 * sizeof(decltype(Register({one_name(p)})));"


@shape
def lambdas_kept(p):
    k = p.k
    x, y, z = quoted(p, 3)
    return (f"static int (*const kept{k})() = [] {{ return Register({x}); }};\nstatic int called{k} = kept{k}();\nstatic auto given{k} = [] {{ return Register({y}); }};\n"
            f"template <class F> static int Call{k}(F f) {{ return f(); }}\nstatic int a{k} = Call{k}(given{k}), b{k} = Call{k}([] {{ return Register({z}); }});\nstatic auto never{k} = [] {{ return Register({one_name(p)}); }};")


@shape
def methods_uncalled(p):
    k = p.k
    return (f"struct Some{k} {{\n  int Called() {{ return Register({one_name(p)}); }}\n  int Uncalled{k}() {{ return Register({one_name(p)}); }}\n  static int Made{k}() {{ return Register({one_name(p)}); }}\n  virtual ~Some{k}() {{}}\n}};\n"
            f"static int some{k} = Some{k}().Called();")


@shape
def classes_derived(p):
    k = p.k
    return (f"struct Base{k} {{ Adder own{{{one_name(p)}}}; }};\nstruct Used{k} : Base{k} {{ Adder more{{{one_name(p)}}}; }};\nstruct Lone{k} {{ Adder own{{{one_name(p)}}}; }};\nstruct Unused{k} : Lone{k} {{}};\n"
            f"static Used{k} used{k};\nstruct Own{k} {{ Own{k}() {{ {reg(p, one_name(p))} }} static Own{k} one; }};\nOwn{k} Own{k}::one;")



# Templates

@shape
def template_for_types(p):
    k = p.k
    types = "\n".join(f"struct T{k}_{i} {{ static constexpr const char* kName = {text}; }};" for i, text in enumerate(quoted(p, 3)))
    calls = p.random.sample(range(3), p.random.randint(1, 3))
    form = p.one("static int Add{k}() {{ return Register(T::kName); }}", "static int Add{k}() {{ Adder made(T::kName); return 0; }}").format(k=k)
    return f"{types}\ntemplate <class T> {form}\n" + "\n".join(f"static int t{k}_{i} = Add{k}<T{k}_{i}>();" for i in calls)


@shape
def template_for_numbers(p):
    k = p.k
    return (f"static const char* const of{k}[] = {{{several(p, 4, 4)}}};\ntemplate <int N> static int Add{k}() {{ return Register(of{k}[N]); }}\n"
            f"static int a{k} = Add{k}<{p.random.randrange(4)}>();\nstatic int b{k} = Add{k}<{p.random.randrange(4)}>();")


@shape
def template_registrar(p):
    k = p.k
    name = p.one("static const char* Name() {{ return {}; }}", "static constexpr const char* Name() {{ return {}; }}")
    types = "\n".join(f"struct T{k}_{i} {{ {name.format(text)} }};" for i, text in enumerate(quoted(p, 2)))
    return f"{types}\ntemplate <class T> struct Auto{k} {{ Auto{k}() {{ Register(T::Name()); }} }};\nstatic Auto{k}<T{k}_0> a{k};\nstatic Auto{k}<T{k}_1> b{k}{{}};"


@shape
def template_static_member(p):
    k = p.k
    return (f"template <class D> struct Self{k} {{ static int done; static int Touch() {{ return done; }} }};\ntemplate <class D> int Self{k}<D>::done = Register(D::kName);\n"
            f"struct Mine{k} : Self{k}<Mine{k}> {{ static constexpr const char* kName = {one_name(p)}; }};\nstatic int touch{k} = Mine{k}::Touch();")


@shape
def template_explicit(p):
    k = p.k
    return (f"template <class T> struct Name{k} {{ static constexpr const char* kName = {one_name(p)}; }};\ntemplate <> struct Name{k}<float> {{ static constexpr const char* kName = {one_name(p)}; }};\n"
            f"template <class T> static int Add{k}() {{ return Register(Name{k}<T>::kName); }}\nstatic int a{k} = Add{k}<{p.one('float', 'int')}>();")


@shape
def template_branches(p):
    k = p.k
    x, y = quoted(p, 2)
    flags = p.one(("true",), ("false",), ("true", "false"))
    return (f"template <bool kGrad> static int Add{k}() {{\n  if constexpr (kGrad) return Register({x});\n  else return Register({y});\n}}\n"
            + "\n".join(f"static int t{k}_{i} = Add{k}<{flag}>();" for i, flag in enumerate(flags)))


@shape
def template_variable(p):
    k = p.k
    return f"template <int N> inline int registered{k} = Register(N ? {one_name(p)} : {one_name(p)});\nstatic int t{k} = registered{k}<{p.random.randrange(2)}>;"


@shape
def generic_lambda(p):
    k = p.k
    return f"static auto add{k} = []({p.one('auto', 'const auto&', 'auto*')} name) {{ return Register(name); }};\nstatic int a{k} = add{k}({one_name(p)}), b{k} = add{k}({one_name(p)});"


# Functions

@shape
def local_statics(p):
    k = p.k
    p.main.append(f"Once{k}(), Once{k}();")
    form = p.one(f"static int once = Register({one_name(p)});", f"static const bool once = [] {{ Register({one_name(p)}); return true; }}();", f"static Adder once{{{one_name(p)}}};")
    return f"static void Once{k}() {{\n  {form}\n  (void)once;\n}}"


@shape
def once_flag(p):
    k = p.k
    p.main += [f"Flag{k}();", f"Flag{k}();"]
    return f"static void Flag{k}() {{\n  static bool done = false;\n  if (done) return;\n  done = true;\n  {reg(p, one_name(p))}\n}}"


@shape
def helper_with_library(p):
    k = p.k
    space = p.one(("", ""), ("namespace {\n", "}\n"), (f"namespace lib{k} {{\n", f"}}\nusing namespace lib{k};\n"))
    kind = "" if space[0] else "static "
    p.main.append(p.one(f"Fill{k}(Library::Get());", f"Library lib{k}; Fill{k}(lib{k});", f"auto& own{k} = Library::Get(); Fill{k}(own{k});"))
    return f'{space[0]}{kind}void Fill{k}(Library& lib) {{\n  lib.def({one_name(p)});\n  lib.def({one_name(p)}).def({one_name(p)});\n}}\n{space[1]}'


@shape
def helper_with_library_in_header(p):
    k, a = p.k, p.config()
    name = p.file("_fill.h", f"#pragma once\ninline void Fill{k}(Library& m) {{\n  m.def({one_name(p)});\n#if {a} > 1\n  m.def({one_name(p)});\n#endif\n}}\n")
    p.main.append(f"Fill{k}(Library::Get());")
    return f'#include "{name}"'


@shape
def helper_of_helper(p):
    k = p.k
    p.main.append(f"Outer{k}(Library::Get());")
    return f"static void Inner{k}(Library& m, const char* name) {{ m.def(name); }}\nstatic void Outer{k}(Library& m) {{\n  Inner{k}(m, {one_name(p)});\n  Inner{k}(m, {one_name(p)});\n}}"


@shape
def helper_in_class(p):
    k = p.k
    p.main.append(p.one(f"Maker{k}::Fill(Library::Get());", f"Maker{k}().Fill(Library::Get());"))
    return f"struct Maker{k} {{ static void Fill(Library& m) {{ m.def({one_name(p)}); }} }};"


@shape
def helper_chain(p):
    k = p.k
    depth = p.random.randint(2, 4)
    lines = [f"static int Deep{k}_0(const char* name) {{ return Register(name); }}"]
    lines += [f"static int Deep{k}_{i}(const char* name) {{ return Deep{k}_{i - 1}(name); }}" for i in range(1, depth)]
    return "\n".join(lines) + f"\nstatic int a{k} = Deep{k}_{depth - 1}({one_name(p)});\nstatic int b{k} = Deep{k}_{depth - 1}({one_name(p)});"


@shape
def helper_with_default(p):
    k = p.k
    return f"static int Given{k}(const char* name = {one_name(p)}) {{ return Register(name); }}\nstatic int a{k} = Given{k}();\nstatic int b{k} = Given{k}({one_name(p)});"


@shape
def helper_with_struct(p):
    k = p.k
    return (f"struct Spec{k} {{ const char* name; int version = 1; }};\nstatic int Make{k}({p.one('const Spec' + str(k) + '&', 'Spec' + str(k))} spec) {{ return Register(spec.name); }}\n"
            f"static int a{k} = Make{k}({{{one_name(p)}}});\nstatic int b{k} = Make{k}(Spec{k}{{{one_name(p)}, 3}});")


@shape
def helper_with_function(p):
    k = p.k
    return f"static int With{k}(int (*add)(const char*), const char* name) {{ return add(name); }}\nstatic int a{k} = With{k}({p.one('Register', '&Register', '[](const char* n) { return Register(n); }')}, {one_name(p)});"


@shape
def function_recursive(p):
    k = p.k
    return (f"static const char* const steps{k}[] = {{{several(p, 4, 4)}}};\nstatic int Down{k}(int n) {{\n  if (n < 0) return 0;\n  Register(steps{k}[n]);\n  return Down{k}(n - {p.random.randint(1, 2)});\n}}\nstatic int down{k} = Down{k}({p.random.randrange(4)});")


@shape
def function_returns_library(p):
    k = p.k
    p.main.append(f"Mine{k}().def({one_name(p)}).def({one_name(p)});")
    return f"static Library& Mine{k}() {{ {p.one('return Library::Get();', 'static Library own; return own;')} }}"


@shape
def lambda_called(p):
    k = p.k
    x, y = quoted(p, 2)
    return p.one(f"static int t{k} = [](int n) {{ return Register(n > 1 ? {x} : {y}); }}({p.random.randrange(4)});", f"static int t{k} = ([] {{ Register({x}); }}(), [] {{ return Register({y}); }}());",
                 f"static int t{k} = [name = {x}] {{ return Register(name); }}();",
                 f"static int t{k} = [] {{ auto inner = [](const char* n) {{ return Register(n); }}; return inner({x}) + inner({y}); }}();")


@shape
def lambda_captures(p):
    x, y = quoted(p, 2)
    return start(p, f"  const char* name = {x};\n  [&] {{ Register(name); }}();\n  [=]() mutable {{ name = {y}; Register(name); }}();\n  [&name] {{ name = {y}; }}();\n  Register(name);")


@shape
def comma_operators(p):
    k = p.k
    return f"static int a{k} = (Register({one_name(p)}), Register({one_name(p)}), 0);\n" + start(p, f"  int n = 0;\n  Register({one_name(p)}), ++n, Register({one_name(p)});\n  for (; n < 2; Register({one_name(p)}), ++n) {{}}")


@shape
def using_declarations(p):
    k = p.k
    use = p.one((f"using reg{k}::Add;", "Add"), (f"using namespace reg{k};", "Add"), (f"namespace short{k} = reg{k};", f"short{k}::Add"), ("", f"reg{k}::Add"), ("", f"::reg{k}::Add"))
    return f"namespace reg{k} {{ inline int Add(const char* name) {{ return Register(name); }} }}\nnamespace user{k} {{\n{use[0]}\nstatic int a = {use[1]}({one_name(p)});\nstatic int b = {use[1]}({one_name(p)});\n}}"


@shape
def using_sink(p):
    k = p.k
    return f"namespace user{k} {{\nusing ::Register;\nusing ::Adder;\nstatic int a = Register({one_name(p)});\nstatic Adder b({one_name(p)});\nusing Own = ::Adder;\nstatic Own c{{{one_name(p)}}};\n}}"


@shape
def attribute_constructor(p):
    k = p.k
    return f"__attribute__((constructor)) static void Start{k}() {{ {reg(p, one_name(p))} }}"


@shape
def goto_over(p):
    k = p.k
    return f"static int Jump{k}() {{\n  Register({one_name(p)});\n  goto end;\n  Register({one_name(p)});\nend:\n  return Register({one_name(p)});\n}}\nstatic int jump{k} = Jump{k}();"


@shape
def thrown(p):
    x, y, z = quoted(p, 3)
    return start(p, f"  try {{\n    Register({x});\n    throw 1;\n    Register({y});\n  }} catch (int) {{\n    Register({z});\n  }}")


@shape
def switch_in_loop(p):
    w, x, y, z = quoted(p, 4)
    return start(p, f"  for (int i = 0; i < {p.random.randint(1, 4)}; ++i) switch (i) {{\n    case 0: Register({w}); break;\n    case 1: Register({x}); [[fallthrough]];\n    case 2: Register({y}); break;\n    default: Register({z});\n  }}")


# Classes

@shape
def registrar_struct(p):
    k = p.k
    space = p.one(("", ""), ("namespace {\n", "}\n"), (f"namespace own{k} {{\n", "}\n"), ("namespace { namespace deep {\n", "} }\n"))
    made = p.one(f"static Reg{k} a{k}({{}});", f"Reg{k} a{k}{{{{}}}};", f"static const Reg{k} a{k} = Reg{k}({{}});", f"static Reg{k}* a{k} = new Reg{k}({{}});", f"inline Reg{k} a{k}({{}});")
    body = p.one("Register(name);", "Adder made(name);", "Library::Get().def(name);", "add(name); } void add(const char* n) { Register(n);")
    return f"{space[0]}struct Reg{k} {{ explicit Reg{k}(const char* name) {{ {body} }} }};\n{made.replace('{}', one_name(p)).replace('{{', '{').replace('}}', '}')}\n{space[1]}"


@shape
def registrar_array(p):
    k, a = p.k, p.config((None, 1))
    return f"struct Reg{k} {{ Reg{k}(const char* name, int = 1) {{ Register(name); }} }};\nstatic Reg{k} all{k}[] = {{\n  {{{one_name(p)}}}, {{{one_name(p)}, 2}},\n#ifdef {a}\n  {one_name(p)},\n#endif\n}};"


@shape
def registrar_by_macro(p):
    k = p.k
    return (f"struct Reg{k} {{ Reg{k}(const char* name) {{ Register(name); }} }};\n#define ADD{k}(n) static Reg{k} reg_##n(#n)\n#define ADD_BOTH{k}(n) ADD{k}(n); static Reg{k} grad_##n(#n \"_grad\")\n"
            f"ADD{k}({p.op()});\nADD_BOTH{k}({p.op()});")


@shape
def derived_adder(p):
    k = p.k
    body = p.one(f"Mine{k}() : Adder({one_name(p)}) {{}}", f"explicit Mine{k}(int n = 1) : Adder(n ? {one_name(p)} : {one_name(p)}) {{}}")
    return f"struct Mine{k} : Adder {{ {body} }};\nstatic Mine{k} mine{k};"


@shape
def members_with_initialisers(p):
    k = p.k
    return f"struct Holder{k} {{\n  Adder first{{{one_name(p)}}};\n  int second = Register({one_name(p)});\n  Adder third = Adder({one_name(p)});\n}};\n" + p.one(f"static Holder{k} holder{k};", f"static Holder{k} holder{k}{{}};", f"static auto* holder{k} = new Holder{k};")


@shape
def static_member_registrar(p):
    k = p.k
    return f"struct Holder{k} {{\n  static inline int a = Register({one_name(p)});\n  static const Adder b;\n  struct Deep {{ static inline Adder c{{{one_name(p)}}}; }};\n}};\nconst Adder Holder{k}::b{{{one_name(p)}}};"


@shape
def constructor_and_destructor(p):
    k = p.k
    p.main.append(f"{{ Life{k} life; }}")
    return f"struct Life{k} {{\n  Life{k}() {{ {reg(p, one_name(p))} }}\n  ~Life{k}() {{ {reg(p, one_name(p))} }}\n}};"


@shape
def virtual_name(p):
    k = p.k
    return (f"struct Base{k} {{ virtual const char* Name() const {{ return {one_name(p)}; }} void Add() const {{ Register(Name()); }} }};\n"
            f"struct Derived{k} : Base{k} {{ const char* Name() const override {{ return {one_name(p)}; }} }};\n" + start(p, f"  Derived{k} d;\n  {p.one('d.Add();', 'const Base' + str(k) + '& b = d; b.Add();', 'd.Add(); Base' + str(k) + '().Add();')}"))


@shape
def call_operator(p):
    k = p.k
    return f"struct Call{k} {{ int operator()(const char* name) const {{ return Register(name); }} }};\nstatic int a{k} = Call{k}()({one_name(p)});\nstatic constexpr Call{k} call{k};\nstatic int b{k} = call{k}({one_name(p)});"


@shape
def stream_operator(p):
    k = p.k
    return f"struct Stream{k} {{ Stream{k}& operator<<(const char* name) {{ Register(name); return *this; }} }};\n" + start(p, f"  Stream{k} s;\n  s << {one_name(p)} << {one_name(p)};\n  Stream{k}() << {one_name(p)};")


@shape
def methods_of_object(p):
    k = p.k
    return f"class Set{k} {{\n public:\n  Set{k}& With(const char* name) {{ name_ = name; return *this; }}\n  int Done() {{ return Register(name_); }}\n private:\n  const char* name_ = \"\";\n}};\nstatic int a{k} = Set{k}().With({one_name(p)}).Done();"


@shape
def own_builder(p):
    k = p.k
    return f"struct Own{k} {{ Own{k}& op(const char* name) {{ Register(name); return *this; }} }};\nstatic Own{k} a{k} = Own{k}().op({one_name(p)}).op({one_name(p)});"


@shape
def builder_in_loop(p):
    return braces(start(p, f"  Builder b;\n  for (const char* name : {{{several(p)}}}) b.op(name);\n  auto& same = b;\n  same.op({one_name(p)});"))


@shape
def library_pointer_choice(p):
    k = p.k
    p.main.append(f"Library x{k}, y{k}; Library* z{k} = {p.random.randrange(2)} ? &x{k} : &y{k}; z{k}->def({one_name(p)});")
    return ""


@shape
def macro_of_several(p):
    k = p.k
    return (f"#define BOTH{k}(n) REG_OP(n); REG_OP(n##_grad); static Adder adder_##n(#n \"_x\")\nBOTH{k}({p.op()});\n#define SAY{k}(n) do {{ Register(#n); Register(#n \"_grad\"); }} while (0)\n"
            + start(p, f"  SAY{k}({p.op()});\n  if (true) SAY{k}({p.op()}); else SAY{k}({p.op()});"))


@shape
def macro_of_class(p):
    k = p.k
    return (f"#define OP_CLASS{k}(n) struct n##Op {{ static const char* Name() {{ return #n; }} n##Op() {{ Register(Name()); }} }}; static n##Op n##_object\nOP_CLASS{k}({p.op()});\n"
            f"#define OP_BODY{k}(n) struct n##Body {{ n##Body(); }}; static n##Body n##_body; n##Body::n##Body()\nOP_BODY{k}({p.op()}) {{ {reg(p, one_name(p))} }}")


@shape
def macro_of_block(p):
    """Like TORCH_LIBRARY: a macro begins a function definition."""
    k = p.k
    return braces(f"#define BLOCK{k}(ns, m) static void fill_##ns##{k}(Library& m); static int init_##ns##{k} = (fill_##ns##{k}(Library::Get()), 0); static void fill_##ns##{k}(Library& m)\n"
            f"BLOCK{k}(mine, m) {{\n  m.def({one_name(p)});\n  m.def({one_name(p)});\n  for (const char* name : {{{several(p)}}}) m.def(name);\n}}")


@shape
def constinit_and_kin(p):
    k = p.k
    return f"inline int a{k} = Register({one_name(p)});\nextern \"C\" {{ int b{k} = Register({one_name(p)}); }}\n[[maybe_unused]] static const int c{k} = Register({one_name(p)});\nauto d{k} = Register({one_name(p)});\nstatic bool e{k}{{Register({one_name(p)}) >= 0}};"


@shape
def ternary_of_calls(p):
    k = p.k
    return f"static int a{k} = {p.random.randrange(2)} ? Register({one_name(p)}) : Register({one_name(p)});\nstatic int b{k} = Register({p.random.randrange(2)} ? {one_name(p)} : {one_name(p)});"


@shape
def variable_reassigned(p):
    x, y, z = quoted(p, 3)
    return start(p, f"  const char* name = {x};\n  {reg(p, 'name')}\n  {{ name = {y};\n  {p.one('Register(name);', 'if (name) Register(name);')} }}\n  const char*& same = name;\n  same = {z};\n  Register(name);")


@shape
def text_offset(p):
    """A part of a literal."""
    k = p.k
    return f'static int a{k} = Register("__{p.op()}" + 2);\nstatic int b{k} = Register(&"x{p.op()}"[1]);'
