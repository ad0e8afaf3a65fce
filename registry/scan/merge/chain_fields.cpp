// Evaluates calls of the chain and calls that a function makes on the schema it fills, in the same
// way.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/merge/chain_fields.h"

#include <algorithm>
#include <charconv>

namespace opledger::scan {
namespace {

namespace tok = clang::tok;

constexpr int kMaxFillDepth = 20;  // functions that fill, nested

}  // namespace

void ChainFields::Problem(const ChainMethod& rule, TokenSpan argument) {
  problems_->push_back("the argument of ." + rule.method +
                       "() cannot be evaluated: " + CanonicalText(argument));
}

// Returns the argument's value as text. If it cannot be evaluated, reports it and returns it as
// written.
std::string ChainFields::Text(const ChainMethod& rule, TokenSpan argument, EvaluationScope& scope) {
  if (argument.empty()) return {};
  ConstantValue value = evaluator_.Evaluate(argument, scope);
  if (!value.IsUnknown()) return value.Text();
  Problem(rule, argument);
  return CanonicalText(argument);
}

bool ChainFields::IsConstant(TokenSpan argument, EvaluationScope& scope) {
  return argument.empty() || !evaluator_.Evaluate(argument, scope).IsUnknown();
}

void ChainFields::Keep(const ChainMethod& rule, const std::vector<TokenSpan>& arguments,
                       EvaluationScope& scope) {
  // A description that is computed at run time is left out; it is not a fact to check.
  if (rule.field == "description" && !IsConstant(ArgumentAt(arguments, rule.value), scope)) return;
  FieldFact fact;
  fact.field = rule.field;
  fact.value.condition = when_;
  fact.value.key = Text(rule, ArgumentAt(arguments, rule.key), scope);
  fact.value.value = Text(rule, ArgumentAt(arguments, rule.value), scope);
  for (const ChainMethod::Detail& detail : rule.details) {
    TokenSpan argument = ArgumentAt(arguments, detail.argument);
    if (argument.empty()) {
      if (!detail.absent.empty()) fact.value.details[detail.name] = detail.absent;
      continue;
    }
    ConstantValue value = evaluator_.Evaluate(argument, scope);
    bool boolean = value.kind == ConstantValue::Kind::kBoolean;
    if (detail.boolean && *detail.boolean != boolean) continue;
    const auto kept = detail.Kept(value.IsUnknown() ? CanonicalText(argument) : value.Text());
    if (kept) fact.value.details[detail.name] = *kept;
  }
  fact.order =
      static_cast<int>(std::count_if(fields_->begin(), fields_->end(), [&](const FieldFact& other) {
        return other.field == fact.field;
      }));
  if (TokenSpan order = ArgumentAt(arguments, rule.order); !order.empty()) {
    std::string number = Text(rule, order, scope);
    std::from_chars(number.data(), number.data() + number.size(), fact.order);
  }
  fields_->push_back(std::move(fact));
}

void ChainFields::Inside(const ChainMethod& rule, TokenSpan tokens, EvaluationScope& scope) {
  for (std::size_t at = 0; at + 1 < tokens.size(); ++at) {
    if (tokens[at].text != rule.method || tokens[at + 1].kind != tok::l_paren) continue;
    std::size_t close = ClosingBracket(tokens, at + 1);
    if (close >= tokens.size()) return;
    std::vector<TokenSpan> arguments = SplitArguments(InsideBracket(tokens, at + 1));
    // Arguments that are computed at run time are not facts of the registration.
    bool constant = IsConstant(ArgumentAt(arguments, rule.key), scope) &&
                    IsConstant(ArgumentAt(arguments, rule.value), scope);
    if (constant) Keep(rule, arguments, scope);
    at = close;
  }
}

void ChainFields::Method(const std::string& method, const std::vector<TokenSpan>& arguments,
                         EvaluationScope& scope) {
  for (const ChainMethod& rule : dialect_.chain) {
    if (rule.within == method && !rule.within.empty()) {
      for (TokenSpan argument : arguments) Inside(rule, argument, scope);
    }
    if (rule.method != method || !rule.within.empty()) continue;
    if (rule.field == "ignore" || rule.field == "alias") continue;
    if (!rule.populates) {
      Keep(rule, arguments, scope);
      continue;
    }
    TokenSpan argument = ArgumentAt(arguments, rule.value);
    ConstantValue function = evaluator_.Evaluate(argument, scope);
    bool followed = depth_ < kMaxFillDepth;
    ++depth_;
    followed = followed &&
               evaluator_.Populate(
                   function, [this](const std::string& inner, const std::vector<TokenSpan>& given,
                                    EvaluationScope& own) { Method(inner, given, own); });
    --depth_;
    if (!followed) Problem(rule, argument);
  }
}

std::vector<FieldFact> ChainFields::Read(const Registration& registration,
                                         std::vector<std::string>& problems) {
  std::vector<FieldFact> fields;
  evaluator_.Begin();
  fields_ = &fields;
  problems_ = &problems;
  EvaluationScope scope{registration.site.location.path, {}, {}};
  for (const MethodCall& call : registration.calls) {
    when_ = call.condition;
    std::vector<LexedText> tokens;
    tokens.reserve(call.arguments.size());
    std::vector<TokenSpan> arguments;
    for (const std::string& argument : call.arguments) {
      arguments.emplace_back(tokens.emplace_back(argument).tokens);
    }
    Method(call.method, arguments, scope);
  }
  return fields;
}

}  // namespace opledger::scan
