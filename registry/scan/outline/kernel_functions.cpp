// Finds functions at namespace scope in tokens. Expands macros of the file that define functions.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <utility>

#include "registry/scan/outline/kernel_bound.h"
#include "registry/scan/outline/outline.h"
#include "registry/text/text.h"

namespace opledger::scan {
namespace {

namespace tok = clang::tok;

constexpr int kMaxMacroDepth = 32;                   // nested macros
constexpr std::size_t kMaxExpandedOfFile = 1 << 22;  // bytes of expanded macros

class FunctionFinder {
 public:
  FunctionFinder(const std::vector<MacroDefinition>& macros, const ElementTypes& how) : how_(how) {
    for (const MacroDefinition& macro : macros) {
      if (macro.text.starts_with(macro.name + "(")) macros_.emplace(macro.name, &macro);
    }
  }

  std::vector<KernelFunction> Run(std::string_view text) {
    Find(LexedText(text, Directives::kConditionals).tokens, 0);
    if (cut_) found_.push_back({{}, {}, std::string(kCutBound)});
    return std::move(found_);
  }

 private:
  void Find(TokenSpan tokens, int depth);
  std::size_t Call(TokenSpan tokens, std::size_t name, std::size_t open, int depth);
  void Registration(const std::string& device, TokenSpan inside);
  void Function(std::string name, TokenSpan parameters, TokenSpan body);
  void Class(TokenSpan head, TokenSpan body, int depth);

  const ElementTypes& how_;
  FunctionMacros macros_;
  std::size_t expanded_ = 0;
  std::set<std::string_view> open_;  // macros being expanded
  bool cut_ = false;                 // some macros were not expanded
  std::string class_;                // class whose members are being read
  std::vector<KernelFunction> found_;
};

// Returns the head of the class whose body begins at `brace`, from its name on: "Name final :
// public Base". Empty if this is not a class.
TokenSpan ClassHead(TokenSpan tokens, std::size_t brace) {
  std::size_t at = brace;
  while (at > 0) {
    const TextToken& token = tokens[at - 1];
    if (token.Is(tok::semi) || token.Is(tok::l_brace) || token.Is(tok::r_brace) ||
        token.Is(tok::r_paren) || token.Is(tok::equal) || token.directive) {
      return {};
    }
    --at;
    if (token.Is("struct") || token.Is("class")) {
      const bool parameter = at > 0 && (tokens[at - 1].Is(tok::less) ||
                                        tokens[at - 1].Is(tok::comma) || tokens[at - 1].Is("enum"));
      if (!parameter) return tokens.subspan(at + 1, brace - at - 1);
    }
  }
  return {};
}

// Returns whether a class has a word in capitals among its members, which may be a macro that
// declares more members.
bool MacroMayDeclare(TokenSpan body) {
  for (std::size_t at = 0; at < body.size();) {
    const std::string_view word = body[at].text;
    const bool capitals =
        body[at].Is(tok::raw_identifier) && word.size() > 1 &&
        std::none_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
    const bool begins = at == 0 || body[at - 1].Is(tok::semi) || body[at - 1].Is(tok::colon) ||
                        body[at - 1].Is(tok::r_brace) || body[at - 1].Is(tok::r_paren);
    if (capitals && begins) return true;
    at = OpensBracket(body[at].kind) ? BehindBracket(body, at) : at + 1;
  }
  return false;
}

bool OpensNamespace(TokenSpan tokens, std::size_t brace) {
  std::size_t at = brace;
  while (at > 0 && (tokens[at - 1].Is(tok::raw_identifier) || tokens[at - 1].Is(tok::coloncolon))) {
    --at;
    if (tokens[at].Is("namespace")) return true;
  }
  return at > 0 && at == brace && tokens[at - 1].Is(tok::string_literal);  // extern "C"
}

void FunctionFinder::Find(TokenSpan tokens, int depth) {
  for (std::size_t at = 0; at < tokens.size();) {
    const std::size_t open =
        tokens[at].Is(tok::raw_identifier) ? BehindTemplateArguments(tokens, at + 1) : at;
    if (open > at && open < tokens.size() && tokens[open].Is(tok::l_paren)) {
      at = Call(tokens, at, open, depth);
    } else if (tokens[at].Is(tok::l_brace) && !OpensNamespace(tokens, at)) {
      if (const TokenSpan head = ClassHead(tokens, at); !head.empty()) {
        Class(head, InsideBracket(tokens, at), depth);
      }
      at = BehindBracket(tokens, at);
    } else {
      ++at;
    }
  }
}

// Reads the members of "Name final : public Base". A class that inherits the default types of its
// base is stored as a function of the class's name.
void FunctionFinder::Class(TokenSpan head, TokenSpan body, int depth) {
  if (depth == kMaxMacroDepth) {
    cut_ = true;
    return;
  }
  const std::string outside = std::exchange(class_, std::string(head.front().text));
  const auto colon =
      std::find_if(head.begin(), head.end(), [](const auto& t) { return t.Is(tok::colon); });
  const auto names = [](auto begin, auto end, const std::string& name) {
    return std::any_of(begin, end, [&](const TextToken& token) { return token.Is(name); });
  };
  const ElementTypes::DefaultTypes& defaults = how_.defaults;
  if (!defaults.base.empty() && names(colon, head.end(), defaults.base)) {
    std::string bound = "t 0 " + std::to_string(defaults.types.size());
    for (const std::string& type : defaults.types) bound += " " + type;
    const bool overrides =
        names(body.begin(), body.end(), defaults.method) || MacroMayDeclare(body);
    found_.push_back({class_, {}, overrides ? "*" : std::move(bound)});
  }
  Find(body, depth + 1);
  class_ = outside;
}

// Called at NAME (. Returns the index after the construct that begins there.
std::size_t FunctionFinder::Call(TokenSpan tokens, std::size_t name, std::size_t open, int depth) {
  const std::string_view word = tokens[name].text;
  std::size_t end = BehindBracket(tokens, open);
  TokenSpan inside = InsideBracket(tokens, open);
  if (const auto device = how_.registers.find(std::string(word)); device != how_.registers.end()) {
    Registration(device->second, inside);
    return end;
  }
  const auto [first, last] = macros_.equal_range(word);
  if (first != last && !open_.contains(word)) {
    open_.insert(word);
    for (auto macro = first; macro != last; ++macro) {
      const std::string text = Expanded(*macro->second, SplitArguments(inside));
      expanded_ += text.size() + 1;
      const bool cut = expanded_ > kMaxExpandedOfFile || depth == kMaxMacroDepth;
      cut_ = cut_ || cut;
      if (!cut) Find(LexedText(text, Directives::kConditionals).tokens, depth + 1);
    }
    open_.erase(word);
    return end;
  }
  std::string function(word);
  if (!class_.empty()) function = class_ + "::" + function;
  const auto& makers = how_.functions;
  if (std::find(makers.begin(), makers.end(), word) != makers.end() && end < tokens.size() &&
      tokens[end].Is(tok::l_paren) && !inside.empty()) {
    function.append(" ").append(inside.front().text);
    inside = InsideBracket(tokens, end);
    end = BehindBracket(tokens, end);
  }
  std::size_t body = end;
  while (body < tokens.size() && !tokens[body].Is(tok::l_brace) && !tokens[body].Is(tok::semi) &&
         !tokens[body].Is(tok::l_paren) && !tokens[body].Is(tok::equal)) {
    ++body;  // const, noexcept, -> Tensor
  }
  if (body >= tokens.size() || !tokens[body].Is(tok::l_brace)) return end;
  Function(std::move(function), inside, InsideBracket(tokens, body));
  if (class_.empty() && name > 1 && tokens[name - 1].Is(tok::coloncolon)) {
    // This may be a member that is defined outside its class: store the same bound under its full
    // name.
    const std::size_t begin = BeginOfName(tokens, name + 1);
    KernelFunction member = found_.back();
    member.name = FunctionName(tokens.subspan(begin, name + 1 - begin));
    found_.insert(found_.end() - 1, std::move(member));
  }
  return BehindBracket(tokens, body);
}

// Reads the arguments of a registration: NAME, &function<...>
void FunctionFinder::Registration(const std::string& device, TokenSpan inside) {
  const std::vector<TokenSpan> parts = SplitArguments(inside);
  if (parts.size() < 2 || parts.front().size() != 1) return;
  TokenSpan kernel = parts.back();
  std::string bound = "*";
  if (kernel.size() == 1 && kernel.front().Is("nullptr")) return;
  if (!kernel.empty() && kernel.front().Is(tok::amp)) kernel = kernel.subspan(1);
  const bool name = std::all_of(kernel.begin(), kernel.end(), [](const TextToken& token) {
    return token.Is(tok::raw_identifier) || token.Is(tok::coloncolon);
  });
  if (name && !kernel.empty()) bound = "= " + std::string(kernel.back().text);
  found_.push_back({std::string(parts.front().front().text),
                    device.empty() ? std::string(kDeviceOfFile) : device, bound});
}

void FunctionFinder::Function(std::string name, TokenSpan parameters, TokenSpan body) {
  std::vector<KernelParameter> names{{"this", true}};
  for (TokenSpan parameter : SplitArguments(parameters)) {
    std::string last;
    for (const TextToken& token : parameter) {
      if (token.Is(tok::equal)) break;
      if (token.Is(tok::raw_identifier)) last = token.text;
    }
    const bool constant = std::any_of(parameter.begin(), parameter.end(),
                                      [](const TextToken& token) { return token.Is("const"); });
    names.push_back({std::move(last), constant});
  }
  found_.push_back({std::move(name), {}, BoundOf(body, names, macros_, how_)});
}

// Returns whether the text uses a macro that chooses code by type. Other names, such as include
// guards, may begin with the same prefix.
bool HasChoice(std::string_view text, const ElementTypes& how) {
  for (const std::string& prefix : how.prefixes) {
    for (std::size_t at = text.find(prefix); at != std::string_view::npos;
         at = text.find(prefix, at + prefix.size())) {
      const std::string_view rest = text.substr(at + prefix.size());
      std::size_t length = 0;
      while (length < rest.size() && IsWordCharacter(rest[length])) ++length;
      const std::string name(rest.substr(0, length));
      if (how.sets.contains(name) || how.listed_first.contains(name) || name == how.switches ||
          name == how.listed || name.find("_AND") != std::string::npos) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

std::vector<KernelFunction> FindKernelFunctions(std::string_view text,
                                                const std::vector<MacroDefinition>& macros,
                                                const ElementTypes& how) {
  if (how.prefixes.empty()) return {};
  const auto holds = [&](const std::string& word) {
    return !word.empty() && text.find(word) != std::string_view::npos;
  };
  const bool any = HasChoice(text, how) ||
                   std::any_of(how.functions.begin(), how.functions.end(), holds) ||
                   holds(how.defaults.base) ||
                   std::any_of(how.registers.begin(), how.registers.end(), [&](const auto& word) {
                     return text.find(word.first) != std::string_view::npos;
                   });
  return any ? FunctionFinder(macros, how).Run(text) : std::vector<KernelFunction>();
}

}  // namespace opledger::scan
