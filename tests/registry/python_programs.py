"""Generates random Python programs from Python's grammar, and applies random edits to them, most of
which make them invalid."""
# SPDX-License-Identifier: Apache-2.0

import sys

NAMES = ["a", "b", "match", "case", "type", "_", "x1", "été", "print", "soft"]
NUMBERS = ["0", "00", "1", "1_000", "0xFF", "0b1_0", "0o17", "1.5", ".5", "1e-3", "2j", "1_0.0_1E+2J", "0_0"]
STRINGS = ["'a'", '"b"', "r'\\d'", "'\\x41\\n\\u00e9'", "'''x\ny'''", '"""q"q"""', "u'c'", "'\\N{EM DASH}'", "'\\101'",
           "'it\\'s'", "R\"\\\"\"", "'\\\nz'", "''"]
BYTES = ["b'a'", "rb'\\x'", "B'\\xff\\n'", "b''"]
BINARY = ["+", "-", "*", "/", "//", "%", "@", "**", "<<", ">>", "&", "|", "^"]
COMPARED = ["<", ">", "<=", ">=", "==", "!=", "in", "not in", "is", "is not"]


class Programs:
    def __init__(self, made):
        self.made = made
        self.depth = 0
        self.left = 150  # expressions, after which all further ones are atoms

    def pick(self, *choices):
        return self.made.choice(choices)

    def some(self, what, least=0, most=3):
        return [what() for _ in range(self.made.randint(least, most))]

    def name(self):
        return self.made.choice(NAMES)

    # Expressions.
    def expression(self):
        self.depth += 1
        self.left -= 1
        if self.depth > 5 or self.left < 0:
            text = self.atom()
        else:
            text = self.made.choices(
                [self.atom, self.unary, self.binary, self.compare, self.boolean, self.conditional, self.lambda_,
                 self.call, self.attribute, self.subscript, self.display, self.comprehension, self.group, self.format,
                 self.strings, self.await_],
                [6, 2, 4, 2, 2, 1, 1, 4, 3, 3, 4, 2, 2, 2, 2, 1])[0]()
        self.depth -= 1
        return text

    def atom(self):
        return self.made.choice([self.name(), self.made.choice(NUMBERS), self.made.choice(STRINGS),
                                 self.made.choice(BYTES), "None", "True", "False", "..."])

    def tight(self):
        """Returns an expression that binds tighter than any operator."""
        return self.made.choice([self.name, self.name, lambda: f"({self.expression()})", lambda: self.name() + ".a",
                                 lambda: f"f({self.expression()})"])()

    def strings(self):
        if self.made.random() < 0.5:
            return "(" + "\n ".join(self.some(lambda: self.made.choice(STRINGS), 2)) + ")"
        return " ".join(self.some(lambda: self.made.choice(STRINGS), 1) + self.some(self.format, 0, 1))

    def format(self):
        quote = self.pick("'", '"', "'''", '"""')
        inside = "".join(self.some(lambda: self.piece(quote[0]), 0, 3))
        return self.pick("f", "F", "rf", "fr") + quote + inside + quote

    def piece(self, quote):
        if self.made.random() < 0.5:
            return self.pick("a", "{{", "}}", " b ", "é", ":", "!", "=")
        value = self.pick("a", "b.c", "f(x)", "a[1]", " (lambda: 1) ", "a if b else c", "*a, b", "(yield)",
                          "({1: 2}[1])", "not a", "-1", "a, b")
        debug = self.pick("", "", "", "=", " = ") if "*" not in value and "," not in value else ""
        conversion = self.pick("", "", "!r", "!s", "!a")
        spec = self.pick("", "", ":>10", ":{w}", ":{w}.{p}", ":", ":%Y-%m")
        return "{" + value + debug + conversion + spec + "}"

    def unary(self): return self.pick(f"-{self.tight()}", f"~{self.tight()}", f"+{self.tight()}", f"(not {self.expression()})")
    def binary(self):
        return self.pick("({} {} {})", "({}{}{})", "({} {} {} ** -a)").format(
            self.tight(), self.made.choice(BINARY), self.tight())
    def compare(self):
        parts = [self.tight()] + [f"{self.made.choice(COMPARED)} {self.tight()}" for _ in range(self.made.randint(1, 3))]
        return "(" + " ".join(parts) + ")"
    def boolean(self): return "(" + self.pick(" and ", " or ").join(self.some(self.tight, 2, 4)) + ")"
    def conditional(self): return f"({self.expression()} if {self.expression()} else {self.expression()})"
    def lambda_(self): return f"(lambda {self.parameters(False)}: {self.expression()})"
    def attribute(self): return f"{self.tight()}.{self.name()}"
    def await_(self): return f"(await {self.tight()})"

    def group(self):
        return self.pick("({})", "(x := {})", "(yield {})", "(yield from {})", "(yield)").format(self.expression())

    def call(self):
        positional = self.some(lambda: self.pick(self.expression(), "*" + self.tight(), f"{self.name()} := {self.tight()}"))
        keywords = self.some(lambda: f"{self.name()}={self.expression()}", 0, 2)
        rest = self.some(lambda: self.pick("**" + self.tight(), f"{self.name()}={self.tight()}"), 0, 2)
        arguments = ", ".join(positional + keywords + rest)
        if self.made.random() < 0.1:
            arguments = f"{self.expression()} {self.clauses()}"
        elif arguments and self.made.random() < 0.2:
            arguments += ","
        return f"{self.tight()}({arguments})"

    def subscript(self):
        part = lambda: self.pick(self.expression(), f"{self.tight()}:{self.tight()}", ":", f"::{self.tight()}",  # noqa: E731
                                 f"{self.tight()}:", "1:2:3")
        inside = self.pick(part(), part() + ",", f"{part()}, {part()}")
        if sys.version_info >= (3, 11):
            inside = self.pick(inside, inside, f"*{self.tight()}", f"{self.tight()}, *{self.tight()}")
        return f"{self.tight()}[{inside}]"

    def display(self):
        element = lambda: "*" + self.tight() if self.made.random() < 0.2 else self.expression()  # noqa: E731
        pair = lambda: self.pick(f"{self.expression()}: {self.expression()}", f"**{self.tight()}")  # noqa: E731
        comma = self.pick("", ",")
        elements = ", ".join(self.some(element, 1, 4))
        return self.pick(f"[{elements}{comma}]", f"({elements},)", "{" + elements + comma + "}", "[]", "()", "{}",
                         "{" + ", ".join(self.some(pair, 1, 3)) + comma + "}")

    def clauses(self):
        clause = lambda: f"{self.pick('for', 'for', 'async for')} {self.target()} in {self.tight()}" + "".join(  # noqa: E731
            self.some(lambda: f" if {self.tight()}", 0, 2))
        return " ".join(self.some(clause, 1, 2))

    def comprehension(self):
        value = self.expression()
        open_, close = self.pick("[]", "()", "{}")
        if self.made.random() < 0.3:
            return f"{{{value}: {self.expression()} {self.clauses()}}}"
        return f"{open_}{value} {self.clauses()}{close}"

    def target(self):
        one = self.pick(self.name(), self.name(), f"{self.name()}.b", f"{self.name()}[{self.tight()}]")
        return self.pick(one, one, f"{one}, {self.name()}", f"({self.name()}, *{self.name()})", f"[{one}, {self.name()}]",
                         f"{self.name()},", f"({one})")

    def parameters(self, annotated):
        def one(star=""):
            note = f": {self.expression()}" if annotated and self.made.random() < 0.3 else ""
            return f"{star}p{self.made.randint(0, 99)}{note}"
        plain = self.some(one, 0, 2)
        valued = self.some(lambda: f"{one()}={self.expression()}", 0, 2)
        if plain and self.made.random() < 0.3:
            plain.append("/")
        star = self.pick([], [one("*")], ["*", one()], [one("*"), one(), f"{one()}={self.tight()}"])
        return ", ".join(plain + valued + star + self.some(lambda: one("**"), 0, 1))

    # Statements.
    def module(self):
        return "\n".join(self.statement("") for _ in range(self.made.randint(1, 5))) + self.pick("\n", "")

    def block(self, indent):
        if self.made.random() < 0.15:
            return " " + "; ".join(self.some(self.simple, 1, 2)) + self.pick("", ";")
        inner = indent + self.pick("  ", "    ", "\t")
        return "\n" + "\n".join(self.statement(inner) for _ in range(self.made.randint(1, 3)))

    def statement(self, indent):
        self.depth += 1
        choices = [self.if_, self.for_, self.while_, self.try_, self.with_, self.def_, self.class_]
        if sys.version_info >= (3, 10):
            choices.append(self.match)
        if self.depth > 3 or self.made.random() < 0.6:
            text = indent + "; ".join(self.some(self.simple, 1, 2)) + self.pick("", "", ";", "  # why")
        else:
            text = self.made.choice(choices)(indent)
        self.depth -= 1
        return text

    def simple(self):
        e, t, n = self.expression, self.target, self.name
        return self.made.choice([
            lambda: self.pick(e(), f"{e()}, {e()}", f"*{self.tight()}, {e()}"),
            lambda: f"{t()} = {e()}", lambda: f"{t()} = {t()} = {e()}", lambda: f"{n()} = yield {e()}",
            lambda: f"{self.pick(n(), n() + '.a', n() + '[0]')} {self.made.choice(BINARY)}= {e()}",
            lambda: f"{self.pick(n(), '(' + n() + ')', n() + '.a')}: {e()}" + self.pick("", f" = {e()}"),
            lambda: f"del {self.pick(n(), n() + ', ' + n() + '.a', '(' + n() + ', ' + n() + '[0])')}",
            lambda: self.pick("pass", "break", "continue", "return", f"return {e()}", f"return *{self.tight()}, {e()}"),
            lambda: self.pick("raise", f"raise {e()}", f"raise {e()} from {e()}"),
            lambda: f"assert {e()}" + self.pick("", f", {e()}"),
            lambda: f"global {n()}" + self.pick("", f", {n()}"), lambda: f"nonlocal {n()}",
            lambda: f"import {n()}.{n()}" + self.pick("", f" as {n()}", f", {n()} as {n()}"),
            lambda: f"from {self.pick('.', '..', '...', '....', '.a', 'a.b', '...a')} import " + self.pick(
                "*", n(), f"{n()} as {n()}, {n()}", f"({n()},\n {n()} as {n()},)")])()

    def if_(self, indent):
        text = f"{indent}if {self.pick(self.expression(), 'x := ' + self.tight())}:{self.block(indent)}"
        for _ in range(self.made.randint(0, 2)):
            text += f"\n{indent}elif {self.expression()}:{self.block(indent)}"
        return text + self.other(indent)

    def other(self, indent):
        return f"\n{indent}else:{self.block(indent)}" if self.made.random() < 0.3 else ""

    def for_(self, indent):
        head = self.pick("for", "async for")
        return f"{indent}{head} {self.target()} in {self.pick(self.expression(), '*a, b')}:{self.block(indent)}" + \
            self.other(indent)

    def while_(self, indent):
        return f"{indent}while {self.expression()}:{self.block(indent)}{self.other(indent)}"

    def try_(self, indent):
        text = f"{indent}try:{self.block(indent)}"
        star = "*" if sys.version_info >= (3, 11) and self.made.random() < 0.2 else ""
        handlers = self.made.randint(0, 2)
        for _ in range(handlers):
            text += f"\n{indent}except{star} {self.tight()}{self.pick('', ' as e')}:{self.block(indent)}"
        if handlers:
            text += self.other(indent)
        if not handlers or self.made.random() < 0.3:
            text += f"\n{indent}finally:{self.block(indent)}"
        return text

    def with_(self, indent):
        item = lambda: self.tight() + self.pick("", f" as {self.name()}",  # noqa: E731
                                                f" as ({self.name()}, {self.name()})")
        items = ", ".join(self.some(item, 1, 3))
        if sys.version_info >= (3, 10):
            items = self.pick(items, f"({items})", f"({items},)", f"({self.expression()}, {self.name()}) as b")
        return f"{indent}{self.pick('with', 'async with')} {items}:{self.block(indent)}"

    def types(self):
        if sys.version_info < (3, 12):
            return ""
        return self.pick("", "", "[T]", "[T: int, *Ts, **P]", "[T: (int, str),]")

    def decorated(self, indent):
        return "".join(f"{indent}@{self.expression()}\n" for _ in range(self.made.choice([0, 0, 1, 2])))

    def def_(self, indent):
        returns = self.pick("", f" -> {self.expression()}")
        return f"{self.decorated(indent)}{indent}{self.pick('def', 'async def')} {self.name()}{self.types()}" \
               f"({self.parameters(True)}){returns}:{self.block(indent)}"

    def class_(self, indent):
        bases = self.pick("", "()", "(a)", "(a, b, metaclass=c)", "(*a, **b)")
        return f"{self.decorated(indent)}{indent}class {self.name()}{self.types()}{bases}:{self.block(indent)}"

    # Patterns.
    def match(self, indent):
        inner = indent + "  "
        cases = [f"{inner}case {self.pick(self.pattern(), self.pattern() + ', *_', self.pattern() + ',')}"
                 f"{self.pick('', ' if ' + self.expression())}:{self.block(inner)}" for _ in range(self.made.randint(1, 3))]
        subject = self.pick(self.expression(), f"{self.tight()}, {self.tight()}", f"*{self.tight()},")
        return f"{indent}match {subject}:\n" + "\n".join(cases)

    def pattern(self):
        self.depth += 1
        if self.depth > 6:
            text = self.pick("_", "q", "1", "'s'", "None")
        else:
            p = self.pattern
            text = self.made.choice([
                lambda: "_", lambda: "q", lambda: "-1", lambda: "1 + 2j", lambda: "'a' 'b'", lambda: "None",
                lambda: "a.b.c", lambda: f"({p()})", lambda: f"[{p()}, *rest]", lambda: f"({p()}, {p()})", lambda: "()",
                lambda: f"({p()} | {p()})", lambda: f"({p()} as z)", lambda: f"C({p()}, k={p()})", lambda: "a.C()",
                lambda: f"{{'k': {p()}, a.b: {p()}, **rest}}", lambda: "{}", lambda: f"{{-1: {p()}}}", lambda: "(*_,)"])()
        self.depth -= 1
        return text


def broken(made, text):
    """Returns the text with a random edit."""
    place = made.randrange(len(text) + 1)
    kind = made.randrange(4)
    if kind == 0:
        return text[:place] + text[place + made.randint(1, 3):]
    if kind == 1:
        return text[:place] + made.choice(list("()[]{}:,.=*'\"\\\n;@!#") + [" if ", " for ", " in ", "not ", " = ", "\n  "]) + \
            text[place:]
    if kind == 2:
        other = made.randrange(len(text) + 1)
        return text[:place] + text[other:other + 6] + text[place:]
    words = text.split(" ")
    made.shuffle(words[:4])
    words.pop(made.randrange(len(words)))
    return " ".join(words)
