"""Generates programs that build names in loops, functions, classes and containers, from a seed.

Each is one file with its own namespace that registers at the start of the program and later, in
Load() and LoadNamed(). Programs have no undefined behavior: no overflow, no access out of bounds.
"""
# SPDX-License-Identifier: Apache-2.0

import random

INCLUDES = ("algorithm", "array", "cctype", "functional", "map", "memory", "optional", "set",
            "sstream", "string", "string_view", "tuple", "unordered_map", "utility", "vector")
WORDS = ("abs", "relu", "conv", "pool", "Max", "min_1", "sum", "x", "yz", "Dot")

# Code that the compiler sees, but not the scanner.
OTHER = """#pragma once
#include <string>
#include <vector>
int Ask();
void Touch(std::string& text);
namespace other {
inline const char* const kExtra = "extra";
inline void Grow(std::vector<std::string>& names) { names.push_back("grown"); }
inline std::string Pick(std::string text) { return text + "_picked"; }
struct Holder { std::string* held; explicit Holder(std::string& text) : held(&text) {} ~Holder() { *held += "h"; } };
}
"""


class Program:
    """`doubts`: how many of a hundred statements may do something that no scanner can know."""

    def __init__(self, seed, number, doubts):
        self.random = random.Random(f"{seed}/{number}")
        self.number = number
        self.doubts = doubts
        self.fresh = 0
        self.depth = 0
        self.ints, self.strings, self.lists, self.maps, self.sets = [], [], [], [], []
        self.functions, self.counting = [], []
        self.in_loop = False
        self.globals = []

    def one(self, values):
        return self.random.choice(list(values))

    def chance(self, share):
        return self.random.random() < share

    def name(self, prefix):
        self.fresh += 1
        return f"{prefix}{self.fresh}"

    # Expressions

    def integer(self, depth=0):
        """An int expression from 0 to 255."""
        forms = [lambda: str(self.random.randrange(9))]
        if self.ints:
            forms += [lambda: self.one(self.ints)] * 3
        if self.strings:
            forms += [lambda: f"static_cast<int>({self.one(self.strings)}.size() & 15)",
                      lambda: f"({self.one(self.strings)}.empty() ? 1 : 2)"]
        if self.lists:
            forms += [lambda: f"static_cast<int>({self.one(self.lists)}.size())"]
        if self.maps:
            forms += [lambda: f"static_cast<int>({self.one(self.maps)}.count({self.string(2)}))"]
        if depth < 2:
            deeper = depth + 1
            forms += [
                lambda: f"(({self.integer(deeper)} {self.one('+*^|&')} {self.integer(deeper)}) & 63)",
                lambda: f"({self.integer(deeper)} % {self.random.randrange(2, 7)})",
                lambda: f"({self.integer(deeper)} >> {self.random.randrange(1, 4)})",
                lambda: f"((~{self.integer(deeper)}) & 7)",
                lambda: f"((-{self.integer(deeper)}) & 15)",
                lambda: f"static_cast<int>(static_cast<unsigned char>({self.integer(deeper)} + 250))",
                lambda: f"static_cast<int>((0u - {self.integer(deeper)}) >> 28)",
                lambda: f"({self.condition(deeper)} ? {self.integer(deeper)} : {self.integer(deeper)})",
                lambda: f"Twice({self.integer(deeper)} & 31)",
                lambda: f"Sized<{self.random.randrange(1, 5)}>::kValue",
                lambda: "static_cast<int>(kSecond)",
                lambda: "static_cast<int>(sizeof(short) + sizeof(kTable) / sizeof(kTable[0]))",
            ]
        return self.one(forms)()

    def condition(self, depth=0):
        forms = [lambda: f"{self.integer(2)} {self.one(('<', '>', '==', '!=', '<=', '>='))} {self.integer(2)}"]
        if self.strings:
            forms += [lambda: f"{self.one(self.strings)} {self.one(('==', '!=', '<'))} {self.string(2)}",
                      lambda: f"{self.one(self.strings)}.find({self.literal()}) != std::string::npos",
                      lambda: f"{self.one(self.strings)}.starts_with({self.literal()})"]
        if self.sets:
            forms += [lambda: f"{self.one(self.sets)}.count({self.string(2)}) > 0"]
        if depth < 1:
            forms += [lambda: f"({self.condition(1)} {self.one(('&&', '||'))} {self.condition(1)})",
                      lambda: f"!({self.condition(1)})"]
        if self.chance(self.doubts / 100):
            forms += [lambda: "Ask() > 2"] * 4
        return self.one(forms)()

    def literal(self):
        return f'"{self.one(WORDS)}"'

    def string(self, depth=0):
        """A std::string expression."""
        forms = [lambda: f"std::string({self.literal()})", lambda: f"std::to_string({self.integer(1)})"]
        if self.strings:
            forms += [lambda: self.one(self.strings)] * 3
            forms += [lambda: f"{self.one(self.strings)}.substr(0, {self.integer(2)})"]
        if depth < 2:
            deeper = depth + 1
            forms += [
                lambda: f"({self.string(deeper)} + {self.literal()})",
                lambda: f"({self.literal()} + {self.string(deeper)})",
                lambda: f"({self.string(deeper)} + \"_\" + {self.string(deeper)})",
                lambda: f"({self.condition()} ? {self.string(deeper)} : {self.string(deeper)})",
                lambda: f"std::string({self.integer(2)} & 3, static_cast<char>('a' + {self.integer(2)} % 26))",
                lambda: f"std::string(kTable[{self.integer(2)} % 3])",
                lambda: f"kPairs[{self.integer(2)} % 2].first",
                lambda: f"Joined({self.string(deeper)}, {self.integer(deeper)})",
                lambda: f"Upper({self.string(deeper)})",
                lambda: f"Sized<{self.random.randrange(1, 5)}>::Name()",
                lambda: f"std::string(std::string_view({self.literal()}).substr(1))",
                lambda: f"std::get<0>(std::make_tuple({self.string(deeper)}, {self.integer(2)}))",
                lambda: f"std::optional<std::string>({self.string(deeper)}).value_or(\"none\")",
                lambda: f"Derived({self.string(deeper)}).Name()",
                lambda: f"std::make_unique<Derived>({self.string(deeper)})->Name()",
                lambda: f"Cut(Derived({self.string(deeper)}))",
                lambda: f"[&] {{ return {self.string(deeper)}; }}()",
            ]
        if self.lists:
            def item():
                names = self.one(self.lists)
                return f"({names}.empty() ? std::string(\"none\") : {names}[{self.integer(2)} % {names}.size()])"
            forms += [item] * 2
        for function in self.functions:
            forms += [lambda f=function: f"{f}({self.string(2)}, {self.integer(2)})"]
        if self.chance(self.doubts / 100):
            forms += [lambda: "other::Pick(\"q\")", lambda: "std::string(other::kExtra)"]
        return self.one(forms)()

    # Statements

    def register(self):
        return [f'REGISTER_OP("p{self.number}." + {self.string()});']

    def block(self, count):
        """Statements with their own variables."""
        known = [list(names) for names in (self.ints, self.strings, self.lists, self.maps, self.sets)]
        lines = []
        for _ in range(count):
            lines += self.statement()
        self.ints, self.strings, self.lists, self.maps, self.sets = known
        return ["  " + line for line in lines]

    def declare(self):
        kind = self.random.randrange(8)
        if kind < 2:
            made = self.name("i")
            line = f"int {made} = {self.integer()};"
            self.ints.append(made)
        elif kind < 4:
            made = self.name("s")
            line = f"std::string {made} = {self.string()};"
            self.strings.append(made)
        elif kind < 6:
            made = self.name("v")
            items = ", ".join(self.string(1) for _ in range(self.random.randrange(4)))
            line = f"std::vector<std::string> {made} = {{{items}}};"
            if self.chance(0.2):
                line = f"std::vector<std::string> {made}({self.integer(2)} & 3, {self.string(1)});"
            self.lists.append(made)
        elif kind < 7:
            made = self.name("m")
            line = f"std::map<std::string, int> {made} = {{{{{self.literal()}, {self.integer(2)}}}}};"
            self.maps.append(made)
        else:
            made = self.name("t")
            line = f"std::set<std::string> {made} = {{{self.string(2)}, {self.literal()}}};"
            self.sets.append(made)
        return [line]

    def change(self):
        forms = []
        if self.ints:
            i = self.one(self.ints)
            forms += [lambda: f"{i} = {self.integer()};", lambda: f"{i} = ({i} + {self.integer(2)}) & 63;",
                      lambda: f"{i}++;" if not self.in_loop else f"{i} &= 31;",
                      lambda: f"{i} ^= {self.integer(2)} & 15;"]
        if self.strings:
            s = self.one(self.strings)
            forms += [
                lambda: f"{s} = {self.string()};", lambda: f"{s} += {self.one((self.literal(), self.string(1)))};",
                lambda: f"{s} = {s}.substr(0, 12);", lambda: f"{s}.push_back('z');",
                lambda: f"if (!{s}.empty()) {s}.pop_back();",
                lambda: f"if (!{s}.empty()) {s}[{self.integer(2)} % {s}.size()] = 'Q';",
                lambda: f"{s}.insert({self.integer(2)} % ({s}.size() + 1), {self.literal()});",
                lambda: f"if ({s}.size() > 2) {s}.replace(1, 1, {self.literal()});",
                lambda: f"{s}.append({self.integer(2)} & 1, 'w');",
                lambda: f"{s}.erase({self.integer(2)} % ({s}.size() + 1));",
                lambda: f"for (char& c : {s}) if (c == 'a') c = 'A';",
                lambda: f"std::transform({s}.begin(), {s}.end(), {s}.begin(), ::tolower);",
                lambda: f"{{ std::string& same = {s}; same += {self.literal()}; }}",
                lambda: f"{{ std::string* at = &{s}; *at += {self.literal()}; at->push_back('p'); }}",
                lambda: f"{{ auto add = [&](const std::string& more) {{ {s} += more; }}; add({self.string(2)}); }}",
                lambda: f"{{ std::string taken = std::move({s}); {s} = taken + \"m\"; }}",
                lambda: f"{{ std::ostringstream out; out << {s} << {self.integer(2)} << 'c'; {s} = out.str(); }}",
                lambda: f"Extend({s}, {self.integer(2)} & 3);",
            ]
            forms += [lambda f=function: f"{s} = {f}({self.string(2)}, {self.integer(2)});"
                      for function in self.counting]
            if self.chance(self.doubts / 40):
                forms += [lambda: f"Touch({s});", lambda: f"{{ other::Holder holder({s}); }}",
                          lambda: f"try {{ {s} += \"t\"; if (Ask() > 1) throw 1; }} catch (int) {{ {s} += \"u\"; }}",
                          lambda: f"std::swap({s}, {self.one(self.strings)});"]
        if self.lists:
            v = self.one(self.lists)
            forms += [
                lambda: f"if ({v}.size() < 6) {v}.push_back({self.string()});",
                lambda: f"if ({v}.size() < 6) {v}.emplace_back({self.literal()});",
                lambda: f"if (!{v}.empty()) {v}.pop_back();", lambda: f"std::sort({v}.begin(), {v}.end());",
                lambda: f"std::reverse({v}.begin(), {v}.end());",
                lambda: f"if (!{v}.empty()) {v}.back() += \"b\";",
                lambda: f"if (!{v}.empty()) {v}[{self.integer(2)} % {v}.size()] = {self.string(1)};",
                lambda: f"for (auto& each : {v}) each += \"e\";",
                lambda: f"{{ auto copy = {v}; for (auto& each : copy) each = {self.string(2)}; }}",
                lambda: f"if (!{v}.empty()) {{ auto& same = {v}.front(); same = same.substr(0, 3); }}",
            ]
            if self.chance(self.doubts / 40):
                forms += [lambda: f"other::Grow({v});", lambda: f"{v}.push_back(other::kExtra);",
                          lambda: f"if (!{v}.empty()) {v}[Ask() % {v}.size()] = \"any\";"]
        if self.maps:
            m = self.one(self.maps)
            forms += [lambda: f"{m}[{self.string(2)}] = {self.integer(2)};",
                      lambda: f"{m}[{self.literal()}] += 2;",
                      lambda: f"{m}.insert({{{self.string(2)}, {self.integer(2)}}});",
                      lambda: f"{m}.erase({self.literal()});"]
        if self.sets:
            t = self.one(self.sets)
            forms += [lambda: f"{t}.insert({self.string(1)});",
                      lambda: f"if ({t}.insert({self.string(2)}).second) {' '.join(self.register())}"]
        return [self.one(forms)()] if forms else self.declare()

    def loop(self):
        """A loop over numbers, lists, maps, sets, braces or arrays."""
        kind = self.random.randrange(10)
        outer, self.in_loop = self.in_loop, True
        known = [list(self.ints), list(self.strings)]
        each, number = self.name("e"), self.name("n")
        body_of = lambda: self.block(self.random.randrange(1, 4))
        leave = []
        if self.chance(0.3):
            leave = [f"  if ({self.condition()}) {self.one(('break', 'continue'))};"]
        if kind < 3 or not (self.lists or self.maps or self.sets):
            self.ints.append(number)
            lines = [f"for (int {number} = 0; {number} < {self.random.randrange(1, 4)}; ++{number}) {{"]
            self.ints.remove(number)  # only the loop may change it
            lines += [f"  const int c{number} = {number};"]
            lines += leave + body_of() + ["}"]
        elif kind < 4:
            lines = [f"int {number} = {self.random.randrange(1, 4)};",
                     f"while ({number}-- > 0) {{"] + leave + body_of() + ["}"]
        elif kind < 5:
            lines = [f"int {number} = 0;", "do {"] + body_of() + [f"}} while (++{number} < 2);"]
        elif kind < 6:
            lines = [f"for (const char* {each} : {{\"one\", \"two\", {self.literal()}}}) {{",
                     f"  std::string s{each} = {each};"] + leave
            self.strings.append(f"s{each}")
            lines += body_of() + ["}"]
        elif self.maps and kind < 7:
            over = self.one(self.maps)
            lines = [f"for (const auto& [{each}, {number}] : std::map<std::string, int>({over})) {{",
                     f"  std::string s{each} = {each} + std::to_string({number} & 63);"] + leave
            self.strings.append(f"s{each}")
            lines += body_of() + ["}"]
        elif self.sets and kind < 8:
            over = self.one(self.sets)
            lines = [f"for (const std::string& {each} : std::set<std::string>({over})) {{",
                     f"  std::string s{each} = {each};"] + leave
            self.strings.append(f"s{each}")
            lines += body_of() + ["}"]
        else:
            over = self.one(self.lists) if self.lists else "std::vector<std::string>{\"only\"}"
            lines = [f"for (const auto& {each} : std::vector<std::string>({over})) {{",
                     f"  std::string s{each} = {each};"] + leave
            self.strings.append(f"s{each}")
            lines += body_of() + ["}"]
        self.in_loop = outer
        self.ints, self.strings = known
        return lines

    def switch(self):
        lines = [f"switch ({self.integer()} % 6) {{", "  case 0 ... 1: {"]
        lines += ["  " + line for line in self.block(1)] + ["    break;", "  }", "  case 2: {"]
        lines += ["  " + line for line in self.block(1)]
        lines += ["  }" if self.chance(0.5) else "    break; }", "  case 3: {"]
        lines += ["  " + line for line in self.block(1)] + ["    break;", "  }"]
        if self.chance(0.7):
            lines += ["  default: {"] + ["  " + line for line in self.block(1)] + ["  }"]
        return lines + ["}"]

    def statement(self):
        if self.depth > 2:
            return self.one((self.change, self.register))()
        self.depth += 1
        kind = self.random.random()
        if kind < 0.22:
            lines = self.declare()
        elif kind < 0.52:
            lines = self.change()
        elif kind < 0.70:
            lines = self.register()
        elif kind < 0.84:
            lines = self.loop()
        elif kind < 0.95:
            lines = [f"if ({self.condition()}) {{"] + self.block(self.random.randrange(1, 3))
            if self.chance(0.6):
                lines += ["} else {"] + self.block(self.random.randrange(1, 3))
            lines += ["}"]
        else:
            lines = self.switch()
        self.depth -= 1
        return lines

    def end(self):
        """Registers the final values of the variables."""
        parts = [f'"|" + {s}' for s in self.strings] + [f"std::to_string({i})" for i in self.ints]
        for names in self.lists + self.sets:
            parts.append(f"All({names})")
        parts += [f"Sums({names})" for names in self.maps]
        parts = self.random.sample(parts, min(len(parts), 4))
        return [f'REGISTER_OP("p{self.number}.end." + {" + ".join(["std::string()"] + parts)});']

    def body(self, count):
        lines = []
        for _ in range(count):
            lines += self.statement()
        return ["  " + line for line in lines + self.end()]

    def helper(self):
        """A function of this unit, which may register, too."""
        made = self.name("Make")
        saved = (self.ints, self.strings, self.lists, self.maps, self.sets, self.functions)
        self.ints, self.strings, self.lists, self.maps, self.sets = ["n"], ["a"], [], [], []
        self.functions = []
        lines = [f"{self.one(('static', 'inline static'))} std::string {made}(std::string a, int n) {{"]
        if self.chance(0.15):
            lines += [f"  if (n > 0) return {made}(a, 0) + \"r\";"]
        counts = self.chance(0.3)  # makes the unspecified order of calls in expressions matter
        if counts:
            lines += ["  static int calls = 0;", "  a += std::to_string(++calls & 7);"]
        lines += self.block(self.random.randrange(1, 4))
        if self.chance(0.4):
            lines += [f"  if ({self.condition()}) return {self.string(1)};"]
        lines += [f"  return {self.string(1)}.substr(0, 24);", "}"]
        self.ints, self.strings, self.lists, self.maps, self.sets, self.functions = saved
        (self.counting if counts else self.functions).append(made)
        return lines

    def text(self):
        lines = [f"#include <{name}>" for name in INCLUDES] + ['#include "other/names.h"', ""]
        if not self.doubts:
            lines.remove('#include "other/names.h"')
        lines += [f"namespace p{self.number} {{"] + PRELUDE.splitlines()
        for _ in range(self.random.randrange(3)):
            lines += self.helper()
        if self.chance(0.6):
            self.strings.append("g_text")
            lines += ['static std::string g_text = "g";']
        if self.chance(0.6):
            self.ints.append("g_count")
            lines += ["static int g_count = 1;"]
        if self.chance(0.5):
            lines += [f"static std::vector<std::string> g_names = {{{self.string(2)}, {self.literal()}}};"]
            self.lists.append("g_names")
        for function in self.functions + self.counting:  # otherwise dead code
            lines += [f"static const std::string used_{function} = {function}({self.literal()}, 3);"]
        for _ in range(self.random.randrange(1, 3)):
            start = self.name("start")
            lines += [f"static int {start} = [] {{"] + self.scoped(self.random.randrange(3, 9))
            lines += ["  return 0;", "}();"]
        if self.chance(0.4) and self.lists:
            lines += [f'static bool more = (g_names.push_back("late"), true);']
        if self.chance(0.5):
            made = self.name("Registrar")
            lines += ["namespace {", f"struct {made} {{", f"  explicit {made}(std::string a) {{"]
            self.strings.append("a")
            lines += ["  " + line for line in self.scoped(2)] + ["  }", "};"]
            self.strings.remove("a")
            lines += [f"{made} made_{made}{{{self.string(2)}}};", "}"]
        lines += ["void Load() {"]
        if self.chance(0.5):
            if not self.chance(self.doubts / 30):  # what may have changed by then is unknown
                self.ints, self.strings, self.lists, self.counting = [], [], [], []
            lines += self.scoped(3)
        lines += ["}"]
        lines += ["static void AddAll(const std::string& a) { REGISTER_OP(\"p%d.all.\" + a); }" % self.number,
                  "static int all = (AddAll(\"start\"), 0);", "void LoadNamed(const std::string& given) {"]
        lines += ["  AddAll(given);"] if self.chance(self.doubts / 100) else ['  AddAll("fixed");']
        return "\n".join(lines + ["  (void)given;", "}", "}", ""])

    def scoped(self, count):
        known = [list(names) for names in (self.ints, self.strings, self.lists, self.maps, self.sets)]
        lines = self.body(count)
        self.ints, self.strings, self.lists, self.maps, self.sets = known
        return lines


PRELUDE = """enum Kind { kFirst, kSecond = 5 };
static const char* const kTable[] = {"t0", "t1", "t2"};
static const std::pair<std::string, int> kPairs[] = {{"pa", 1}, {"pb", 2}};
constexpr int Twice(int n) { return n * 2; }
template <int n> struct Sized {
  static constexpr int kValue = n * 3;
  static std::string Name() { return "sized" + std::to_string(n); }
};
static std::string Joined(const std::string& a, int n) {
  if (n == 0) return a;
  return Joined(a.substr(0, 10), n > 4 ? 3 : n - 1) + std::to_string(n);
}
static std::string Upper(std::string a) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<char>(std::toupper(a[i]));
  return a;
}
static void Extend(std::string& a, int n) { while (n-- > 0) a += 'n'; a = a.substr(0, 20); }
struct Base {
  std::string text;
  explicit Base(const std::string& a) : text(a) {}
  virtual ~Base() = default;
  virtual std::string Kind() const { return "base"; }
  std::string Name() const { return Kind() + "." + text; }
};
struct Derived : Base {
  explicit Derived(const std::string& a) : Base(a + "_d") {}
  std::string Kind() const override { return "derived"; }
};
static std::string Cut(Base base) { return base.Name(); }
template <class T> std::string All(const T& names) {
  std::string all = "[";
  for (const auto& name : names) all += name.substr(0, 6) + ",";
  return all;
}
template <class T> std::string Sums(const T& counts) {
  std::string all = "{";
  for (const auto& entry : counts) all += entry.first.substr(0, 6) + std::to_string(entry.second) + ",";
  return all;
}"""


def generate(seed, count, doubts):
    """Returns the text of each program; every other one sometimes does what no scanner can know."""
    return [Program(seed, number, doubts if number % 2 else 0).text() for number in range(count)]
