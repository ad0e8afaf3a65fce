// One pass over the statements of a body, from the last to the first: what follows a statement is
// only come to where the statement does not return.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/outline/kernel_bound.h"

#include <algorithm>
#include <optional>
#include <set>

#include "registry/scan/lex/raw_lexer.h"
#include "registry/scan/lex/token_text.h"
#include "registry/text/text.h"

namespace opledger::scan {
namespace {

namespace tok = clang::tok;

constexpr int kMaxNesting = 200;  // blocks and macros inside each other
constexpr std::size_t kMaxBoundBytes = 4096;
constexpr std::size_t kMaxExpandedOfFunction = 1 << 20;  // bytes of macros put into a function
const std::string kAny = "*";
const std::string kNone = "-";

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

// What a statement comes to: its bound, whether it always returns, and whether it may.
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

class BodyReader {
 public:
  BodyReader(const std::vector<std::string>& parameters, const FunctionMacros& macros,
             const ElementTypes& how)
      : macros_(macros), how_(how) {
    for (std::size_t i = 0; i < parameters.size(); ++i) of_[parameters[i]] = std::to_string(i);
  }

  Flow Statements(CodeTokens tokens);

 private:
  Flow Statement(CodeTokens tokens, std::size_t& at);
  Flow If(CodeTokens tokens, std::size_t& at);
  Flow Opaque(CodeTokens tokens, std::size_t& at);
  std::string Expression(CodeTokens tokens);
  std::string Chosen(CodeTokens call, std::size_t open);
  std::string Switch(const std::string& of, CodeTokens cases);
  std::string Lambda(CodeTokens tokens);
  std::string Function(const std::string& name, CodeTokens arguments);
  std::string Tested(CodeTokens condition) const;
  std::string Test(CodeTokens condition) const;
  void Declare(CodeTokens statement);
  std::string OwnerOf(CodeTokens tokens) const;
  bool AddSet(std::string_view name, std::set<std::string>& types) const;
  bool AddType(CodeTokens token, std::set<std::string>& types) const;
  std::optional<std::set<std::string>> TypesOf(std::string_view macro,
                                               const std::vector<CodeTokens>& parts,
                                               std::size_t& further) const;
  std::string Limit(const std::string& of, const std::set<std::string>& types) const;

  const FunctionMacros& macros_;
  const ElementTypes& how_;
  std::map<std::string, std::string> of_;  // variable -> the parameter it is of the type of, or -
  int depth_ = 0;
  std::size_t expanded_ = 0;
};

bool Holds(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool HoldsWord(CodeTokens tokens, std::string_view word) {
  return std::any_of(tokens.begin(), tokens.end(), [&](const CodeToken& t) { return t.Is(word); });
}

std::size_t Semicolon(CodeTokens tokens, std::size_t at) {
  while (at < tokens.size() && !tokens[at].Is(tok::semi)) {
    at = OpensBracket(tokens[at].kind) ? BehindGroup(tokens, at) : at + 1;
  }
  return std::min(at, tokens.size());
}

Flow BodyReader::Statements(CodeTokens tokens) {
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

Flow BodyReader::Statement(CodeTokens tokens, std::size_t& at) {
  const CodeToken& first = tokens[at];
  if (first.directive) {  // which branch counts is not known here
    at = tokens.size();
    return {kAny, true, true};
  }
  if (first.Is(tok::l_brace)) {
    const std::size_t begin = at + 1;
    at = BehindGroup(tokens, at);
    return Statements(tokens.subspan(begin, at - std::min(at, begin + 1)));
  }
  if (first.Is("if")) return If(tokens, at);
  for (const char* word : {"for", "while", "do", "switch", "try", "case", "goto", "default"}) {
    if (first.Is(word)) return Opaque(tokens, at);
  }
  const std::size_t end = Semicolon(tokens, at);
  CodeTokens statement = tokens.subspan(at, end - at);
  at = end + 1;
  if (std::any_of(statement.begin(), statement.end(),
                  [](const CodeToken& token) { return token.directive; })) {
    return {kAny, true, true};
  }
  const bool returns = first.Is("return");
  if (returns) statement = statement.subspan(1);
  Flow flow{Expression(statement), returns, returns};
  if (!returns) Declare(statement);
  return flow;
}

// A loop may run no time; what it returns is not followed.
Flow BodyReader::Opaque(CodeTokens tokens, std::size_t& at) {
  const std::size_t begin = at;
  bool block = false;
  while (at < tokens.size() && !block && !tokens[at].Is(tok::semi)) {
    block = tokens[at].Is(tok::l_brace);
    at = OpensBracket(tokens[at].kind) ? BehindGroup(tokens, at) : at + 1;
  }
  if (at < tokens.size() && tokens[at].Is(tok::semi)) ++at;
  const bool returns = HoldsWord(tokens.subspan(begin, at - begin), "return") ||
                       tokens[begin].Is("goto") || tokens[begin].Is("try");
  return {kAny, false, returns};
}

Flow BodyReader::If(CodeTokens tokens, std::size_t& at) {
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
  at = BehindGroup(tokens, at);
  const CodeTokens condition = tokens.subspan(open + 1, at - std::min(at, open + 2));
  if (at >= tokens.size()) return {};
  Flow then = Statement(tokens, at);
  then.bound = All(Tested(condition), then.bound);
  Flow otherwise;
  if (at < tokens.size() && tokens[at].Is("else")) {
    ++at;
    if (at < tokens.size()) otherwise = Statement(tokens, at);
  } else if (then.returns && HoldsWord(condition, how_.count)) {
    return {};  // of nothing: no element has a type
  } else if (then.returns) {
    return {then.bound, false, true};
  }
  if (then.returns != otherwise.returns) {  // the one that does not return goes on
    return {then.returns ? then.bound : otherwise.bound, false, true};
  }
  const bool may_return = then.may_return || otherwise.may_return;
  if (may_return && !then.returns) return {kAny, false, true};
  return {Either(then.bound, otherwise.bound), then.returns, may_return};
}

// "x == kBool || isIntegralType(x)": the types for which it may hold.
std::string BodyReader::Tested(CodeTokens condition) const {
  std::string any;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= condition.size();) {
    if (at == condition.size() || condition[at].Is(tok::pipepipe)) {
      const std::string one = Test(condition.subspan(begin, at - begin));
      any = any.empty() ? one : Either(any, one);
      begin = ++at;
    } else {
      at = OpensBracket(condition[at].kind) ? BehindGroup(condition, at) : at + 1;
    }
  }
  return any;
}

std::string BodyReader::Test(CodeTokens condition) const {
  std::set<std::string> types;
  for (std::size_t at = 0; at < condition.size(); ++at) {
    if (condition[at].Is(tok::ampamp) || condition[at].Is(tok::exclaim) ||
        condition[at].Is(tok::question)) {
      return kAny;
    }
    const auto predicate = how_.predicates.find(condition[at].text);
    if (predicate != how_.predicates.end() && at + 1 < condition.size()) {
      const std::size_t end = BehindGroup(condition, at + 1);
      return Limit(OwnerOf(condition.subspan(at + 1, end - at - 1)),
                   {predicate->second.begin(), predicate->second.end()});
    }
    if (condition[at].Is(tok::equalequal) && AddType(condition.subspan(at + 1), types)) {
      return Limit(OwnerOf(condition.first(at)), types);
    }
  }
  return kAny;
}

// The variable that it declares or assigns to, if it does.
void BodyReader::Declare(CodeTokens statement) {
  for (std::size_t at = 1; at < statement.size(); ++at) {
    const bool assigns = statement[at].Is(tok::equal);
    const bool makes = at > 1 &&
                       (statement[at].Is(tok::l_paren) || statement[at].Is(tok::l_brace)) &&
                       statement[at - 2].Is(tok::raw_identifier);
    if (statement[at - 1].Is(tok::raw_identifier) && (assigns || makes)) {
      of_[statement[at - 1].text] = OwnerOf(statement.subspan(at + 1));
      return;
    }
    if (OpensBracket(statement[at].kind)) return;
  }
}

// The parameter that the value has the type of; -: none, or nobody knows.
std::string BodyReader::OwnerOf(CodeTokens tokens) const {
  std::string owner = kNone;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    const CodeToken& token = tokens[at];
    if (!token.Is(tok::raw_identifier)) continue;
    if (Holds(how_.converts, token.text) || how_.names.contains(token.text)) return kNone;
    const bool member =
        at > 0 && (tokens[at - 1].Is(tok::period) || tokens[at - 1].Is(tok::arrow) ||
                   tokens[at - 1].Is(tok::coloncolon));
    const auto known = member ? of_.end() : of_.find(token.text);
    if (known == of_.end()) continue;
    if (known->second == kNone) return kNone;
    if (owner == kNone) owner = known->second;
  }
  return owner;
}

bool BodyReader::AddSet(std::string_view name, std::set<std::string>& types) const {
  const auto set = how_.sets.find(std::string(name));
  if (set == how_.sets.end()) return false;
  types.insert(set->second.begin(), set->second.end());
  return true;
}

// at::ScalarType::Half, kHalf, AT_EXPAND(AT_ALL_TYPES)
bool BodyReader::AddType(CodeTokens token, std::set<std::string>& types) const {
  std::string last;
  for (const CodeToken& part : token) {
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

// Of FLOATING_TYPES_AND2, which takes two more as its first arguments, `further`.
std::optional<std::set<std::string>> BodyReader::TypesOf(std::string_view macro,
                                                         const std::vector<CodeTokens>& parts,
                                                         std::size_t& further) const {
  std::set<std::string> types;
  further = 0;
  if (AddSet(macro, types)) return types;
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

std::string BodyReader::Lambda(CodeTokens tokens) {
  const auto brace = std::find_if(tokens.begin(), tokens.end(),
                                  [](const CodeToken& token) { return token.Is(tok::l_brace); });
  if (brace == tokens.end()) return kAny;
  const auto open = static_cast<std::size_t>(brace - tokens.begin());
  const std::size_t end = BehindGroup(tokens, open);
  return Statements(tokens.subspan(open + 1, end - std::min(end, open + 2))).bound;
}

// Types of whole numbers alone choose by an index more often than by an operand.
bool MayBeOperand(const std::set<std::string>& types) {
  return std::any_of(types.begin(), types.end(), [](const std::string& type) {
    return type.find("float") != std::string::npos || type.starts_with("complex");
  });
}

// SWITCH(type, name, CASE(kHalf, [&] {...}) CASE_FLOATING_TYPES([&] {...}))
std::string BodyReader::Switch(const std::string& of, CodeTokens cases) {
  std::string any;
  std::set<std::string> all;
  for (std::size_t at = 0; at + 1 < cases.size(); ++at) {
    const std::string_view name = cases[at].text;
    if (!name.starts_with(how_.case_prefix) || !cases[at + 1].Is(tok::l_paren)) continue;
    const std::size_t end = BehindGroup(cases, at + 1);
    const CodeTokens inside = cases.subspan(at + 2, end - std::min(end, at + 3));
    const std::vector<CodeTokens> parts = Parts(inside);
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

// At the bracket of a macro that chooses code by type.
std::string BodyReader::Chosen(CodeTokens call, std::size_t open) {
  const std::string_view name = std::string_view(call[open - 1].text).substr(how_.prefix.size());
  const std::size_t end = BehindGroup(call, open);
  const CodeTokens inside = call.subspan(open + 1, end - std::min(end, open + 2));
  const std::vector<CodeTokens> parts = Parts(inside);
  std::size_t further = 0;
  if (name == how_.switches && parts.size() > 2) {
    const auto rest = static_cast<std::size_t>(parts[2].data() - inside.data());
    return Switch(OwnerOf(parts[0]), inside.subspan(rest));
  }
  if (name == how_.listed && parts.size() > 3) {
    std::set<std::string> types;
    for (std::size_t i = 3; i < parts.size(); ++i) {
      if (!AddType(parts[i], types)) return kAny;
    }
    return All(MayBeOperand(types) ? Limit(OwnerOf(parts[0]), types) : kAny, Lambda(parts[2]));
  }
  if (Holds(how_.unrelated, std::string(name))) return Lambda(inside);
  const auto types = TypesOf(name, parts, further);
  if (!types || parts.size() < further + 3) return kAny;
  const std::string of = MayBeOperand(*types) ? OwnerOf(parts[further]) : kNone;
  return All(Limit(of, *types), Lambda(inside));
}

std::string BodyReader::Function(const std::string& name, CodeTokens arguments) {
  std::string text = "c " + name;
  const std::vector<CodeTokens> parts = Parts(arguments);
  text += " " + std::to_string(parts.size());
  for (CodeTokens part : parts) {
    const bool object = part.size() == 2 && part[0].Is(tok::star) && part[1].Is("this");
    text += " " + (object ? "0" : OwnerOf(part));
  }
  return text;
}

// NAME(...) or x = NAME(...): the call that it is.
std::string BodyReader::Expression(CodeTokens tokens) {
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    if (!tokens[at].Is(tok::l_paren) && !tokens[at].Is(tok::l_brace)) continue;
    if (at == 0 || !tokens[at - 1].Is(tok::raw_identifier) || tokens[at].Is(tok::l_brace)) {
      return kAny;
    }
    const std::string& name = tokens[at - 1].text;
    const std::size_t end = BehindGroup(tokens, at);
    if (name.starts_with(how_.prefix)) return Chosen(tokens, at);
    if (end != tokens.size()) return kAny;
    const CodeTokens inside = tokens.subspan(at + 1, end - std::min(end, at + 2));
    const auto [first, last] = macros_.equal_range(name);
    if (first == last) {
      const bool member =
          at > 1 && (tokens[at - 2].Is(tok::period) || tokens[at - 2].Is(tok::arrow));
      return member ? kAny : Function(name, inside);
    }
    std::string any;
    for (auto macro = first; macro != last; ++macro) {
      const std::string text = Expanded(macro->second, Parts(inside));
      expanded_ += text.size() + 1;
      if (expanded_ > kMaxExpandedOfFunction) return std::string(kCutBound);
      const std::string one = Statements(CodeTokensOf(text, nullptr)).bound;
      any = any.empty() ? one : Either(any, one);
    }
    return any;
  }
  return kAny;
}

}  // namespace

std::vector<CodeToken> CodeTokensOf(std::string_view text, FunctionMacros* defined) {
  std::vector<CodeToken> tokens;
  RawLexer lexer(text);
  RawToken token = lexer.Next();
  while (!token.Is(tok::eof)) {
    if (!token.Is(tok::hash) || !token.starts_line) {
      tokens.push_back({token.kind, std::string(lexer.Text(token))});
      token = lexer.Next();
      continue;
    }
    std::vector<CodeToken> line;
    std::vector<Offset> ends;
    Offset end = 0;
    for (token = lexer.Next(); !token.starts_line && !token.Is(tok::eof); token = lexer.Next()) {
      line.push_back({token.kind, std::string(lexer.Text(token))});
      ends.push_back(token.end);
      end = token.end;
    }
    const bool defines = line.size() > 3 && line[0].Is("define") && line[2].Is(tok::l_paren);
    if (defines && defined != nullptr) {
      const std::size_t behind = BehindGroup(line, 2);
      FunctionMacro macro;
      for (CodeTokens part :
           Parts(CodeTokens(line).subspan(3, behind - std::min<std::size_t>(behind, 4)))) {
        macro.parameters.push_back(part.front().text);
      }
      if (behind >= 1) macro.body = text.substr(ends[behind - 1], end - ends[behind - 1]);
      defined->emplace(line[1].text, std::move(macro));
    } else if (!line.empty() && !line[0].Is("define") && !line[0].Is("undef") &&
               !line[0].Is("include") && !line[0].Is("pragma")) {
      tokens.push_back({tok::hash, "#", true});
    }
  }
  return tokens;
}

std::string Expanded(const FunctionMacro& macro, const std::vector<CodeTokens>& arguments) {
  std::map<std::string, std::string> values;
  auto text_of = [](CodeTokens tokens) {
    return Join(tokens, " ", [](const CodeToken& token) { return token.text; });
  };
  for (std::size_t i = 0; i < macro.parameters.size(); ++i) {
    const bool rest = macro.parameters[i] == "...";
    std::string value = i < arguments.size() ? text_of(arguments[i]) : std::string();
    for (std::size_t j = i + 1; rest && j < arguments.size(); ++j) {
      value += " , " + text_of(arguments[j]);
    }
    values[rest ? "__VA_ARGS__" : macro.parameters[i]] = std::move(value);
  }
  std::string text;
  bool glue = false;
  for (const CodeToken& token : CodeTokensOf(macro.body, nullptr)) {
    if (token.Is(tok::hashhash)) {
      glue = true;
      continue;
    }
    const auto value = values.find(token.text);
    if (!glue) text += ' ';
    text += value == values.end() ? token.text : value->second;
    glue = false;
  }
  return text;
}

std::size_t BehindGroup(CodeTokens tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < tokens.size(); ++at) {
    depth += OpensBracket(tokens[at].kind);
    depth -= ClosesBracket(tokens[at].kind);
    if (depth <= 0) return at + 1;
  }
  return tokens.size();
}

std::vector<CodeTokens> Parts(CodeTokens tokens) {
  std::vector<CodeTokens> parts;
  std::size_t begin = 0;
  int angles = 0;
  for (std::size_t at = 0; at < tokens.size();) {
    const bool name = at > 0 && tokens[at - 1].Is(tok::raw_identifier);
    angles += name && tokens[at].Is(tok::less);
    angles -= angles > 0 && tokens[at].Is(tok::greater);
    if (tokens[at].Is(tok::comma) && angles == 0) {
      parts.push_back(tokens.subspan(begin, at - begin));
      begin = at + 1;
    }
    at = OpensBracket(tokens[at].kind) ? BehindGroup(tokens, at) : at + 1;
  }
  if (!tokens.empty()) parts.push_back(tokens.subspan(begin));
  return parts;
}

std::string BoundOf(CodeTokens body, const std::vector<std::string>& parameters,
                    const FunctionMacros& macros, const ElementTypes& how) {
  return BodyReader(parameters, macros, how).Statements(body).bound;
}

}  // namespace opledger::scan
