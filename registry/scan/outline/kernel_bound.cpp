// Combines the bounds of a body's statements from the last to the first: a statement is only
// reached if none before it returns.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/outline/kernel_bound.h"

#include <algorithm>
#include <optional>
#include <set>

#include "registry/text/text.h"

namespace opledger::scan {
namespace {

namespace tok = clang::tok;

constexpr int kMaxNesting = 200;  // nested blocks and macros
constexpr std::size_t kMaxBoundBytes = 4096;
constexpr std::size_t kMaxExpandedOfFunction = 1 << 20;  // bytes of macros expanded in one function
const std::string kAny = "*";
const std::string kNone = "-";  // result of KernelValues::OwnerOf

std::string All(const std::string& a, const std::string& b) {
  if (a == kAny) return b;
  if (a.size() + b.size() <= kMaxBoundBytes) return b == kAny ? a : "& 2 " + a + " " + b;
  const std::string cut = "& 2 " + std::string(kCutBound) + " ";
  return b.starts_with(cut) ? b : cut + b;
}
std::string Either(const std::string& a, const std::string& b) {
  if (a == kAny || b == kAny) return kAny;
  const bool cut = a.size() + b.size() > kMaxBoundBytes;
  return cut ? std::string(kCutBound) : "| 2 " + a + " " + b;
}

// Effect of a statement: its bound, whether it always returns, and whether it may return.
struct Flow {
  std::string bound = kAny;
  bool returns = false;
  bool may_return = false;
};

struct Nested {
  explicit Nested(int& depth) : depth(depth) { ++depth; }
  ~Nested() { --depth; }
  Nested(const Nested&) = delete;
  Nested& operator=(const Nested&) = delete;
  int& depth;
};

bool Holds(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

class BodyReader {
 public:
  BodyReader(const std::vector<KernelParameter>& parameters, const FunctionMacros& macros,
             const ElementTypes& how)
      : macros_(macros), how_(how), values_(parameters, how) {}

  Flow Statements(TokenSpan tokens);

 private:
  Flow Statement(TokenSpan tokens, std::size_t& at);
  Flow If(TokenSpan tokens, std::size_t& at);
  Flow Opaque(TokenSpan tokens, std::size_t& at);
  std::string Expression(TokenSpan tokens);
  std::string Chosen(TokenSpan call, std::size_t open);
  std::string Switch(const std::string& of, TokenSpan cases);
  std::string Lambda(TokenSpan tokens);
  std::string Function(TokenSpan name, TokenSpan arguments);
  std::string Tested(TokenSpan condition) const;
  std::string Test(TokenSpan condition) const;
  bool IsNothing(TokenSpan condition) const;
  bool MayReturn(TokenSpan statement) const;
  std::optional<Flow> Macro(TokenSpan statement);
  bool AddSet(std::string_view name, std::set<std::string>& types) const;
  std::size_t PrefixOf(std::string_view macro) const;
  bool AddType(TokenSpan token, std::set<std::string>& types) const;
  std::optional<std::set<std::string>> TypesOf(std::string_view macro,
                                               const std::vector<TokenSpan>& parts,
                                               std::size_t& further) const;
  std::string Limit(const std::string& of, const std::set<std::string>& types) const;

  const FunctionMacros& macros_;
  const ElementTypes& how_;
  KernelValues values_;
  int depth_ = 0;
  std::size_t expanded_ = 0;
};

bool HoldsWord(TokenSpan tokens, std::string_view word) {
  return std::any_of(tokens.begin(), tokens.end(), [&](const TextToken& t) { return t.Is(word); });
}

std::size_t Semicolon(TokenSpan tokens, std::size_t at) {
  while (at < tokens.size() && !tokens[at].Is(tok::semi)) {
    at = OpensBracket(tokens[at].kind) ? BehindBracket(tokens, at) : at + 1;
  }
  return std::min(at, tokens.size());
}

Flow BodyReader::Statements(TokenSpan tokens) {
  if (depth_ > kMaxNesting) return {std::string(kCutBound), true, true};
  const Nested nested(depth_);
  std::vector<Flow> all;
  for (std::size_t at = 0; at < tokens.size();) all.push_back(Statement(tokens, at));
  Flow whole;
  for (auto flow = all.rbegin(); flow != all.rend(); ++flow) {
    whole.may_return |= flow->may_return;
    if (flow->returns) {
      whole.bound = flow->bound;
      whole.returns = true;
    } else if (flow->may_return) {
      whole.bound = Either(flow->bound, whole.bound);
    } else {
      whole.bound = All(flow->bound, whole.bound);
    }
  }
  return whole;
}

Flow BodyReader::Statement(TokenSpan tokens, std::size_t& at) {
  const TextToken& first = tokens[at];
  if (first.directive) {  // the branch that applies is not known
    at = tokens.size();
    return {kAny, true, true};
  }
  if (first.Is(tok::l_brace)) {
    const TokenSpan inside = InsideBracket(tokens, at);
    at = BehindBracket(tokens, at);
    return Statements(inside);
  }
  if (first.Is("if")) return If(tokens, at);
  for (const char* word : {"for", "while", "do", "switch", "try", "case", "goto", "default"}) {
    if (first.Is(word)) return Opaque(tokens, at);
  }
  const std::size_t end = Semicolon(tokens, at);
  TokenSpan statement = tokens.subspan(at, end - at);
  at = end + 1;
  if (std::any_of(statement.begin(), statement.end(),
                  [](const TextToken& token) { return token.directive; })) {
    return {kAny, true, true};
  }
  if (first.Is("return")) return {Expression(statement.subspan(1)), true, true};
  if (std::optional<Flow> macro = Macro(statement)) return *macro;
  const Flow flow{Expression(statement), false, MayReturn(statement)};
  values_.Read(statement);
  return flow.may_return ? Flow{kAny, false, true} : flow;
}

// Returns whether the statement is a macro of another file that may return: a name in capitals that
// the dialect does not know.
bool BodyReader::MayReturn(TokenSpan statement) const {
  if (statement.empty() || !statement.front().Is(tok::raw_identifier)) return false;
  const std::string_view name = statement.front().text;
  const bool capitals = name.size() > 1 && std::none_of(name.begin(), name.end(), [](char c) {
                          return c >= 'a' && c <= 'z';
                        });
  const bool call = statement.size() == 1 || statement[1].Is(tok::l_paren);
  return capitals && call && PrefixOf(name) == 0 && !values_.IsCheck(name);
}

// If the statement is a macro of the file, returns the effect of its expansion; otherwise nullopt.
std::optional<Flow> BodyReader::Macro(TokenSpan statement) {
  if (statement.size() < 3 || !statement[1].Is(tok::l_paren) ||
      BehindBracket(statement, 1) != statement.size()) {
    return std::nullopt;
  }
  const auto [first, last] = macros_.equal_range(statement.front().text);
  if (first == last) return std::nullopt;
  std::optional<Flow> any;
  for (auto macro = first; macro != last; ++macro) {
    const std::string text = Expanded(*macro->second, SplitArguments(InsideBracket(statement, 1)));
    expanded_ += text.size() + 1;
    if (expanded_ > kMaxExpandedOfFunction) return Flow{std::string(kCutBound), true, true};
    const Flow one = Statements(LexedText(text, Directives::kConditionals).tokens);
    if (!any) {
      any = one;
    } else {
      any = Flow{Either(any->bound, one.bound), any->returns && one.returns,
                 any->may_return || one.may_return};
    }
  }
  return any;
}

// A loop may run zero times; what it returns is not followed.
Flow BodyReader::Opaque(TokenSpan tokens, std::size_t& at) {
  const std::size_t begin = at;
  bool block = false;
  while (at < tokens.size() && !block && !tokens[at].Is(tok::semi)) {
    block = tokens[at].Is(tok::l_brace);
    at = OpensBracket(tokens[at].kind) ? BehindBracket(tokens, at) : at + 1;
  }
  if (at < tokens.size() && tokens[at].Is(tok::semi)) ++at;
  values_.Skip(tokens.subspan(begin, at - begin));
  const bool returns = HoldsWord(tokens.subspan(begin, at - begin), "return") ||
                       tokens[begin].Is("goto") || tokens[begin].Is("try");
  return {kAny, false, returns};
}

Flow BodyReader::If(TokenSpan tokens, std::size_t& at) {
  if (depth_ > kMaxNesting) {
    Flow cut = Opaque(tokens, at);
    cut.bound = kCutBound;
    return cut;
  }
  const Nested nested(depth_);
  ++at;
  if (at < tokens.size() && tokens[at].Is("constexpr")) ++at;
  if (at >= tokens.size() || !tokens[at].Is(tok::l_paren)) return Opaque(tokens, at);
  const std::size_t open = at;
  at = BehindBracket(tokens, at);
  const TokenSpan condition = InsideBracket(tokens, open);
  if (at >= tokens.size()) return {};
  Flow then = Statement(tokens, at);
  then.bound = All(Tested(condition), then.bound);
  Flow otherwise;
  if (at < tokens.size() && tokens[at].Is("else")) {
    ++at;
    if (at < tokens.size()) otherwise = Statement(tokens, at);
  } else if (then.returns && IsNothing(condition)) {
    return {};  // nothing is computed, so the type does not matter
  } else if (then.returns) {
    return {then.bound, false, true};
  }
  if (then.returns != otherwise.returns) {  // the one that does not return continues
    return {then.returns ? then.bound : otherwise.bound, false, true};
  }
  const bool may_return = then.may_return || otherwise.may_return;
  if (may_return && !then.returns) return {kAny, false, true};
  return {Either(then.bound, otherwise.bound), then.returns, may_return};
}

// Returns whether the condition means that nothing is computed: "x.numel() == 0 || req[0] ==
// kNullOp".
bool BodyReader::IsNothing(TokenSpan condition) const {
  const auto is_part = [&](TokenSpan part) {
    const std::size_t size = part.size();
    if (size < 3 || !part[size - 2].Is(tok::equalequal)) return false;
    const TokenSpan value = part.first(size - 2);
    const bool plain = std::none_of(value.begin(), value.end(), [](const TextToken& token) {
      return !token.Is(tok::raw_identifier) && !token.Is(tok::period) && !token.Is(tok::arrow) &&
             !token.Is(tok::coloncolon) && !token.Is(tok::l_paren) && !token.Is(tok::r_paren) &&
             !token.Is(tok::l_square) && !token.Is(tok::r_square) && token.text != "0";
    });
    const bool counts =
        part.back().Is("0") && std::any_of(value.begin(), value.end(),
                                           [&](auto& t) { return Holds(how_.nothing, t.text); });
    return plain && (counts || Holds(how_.nothing, part.back().text));
  };
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= condition.size(); ++at) {
    if (at < condition.size() && !condition[at].Is(tok::pipepipe)) continue;
    if (!is_part(condition.subspan(begin, at - begin))) return false;
    begin = at + 1;
  }
  return true;
}

// Returns the types for which the condition may hold: "x == kBool || isIntegralType(x)".
std::string BodyReader::Tested(TokenSpan condition) const {
  std::string any;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= condition.size();) {
    if (at == condition.size() || condition[at].Is(tok::pipepipe)) {
      const std::string one = Test(condition.subspan(begin, at - begin));
      any = any.empty() ? one : Either(any, one);
      begin = ++at;
    } else {
      at = OpensBracket(condition[at].kind) ? BehindBracket(condition, at) : at + 1;
    }
  }
  return any;
}

std::string BodyReader::Test(TokenSpan condition) const {
  std::set<std::string> types;
  for (std::size_t at = 0; at < condition.size(); ++at) {
    if (condition[at].Is(tok::ampamp) || condition[at].Is(tok::exclaim) ||
        condition[at].Is(tok::question)) {
      return kAny;
    }
    const auto predicate = how_.predicates.find(std::string(condition[at].text));
    if (predicate != how_.predicates.end() && at + 1 < condition.size()) {
      const std::size_t end = BehindBracket(condition, at + 1);
      return Limit(values_.OwnerOf(condition.subspan(at + 1, end - at - 1)),
                   {predicate->second.begin(), predicate->second.end()});
    }
    if (condition[at].Is(tok::equalequal) && AddType(condition.subspan(at + 1), types)) {
      return Limit(values_.OwnerOf(condition.first(at)), types);
    }
  }
  return kAny;
}

bool BodyReader::AddSet(std::string_view name, std::set<std::string>& types) const {
  const auto set = how_.sets.find(std::string(name));
  if (set == how_.sets.end()) return false;
  types.insert(set->second.begin(), set->second.end());
  return true;
}

// Adds a type or set of types: at::ScalarType::Half, kHalf, AT_EXPAND(AT_ALL_TYPES)
bool BodyReader::AddType(TokenSpan token, std::set<std::string>& types) const {
  std::string last;
  for (const TextToken& part : token) {
    if (part.Is(tok::raw_identifier)) last = part.text;
  }
  if (how_.values.contains(last)) {
    const auto& set = how_.values.find(last)->second;
    types.insert(set.begin(), set.end());
    return true;
  }
  const auto name = how_.names.find(last);
  if (name == how_.names.end()) return false;
  types.insert(name->second);
  return true;
}

// Returns the length of the prefix that marks macros which choose code by type; 0 if it has none.
std::size_t BodyReader::PrefixOf(std::string_view macro) const {
  for (const std::string& prefix : how_.prefixes) {
    if (macro.starts_with(prefix)) return prefix.size();
  }
  return 0;
}

// Returns the types of a macro such as FLOATING_TYPES_AND2, whose first two arguments (`further`)
// are more types.
std::optional<std::set<std::string>> BodyReader::TypesOf(std::string_view macro,
                                                         const std::vector<TokenSpan>& parts,
                                                         std::size_t& further) const {
  std::set<std::string> types;
  further = 0;
  if (AddSet(macro, types)) return types;
  if (const auto first = how_.listed_first.find(std::string(macro));
      first != how_.listed_first.end()) {
    further = static_cast<std::size_t>(first->second);
    if (parts.size() < further) return std::nullopt;
    for (std::size_t i = 0; i < further; ++i) {
      if (!AddType(parts[i], types)) return std::nullopt;
    }
    return types;
  }
  const std::size_t digits = macro.find_last_not_of("0123456789") + 1;
  const std::string_view count = macro.substr(digits);
  further = count.empty() ? 1 : count.size() == 1 ? static_cast<std::size_t>(count[0] - '0') : 99;
  const std::string_view stem = macro.substr(0, digits);
  const std::string_view more = "_AND";
  if (!stem.ends_with(more) || !AddSet(stem.substr(0, stem.size() - more.size()), types) ||
      parts.size() < further) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < further; ++i) {
    if (!AddType(parts[i], types)) return std::nullopt;
  }
  return types;
}

std::string BodyReader::Limit(const std::string& of, const std::set<std::string>& types) const {
  if (of == kNone) return kAny;
  std::string text = "t " + of + " " + std::to_string(types.size());
  for (const std::string& type : types) text += " " + type;
  return text;
}

std::string BodyReader::Lambda(TokenSpan tokens) {
  const auto brace = std::find_if(tokens.begin(), tokens.end(),
                                  [](const TextToken& token) { return token.Is(tok::l_brace); });
  if (brace == tokens.end()) return kAny;
  const auto open = static_cast<std::size_t>(brace - tokens.begin());
  return Statements(InsideBracket(tokens, open)).bound;
}

// Macros with integer types only usually choose by an index, not by an operand.
bool MayBeOperand(const std::set<std::string>& types) {
  return std::any_of(types.begin(), types.end(), [](const std::string& type) {
    return type.find("float") != std::string::npos || type.starts_with("complex");
  });
}

// Reads SWITCH(type, name, CASE(kHalf, [&] {...}) CASE_FLOATING_TYPES([&] {...}))
std::string BodyReader::Switch(const std::string& of, TokenSpan cases) {
  std::string any;
  std::set<std::string> all;
  for (std::size_t at = 0; at + 1 < cases.size(); ++at) {
    const std::string_view name = cases[at].text;
    if (!cases[at].Is(tok::raw_identifier) || !cases[at + 1].Is(tok::l_paren)) {
      if (name == "case") return kAny;  // a plain case label
      continue;
    }
    if (!name.starts_with(how_.case_prefix)) return kAny;
    const std::size_t end = BehindBracket(cases, at + 1);
    const TokenSpan inside = InsideBracket(cases, at + 1);
    const std::vector<TokenSpan> parts = SplitArguments(inside);
    std::set<std::string> types;
    std::size_t further = 0;
    if (name.size() == how_.case_prefix.size()) {
      if (parts.empty() || !AddType(parts.front(), types)) return kAny;
    } else {
      const auto read = TypesOf(name.substr(how_.case_prefix.size() + 1), parts, further);
      if (!read) return kAny;
      types = *read;
    }
    all.insert(types.begin(), types.end());
    const std::string one = All(Limit(of, types), Lambda(inside));
    any = any.empty() ? one : Either(any, one);
    at = end - 1;
  }
  return MayBeOperand(all) ? any : kAny;
}

// Called at the bracket of a macro that chooses code by type.
std::string BodyReader::Chosen(TokenSpan call, std::size_t open) {
  const std::string_view macro = call[open - 1].text;
  const std::string_view name = macro.substr(PrefixOf(macro));
  const TokenSpan inside = InsideBracket(call, open);
  const std::vector<TokenSpan> parts = SplitArguments(inside);
  std::size_t further = 0;
  if (name == how_.switches && parts.size() > 2) {
    const auto rest = static_cast<std::size_t>(parts[2].data() - inside.data());
    return Switch(values_.OwnerOf(parts[0]), inside.subspan(rest));
  }
  if (name == how_.listed && parts.size() > 3) {
    std::set<std::string> types;
    for (std::size_t i = 3; i < parts.size(); ++i) {
      if (!AddType(parts[i], types)) return kAny;
    }
    return All(MayBeOperand(types) ? Limit(values_.OwnerOf(parts[0]), types) : kAny,
               Lambda(parts[2]));
  }
  if (Holds(how_.unrelated, name)) return Lambda(inside);
  const auto types = TypesOf(name, parts, further);
  if (!types || parts.size() < further + 3) return kAny;
  const std::string of = MayBeOperand(*types) ? values_.OwnerOf(parts[further]) : kNone;
  return All(Limit(of, *types), Lambda(inside));
}

// Bound of a call of f, ns::f or Class::f<...>; keeps the last two parts of the name.
std::string BodyReader::Function(TokenSpan name, TokenSpan arguments) {
  std::string text = "c " + FunctionName(name);
  const std::vector<TokenSpan> parts = SplitArguments(arguments);
  text += " " + std::to_string(parts.size());
  for (TokenSpan part : parts) {
    text += " " + values_.OwnerOf(part);
  }
  return text;
}

// Bound of the call in NAME(...) or x = NAME(...).
std::string BodyReader::Expression(TokenSpan tokens) {
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    if (!tokens[at].Is(tok::l_paren) && !tokens[at].Is(tok::l_brace)) continue;
    const std::size_t begin = BeginOfName(tokens, at);
    if (begin == at || tokens[at].Is(tok::l_brace)) return kAny;
    const std::string_view name = tokens[at - 1].text;
    const std::size_t end = BehindBracket(tokens, at);
    if (PrefixOf(name) > 0) return Chosen(tokens, at);
    if (end != tokens.size()) return kAny;
    const TokenSpan inside = InsideBracket(tokens, at);
    const auto [first, last] = macros_.equal_range(name);
    if (first == last) {
      const bool member =
          begin > 0 && (tokens[begin - 1].Is(tok::period) || tokens[begin - 1].Is(tok::arrow));
      return member ? kAny : Function(tokens.subspan(begin, at - begin), inside);
    }
    std::string any;
    for (auto macro = first; macro != last; ++macro) {
      const std::string text = Expanded(*macro->second, SplitArguments(inside));
      expanded_ += text.size() + 1;
      if (expanded_ > kMaxExpandedOfFunction) return std::string(kCutBound);
      const std::string one = Statements(LexedText(text, Directives::kConditionals).tokens).bound;
      any = any.empty() ? one : Either(any, one);
    }
    return any;
  }
  return kAny;
}

}  // namespace

std::size_t BeginOfName(TokenSpan tokens, std::size_t end) {
  std::size_t at = end;
  while (at > 0) {
    std::size_t word = at;
    if (tokens[word - 1].Is(tok::greater) || tokens[word - 1].Is(tok::greatergreater)) {
      int depth = 0;
      while (word > 0) {
        const TextToken& token = tokens[--word];
        depth += token.Is(tok::greater) ? 1 : token.Is(tok::greatergreater) ? 2 : 0;
        depth -= token.Is(tok::less) ? 1 : 0;
        if (depth <= 0 || token.Is(tok::semi)) break;
      }
      if (depth != 0) return at;
    }
    if (word == 0 || !tokens[word - 1].Is(tok::raw_identifier)) return at;
    at = word - 1;
    if (at == 0 || !tokens[at - 1].Is(tok::coloncolon)) return at;
    --at;
  }
  return at;
}

std::size_t BehindTemplateArguments(TokenSpan tokens, std::size_t at) {
  if (at >= tokens.size() || !tokens[at].Is(tok::less)) return at;
  int depth = 0;
  for (std::size_t i = at; i < tokens.size(); ++i) {
    if (tokens[i].Is(tok::semi) || tokens[i].Is(tok::l_brace)) return at;
    depth += tokens[i].Is(tok::less) ? 1 : 0;
    depth -= tokens[i].Is(tok::greater) ? 1 : tokens[i].Is(tok::greatergreater) ? 2 : 0;
    if (depth <= 0) return i + 1;
  }
  return at;
}

std::string FunctionName(TokenSpan tokens) {
  std::string last;
  std::string before;
  int depth = 0;
  for (const TextToken& token : tokens) {
    depth += token.Is(tok::less) ? 1 : 0;
    depth -= token.Is(tok::greater) ? 1 : token.Is(tok::greatergreater) ? 2 : 0;
    if (depth != 0 || !token.Is(tok::raw_identifier)) continue;
    before = std::move(last);
    last = token.text;
  }
  return before.empty() ? last : before + "::" + last;
}

std::string Expanded(const MacroDefinition& macro, const std::vector<TokenSpan>& arguments) {
  const LexedText definition(macro.text);
  const MacroParts parts = PartsOfMacro(definition.tokens);
  std::map<std::string_view, std::string> values;
  auto text_of = [](TokenSpan tokens) {
    return Join(tokens, " ", [](const TextToken& token) { return token.text; });
  };
  for (std::size_t i = 0; i < parts.parameters.size(); ++i) {
    const bool rest = parts.variadic && i + 1 == parts.parameters.size();
    std::string value = i < arguments.size() ? text_of(arguments[i]) : std::string();
    for (std::size_t j = i + 1; rest && j < arguments.size(); ++j) {
      value += " , " + text_of(arguments[j]);
    }
    values[parts.parameters[i]] = std::move(value);
  }
  std::string text;
  bool glue = false;
  for (const TextToken& token : parts.body) {
    if (token.Is(tok::hashhash)) {
      glue = true;
      continue;
    }
    const auto value = values.find(token.text);
    if (!glue) text += ' ';
    text += value == values.end() ? token.text : std::string_view(value->second);
    glue = false;
  }
  return text;
}

std::string BoundOf(TokenSpan body, const std::vector<KernelParameter>& parameters,
                    const FunctionMacros& macros, const ElementTypes& how) {
  return BodyReader(parameters, macros, how).Statements(body).bound;
}

}  // namespace opledger::scan
