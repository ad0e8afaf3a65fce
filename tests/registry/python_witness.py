"""Converts CPython's syntax tree to opledger's format: [kind, text, begin, end, flags, [child,
...]], with byte offsets."""
# SPDX-License-Identifier: Apache-2.0

import ast
import json
import re
import subprocess
import sys
import unicodedata

OPERATORS = {"Add": "+", "Sub": "-", "Mult": "*", "MatMult": "@", "Div": "/", "Mod": "%", "Pow": "**", "LShift": "<<",
             "RShift": ">>", "BitOr": "|", "BitXor": "^", "BitAnd": "&", "FloorDiv": "//", "Eq": "==", "NotEq": "!=",
             "Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">=", "Is": "is", "IsNot": "is not", "In": "in",
             "NotIn": "not in", "And": "and", "Or": "or", "Not": "not", "Invert": "~", "UAdd": "+", "USub": "-"}
# CPython has no position for these, or a different one.
WITHOUT_PLACE = {"Module", "Block", "Branch", "Decorators", "Arguments", "Parameters", "PositionalParameter", "Parameter",
                 "StarParameter", "KeywordParameter", "DoubleStarParameter", "TypeParameters", "Compared", "Pair",
                 "Clause", "WithItem", "Case", "PairPattern", "KeywordPattern"}
if sys.version_info < (3, 10):
    WITHOUT_PLACE |= {"Alias"}


def op(node):
    return OPERATORS[type(node).__name__]


class Witness:
    def __init__(self, source):
        text = source.decode("utf-8-sig" if source.startswith(b"\xef\xbb\xbf") else "utf-8")
        self.data = source
        self.lines = [0]
        start = 3 if source.startswith(b"\xef\xbb\xbf") else 0
        self.lines = [start] + [match.end() for match in re.finditer(rb"\r\n|\r|\n", source)]
        self.tree = ast.parse(source) if text is not None else None
        self.format = 0

    def module(self):
        return self.node("Module", "", self.tree, self.all(self.tree.body))

    def place(self, line, column):
        return self.lines[line - 1] + column

    def node(self, kind, text, at, children, flags=""):
        begin = end = 0
        if kind not in WITHOUT_PLACE and not self.format and hasattr(at, "lineno"):
            begin, end = self.place(at.lineno, at.col_offset), self.place(at.end_lineno, at.end_col_offset)
        return [kind, text, begin, end, flags, children]

    def all(self, nodes):
        return [self.convert(node) for node in nodes]

    def block(self, statements):
        return ["Block", "", 0, 0, "", self.all(statements)] if statements else None

    def name(self, text, kind="Name"):
        return [kind, text, None, None, "", []]

    def convert(self, node):
        if node is None:
            return None
        return getattr(self, type(node).__name__)(node)

    # Statements.
    def Expr(self, node): return self.node("ExpressionStatement", "", node, [self.convert(node.value)])
    def Assign(self, node): return self.node("Assign", "", node, self.all([node.value, *node.targets]))
    def AugAssign(self, node):
        return self.node("AugmentedAssign", op(node.op), node, self.all([node.target, node.value]))
    def AnnAssign(self, node):
        return self.node("AnnotatedAssign", "", node, self.all([node.target, node.annotation, node.value]),
                         "s" if node.simple else "")
    def Delete(self, node): return self.node("Delete", "", node, self.all(node.targets))
    def Pass(self, node): return self.node("Pass", "", node, [])
    def Break(self, node): return self.node("Break", "", node, [])
    def Continue(self, node): return self.node("Continue", "", node, [])
    def Global(self, node): return self.node("Global", "", node, [self.name(name) for name in node.names])
    def Nonlocal(self, node): return self.node("Nonlocal", "", node, [self.name(name) for name in node.names])
    def Import(self, node): return self.node("Import", "", node, self.all(node.names))
    def ImportFrom(self, node):
        return self.node("ImportFrom", node.module or "", node, self.all(node.names), "." * (node.level or 0))
    def alias(self, node):
        return self.node("Alias", node.name, node, [self.name(node.asname) if node.asname else None])
    def Return(self, node): return self.node("Return", "", node, [self.convert(node.value)])
    def Raise(self, node): return self.node("Raise", "", node, self.all([node.exc, node.cause]))
    def Assert(self, node): return self.node("Assert", "", node, self.all([node.test, node.msg]))
    def TypeAlias(self, node):
        return self.node("TypeAlias", "", node, [self.convert(node.name), self.types(node), self.convert(node.value)])

    def If(self, node):
        parts, at = [], node
        while True:
            parts.append(["Branch", "", 0, 0, "", [self.convert(at.test), self.block(at.body)]])
            again = len(at.orelse) == 1 and isinstance(at.orelse[0], ast.If) and self.data.startswith(
                b"elif", self.place(at.orelse[0].lineno, at.orelse[0].col_offset))
            if not again:
                break
            at = at.orelse[0]
        return self.node("If", "", node, parts + ([self.block(at.orelse)] if at.orelse else []))

    def loop(self, node, flags):
        return self.node("For", "", node, [self.convert(node.target), self.convert(node.iter), self.block(node.body),
                                           self.block(node.orelse)], flags)
    def For(self, node): return self.loop(node, "")
    def AsyncFor(self, node): return self.loop(node, "a")
    def While(self, node):
        return self.node("While", "", node, [self.convert(node.test), self.block(node.body), self.block(node.orelse)])

    def attempt(self, node, flags):
        handlers = [self.node("Handler", each.name or "", each, [self.convert(each.type), self.block(each.body)], flags)
                    for each in node.handlers]
        return self.node("Try", "", node, [self.block(node.body), self.block(node.orelse), self.block(node.finalbody),
                                           *handlers])
    def Try(self, node): return self.attempt(node, "")
    def TryStar(self, node): return self.attempt(node, "*")

    def context(self, node, flags):
        items = [["WithItem", "", 0, 0, "", self.all([each.context_expr, each.optional_vars])] for each in node.items]
        return self.node("With", "", node, [self.block(node.body), *items], flags)
    def With(self, node): return self.context(node, "")
    def AsyncWith(self, node): return self.context(node, "a")

    def decorators(self, node): return ["Decorators", "", 0, 0, "", self.all(node.decorator_list)]

    def types(self, node):
        found = getattr(node, "type_params", [])
        return ["TypeParameters", "", 0, 0, "", self.all(found)] if found else None

    def function(self, node, flags):
        return self.node("Function", node.name, node,
                         [self.decorators(node), self.types(node), self.arguments(node.args), self.convert(node.returns),
                          self.block(node.body)], flags)
    def FunctionDef(self, node): return self.function(node, "")
    def AsyncFunctionDef(self, node): return self.function(node, "a")

    def ClassDef(self, node):
        # In source order.
        bases = sorted([*node.bases, *node.keywords], key=self.order)
        return self.node("Class", node.name, node,
                         [self.decorators(node), self.types(node), ["Arguments", "", 0, 0, "", self.all(bases)],
                          self.block(node.body)])

    def order(self, node):
        at = node if hasattr(node, "lineno") else node.value
        return (at.lineno, at.col_offset)

    def Match(self, node): return self.node("Match", "", node, self.all([node.subject, *node.cases]))
    def match_case(self, node):
        return ["Case", "", 0, 0, "", [self.convert(node.pattern), self.convert(node.guard), self.block(node.body)]]

    # Parameters.
    def parameter(self, kind, node, default=None):
        return [kind, node.arg, 0, 0, "", [self.convert(node.annotation), self.convert(default)]]

    def arguments(self, node):
        plain = [("PositionalParameter", each) for each in node.posonlyargs] + [("Parameter", each) for each in node.args]
        defaults = [None] * (len(plain) - len(node.defaults)) + node.defaults
        parts = [self.parameter(kind, each, default) for (kind, each), default in zip(plain, defaults)]
        if node.vararg:
            parts.append(self.parameter("StarParameter", node.vararg))
        parts += [self.parameter("KeywordParameter", each, default)
                  for each, default in zip(node.kwonlyargs, node.kw_defaults)]
        if node.kwarg:
            parts.append(self.parameter("DoubleStarParameter", node.kwarg))
        return ["Parameters", "", 0, 0, "", parts]

    def TypeVar(self, node):
        return self.node("TypeParameter", node.name, node,
                         self.all([node.bound, getattr(node, "default_value", None)]))
    def TypeVarTuple(self, node):
        return self.node("TypeTupleParameter", node.name, node, [None, self.convert(getattr(node, "default_value", None))])
    def ParamSpec(self, node):
        return self.node("TypeKeywordParameter", node.name, node,
                         [None, self.convert(getattr(node, "default_value", None))])

    # Expressions.
    def Name(self, node): return self.node("Name", node.id, node, [])

    def Constant(self, node):
        if isinstance(node.value, str):
            return self.node("String", node.value, node, [])
        if isinstance(node.value, bytes):
            return self.node("Bytes", node.value.hex(), node, [])
        if node.value in (None, True, False, ...) and not isinstance(node.value, (int, float, complex)) or \
                isinstance(node.value, bool):
            return self.node("Constant", "..." if node.value is ... else repr(node.value), node, [])
        return self.node("Number", repr(node.value), node, [])

    def JoinedStr(self, node):
        self.format += 1
        pieces = []
        for value in node.values:
            piece = self.convert(value)
            if pieces and piece[0] == pieces[-1][0] == "String":
                pieces[-1][1] += piece[1]
            elif piece[0] != "String" or piece[1]:
                pieces.append(piece)
        self.format -= 1
        return self.node("Format", "", node, pieces)

    def FormattedValue(self, node):
        conversion = "" if node.conversion < 0 else chr(node.conversion)
        return self.node("Replacement", conversion, node, self.all([node.value, node.format_spec]))

    def Attribute(self, node): return self.node("Attribute", node.attr, node, [self.convert(node.value)])

    def Call(self, node):
        parts = sorted([*node.args, *node.keywords], key=self.order) if not self.format else [*node.args, *node.keywords]
        return self.node("Call", "", node, self.all([node.func, *parts]))

    def keyword(self, node): return self.node("Keyword", node.arg or "", node, [self.convert(node.value)])
    def Subscript(self, node): return self.node("Subscript", "", node, self.all([node.value, node.slice]))
    def Index(self, node): return self.convert(node.value)
    def Slice(self, node): return self.node("Slice", "", node, self.all([node.lower, node.upper, node.step]))
    def UnaryOp(self, node): return self.node("Unary", op(node.op), node, [self.convert(node.operand)])
    def BinOp(self, node): return self.node("Binary", op(node.op), node, self.all([node.left, node.right]))
    def BoolOp(self, node): return self.node("Boolean", op(node.op), node, self.all(node.values))

    def Compare(self, node):
        compared = [["Compared", op(each), 0, 0, "", [self.convert(right)]]
                    for each, right in zip(node.ops, node.comparators)]
        return self.node("Comparison", "", node, [self.convert(node.left), *compared])

    def IfExp(self, node): return self.node("Conditional", "", node, self.all([node.test, node.body, node.orelse]))
    def Lambda(self, node): return self.node("Lambda", "", node, [self.arguments(node.args), self.convert(node.body)])
    def List(self, node): return self.node("List", "", node, self.all(node.elts))
    def Tuple(self, node): return self.node("Tuple", "", node, self.all(node.elts))
    def Set(self, node): return self.node("Set", "", node, self.all(node.elts))

    def Dict(self, node):
        items = [["Pair", "", 0, 0, "", self.all([key, value])] if key is not None else
                 ["Starred", "", None, None, "*", [self.convert(value)]] for key, value in zip(node.keys, node.values)]
        return self.node("Dict", "", node, items)

    def comprehension(self, node):
        return ["Clause", "", 0, 0, "a" if node.is_async else "", self.all([node.target, node.iter, *node.ifs])]
    def ListComp(self, node): return self.node("ListComprehension", "", node, self.all([node.elt, *node.generators]))
    def SetComp(self, node): return self.node("SetComprehension", "", node, self.all([node.elt, *node.generators]))
    def GeneratorExp(self, node): return self.node("Generator", "", node, self.all([node.elt, *node.generators]))
    def DictComp(self, node):
        pair = ["Pair", "", 0, 0, "", self.all([node.key, node.value])]
        return self.node("DictComprehension", "", node, [pair, *self.all(node.generators)])
    def Starred(self, node): return self.node("Starred", "", node, [self.convert(node.value)])
    def NamedExpr(self, node): return self.node("Named", "", node, self.all([node.target, node.value]))
    def Await(self, node): return self.node("Await", "", node, [self.convert(node.value)])
    def Yield(self, node): return self.node("Yield", "", node, [self.convert(node.value)])
    def YieldFrom(self, node): return self.node("YieldFrom", "", node, [self.convert(node.value)])

    # Patterns.
    def MatchValue(self, node): return self.node("ValuePattern", "", node, [self.convert(node.value)])
    def MatchSingleton(self, node): return self.node("Constant", repr(node.value), node, [])
    def MatchAs(self, node): return self.node("CapturePattern", node.name or "", node, [self.convert(node.pattern)])
    def MatchSequence(self, node): return self.node("SequencePattern", "", node, self.all(node.patterns))
    def MatchStar(self, node): return self.node("StarPattern", node.name or "", node, [])
    def MatchOr(self, node): return self.node("OrPattern", "", node, self.all(node.patterns))

    def MatchMapping(self, node):
        pairs = [["PairPattern", "", 0, 0, "", self.all(pair)] for pair in zip(node.keys, node.patterns)]
        rest = [self.name(node.rest, "StarPattern")] if node.rest else []
        return self.node("MappingPattern", "", node, pairs + rest)

    def MatchClass(self, node):
        keywords = [["KeywordPattern", name, 0, 0, "", [self.convert(pattern)]]
                    for name, pattern in zip(node.kwd_attrs, node.kwd_patterns)]
        return self.node("ClassPattern", "", node, [*self.all([node.cls, *node.patterns]), *keywords])


def difference(own, witness, data, inside=False, path=""):
    """Returns the first difference of the two trees, or None. A position of None in the witness is
    not compared."""
    if own is None or witness is None:
        return None if own is witness else f"{path}: {own} is {witness}"
    kind, text, begin, end, flags, children = own
    path = f"{path}/{kind}"
    if "?" in flags:  # a named character, which only CPython can resolve
        text, flags = witness[1], flags.replace("?", "")
    elif kind == "Number":
        text = repr(ast.literal_eval(text.replace("_", "") if "_" in text else text))
    elif kind in {"Name", "Attribute", "Function", "Class", "Alias", "Keyword"} and not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    if [kind, text, flags] != [witness[0], witness[1], witness[4]]:
        return f"{path}: {[kind, text, flags]} is {[witness[0], witness[1], witness[4]]} at {begin}: {data[begin:end][:80]}"
    if kind not in WITHOUT_PLACE and not inside and witness[2] is not None and [begin, end] != witness[2:4]:
        return f"{path}: {data[begin:end][:60]} is {data[witness[2]:witness[3]][:60]} at {begin}"
    if len(children) != len(witness[5]):
        return f"{path}: {len(children)} children, not {len(witness[5])} at {begin}: {data[begin:end][:80]}"
    inside = inside or kind == "Format"
    for each, other in zip(children, witness[5]):
        found = difference(each, other, data, inside, path)
        if found:
            return found
    return None


def dump(program, mode, paths):
    """Yields opledger's dump of each file."""
    done = subprocess.run([program, mode], input="\n".join(map(str, paths)) + "\n", capture_output=True, text=True,
                          check=True, encoding="utf-8", errors="surrogatepass")
    for line in done.stdout.splitlines():
        yield json.loads(line)
