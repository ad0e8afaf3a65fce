"""Shapes of programs in which #if chooses a constant in the code, or whether a macro expands to
nothing.

For compiled_oracle_test.py, like compiled_programs.py.
"""
# SPDX-License-Identifier: Apache-2.0

from compiled_programs import shape
from value_programs import level, start, word


def chosen(p, first, second, third=None):
    """Returns lines of which a macro of the configurations chooses one, and the lines that give it
    a default."""
    name, default = level(p)
    middle = f"\n#elif {name} == 1\n{third}" if third else ""
    test = p.one(f"{name} > 1", f"defined({name}) && {name} >= 2", f"!({name} < 2)")
    return default + "\n", f"#if {test}\n{first}{middle}\n#else\n{second}\n#endif\n"


@shape
def suffix_or_nothing(p):
    k = p.k
    default, text = chosen(p, f'#define SFX{k} "_x"', f"#define SFX{k}", p.one(None, f'#define SFX{k} "_y"'))
    name = p.op()
    return default + text + p.one(f'REG_STR("{name}" SFX{k});', f'REG_STR("{name}" SFX{k} SFX{k});\nREG_STR("{p.op()}");',
                                  f'#define MADE{k}(n) REG_STR(#n SFX{k})\nMADE{k}({name});\nMADE{k}({p.op()});')


@shape
def suffixes_or_nothing(p):
    k = p.k
    default, text = chosen(p, f'#define SFX{k} "_x"', f"#define SFX{k}")
    other, more = chosen(p, f"#define PRE{k}", f'#define PRE{k} "q_"', f'#define PRE{k} "r_"')
    return f'{default}{other}{text}{more}REG_STR("{p.op()}" PRE{k} SFX{k});\nREG_STR("{p.op()}" SFX{k});'


@shape
def pasted_or_nothing(p):
    k = p.k
    default, text = chosen(p, f"#define SFX{k} _x", f"#define SFX{k}")
    return (f"{default}{text}#define CAT_{k}(a, b) a##b\n#define CAT{k}(a, b) CAT_{k}(a, b)\n#define MADE{k}(n) REG_OP(n)\n"
            f"MADE{k}(CAT{k}({p.op()}, SFX{k}));\n#define BOTH{k}(n) REG_OP(n); MADE{k}(CAT{k}(n##2, SFX{k}))\nBOTH{k}({p.op()});")


@shape
def suffix_of_header(p):
    k = p.k
    default, text = chosen(p, f'#define SFX{k} "_x"', f"#define SFX{k}", p.one(None, f'#define SFX{k} "_y"'))
    name = p.file("sfx.h", "#pragma once\n" + default + text)
    return f'#include "{name}"\nREG_STR("{p.op()}" SFX{k});\n' + start(p, f'  Register("{p.op()}" SFX{k});')


@shape
def extra_or_nothing(p):
    k = p.k
    default, text = chosen(p, f"#define ONLY{k}(...) __VA_ARGS__", f"#define ONLY{k}(...)")
    return f'{default}{text}REG_STR("{p.op()}" ONLY{k}("_more"));\nONLY{k}(REG_STR("{p.op()}");)\n#define BOTH{k}(n) REG_STR(n); ONLY{k}(REG_STR(n "_x");)\nBOTH{k}("{p.op()}")'


@shape
def constant_by_branch(p):
    k = p.k
    kind = p.one("constexpr int", "static const int", "constexpr long")
    default, text = chosen(p, f"{kind} kChosen{k}v = 3;", f"{kind} kChosen{k}v = 1;", p.one(None, f"{kind} kChosen{k}v = 2;"))
    test = p.one(f"kChosen{k}v > 2", f"kChosen{k}v == 1", f"!(kChosen{k}v >= 2)")
    word = p.one("if", "if constexpr")
    return default + text + start(p, f'  {word} ({test}) {{ Register("{p.op()}"); }} else {{ Register("{p.op()}"); }}')


@shape
def flag_of_constant(p):
    k = p.k
    default, text = chosen(p, f"constexpr int kChosen{k}v = 3;", f"constexpr int kChosen{k}v = 1;")
    return default + text + f"constexpr bool kHigh{k}v = kChosen{k}v > 2;\n" + start(p, f'  if constexpr (kHigh{k}v) Register("{p.op()}");\n  if (!kHigh{k}v) Register("{p.op()}");')


@shape
def switch_on_constant(p):
    k = p.k
    default, text = chosen(p, f"#define LEVEL{k}V 4", f"#define LEVEL{k}V 0", f"#define LEVEL{k}V 2")
    return (default + text + f"constexpr int kLevel{k}v = LEVEL{k}V;\n"
            + start(p, f'  switch ({p.one(f"kLevel{k}v", f"LEVEL{k}V")}) {{ case 4: Register("{p.op()}"); break; case 2: Register("{p.op()}"); break; default: Register("{p.op()}"); }}'))


@shape
def included_rows_of_value(p):
    """The rows that an array includes use a macro of the configurations, which the unit does not
    mention."""
    k = p.k
    value = word(p, ("cpu", "gpu"), undefined=False)
    rows = p.file(".def", f'"{p.op()}" TEXT{k}({value}),\n{{"{p.op()}", 2}},\n')
    return f"#define TEXT_{k}(a) #a\n#define TEXT{k}(a) TEXT_{k}(a)\nstatic Adder all{k}[] = {{\n#include \"{rows}\"\n}};"


def glued(k):
    return f"#define GLUE_{k}(a, b) a##b\n#define GLUE{k}(a, b) GLUE_{k}(a, b)\n"


@shape
def chosen_by_value(p):
    """A macro whose name ## makes from a value of the configurations, or one that #if chooses."""
    k = p.k
    if p.random.randrange(2):
        value, text = word(p, ("0", "1"), undefined=False), ""
    else:
        default, text = chosen(p, f"#define PICK{k} 1", f"#define PICK{k} 0")
        value, text = f"PICK{k}", default + text
    way = p.random.randrange(3)
    if way == 0:
        made = f'#define K{k}_0(n) REG_STR(n)\n#define K{k}_1(n) REG_STR(n "_1")\nGLUE{k}(K{k}_, {value})("{p.op()}");'
    elif way == 1:
        made = f"#define DO{k}_0(x)\n#define DO{k}_1(x) x\nGLUE{k}(DO{k}_, {value})(REG_OP({p.op()});)"
    else:
        made = f'#define K{k}_0 "{p.op()}"\n#define K{k}_1 "{p.op()}"\nREG_STR(GLUE{k}(K{k}_, {value}));'
    return text + glued(k) + made


@shape
def called_in_branch(p):
    """A function or constructor that registers, called only in a branch of #if."""
    k = p.k
    way = p.random.randrange(3)
    if way == 0:
        default, text = chosen(p, f"static int a{k} = First{k}();", f"static int a{k} = Second{k}();")
        made = f'static int First{k}() {{ return Register("{p.op()}"); }}\nstatic int Second{k}() {{ return Register("{p.op()}"); }}\n'
    elif way == 1:
        default, text = chosen(p, f"static Start{k} a{k};", f"static int a{k};")
        made = f'struct Start{k} {{ Start{k}() {{ Register("{p.op()}"); }} }};\n'
    else:
        default, text = chosen(p, f"static int a{k} = Make{k}<int>();", f"static int a{k};")
        made = f'template <typename T> static int Make{k}() {{ return Register("{p.op()}"); }}\n'
    return default + made + text


@shape
def left_in_branch(p):
    """return in a branch of #if, followed by more code."""
    default, text = chosen(p, p.one("return;", f'Register("{p.op()}");\nreturn;'), p.one("", f'Register("{p.op()}");'))
    k = p.k
    p.main.append(f"Run{k}();")
    return f'{default}static void Run{k}() {{\nRegister("{p.op()}");\n{text}Register("{p.op()}");\n}}'
