// Reads the definitions of sinks as raw tokens: "REGISTER_OP(name) Add(#name)".
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/match/sink_definition.h"

#include <algorithm>
#include <map>
#include <vector>

#include "registry/scan/lex/token_text.h"

namespace opledger::scan {
namespace {

namespace tok = clang::tok;

const std::vector<MacroDefinition>& OwnMacros(const MatchContext& context) {
  return context.tree.files()[static_cast<std::size_t>(context.unit)].outline.macros;
}

enum class NameUse { kNone, kSpelled, kExpanded };

// Returns how the macro's body uses the parameter that is the name.
NameUse UseOfName(const MacroDefinition& macro, int name) {
  const LexedText definition(macro.text);
  const TokenSpan tokens = definition.tokens;
  if (tokens.size() < 2 || tokens[1].kind != tok::l_paren) return NameUse::kNone;
  const std::size_t close = ClosingBracket(tokens, 1);
  if (close >= tokens.size()) return NameUse::kNone;
  const TokenSpan parameter = ArgumentAt(SplitArguments(InsideBracket(tokens, 1)), name);
  if (parameter.size() != 1) return NameUse::kNone;
  NameUse use = NameUse::kNone;
  for (std::size_t at = close + 1; at < tokens.size(); ++at) {
    if (tokens[at].text != parameter[0].text) continue;
    const tok::TokenKind before = tokens[at - 1].kind;
    const bool joined = before == tok::hash || before == tok::hashhash ||
                        (at + 1 < tokens.size() && tokens[at + 1].kind == tok::hashhash);
    if (joined) return NameUse::kSpelled;
    use = NameUse::kExpanded;
  }
  return use;
}

// Returns where a file defines the sink after an #undef of it.
std::optional<Offset> Anew(const Sink& sink, const std::vector<const MacroDefinition*>& macros,
                           const std::vector<const MacroDefinition*>& all) {
  bool undefined = false;
  for (const MacroDefinition* macro : macros) {
    if (macro->name != sink.macro) continue;
    undefined = undefined || macro->undefines;
    if (!undefined || macro->undefines) continue;
    const bool other = std::any_of(all.begin(), all.end(), [&](const MacroDefinition* one) {
      return !one->undefines && one->text != macro->text;
    });
    if (other) return macro->offset;
  }
  return std::nullopt;
}

}  // namespace

bool ExpandsName(const Sink& sink, const MatchContext& context) {
  bool expands = false;
  bool spelled = false;
  auto see = [&](const MacroDefinition& macro) {
    if (macro.name != sink.macro || macro.undefines) return;
    const NameUse use = UseOfName(macro, sink.name);
    (use == NameUse::kExpanded ? expands : spelled) = true;
  };
  for (DefinitionRef ref : context.index.Visible(sink.macro, context.unit)) {
    see(context.index.Definition(ref));
  }
  for (const MacroDefinition& macro : OwnMacros(context)) see(macro);
  return expands && !spelled;
}

std::optional<Offset> DefinedAnew(const Sink& sink, const MatchContext& context) {
  std::vector<const MacroDefinition*> own;
  for (const MacroDefinition& macro : OwnMacros(context)) {
    if (macro.name == sink.macro) own.push_back(&macro);
  }
  std::vector<const MacroDefinition*> all = own;
  std::map<int, std::vector<const MacroDefinition*>> headers;
  for (DefinitionRef ref : context.index.AllVisible(sink.macro, context.unit)) {
    all.push_back(&context.index.Definition(ref));
    headers[ref.file].push_back(all.back());
  }
  for (const auto& [file, macros] : headers) {
    if (Anew(sink, macros, all)) return 0;
  }
  return Anew(sink, own, all);
}

}  // namespace opledger::scan
