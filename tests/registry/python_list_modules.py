"""Random Python modules of constant lists, in the idioms that frameworks use."""
# SPDX-License-Identifier: Apache-2.0

FEATURES = {"ONEDNN": True, "CUDA": False, "TVM": True}
OPS = ["conv", "add", "softmax", "exp", "nn.relu", "mul", "log", "Cast", "sum", "mean"]
KINDS = ["list", "tuple", "set", "dict"]


class Modules:
    def __init__(self, made):
        self.made = made
        self.names = {}  # name: kind
        self.texts = []
        self.lines = []
        self.count = 0

    def chance(self, part): return self.made.random() < part
    def pick(self, choices): return self.made.choice(choices)

    def fresh(self):
        self.count += 1
        return f"N{self.count}"

    def known(self, *kinds):
        found = [name for name, kind in self.names.items() if kind in (kinds or KINDS)]
        return self.pick(found) if found else None

    def text(self):
        op = self.pick(OPS)
        forms = [repr(op)] * 8 + [f'"{op}" "_x"', f"'{op}' + '_y'", f"f'{op}_{{1 + 1}}'", f"'%s_%d' % ('{op}', 3)",
                                  f"'{{}}_z'.format('{op}')", f"'{op}'.upper()", f"'{op}'.replace('n', 'm')",
                                  f"'{{0}}/{{k}}'.format('{op}', k='v')", f"'_'.join(['{op}', 'q'])"]
        if self.texts:
            forms += [f"{self.pick(self.texts)} + '_t'", f"f'{{{self.pick(self.texts)}}}_f'", self.pick(self.texts)]
        return self.pick(forms)

    def texts_of(self, least=0):
        return ", ".join(self.text() for _ in range(self.made.randint(least, 4)))

    def items(self):
        parts = [self.text() for _ in range(self.made.randint(0, 4))]
        name = self.known("list", "tuple", "set")
        if name and self.chance(0.2):
            parts.insert(self.made.randint(0, len(parts)), f"*{name}")
        return ", ".join(parts)

    def comprehension(self):
        name = self.known()
        source = name if name else f"[{self.texts_of(1)}]"
        value = self.pick(["x", "x", "x + '_c'", "f'{x}_s'", "x.lower()"])
        test = self.pick(["", "", " if x != 'add'", " if x not in ('exp', 'log')", " if x.startswith('s')",
                          " if 'o' in x and len(x) > 3"])
        more = self.pick(["", "", "", " for y in ['p', 'q']"])
        return f"{value + ' + y' if more else value} for x in {source}{more}{test}"

    def sequence(self, kind):
        opening, closing = ("[", "]") if kind == "list" else ("{", "}")
        name, other = self.known(), self.known(kind)
        forms = [f"{opening}{self.items()}{closing}"] * 4 if kind == "list" else [f"{{{self.texts_of(1)}}}"] * 3
        forms += [f"{opening}{self.comprehension()}{closing}", f"{kind}([{self.items()}])", f"{kind}({self.comprehension()})"]
        if kind == "list":
            forms += [f"sorted({{{self.texts_of(1)}}})", f"[{self.texts_of(2)}][1:]", f"list(range({self.made.randint(0, 4)}))[:0]"]
            if other:
                forms += [f"{other} + [{self.items()}]", f"[{self.items()}] + {other}", f"{other}[:]", f"list({other})",
                          f"{other}.copy()", f"{other} * 2", f"{other} if {self.test()} else [{self.texts_of()}]"]
        elif other:
            forms += [f"{other} {op} {{{self.texts_of(1)}}}" for op in "|-&^"]
            forms += [f"{other}.{method}([{self.items()}])" for method in ("union", "difference", "intersection")]
            forms += [f"frozenset({other})", f"{other}.copy()", f"{{*{other}, {self.texts_of(1)}}}"]
        if name:
            forms += [f"{kind}({name})"]
        keyed = self.known("dict")
        if keyed:
            forms += [f"{kind}({keyed}.keys())", f"{opening}k for k, v in {keyed}.items(){closing}"]
        return self.pick(forms)

    def value(self, kind):
        if kind in ("list", "set"):
            return self.sequence(kind)
        if kind == "tuple":
            other = self.known("tuple")
            forms = [f"({self.text()}, {self.text()})", f"tuple({self.sequence('list')})", f"{self.text()}, {self.text()}"]
            return self.pick(forms + ([f"{other} + ({self.text()},)"] if other else []))
        other = self.known("dict")
        pairs = ", ".join(f"{self.text()}: {self.inner()}" for _ in range(self.made.randint(0, 3)))
        forms = [f"{{{pairs}}}", f"{{{pairs}}}", f"dict(a={self.inner()}, b={self.inner()})",
                 f"{{x: 1 for x in [{self.items()}]}}", f"dict([({self.text()}, {self.inner()})])"]
        if other:
            forms += [f"{{**{other}, {self.text()}: {self.inner()}}}", f"{other}.copy()", f"{other} | {{{pairs}}}"]
        return self.pick(forms)

    def inner(self):
        return self.pick([f"[{self.texts_of()}]", f"[{self.texts_of()}]", self.text(), "1", "None", "True"])

    def test(self):
        name = self.known()
        tests = ["True", "not False", "1 < 2", "'a' == 'b'", "'conv' in ['conv']"]
        return self.pick(tests + ([f"{name}", f"len({name}) > 2", f"'add' in {name}"] if name else []))

    def condition(self):
        if self.chance(0.5):
            return self.test()
        feature = self.pick(list(FEATURES))
        return self.pick([f"Features().is_enabled('{feature}')", f"Features.instance.is_enabled('{feature}')",
                          f"not Features().is_enabled('{feature}')",
                          f"Features().is_enabled('{feature}') and Features().is_enabled('TVM')",
                          "os.environ.get('NO_SUCH_NAME')", "os.environ is not None"])

    # Statements.
    def change(self):
        name = self.known()
        if name is None:
            return [f"{self.fresh()} = []"]
        kind = self.names[name]
        if kind == "list":
            return [self.pick([f"{name} += [{self.items()}]", f"{name}.append({self.text()})", f"{name}.extend([{self.items()}])",
                               f"{name}.insert(0, {self.text()})", f"{name}.extend({self.known()})", f"{name}.clear()",
                               f"del {name}[:]", f"{name}[:] = [{self.items()}]",
                               f"if 'conv' in {name}: {name}.remove('conv')", f"{name}.sort()", f"{name}.reverse()"])]
        if kind == "set":
            return [self.pick([f"{name}.add({self.text()})", f"{name}.update([{self.items()}])", f"{name}.discard({self.text()})",
                               f"{name} |= {{{self.texts_of(1)}}}", f"{name} -= {{{self.texts_of(1)}}}",
                               f"{name} &= {{{self.texts_of(2)}, 'conv'}}", f"{name}.difference_update([{self.items()}])",
                               f"{name} ^= {{{self.texts_of(1)}}}"])]
        if kind == "dict":
            return [self.pick([f"{name}[{self.text()}] = {self.inner()}", f"{name}.update({{{self.text()}: {self.inner()}}})",
                               f"{name}.pop({self.text()}, None)", f"{name}.update(k={self.inner()})",
                               f"{name}.setdefault({self.text()}, [])"])]
        return [f"{name} += ({self.text()},)"]

    def body(self):
        lines = []
        for _ in range(self.made.randint(1, 2)):
            lines += self.change()
        return ["    " + line for line in lines]

    def branch(self):
        lines = [f"if {self.condition()}:", *self.body()]
        if self.chance(0.4):
            lines += ["else:", *self.body()]
        return lines

    def loop(self):
        # Copies a list, since the loop may append to the list under another name, endlessly.
        name = self.known("list", "tuple")
        copied = name if name is None or self.names[name] == "tuple" else f"{name}[:]"
        source = self.pick([copied or "['a']", f"[{self.texts_of(1)}]", f"({self.text()}, 'k')"])
        target = self.known("list")
        if target is None:
            return []
        lines = [f"for item in {source}:"]
        if self.chance(0.3):
            lines += [f"    if item == {self.text()}:", f"        {self.pick(['continue', 'break'])}"]
        if self.chance(0.3):
            lines += [f"    if item not in {target}:", f"        {target}.append(item)"]
        else:
            lines += [f"    {target}.append({self.pick(['item', 'item + str(1)', chr(39) + 'l_' + chr(39) + ' + item'])})"]
        return lines

    def function(self):
        name = f"f{self.fresh()}"
        kind = self.pick(["list", "set"])
        lines = [f"def {name}():"]
        if self.chance(0.5):
            lines += [f"    names = list({self.value('list')})", f"    names.append({self.text()})", f"    return {kind}(names)"]
        elif self.chance(0.5):
            lines += [f"    return {self.value(kind)}"]
        else:
            lines += [f"    if {self.test()}:", f"        return {self.value(kind)}", f"    return {self.value(kind)}"]
        if self.chance(0.6):
            used = self.fresh()
            lines += [f"{used} = {name}()"]
            self.names[used] = kind
        return lines

    def with_parameters(self):
        name, used = f"g{self.fresh()}", self.fresh()
        self.names[used] = "list"
        return [f"def {name}(ops, suffix='_d'):", "    out = []", "    for op in ops:", "        out.append(op + suffix)",
                "    return out", f"{used} = {name}([{self.texts_of()}]{self.pick(['', ', suffix=' + self.text()])})"]

    def class_(self):
        name = f"C{self.fresh()}"
        return [f"class {name}:", f"    WHITE = {self.value('list')}", f"    MORE = WHITE + [{self.texts_of()}]",
                f"    SET = {self.value('set')}"]

    def assignment(self):
        if self.chance(0.15):
            name = f"T{self.fresh()}"
            lines = [f"{name} = {self.text()}"]
            self.texts.append(name)
            return lines
        kind = self.made.choices(KINDS, [5, 1, 3, 2])[0]
        name = self.fresh()
        value = self.value(kind)
        self.names[name] = kind
        if self.chance(0.05):
            other = self.fresh()
            self.names[other] = kind
            return [f"{name} = {other} = {value}"]
        return [f"{name} = {value}"]

    def module(self):
        for _ in range(self.made.randint(3, 16)):
            make = self.made.choices([self.assignment, self.change, self.branch, self.loop, self.function,
                                      self.with_parameters, self.class_], [8, 5, 3, 2, 1, 0.5, 0.5])[0]
            self.lines += make()
        return "\n".join(self.lines) + "\n"
