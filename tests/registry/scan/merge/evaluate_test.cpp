// Evaluates expressions; those that cannot be followed are unknown.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/merge/evaluate.h"

#include <gtest/gtest.h>

namespace opledger::scan {
namespace {

class EvaluateTest : public testing::Test {
 protected:
  // Returns the value's text; "?" if it is unknown, or contains something unknown.
  std::string Of(const std::string& expression) {
    Evaluator evaluator(how_);
    definitions_ = FindDefinitions(sources_, how_);
    others_ = FindDefinitions(others_text_, how_);
    evaluator.Add("a.cc", definitions_);
    evaluator.Add("b.cc", others_);
    EvaluationScope scope{"a.cc", {}, {}};
    const LexedText lexed(expression);
    ConstantValue value = evaluator.Evaluate(lexed.tokens, scope);
    return value.IsUnknown() ? "?" : value.Text();
  }

  Evaluation how_{{"std::vector<std::string>", "constexpr bool", "const char*"},
                  {},
                  {{"Tensors", {"tensor({0:lower})"}},
                   {"Map", {"map({0:lower}, {1})"}},
                   {"Concat", {"{0}", "{1}"}}}};
  std::string sources_;
  std::string others_text_;
  std::vector<Definition> definitions_;
  std::vector<Definition> others_;
};

TEST_F(EvaluateTest, Literals) {
  EXPECT_EQ(Of(R"("a" "b\n")"), "ab\n");
  EXPECT_EQ(Of(R"(std::string("a") + "b")"), "ab");
  EXPECT_EQ(Of("-1.5f"), "-1.5");
  EXPECT_EQ(Of("static_cast<int64_t>(3)"), "3");
  EXPECT_EQ(Of("AttributeProto::INT"), "INT");
  EXPECT_EQ(Of(R"({"a", {"b", "c"},})"), "a, b, c");
  EXPECT_EQ(Of(R"(std::vector<std::string>{"a", "b"})"), "a, b");
}

TEST_F(EvaluateTest, WhatIsNotFollowedIsUnknown) {
  for (const char* expression : {"x", "f(1)", "a.b", "1 + 2", "*p", "x ? 1 : 2", "{1, x}", "", "(",
                                 "\"a\" + x", "1 1", "new T(3)", "a < b", "}"}) {
    EXPECT_EQ(Of(expression), "?") << expression;
  }
}

TEST_F(EvaluateTest, Choices) {
  EXPECT_EQ(Of("!true || 1 == 1 ? 2 : 3"), "2");
  EXPECT_EQ(Of("nullptr ? 2 : \"a\" != \"b\" && true ? 4 : 5"), "4");
  EXPECT_EQ(Of("x && false ? 1 : 2"), "2");
}

TEST_F(EvaluateTest, Words) {
  EXPECT_EQ(Of("types::Tensors({TensorProto::FLOAT, TensorProto::INT8})"),
            "tensor(float), tensor(int8)");
  EXPECT_EQ(Of("Map<TensorProto::STRING>(\"float\")"), "map(string, float)");
  EXPECT_EQ(Of("Concat(Tensors({T::A}), Concat({\"b\"}, {\"c\"}))"), "tensor(a), b, c");
  EXPECT_EQ(Of("Tensors({x})"), "?");
  EXPECT_EQ(Of("Map(\"only one\")"), "?");
}

TEST_F(EvaluateTest, FunctionsOfTheSources) {
  sources_ = R"(
    namespace n {
    constexpr bool kMore = true;
    class Types {
      static const std::vector<std::string>& all() { static const auto v = some(kMore, "z"); return v; }
      int other() { const char* local = "not seen outside"; return 0; }
    };
    static std::vector<std::string> some(bool more, const char* last = "y") {
      std::vector<std::string> list;
      list.push_back("a");
      if (!more) return {};
      else { list.insert(list.end(), Types::two().begin(), Types::two().end()); }
      list.emplace_back(last);
      return list;
    }
    std::vector<std::string> two() { return {"b", "c"}; }
    std::vector<std::string> ends() { return ends(); }
    std::vector<std::string> loops() { auto x = two(); for (;;) x.push_back("d"); return x; }
    })";
  EXPECT_EQ(Of("Types::all()"), "a, b, c, z");
  EXPECT_EQ(Of("some(true)"), "a, b, c, y");
  EXPECT_EQ(Of("some(false)"), "");
  EXPECT_EQ(Of("some(x)"), "?");
  EXPECT_EQ(Of("some(true, \"y\", 3)"), "?");
  EXPECT_EQ(Of("ends()"), "?");
  EXPECT_EQ(Of("loops()"), "?");
  EXPECT_EQ(Of("local"), "?");
}

TEST_F(EvaluateTest, TheSameFileComesFirstAndOthersMustAgree) {
  sources_ =
      "const char* kOne = \"here\"; namespace { std::vector<std::string> f() { return {\"a\"}; } }";
  others_text_ = "const char* kOne = \"there\"; const char* kTwo = \"two\";";
  EXPECT_EQ(Of("kOne"), "here");
  EXPECT_EQ(Of("kTwo"), "two");
  others_text_ = "const char* kTwo = \"2\"; namespace b { const char* kTwo = \"two\"; }";
  EXPECT_EQ(Of("kTwo"), "?");
}

TEST_F(EvaluateTest, ABodyWithConditionalsIsNotRead) {
  sources_ = "std::vector<std::string> f() {\n#ifdef X\n  return {\"a\"};\n#endif\n  return {};\n}";
  EXPECT_EQ(Of("f()"), "?");
}

TEST_F(EvaluateTest, DeepAndEndlessSourcesEnd) {
  std::string deep(100'000, '(');
  EXPECT_EQ(Of(deep), "?");
  EXPECT_EQ(Of(std::string(100'000, '!') + "true"), "?");
  std::string choices;
  for (int i = 0; i < 5'000; ++i) choices += "true ? ";
  EXPECT_EQ(Of(choices + "1"), "?");
  sources_ = "std::vector<std::string> f() { return Concat(f(), f()); }";
  EXPECT_EQ(Of("f()"), "?");
  std::string ifs;
  for (int i = 0; i < 4'000; ++i) ifs += "if (true) { ";
  sources_ =
      "std::vector<std::string> f() { " + ifs + "return {};" + std::string(4'000, '}') + " }";
  EXPECT_EQ(Of("f()"), "?");
}

}  // namespace
}  // namespace opledger::scan
