// Follows the control flow within a function. If a condition is unknown, both ways may be taken.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "registry/scan/flow/flow.h"

namespace opledger::scan {
namespace {

constexpr std::string_view kNotReturning[] = {
    "abort", "exit", "_Exit", "quick_exit", "terminate", "__builtin_unreachable", "__builtin_trap"};
// Operators with lower precedence than ?:, and words that an expression follows.
constexpr std::string_view kWeaker[] = {
    ",",  ";",  "=",  "+=",  "-=",  "*=",     "/=",        "%=",
    "&=", "|=", "^=", "<<=", ">>=", "return", "co_return", "throw"};
constexpr int kMaxLambdaHead = 40;  // tokens
constexpr std::string_view kUnevaluated[] = {"decltype", "sizeof", "alignof", "noexcept"};

bool HasAny(const CodeView& view, int begin, int end, std::initializer_list<const char*> words) {
  for (int i = begin; i < end; ++i) {
    if (IsIn(words, view.Text(i))) return true;
  }
  return false;
}

Condition KnownOr(const std::optional<Condition>& test) { return test.value_or(Condition()); }
Condition NotKnownOr(const std::optional<Condition>& test) {
  return test ? test->Not() : Condition();
}

// Returns the '[' of the lambda whose body opens at `open`, before `(...) mutable noexcept ->
// Type`, or -1 if it is not the body of a lambda.
int CaptureOf(const CodeView& view, int open) {
  int i = open - 1;
  for (int steps = 0; steps < kMaxLambdaHead && i >= 0; ++steps, --i) {
    const std::string_view text = view.Text(i);
    if (text == "]") {
      const int capture = view.Partner(i);
      // a[i] {: an index, or the size of an array.
      const bool behind_value = view.Is(capture - 1, ")") || view.Is(capture - 1, "]") ||
                                (view.IsName(capture - 1) && !view.Is(capture - 1, "return"));
      return behind_value ? -1 : capture;
    }
    if (text == ")") {
      const int parameters = view.Partner(i);
      if (view.Is(parameters - 1, "]")) return view.Partner(parameters - 1);
      if (!view.Is(parameters - 1, "noexcept")) return -1;
      i = parameters - 1;
      continue;
    }
    const bool part = view.IsName(i) || text == "->" || text == "::" || text == "*" ||
                      text == "&" || text == "<" || text == ">" || text == ",";
    if (!part || text == "return" || text == "else" || text == "do") return -1;
  }
  return -1;
}

}  // namespace

// The body of a function, a lambda or a statement expression: nothing jumps into it from outside.
Condition CodeFlow::InBody(const CodeView& view, int open, int at, const Condition& around) {
  if (HasJumpInto(view, open, view.Partner(open))) return around;
  return InBlock(view, open, at, around);
}

Condition CodeFlow::InBlock(const CodeView& view, int open, int at, const Condition& around) {
  // Results under bindings must not be cached.
  if (!tests_.bindings.empty()) return InItems(view, ItemsOf(view, open, nullptr), at, around);
  return InItems(view, BlockAt(view, open), at, around);
}

const CodeFlow::Items& CodeFlow::BlockAt(const CodeView& view, int open) {
  const std::pair<const CodeView*, int> key(&view, open);
  if (const auto known = blocks_.find(key); known != blocks_.end()) return known->second;
  return blocks_.emplace(key, ItemsOf(view, open, nullptr)).first->second;
}

Condition CodeFlow::InItems(const CodeView& view, const Items& items, int at,
                            const Condition& around) {
  auto behind = std::upper_bound(items.begin(), items.end(), at,
                                 [](int place, const Item& one) { return place < one.begin; });
  if (behind == items.begin()) return {};
  const Item& item = *std::prev(behind);
  if (at >= item.end) return {};
  return InStatement(view, item.begin, item.end, at,
                     item.entered ? item.reached : around.And(item.reached));
}

Condition CodeFlow::InStatement(const CodeView& view, int begin, int end, int at,
                                const Condition& around) {
  while (view.Is(begin, "[") && view.Is(begin + 1, "[")) begin = view.Next(begin);
  const std::string_view text = view.Text(begin);
  if (text == "{") return InBlock(view, begin, at, around);
  if (LabelEnd(view, begin) > begin) return {};
  if (text == "if") return InIf(view, begin, end, at, around);
  if (text == "for") return InFor(view, begin, end, at, around);
  if (text == "switch") return InSwitch(view, begin, end, at, around);
  if (text == "try") return InTry(view, begin, end, at, around);
  if (text == "while" && view.Is(begin + 1, "(")) {
    const int body = view.Next(begin + 1);
    if (at < body) return InBrackets(view, begin + 1, at, around);
    return InStatement(view, body, end, at,
                       around.And(KnownOr(tests_.Test(view, begin + 2, body - 1))));
  }
  if (text == "do") {
    const int body = StatementEnd(view, begin + 1, end);
    if (at < body) return InStatement(view, begin + 1, body, at, around);
    return view.Is(body + 1, "(") ? InBrackets(view, body + 1, at, around) : Condition();
  }
  if (text == "else" || text == "case" || text == "default") return {};
  for (int i = begin; i < end && !view.Is(i, "=") && !view.Is(i, "("); ++i) {
    // A local class.
    if (view.Is(i, "struct") || view.Is(i, "class") || view.Is(i, "union")) return {};
  }
  return InExpression(view, begin, end, at, around);
}

Condition CodeFlow::InIf(const CodeView& view, int begin, int end, int at,
                         const Condition& around) {
  const IfParts parts = PartsOfIf(view, begin, end);
  if (!view.Is(parts.condition, "(")) return {};  // if consteval
  if (at < parts.then) return InBrackets(view, parts.condition, at, around);
  const std::optional<Condition> test = tests_.Test(view, parts.condition + 1, parts.then - 1);
  if (parts.otherwise > 0 && at >= parts.otherwise) {
    return InStatement(view, parts.otherwise, parts.end, at, around.And(NotKnownOr(test)));
  }
  const int then_end = parts.otherwise > 0 ? parts.otherwise - 1 : parts.end;
  return InStatement(view, parts.then, then_end, at, around.And(KnownOr(test)));
}

// The body runs if the test holds in the first round: for (int i = 3; i < 3; ++i).
Condition CodeFlow::InFor(const CodeView& view, int begin, int end, int at,
                          const Condition& around) {
  const int open = begin + 1;
  if (!view.Is(open, "(")) return {};
  const int close = view.Partner(open);
  int first = open + 1;
  while (first < close && !view.Is(first, ";")) first = view.Next(first);
  int second = first + 1;
  while (second < close && !view.Is(second, ";")) second = view.Next(second);
  const bool counted = second < close;
  if (at < close && (!counted || at < second)) return InBrackets(view, open, at, around);
  if (!counted) return InStatement(view, close + 1, end, at, around);
  const ConstantTests::Bindings outer = tests_.bindings;
  for (int i = open + 1; i < first; i = view.Next(i)) {
    if (!view.Is(i, "=") || !view.IsName(i - 1) || !view.IsName(i - 2)) continue;
    int value_end = i + 1;
    while (value_end < first && !view.Is(value_end, ",")) value_end = view.Next(value_end);
    const std::optional<std::string> value = tests_.TextOf(view, i + 1, value_end);
    const bool counts = view.Is(i - 2, "int") || view.Is(i - 2, "long") || view.Is(i - 2, "bool");
    if (value && counts) tests_.bindings[std::string(view.Text(i - 1))] = *value;
  }
  const std::optional<Condition> test = tests_.Test(view, first + 1, second);
  tests_.bindings = outer;
  const Condition inside = around.And(KnownOr(test));
  if (at < close) return InExpression(view, second + 1, close, at, inside);
  if (const std::optional<LoopHead> head = RoundsOf(view, begin, end)) {
    return InRounds(view, *head, at, inside);
  }
  return InStatement(view, close + 1, end, at, inside);
}

// Returns nullopt if the loop does not count up from one number to another.
std::optional<CodeFlow::LoopHead> CodeFlow::RoundsOf(const CodeView& view, int begin, int end) {
  constexpr long kMaxRounds = 16;
  const int close = view.Partner(begin + 1);
  // ( int i = 0 ; i < 4 ; ++ i )
  const auto number = [&](int at) -> std::optional<long> {
    const std::string_view text = view.Text(at);
    long value = 0;
    for (const char c : text) {
      if (c < '0' || c > '9' || value > kMaxRounds) return std::nullopt;
      value = value * 10 + (c - '0');
    }
    return text.empty() || (text.size() > 1 && text.front() == '0') ? std::nullopt
                                                                    : std::optional(value);
  };
  const int variable = begin + 3;
  const std::string_view name = view.Text(variable);
  const bool upwards = (view.Is(close - 2, "++") && view.Is(close - 1, name)) ||
                       (view.Is(close - 1, "++") && view.Is(close - 2, name));
  const std::optional<long> first = number(variable + 2);
  const std::optional<long> last = number(variable + 6);
  const bool below = view.Is(variable + 5, "<");
  if (close != begin + 13 || !view.Is(begin + 2, "int") || !view.IsName(variable) ||
      !view.Is(variable + 1, "=") || !view.Is(variable + 3, ";") || !view.Is(variable + 4, name) ||
      (!below && !view.Is(variable + 5, "<=")) || !view.Is(variable + 7, ";") || !upwards ||
      !first || !last || MayChange(view, name, close, end)) {
    return std::nullopt;
  }
  return LoopHead{std::string(name), *first, *last + !below, close + 1, end};
}

// The body runs once for each value of the variable.
Condition CodeFlow::InRounds(const CodeView& view, const LoopHead& head, int at,
                             const Condition& around) {
  if (HasLabel(view, head.body, head.end)) {
    return InStatement(view, head.body, head.end, at, around);
  }
  const ConstantTests::Bindings outer = tests_.bindings;
  Condition any = Condition::Never();
  for (long value = head.first; value < head.behind && !any.IsAlways(); ++value) {
    tests_.bindings[head.variable] = std::to_string(value);
    any = any.Or(InStatement(view, head.body, head.end, at, around));
  }
  tests_.bindings = outer;
  return any;
}

Condition CodeFlow::InSwitch(const CodeView& view, int begin, int end, int at,
                             const Condition& around) {
  if (!view.Is(begin + 1, "(")) return {};
  const int body = view.Next(begin + 1);
  if (at < body) return InBrackets(view, begin + 1, at, around);
  if (!view.Is(body, "{") || at >= end) return {};
  const SwitchHead head{begin + 2, body - 1};
  return InItems(view, ItemsOf(view, body, &head), at, around);
}

Condition CodeFlow::InTry(const CodeView& view, int begin, int end, int at,
                          const Condition& around) {
  int part = begin + 1;
  while (part < end) {
    const int next = StatementEnd(view, part, end);
    if (at >= part && at < next) return InStatement(view, part, next, at, around);
    if (!view.Is(next, "catch")) break;
    part = view.Next(next + 1);
  }
  return {};
}

// Returns when the switch jumps to the label that ends at `end`.
Condition CodeFlow::CaseHolds(const CodeView& view, int label, int end, const SwitchHead& head) {
  return KnownOr(tests_.Equal(view, head.begin, head.end, label + 1, end - 1));
}

Condition CodeFlow::NoCaseHolds(const CodeView& view, int open, const SwitchHead& head) {
  Condition none;
  const int close = view.Partner(open);
  for (int i = open + 1; i < close;) {
    const int label = LabelEnd(view, i);
    if (label > i) {
      if (view.Is(i, "case")) {
        none = none.And(NotKnownOr(tests_.Equal(view, head.begin, head.end, i + 1, label - 1)));
      }
      i = label;
      continue;
    }
    i = std::max(StatementEnd(view, i, close), i + 1);
  }
  return none;
}

// Returns the statements of a block and, last, its end. `head`: of a switch.
CodeFlow::Items CodeFlow::ItemsOf(const CodeView& view, int open, const SwitchHead* head) {
  Items items;
  if (++steps_ > kMaxReachSteps) return {{open, open, Condition(), true}};
  Condition reached = head == nullptr ? Condition() : Condition::Never();
  bool entered = false;
  const int close = view.Partner(open);
  const auto pass_gap = [&](int at) {
    for (const Offset place : view.LeavingBefore(at)) {
      reached = reached.And(tests_.Around(place).Not());
    }
  };
  for (int i = open + 1; i < close;) {
    pass_gap(i);
    if (const int label = LabelEnd(view, i); label > i) {
      if (head != nullptr && view.Is(i, "case")) {
        reached = reached.Or(CaseHolds(view, i, label, *head));
      } else if (head != nullptr && view.Is(i, "default")) {
        reached = reached.Or(NoCaseHolds(view, open, *head));
      } else {
        reached = Condition();
        entered = true;
      }
      items.push_back({i, label, reached, entered});
      i = label;
      continue;
    }
    const int end = std::max(StatementEnd(view, i, close), i + 1);
    if (!reached.IsAlways() && view.IsName(i) && !others_.IsTame(view.Text(i))) {
      reached = Condition();  // a macro may be a label or end a block
      entered = true;
    }
    items.push_back({i, end, reached, entered});
    if (HasLabel(view, i, end)) {
      reached = Condition();
      entered = true;
    } else {
      reached = reached.And(Completes(view, i, end));
    }
    i = end;
  }
  pass_gap(close);
  items.push_back({close, close, reached, entered});
  return items;
}

// Returns a condition without which control does not pass from the statement to the next.
Condition CodeFlow::Completes(const CodeView& view, int begin, int end) {
  while (view.Is(begin, "[") && view.Is(begin + 1, "[")) begin = view.Next(begin);
  const std::string_view text = view.Text(begin);
  if (text == "{") {
    const Item last = tests_.bindings.empty() ? BlockAt(view, begin).back()
                                              : ItemsOf(view, begin, nullptr).back();
    return last.entered ? Condition() : last.reached;
  }
  if (text == "if") {
    const IfParts parts = PartsOfIf(view, begin, end);
    const bool has_else = parts.otherwise > 0;
    const Condition then = Completes(view, parts.then, has_else ? parts.otherwise - 1 : parts.end);
    const Condition otherwise =
        has_else ? Completes(view, parts.otherwise, parts.end) : Condition();
    const std::optional<Condition> test = tests_.Test(view, parts.condition + 1, parts.then - 1);
    if (!test) return then.Or(otherwise);
    return test->And(then).Or(test->Not().And(otherwise));
  }
  if (IsIn(kLeaving, text)) return Condition::Never();
  if (text == "while" || text == "for" || text == "do") return LoopCompletes(view, begin, end);
  if (text == "try") {
    Condition any = Condition::Never();
    int part = begin + 1;
    while (part < end) {
      const int next = StatementEnd(view, part, end);
      any = any.Or(Completes(view, part, next));
      if (!view.Is(next, "catch")) break;
      part = view.Next(next + 1);
    }
    return any;
  }
  return NeverReturns(view, begin, end) ? Condition::Never() : Condition();
}

Condition CodeFlow::LoopCompletes(const CodeView& view, int begin, int end) {
  if (HasAny(view, begin, end, {"break", "goto", "co_yield"})) return {};
  for (int i = begin; i < end; ++i) {
    if (view.IsName(i) && !others_.IsTame(view.Text(i))) return {};  // a macro may hide a break
  }
  const bool has_body = view.Is(begin, "do");
  if (has_body) {
    const int body = StatementEnd(view, begin + 1, end);
    if (HasAny(view, begin, end, {"continue"})) return {};
    const Condition once = Completes(view, begin + 1, body);
    const int close = view.Is(body + 1, "(") ? view.Partner(body + 1) : body + 1;
    return once.And(NotKnownOr(tests_.Test(view, body + 2, close)));
  }
  if (!view.Is(begin + 1, "(")) return {};
  const int close = view.Partner(begin + 1);
  if (view.Is(begin, "while")) return NotKnownOr(tests_.Test(view, begin + 2, close));
  int first = begin + 2;
  while (first < close && !view.Is(first, ";")) first = view.Next(first);
  const bool endless = view.Is(first, ";") && view.Is(first + 1, ";");
  return endless ? Condition::Never() : Condition();
}

// Returns whether the statement is a call of abort() or the like.
bool CodeFlow::NeverReturns(const CodeView& view, int begin, int end) {
  const bool standard = view.Is(begin, "std") && view.Is(begin + 1, "::");
  const int name = standard ? begin + 2 : view.Is(begin, "::") ? begin + 1 : begin;
  if (!view.IsName(name) || !view.Is(name + 1, "(") || view.Next(name + 1) != end - 1 ||
      !view.Is(end - 1, ";")) {
    return false;
  }
  const std::string_view called = view.Text(name);
  if (IsIn(kNotReturning, called) && standard) return true;
  bool declared = false;  // with [[noreturn]]
  for (const int mention : code_.Mentions(called)) {
    const TextToken& token = code_.tokens()[mention];
    const CodeView& there = code_.ViewAt(token.begin);
    const int at = there.Find(token.begin);
    if (token.directive || at < 0) return false;
    const bool typed = there.IsName(at - 1) && !there.Is(at - 1, "else") &&
                       !there.Is(at - 1, "do") && !there.Is(at - 1, "return");
    if (!typed && !there.Is(at - 1, "*") && !there.Is(at - 1, "&")) continue;
    int from = at;
    while (from > 0 && !there.Is(from - 1, ";") && !there.Is(from - 1, "}")) --from;
    if (!HasAny(there, from, at, {"noreturn", "_Noreturn", "__noreturn__"})) return false;
    declared = true;
  }
  return declared || IsIn(kNotReturning, called);
}

Condition CodeFlow::InExpression(const CodeView& view, int begin, int end, int at,
                                 Condition around) {
  if (at < begin || at >= end) return around;
  int part = at;  // token at this level of brackets that contains it
  while (view.Parent(part) != view.Parent(begin)) part = view.Parent(part);
  const int inner = part == at ? -1 : part;
  for (int i = part - 1; i >= begin; --i) {
    if (view.Partner(i) < i) i = view.Partner(i);
    if (IsIn(kWeaker, view.Text(i))) begin = i + 1;
  }
  for (int i = view.Next(part); i < end; i = view.Next(i)) {
    if (IsIn(kWeaker, view.Text(i))) end = i;
  }
  for (int i = begin; i < end;) {  // a ? b : c ? d : e
    if (!view.Is(i, "?")) {
      i = view.Next(i);
      continue;
    }
    if (at < i) {
      end = i;
      break;
    }
    int colon = i + 1;
    for (int open = 1; colon < end; colon = view.Next(colon)) {
      open += view.Is(colon, "?");
      if (view.Is(colon, ":") && --open == 0) break;
    }
    const std::optional<Condition> test = tests_.Test(view, begin, i);
    const bool first = at < colon;
    around = around.And(first ? KnownOr(test) : NotKnownOr(test));
    begin = first ? i + 1 : colon + 1;
    if (first) end = colon;
    i = begin;
  }
  // An overloaded operator evaluates both sides.
  const bool overloaded = others_.HasUnreadHeaders() || others_.Names("operator") ||
                          !code_.Mentions("operator").empty();
  for (const std::string_view joins : {"||", "&&"}) {
    if (overloaded) break;
    int operand = begin;
    for (int i = begin; i < end && i <= at; i = view.Next(i)) {
      if (!view.Is(i, joins)) continue;
      const std::optional<Condition> test = tests_.Test(view, operand, i);
      around = around.And(joins == "||" ? NotKnownOr(test) : KnownOr(test));
      operand = i + 1;
    }
    begin = operand;
    for (int i = begin; i < end; i = view.Next(i)) {
      if (i > at && view.Is(i, joins)) end = i;
    }
  }
  return inner < 0 ? around : InBrackets(view, inner, at, around);
}

Condition CodeFlow::InBrackets(const CodeView& view, int open, int at, const Condition& around) {
  const int close = view.Partner(open);
  if (view.Is(open, "(") && IsIn(kUnevaluated, view.Text(open - 1))) return Condition::Never();
  if (!view.Is(open, "{")) return InExpression(view, open + 1, close, at, around);
  if (const int capture = CaptureOf(view, open); capture >= 0) {
    return InBody(view, open, at, around.And(LambdaRuns(view, open, capture)));
  }
  const auto [known, fresh] = has_statements_.try_emplace({&view, open});
  if (fresh) known->second = HasWord(view, open + 1, close, ";");
  if (known->second) {
    return view.Is(open - 1, "(") ? InBody(view, open, at, around) : Condition();
  }
  return InExpression(view, open + 1, close, at, around);
}

}  // namespace opledger::scan
