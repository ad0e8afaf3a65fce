// Reads the chained calls after a registration, or in one of its arguments, and the facts that they
// state:
//   .set_attr<T>("FGradient", G{"sign"})  ->  gradient G{...}
// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include "registry/scan/match/matcher.h"
#include "registry/scan/tokens/kernel_call.h"
#include "registry/text/glob.h"

namespace opledger::scan {
// Returns the condition under which these tokens are present. Ignores tokens inside braces.
Condition Matcher::ConditionOf(TokenSpan tokens) {
  const clang::SourceManager& sources = preprocessor_.getSourceManager();
  Condition when;
  clang::FileID body;  // of the last token; tokens of one macro body share their condition
  int braces = 0;
  clang::SourceLocation previous;  // invalid if that token is inside braces
  for (const TextToken& token : tokens) {
    braces += token.kind == tok::l_brace;
    const bool outside = braces == 0;
    braces -= token.kind == tok::r_brace;
    const clang::SourceLocation before = previous;
    previous = outside ? token.location : clang::SourceLocation();
    if (!outside) continue;
    if (token.location.isMacroID()) {
      const clang::FileID file = sources.getFileID(token.location);
      if (file == body) continue;
      body = sources.isMacroBodyExpansion(token.location) ? file : clang::FileID();
    }
    when = when.And(locator_.ConditionAt(token.location));
    if (before.isValid()) when = when.And(locator_.ConditionBetween(before, token.location));
  }
  return when;
}

bool Matcher::Version(const Call& call, Registration& registration) {
  const TokenSpan version = call.Argument(call.sink->version);
  if (version.size() != 1) return false;
  const std::string_view number = version[0].text;
  auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), registration.version);
  return error == std::errc() && end == number.data() + number.size();
}

void Matcher::Chain(Registration& registration) {
  while (stream_.token().isOneOf(tok::period, tok::arrow)) {
    Advance();
    if (stream_.Is(tok::kw_template)) Advance();
    if (!stream_.Is(tok::identifier)) break;
    if (IsCurrent(sentinel_)) return;  // lib.def("a").def("b"): a separate use
    std::string name(stream_.Spelling(stream_.token()));
    clang::SourceLocation location = stream_.token().getLocation();
    Advance();
    std::vector<TextToken> templates;
    if (stream_.Is(tok::less)) templates = TemplateArguments();
    if (!stream_.Is(tok::l_paren)) continue;  // a member
    std::vector<TextToken> tokens = Group();
    if (stream_.AtEnd()) {
      Unresolved(location, "'" + name + "(' is not closed before the file ends");
    }
    Advance();
    Method(name, SplitArguments(templates), SplitArguments(tokens), location, registration);
  }
  if (stream_.Is(tok::identifier) && !IsCurrent(sentinel_)) ReportUnexpanded(true);
}

// Reads a chain inside an argument: OpSchema().Input(...).Output(...)
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
    Method(std::string(method.text), SplitArguments(templates),
           SplitArguments(InsideBracket(tokens, open)), method.location, registration);
    at = close + 1;
  }
  if (at < tokens.size()) {
    Unresolved(tokens[at].location, "the chain of '" + registration.name +
                                        "' cannot be read after '" + std::string(tokens[at].text) +
                                        "'");
  }
}

void Matcher::Method(const std::string& name, const std::vector<TokenSpan>& templates,
                     const std::vector<TokenSpan>& arguments, clang::SourceLocation location,
                     Registration& registration) {
  if (prefix_ != nullptr && prefix_->sink->prefix_method == name) {
    prefix_->said =
        PrefixSaid(*prefix_->sink, ArgumentAt(arguments, prefix_->sink->prefix_argument));
  }
  if (kernel_ != nullptr) return MethodOfKernel(name, templates, arguments, location);
  bool evaluates = !context_.dialect.evaluation.empty();
  bool called = false;
  for (const ChainMethod& method : context_.dialect.chain) {
    bool mine = method.within.empty() ? method.method == name : method.within == name;
    if (!mine || method.field == "ignore") continue;
    if (evaluates && method.field != "alias") {
      called = true;
    } else if (method.within.empty()) {
      AddField(method, arguments, location, registration);
    }
  }
  if (called) KeepCall(name, arguments, location, registration);
}

void Matcher::MethodOfKernel(const std::string& name, const std::vector<TokenSpan>& templates,
                             const std::vector<TokenSpan>& arguments,
                             clang::SourceLocation location) {
  for (const KernelMethod& method : context_.dialect.kernels.methods) {
    if (method.method != name) continue;
    // If a method has two forms, use the one that was written.
    if ((method.says.templates && templates.empty()) ||
        (method.says.dtypes >= 0 && !templates.empty())) {
      continue;
    }
    AddKernelCall(context_.dialect, type_lists_, method.says, templates, arguments, *kernel_);
    if (const TokenSpan asked = ArgumentAt(arguments, method.says.condition); !asked.empty()) {
      ways_ = KernelAlternatives(context_.dialect, type_lists_, method.says, asked);
    }
    BookCutTypes(location);
    Condition when = locator_.ConditionAt(location);
    for (TokenSpan argument : templates) when = when.And(ConditionOf(argument));
    for (TokenSpan argument : arguments) when = when.And(ConditionOf(argument));
    kernel_->condition = kernel_->condition.And(when);
  }
}

// Keeps the arguments that a rule of the dialect uses, for evaluation once all definitions are
// known.
void Matcher::KeepCall(const std::string& name, const std::vector<TokenSpan>& arguments,
                       clang::SourceLocation location, Registration& registration) {
  MethodCall call{name, {}, registration.site.condition.And(locator_.ConditionAt(location))};
  call.arguments.resize(arguments.size());
  std::vector<std::string> inner;
  std::set<int> wanted;
  for (const ChainMethod& method : context_.dialect.chain) {
    if (method.within == name) inner.push_back(method.method);
    if (method.method != name || !method.within.empty()) continue;
    wanted.insert({method.key, method.value, method.order});
    for (const ChainMethod::Detail& detail : method.details) wanted.insert(detail.argument);
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!inner.empty()) call.arguments[i] = CallsOf(arguments[i], inner);
    if (!wanted.contains(static_cast<int>(i))) continue;
    for (const TextToken& token : arguments[i]) {
      call.arguments[i].append(token.text).append(" ");
    }
    call.condition = call.condition.And(ConditionOf(arguments[i]));
  }
  if (!call.condition.IsNever()) registration.calls.push_back(std::move(call));
}

// Moves the fact to the field that the dialect assigns to its key. Returns nullptr if the dialect
// assigns none.
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
    fact.value.key.clear();  // implied by the field
  }
  return &*found;
}

// Replaces the fact's value by the word for the first known name:
// "MixedPrecisionPolicyKind::kFollow".
void Matcher::UseWord(const std::map<std::string, std::string>& words, TokenSpan value,
                      FieldFact& fact) {
  for (const TextToken& token : value) {
    auto word = words.find(std::string(token.text));
    if (word == words.end()) continue;
    fact.value.value = word->second;
    return;
  }
}

// If the value matches `types`, the chain names the type of something that the user must supply:
// moves it to the field `otherwise`, as the detail "type".
void Matcher::PlaceByValue(const ChainMethod& method, FieldFact& fact) {
  if (!GlobMatchAny(method.types, fact.value.value)) return;
  fact.field = method.otherwise;
  fact.value.details["type"] = std::exchange(fact.value.value, {});
  fact.value.details["required"] = "true";
}

// Returns the leading string literals, without those that a macro appends for the source position:
// R"code(Adds.)code" ADD_FILELINE
TokenSpan Matcher::Literals(TokenSpan tokens) {
  const clang::SourceManager& sources = preprocessor_.getSourceManager();
  std::size_t count = 0;
  while (count < tokens.size() && tok::isStringLiteral(tokens[count].kind) &&
         sources.getFileID(tokens[count].location) == sources.getFileID(tokens[0].location)) {
    ++count;
  }
  return tokens.first(count);
}

void Matcher::AddField(const ChainMethod& method, const std::vector<TokenSpan>& arguments,
                       clang::SourceLocation location, Registration& registration) {
  if (method.field == "ignore") return;
  Condition when = registration.site.condition.And(locator_.ConditionAt(location));
  TokenSpan value = ArgumentAt(arguments, method.value);
  if (method.field == "description") {
    value = Literals(value);
    if (value.empty()) return;
  }
  when = when.And(ConditionOf(value));
  if (when.IsNever()) return;
  if (method.field == "alias") {
    if (std::optional<std::string> name = StringValue(value)) {
      registration.aliases.push_back({*name, locator_.WrittenAt(value.front().location), when});
    } else {
      Unresolved(location, "the alias of '" + registration.name +
                               "' is not a constant string: " + CanonicalText(value));
    }
    return;
  }
  FieldFact fact;
  fact.field = method.field;
  fact.value.condition = when;
  for (const ChainMethod::Detail& detail : method.details) {
    TokenSpan tokens = ArgumentAt(arguments, detail.argument);
    bool boolean = tokens.size() == 1 && (tokens[0].text == "true" || tokens[0].text == "false");
    if (tokens.empty() && !detail.absent.empty()) fact.value.details[detail.name] = detail.absent;
    if (tokens.empty() || (detail.boolean && *detail.boolean != boolean)) continue;
    const auto kept = detail.Kept(StringValue(tokens).value_or(CanonicalText(tokens)));
    if (kept) fact.value.details[detail.name] = *kept;
  }
  if (TokenSpan key = ArgumentAt(arguments, method.key); !key.empty()) {
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
  if (!method.types.empty()) PlaceByValue(method, fact);
  // Search backward: a chain may have thousands of entries of one field.
  const auto last = std::find_if(registration.fields.rbegin(), registration.fields.rend(),
                                 [&](const FieldFact& other) { return other.field == fact.field; });
  fact.order = last == registration.fields.rend() ? 0 : last->order + 1;
  registration.fields.push_back(std::move(fact));
}

}  // namespace opledger::scan
