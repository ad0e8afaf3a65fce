"""Shapes of programs that register through their own helpers: functions, classes and templates
outside of anonymous namespaces."""
# SPDX-License-Identifier: Apache-2.0

from compiled_programs import shape
from reach_programs import one_name
from value_programs import braces, several, start


def static(p, text):
    """A variable initialized by an expression when the program starts."""
    p.fresh += 1
    tag = f"{p.k}_{p.fresh}"
    form = p.one("static auto v{} = {};", "static const auto v{} = {};", "namespace {{ auto v{} = {}; }}", None)
    return form.format(tag, text) if form else start(p, f"  {text};")


@shape
def helper_in_namespaces(p):
    k = p.k
    return (f"namespace outer{k} {{\nnamespace inner {{\ninline int Add(const char* name) {{ return Register(name); }}\n}}\ninline int AddBoth(const char* a, const char* b) {{ return inner::Add(a) + inner::Add(b); }}\n}}\n"
            + static(p, f"outer{k}::inner::Add({one_name(p)})") + "\n" + static(p, f"outer{k}::AddBoth({one_name(p)}, {one_name(p)})"))


@shape
def static_method(p):
    k = p.k
    return (f"struct Ops{k} {{\n  static int Add(const char* name) {{ return Register(name); }}\n  static int Both(const char* a, const char* b) {{ return Add(a) + Add(b); }}\n}};\n"
            + static(p, f"Ops{k}::Add({one_name(p)})") + "\n" + static(p, f"Ops{k}::Both({one_name(p)}, {one_name(p)})"))


@shape
def curious_base(p):
    k = p.k
    get = p.one(f"static const char* Name() {{ return {one_name(p)}; }}", f"static constexpr const char* Name() {{ return {one_name(p)}; }}")
    return (f"template <class D> struct Base{k} {{ Base{k}() {{ Register(D::Name()); }} }};\nstruct One{k} : Base{k}<One{k}> {{ {get} }};\n"
            f"struct Two{k} : Base{k}<Two{k}> {{ static const char* Name() {{ return {one_name(p)}; }} }};\nstatic One{k} one{k};\nstatic Two{k} two{k};")


@shape
def helper_returns_library(p):
    k = p.k
    p.main.append(f"Add{k}(Add{k}(Lib{k}(), {one_name(p)}), {one_name(p)}).def({one_name(p)});")
    return f"inline Library& Lib{k}() {{ return Library::Get(); }}\ninline Library& Add{k}(Library& m, const char* name) {{ return m.def(name); }}\nstatic auto& a{k} = Lib{k}().def({one_name(p)});"


@shape
def each_with_lambda(p):
    k = p.k
    add = f"inline void Add{k}(const char* name) {{ Register(name); }}\n"
    given, add = p.one((f"Add{k}", add), (f"&Add{k}", add), (f"[](const char* name) {{ Add{k}(name); }}", add), ("[](auto name) { Register(name); }", ""), ("Register", ""))
    return (f"template <class I, class F> F Each{k}(I first, I last, F f) {{ for (; first != last; ++first) f(*first); return f; }}\nstatic const char* const some{k}[] = {{{several(p, 3, 3)}}};\n"
            + add + start(p, f"  Each{k}(some{k}, some{k} + {p.one(2, 3)}, {given});"))


@shape
def helper_behind_macro(p):
    k = p.k
    return (f"struct Reg{k} {{ explicit Reg{k}(const char* name) {{ Register(name); }} }};\n#define ADD{k}(n) static Reg{k} reg{k}_##n(\"\" #n)\n#define ADD_PAIR{k}(n) ADD{k}(n); ADD{k}(n##_grad)\n"
            f"ADD{k}({p.op()});\nADD_PAIR{k}({p.op()});")


@shape
def default_template_argument(p):
    k = p.k
    return (f"template <class T = int, int N = 2> inline int Add{k}(const char* name, T = T()) {{ return N > 1 ? Register(name) : 0; }}\n"
            + static(p, f"Add{k}<>({one_name(p)})") + "\n" + static(p, f"Add{k}({one_name(p)})") + "\n" + static(p, f"Add{k}<long>({one_name(p)})"))


@shape
def helper_with_pointer(p):
    k = p.k
    p.main += [f"Fill{k}(&Library::Get(), {one_name(p)});", f"Library own{k}; Fill{k}(&own{k}, {one_name(p)});"]
    return f"inline void Fill{k}(Library* m, const char* name) {{ if (m) m->def(name).def({one_name(p)}); }}"


@shape
def list_as_parameter(p):
    k = p.k
    return braces(f"inline int All{k}(std::initializer_list<const char*> names) {{ for (const char* name : names) Register(name); return 0; }}\n"
                  + static(p, f"All{k}({{{several(p)}}})") + f"\nstruct Set{k} {{ Set{k}(std::initializer_list<const char*> names) {{ for (auto name : names) Register(name); }} }};\nstatic Set{k} set{k}{{{several(p)}}};")


@shape
def array_as_parameter(p):
    k = p.k
    return (f"#include <array>\ninline int All{k}(const std::array<const char*, 3>& names) {{ for (const char* name : names) Register(name); return 0; }}\n"
            f"static const std::array<const char*, 3> some{k} = {{{several(p, 3, 3)}}};\n" + static(p, f"All{k}(some{k})") + "\n" + static(p, f"All{k}({{{several(p, 3, 3)}}})"))


@shape
def rows_as_parameter(p):
    k = p.k
    body = p.one(f"inline void All{k}(const Row{k} (&rows)[2]) {{ for (const Row{k}& row : rows) Register(row.name); }}",
                 f"template <int N> void All{k}(const Row{k} (&rows)[N]) {{ for (int i = 0; i < N; ++i) if (rows[i].version > 0) Register(rows[i].name); }}",
                 f"inline void One{k}(const Row{k}& row) {{ Register(row.name); }}\ninline void All{k}(const Row{k}* rows) {{ One{k}(rows[0]); One{k}(rows[1]); }}")
    return (f"struct Row{k} {{ const char* name; int version = 1; }};\n{body}\nstatic const Row{k} rows{k}[2] = {{{{{one_name(p)}, 1}}, {{{one_name(p)}, 2}}}};\n" + start(p, f"  All{k}(rows{k});"))


@shape
def overloads(p):
    k = p.k
    return (f"inline int Add{k}(const char* name) {{ return Register(name); }}\ninline int Add{k}(int times, const char* name) {{ return times > 1 ? Add{k}(name) : 0; }}\n"
            f"inline int Add{k}(const char* a, const char* b) {{ return Add{k}(a) + Add{k}(2, b); }}\n"
            + static(p, f"Add{k}({one_name(p)})") + "\n" + static(p, f"Add{k}(2, {one_name(p)})") + "\n" + static(p, f"Add{k}({one_name(p)}, {one_name(p)})"))


@shape
def index_as_parameter(p):
    k = p.k
    table = p.one("static const char* const", "constexpr const char*", "inline constexpr const char*")
    return (f"{table} names{k}[] = {{{several(p, 4, 4)}}};\ninline int Add{k}(int i) {{ return Register(names{k}[i]); }}\n"
            + start(p, f"  for (int i = {p.one(0, 1)}; i < 4; i += {p.one(1, 2)}) Add{k}(i);"))


@shape
def delegating_constructor(p):
    k = p.k
    return (f"struct Reg{k} {{\n  Reg{k}(const char* name, int version) {{ if (version > 0) Register(name); }}\n  explicit Reg{k}(const char* name) : Reg{k}(name, 1) {{}}\n}};\n"
            f"static Reg{k} a{k}({one_name(p)});\nstatic Reg{k} b{k}({one_name(p)}, 3);")


@shape
def inherited_constructor(p):
    k = p.k
    return (f"struct Base{k} {{ explicit Base{k}(const char* name) {{ Register(name); }} }};\nstruct Derived{k} : Base{k} {{ using Base{k}::Base{k}; }};\n"
            f"static Derived{k} a{k}({one_name(p)});\nstatic Derived{k} b{k}({one_name(p)});")


@shape
def registrar_base(p):
    k = p.k
    return (f"struct Base{k} {{ explicit Base{k}(const char* name) {{ Register(name); }} }};\nstruct Derived{k} : Base{k} {{ Derived{k}(const char* name, int) : Base{k}(name) {{}} }};\n"
            f"static Derived{k} a{k}({one_name(p)}, 1);\nstruct Fixed{k} : Base{k} {{ Fixed{k}() : Base{k}({one_name(p)}) {{}} }};\nstatic Fixed{k} b{k};")


@shape
def registrars_as_members(p):
    k = p.k
    made = p.one(f"static Module{k} module{k};", f"inline Module{k} module{k};", f"Module{k} module{k};", None) or start(p, f"  static Module{k} local;")
    return (f"struct Reg{k} {{ explicit Reg{k}(const char* name) {{ Register(name); }} }};\nstruct Module{k} {{\n  Reg{k} a{{{one_name(p)}}};\n  Reg{k} b = Reg{k}({one_name(p)});\n  Reg{k} c;\n"
            f"  Module{k}() : c({one_name(p)}) {{}}\n}};\n{made}")


@shape
def name_converted(p):
    k = p.k
    return (f"struct Name{k} {{ const char* text; constexpr operator const char*() const {{ return text; }} }};\ninline int Add{k}(Name{k} name) {{ return Register(name); }}\n"
            + static(p, f"Add{k}(Name{k}{{{one_name(p)}}})") + "\n" + static(p, f"Add{k}({{{one_name(p)}}})"))


@shape
def method_outside_class(p):
    k = p.k
    return (f"class Set{k} {{\n public:\n  Set{k}& Add(const char* name);\n  static int One(const char* name);\n}};\ninline Set{k}& Set{k}::Add(const char* name) {{ Register(name); return *this; }}\n"
            f"inline int Set{k}::One(const char* name) {{ return Register(name); }}\n" + start(p, f"  Set{k} set;\n  set.Add({one_name(p)}).Add({one_name(p)});") + "\n" + static(p, f"Set{k}::One({one_name(p)})"))


@shape
def friend_function(p):
    k = p.k
    return (f"struct Tag{k} {{ friend int Add(Tag{k}, const char* name) {{ return Register(name); }} }};\n" + static(p, f"Add(Tag{k}{{}}, {one_name(p)})") + "\n" + static(p, f"Add(Tag{k}(), {one_name(p)})"))


@shape
def lambda_of_unit(p):
    k = p.k
    kind = p.one("static const", "const", "static constexpr", "inline constexpr", "static")
    p.main.append(f"fill{k}(Library::Get(), {one_name(p)});")
    return (f"{kind} auto add{k} = [](const char* name) {{ return Register(name); }};\nstatic const auto fill{k} = [](Library& m, const char* name) {{ m.def(name); }};\n"
            + static(p, f"add{k}({one_name(p)})") + "\n" + static(p, f"add{k}({one_name(p)})"))


@shape
def user_literal(p):
    k = p.k
    return f"inline int operator\"\"_op{k}(const char* name, decltype(sizeof 0)) {{ return Register(name); }}\n" + static(p, f"{one_name(p)}_op{k}") + "\n" + static(p, f"{one_name(p)}_op{k}")


@shape
def functor_with_library(p):
    k = p.k
    p.main += [f"Fill{k}()(Library::Get());", f"Fill{k}{{{one_name(p)}}}(Library::Get());"]
    return f"struct Fill{k} {{\n  const char* name = {one_name(p)};\n  void operator()(Library& m) const {{ m.def(name); }}\n}};"


@shape
def registrar_with_library(p):
    k = p.k
    p.main += [f"Ops{k} ops{k}(Library::Get());", f"Adds{k}<int>(Library::Get(), {one_name(p)});", f"Adds{k}<long>(Library::Get(), {one_name(p)});"]
    return (f"struct Ops{k} {{\n  Library& m_;\n  explicit Ops{k}(Library& m) : m_(m) {{ m.def({one_name(p)}); Add({one_name(p)}); }}\n  void Add(const char* name) {{ m_.def(name); }}\n}};\n"
            f"template <class T> void Adds{k}(Library& m, const char* name) {{ m.def(name); }}")


@shape
def helper_by_reference_to_function(p):
    k = p.k
    how = p.one(f"int (&add)(const char*) = Add{k};", f"auto* add = &Add{k};", f"const auto add = Add{k};", f"int (*add)(const char*) = nullptr;\n  add = Add{k};")
    return f"inline int Add{k}(const char* name) {{ return Register(name); }}\n" + start(p, f"  {how}\n  add({one_name(p)});\n  (*add)({one_name(p)});")


@shape
def recursive_helper(p):
    k = p.k
    return (f"inline int Chain{k}() {{ return 0; }}\ntemplate <class... Rest> inline int Chain{k}(const char* name, Rest... rest) {{ return Register(name) + Chain{k}(rest...); }}\n"
            + static(p, f"Chain{k}({several(p)})"))


@shape
def state_of_object(p):
    k = p.k
    return (f"class Batch{k} {{\n public:\n  explicit Batch{k}(const char* first) : last_(first) {{}}\n  Batch{k}& Next(const char* name) {{\n    Register(last_);\n    last_ = name;\n    return *this;\n  }}\n"
            f"  ~Batch{k}() {{}}\n private:\n  const char* last_;\n}};\n" + start(p, f"  Batch{k}({one_name(p)}).Next({one_name(p)}).Next(\"unused\");\n  Batch{k} batch({one_name(p)});\n  batch.Next(\"unused\");"))


@shape
def registers_at_end(p):
    """A destructor registers."""
    k = p.k
    return f"struct Guard{k} {{\n  const char* name;\n  ~Guard{k}() {{ Register(name); }}\n}};\n" + start(p, f"  Guard{k} guard{{{one_name(p)}}};\n  {{ Guard{k} inner{{{one_name(p)}}}; }}")


@shape
def external_helper(p):
    """Other units may call the helper."""
    k = p.k
    return f"int Add{k}(const char* name) {{ return Register(name); }}\n" + static(p, f"Add{k}({one_name(p)})")


@shape
def lambda_of_any_library(p):
    k = p.k
    p.main.append(f"fill{k}(Library::Get(), {one_name(p)});")
    return f"static const auto fill{k} = [](auto& m, const char* name) {{ m.def(name); }};"


@shape
def helper_beside_registration(p):
    """Another registration's statement calls a helper."""
    k = p.k
    form = p.one(f"static int a{k} = Register({one_name(p)}) + Help{k}({one_name(p)});", f"static int a{k} = Help{k}({one_name(p)}) + Register({one_name(p)}), b{k} = Help{k}({one_name(p)});",
                 f"static Adder a{k}({one_name(p)}, Help{k}({one_name(p)}));", f"static Adder a{k}({one_name(p)}, [] {{ return Help{k}({one_name(p)}); }}());",
                 f"static int Two{k}(int a, int b) {{ return a + b; }}\nstatic int a{k} = Two{k}(Register({one_name(p)}), Help{k}({one_name(p)}));",
                 f"static int Ret{k}() {{ return Register({one_name(p)}) + Help{k}({one_name(p)}); }}\nstatic int a{k} = Ret{k}();",
                 f"static int Two{k}(int a, int b) {{ return a + Help{k}({one_name(p)}) + b; }}\nstatic int a{k} = Two{k}(1, 2) + Register({one_name(p)});")
    return f"static int Help{k}(const char* name) {{ return Register(name); }}\n{form}"


@shape
def helper_before_method(p):
    """A helper returns the object whose method registers."""
    k = p.k
    p.main.append(f"Add{k}(Library::Get(), {one_name(p)}).def({one_name(p)});")
    return f"static Library& Add{k}(Library& m, const char* name) {{ m.def(name); return m; }}\nstatic auto& a{k} = Add{k}(Add{k}(Library::Get(), {one_name(p)}), {one_name(p)}).def({one_name(p)});"
