"""Generates headers that define macros under conditions, and units that register through those
macros, from a seed.

A kind is a function of a Header and a size. It writes headers and the unit. Macro names are unique
to a header, so that one dialect describes many of them.
"""
# SPDX-License-Identifier: Apache-2.0

import random

CONFIGURATIONS = ("a", "b", "c")
SIZES = ("small", "medium", "large")
KINDS = {}


def kind(*sizes):
    """Registers a kind under NAME_small, NAME_medium and NAME_large; `sizes` are ranges."""
    def register(function):
        for size, bounds in zip(SIZES, sizes):
            KINDS[f"{function.__name__}_{size}"] = (function, bounds)
        return function
    return register


class Header:
    def __init__(self, seed, number, name):
        self.random = random.Random(f"{seed}/{number}/{name}")
        self.number, self.kind = number, name
        self.files, self.derived, self.inputs = {}, [], []
        self.lines = []  # of the unit
        self.operators = 0
        self.macros = {configuration: {} for configuration in CONFIGURATIONS}
        # Fraction of inputs that are defined; otherwise long chains of || would always be true.
        self.density = {configuration: self.random.choice((0.03, 0.2, 0.5, 0.8)) for configuration in CONFIGURATIONS}
        function, (low, high) = KINDS[name]
        function(self, self.random.randint(low, high))
        self.files["u.cc"] = "\n".join(self.lines) + "\n"

    def one(self, *values):
        return self.random.choice(values)

    def chance(self, share):
        return self.random.random() < share

    def input(self, values=(0, 1, 1, 2, 3, 7), always=False):
        """Adds a macro of the configurations."""
        name = f"H{self.number}_I{len(self.inputs)}"
        self.inputs.append(name)
        for configuration in CONFIGURATIONS:
            there = always or self.chance(self.density[configuration])
            self.macros[configuration][name] = str(self.random.choice(values)) if there else None
        return name

    def some(self, count):
        return [self.input() for _ in range(count)]

    def own(self, word):
        """Adds a macro that the headers define."""
        name = f"H{self.number}_{word}"
        if name not in self.derived:
            self.derived.append(name)
        return name

    def file(self, name, lines):
        self.files[name] = "\n".join(lines) + "\n"
        return f'#include "{name}"'

    def op(self):
        self.operators += 1
        return f"OP(h{self.number}_o{self.operators});"

    def use(self, *tests):
        """Adds a registration for each test."""
        for test in tests:
            form = self.random.randrange(5)
            if form == 0:
                self.lines += [f"#if {test}", self.op(), "#else", self.op(), "#endif"]
            elif form == 1:
                self.lines += [f"#if !({test})", self.op(), "#endif"]
            elif form == 2:
                other = self.random.choice(tests)
                self.lines += [f"#if {test}", f"# if {other}", self.op(), "# endif", "#elif " + other, self.op(), "#endif"]
            else:
                self.lines += [f"#if {test}", self.op(), "#endif"]

    # Expressions

    def atom(self, names):
        a, b, n = self.random.choice(names), self.random.choice(names), self.random.randrange(8)
        return self.one(
            f"defined({a})", f"defined({a})", f"defined {a}", f"!defined({a})", a, a, f"!{a}", f"{a} == {n}", f"{a} != {n}",
            f"{a} >= {n}", f"{a} > {n}", f"{a} < {n}", f"{n} <= {a}", f"{a} * 100 + {b} >= {n}00", f"({a} << 8 | {b}) > 0x{n}00",
            f"({a} & 1)", f"{a} % 3 == 1", f"{a} + {b} == {n}", f"({a} ? {b} : {n % 2})", f"{a} == {b}", f"{a} > {n}L", f"({a})")

    def expression(self, count, names):
        """An expression of `count` terms, in the styles of real headers."""
        if count == 1:
            return self.atom(names)
        style = self.random.randrange(4)
        if style == 0:  # one operator
            same = self.one("defined({})", "{}", "!defined({})", None)
            terms = [same.format(self.random.choice(names)) if same else self.atom(names) for _ in range(count)]
            joint = "&&" if same == "!defined({})" or self.chance(0.2) else "||"
            return self.join(terms, joint)
        if style == 1:  # a sum of products, or a product of sums
            groups, left = [], count
            while left > 0:
                width = min(left, self.random.randint(1, 5))
                groups.append([self.atom(names) for _ in range(width)])
                left -= width
            inner, outer = self.one(("&&", "||"), ("||", "&&"))
            return self.join([f"({f' {inner} '.join(group)})" for group in groups], outer)
        left = self.random.randint(1, count - 1)
        text = f"{self.expression(left, names)} {self.one('&&', '||')} {self.expression(count - left, names)}"
        return self.one(f"({text})", f"!({text})", f"({text})")

    def join(self, terms, joint):
        text, wide = terms[0], 0
        for term in terms[1:]:
            wide += 1
            text += f" {joint} " + ("\\\n    " if wide % 6 == 0 and self.number % 2 else "") + term
        return text


def generate(seed, count, names):
    return [Header(seed, number, names[number % len(names)]) for number in range(count)]


@kind((2, 8), (20, 60), (100, 200))
def terms(h, size):
    """Long conditions."""
    names = h.some(max(2, size * 2 // 3))
    x, y = h.own("HAVE_X"), h.own("HAVE_Y")
    lines = [f"#if {h.expression(size, names)}", f"#define {x} 1"]
    lines += ["#else", f"#define {x} 0", "#endif"] if h.chance(0.6) else ["#endif"]
    lines += [f"#if {h.expression(max(1, size // 2), names)}", f"#define {y} {h.random.randrange(3)}", "#endif"]
    h.lines.append(h.file("simd.h", ["#pragma once"] + lines))
    h.use(f"{x}", f"{x} && !{y}", f"defined({y})", f"defined({x}) && {h.random.choice(names)}")


@kind((2, 7), (8, 20), (21, 60))
def ways(h, size):
    """A chain of #elif, of which one branch is taken."""
    way = h.own("WAY")
    style = h.random.randrange(4)
    single = h.input(range(0, size + 2))
    names = h.some(size)
    lines = []
    for i in range(size):
        test = (names[i], f"defined({names[i]})", f"{single} == {i}", h.expression(h.random.randint(1, 3), names))[style]
        lines += [f"#{'elif' if i else 'if'} {test}", f"#define {way} {i}"]
    if h.chance(0.4):
        lines += ["#else", f"#define {way} {size + h.random.randrange(4)}"]
    h.lines.append(h.file("ways.h", ["#pragma once"] + lines + ["#endif"]))
    k, other = h.random.randrange(size), h.random.randrange(size)
    h.use(f"{way} == {k}", f"defined({way})", h.one(f"{way} >= {k}", f"{way} % 2", f"!{way}", f"{way} == {k} || {way} == {other}"))


@kind((1, 2), (3, 3), (4, 5))
def nested(h, size):
    """Nested conditions."""
    names = h.some(size * 3)
    levels = [h.own(f"N{i}") for i in range(3)]

    def body(depth):
        if depth == 0 or h.chance(0.15):
            macro = h.random.choice(levels)
            return [f"#undef {macro}"] * h.chance(0.5) + [f"#ifndef {macro}", f"#define {macro} {h.random.randrange(4)}", "#endif"]
        lines = [f"#if {h.expression(h.random.randint(1, 3), names)}"] + body(depth - 1)
        if h.chance(0.4):
            lines += [f"#elif {h.atom(names)}"] + body(depth - 1)
        return lines + (["#else"] + body(depth - 1) if h.chance(0.6) else []) + ["#endif"]
    h.lines.append(h.file("nested.h", ["#pragma once"] + body(size) + body(size)))
    h.use(levels[0], f"defined({levels[1]})", f"{levels[2]} == {h.random.randrange(4)}", f"{levels[0]} && !{levels[1]}")


@kind((2, 3), (5, 10), (15, 30))
def chain(h, size):
    """Each header uses what the one it includes derived."""
    names, before = h.some(size), None
    for i in range(size):
        macro, flag = h.own(f"C{i}"), h.own(f"F{i}")
        lines = ["#pragma once"] if h.chance(0.5) else [f"#ifndef H{h.number}_G{i}", f"#define H{h.number}_G{i}"]
        end = [] if len(lines) == 1 else ["#endif"]
        test = h.expression(h.random.randint(1, 3), names)
        if before:
            lines.append(f'#include "c{i - 1}.h"')
            test = h.one(f"{before[0]} && ({test})", f"{before[0]} > 1 || ({test})", f"defined({before[1]}) && ({test})", f"!{before[0]} && ({test})")
        lines += [f"#if {test}", f"#define {macro} {h.random.randint(1, 3)}", "#else", f"#define {macro} 0", "#endif",
                  f"#if {macro} > 1", f"#define {flag}", "#endif"]
        h.file(f"c{i}.h", lines + end)
        before = macro, flag
    h.lines.append(f'#include "c{size - 1}.h"')
    h.use(before[0], f"defined({before[1]})", h.own(f"C{size // 2}"), f"H{h.number}_C0 && !{before[0]}")


@kind((1, 2), (4, 6), (10, 14))
def version(h, size):
    """Like Hedley: a version macro for each compiler, then features that depend on them."""
    n = h.number
    lines = [f"#define H{n}_ENCODE(a, b, c) (((a) * 1000000) + ((b) * 1000) + (c))"]
    h.own("ENCODE")
    for i in range(size):
        major, minor, patch, at_least = h.input(range(3, 13)), h.input(range(10)), h.input(range(10)), h.own(f"AT_LEAST{i}")
        made, packed = h.own(f"VERSION{i}"), h.input((301, 902, 1201, 1910))
        lines += [f"#if defined({made})", f"#undef {made}", "#endif"] * h.chance(0.5)
        lines += [f"#if defined({major}) && defined({minor}) && defined({patch})", f"#define {made} H{n}_ENCODE({major}, {minor}, {patch})"]
        if h.chance(0.5):
            lines += [f"#elif defined({packed}) && {packed} >= 900", f"#define {made} H{n}_ENCODE({packed} / 100, {packed} % 100, 0)"]
        lines += [f"#elif defined({major})", f"#define {made} H{n}_ENCODE({major}, 0, 0)", "#endif",
                  f"#if defined({made})", f"#define {at_least}(a, b, c) ({made} >= H{n}_ENCODE(a, b, c))",
                  "#else", f"#define {at_least}(a, b, c) (0)", "#endif"]

    def newer(i):
        return f"H{n}_AT_LEAST{i}({h.random.randint(3, 12)}, {h.random.randrange(5)}, 0)"
    x, y = h.own("HAVE_X"), h.own("HAVE_Y")
    every = " || ".join(f"{newer(i)}" + f" && !{newer(h.random.randrange(size))}" * h.chance(0.2) for i in range(size))
    lines += [f"#if {every}", f"#define {x} 1", "#else", f"#define {x} 0", "#endif",
              f"#if !{newer(0)} || defined(H{n}_VERSION{size - 1})", f"#define {y}", "#endif"]
    h.lines.append(h.file("version.h", ["#pragma once"] + lines))
    h.use(x, f"{x} && !defined({y})", newer(h.random.randrange(size)), f"defined(H{n}_VERSION0)")


@kind((1, 3), (5, 12), (20, 40))
def defaults(h, size):
    """#ifndef with a default that other macros use."""
    lines, made = ["#pragma once"], []
    for i in range(size):
        macro = h.input(range(5)) if h.chance(0.6) else h.own(f"D{i}")
        value = str(h.random.randrange(5))
        if made:
            value = h.one(value, made[-1], f"({h.random.choice(made)} + 1)", f"({made[-1]} ? {h.random.choice(made)} : 2)")
        lines += [f"#ifndef {macro}", f"#define {macro} {value}", "#endif"]
        if made and h.chance(0.2):
            lines += [f"#if {made[-1]} > 3", f"#undef {macro}", f"#define {macro} 1", "#endif"]
        made.append(macro)
    h.lines.append(h.file("defaults.h", lines))
    h.use(*(h.one(f"{macro} > 2", macro, f"{macro} == 1", f"{macro} < 4 && {made[0]}") for macro in h.random.sample(made, min(4, size))))


@kind((2, 4), (8, 14), (20, 40))
def states(h, size):
    """One macro that is defined, undefined and redefined under conditions."""
    s, names = h.own("STATE"), h.some(size)
    lines = ["#pragma once"]
    for i in range(size):
        test = h.expression(h.random.randint(1, 2), names)
        lines += h.one([f"#if {test}", f"#undef {s}", f"#define {s} {i}", "#endif"], [f"#if {test}", f"#undef {s}", "#endif"],
                       [f"#ifndef {s}", f"#define {s} {i}", "#endif"],
                       [f"#if defined({s}) && ({test})", f"#undef {s}", f"#define {s} {i}", "#endif"],
                       [f"#if {s} > {i // 2} || ({test})", f"#undef {s}", f"#define {s} {i}", "#endif"])
    h.lines.append(h.file("states.h", lines))
    h.use(f"defined({s})", f"{s} == {h.random.randrange(size)}", f"{s} > {size // 2}")


@kind((1, 2), (3, 6), (8, 15))
def pushed(h, size):
    """push_macro and pop_macro, under conditions too."""
    s, names = h.own("PUSHED"), h.some(size + 1)
    seen = []
    lines = ["#pragma once", f"#if {h.atom(names)}", f"#define {s} 100", "#endif"]
    for i in range(size):
        saw = h.own(f"SAW{i}")
        change = h.one([f"#undef {s}", f"#if {h.atom(names)}", f"#define {s} {i}", "#endif"],
                       [f"#if {h.expression(2, names)}", f"#undef {s}", f"#define {s} {i}", "#endif"], [f"#undef {s}"])
        look = [f"#if {h.one(s, f'defined({s})', f'{s} > {i}')}", f"#define {saw} 1", "#endif"]
        lines += [f'#pragma push_macro("{s}")'] + change + look + [f'#pragma pop_macro("{s}")']
        seen.append(saw)
    h.lines.append(h.file("pushed.h", lines))
    h.use(f"{s} == 100", f"defined({s})", *(f"defined({saw})" for saw in h.random.sample(seen, min(3, size))))


@kind((1, 2), (4, 8), (12, 24))
def functions(h, size):
    """Function-like macros chosen by conditions, tested with other macros as arguments."""
    lines, made, names = ["#pragma once"], [], h.some(size + 2)
    for i in range(size):
        f = h.own(f"ASK{i}")
        inner = f"{h.random.choice(made)}(x)" if made and h.chance(0.6) else "(x) == 1"
        lines += [f"#if {h.expression(h.random.randint(1, 4), names)}", f"#define {f}(x) ((x) > {h.random.randrange(4)} || {inner})",
                  "#else", f"#define {f}(x) {h.one('0', f'(!({inner}))', '((x) & 1)')}", "#endif"]
        made.append(f)
    h.lines.append(h.file("functions.h", lines))
    h.use(*(f"{h.random.choice(made)}({h.one('2', h.random.choice(names))})" for _ in range(4)))


@kind((1, 2), (4, 8), (15, 30))
def guards(h, size):
    """Headers included more than once, under conditions, in different orders."""
    names, includes = h.some(size), []
    for i in range(size):
        flag, who = h.own(f"B{i}"), h.own("FIRST")
        guard, end = h.one((["#pragma once"], []), ([f"#ifndef H{h.number}_G{i}", f"#define H{h.number}_G{i}"], ["#endif"]),
                           ([f"#if !defined(H{h.number}_G{i})", f"#define H{h.number}_G{i} 1"], ["#endif"]))
        lines = guard + [f"#ifndef {who}", f"#define {who} {i}", "#endif", f"#if {h.atom(names)}", f"#define {flag} {h.random.randrange(3)}", "#endif"]
        if i and h.chance(0.5):
            lines += [f"#if {h.atom(names)}", f'#include "g{h.random.randrange(i)}.h"', "#endif"]
        text = h.file(f"g{i}.h", lines + end)
        includes += [f"#if {h.atom(names)}", text, "#endif"] if h.chance(0.6) else [text]
        if h.chance(0.3):
            includes.append(text)
    h.lines += includes if h.chance(0.5) else [h.file("all.h", ["#pragma once"] + includes)]
    h.use(f"H{h.number}_FIRST == 0", f"H{h.number}_FIRST == {size // 2}", f"defined(H{h.number}_B{size - 1})", f"H{h.number}_B0 > 0")


@kind((1, 3), (6, 12), (20, 40))
def units(h, size):
    """Conditions in the unit itself."""
    names = h.some(max(3, size // 2))
    h.lines.append("// No header.")

    def body(depth):
        if depth == 0:
            return [h.op()]
        lines = [f"#if {h.expression(h.random.randint(1, size), names)}"] + body(depth - 1)
        for _ in range(h.random.randrange(3)):
            lines += [f"#elif {h.expression(h.random.randint(1, size), names)}"] + body(0)
        return lines + (["#else"] + body(depth - 1) if h.chance(0.5) else []) + ["#endif"]
    h.lines += body(h.random.randint(1, 3)) + body(1)


@kind((2, 4), (8, 16), (30, 60))
def counted(h, size):
    """Sums of flags."""
    names = h.some(size)
    total, several = h.own("TOTAL"), h.own("SEVERAL")
    for configuration in CONFIGURATIONS:
        for name in names:
            if h.macros[configuration][name] is not None:
                h.macros[configuration][name] = "1"
    lines = [f"#define {total} ({' + '.join(names)})", f"#if {' + '.join(f'defined({name})' for name in names)} > {h.random.randint(1, 3)}",
             f"#define {several} 1", "#endif"]
    h.lines.append(h.file("counted.h", ["#pragma once"] + lines))
    h.use(f"{total} == {h.random.randint(0, 2)}", f"defined({several})", f"{total} >= {size // 2}")


@kind((2, 3), (5, 8), (12, 20))
def words(h, size):
    """Values that are words, from which ## makes macro names."""
    n = h.number
    choices = [f"way{i}" for i in range(size)]
    mode = h.input(choices, always=True)
    lines = ["#pragma once", f"#define H{n}_CAT_(a, b) a##b", f"#define H{n}_CAT(a, b) H{n}_CAT_(a, b)"]
    h.own("CAT_")
    h.own("CAT")
    for i, choice in enumerate(choices):
        lines.append(f"#define {h.own(f'IS_{choice}')} {i}")
        flag = h.input((0, 1), always=True)
        lines.append(f"#define {h.own(f'HAS_{choice}')} {flag}")
    h.own("HAS")
    lines.append(f"#define H{n}_HAS(x) H{n}_HAS_##x")
    is_mode = h.own("MODE")
    lines.append(f"#define {is_mode} H{n}_CAT(H{n}_IS_, {mode})")
    h.lines.append(h.file("words.h", lines))
    h.use(f"{is_mode} == {h.random.randrange(size)}", f"H{n}_HAS({h.random.choice(choices)})", f"H{n}_CAT(H{n}_HAS_, {mode})",
          f"{is_mode} > {size // 2}")


@kind((1, 2), (4, 6), (10, 16))
def platforms(h, size):
    """Detects a platform, then a compiler; features in a separate header depend on both."""
    n = h.number
    marks = h.some(size * 2)
    system, features = [], []
    for i in range(size):
        system += [f"#{'elif' if i else 'if'} defined({marks[2 * i]}) || defined({marks[2 * i + 1]})", f"#define {h.own(f'ON_{i}')} 1"]
    system += ["#else", f"#define {h.own('UNKNOWN')} 1", "#endif"]
    first = h.file("system.h", [f"#ifndef H{n}_SYSTEM", f"#define H{n}_SYSTEM"] + system + ["#endif"])
    extra, made = h.some(3), []
    for i in range(max(2, size // 2)):
        feature = h.own(f"FEATURE{i}")
        some = [f"defined(H{n}_ON_{h.random.randrange(size)})" for _ in range(h.random.randint(1, 4))]
        features += [f"#if ({' || '.join(some)}) && !defined({h.random.choice(extra)})", f"#define {feature} 1",
                     f"#elif defined(H{n}_UNKNOWN)", f"#define {feature} {h.random.choice(extra)}", "#else", f"#define {feature} 0", "#endif"]
        made.append(feature)
    h.lines.append(h.file("features.h", ["#pragma once", first] + features))
    h.use(*h.random.sample(made, min(3, len(made))), f"{made[0]} && !{made[-1]}", f"defined(H{n}_ON_{size - 1})")


@kind((1, 2), (3, 4), (6, 9))
def mixed(h, size):
    """Several kinds in one header."""
    for i in range(size):
        part = Header(f"{h.random.random()}", h.number, h.one("terms_small", "ways_small", "nested_medium", "states_small", "functions_small",
                                                             "defaults_small", "version_small", "counted_small"))
        def renamed(text, i=i):
            return text.replace(f"H{h.number}_", f"H{h.number}_{i}_")
        for path, text in part.files.items():
            if path != "u.cc":
                h.files[f"m{i}_{path}"] = renamed(text)
        h.derived += [renamed(name) for name in part.derived]
        for configuration in CONFIGURATIONS:
            h.macros[configuration].update({renamed(name): value for name, value in part.macros[configuration].items()})
        for line in part.lines:
            line = renamed(line).replace('#include "', f'#include "m{i}_')
            h.lines.append(line.replace(f"OP(h{h.number}_o", f"OP(h{h.number}_m{i}o"))
