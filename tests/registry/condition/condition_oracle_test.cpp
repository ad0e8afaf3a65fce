// Compares conditions with the real preprocessor: random expressions over three macros go into one
// file, which `c++ -E` evaluates; Evaluate must agree. The expressions also serve as samples for
// the laws that hold for all conditions.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "registry/condition/condition.h"
#include "tests/rounds.h"

namespace opledger {
namespace {

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  int Below(int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(random_); }

  std::string Expression(int depth) {
    if (depth == 0 || Below(6) == 0) return Leaf();
    switch (Below(12)) {
      case 0:
        return "!" + Operand(depth);
      case 1:
        return "-" + Operand(depth);
      case 2:
        return "~" + Operand(depth);
      case 3:
        return "+" + Operand(depth);
      case 4:
        return Operand(depth) + "?" + Operand(depth) + ":" + Operand(depth);
      case 5:
        return Operand(depth) + Pick({"/", " % "}) + Pick({"1", "2u", "3", "(-2)", "-1"});
      case 6:
        return Operand(depth) + Pick({" << ", ">>"}) + Pick({"0", "1", "63", "64", "3u"});
      case 7:
      case 8:
        return Operand(depth) + Pick({"&&", " and ", "||", " or "}) + Operand(depth);
      default:
        return Operand(depth) + Pick(kBinary) + Operand(depth);
    }
  }

  Defines RandomDefines() {
    Defines defines;
    for (const char* name : {"A", "B", "C"}) {
      const std::string text = Pick({"-", "0", "1", "2", "3", "-1", "2u", "0x10", "B", "C"});
      if (text != "-") defines[name] = text;
    }
    return defines;
  }

 private:
  std::string Pick(const std::vector<std::string>& choices) {
    return choices[static_cast<std::size_t>(Below(static_cast<int>(choices.size())))];
  }

  // Sometimes without parentheses, to test precedence.
  std::string Operand(int depth) {
    const std::string inner = Expression(depth - 1);
    return Below(3) == 0 && inner[0] != '-' && inner[0] != '+' ? inner : " ( " + inner + ")";
  }

  std::string Leaf() {
    return Pick({"A",
                 "B",
                 "C",
                 "A",
                 "B",
                 "C",
                 "defined A",
                 "defined(B)",
                 "defined ( C )",
                 "0",
                 "1",
                 "2",
                 "3u",
                 "0x1F",
                 "017",
                 "0b101",
                 "1'000",
                 "true",
                 "false",
                 "'a'",
                 "'\\n'",
                 "'\\377'",
                 "'ab'",
                 "0xFFFFFFFFFFFFFFFF",
                 "9223372036854775807LL",
                 "10UL"});
  }

  const std::vector<std::string> kBinary = {
      "==",  " != ", "<", ">",        "<=",       ">=",      "+",     " - ", "*",
      " & ", "|",    "^", " not_eq ", " bitand ", " bitor ", " xor ", " , "};
  std::mt19937 random_;
};

struct Sample {
  std::string expression;
  Defines defines;
};

std::vector<Sample> Samples(int count) {
  Generator generator(20230126);
  std::vector<Sample> samples;
  for (int i = 0; i < count; ++i) {
    std::string expression = generator.Expression(1 + generator.Below(4));
    samples.push_back({std::move(expression), generator.RandomDefines()});
  }
  return samples;
}

class ConditionOracleTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("condition-" + std::to_string(getpid()));
    std::filesystem::create_directory(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Returns 't' or 'f' for each sample as the preprocessor decides; empty without a preprocessor.
  std::string Ask(const std::vector<Sample>& samples) {
    std::ofstream source(folder_ / "conditions.cpp");
    for (const Sample& sample : samples) {
      source << "#undef A\n#undef B\n#undef C\n";
      for (const auto& [name, text] : sample.defines) {
        source << "#define " << name << " " << text << "\n";
      }
      source << "#if " << sample.expression << "\nt\n#else\nf\n#endif\n";
    }
    source.close();
    const std::string command =
        "c++ -std=c++20 -w -E -P '" + (folder_ / "conditions.cpp").string() + "' > '" +
        (folder_ / "out").string() + "' 2> '" + (folder_ / "errors").string() + "'";
    if (std::system("c++ --version > /dev/null 2>&1") != 0) return "";
    EXPECT_EQ(std::system(command.c_str()), 0) << std::ifstream(folder_ / "errors").rdbuf();
    std::ifstream output(folder_ / "out");
    std::string answers;
    for (char c; output >> c;) answers += c;
    return answers;
  }

  std::filesystem::path folder_;
};

TEST_F(ConditionOracleTest, EvaluatesAsThePreprocessorDoes) {
  const std::vector<Sample> samples = Samples(5000);
  const std::string answers = Ask(samples);
  if (answers.empty()) GTEST_SKIP() << "no c++";
  ASSERT_EQ(answers.size(), samples.size());
  int trues = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Condition condition = Condition::FromExpression(samples[i].expression);
    ASSERT_EQ(condition.text().find("unparsable"), std::string::npos) << samples[i].expression;
    const bool expected = answers[i] == 't';
    trues += expected ? 1 : 0;
    std::string defines;
    for (const auto& [name, text] : samples[i].defines) defines += name + "=" + text + " ";
    EXPECT_EQ(condition.Evaluate(samples[i].defines), expected)
        << samples[i].expression << "\n as " << condition.text() << "\n with " << defines;
  }
  EXPECT_GT(trues, 1000);
  EXPECT_LT(trues, 4000);
}

TEST_F(ConditionOracleTest, CanonicalTextMeansTheSameToThePreprocessor) {
  std::vector<Sample> samples = Samples(2000);
  const std::string expected = Ask(samples);
  if (expected.empty()) GTEST_SKIP() << "no c++";
  for (Sample& sample : samples) {
    const std::string text = Condition::FromExpression(sample.expression).text();
    sample.expression = text.empty() ? "1" : text;
  }
  EXPECT_EQ(Ask(samples), expected);
}

TEST(ConditionLawsTest, HoldForAllSamples) {
  const std::vector<Sample> samples = Samples(Rounds(5000));
  int satisfied = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Condition a = Condition::FromExpression(samples[i].expression);
    const Condition b = Condition::FromExpression(samples[(i + 1) % samples.size()].expression);
    const Defines& defines = samples[i].defines;
    SCOPED_TRACE(a.text());
    for (const Condition& each : {a, a.And(b), a.Or(b), a.Not(), a.Or(b).Not()}) {
      EXPECT_EQ(Condition::FromExpression(each.text()), each);
    }
    EXPECT_EQ(a.And(b), b.And(a));
    EXPECT_EQ(a.Or(b), b.Or(a));
    EXPECT_EQ(a.Not().Evaluate(defines), !a.Evaluate(defines));
    EXPECT_EQ(a.And(b).Evaluate(defines), a.Evaluate(defines) && b.Evaluate(defines));
    EXPECT_EQ(a.Or(b).Evaluate(defines), a.Evaluate(defines) || b.Evaluate(defines));
    EXPECT_FALSE(a.And(a.Not()).CanBeTrue());
    EXPECT_TRUE(a.CanBeTrue() || !a.Evaluate(defines));
    if (const std::optional<Defines> found = a.Satisfy(defines)) {
      ++satisfied;
      EXPECT_TRUE(a.CanBeTrue());
      EXPECT_TRUE(a.Evaluate(*found));
      EXPECT_EQ(*found == defines, a.Evaluate(defines));
    } else {
      EXPECT_FALSE(a.Evaluate(defines));
    }
  }
  EXPECT_GT(satisfied, Rounds(3000));
}

TEST(ConditionLawsTest, UnsatisfiableOnesAreNeverTrue) {
  const std::vector<std::string> values = {"-", "0", "1", "2", "3", "4", "-1", "10", "97", "1000"};
  Generator generator(7);
  int refuted = 0;
  for (int i = 0; i < Rounds(3000); ++i) {
    const Condition a = Condition::FromExpression(generator.Expression(2));
    const Condition condition = a.And(Condition::FromExpression(generator.Expression(3)));
    if (condition.CanBeTrue()) continue;
    ++refuted;
    for (const std::string& first : values) {
      for (const std::string& second : values) {
        for (const std::string& third : values) {
          Defines defines = {{"A", first}, {"B", second}, {"C", third}};
          std::erase_if(defines, [](const auto& define) { return define.second == "-"; });
          ASSERT_FALSE(condition.Evaluate(defines)) << condition.text();
        }
      }
    }
  }
  EXPECT_GT(refuted, Rounds(20));
}

std::string Answer(const std::string& text, const Configuration& configuration,
                   std::string_view path) {
  switch (Condition::FromExpression(text).AnswerIn(configuration, path)) {
    case ConditionAnswer::kFalse:
      return "false";
    case ConditionAnswer::kTrue:
      return "true";
    case ConditionAnswer::kOpen:
      break;
  }
  return "open";
}

TEST(ConditionAnswer, KnowsTheCompiler) {
  EXPECT_EQ(Answer("defined(__cplusplus)", {}, "a.cc"), "true");
  EXPECT_EQ(Answer("defined(__GNUC__) && !defined(_WIN32)", {}, "a.cc"), "true");
  EXPECT_EQ(Answer("__GNUC__ >= 9", {}, "a.cc"), "open");
  EXPECT_EQ(Answer("_MSC_VER >= 1900", {}, "a.cc"), "false");
  EXPECT_EQ(Answer("defined(__CUDACC__)", {}, "a.cu"), "true");
  EXPECT_EQ(Answer("defined(__CUDACC__)", {}, "a.cc"), "false");
  EXPECT_EQ(Answer("defined(__CUDACC__)", {}, "a.h"), "open");
  EXPECT_EQ(Answer("defined(__CUDA_ARCH__)", {}, "a.cu"), "false");
}

TEST(ConditionAnswer, UsesTheDefinesOfTheBuild) {
  EXPECT_EQ(Answer("A > 2 && defined(B)", {{{"A", "3"}, {"B", ""}}, {}}, ""), "true");
  EXPECT_EQ(Answer("A == B", {{{"A", "B"}, {"B", "2"}}, {}}, ""), "true");
  EXPECT_EQ(Answer("A", {}, ""), "open");
  EXPECT_EQ(Answer("A", {{}, {"A"}}, ""), "false");
  EXPECT_EQ(Answer("!defined(A)", {{}, {"A"}}, ""), "true");
  EXPECT_EQ(Answer("A || B", {{{"A", "1"}}, {}}, ""), "true");
  EXPECT_EQ(Answer("__GNUC__ >= 9", {{{"__GNUC__", "8"}}, {}}, "a.cc"), "false");
  EXPECT_EQ(Answer("__has_include(<vector>)", {}, "a.cc"), "open");
  EXPECT_EQ(Answer("ENABLED()", {{{"ENABLED()", "1"}}, {}}, "a.cc"), "true");
  EXPECT_EQ(Answer("ENABLED() || 1", {}, "a.cc"), "true");
  EXPECT_EQ(Answer("10 / ZERO", {{{"ZERO", "0"}}, {}}, "a.cc"), "open");
}

TEST(ConditionAnswer, NamesOpenMacros) {
  const auto open = [](const std::string& text, const Configuration& configuration) {
    return Condition::FromExpression(text).OpenIn(configuration, "a.cc");
  };
  using Names = std::set<std::string>;
  EXPECT_EQ(open("A && (B || C())", {{{"A", "1"}}, {}}), (Names{"B", "C()"}));
  EXPECT_EQ(open("A && (B || C())", {{}, {"A"}}), Names());
  EXPECT_EQ(open("A || defined(__cplusplus)", {}), Names());
}

}  // namespace
}  // namespace opledger
