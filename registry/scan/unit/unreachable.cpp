// Answers the questions that the analysis of a unit's code (flow.h) asks about the files it
// includes, and applies the result.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/unit/unreachable.h"

#include <algorithm>
#include <map>

#include "registry/scan/flow/flow.h"
#include "registry/scan/lex/token_text.h"
#include "registry/text/text.h"

namespace opledger::scan {
namespace {

// If macros have these names, the analysis does not apply.
constexpr std::string_view kControl[] = {"if",     "else",  "for",   "while",  "do",
                                         "switch", "case",  "break", "return", "continue",
                                         "goto",   "throw", "true",  "false",  "nullptr"};

// Words that a macro must not contain if it leaves statements as written.
constexpr std::string_view kJumps[] = {"case", "default", "break", "continue", "goto"};
constexpr int kMaxMacrosInMacros = 8;

class UnitCode : public MacroTests, public OtherCode {
 public:
  UnitCode(const SourceTree& tree, const MacroIndex& index, const Dialect& dialect, int unit)
      : tree_(tree),
        index_(index),
        dialect_(dialect),
        unit_(unit),
        outline_(tree.files()[unit].outline) {
    for (int file = 0; file < static_cast<int>(tree.files().size()); ++file) {
      if (file != unit && index.Reaches(unit, file)) headers_.push_back(file);
    }
    has_unread_headers_ =
        !FindsAllHeaders(unit) || !std::all_of(headers_.begin(), headers_.end(),
                                               [&](int file) { return FindsAllHeaders(file); });
  }

  bool IsMacro(std::string_view name) const override {
    if (!DefinitionsOf(name).empty()) return true;
    return std::any_of(dialect_.configurations.begin(), dialect_.configurations.end(),
                       [&](const auto& one) { return one.second.Names(name); });
  }
  bool IsTested(std::string_view name) const override {
    return Tests(outline_, name) || std::any_of(headers_.begin(), headers_.end(), [&](int file) {
             return Tests(tree_.files()[file].outline, name);
           });
  }
  Condition Around(Offset place) const override {
    return index_.presence().Stack(unit_, outline_.BranchAt(place));
  }
  bool IsDecided(const Condition& condition) const override {
    const auto& all = dialect_.configurations;
    return !all.empty() && std::all_of(all.begin(), all.end(), [&](const auto& one) {
      return condition.AnswerIn(one.second, {}) != ConditionAnswer::kOpen;
    });
  }
  Condition Resolve(const std::string& expression, Offset place) const override {
    return index_.presence().ExpressionAt({unit_, place}, expression);
  }

  bool MayBeDeclaredElsewhere(std::string_view name) const override {
    return HasUnreadHeaders() || Names(name);
  }

  bool IsShared() const override;
  bool HasUnreadHeaders() const override { return has_unread_headers_; }
  bool Names(std::string_view name) const override;
  bool MayJoin(std::string_view part) const override { return IsTellingPiece(part) && HasGluing(); }
  bool IsTame(std::string_view name) const override { return IsTameWithin(name, 0); }
  bool IsWhole(std::string_view name) const override;

 private:
  std::vector<const MacroDefinition*> DefinitionsOf(std::string_view name) const;
  bool IsTameWithin(std::string_view name, int depth) const;
  bool FindsAllHeaders(int file) const;
  bool FindNamed(std::string_view name) const;
  static bool Tests(const Outline& outline, std::string_view name);
  bool HasGluing() const;

  const SourceTree& tree_;
  const MacroIndex& index_;
  const Dialect& dialect_;
  const int unit_;
  const Outline& outline_;
  std::vector<int> headers_;  // included by the unit, directly or indirectly
  bool has_unread_headers_ = false;
  mutable std::map<std::string, bool, std::less<>> named_;
  mutable std::optional<bool> has_gluing_;
};

std::vector<const MacroDefinition*> UnitCode::DefinitionsOf(std::string_view name) const {
  std::vector<const MacroDefinition*> all;
  for (const MacroDefinition& macro : outline_.macros) {
    if (macro.name == name && !macro.undefines) all.push_back(&macro);
  }
  for (const DefinitionRef ref : index_.Visible(name, unit_)) {
    const MacroDefinition& macro = index_.Definition(ref);
    if (!macro.undefines) all.push_back(&macro);
  }
  return all;
}

// Returns whether some macro of these files pastes its parameters into a name.
bool UnitCode::HasGluing() const {
  const auto glues = [](const Outline& outline) {
    return std::any_of(outline.macros.begin(), outline.macros.end(),
                       [](const MacroDefinition& macro) { return macro.glues; });
  };
  if (!has_gluing_) {
    has_gluing_ = glues(outline_) || std::any_of(headers_.begin(), headers_.end(), [&](int file) {
                    return glues(tree_.files()[file].outline);
                  });
  }
  return *has_gluing_;
}

// Returns whether an #if of the file names the macro.
bool UnitCode::Tests(const Outline& outline, std::string_view name) {
  return std::any_of(outline.branches.begin(), outline.branches.end(), [&](const Branch& branch) {
    const std::string expression = branch.Expression();
    if (expression.find(name) == std::string::npos) return false;
    const std::vector<std::string> names = NamesIn(expression);
    return std::find(names.begin(), names.end(), name) != names.end();
  });
}

bool UnitCode::Names(std::string_view name) const {
  const auto known = named_.find(name);
  if (known != named_.end()) return known->second;
  return named_[std::string(name)] = FindNamed(name);
}

bool UnitCode::IsShared() const {
  const SourceFile& unit = tree_.files()[unit_];
  const std::string_view extension = std::string_view(unit.path).substr(unit.path.rfind('.') + 1);
  return unit.included || extension.starts_with('h') || extension == "cuh" || extension == "inc";
}

// Standard headers such as <vector> do not use the names of registering functions.
bool UnitCode::FindsAllHeaders(int file) const {
  const SourceFile& source = tree_.files()[file];
  for (std::size_t i = 0; i < source.include_files.size(); ++i) {
    const Include& include = source.outline.includes[i];
    const bool standard = include.angled && include.target.find_first_of("./") == std::string::npos;
    if (source.include_files[i] < 0 && !standard) return false;
  }
  return true;
}

bool UnitCode::FindNamed(std::string_view name) const {
  const auto pastes = [&](const MacroDefinition& macro) {
    return std::any_of(macro.pastes.begin(), macro.pastes.end(), [&](const auto& paste) {
      return name.size() > paste.first.size() + paste.second.size() &&
             name.starts_with(paste.first) && name.ends_with(paste.second);
    });
  };
  if (std::any_of(outline_.macros.begin(), outline_.macros.end(), pastes)) return true;
  for (const int file : headers_) {
    const Outline& other = tree_.files()[file].outline;
    if (other.Mentions(name)) return true;
    for (const MacroDefinition& macro : other.macros) {
      const auto& words = macro.identifiers;
      if (std::find(words.begin(), words.end(), name) != words.end() || pastes(macro)) return true;
    }
  }
  return false;
}

// A macro that registers an operator does not affect the function after it, unless by an
// attribute.
bool UnitCode::IsWhole(std::string_view name) const {
  if (!index_.LeadingIn(unit_).contains(name)) return false;
  const std::vector<const MacroDefinition*> all = DefinitionsOf(name);
  return std::none_of(all.begin(), all.end(), [](const MacroDefinition* macro) {
    return macro->text.find("__attribute__") != std::string::npos ||
           macro->text.find("[[") != std::string::npos ||
           macro->text.find("__declspec") != std::string::npos;
  });
}

bool UnitCode::IsTameWithin(std::string_view name, int depth) const {
  if (depth > kMaxMacrosInMacros) return false;
  const std::vector<const MacroDefinition*> definitions = DefinitionsOf(name);
  if (definitions.empty()) {
    const bool capitals = name.size() > 1 && std::none_of(name.begin(), name.end(), [](char c) {
                            return c >= 'a' && c <= 'z';
                          });
    return !capitals || index_.LeadingIn(unit_).contains(name);
  }
  for (const MacroDefinition* macro : definitions) {
    int open = 0;
    bool choice = false;
    const LexedText definition(macro->text);
    for (const TextToken& token : definition.tokens) {
      open += OpensBracket(token.kind);
      open -= ClosesBracket(token.kind);
      choice = choice || token.text == "?";
      const bool jumps = IsIn(kJumps, token.text) || (token.text == ":" && !choice);
      const bool other = token.text != name && !DefinitionsOf(token.text).empty();
      if (open < 0 || jumps || (other && !IsTameWithin(token.text, depth + 1))) return false;
    }
    if (open != 0) return false;
  }
  return true;
}

}  // namespace

std::optional<Offset> OffsetOf(const Location& at, const std::string& path,
                               const LineIndex& lines) {
  if (at.path != path || at.line < 1 || at.line > lines.count() || at.column < 1) {
    return std::nullopt;
  }
  return static_cast<Offset>(lines.Start(at.line) + static_cast<std::size_t>(at.column) - 1);
}

const Location& CallOf(const Site& site) {
  return site.call.path.empty() ? site.location : site.call;
}

void MarkUnreachable(const SourceTree& tree, const MacroIndex& index, const Dialect& dialect,
                     int unit, const std::string& text, Facts& facts) {
  const UnitCode code(tree, index, dialect, unit);
  if (std::any_of(std::begin(kControl), std::end(kControl),
                  [&](std::string_view word) { return code.IsMacro(word); })) {
    return;
  }
  const SourceFile& source = tree.files()[unit];
  const LineIndex lines(text);
  CodeFlow flow(text, source.outline, code, code);
  std::map<Offset, Condition> known;
  for (Registration& registration : facts.registrations) {
    const std::optional<Offset> place = OffsetOf(CallOf(registration.site), source.path, lines);
    if (!place) continue;
    const auto [reach, fresh] = known.try_emplace(*place);
    if (fresh) reach->second = flow.ReachOf(*place);
    if (reach->second.IsAlways()) continue;
    facts.full_headers = true;  // the headers may change the answer
    const Condition both = registration.site.condition.And(reach->second);
    if (both.IsNever()) {
      registration.site.unreachable = true;
      continue;
    }
    registration.site.condition = both;
    for (Alias& alias : registration.aliases) {
      alias.condition = alias.condition.And(reach->second);
    }
  }
}

}  // namespace opledger::scan
