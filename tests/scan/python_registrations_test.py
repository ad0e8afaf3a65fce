#!/usr/bin/env python3
"""Compares random programs that register operators in many forms with what CPython registers with a
stand-in for torch.library: no operator is missed silently, none is invented, and for each form at
most 5 % are not read."""
# SPDX-License-Identifier: Apache-2.0

import argparse
import collections
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

TORCH = '''
class Tensor: pass
float16 = "float16"
class cuda:
    @staticmethod
    def is_available(): return True
from . import library
'''
LIBRARY = '''
NAMES = []
def infer_schema(function, *, mutates_args, op_name=None): return "(Tensor x) -> Tensor"
def _name(schema): return schema.split("(")[0].strip()
class Library:
    def __init__(self, ns, kind, dispatch_key=""): self.ns = ns
    def define(self, schema, alias_analysis="", *, tags=()):
        NAMES.append(self.ns + "::" + _name(schema)); return _name(schema)
    def impl(self, op_name, fn, dispatch_key="", *, with_keyset=False): pass
    def _register_fake(self, op_name, fn, _stacklevel=1): pass
class _Op:
    def __init__(self, name): NAMES.append(name)
    def __call__(self, *a, **k): return self
    def register_kernel(self, device, fn=None): return lambda f: f
    def register_fake(self, fn): return fn
    def register_autocast(self, device, dtype): pass
def custom_op(name, fn=None, /, *, mutates_args, device_types=None, schema=None):
    return _Op(name) if fn is not None else (lambda f: _Op(name))
triton_op = custom_op
def define(qualname, schema, *, lib=None, tags=()): NAMES.append(qualname)
def register_fake(op, fn=None, /, *, lib=None): return lambda f: f
impl_abstract = register_fake
def impl(qualname, types, fn=None, *, lib=None): return lambda f: f
def register_autocast(op, device_type, cast_inputs): pass
'''
RUN = '''
import importlib, json, sys, traceback
import torch
found = {}
for name in sys.argv[1].split(","):
    torch.library.NAMES.clear()
    try:
        importlib.import_module(name)
    except Exception:
        traceback.print_exc()
        sys.exit(name)
    found[name] = sorted(set(torch.library.NAMES))
print(json.dumps(found))
'''
SCHEMA = "(Tensor x) -> Tensor"
FUNCTION = "def {f}(x: torch.Tensor) -> torch.Tensor:\n    return x\n"

# Ways to write a name: {q} is the qualified one, {ns} and {op} its parts, {v} an unused name.
NAMES = {
    "constant": ("", '"{q}"'),
    "constant of the module": ('{v} = "{q}"\n', "{v}"),
    "concatenation": ('{v} = "{ns}"\n', '{v} + "::" + "{op}"'),
    "adjacent": ("", '"{ns}::" "{op}"'),
    "f-string": ('{v} = "{ns}"\n', 'f"{{{v}}}::{op}"'),
    "format": ("", '"{{}}::{{}}".format("{ns}", "{op}")'),
    "format by name": ("", '"{{a}}::{op}".format(a="{ns}")'),
    "percent": ("", '"%s::%s" % ("{ns}", "{op}")'),
    "join": ('{v} = ["{ns}", "{op}"]\n', '"::".join({v})'),
    "class attribute": ('class {v}:\n    NAME = "{q}"\n', "{v}.NAME"),
    "dict": ('{v} = {{"a": "{q}"}}\n', '{v}["a"]'),
    "tuple": ('{v} = ("x", "{q}")\n', "{v}[1]"),
    "imported": ("", "constants.{c}"),
    "imported name": ("from .constants import {c} as {v}\n", "{v}"),
    "walrus": ("", '({v} := "{q}")'),
    "conditional": ("", '"{q}" if True else "no::no"'),
    "or": ("{v} = None\n", '{v} or "{q}"'),
}
# Ways to register it: NAME is the expression.
SINKS = {
    "decorator": "@torch.library.custom_op(NAME, mutates_args=())\n{fun}",
    "decorator by alias": "from torch.library import custom_op as {v}_a\n@{v}_a(NAME, mutates_args=())\n{fun}",
    "decorator by module": "import torch.library as {v}_m\n@{v}_m.triton_op(NAME, mutates_args=())\n{fun}",
    "call": "{fun}torch.library.custom_op(NAME, {f}, mutates_args=())\n",
    "curried": "{fun}torch.library.custom_op(NAME, mutates_args=())({f})\n",
    "define": 'torch.library.define(NAME, "{schema}")\n',
    "assigned sink": "{v}_s = torch.library.define\n{v}_s(NAME, '{schema}')\n",
    "wrapper": "def {v}_w(name, extra=1):\n    torch.library.define(name, '{schema}')\n{v}_w(NAME)\n",
    "wrapper by keyword": "def {v}_w(*, op_name, fun=None):\n    torch.library.define(op_name, '{schema}')\n{v}_w(op_name=NAME)\n",
    "wrapper with options": "def {v}_w(name, **options):\n    torch.library.define(name, '{schema}', **options)\n{v}_w(NAME)\n",
    "wrapper with rest": "def {v}_w(*args, **options):\n    torch.library.define(*args, **options)\n{v}_w(NAME, '{schema}')\n",
    "imported wrapper": "wrappers.register(NAME)\n",
    "imported wrapper by name": "from .wrappers import register as {v}_r\n{v}_r(NAME)\n",
    "imported decorator": "@wrappers.decorator(NAME)\n{fun}",
    "re-exported": "from .reexports import op as {v}_r\n@{v}_r(NAME, mutates_args=())\n{fun}",
    "starred": "from .starred import *\nstarred_define(NAME, '{schema}')\n",
    "closure": "def {v}_d(name):\n    def inner(function):\n        return torch.library.custom_op(name, mutates_args=())(function)\n    return inner\n@{v}_d(NAME)\n{fun}",
    "partial": "import functools\n{v}_p = functools.partial(torch.library.custom_op, mutates_args=())\n@{v}_p(NAME)\n{fun}",
    "function at import": "def {v}_all():\n    torch.library.define(NAME, '{schema}')\n{v}_all()\n",
    "class": "class {v}_C:\n    def __init__(self, name):\n        self.name = name\n    def register(self):\n        torch.library.define(self.name, '{schema}')\n{v}_C(NAME).register()\n",
    "static method": "class {v}_C:\n    @staticmethod\n    def register(name):\n        torch.library.define(name, '{schema}')\n{v}_C.register(NAME)\n",
    "inherited": "class {v}_B:\n    def __init__(self, name):\n        torch.library.define(name, '{schema}')\nclass {v}_C({v}_B):\n    pass\n{v}_C(NAME)\n",
    "super": "class {v}_B:\n    def __init__(self, name):\n        torch.library.define(name, '{schema}')\nclass {v}_C({v}_B):\n    def __init__(self, name):\n        super().__init__(name)\n{v}_C(NAME)\n",
    "decorator object": "class {v}_D:\n    def __init__(self, name):\n        self.name = name\n    def __call__(self, function):\n        return torch.library.custom_op(self.name, function, mutates_args=())\n@{v}_D(NAME)\n{fun}",
    "getattr": "getattr(torch.library, 'define')(NAME, '{schema}')\n",
    "imported object": "wrappers.OBJECT.register(NAME)\n",
    "imported object by name": "from .wrappers import OBJECT as {v}_o\n{v}_o.register(NAME)\n",
    "imported partial": "from .wrappers import PART as {v}_p\n@{v}_p(NAME)\n{fun}",
    "imported closure": "from .wrappers import made as {v}_r\n{v}_r(NAME)\n",
    "imported conditionally": "try:\n    from torch.library import custom_op as {v}_c\nexcept ImportError:\n    {v}_c = None\n@{v}_c(NAME, mutates_args=())\n{fun}",
    "under if": "if torch.cuda.is_available():\n    torch.library.define(NAME, '{schema}')\n",
    "under try": "try:\n    import json as {v}_json\n    torch.library.define(NAME, '{schema}')\nexcept ImportError:\n    pass\n",
    "under with": "import contextlib\nwith contextlib.suppress(KeyError):\n    torch.library.define(NAME, '{schema}')\n",
    "loop": "for {v}_i in [NAME]:\n    torch.library.define({v}_i, '{schema}')\n",
    "loop over pairs": "for {v}_i, {v}_k in ((1, NAME),):\n    torch.library.define({v}_k, '{schema}')\n",
    "loop over items": "for {v}_i, {v}_k in {{NAME: 1}}.items():\n    torch.library.define({v}_i, '{schema}')\n",
    "loop over zip": "for {v}_i, {v}_k in zip([NAME], [1]):\n    torch.library.define({v}_i, '{schema}')\n",
    "loop over enumerate": "for {v}_i, {v}_k in enumerate([NAME]):\n    torch.library.define({v}_k, '{schema}')\n",
    "comprehension": "[torch.library.define({v}_i, '{schema}') for {v}_i in [NAME]]\n",
    "diamond": "class {v}_P:\n    T_NAME = 'no::no'\nclass {v}_Q({v}_P):\n    pass\nclass {v}_R({v}_P):\n    T_NAME = NAMED\nclass {v}_Z({v}_Q, {v}_R):\n    pass\ntorch.library.define({v}_Z.T_NAME, '{schema}')\n",
    "imported module": "import importlib\n{v}_m = importlib.import_module('{ns}.wrappers')\n{v}_m.register(NAME)\n",
    "imported relative module": "import importlib\nimportlib.import_module('.wrappers', __package__).register(NAME)\n",
    "changed by a wrapper": "wrappers.changed(NAME)\n",
    "replaced by a decorator": "@wrappers.twice\ndef {v}_w(name):\n    torch.library.define(name, '{schema}')\n{v}_w(NAME)\n",
    "defaults of a loop": "{v}_fs = []\nfor {v}_n in (NAME,):\n    def {v}_f({v}_n={v}_n):\n        torch.library.define({v}_n, '{schema}')\n    {v}_fs.append({v}_f)\nfor {v}_f in {v}_fs:\n    {v}_f()\n",
    "function in a dict": "wrappers.FUNCTIONS['register'](NAME)\n",
    "sink in a dict": "{v}_d = {{'a': torch.library.define}}\n{v}_d['a'](NAME, '{schema}')\n",
    "returned function": "{v}_r = wrappers.make('{schema}')\n{v}_r(NAME)\n",
    "returned function, called": "wrappers.make('{schema}')(NAME)\n",
    "handed function": "def {v}_own(name):\n    torch.library.define(name, '{schema}')\nwrappers.hand({v}_own, NAME)\n",
    "handed lambda": "wrappers.hand(lambda name: torch.library.define(name, '{schema}'), NAME)\n",
    "lambda": "{v}_l = lambda name: torch.library.define(name, '{schema}')\n{v}_l(NAME)\n",
    "loop elsewhere": "wrappers.each([NAME], wrappers.register)\n",
    "base elsewhere": "class {v}_C(wrappers.Base):\n    NAME = NAMED\n{v}_C()\n",
    "method as a value": "{v}_m = wrappers.OBJECT.register\n{v}_m(NAME)\n",
    "method of a local as a value": "class {v}_C:\n    def go(self, name):\n        torch.library.define(name, '{schema}')\n{v}_m = {v}_C().go\n{v}_m(NAME)\n",
    "partial of a function": "import functools\nfunctools.partial(wrappers.register, schema='{schema}')(NAME)\n",
    "map": "list(map(wrappers.register, [NAME]))\n",
    "loop over functions": "for {v}_f in (wrappers.register,):\n    {v}_f(NAME)\n",
    "wrapped": "import functools\ndef {v}_d(function):\n    @functools.wraps(function)\n    def inner(*args):\n        return function(*args)\n    return inner\n@{v}_d\ndef {v}_w(name):\n    torch.library.define(name, '{schema}')\n{v}_w(NAME)\n",
    "global of another module": "wrappers.PREFIX = NAME\nwrappers.prefixed()\n",
    "loop over range": "for {v}_i in range(2):\n    torch.library.define(f'NAME{{{v}_i}}', '{schema}')\n",
}
# Ways that take the name without its namespace: OP is the expression.
OBJECTS = {
    "library": "{v}_l = torch.library.Library('{ns}', 'FRAGMENT')\n{v}_l.define(OP + '{schema}')\n",
    "library of another module": "from .wrappers import LIB as {v}_l\n{v}_l.define(OP + '{schema}')\n",
    "older define": "{v}_l = torch.library.Library('{ns}', 'FRAGMENT')\n{v}_l.define(OP + '{schema}', '')\n",
    "inferred": "{fun}from .wrappers import direct as {v}_d\n{v}_d(op_name=OP, op_func={f})\n",
    "fragment": "from .wrappers import Fragment as {v}_F\n{v}_f = {v}_F('{ns}')\n{v}_f.define(OP + '{schema}')\n",
    "named by a function": "{v}_n = wrappers.naming(torch.library.Library('{ns}', 'FRAGMENT'))\n@{v}_n\ndef {op}(x):\n    return x\n",
    "lazy library": "wrappers.lazy().define(OP + '{schema}')\n",
    "cached library": "wrappers.cached('{ns}').define(OP + '{schema}')\n",
    "library in a dict": "{v}_d = {{'a': torch.library.Library('{ns}', 'FRAGMENT')}}\n{v}_d['a'].define(OP + '{schema}')\n",
    "library in a list": "{v}_d = [torch.library.Library('{ns}', 'FRAGMENT')]\n{v}_d[0].define(OP + '{schema}')\n",
    "class of libraries": "wrappers.Sub('{ns}', 'FRAGMENT').op(OP)\n",
    "library by condition": "{v}_l = torch.library.Library('{ns}', 'FRAGMENT')\n({v}_l if True else None).define(OP + '{schema}')\n",
    "with": "with wrappers.scoped('{ns}') as {v}_l:\n    pass\n{v}_l = torch.library.Library('{ns}', 'DEF')\n{v}_l.define(OP + '{schema}')\n",
}
WRAPPERS = '''
import contextlib
import functools
import torch
from torch.library import Library
LIB = Library("{ns}", "FRAGMENT")
def register(name, schema="(Tensor x) -> Tensor"):
    torch.library.define(name, schema)
def decorator(name, **options):
    def inner(function):
        return torch.library.custom_op(name, mutates_args=())(function)
    return inner
def direct(op_name, op_func, target_lib=None):
    my_lib = target_lib or LIB
    my_lib.define(op_name + torch.library.infer_schema(op_func, mutates_args=()))
    my_lib.impl(op_name, op_func, "CUDA")
class Fragment:
    def __init__(self, ns):
        self.lib = torch.library.Library(ns, "FRAGMENT")
    def define(self, schema):
        self.lib.define(schema)
class Registry:
    def register(self, name):
        torch.library.define(name, "(Tensor x) -> Tensor")
OBJECT = Registry()
PART = functools.partial(torch.library.custom_op, mutates_args=())
def make(schema):
    def inner(name):
        torch.library.define(name, schema)
    return inner
made = make("(Tensor x) -> Tensor")
FUNCTIONS = {"register": register}
register("{ns}::own")
def changed(name):
    register(name.replace("!", ""))
class Sub(torch.library.Library):
    def op(self, name):
        self.define(name + "(Tensor x) -> Tensor")
_lazy = None
def lazy():
    global _lazy
    if _lazy is None:
        _lazy = Library("{ns}", "FRAGMENT")
    return _lazy
@functools.lru_cache(None)
def cached(ns):
    return Library(ns, "FRAGMENT")
def twice(function):
    def inner(name):
        function(name)
        function(name + "_twice")
    return inner
def naming(lib):
    def inner(function):
        lib.define(function.__name__ + "(Tensor x) -> Tensor")
        return function
    return inner
def each(names, then):
    for name in names:
        then(name)
def hand(function, name):
    return function(name)
class Base:
    NAME = None
    def __init__(self):
        torch.library.define(self.NAME, "(Tensor x) -> Tensor")
PREFIX = None
def prefixed():
    torch.library.define(PREFIX, "(Tensor x) -> Tensor")
@contextlib.contextmanager
def scoped(ns):
    yield None
'''


class Program:
    """A package with modules for constants and wrappers, and one that registers."""

    def __init__(self, name, rng):
        self.name, self.rng = name, rng
        self.constants = []
        self.forms = {f"{name}::own": "own call"}  # operator -> its form
        self.body = []
        for number in range(rng.randint(1, 3)):
            self.add(number)

    def fill(self, text, **values):
        for key, value in values.items():
            text = text.replace("{" + key + "}", value)
        return text.replace("{{", "{").replace("}}", "}")

    def add(self, number):
        op, variable = f"op{number}", f"v{number}"
        qualified = f"{self.name}::{op}"
        values = {"q": qualified, "ns": self.name, "op": op, "v": variable, "c": f"C{number}", "f": f"f{number}",
                  "schema": SCHEMA, "fun": FUNCTION.replace("{f}", f"f{number}")}
        if self.rng.random() < 0.25:
            form = self.rng.choice(list(OBJECTS))
            text = OBJECTS[form].replace("OP", f'"{op}"')
            self.body.append(self.fill(text, **values))
        else:
            form, way = self.rng.choice(list(SINKS)), self.rng.choice(list(NAMES))
            before, expression = NAMES[way]
            if form == "loop over range":
                way, before, expression = "constant", "", qualified
                self.forms[qualified + "0"] = self.forms[qualified + "1"] = form
            elif form == "comprehension" and way == "walrus":
                way, before, expression = "constant", "", f'"{qualified}"'
            if "imported" in way:
                self.constants.append(f'C{number} = "{qualified}"\n')
            self.body.append(self.fill(before, **values))
            self.body.append(self.fill(re.sub(r"NAMED|\bNAME(?! = )", lambda _: expression, SINKS[form]), **values))
            self.forms.setdefault(qualified + "_twice", form)
            self.forms.setdefault(qualified, form if self.rng.random() < 0.5 else way)
        self.forms.setdefault(qualified, form)

    def write(self, folder):
        package = folder / self.name
        package.mkdir()
        (package / "__init__.py").write_text("from . import ops\n", encoding="utf-8")
        (package / "constants.py").write_text("".join(self.constants), encoding="utf-8")
        (package / "wrappers.py").write_text(WRAPPERS.replace("{ns}", self.name), encoding="utf-8")
        (package / "reexports.py").write_text("from torch.library import custom_op as op\n", encoding="utf-8")
        (package / "starred.py").write_text("from torch.library import define as starred_define\n", encoding="utf-8")
        text = "import torch\nfrom . import constants, wrappers\n" + "".join(self.body)
        (package / "ops.py").write_text(text, encoding="utf-8")
        return text


def registered(folder, mock, names):
    (mock / "torch").mkdir(parents=True)
    (mock / "torch/__init__.py").write_text(TORCH, encoding="utf-8")
    (mock / "torch/library.py").write_text(LIBRARY, encoding="utf-8")
    environment = dict(os.environ, PYTHONPATH=f"{mock}:{folder}", PYTHONDONTWRITEBYTECODE="1")
    done = subprocess.run([sys.executable, "-c", RUN, ",".join(names)], env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"a program does not run: {done.stderr[-1500:]}")
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    problems = []
    unread, made = collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary) / "tree"
        folder.mkdir()
        programs = {f"pkg{i}": Program(f"pkg{i}", rng) for i in range(arguments.count)}
        texts = {name: program.write(folder) for name, program in programs.items()}
        witness = registered(folder, pathlib.Path(temporary) / "mock", list(programs))
        done = subprocess.run([arguments.bin.resolve() / "opledger", "scan", "--dialect", "pytorch-extension"],
                              cwd=folder, capture_output=True, text=True)
        if done.returncode not in (0, 3):
            sys.exit(done.stderr)
        manifest = json.loads(done.stdout)
    found = {operator["name"] for operator in manifest["operators"]}
    reported = {(each["path"].split("/")[0]) for each in manifest["incomplete"] + manifest["dynamic"]}
    for name, program in programs.items():
        names = set(witness[name])
        own = {each for each in found if each.startswith(name + "::")}
        made.update(program.forms[each] for each in names)
        unread.update(program.forms[each] for each in names - own)
        if names - own and name not in reported:
            problems.append(f"silent: {sorted(names - own)}\n{texts[name]}")
        if own - names:
            problems.append(f"invented: {sorted(own - names)}\n{texts[name]}")
    for each in sorted(found - {op for names in witness.values() for op in names}):
        if each.split("::")[0] not in programs:
            problems.append(f"invented: {each}")
    for form, count in sorted(unread.items()):
        if count * 20 > made[form]:
            problems.append(f"{form}: {count} of {made[form]} are not read")
    print(f"{len(programs)} programs, {sum(made.values())} operators, {sum(unread.values())} not read: {dict(unread)}")
    for problem in problems[:12]:
        print(problem)
    print(f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
