"""Generates small random translation units that register operators through wrappers, pastes, tables
and nested conditionals: the idioms of real sources, in every combination. The same seed yields the
same files.

    units, shared = generate(seed=1, count=300)
    units[7].files == {"src/u7.cc": "...", "src/u7_a.h": "..."}, shared == {"src/u300_s.h": "..."}
"""
# SPDX-License-Identifier: Apache-2.0

import dataclasses
import random
import re

# Outside macros used in conditions, and their possible values (None: undefined).
SETTINGS = {"A": (None, "0", "1", "2"), "B": (None, "0", "1"), "C": (None, "0", "1")}

CONDITIONS = ("A", "B == 1", "A == 1", "A == 2", "defined(A)", "!defined(B)", "C", "!C", "A && B",
              "A == 1 || C == 1", "A > 1", "A != 1", "defined(B) && !defined(C)", "!(A == 1)",
              "(B) && (C == 0)", "A >= 1 && !B", "A ? B : !C", "(A + 1) == 2 || defined B")

SHARED = 6  # headers that several units include


@dataclasses.dataclass
class Unit:
    number: int
    files: dict[str, str]
    macros: set[str]  # all macros that its files define


@dataclasses.dataclass
class Wrapper:
    name: str
    kind: str = "op"  # op: WRAPPER(name), a statement without ';'. argument: takes statements
    condition: str = ""  # the condition under which it can be used


class Generator:
    """Generates one unit: headers first, then the unit that includes them."""

    def __init__(self, seed, number):
        self.random = random.Random(f"{seed}/{number}")
        self.number = number
        self.files = {}
        self.macros = set()
        self.fresh = 0
        self.wrappers = [Wrapper("REGISTER_OPERATOR")]
        self.below = {}  # macro -> macros used in its bodies
        self.includes = []  # lines
        self.flags = []  # conditions on macros of the file itself
        self.file = f"u{number}"

    # Small choices

    def chance(self, probability):
        return self.random.random() < probability

    def one(self, values):
        return self.random.choice(list(values))

    def condition(self):
        if self.flags and self.chance(0.3):
            return self.one(self.flags)
        return self.one(CONDITIONS)

    def operator(self):
        self.fresh += 1
        return f"u{self.number}_{self.fresh}"

    def macro(self, stem):
        """Returns one of a few names, so that units, headers and redefinitions collide."""
        name = f"{stem}_{self.random.randrange(4)}"
        self.macros.add(name)
        return name

    def opening(self, condition):
        """Returns the directive line for a condition, in a random spelling."""
        simple = re.fullmatch(r"(!?)defined\((\w+)\)", condition)
        if simple and self.chance(0.5):
            return f"#if{'n' if simple[1] else ''}def {simple[2]}"
        return self.one(("#if ", "# if ", "#if   ")) + condition

    def branches(self, pieces):
        """Returns #if ... #elif ... #else around lists of lines."""
        lines = []
        for index, piece in enumerate(pieces):
            if index == 0:
                lines.append(self.opening(self.condition()))
            elif index == len(pieces) - 1 and self.chance(0.7):
                lines.append("#else")
            else:
                lines.append("#elif " + self.condition())
            lines += piece
        return lines + ["#endif"]

    # Wrappers

    def leads_to(self, name):
        """Returns all macros that a use of the macro may expand."""
        reached, waiting = {name}, [name]
        while waiting:
            new = self.below.get(waiting.pop(), set()) - reached
            reached |= new
            waiting += new
        return reached

    def wrapper_below(self, name, outer=None):
        """Returns a macro for the body of `name` to call, which leads back neither to it nor to
        `outer`."""
        below = self.one(w.name for w in self.usable()
                         if not {name, outer} & self.leads_to(w.name))
        self.below.setdefault(name, set()).add(below)
        return below

    def body(self, name):
        """Returns a replacement list that registers a name derived from the parameter x."""
        x = "x"
        below = self.wrapper_below(name)
        forms = [
            (4, lambda: f"{below}({x})"),
            (3, lambda: f"{below}({self.one('pqr')}_##{x})"),
            (2, lambda: f"{below}({x}##_{self.one('stu')})"),
            (2, lambda: f"{below}({x}).add_alias(\"{self.one('kl')}_\" #{x})"),
            (2, lambda: f"{below}({x}).set_num_inputs({self.random.randrange(3)})"),
            (2, lambda: f"{below}({x}); {below}(back_##{x})"),
            (1, lambda: f"REGISTER_NAMED(\"{self.one('vw')}.\" #{x})"),
            (1, lambda: f"REGISTER_NAMED((#{x} \"_{self.one('xy')}\")).set_num_inputs(2)"),
            (1, lambda: f"namespace in_{x} {{ {below}({x}); }} void f_##{x}() {{ {below}(in_##{x}); }}"),
            (1, lambda: ""),
        ]
        return self.random.choices([form for _, form in forms], [w for w, _ in forms])[0]()

    def usable(self):
        return [wrapper for wrapper in self.wrappers if wrapper.kind == "op" and not wrapper.condition]

    def define(self, name, parameters, body):
        self.macros.add(name)
        return [f"#define {name}({parameters}) {body}".rstrip()]

    def redefine(self, name, parameters, body):
        return [f"#undef {name}"] + self.define(name, parameters, body)

    def plain_wrapper(self):
        name = self.macro("REGISTER_W")
        lines = self.redefine(name, "x", self.body(name))
        return lines, [Wrapper(name)]

    def variant_wrapper(self):
        """One name with a definition per condition, sometimes without one in the last branch."""
        name = self.macro("REGISTER_W")
        pieces = [self.define(name, "x", self.body(name)) for _ in range(self.one((2, 2, 3)))]
        lines = [f"#undef {name}"] + self.branches(pieces)
        if lines[-3 if len(pieces[-1]) == 1 else -2] != "#else":
            lines += [f"#ifndef {name}"] + self.define(name, "x", self.body(name)) + ["#endif"]
        return lines, [Wrapper(name)]

    def guarded_wrapper(self):
        """Defined and used only under one condition."""
        name = self.macro("REGISTER_G")
        condition = self.one(CONDITIONS)  # the use may be in another file than the flags
        lines = [f"#undef {name}", self.opening(condition), *self.define(name, "x", self.body(name)),
                 "#endif"]
        return lines, [Wrapper(name, condition=condition)]

    def piece_wrapper(self):
        """A condition decides a part of the pasted name."""
        name, glue, piece = self.macro("REGISTER_P"), self.macro("REGISTER_GLUE"), self.macro("PIECE")
        below = self.wrapper_below(glue, name)
        self.below.setdefault(name, set()).add(glue)
        lines = [f"#undef {piece}"]
        lines += self.branches([[f"#define {piece} {self.one('fg')}_"],
                                [f"#define {piece} {self.one('hi')}_"]])
        lines += [f"#ifndef {piece}", f"#define {piece} j_", "#endif"]
        inner = glue.replace("GLUE", "GLUE_NOW")  # by then, the part is expanded
        lines += self.redefine(inner, "a, b", f"{below}(a##b)")
        lines += self.redefine(glue, "a, b", f"{inner}(a, b)")
        lines += self.redefine(name, "x", f"{glue}({piece}, x)")
        return lines, [Wrapper(name)]

    def argument_wrapper(self):
        """Passes its argument on or drops it."""
        name = self.macro("ONLY_IF")
        lines = [f"#undef {name}"] + self.branches([[f"#define {name}(...) __VA_ARGS__"],
                                                    [f"#define {name}(...)"]])
        lines += [f"#ifndef {name}", f"#define {name}(...) __VA_ARGS__", "#endif"]
        return lines, [Wrapper(name, kind="argument")]

    def pasted_wrapper(self):
        """CALL(UNARY, x) -> REGISTER_KIND_UNARY(x)."""
        name = self.macro("CALL_KIND")
        kinds = {kind: f"REGISTER_KIND_{kind}" for kind in ("UNARY", "BINARY")}
        lines = []
        for kind in kinds.values():
            lines += self.redefine(kind, "x", self.body(kind))
        lines += self.redefine(name, "kind, x", "REGISTER_KIND_##kind(x)")
        return lines, [Wrapper(name, kind="pasted")]

    def override(self):
        """An existing macro is redefined under a condition."""
        candidates = [w.name for w in self.usable() if w.name != "REGISTER_OPERATOR"]
        if not candidates:
            return self.plain_wrapper()
        name = self.one(candidates)
        lines = self.redefine(name, "x", self.body(name))
        return [self.opening(self.condition()), *lines, "#endif"], [Wrapper(name)]

    def flag(self):
        """A macro of the file itself for use in conditions: a default, or a derived one."""
        name = self.macro("FLAG")
        self.flags = [flag for flag in self.flags if name not in flag]
        kind = self.random.randrange(3)
        if kind == 0:
            lines = [f"#ifndef {name}", f"#define {name} {self.one(('0', '1', 'A', '(B + 1)'))}", "#endif"]
            self.flags += [name, f"{name} == 1", f"!{name} && A"]
        elif kind == 1:
            lines = [f"#undef {name}", self.opening(self.condition()), f"#define {name}", "#endif"]
            self.flags += [f"defined({name})", f"!defined({name}) || B", f"!defined({name})"]
        else:
            lines = [f"#undef {name}"] + self.branches([[f"#define {name} {n}"] for n in range(1, 3)])
            self.flags += [f"{name} == 1", f"{name} > 1 && !C", f"{name}"]
        return lines, []

    def literal_wrapper(self):
        """The name is a string with a part that a condition decides."""
        name, part = self.macro("REGISTER_L"), self.macro("PREFIX")
        lines = [f"#undef {part}"]
        lines += self.branches([[f'#define {part} "one."'], [f'#define {part} "two."']])
        lines += [f"#ifndef {part}", f'#define {part} "three."', "#endif"]
        return lines + self.redefine(name, "x", f"REGISTER_NAMED({part} #x)"), [Wrapper(name)]

    def applying_wrapper(self):
        """Takes the wrapper to call as an argument."""
        name = self.macro("APPLY")
        return self.redefine(name, "m, x, ...", "m(x) __VA_ARGS__"), [Wrapper(name, kind="apply")]

    def object_alias(self):
        name = self.macro("REGISTER_O")
        return [f"#undef {name}", f"#define {name} {self.wrapper_below(name)}"], [Wrapper(name)]

    def chain_macro(self):
        name = self.macro("ADD_ALIAS")
        lines = [f"#undef {name}"] + self.branches(
            [[f"#define {name}(x) .add_alias(\"m_\" #x)"], [f"#define {name}(x)"]])
        lines += [f"#ifndef {name}", f"#define {name}(x) .add_alias(\"n_\" #x)", "#endif"]
        return lines, [Wrapper(name, kind="chain")]

    def definitions(self):
        make = self.random.choices(
            [self.plain_wrapper, self.variant_wrapper, self.guarded_wrapper, self.piece_wrapper,
             self.argument_wrapper, self.pasted_wrapper, self.object_alias, self.chain_macro,
             self.override, self.flag, self.literal_wrapper, self.applying_wrapper],
            [5, 4, 2, 2, 1, 1, 1, 1, 2, 2, 1, 1])[0]
        lines, wrappers = make()
        for wrapper in wrappers:
            # A redefined name has the new meaning, so a body below it could lead to itself.
            self.wrappers = [old for old in self.wrappers if old.name != wrapper.name] + [wrapper]
        return lines

    # Uses

    def statement(self):
        wrapper = self.one([w for w in self.wrappers if w.kind != "chain"])
        name = self.operator()
        if wrapper.kind == "argument":
            inner = self.one(self.usable()).name
            return [f"{wrapper.name}({inner}({name});)"]
        call = f"{wrapper.name}({name})"
        if wrapper.kind == "apply":
            call = f"{wrapper.name}({self.one(self.usable()).name}, {name}, .set_num_inputs(1))"
        if wrapper.kind == "pasted":
            call = f"{wrapper.name}({self.one(('UNARY', 'BINARY'))}, {name})"
        lines = [call] + self.chain(name)
        lines[-1] += ";"
        if wrapper.condition:
            lines = [self.opening(wrapper.condition)] + lines + ["#endif"]
        return lines

    def chain(self, name):
        lines = []
        for _ in range(self.random.randrange(3)):
            call = self.one((f".add_alias(\"c_{name}\")", f".set_num_inputs({self.random.randrange(3)})",
                             f".add_alias(\"d_\"\n  \"{name}\")"))
            macros = [w.name for w in self.wrappers if w.kind == "chain"]
            if macros and self.chance(0.5):
                call = f"{self.one(macros)}({name})"
            if self.chance(0.3):
                lines += self.branches([[call]] if self.chance(0.5) else [[call], [f".add_alias(\"e_{name}\")"]])
                lines.append("")  # a place where ';' is allowed
            else:
                lines.append(call)
        return lines or [""]

    def split_statement(self):
        """Branches begin statements that share one ';'."""
        first, second = self.one(self.usable()).name, self.one(self.usable()).name
        name, other = self.operator(), self.operator()
        lines = [self.opening(self.condition()), f"{first}({name})", "#else",
                 f"{second}({self.one((name, other))})", "#endif"]
        return lines + [f".add_alias(\"z_{name}\");"]

    def table(self):
        """FORALL(_) tables, in the file or as an included list."""
        below = self.one(self.usable()).name
        if self.chance(0.5):
            name = self.macro("FOR_ALL")
            self.macros.add(name)
            rows = " ".join(f"_({self.operator()})" for _ in range(2))
            return [f"#undef {name}", f"#define {name}(_) {rows}", f"{name}({below});"]
        path = f"src/{self.file}_{self.fresh}.inc"
        rows = [f"ROW({self.operator()})", *self.branches([[f"ROW({self.operator()})"]])]
        self.files[path] = "\n".join(rows) + "\n"
        self.macros.add("ROW")
        return ["#undef ROW", f"#define ROW(x) {below}(x);", f'#include "{path[4:]}"', "#undef ROW"]

    def block(self, depth=0):
        lines = []
        for _ in range(self.random.randrange(1, 3 if depth else 5)):
            kind = self.random.random()
            if kind < 0.30 and depth < 2:
                known = list(self.wrappers)
                pieces = []
                for _ in range(self.random.randrange(1, 4)):
                    self.wrappers = list(known)
                    pieces.append(self.block(depth + 1))
                self.wrappers = known
                lines += self.branches(pieces)
            elif kind < 0.45 and depth == 0:
                lines += self.definitions()
            elif kind < 0.52:
                lines += self.split_statement()
            elif kind < 0.60:
                lines += self.table()
            else:
                lines += self.statement()
        return lines

    # Files

    def header(self, letter):
        path = f"src/{self.file}_{letter}.h"
        self.flags = []
        lines = list(self.includes) if self.chance(0.4) else []
        for _ in range(self.random.randrange(1, 4)):
            lines += self.definitions()
        if self.chance(0.15):
            lines += self.statement()
        self.flags = []
        guard = f"{self.file.upper()}_{letter.upper()}_H_"
        self.macros.add(guard)
        self.files[path] = "\n".join([f"#ifndef {guard}", f"#define {guard}", *lines, "#endif", ""])
        return f'#include "{path[4:]}"'

    def either_header(self):
        """Two headers define the same wrapper; a condition includes one of them."""
        name = self.macro("REGISTER_E")
        pieces = []
        for letter in "yz":
            path = f"src/u{self.number}_{letter}.h"
            self.files[path] = "\n".join([f"#pragma once  // {path}", *self.redefine(name, "x", self.body(name)), ""])
            pieces.append([f'#include "{path[4:]}"'])
        lines = [self.opening(self.condition()), *pieces[0], "#else", *pieces[1], "#endif"]
        self.wrappers = [w for w in self.wrappers if w.name != name] + [Wrapper(name)]
        return lines

    def shared_header(self):
        """Returns the generator of a header for several units, with the macros that it offers."""
        self.includes.append(self.header("s"))
        return self

    def include_shared(self, shared):
        self.includes += shared.includes
        self.macros |= shared.macros
        names = {wrapper.name for wrapper in shared.wrappers}
        self.wrappers = [w for w in self.wrappers if w.name not in names] + shared.wrappers
        for name, below in shared.below.items():
            self.below.setdefault(name, set()).update(below)

    def unit(self, shared):
        if shared and self.chance(0.3):
            self.include_shared(self.one(shared))
        for letter in "abc"[:self.random.randrange(4)]:
            self.includes.append(self.header(letter))
        if shared and self.chance(0.1):
            self.include_shared(self.one(shared))
        lines = list(self.includes)
        if self.chance(0.2):
            lines += self.either_header()
        lines += self.block()
        if self.chance(0.5):
            lines += self.block()
        self.files[f"src/u{self.number}.cc"] = "\n".join(lines) + "\n"
        return Unit(self.number, self.files, self.macros)


def generate(seed, count):
    """Returns (units, shared files)."""
    shared = []
    for number in range(SHARED):
        generator = Generator(seed, count + number)
        shared.append(generator.shared_header())
    units = [Generator(seed, number).unit(shared) for number in range(count)]
    return units, {path: text for one in shared for path, text in one.files.items()}
