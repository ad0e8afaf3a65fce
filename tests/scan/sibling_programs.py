"""Shapes of programs in which a header tests macros of another header that it does not include.

For compiled_oracle_test.py, like compiled_programs.py.
"""
# SPDX-License-Identifier: Apache-2.0

from compiled_programs import shape
from value_programs import level


def once(p):
    return p.one("#pragma once\n", "")


@shape
def value_of_sibling(p):
    """#include "x.h", which defines what "y.h" tests."""
    k = p.k
    p.undefined(f"HAVE{k}")
    value = p.random.randrange(3)
    test = p.one(f"HAVE{k}", f"HAVE{k} > 1", f"defined(HAVE{k}) && HAVE{k} != 2", f"HAVE{k} == {value}")
    x = p.file("_x.h", f"{once(p)}#define HAVE{k} {value}\n")
    y = p.file("_y.h", f"#pragma once\n#if {test}\nREG_OP({p.op()});\n#else\nREG_OP({p.op()});\n#endif\n")
    if p.random.randrange(2):
        both = p.file("_both.h", f'#pragma once\n#include "{x}"\n#include "{y}"\n')
        return f'#include "{both}"'
    return f'#include "{x}"\n#include "{y}"'


@shape
def choice_of_sibling(p):
    k = p.k
    p.undefined(f"WAY{k}")
    name, default = level(p)
    x = p.file("_x.h", f"{once(p)}{default}\n#if {name} > 1\n#define WAY{k} 2\n#elif {name}\n#define WAY{k} 1\n#endif\n")
    y = p.file("_y.h", f"#pragma once\n#ifndef WAY{k}\nREG_OP({p.op()});\n#elif WAY{k} == 2\nREG_OP({p.op()});\n#else\nREG_OP({p.op()});\n#endif\n")
    return f'#include "{x}"\n#include "{y}"'


@shape
def test_of_sibling(p):
    """Like ENABLED(FEATURE), from a header that others include."""
    k = p.k
    p.undefined(f"ENABLED{k}", f"HAVE{k}_F", f"HAVE{k}_G")
    x = p.file("_x.h", f"#pragma once\n#define ENABLED{k}(f) (HAVE{k}_##f)\n#define HAVE{k}_F {p.random.randrange(2)}\n#define HAVE{k}_G {p.random.randrange(2)}\n")
    y = p.file("_y.h", f"#pragma once\n#if ENABLED{k}(F)\nREG_OP({p.op()});\n#endif\n#if !ENABLED{k}(G)\nREG_OP({p.op()});\n#endif\n")
    return f'#include "{x}"\n#include "{y}"'


@shape
def second_time(p):
    """A file with different content when it is included again."""
    k = p.k
    p.undefined(f"ROUND{k}")
    text = p.one(f"#ifndef ROUND{k}\n#define ROUND{k} 1\nREG_OP({p.op()});\n#else\nREG_OP({p.op()});\n#endif\n",
                 f"#ifdef ROUND{k}\nREG_OP({p.op()});\n#endif\n#define ROUND{k}\n")
    name = p.file(".inc", text)
    return f'#include "{name}"\n#include "{name}"'


@shape
def method_named_as_a_sink(p):
    """A class of the program has a method with the name of another class's method that registers."""
    k = p.k
    fluent = p.random.randrange(2)
    returns, end = (f"Own{k}&", " return *this;") if fluent else ("void", "")
    a, b = p.op(), p.op()
    call = p.one(f'l.def("{a}"){"." if fluent else "; l."}def("{b}");', f'l.def("{a}"); l.def("{b}");')
    p.main.append(p.one(f"Own{k} l{k}; Fill{k}(l{k});", f"Fill{k}(*new Own{k});"))
    return f"struct Own{k} {{ {returns} def(const char* s) {{ Register(s);{end} }} }};\nstatic void Fill{k}(Own{k}& l) {{ {call} }}"
