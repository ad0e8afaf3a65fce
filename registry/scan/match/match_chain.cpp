// What the methods of a chain say, at once or, for dialects with evaluation, as calls that are read
// when all definitions are known.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <set>

#include "registry/scan/match/matcher.h"

namespace opledger::scan {

namespace tok = clang::tok;

bool Matcher::Version(const Sink& sink, const std::vector<TokenSpan>& arguments,
                      Registration& registration) {
  std::size_t index = 2 + static_cast<std::size_t>(sink.version);
  if (index >= arguments.size() || arguments[index].size() != 1) return false;
  const std::string& number = arguments[index][0].text;
  auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), registration.version);
  return error == std::errc() && end == number.data() + number.size();
}

// A chain that stands in an argument: OpSchema().Input(...).Output(...)
void Matcher::ChainIn(TokenSpan tokens, Registration& registration) {
  std::size_t at = 0;
  while (at < tokens.size() && tokens[at].kind != tok::l_paren) ++at;
  if (at == tokens.size()) return;
  at = ClosingBracket(tokens, at) + 1;
  while (at + 2 < tokens.size() &&
         (tokens[at].kind == tok::period || tokens[at].kind == tok::arrow)) {
    const TextToken& method = tokens[at + 1];
    std::size_t open = at + 2;
    while (open < tokens.size() && tokens[open].kind != tok::l_paren) ++open;  // <T>
    std::size_t close = open < tokens.size() ? ClosingBracket(tokens, open) : open;
    if (close >= tokens.size()) break;
    TokenSpan templates;
    if (tokens[at + 2].kind == tok::less) templates = tokens.subspan(at + 3, open - at - 4);
    Method(method.text, SplitArguments(templates),
           SplitArguments(tokens.subspan(open + 1, close - open - 1)), method.location,
           registration);
    at = close + 1;
  }
  if (at < tokens.size()) {
    Unresolved(tokens[at].location, "the chain of '" + registration.name +
                                        "' cannot be followed behind '" + tokens[at].text + "'");
  }
}

void Matcher::Chain(Registration& registration) {
  while (token_.isOneOf(tok::period, tok::arrow)) {
    Advance();
    if (!token_.is(tok::identifier)) break;
    std::string name = Spelling(token_);
    clang::SourceLocation location = token_.getLocation();
    Advance();
    std::vector<TextToken> templates;
    if (token_.is(tok::less)) templates = TemplateArguments();
    if (!token_.is(tok::l_paren)) break;
    std::vector<TextToken> tokens = Group();
    if (token_.is(tok::eof)) {
      Unresolved(location, "'" + name + "(' is not closed before the file ends");
    }
    Advance();
    Method(name, SplitArguments(templates), SplitArguments(tokens), location, registration);
  }
  if (token_.is(tok::identifier) && token_.getIdentifierInfo() != sentinel_) Leftover(true);
}

void Matcher::Method(const std::string& name, const std::vector<TokenSpan>& templates,
                     const std::vector<TokenSpan>& arguments, clang::SourceLocation location,
                     Registration& registration) {
  if (kernel_ != nullptr) return MethodOfKernel(name, templates, arguments, location);
  bool evaluates = !context_.dialect.evaluation.empty();
  bool called = false;
  for (const ChainMethod& method : context_.dialect.chain) {
    bool mine = method.within.empty() ? method.method == name : method.within == name;
    if (!mine || method.field == "ignore") continue;
    if (evaluates && method.field != "alias") {
      called = true;
    } else if (method.within.empty()) {
      Keep(method, arguments, location, registration);
    }
  }
  if (called) KeepCall(name, arguments, location, registration);
}

// For evaluation, when all definitions are known: the arguments that some rule asks for.
void Matcher::KeepCall(const std::string& name, const std::vector<TokenSpan>& arguments,
                       clang::SourceLocation location, Registration& registration) {
  MethodCall call{name, {}, registration.site.condition.And(places_.When(location))};
  call.arguments.resize(arguments.size());
  std::vector<std::string> inner;
  std::set<int> asked;
  for (const ChainMethod& method : context_.dialect.chain) {
    if (method.within == name) inner.push_back(method.method);
    if (method.method != name || !method.within.empty()) continue;
    asked.insert({method.key, method.value, method.order});
    for (const ChainMethod::Detail& detail : method.details) asked.insert(detail.argument);
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!inner.empty()) call.arguments[i] = CallsOf(arguments[i], inner);
    if (!asked.contains(static_cast<int>(i))) continue;
    for (const TextToken& token : arguments[i]) call.arguments[i] += token.text + " ";
    call.condition = call.condition.And(WhenAll(arguments[i]));
  }
  if (!call.condition.IsNever()) registration.calls.push_back(std::move(call));
}

// Moves the fact to the field that the dialect has for its key, if any.
const KeyField* Matcher::TakeKeyField(FieldFact& fact) const {
  const auto& own = context_.dialect.key_fields;
  auto found = std::find_if(own.begin(), own.end(),
                            [&](const KeyField& field) { return field.key == fact.value.key; });
  if (found == own.end()) return nullptr;
  fact.field = found->field;
  bool only = std::count_if(own.begin(), own.end(), [&](const KeyField& field) {
                return field.field == found->field;
              }) == 1;
  if (!found->as.empty()) {
    fact.value.key = found->as;
  } else if (only) {
    fact.value.key.clear();  // the field says it all
  }
  return &*found;
}

// "MixedPrecisionPolicyKind::kFollow": what `words` has for the first name that it knows.
void Matcher::UseWord(const std::map<std::string, std::string>& words, TokenSpan value,
                      FieldFact& fact) {
  for (const TextToken& token : value) {
    auto word = words.find(token.text);
    if (word == words.end()) continue;
    fact.value.value = word->second;
    return;
  }
}

void Matcher::Keep(const ChainMethod& method, const std::vector<TokenSpan>& arguments,
                   clang::SourceLocation location, Registration& registration) {
  if (method.field == "ignore") return;
  Condition when = registration.site.condition.And(places_.When(location));
  auto argument = [&](int index) {
    bool there = index >= 0 && static_cast<std::size_t>(index) < arguments.size();
    return there ? arguments[index] : TokenSpan();
  };
  TokenSpan value = argument(method.value);
  when = when.And(WhenAll(value));
  if (when.IsNever()) return;
  if (method.field == "alias") {
    if (std::optional<std::string> name = StringValue(value)) {
      registration.aliases.push_back({*name, places_.Written(value.front().location), when});
    } else {
      Unresolved(location, "the alias of '" + registration.name +
                               "' is no constant string: " + CanonicalText(value));
    }
    return;
  }
  FieldFact fact;
  fact.field = method.field;
  fact.value.condition = when;
  for (const ChainMethod::Detail& detail : method.details) {
    TokenSpan tokens = argument(detail.argument);
    bool boolean = tokens.size() == 1 && (tokens[0].text == "true" || tokens[0].text == "false");
    if (tokens.empty() || (detail.boolean && *detail.boolean != boolean)) continue;
    fact.value.details[detail.name] = StringValue(tokens).value_or(CanonicalText(tokens));
  }
  if (TokenSpan key = argument(method.key); !key.empty()) {
    fact.value.key = StringValue(key).value_or(CanonicalText(key));
  }
  const KeyField* own = TakeKeyField(fact);
  const auto& lists = context_.dialect.string_lists;
  if (std::find(lists.begin(), lists.end(), fact.field) != lists.end()) {
    fact.value.value = ReturnedStrings(value);
  } else {
    std::optional<std::string> text = StringValue(value);
    fact.value.value = text ? *text : CanonicalText(value);
  }
  if (own != nullptr) UseWord(own->values, value, fact);
  fact.order = static_cast<int>(
      std::count_if(registration.fields.begin(), registration.fields.end(),
                    [&](const FieldFact& other) { return other.field == fact.field; }));
  registration.fields.push_back(std::move(fact));
}

}  // namespace opledger::scan
