// A value is a chain: a variable or a call, followed by members, methods and index [0]. Any other
// expression, such as an operator, has an unknown type.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/outline/kernel_values.h"

#include <algorithm>

#include "registry/scan/outline/kernel_bound.h"
#include "registry/text/glob.h"
#include "registry/text/text.h"

namespace opledger::scan {
namespace {

namespace tok = clang::tok;

const std::string kUnknown = "-";

bool IsAmong(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// "*x", "&x", "(x)", "std::move(x)" -> "x".
TokenSpan Bare(TokenSpan value) {
  while (!value.empty()) {
    const bool prefix = value.front().Is(tok::star) || value.front().Is(tok::amp);
    if (prefix) {
      value = value.subspan(1);
    } else if (value.front().Is(tok::l_paren) && BehindBracket(value, 0) == value.size()) {
      value = InsideBracket(value, 0);
    } else if (value.size() > 4 && value[0].Is("std") && value[2].Is("move") &&
               BehindBracket(value, 3) == value.size()) {
      value = InsideBracket(value, 3);
    } else {
      break;
    }
  }
  return value;
}

bool IsAssignment(const TextToken& token) { return token.Is(tok::equal); }

}  // namespace

KernelValues::KernelValues(const std::vector<KernelParameter>& parameters, const ElementTypes& how)
    : how_(how) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const KernelParameter& parameter = parameters[i];
    const std::string result = IsAmong(how.results, parameter.name) ? std::string(1, kResult) : "";
    of_[parameter.name] = result + std::to_string(i);
    if (parameter.constant) constant_.insert(parameter.name);
  }
}

bool KernelValues::IsCheck(std::string_view name) const { return GlobMatchAny(how_.checks, name); }

// Returns whether the tokens name an element type or ask for one.
bool KernelValues::HasType(TokenSpan tokens) const {
  return std::any_of(tokens.begin(), tokens.end(), [&](const TextToken& token) {
    if (!token.Is(tok::raw_identifier)) return false;
    return how_.names.contains(std::string(token.text)) ||
           LowerCase(token.text).find("type") != std::string::npos;
  });
}

// Returns the owner of f(x, ...): that of its first argument, or that of x if an argument is
// x.options().
std::string KernelValues::OwnerOfCall(std::string_view function, TokenSpan arguments) const {
  const std::vector<TokenSpan> parts = SplitArguments(arguments);
  if (!IsAmong(how_.keeps, function) || parts.empty()) return kUnknown;
  for (const TokenSpan part : parts) {
    if (part.size() > 4 && part[part.size() - 3].Is("options")) return OwnerOf(part);
  }
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (HasType(parts[i])) return kUnknown;
  }
  return OwnerOf(parts.front());
}

std::string KernelValues::OwnerOf(TokenSpan value) const {
  value = Bare(value);
  std::size_t at = 0;
  std::string_view name;
  while (at < value.size() && value[at].Is(tok::raw_identifier)) {
    name = value[at].text;
    ++at;
    if (at + 1 >= value.size() || !value[at].Is(tok::coloncolon)) break;
    ++at;
  }
  if (name.empty()) return kUnknown;
  std::string owner = kUnknown;
  const std::size_t behind = BehindTemplateArguments(value, at);
  if (behind < value.size() && value[behind].Is(tok::l_paren)) {
    owner = OwnerOfCall(name, InsideBracket(value, behind));
    at = BehindBracket(value, behind);
  } else if (const auto known = of_.find(name); known != of_.end()) {
    owner = known->second;
  }
  while (at < value.size() && owner != kUnknown) {
    if (value[at].Is(tok::l_square)) {
      // Other elements, such as inputs[1], usually have another type.
      const TokenSpan index = InsideBracket(value, at);
      if (index.size() != 1 || !index.front().Is("0")) return kUnknown;
      at = BehindBracket(value, at);
      continue;
    }
    const bool member = value[at].Is(tok::period) || value[at].Is(tok::arrow);
    if (!member || at + 1 >= value.size() || !IsAmong(how_.keeps, value[at + 1].text)) {
      return kUnknown;
    }
    at = BehindTemplateArguments(value, at + 2);
    if (at < value.size() && value[at].Is(tok::l_paren)) {
      if (HasType(InsideBracket(value, at))) return kUnknown;
      at = BehindBracket(value, at);
    }
  }
  return owner;
}

void KernelValues::Set(std::string_view name, const std::string& owner) {
  const auto [known, fresh] = of_.emplace(name, owner);
  if (!fresh && known->second != owner) known->second = kUnknown;
}

void KernelValues::Lose(std::string_view name) { of_[std::string(name)] = kUnknown; }

// Forgets variables that a call may change because they are passed to it whole, or because their
// address is taken.
void KernelValues::LoseArguments(TokenSpan code) {
  std::vector<bool> harmless;  // by open call; innermost last
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (code[at].Is(tok::l_paren)) {
      const std::size_t begin = BeginOfName(code, at);
      const std::string name = FunctionName(code.subspan(begin, at - begin));
      const std::string last = name.substr(name.rfind(':') + 1);
      harmless.push_back(IsAmong(how_.keeps, last) || IsCheck(last));
    } else if (code[at].Is(tok::r_paren)) {
      if (!harmless.empty()) harmless.pop_back();
    } else if (at > 0 && at + 1 < code.size() && code[at].Is(tok::raw_identifier) &&
               of_.contains(code[at].text) && !constant_.contains(code[at].text)) {
      const TextToken& before = code[at - 1];
      const TextToken& behind = code[at + 1];
      const bool whole = (behind.Is(tok::comma) || behind.Is(tok::r_paren)) &&
                         (before.Is(tok::comma) || before.Is(tok::l_paren));
      const bool address = before.Is(tok::amp) && (at < 2 || !code[at - 2].Is(tok::raw_identifier));
      const bool set = behind.Is(tok::period) && at + 2 < code.size() &&
                       (code[at + 2].text.starts_with("set_") || code[at + 2].Is("swap"));
      const bool given = whole && !harmless.empty() && !harmless.back();
      if (given || address || set) Lose(code[at].text);
    }
  }
}

void KernelValues::Skip(TokenSpan code) {
  for (std::size_t at = 0; at + 1 < code.size(); ++at) {
    if (code[at].Is(tok::raw_identifier) && IsAssignment(code[at + 1])) Lose(code[at].text);
  }
  LoseArguments(code);
}

void KernelValues::Read(TokenSpan statement) {
  if (statement.empty()) return;
  const bool call = statement.size() > 1 && statement[1].Is(tok::l_paren);
  if (call && (IsCheck(statement.front().text))) return;
  for (std::size_t at = 1; at < statement.size(); ++at) {
    const bool assigns = IsAssignment(statement[at]);
    const bool bracket = statement[at].Is(tok::l_paren) || statement[at].Is(tok::l_brace);
    const bool makes = at > 1 && bracket && statement[at - 2].Is(tok::raw_identifier);
    const bool variable = statement[at - 1].Is(tok::raw_identifier);
    if (variable && (assigns || makes)) {
      TokenSpan value = statement.subspan(at + 1);
      if (makes) value = InsideBracket(statement, at);
      const bool reference =
          at > 1 && statement[at - 2].Is(tok::amp) &&
          !constant_.contains(value.empty() ? std::string_view() : value.front().text) &&
          !statement.front().Is("const");
      Set(statement[at - 1].text, OwnerOf(value));
      if (reference && !value.empty()) Lose(value.front().text);
      Skip(value);
      return;
    }
    if (OpensBracket(statement[at].kind)) break;
  }
  const bool declares = statement.size() > 1 && statement.back().Is(tok::raw_identifier) &&
                        statement[statement.size() - 2].Is(tok::raw_identifier);
  if (!declares) Skip(statement);
}

}  // namespace opledger::scan
