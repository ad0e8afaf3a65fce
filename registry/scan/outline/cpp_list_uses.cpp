// Any use that is not known to be harmless makes the list incomplete. A use that is missing here
// causes a message, never a wrong row.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/outline/cpp_list_uses.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "clang/Basic/TokenKinds.h"
#include "registry/scan/lex/token_text.h"

namespace opledger::scan {
namespace {

namespace tok = clang::tok;

constexpr std::string_view kReaders[] = {"begin",    "end",   "cbegin", "cend",     "count",
                                         "contains", "empty", "find",   "size",     "data",
                                         "front",    "back",  "at",     "max_size", "reserve"};
// Functions that only read their arguments, whoever defines them.
constexpr std::string_view kLookers[] = {"begin", "end",    "cbegin",     "cend",    "size",
                                         "empty", "sizeof", "ARRAY_SIZE", "contains"};

bool IsAmong(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Macro name -> words of its definition.
using MacroWords = std::map<std::string_view, std::set<std::string_view>>;

MacroWords WordsOfMacros(TokenSpan tokens) {
  MacroWords macros;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    if (!tokens[at].directive) continue;
    const std::size_t end = BehindDirective(tokens, at);
    if (DirectiveAt(tokens, at) == "define" && at + 2 < end) {
      std::set<std::string_view>& words = macros[tokens[at + 2].text];
      for (std::size_t word = at + 3; word < end; ++word) words.insert(tokens[word].text);
    }
    at = end - 1;
  }
  return macros;
}

std::string LastPart(const std::string& name) {
  const std::size_t scope = name.rfind("::");
  return scope == std::string::npos ? name : name.substr(scope + 2);
}

class UseCheck {
 public:
  UseCheck(std::string_view text, const std::vector<ListScope>& scopes, std::vector<CppList>& lists)
      : text_(text), scopes_(scopes), lists_(lists) {
    macros_ = WordsOfMacros(text_.tokens);
    std::copy_if(text_.tokens.begin(), text_.tokens.end(), std::back_inserter(tokens_),
                 [](const TextToken& token) { return !token.directive; });
    for (const ListScope& scope : scopes) {
      if (!scope.is_function) continue;
      const std::string name = LastPart(lists[scope.list].name);
      functions_.emplace(name, &scope);
    }
  }

  void Run() {
    for (const ListScope& scope : scopes_) {
      if (scope.is_function) CheckFunction(scope);
    }
    for (const ListScope& scope : scopes_) {
      if (!scope.is_function) CheckVariable(scope);
    }
    CheckResults();
  }

 private:
  std::size_t At(std::size_t offset) const {
    const auto found = std::lower_bound(
        tokens_.begin(), tokens_.end(), offset,
        [](const TextToken& token, std::size_t value) { return token.begin < value; });
    return static_cast<std::size_t>(found - tokens_.begin());
  }
  bool Is(std::size_t i, tok::TokenKind kind) const {
    return i < tokens_.size() && tokens_[i].kind == kind;
  }
  bool IsWord(std::size_t i, std::string_view text) const {
    return i < tokens_.size() && tokens_[i].text == text;
  }
  bool IsAccess(std::size_t i) const { return Is(i, tok::period) || Is(i, tok::arrow); }

  void Miss(std::size_t list, std::size_t token) {
    std::vector<std::size_t>& removed = lists_[list].removed;
    const std::size_t at = token < tokens_.size() ? tokens_[token].begin : 0;
    if (std::find(removed.begin(), removed.end(), at) == removed.end()) removed.push_back(at);
  }

  // Returns the index of the call's '(' if the token is an argument of a call; npos otherwise.
  std::size_t CallAround(std::size_t i) const {
    int depth = 0;
    while (i-- > 0) {
      if (Is(i, tok::r_paren) || Is(i, tok::r_brace)) ++depth;
      if (Is(i, tok::semi) && depth == 0) break;
      if (!Is(i, tok::l_paren) && !Is(i, tok::l_brace)) continue;
      if (depth-- > 0) continue;
      return Is(i, tok::l_paren) && i > 0 ? i : std::string::npos;
    }
    return std::string::npos;
  }

  // Returns whether a function of this file changes its argument other than by an environment
  // variable, which users set at run time.
  bool ChangesOtherwise(const ListScope& function) const {
    if (lists_[function.list].removed.empty()) return false;
    for (std::size_t i = At(function.begin); i < tokens_.size() && tokens_[i].begin < function.end;
         ++i) {
      std::string word(tokens_[i].text);
      if (tokens_[i].kind != tok::raw_identifier) continue;
      std::transform(word.begin(), word.end(), word.begin(),
                     [](unsigned char c) { return std::tolower(c); });
      if (word.find("env") != std::string::npos) return false;
    }
    return true;
  }

  // Returns whether passing the list to this call leaves it unchanged.
  bool IsHarmlessCall(std::size_t i) const {
    const std::size_t open = CallAround(i);
    if (open == std::string::npos) return false;
    const std::string_view callee = tokens_[open - 1].text;
    if (callee == "for") return true;  // iterates over its elements
    if (callee == "move") return open > 3 && IsWord(open - 4, "return");
    if (IsAmong(kLookers, callee)) return true;
    const auto function = functions_.find(callee);
    return function != functions_.end() && !ChangesOtherwise(*function->second);
  }

  // For "list.insert(x)": returns whether x is a literal, or a loop variable over an array that is
  // read here.
  bool AddsWhatIsRead(std::size_t open, const ListScope& scope) const {
    if (!Is(open, tok::l_paren)) return false;
    if (!Is(open + 2, tok::r_paren) || !Is(open + 1, tok::raw_identifier)) return true;
    const std::string_view given = tokens_[open + 1].text;
    for (std::size_t i = open; i-- > 0 && tokens_[i].begin > scope.begin;) {
      if (!Is(i, tok::colon) || !IsWord(i - 1, given)) continue;
      return Is(i + 2, tok::r_paren) && Find(scope, tokens_[i + 1].text) != nullptr;
    }
    return false;
  }

  static const ListVariable* Find(const ListScope& scope, std::string_view name) {
    for (const ListVariable& each : scope.variables) {
      if (each.name == name && each.has_strings) return &each;
    }
    return nullptr;
  }

  // Returns whether the use at token i leaves the list unchanged, or is itself read.
  bool IsKnown(std::size_t i, const ListScope& scope, bool own) const {
    if (i > 0 && IsAccess(i - 1) && !IsWord(i - 2, "this")) return true;  // another object
    if (IsAccess(i + 1)) {
      const std::string_view method = i + 2 < tokens_.size() ? tokens_[i + 2].text : "";
      if (IsAmong(kReaders, method)) return true;
      return own && IsAmong(kListAdders, method) && AddsWhatIsRead(i + 3, scope);
    }
    if (i == 0) return true;
    if (IsWord(i - 1, "return")) return Is(i + 1, tok::semi);
    if (Is(i - 1, tok::star) && IsWord(i - 2, "return")) return Is(i + 1, tok::semi);
    if (Is(i - 1, tok::colon) && Is(i + 1, tok::r_paren)) return true;  // a loop over it
    const bool argument = Is(i + 1, tok::comma) || Is(i + 1, tok::r_paren);
    const std::size_t first = Is(i - 1, tok::amp) || Is(i - 1, tok::star) ? i - 1 : i;
    const bool alone = Is(first - 1, tok::comma) || Is(first - 1, tok::l_paren);
    if (argument && alone) return IsHarmlessCall(i);
    // "Set<string> list = Other();" and "Set<string> list(other);" start with unknown contents.
    if (Is(i + 1, tok::equal)) return false;
    if (Is(i + 1, tok::l_paren)) return Is(i + 2, tok::l_brace);
    // "const Set<string>* list" and "Set<string>& list)" declare a parameter of the same name.
    return Is(i - 1, tok::raw_identifier) || Is(i - 1, tok::greater);
  }

  void CheckFunction(const ListScope& scope) {
    std::set<std::string_view> names;
    std::map<std::string_view, const ListVariable*> declared;
    for (const ListVariable& each : scope.variables) declared[each.name] = &each;
    const std::size_t begin = At(scope.begin);
    const std::size_t end = At(scope.end);
    for (std::size_t i = begin; i + 3 < end; ++i) {  // find variables that are added to
      if (IsAccess(i + 1) && IsAmong(kListAdders, tokens_[i + 2].text))
        names.insert(tokens_[i].text);
    }
    for (const auto& [name, variable] : declared) {
      const bool filled = names.contains(name) || variable->has_strings;
      if (filled) names.insert(name);
      if (filled && variable->odd != 0) Miss(scope.list, At(variable->odd));
    }
    for (std::size_t i = begin; i < end; ++i) {
      if (MacroUses(tokens_[i].text, names)) Miss(scope.list, i);
      if (!Is(i, tok::raw_identifier) || !names.contains(tokens_[i].text)) continue;
      const auto variable = declared.find(tokens_[i].text);
      const bool is_declared = variable != declared.end();
      if (is_declared && variable->second->declared == tokens_[i].begin) continue;
      if (is_declared && variable->second->constant) continue;
      if (!IsKnown(i, scope, true)) Miss(scope.list, i);
    }
    CheckReturns(scope, names, begin, end);
  }

  // Returns whether the word is a macro of this file whose body uses one of the names.
  bool MacroUses(std::string_view word, const std::set<std::string_view>& names) const {
    const auto macro = macros_.find(word);
    if (macro == macros_.end()) return false;
    return std::any_of(names.begin(), names.end(),
                       [&](std::string_view name) { return macro->second.contains(name); });
  }

  // Marks the list if "return More();" calls a function of another file.
  void CheckReturnedCall(std::size_t i, const ListScope& scope) {
    while (Is(i, tok::raw_identifier) && Is(i + 1, tok::coloncolon)) i += 2;
    if (!Is(i, tok::raw_identifier) || !Is(i + 1, tok::l_paren)) return;
    const std::string_view callee = tokens_[i].text;
    if (callee != "move" && !functions_.contains(callee)) Miss(scope.list, i);
  }

  // Marks the list unless exactly one of the variables is returned.
  void CheckReturns(const ListScope& scope, const std::set<std::string_view>& names,
                    std::size_t begin, std::size_t end) {
    std::set<std::string_view> returned;
    for (std::size_t i = begin; i + 2 < end; ++i) {
      if (!IsWord(i, "return") || !Is(i + 1, tok::raw_identifier)) continue;
      if (!names.empty()) CheckReturnedCall(i + 1, scope);
      if (!Is(i + 2, tok::semi)) continue;
      const std::string_view name = tokens_[i + 1].text;
      if (name == "true" || name == "false" || name == "nullptr") continue;
      if (names.contains(name)) {
        returned.insert(name);
      } else if (!names.empty()) {
        Miss(scope.list, i + 1);
      }
    }
    if (returned.empty()) return;
    for (const ListVariable& each : scope.variables) {
      if (!each.has_strings || returned.contains(each.name)) continue;
      if (!IsLooped(each.name, begin, end)) Miss(scope.list, At(each.declared));
    }
    if (returned.size() > 1) Miss(scope.list, begin);
  }

  bool IsLooped(const std::string& name, std::size_t begin, std::size_t end) const {
    for (std::size_t i = begin + 1; i + 1 < end; ++i) {
      if (IsWord(i, name) && Is(i - 1, tok::colon) && Is(i + 1, tok::r_paren)) return true;
    }
    return false;
  }

  // Checks a variable at namespace scope; uses may be anywhere in the file.
  void CheckVariable(const ListScope& scope) {
    for (const ListVariable& variable : scope.variables) {
      if (variable.odd != 0) Miss(scope.list, At(variable.odd));
      if (variable.constant) continue;
      for (std::size_t i = 0; i < tokens_.size(); ++i) {
        if (!IsWord(i, variable.name) || tokens_[i].begin == variable.declared) continue;
        if (!IsShadowed(variable.name, tokens_[i].begin) && !IsKnown(i, scope, false)) {
          Miss(scope.list, i);
        }
      }
    }
  }

  bool IsShadowed(const std::string& name, std::size_t at) const {
    return std::any_of(scopes_.begin(), scopes_.end(), [&](const ListScope& scope) {
      return scope.is_function && scope.begin <= at && at < scope.end &&
             std::any_of(scope.variables.begin(), scope.variables.end(),
                         [&](const ListVariable& each) { return each.name == name; });
    });
  }

  // Marks lists that are changed through a function's result: "Deny().clear()".
  void CheckResults() {
    for (std::size_t i = 0; i + 4 < tokens_.size(); ++i) {
      if (!Is(i + 1, tok::l_paren) || !Is(i + 2, tok::r_paren)) continue;
      const auto function = functions_.find(tokens_[i].text);
      if (function == functions_.end()) continue;
      const bool changed = IsAccess(i + 3) && !IsAmong(kReaders, tokens_[i + 4].text);
      const bool bound = i > 2 && Is(i - 1, tok::equal) && Is(i - 3, tok::amp) &&
                         !(i > 4 && (IsWord(i - 4, "const") || IsWord(i - 5, "const")));
      if (changed || bound) Miss(function->second->list, i);
    }
  }

  LexedText text_;
  MacroWords macros_;
  std::vector<TextToken> tokens_;  // without directives
  const std::vector<ListScope>& scopes_;
  std::vector<CppList>& lists_;
  std::map<std::string, const ListScope*, std::less<>> functions_;  // by unqualified name
};

}  // namespace

void CheckListUses(std::string_view text, const std::vector<ListScope>& scopes,
                   std::vector<CppList>& lists) {
  UseCheck(text, scopes, lists).Run();
}

}  // namespace opledger::scan
