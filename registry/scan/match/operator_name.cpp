// Turns the argument that names an operator into the name, or into an expression to evaluate.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/facts/schema_text.h"
#include "registry/scan/match/matcher.h"
#include "registry/scan/preprocess/preprocess.h"

namespace opledger::scan {
void SetName(const std::string& value, const NameRule& rule, const std::string& separator,
             Registration& registration) {
  registration.name = value;
  if (rule.form == NameForm::kSchema) {
    registration.name = SchemaName(value);
    std::vector<FieldFact> fields = SchemaFields(value);
    for (FieldFact& fact : fields) fact.value.condition = registration.site.condition;
    if (!registration.adds)
      registration.fields.insert(registration.fields.end(), fields.begin(), fields.end());
  }
  const bool qualified = registration.name.find(separator) != std::string::npos;
  if (!rule.space.empty() && !qualified) {
    registration.name = rule.space + separator + registration.name;
  }
  registration.name = rule.prefix + registration.name;
}

// Returns the argument's value if it is a constant string, possibly inside wrapper functions.
std::optional<std::string> Matcher::NameOf(TokenSpan argument) {
  if (std::optional<std::string> value = StringValue(argument)) return value;
  if (argument.size() == 1) {
    auto constant = context_.dialect.constants.find(std::string(argument.front().text));
    if (constant != context_.dialect.constants.end()) return constant->second;
  }
  if (const TokenSpan inner = Inside(argument); !inner.empty()) {  // {"x"}
    const std::vector<TokenSpan> given = SplitArguments(inner);
    return given.size() == 1 ? NameOf(given.front()) : std::nullopt;
  }
  const std::vector<std::string>& wraps = context_.dialect.identity_functions;
  for (std::size_t at = 0; at + 1 < argument.size(); ++at) {
    const std::string_view name = argument[at].text;
    bool identity = name == kIdentity || std::find(wraps.begin(), wraps.end(), name) != wraps.end();
    if (!identity || argument[at + 1].kind != tok::l_paren) continue;
    std::vector<TokenSpan> inner = SplitArguments(InsideBracket(argument, at + 1));
    return inner.empty() ? std::nullopt : NameOf(inner.front());
  }
  return std::nullopt;
}

// Returns false if the name is invalid, which is reported, or if it is not constant and there is no
// recorder to evaluate it; then it is added as a dynamic registration.
bool Matcher::SetName(TokenSpan argument, const NameRule& rule, clang::SourceLocation location,
                      Registration& registration) {
  if (std::optional<std::string> value = NameOf(argument)) {
    const bool file = value->find(context_.tree.root() + "/") != std::string::npos;
    if (!file && !value->empty() && value->find('\0') == std::string::npos) {
      scan::SetName(*value, rule, context_.dialect.separator, registration);
      return true;
    }
    Unresolved(location,
               file ? "the name depends on __FILE__, which differs between builds; write it out"
               : value->empty() ? "the name is empty"
                                : "the name contains a NUL byte, which may end it");
    return false;
  }
  Dynamic dynamic{locator_.WrittenAt(location), CanonicalText(argument), {}};
  if (context_.recorder == nullptr) {
    facts_.dynamic.push_back(std::move(dynamic));
    return false;
  }
  recorded_text_ = SourceText({&argument, 1});
  unknown_ = UnknownName{{}, rule, std::move(dynamic)};
  return true;
}

// Uses the sink's expression, with `argument` for {}, as the name. Returns false if there is no
// recorder to evaluate it; then it is added as a dynamic registration.
bool Matcher::SetExpression(const Sink& sink, const std::string& prefix,
                            const std::string& argument, clang::SourceLocation location) {
  std::string expression = sink.expression;
  const std::size_t place = expression.find("{}");
  if (place != std::string::npos) expression.replace(place, 2, argument);
  Dynamic dynamic{locator_.WrittenAt(location), expression, {}};
  if (context_.recorder == nullptr) {
    facts_.dynamic.push_back(std::move(dynamic));
    return false;
  }
  recorded_text_ = expression;
  unknown_ =
      UnknownName{{}, {NameForm::kString, {}, prefix, sink.prefix_optional}, std::move(dynamic)};
  return true;
}

// Returns the tokens of the arguments, separated by spaces, with commas between arguments.
std::string Matcher::SourceText(std::span<const TokenSpan> arguments) {
  std::string text;
  for (const TokenSpan& argument : arguments) {
    if (!text.empty()) text += ", ";
    for (const TextToken& token : argument) text.append(token.text).append(" ");
  }
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

// Stores a registration that was read to its end.
void Matcher::FinishRegistration(Registration registration) {
  if (!unknown_) {
    facts_.registrations.push_back(std::move(registration));
    return;
  }
  unknown_->registration = std::move(registration);
  result_.unknown.push_back(std::move(*unknown_));
  unknown_.reset();
}

}  // namespace opledger::scan
