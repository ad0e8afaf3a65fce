// Tests nested conditions of real sources. g++ -E evaluates the directives of each and the
// outline's text for them, under random definitions; the two must agree, and the text must not be
// longer than the directives.
//   #if A / #ifdef B / #elif C  ->  A && C && !defined(B)
// Other samples: OPLEDGER_CONDITION_SEED, and OPLEDGER_CONDITION_COUNT for each framework.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <regex>
#include <set>

#include "registry/condition/parser.h"
#include "registry/scan/outline/outline.h"
#include "registry/text/text.h"
#include "tests/rounds.h"
#include "tests/test_data.h"

namespace opledger::scan {
namespace {

namespace fs = std::filesystem;

using Lines = std::vector<std::string>;

// The directives of a conditional up to the branch of a place: "ifdef A", "elif B", "else".
using Group = Lines;
// The conditionals around a place.
using Nesting = std::vector<Group>;

constexpr int kRounds = 30;  // random definitions for each sample

int Given(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::atoi(text);
}

// ---- Sources ----

bool ReadLine(std::istream& in, std::string& line) {
  if (!std::getline(in, line)) return false;
  if (line.ends_with('\r')) line.pop_back();
  return true;
}

// Returns the conditional directive on the line, with continuations joined and comments removed, or
// the first line of a #define; otherwise empty.
std::string DirectiveOn(const std::string& line, std::istream& in) {
  const std::size_t hash = line.find_first_not_of(" \t");
  if (hash == std::string::npos || line[hash] != '#') return {};
  std::string text(Trimmed(std::string_view(line).substr(hash + 1)));
  if (text.starts_with("endif")) return "endif";
  if (!text.starts_with("if") && !text.starts_with("el")) {
    return text.starts_with("define ") ? text : std::string();
  }
  for (std::string next; text.ends_with('\\') && ReadLine(in, next);) {
    text.back() = ' ';
    text += next;
  }
  static const std::regex comment(R"(/\*.*?(\*/|$)|//.*)");
  static const std::regex blanks(R"(\s+)");
  static const std::regex built_in(R"(\b__has_)");  // GCC rejects a #define of these
  text = std::regex_replace(text, comment, " ");
  text = std::regex_replace(text, built_in, "has_");
  return std::string(Trimmed(std::regex_replace(text, blanks, " ")));
}

std::size_t EndOfWord(const std::string& directive) {
  return std::min(directive.find_first_of(" (!"), directive.size());
}

// Adds the nestings of all branches of a file, except its include guard.
void AddNestings(std::istream& in, std::set<Nesting>& nestings) {
  Nesting open;
  bool guarded = false;
  for (std::string line; ReadLine(in, line);) {
    const std::string directive = DirectiveOn(line, in);
    const std::string word = directive.substr(0, EndOfWord(directive));
    if (word == "define" && open.size() == 1 && open[0].size() == 1) {
      const std::string& first = open[0][0];
      guarded |= first.starts_with("ifndef ") &&
                 (directive + " ").starts_with("define" + first.substr(6) + " ");
    } else if (word == "endif" && !open.empty()) {
      open.pop_back();
      guarded &= !open.empty();
    } else if (word == "if" || word == "ifdef" || word == "ifndef") {
      open.push_back({directive});
      nestings.emplace(open.begin() + guarded, open.end());
    } else if ((word == "elif" || word == "else") && !open.empty()) {
      open.back().push_back(word == "else" ? word : directive);
      if (open.size() > static_cast<std::size_t>(guarded)) {
        nestings.emplace(open.begin() + guarded, open.end());
      }
    }
  }
}

std::vector<Nesting> NestingsOf(const fs::path& source) {
  static const std::set<std::string> kinds = {".h",  ".hh",  ".hpp", ".cuh", ".c",
                                              ".cc", ".cpp", ".cu",  ".inl", ".inc"};
  std::set<Nesting> nestings;
  for (const auto& entry : fs::recursive_directory_iterator(source)) {
    if (!entry.is_regular_file() || !kinds.contains(entry.path().extension().string())) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    AddNestings(in, nestings);
  }
  return {nestings.begin(), nestings.end()};
}

std::string TextOf(const Nesting& nesting) {
  std::string text;
  for (const Group& group : nesting) {
    for (const std::string& directive : group) text += "#" + directive + "\n";
  }
  return text;
}

std::string EndsOf(const Nesting& nesting) {
  std::string text;
  for (std::size_t i = 0; i < nesting.size(); ++i) text += "#endif\n";
  return text;
}

// ---- Meaning of directives ----

// Returns the expression of an #if, #ifdef or #elif; nullptr for other directives.
ConditionTree TreeOf(const std::string& directive) {
  const std::string expression(Trimmed(directive.substr(EndOfWord(directive))));
  if (directive.starts_with("ifdef")) return DefinedMacro(expression);
  if (directive.starts_with("ifndef")) return Negation(DefinedMacro(expression));
  return ParseConditionTree(expression);
}

std::size_t TermsOf(const ConditionNode& node) {
  using Kind = ConditionNode::Kind;
  if (node.kind != Kind::kAnd && node.kind != Kind::kOr && node.kind != Kind::kNot) return 1;
  std::size_t terms = 0;
  for (const ConditionTree& operand : node.operands) terms += TermsOf(*operand);
  return terms;
}

struct Sample {
  Nesting nesting;
  std::vector<ConditionTree> asked;  // one for each directive
  ConditionTree plain;               // their conjunction
  Condition condition;
};

// Returns false if a directive is not a valid expression.
bool FillIn(Sample& sample) {
  std::vector<ConditionTree> operands;
  for (const Group& group : sample.nesting) {
    for (const std::string& directive : group) {
      if (directive == "else") continue;
      sample.asked.push_back(TreeOf(directive));
      if (!sample.asked.back()) return false;
      const bool taken = &directive == &group.back();
      operands.push_back(taken ? sample.asked.back() : Negation(sample.asked.back()));
    }
  }
  sample.plain = Conjunction(operands);
  const Outline outline = MakeOutline(TextOf(sample.nesting) + EndsOf(sample.nesting), Dialect());
  sample.condition = outline.StackCondition(static_cast<int>(outline.branches.size()) - 1);
  return true;
}

// ---- The test ----

class RealConditionsTest : public testing::TestWithParam<const char*> {
 protected:
  using Places = std::set<std::pair<std::size_t, int>>;  // sample and round

  void Draw(std::vector<Nesting> nestings);
  std::map<std::string, Lines> ValuesIn(const std::string& text) const;
  std::string Definitions(const std::map<std::string, Lines>& values);
  void Write(const fs::path& file);
  // Returns where the directives hold, and where the text does.
  std::map<std::string, Places> Ask();

  std::mt19937 random_{static_cast<unsigned>(Given("OPLEDGER_CONDITION_SEED", 1))};
  std::vector<Sample> samples_;
};

// At least three quarters of them have several terms.
void RealConditionsTest::Draw(std::vector<Nesting> nestings) {
  const auto count = static_cast<std::size_t>(Given("OPLEDGER_CONDITION_COUNT", Rounds(100)));
  std::size_t simple = 0;
  std::shuffle(nestings.begin(), nestings.end(), random_);
  for (Nesting& nesting : nestings) {
    if (samples_.size() == count) break;
    Sample sample{std::move(nesting), {}, nullptr, {}};
    if (!FillIn(sample) || sample.plain->kind == ConditionNode::Kind::kInteger) continue;
    if (TermsOf(*sample.plain) == 1 && ++simple > count / 4) continue;
    samples_.push_back(std::move(sample));
  }
}

// Returns the macros of the text, with values on both sides of the constants that it compares.
// Calls get any value.
std::map<std::string, Lines> RealConditionsTest::ValuesIn(const std::string& text) const {
  static const std::regex word(R"(\b([A-Za-z_]\w*)( ?\()?)");
  static const std::regex number(R"(\b\d+)");
  static const std::set<std::string> none = {"if",   "ifdef", "ifndef", "elif", "else", "defined",
                                             "true", "false", "and",    "or",   "not"};
  Lines numbers = {"0", "1"};
  for (std::sregex_iterator at(text.begin(), text.end(), number), end; at != end; ++at) {
    const long value = std::strtol(at->str().c_str(), nullptr, 10);
    for (const long near : {value - 1, value, value + 1}) numbers.push_back(std::to_string(near));
  }
  std::map<std::string, Lines> values;
  for (std::sregex_iterator at(text.begin(), text.end(), word), end; at != end; ++at) {
    if (none.contains((*at)[1])) continue;
    values.try_emplace((*at)[1], numbers);
    if ((*at)[2].matched) values[(*at)[1]] = {"(...) 0", "(...) 1"};
  }
  return values;
}

std::string RealConditionsTest::Definitions(const std::map<std::string, Lines>& values) {
  std::string text;
  const unsigned undefined = random_() % 2 == 0 ? 2 : 4;  // one in this many
  for (const auto& [name, choices] : values) {
    const std::string& value = choices[random_() % choices.size()];
    text += "#undef " + name + "\n";
    const bool call = value[0] == '(';
    if (!call && random_() % undefined == 0) continue;
    text += "#define " + name + (call ? "" : " ") + value + "\n";
  }
  return text;
}

void RealConditionsTest::Write(const fs::path& file) {
  std::ofstream out(file);
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    const std::string directives = TextOf(samples_[i].nesting);
    const std::string ends = EndsOf(samples_[i].nesting);
    const std::map<std::string, Lines> values = ValuesIn(directives);
    for (int round = 0; round < kRounds; ++round) {
      const std::string place = " " + std::to_string(i) + " " + std::to_string(round) + "\n";
      out << Definitions(values) << directives << "source" << place << ends << "#if "
          << samples_[i].condition.text() << "\ntext" << place << "#endif\n";
    }
    for (const auto& [name, choices] : values) out << "#undef " << name << "\n";
  }
}

std::map<std::string, RealConditionsTest::Places> RealConditionsTest::Ask() {
  const fs::path folder =
      fs::temp_directory_path() / ("real-conditions-" + std::to_string(getpid()));
  fs::create_directory(folder);
  Write(folder / "in.cpp");
  const std::string command = "g++ -std=c++20 -undef -w -E -P '" + (folder / "in.cpp").string() +
                              "' > '" + (folder / "out").string() + "'";
  EXPECT_EQ(std::system(command.c_str()), 0);
  std::map<std::string, Places> places;
  std::ifstream out(folder / "out");
  std::string kind;
  std::size_t sample = 0;
  for (int round = 0; out >> kind >> sample >> round;) places[kind].insert({sample, round});
  fs::remove_all(folder);
  return places;
}

TEST_P(RealConditionsTest, AgreeWithTheDirectives) {
  const fs::path source = TestData(std::string("source ") + GetParam());
  if (source.empty()) {
    GTEST_SKIP() << "missing: " << GetParam() << "; ci/test-data gets what is missing";
  }
  if (std::system("g++ --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no g++";
  Draw(NestingsOf(source));
  std::map<std::string, Places> places = Ask();
  std::set<std::size_t> taken;
  for (const auto& [sample, round] : places["source"]) taken.insert(sample);
  EXPECT_GT(taken.size(), samples_.size() / 2) << "too few hold under the definitions";
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    const Sample& sample = samples_[i];
    const std::string text = sample.condition.text();
    SCOPED_TRACE(TextOf(sample.nesting) + "is " + text);
    bool agrees = true;
    for (int round = 0; round < kRounds; ++round) {
      agrees &= places["source"].contains({i, round}) == places["text"].contains({i, round});
    }
    EXPECT_TRUE(agrees);
    EXPECT_EQ(Condition::FromExpression(text), sample.condition);
    const ConditionTree tree = ParseConditionTree(text);
    EXPECT_LE(text.size(), ConditionText(*sample.plain).size()) << ConditionText(*sample.plain);
    EXPECT_LE(TermsOf(*tree), TermsOf(*sample.plain)) << ConditionText(*sample.plain);
    // The text of a single directive keeps its words, unless there is one with fewer terms.
    for (const ConditionTree& asked : sample.asked) {
      if (Condition::FromExpression(ConditionText(*asked)) != sample.condition ||
          TermsOf(*tree) < TermsOf(*asked)) {
        continue;
      }
      EXPECT_EQ(ConditionText(*NegatedAtLeaves(tree, false)),
                ConditionText(*NegatedAtLeaves(asked, false)));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Frameworks, RealConditionsTest,
                         testing::Values("mxnet-b84609d3", "onnx-f7546912", "onnxruntime-1.21.0",
                                         "pytorch-2.6.0", "tensorflow-2.14.1", "tvm-v0.18.0"),
                         [](const auto& framework) {
                           const std::string name = framework.param;
                           return name.substr(0, name.find('-'));
                         });

}  // namespace
}  // namespace opledger::scan
