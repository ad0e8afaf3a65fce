// Converts the condition to disjunctive normal form while reading it.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/tokens/kernel_condition.h"

#include <algorithm>

#include "registry/scan/tokens/kernel_call.h"

namespace opledger::scan {
namespace {

namespace tok = clang::tok;

constexpr std::size_t kMaxAlternatives = 64;

using Alternatives = std::vector<KernelAlternative>;

// Splits the tokens at operators of the kind outside brackets.
std::vector<TokenSpan> Operands(TokenSpan tokens, tok::TokenKind between) {
  std::vector<TokenSpan> operands;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (OpensBracket(tokens[i].kind)) i = std::min(ClosingBracket(tokens, i), tokens.size() - 1);
    if (tokens[i].kind != between) continue;
    operands.push_back(tokens.subspan(begin, i - begin));
    begin = i + 1;
  }
  operands.push_back(tokens.subspan(begin));
  return operands;
}

// Removes parentheses around the whole.
TokenSpan Inside(TokenSpan tokens) {
  while (tokens.size() > 2 && tokens.front().kind == tok::l_paren &&
         ClosingBracket(tokens, 0) + 1 == tokens.size()) {
    tokens = tokens.subspan(1, tokens.size() - 2);
  }
  return tokens;
}

class ConditionReader {
 public:
  ConditionReader(const Dialect& dialect, TypeLists& lists, const KernelCall& call)
      : dialect_(dialect), lists_(lists), call_(call) {}

  Alternatives Read(TokenSpan tokens);

 private:
  Alternatives All(const std::vector<TokenSpan>& operands);
  Alternatives Compare(TokenSpan tokens);
  Alternatives Unread(TokenSpan tokens);
  std::string VariableOf(TokenSpan call) const;
  // Returns whether the tokens are "ns::name(...)".
  static bool IsCallOf(TokenSpan tokens, const std::string& name);

  const Dialect& dialect_;
  TypeLists& lists_;
  const KernelCall& call_;
};

Alternatives ConditionReader::Read(TokenSpan tokens) {
  const std::vector<TokenSpan> any = Operands(tokens, tok::pipepipe);
  if (any.size() > 1) {
    Alternatives ways;
    for (TokenSpan operand : any) {
      for (KernelAlternative& way : Read(operand)) ways.push_back(std::move(way));
    }
    if (ways.size() <= kMaxAlternatives) return ways;
    lists_.NoteCut();
    return Unread(tokens);
  }
  const std::vector<TokenSpan> all = Operands(tokens, tok::ampamp);
  if (all.size() > 1) {
    Alternatives ways = All(all);
    return ways.empty() ? Unread(tokens) : ways;
  }
  const TokenSpan inside = Inside(tokens);
  return inside.size() < tokens.size() ? Read(inside) : Compare(tokens);
}

// Returns an empty vector if there are too many.
Alternatives ConditionReader::All(const std::vector<TokenSpan>& operands) {
  Alternatives ways(1);
  for (TokenSpan operand : operands) {
    const Alternatives further = Read(operand);
    if (ways.size() * further.size() > kMaxAlternatives) {
      lists_.NoteCut();
      return {};
    }
    Alternatives both;
    for (const KernelAlternative& way : ways) {
      for (const KernelAlternative& other : further) {
        KernelAlternative& one = both.emplace_back(way);
        if (!other.device.empty()) one.device = other.device;
        for (const auto& [variable, types] : other.types) {
          const auto [known, fresh] = one.types.try_emplace(variable, types);
          if (!fresh && known->second != types) known->second = {{}, "two types at once"};
        }
      }
    }
    ways = std::move(both);
  }
  return ways;
}

Alternatives ConditionReader::Compare(TokenSpan tokens) {
  std::vector<TokenSpan> sides = Operands(tokens, tok::equalequal);
  if (sides.size() != 2) return Unread(tokens);
  for (TokenSpan& side : sides) side = Inside(side);
  const auto is_asked = [&](TokenSpan side) {
    return IsCallOf(side, call_.condition_device) || IsCallOf(side, call_.condition_dtype);
  };
  if (is_asked(sides[1])) std::swap(sides[0], sides[1]);
  KernelAlternative way;
  if (IsCallOf(sides[0], call_.condition_device)) {
    way.device = DeviceOf(dialect_, sides[1]);
  } else if (IsCallOf(sides[0], call_.condition_dtype)) {
    AddKernelTypes(dialect_, lists_, DenseText(sides[1]), way.types[VariableOf(sides[0])]);
  } else {
    return Unread(tokens);
  }
  return {way};
}

// Types that the condition tests in another way may have any value.
Alternatives ConditionReader::Unread(TokenSpan tokens) {
  KernelAlternative way;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].text != call_.condition_dtype || tokens[i + 1].kind != tok::l_paren) continue;
    const std::size_t end = std::min(ClosingBracket(tokens, i + 1) + 1, tokens.size());
    way.types[VariableOf(tokens.subspan(i, end - i))].unread = CanonicalText(tokens);
  }
  return {way};
}

// Type("in", 0) -> "in"; Type("in", 1) -> "in[1]"
std::string ConditionReader::VariableOf(TokenSpan call) const {
  std::size_t open = 0;
  while (open < call.size() && call[open].kind != tok::l_paren) ++open;
  if (open + 1 >= call.size()) return {};
  const std::vector<TokenSpan> arguments =
      SplitArguments(call.subspan(open + 1, call.size() - open - 2));
  if (arguments.empty()) return {};
  std::string name = StringValue(arguments[0]).value_or(CanonicalText(arguments[0]));
  const std::string index = arguments.size() > 1 ? CanonicalText(arguments[1]) : "0";
  return index == "0" ? name : name + "[" + index + "]";
}

bool ConditionReader::IsCallOf(TokenSpan tokens, const std::string& name) {
  std::size_t i = 0;
  while (i + 1 < tokens.size() && tokens[i + 1].kind == tok::coloncolon) i += 2;
  if (!tokens.empty() && tokens[0].kind == tok::coloncolon) i = 1;
  while (i + 1 < tokens.size() && tokens[i + 1].kind == tok::coloncolon) i += 2;
  return i + 1 < tokens.size() && tokens[i].text == name && !name.empty() &&
         tokens[i + 1].kind == tok::l_paren && ClosingBracket(tokens, i + 1) + 1 == tokens.size();
}

}  // namespace

std::vector<KernelAlternative> KernelAlternatives(const Dialect& dialect, TypeLists& lists,
                                                  const KernelCall& call, TokenSpan condition) {
  return ConditionReader(dialect, lists, call).Read(condition);
}

}  // namespace opledger::scan
