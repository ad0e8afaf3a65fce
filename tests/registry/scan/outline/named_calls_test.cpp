// The uses that FindNamedCalls finds, and their locations.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "registry/scan/outline/named_uses.h"
#include "registry/scan/outline/registration_words.h"

namespace opledger::scan {
namespace {

const char* Word(NamedForm form) {
  switch (form) {
    case NamedForm::kMacro:
      return "macro";
    case NamedForm::kVariable:
      return "variable";
    case NamedForm::kFunction:
      return "function";
    case NamedForm::kMethod:
      return "method";
    default:
      return "table";
  }
}

// Returns "macro REGISTER: A, B" for each use, preceded by "inside" if it is in a function.
std::vector<std::string> UsesIn(const std::string& text) {
  std::vector<std::string> uses;
  for (const NamedUse& use : FindNamedCalls(text).uses) {
    std::string line = use.inside ? "inside " : "";
    line += std::string(Word(use.form)) + ' ' + use.module + (use.module.empty() ? "" : ".") +
            use.name + ':';
    for (const std::string& argument : use.arguments) {
      if (!argument.empty()) line += ' ' + argument;
    }
    uses.push_back(line);
  }
  return uses;
}

using Lines = std::vector<std::string>;

TEST(NamedCalls, OfMacrosAtNamespaceScope) {
  EXPECT_EQ(UsesIn("namespace a::b {\nREGISTER(Abs);\nextern \"C\" {\nREGISTER(Exp)\n}\n}\n"
                   "REGISTER(ns::Log, \"log\", 3);\n"),
            (Lines{"macro REGISTER: Abs", "macro REGISTER: Exp", "macro REGISTER: ns::Log \"log"}));
}

TEST(NamedCalls, NotOfBodies) {
  EXPECT_EQ(UsesIn("void f() { CALL(abs); }\nstruct A { CALL(exp); };\nint x = CALL(log);\n"
                   "template <class T> void g() { CALL(neg); }\nOPEN(One) { CALL(inner); }\n"),
            (Lines{"macro OPEN: One"}));
}

TEST(NamedCalls, OfVariablesAndFunctions) {
  EXPECT_EQ(
      UsesIn("static Registrar<Op> r(\"abs\", f);\nns::Kernel k{\"exp\", f};\n"
             "static int once = Registry::Get()->Register(\"log\");\nint plain(\"no name\");\n"),
      (Lines{"variable Registrar: \"abs f", "variable Kernel: \"exp f",
             "function Register: \"log"}));
}

TEST(NamedCalls, OfMethodsInBlocks) {
  EXPECT_EQ(UsesIn("MODULE(ext, m) {\n  m.def(\"a\", &a).def(\"b\", &b);\n  other.def(\"c\", &c);\n"
                   "  if (true) { m.def(\"d\", [](int x) { return x; }); }\n}\n"
                   "INIT() { Global().def(\"e\", e); }\n"),
            (Lines{"macro MODULE: ext m", "method MODULE.def: \"a", "method MODULE.def: \"b",
                   "method MODULE.def: \"d", "method def: \"e e"}));
}

TEST(NamedCalls, OfWhatRegistersInFunctions) {
  EXPECT_EQ(
      UsesIn(
          "void bind(Module& m) { m.def(\"a\", &a); Other(m).def(\"b\", 1); Register(\"c\"); }\n"),
      (Lines{"inside method def: \"a", "inside function Register: \"c"}));
}

TEST(NamedCalls, AnElseGoesBackToItsIf) {
  EXPECT_EQ(
      UsesIn("#ifdef A\nnamespace x {\nREGISTER(A);\n#else\nnamespace y {\nREGISTER(B);\n#endif\n"
             "}\nREGISTER(C);\n#if Z\nvoid f(int a) {\n#else\nvoid f() {\n#endif\n  CALL(d);\n}\n"
             "REGISTER(E);\n"),
      (Lines{"macro REGISTER: A", "macro REGISTER: B", "macro REGISTER: C", "macro REGISTER: E"}));
}

TEST(NamedCalls, OfTablesOfNamesAlone) {
  EXPECT_EQ(UsesIn("static const char* kNames[] = {\"abs\", \"exp\"};\nint kNumbers[] = {1, 2};\n"
                   "const char* kTexts[] = {\"not a name\", \"abs\"};\n"),
            (Lines{"table kNames: \"abs", "table kNames: \"exp"}));
}

TEST(NamedCalls, ReadToTheEndWhateverIsOpen) {
  for (const char* text : {"REGISTER(", "REGISTER(a, {", "namespace a {", "#if", "#else\n}", "}}}",
                           "MODULE(a, m) { m.def(\"x\"", "static A r(\"", "x = {\"a\",", "((((("}) {
    FindNamedCalls(text);
  }
}

TEST(RegistrationWords, AreWholeWords) {
  EXPECT_EQ(WordsOf("REGISTER_OpKernel2D"), (Lines{"register", "op", "kernel2", "d"}));
  EXPECT_TRUE(NamesRegistration("REGISTER_LAYER"));
  EXPECT_TRUE(NamesRegistration("TORCH_LIBRARY"));
  EXPECT_FALSE(NamesRegistration("REGION_OF"));
  EXPECT_GT(RegistrationWeight("REGISTER_OP"), kRegisters);
  EXPECT_LT(RegistrationWeight("REGISTER_TEST"), 1);
}

TEST(NameIn, IsTheNameOfASchema) {
  EXPECT_EQ(NameIn("add.out(Tensor a, Tensor b) -> Tensor"), "add.out");
  EXPECT_EQ(NameIn("aten::abs"), "aten::abs");
  for (const char* text : {"", "two words", "__init__", "42", "a,b", "(x)"})
    EXPECT_EQ(NameIn(text), "");
}

}  // namespace
}  // namespace opledger::scan
