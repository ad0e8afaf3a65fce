// Translates the condition to that of an #if, which computes small signed integers as C++ does.
// Refuses what an #if may read differently.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/flow/constant_test.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace opledger::scan {
namespace {

constexpr int kMaxNested = 8;  // constants that refer to constants
constexpr std::size_t kMaxExpression = 1000;
constexpr std::size_t kMaxDigits = 9;  // of an int

constexpr std::string_view kConstantOperators[] = {"!",  "&&", "||", "==", "!=", "<", ">",
                                                   "<=", ">=", "+",  "-",  "*",  "/", "%",
                                                   "(",  ")",  "?",  ":",  "&",  "|"};
constexpr std::string_view kSignedTypes[] = {"int", "long", "auto", "int32_t", "int64_t"};
// Words that may precede a name that they do not declare.
constexpr std::string_view kBeforeUses[] = {"return", "case", "else", "co_return", "throw"};

bool IsSmallNumber(std::string_view text) {
  return text.size() <= kMaxDigits &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Returns whether the mention only reads the name: if (on), !on, on && other. A declarator does not
// look like this.
bool OnlyReads(const CodeView& view, int at) {
  constexpr std::string_view kBefore[] = {"(", "!", "&&", "||", "==", "!=", "<=", ">=",    "?",
                                          ":", "+", "-",  "/",  "%",  "<",  "=",  "return"};
  constexpr std::string_view kBehind[] = {"&&", "||", "==", "!=", "<=", ">=", "<",
                                          ">",  "?",  "+",  "-",  "/",  "%"};
  constexpr std::string_view kEnds[] = {";", ")", ",", "]"};  // of an operand
  constexpr std::string_view kTests[] = {"if", "constexpr", "while", "switch"};
  const std::string_view before = view.Text(at - 1);
  if (before == "!") return true;
  if (before == "(" && view.Is(at + 1, ")")) return IsIn(kTests, view.Text(at - 2));
  if (!IsIn(kBefore, before)) return false;
  const std::string_view behind = view.Text(at + 1);
  return IsIn(kBehind, behind) || (before != "(" && IsIn(kEnds, behind));
}

// Returns whether the mention declares the name, or may do so.
bool MayDeclare(const CodeView& view, int at) {
  if (view.IsName(at - 1)) return !IsIn(kBeforeUses, view.Text(at - 1));
  const std::string_view before = view.Text(at - 1);
  if (before != "*" && before != "&" && before != ">" && before != "]") return false;
  const std::string_view next = view.Text(at + 1);
  return next == "=" || next == "," || next == ")" || next == ";" || next == "{" || next == "[" ||
         next == ":";
}

}  // namespace

std::optional<Condition> ConstantTests::Test(const CodeView& view, int begin, int end) {
  if (begin >= end) return std::nullopt;
  return OverDeclarations([&] { return TextOf(view, begin, end); }, view.OffsetOf(begin));
}

std::optional<Condition> ConstantTests::Equal(const CodeView& view, int begin, int end,
                                              int other_begin, int other_end) {
  if (begin >= end || other_begin >= other_end) return std::nullopt;
  const auto make = [&]() -> std::optional<std::string> {
    std::string text = "((";
    if (!Append(view, begin, end, text, 0)) return std::nullopt;
    text += ") == (";
    if (!Append(view, other_begin, other_end, text, 0)) return std::nullopt;
    return text + "))";
  };
  return OverDeclarations(make, view.OffsetOf(begin));
}

// Combines the declarations of a constant, each under the #ifs around it. They must exclude each
// other.
std::optional<Condition> ConstantTests::OverDeclarations(const Make& make, Offset place) {
  undecided_.clear();
  const std::optional<std::string> text = make();
  if (text) return ConditionOf(*text, place);
  if (undecided_.empty() || chosen_.size() >= kMaxNested) return std::nullopt;
  const std::string name = std::exchange(undecided_, {});
  const std::vector<Offset> ways = std::exchange(ways_, {});
  const Condition around = macros_.Around(place);
  Condition all = Condition::Never();
  std::optional<Condition> when = Condition::Never();
  for (const Offset way : ways) {
    const Condition here = macros_.Around(way);
    if (here.IsTooComplex() || here.And(all).CanBeTrue()) when.reset();
    if (!when) break;
    all = all.Or(here);
    chosen_[name] = way;
    const std::optional<Condition> holds = OverDeclarations(make, place);
    when = holds ? std::optional(when->Or(here.And(*holds))) : std::nullopt;
  }
  chosen_.erase(name);
  undecided_.clear();
  return when && around.Implies(all) ? when : std::nullopt;
}

std::optional<std::string> ConstantTests::TextOf(const CodeView& view, int begin, int end) {
  std::string text;
  if (begin >= end || !Append(view, begin, end, text, 0)) return std::nullopt;
  return text;
}

// Returns nullopt if the text depends on more than macros.
std::optional<Condition> ConstantTests::ConditionOf(const std::string& text, Offset place) {
  if (text.size() > kMaxExpression) return std::nullopt;
  Condition condition = macros_.Resolve(text, place);
  if (condition.IsTooComplex()) return std::nullopt;
  Configuration all;
  for (const std::string& macro : condition.Macros()) {
    if (!macros_.IsMacro(macro) && !macros_.IsTested(macro)) return std::nullopt;
    all.undefined.insert(macro);
  }
  const bool open = condition.AnswerIn(all, {}) == ConditionAnswer::kOpen;
  if ((open || condition.HasUnparsable()) && !macros_.IsDecided(condition)) return std::nullopt;
  return condition;
}

bool ConstantTests::Append(const CodeView& view, int begin, int end, std::string& text, int depth) {
  if (depth > kMaxNested) return false;
  for (int at = begin; at < end; ++at) {
    const std::string_view word = view.Text(at);
    text += ' ';
    if (view.IsName(at)) {
      if (!AppendName(view, at, text, depth)) return false;
    } else if (IsSmallNumber(word) || IsIn(kConstantOperators, word)) {
      text += word;
    } else {
      return false;
    }
  }
  return true;
}

// Appends the name at `at`. Moves `at` to the last token of a macro's arguments.
bool ConstantTests::AppendName(const CodeView& view, int& at, std::string& text, int depth) {
  const std::string_view name = view.Text(at);
  if ((name == "true" || name == "false" || name == "nullptr") && !macros_.IsMacro(name)) {
    text += name == "true" ? '1' : '0';
    return true;
  }
  if (const auto bound = bindings.find(name); bound != bindings.end()) {
    text += "(" + bound->second + ")";
    return true;
  }
  if (!macros_.IsMacro(name)) return AppendConstant(view, at, text, depth);
  text += name;
  if (!view.Is(at + 1, "(")) return true;
  const int close = view.Partner(at + 1);
  while (at < close) {
    ++at;
    if (at >= view.size() || (view.IsName(at) && !macros_.IsMacro(view.Text(at)))) return false;
    text += ' ';
    text += view.Text(at);
  }
  return true;
}

// Finds the declarations of the name. Returns false if a mention may be more than a use.
bool ConstantTests::FindDeclarations(std::string_view name, std::vector<Offset>& declared) {
  for (const int mention : code_.Mentions(name)) {
    const TextToken& token = code_.tokens()[mention];
    if (token.directive) return false;
    const CodeView& there = code_.ViewAt(token.begin);
    const int place = there.Find(token.begin);
    if (place < 0) return false;
    if (OnlyReads(there, place)) continue;
    if (!MayDeclare(there, place)) return false;
    declared.push_back(token.begin);
  }
  return !declared.empty();
}

// Appends the value of `constexpr int kName = 3;`. The name must have no other meaning: it is
// declared once, or once in each branch of a conditional, and all other mentions only read it.
bool ConstantTests::AppendConstant(const CodeView& use, int at, std::string& text, int depth) {
  const std::string name(use.Text(at));
  if (macros_.MayBeDeclaredElsewhere(name)) return false;
  std::vector<Offset> ways;
  if (!FindDeclarations(name, ways)) return false;
  const auto chosen = chosen_.find(name);
  if (ways.size() > 1 && chosen == chosen_.end()) {
    undecided_ = name;
    ways_ = std::move(ways);
    return false;
  }
  const Offset way = chosen != chosen_.end() ? chosen->second : ways.front();
  const CodeView& view = ways.size() > 1 ? code_.ViewAt(way) : use;
  const int declared = view.Find(way);
  if (declared < 0 || way > use.OffsetOf(at)) return false;
  const std::string_view type = view.Text(declared - 1);
  bool constant = false;
  for (int i = declared - 1; i >= 0 && view.IsName(i); --i) {
    constant = constant || view.Is(i, "constexpr") || view.Is(i, "const");
    if (view.Is(i, "volatile") || view.Is(i, "unsigned")) return false;
  }
  if (!constant || (type != "bool" && !IsIn(kSignedTypes, type))) return false;
  int begin = declared + 2;
  int end = begin;
  if (view.Is(declared + 1, "{")) {
    end = view.Partner(declared + 1);
  } else if (view.Is(declared + 1, "=")) {
    while (end < view.size() && !view.Is(end, ";") && !view.Is(end, ",")) end = view.Next(end);
  } else {
    return false;
  }
  text += type == "bool" ? "!!(" : "(";
  if (begin >= end || !Append(view, begin, end, text, depth + 1)) return false;
  text += ')';
  return true;
}

}  // namespace opledger::scan
