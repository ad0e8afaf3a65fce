// Reads sinks that are templates and register what their template arguments name:
//   registry.insert<v1::Abs>();  static Register<Abs> r("x");  template class Register<Abs>;
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/match/matcher.h"
#include "registry/scan/tokens/call_form.h"

namespace opledger::scan {
namespace {

// ns::v1::Abs<float> -> Abs; returns "" if this is not the name of a type.
std::string LastNameOf(TokenSpan type) {
  std::string name;
  for (const TextToken& token : type) {
    if (token.kind == tok::less) break;
    const bool word = token.kind == tok::identifier;
    if (word) name = token.text;
    const bool before = token.kind == tok::coloncolon || token.kind == tok::kw_class ||
                        token.kind == tok::kw_struct || token.kind == tok::kw_typename;
    if (!word && !before) return {};
  }
  return name;
}

}  // namespace

// Called at the token after the template arguments.
UseEnd Matcher::ReadTemplateUse(const Call& use, const std::vector<TextToken>& templates) {
  const std::size_t token = use_token_;
  const Index first = stream_.StatementBegin(use.at);
  const bool specializes =
      stream_.KindAt(first) == tok::kw_template && stream_.KindAt(first + 1) == tok::less;
  const bool named = use.sink->variable && stream_.Is(tok::identifier);
  if (outer_angles_ == 0 && named) {
    Advance();
    use_token_ = token;
  }
  std::vector<TextToken> further;
  switch (outer_angles_ > 0 ? tok::unknown : stream_.token().getKind()) {
    case tok::l_brace:
      if (!use.sink->variable || InHeadOfClass(stream_, use.at)) break;
      [[fallthrough]];
    case tok::l_paren:
      further = Group();
      Advance();
      use_token_ = token;
      return RegisterTemplate(use, templates, further);
    case tok::semi:
    case tok::equal:
      if (!use.sink->variable) break;
      return RegisterTemplate(use, templates, {});
    case tok::amp:
    case tok::star:
      return UseEnd::kOther;
    case tok::coloncolon:
      if (specializes) return UseEnd::kDeclaration;
      break;
    default:
      break;
  }
  return Unresolved(use.location, "this use of '" + use.sink->macro + "<" +
                                      CanonicalText(templates) +
                                      ">' was not tracked; call it, or declare a variable of it");
}

UseEnd Matcher::RegisterTemplate(Call use, TokenSpan templates, TokenSpan further) {
  if (!templates.empty() && templates.back().text.empty()) {  // the '>'
    templates = templates.first(templates.size() - 1);
  }
  std::vector<TokenSpan> arguments = SplitArguments(templates);
  use.templates = arguments.size();
  for (TokenSpan argument : SplitArguments(further)) arguments.push_back(argument);
  use.arguments = arguments;
  use.spelled = CanonicalText(use.Argument(use.sink->name));
  const std::size_t token = use_token_;
  recorded_text_.clear();
  if (!use.sink->variable) {
    if (std::optional<UseEnd> end = NoUse(use)) return *end;
  }
  return Record(Register(use), token);
}

// Returns whether the file, up to the current token, declares the name as an alias or a template
// parameter.
bool Matcher::IsTypeAlias(const std::string& name) {
  for (; aliases_end_ < stream_.position(); ++aliases_end_) {
    const Index at = aliases_end_;
    if (stream_.KindAt(at) != tok::identifier) continue;
    const tok::TokenKind before = stream_.KindAt(at - 1);
    const tok::TokenKind behind = stream_.KindAt(at + 1);
    const bool alias = before == tok::kw_using && behind == tok::equal;
    const bool defined =
        behind == tok::semi && stream_.KindAt(stream_.StatementBegin(at)) == tok::kw_typedef;
    const bool typed = before == tok::kw_class || before == tok::kw_typename ||
                       before == tok::kw_auto || before == tok::ellipsis;
    const bool parameter = typed && (behind == tok::greater || behind == tok::comma ||
                                     behind == tok::equal || behind == tok::greatergreater);
    if (alias || defined || parameter) type_aliases_.emplace(stream_.TextAt(at));
  }
  return type_aliases_.contains(name);
}

// Sets the name from the type argument. Reports an argument that is not the name of a type, or that
// may be an alias.
bool Matcher::SetTypeName(const Call& call, const std::string& prefix, Registration& registration) {
  const TokenSpan argument = call.Argument(call.sink->name);
  const std::string name = LastNameOf(argument);
  if (name.empty()) {
    Unresolved(call.location, "'" + CanonicalText(argument) + "', which is passed to '" +
                                  call.sink->macro + "', is not the name of a type");
    return false;
  }
  if (argument.size() == 1 && IsTypeAlias(name)) {
    Unresolved(call.location, "'" + name + "', which is passed to '" + call.sink->macro +
                                  "', is an alias of another type; name that type, or let the "
                                  "dialect's sinks[].expression ask the type for its name");
    return false;
  }
  registration.name = prefix + name;
  return true;
}

}  // namespace opledger::scan
