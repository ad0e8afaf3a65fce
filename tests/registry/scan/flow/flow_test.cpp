// Returns the condition under which code at $ may run: "0" means never, "" always.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/flow/flow.h"

#include <gtest/gtest.h>

namespace opledger::scan {
namespace {

// USE_A and USE_B are macros that a build may define; DONE may contain a label.
class Macros : public MacroTests, public OtherCode {
 public:
  bool MayBeDeclaredElsewhere(std::string_view /*name*/) const override { return false; }
  bool IsMacro(std::string_view name) const override { return name == "USE_A" || name == "USE_B"; }
  bool IsTested(std::string_view) const override { return false; }
  Condition Around(Offset place) const override {
    return outline->StackCondition(outline->BranchAt(place));
  }
  bool IsDecided(const Condition&) const override { return false; }
  Condition Resolve(const std::string& expression, Offset) const override {
    return Condition::FromExpression(expression);
  }
  bool IsShared() const override { return shared; }
  bool HasUnreadHeaders() const override { return unread; }
  bool Names(std::string_view name) const override { return name == "InHeader"; }
  bool IsTame(std::string_view name) const override { return name != "DONE"; }
  bool MayJoin(std::string_view part) const override { return gluing && part == "Kind_"; }

  bool IsWhole(std::string_view name) const override { return name == "REG"; }

  const Outline* outline = nullptr;
  bool shared = false;
  bool unread = false;
  bool gluing = false;
};

std::string Reach(std::string text, Macros macros = {}) {
  const std::size_t place = text.find('$');
  text.replace(place, 1, "R(1);");
  const Outline outline = MakeOutline(text, Dialect());
  macros.outline = &outline;
  CodeFlow flow(text, outline, macros, macros);
  const Condition reach = flow.ReachOf(static_cast<Offset>(place));
  return reach.IsNever() ? "0" : reach.text();
}

// Inside the body of a function that any file may call.
std::string InBody(const std::string& body) { return Reach("void f(int n) {\n" + body + "\n}\n"); }

TEST(CodeFlow, LiteralTests) {
  EXPECT_EQ(InBody("$"), "");
  EXPECT_EQ(InBody("if (false) $"), "0");
  EXPECT_EQ(InBody("if (!(1 > 2)) $"), "");
  EXPECT_EQ(InBody("if (true) ; else { $ }"), "0");
  EXPECT_EQ(InBody("if (n) $ else ;"), "");
  EXPECT_EQ(InBody("if constexpr (0) { if (n) { $ } }"), "0");
  EXPECT_EQ(InBody("if (n) { if (false) $ else $ }"), "0");
  EXPECT_EQ(InBody("if (int x = 0; x) $"), "");
  EXPECT_EQ(InBody("while (0) $"), "0");
  EXPECT_EQ(InBody("do { $ } while (0);"), "");
  EXPECT_EQ(InBody("for (; false;) $"), "0");
  EXPECT_EQ(InBody("for (int i = 3; i < 3; ++i) $"), "0");
  EXPECT_EQ(InBody("for (int i = 0; i < n; ++i) $"), "");
  EXPECT_EQ(InBody("if (n == 0 && false) $"), "");  // n may have any value, even an object
}

TEST(CodeFlow, ConstantsDeclaredInBranches) {
  const std::string declared =
      "#if USE_A\nconstexpr int kC = 3;\n#else\nconst int kC = 1;\n#endif\n";
  const std::string body = "void f() { if (kC > 2) $ }\n";
  EXPECT_EQ(Reach(declared + body), "USE_A");
  EXPECT_EQ(Reach(declared + "constexpr bool kD = kC < 2;\nvoid f() { if (kD) $ }\n"), "!USE_A");
  EXPECT_EQ(Reach(declared + "void f() { switch (kC) { case 1: $ break; case 3: ; } }\n"),
            "!USE_A");
  EXPECT_EQ(Reach("#if USE_A\nconstexpr int kC = 3;\n#endif\n" + body), "")
      << "if it is not declared, it may be something else";
  EXPECT_EQ(Reach("#if USE_A\nconst int kC = 3;\n#endif\nconst int kC = 1;\n" + body), "")
      << "one may hide the other";
}

TEST(CodeFlow, MacrosWithoutArgumentsBeforeNamespaces) {
  EXPECT_EQ(Reach("REG\nnamespace {\nvoid f() { $ }\n}\n"), "0");
  EXPECT_EQ(Reach("OTHER\nnamespace {\nvoid f() { $ }\n}\n"), "");
}

TEST(CodeFlow, MacroTests) {
  EXPECT_EQ(InBody("if (USE_A) $"), "USE_A");
  EXPECT_EQ(InBody("if (USE_A > 1) ; else $"), "USE_A <= 1");
  EXPECT_EQ(InBody("if (USE_A) return; $"), "!USE_A");
  EXPECT_EQ(InBody("if (USE_A) { if (!USE_A) $ }"), "0");
  EXPECT_EQ(Reach("constexpr bool kA = USE_A > 1;\nvoid f() { if (kA) $ }"), "USE_A > 1");
  EXPECT_EQ(Reach("constexpr bool kA = USE_A > 1;\nvoid f(bool kA) { if (kA) $ }"), "");
  EXPECT_EQ(InBody("switch (USE_A) { case 0: ; break; case 1: $ break; default: ; }"),
            "USE_A == 1");
  EXPECT_EQ(InBody("switch (USE_A) { case 0: ; case 1: $ break; default: ; }"),
            "USE_A == 0 || USE_A == 1");
  EXPECT_EQ(InBody("switch (USE_A) { case 0: break; case kOne: $ default: $ }"), "");
  EXPECT_EQ(InBody("switch (n) { case 0: return; $ case 1: ; }"), "0");
}

TEST(CodeFlow, WhatFollows) {
  EXPECT_EQ(InBody("return; $"), "0");
  EXPECT_EQ(InBody("if (n) return; $"), "");
  EXPECT_EQ(InBody("if (n) return; else throw 1; $"), "0");
  EXPECT_EQ(InBody("{ { return; } } $"), "0");
  EXPECT_EQ(InBody("for (;;) { break; $ }"), "0");
  EXPECT_EQ(InBody("for (;;) { if (n) break; } $"), "");
  EXPECT_EQ(InBody("for (;;) { } $"), "0");
  EXPECT_EQ(InBody("while (n) { return; } $"), "");
  EXPECT_EQ(InBody("do { return; } while (n); $"), "0");
  EXPECT_EQ(InBody("do { if (n) break; return; } while (n); $"), "");
  EXPECT_EQ(InBody("try { throw 1; } catch (int) { } $"), "");
  EXPECT_EQ(InBody("try { return; } catch (int) { throw; } $"), "0");
  EXPECT_EQ(InBody("std::abort(); $"), "0");
  EXPECT_EQ(Reach("[[noreturn]] void Stop();\nvoid f() { Stop(); $ }"), "0");
  EXPECT_EQ(Reach("void abort();\nvoid f() { abort(); $ }"), "");
  EXPECT_EQ(InBody("[&] { return; }(); $"), "");
  EXPECT_EQ(InBody("[&] { return; $ }();"), "0");
}

TEST(CodeFlow, Jumps) {
  EXPECT_EQ(InBody("goto end; $ end: ;"), "");
  EXPECT_EQ(InBody("switch (n) { return; while (n) { $ case 1: ; } }"), "");
  EXPECT_EQ(Reach("int a = [] { goto in; return 1; while (n) { $ in: ; } return 0; }();"), "");
  EXPECT_EQ(InBody("if (n) goto in; return; in: $"), "");
  EXPECT_EQ(InBody("if (n) goto in; return; { in: ; } $"), "");
  EXPECT_EQ(InBody("if (n) goto in; if (0) { in: $ }"), "");
  EXPECT_EQ(InBody("switch (n) { if (0) { case 1: $ } }"), "");
  EXPECT_EQ(InBody("return; DONE $"), "");
  EXPECT_EQ(InBody("return; DONE; $"), "");
}

TEST(CodeFlow, Operators) {
  EXPECT_EQ(Reach("bool a = false && R(0), b = $"), "");
  EXPECT_EQ(Reach("bool a = false && $"), "0");
  EXPECT_EQ(Reach("bool a = true || (R(0), $);"), "0");
  EXPECT_EQ(Reach("bool a = true && g() && $"), "");
  EXPECT_EQ(Reach("int a = 1 ? 2 : $"), "0");
  EXPECT_EQ(Reach("int a = USE_A ? 1 : USE_B ? $ : 3;"), "!USE_A && USE_B");
  EXPECT_EQ(Reach("int a = g(false && 1, $);"), "");
  EXPECT_EQ(Reach("using T = decltype($);"), "0");
  EXPECT_EQ(Reach("auto&& a = $"), "");
}

TEST(CodeFlow, Callers) {
  EXPECT_EQ(Reach("static void f() { $ }"), "0");
  EXPECT_EQ(Reach("void f() { $ }"), "");
  EXPECT_EQ(Reach("namespace { void f() { $ } }"), "0");
  EXPECT_EQ(Reach("namespace a { void f() { $ } }"), "");
  EXPECT_EQ(Reach("static void f() { $ } int a = (f(), 0);"), "");
  EXPECT_EQ(Reach("static void f(); static void f() { $ }"), "0");
  EXPECT_EQ(Reach("static void f() { $ f(); }"), "0");
  EXPECT_EQ(Reach("static void f() { $ } static void g() { f(); }"), "0");
  EXPECT_EQ(Reach("static void f() { $ } void g() { if (false) f(); }"), "0");
  EXPECT_EQ(Reach("static void f() { $ } void g() { if (USE_A) f(); }"), "USE_A");
  EXPECT_EQ(Reach("static void f() { $ } auto* p = &f;"), "");
  EXPECT_EQ(Reach("static void f() { $ } S<f> s;"), "");
  EXPECT_EQ(Reach("static void f() { $ }\n#define CALL f()\n"), "");
  EXPECT_EQ(Reach("static void f1() { $ }\n#define CALL(n) f##n()\nint a = CALL(1);"), "");
  EXPECT_EQ(Reach("static void ab() { $ }\n#define CAT(x, y) x##y\nint a = CAT(a, b)();"), "");
  EXPECT_EQ(Reach("static void InHeader() { $ }"), "");
  EXPECT_EQ(Reach("__attribute__((constructor)) static void f() { $ }"), "");
  EXPECT_EQ(Reach("[[gnu::constructor]] static void f() { $ }"), "");
  EXPECT_EQ(Reach("[[maybe_unused]] static void f() { $ }"), "0");
  EXPECT_EQ(Reach("AT_START static void f() { $ }"), "");
  EXPECT_EQ(Reach("BLOCK(a, b) { $ }"), "");
  EXPECT_EQ(Reach("REG(a)\nstatic void f() { $ }"), "0");
  EXPECT_EQ(Reach("ATTRIBUTE(a)\nstatic void f() { $ }"), "");
  EXPECT_EQ(Reach("ATTRIBUTE(a)\ntemplate <class T> void f() { $ }"), "0");
  EXPECT_EQ(Reach("ATTRIBUTE(a) struct C { int own = $ };"), "0");
  EXPECT_EQ(Reach("ATTRIBUTE(a) struct C { int own = $ } c;"), "");
  EXPECT_EQ(Reach("LIST(a) LIST(b)(c)\nstruct C { int own = $ };"), "0");
  EXPECT_EQ(Reach("ON(a, REG(b);)\nstatic void f() { $ }"), "0");
  EXPECT_EQ(Reach("template <class T> void f() { $ }"), "0");
  EXPECT_EQ(Reach("template <class T> void f() { $ } template void f<int>();"), "");
  EXPECT_EQ(Reach("#if 1\nstatic void f() { $ }\n#else\nint a = f();\n#endif\n"), "0");
  EXPECT_EQ(Reach("static void f() { $ }\n#if USE_A\nint a = f();\n#endif\n"), "USE_A");
  EXPECT_EQ(Reach("struct C { C() { $ } };\n#if USE_A\nstatic C c;\n#endif\n"), "USE_A");
  Macros shared;
  shared.shared = true;
  EXPECT_EQ(Reach("static void f() { $ }", shared), "");
}

TEST(CodeFlow, PastedNames) {
  const std::string code = "static void Kind_0() { $ }\nvoid g() { CAT(Kind_, M)(); }\n";
  Macros macros;
  EXPECT_EQ(Reach(code, macros), "0");
  macros.gluing = true;
  EXPECT_EQ(Reach(code, macros), "");
}

TEST(CodeFlow, Arguments) {
  EXPECT_EQ(Reach("static int f(int n) { if (n == 1) $ } int a = f(2), b = f(3);"), "0");
  EXPECT_EQ(Reach("static int f(int n) { if (n == 1) $ } int a = f(2), b = f(1);"), "");
  EXPECT_EQ(Reach("static int f(int n) { if (n == 1) $ } int g(int m) { return f(m); }"), "");
  EXPECT_EQ(Reach("static int f(int n) { n = 1; if (n == 1) $ } int a = f(2);"), "");
  EXPECT_EQ(Reach("static int f(int n) { int& m = n; m = 1; if (n == 1) $ } int a = f(2);"), "");
  EXPECT_EQ(Reach("static int f(int n) { g(n); if (n == 1) $ } int a = f(2);"), "");
  EXPECT_EQ(Reach("static int f(int& n) { if (n == 1) $ } int a = f(2);"), "");
  EXPECT_EQ(Reach("static int f(int n = 1) { if (n == 1) $ } int a = f();"), "");
  EXPECT_EQ(Reach("template <bool B> static int f() { if constexpr (B) $ } int a = f<false>();"),
            "0");
  EXPECT_EQ(Reach("static int f(int) { $ } static int f(const char*) { } int a = f(\"x\");"), "0");
  EXPECT_EQ(Reach("static int f(bool) { $ } static int f(S) { } int a = f(\"x\");"), "");
  EXPECT_EQ(Reach("static int f(int, int) { $ } static int f(int) { } int a = f(1);"), "0");
}

TEST(CodeFlow, ClassesAndLambdas) {
  EXPECT_EQ(Reach("struct C { int own = $ };"), "0");
  EXPECT_EQ(Reach("struct C { int own = $ }; C c;"), "");
  EXPECT_EQ(Reach("struct C { int own = $ } c;"), "");
  EXPECT_EQ(Reach("struct C { C() { $ } static C* Make() { return new C; } };"), "0");
  EXPECT_EQ(Reach("struct C { C() { $ } static inline C* c = new C; };"), "");
  EXPECT_EQ(Reach("struct C { static inline int own = $ };"), "");
  EXPECT_EQ(Reach("struct C { friend void f() { $ } };"), "");
  EXPECT_EQ(Reach("struct C { C(); }; C::C() { $ }"), "");
  EXPECT_EQ(Reach("struct C { int own = $ }; struct D : C { };"), "0");
  EXPECT_EQ(Reach("struct C { int own = $ }; struct D : C { } d;"), "");
  EXPECT_EQ(Reach("struct C { void f() { $ } } c;"), "");
  EXPECT_EQ(Reach("struct C { void f() { $ } } c; int a = (c.f(), 0);"), "");
  EXPECT_EQ(Reach("struct C { virtual void f() { $ } } c;"), "");
  EXPECT_EQ(Reach("struct C : D { void f() { $ } } c;"), "");
  EXPECT_EQ(Reach("struct C { C() { $ } ~C(); } c;"), "");
  EXPECT_EQ(Reach("struct C { void operator()() { $ } } c;"), "");
  Macros unread;
  unread.unread = true;
  EXPECT_EQ(Reach("struct C { void f() { $ } } c;", unread), "");
  EXPECT_EQ(Reach("auto f = [] { $ };"), "0");
  EXPECT_EQ(Reach("auto f = [] { $ }; int a = f();"), "");
  EXPECT_EQ(Reach("int a = [] { $ }();"), "");
  EXPECT_EQ(Reach("int a = g([] { $ });"), "");
}

TEST(CodeFlow, LinesOfBranches) {
  EXPECT_EQ(InBody("#ifdef X\nreturn;\n#endif\n$"), "!defined(X)");
  EXPECT_EQ(InBody("#ifdef X\nif (n) return;\n#endif\n$"), "");
  EXPECT_EQ(InBody("#if USE_A\nn = 2;\nreturn;\n#else\nn = 3;\n#endif\n{ $ }"), "!USE_A");
  EXPECT_EQ(InBody("#ifdef X\nreturn;\n$\n#endif\n"), "0");
  EXPECT_EQ(InBody("#ifdef X\nif (n)\n#endif\nreturn; $"), "");
  EXPECT_EQ(InBody("#ifdef X\nif (0) {\n#else\n{\n#endif\n$ }"), "");
  EXPECT_EQ(InBody("if (0) {\n#ifdef X\n}\n#endif\n$\n#ifndef X\n}\n#endif\n"), "");
}

}  // namespace
}  // namespace opledger::scan
