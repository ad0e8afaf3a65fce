// A declaration ends at its ';' or after the body of a function, a namespace or a macro's block.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/flow/declarations.h"

#include <algorithm>
#include <iterator>

#include "registry/scan/flow/parameters.h"

namespace opledger::scan {
namespace {

constexpr std::string_view kTypeKeys[] = {"class", "struct", "union", "enum"};
constexpr std::string_view kSpecifiers[] = {"static", "inline",  "constexpr", "consteval",
                                            "extern", "virtual", "explicit",  "friend"};
// Words before a '(' that does not begin parameters.
constexpr std::string_view kNoFunctions[] = {"__attribute__", "alignas",  "decltype", "__declspec",
                                             "explicit",      "noexcept", "requires"};
// Tokens after a '}' that continue the declaration.
constexpr std::string_view kGoOn[] = {",", ";", "{", "(", ")", ".", "->", "?", ":", "&&", "||"};

bool IsNamespace(const CodeView& view, int brace, int begin) {
  if (view.Is(begin, "extern") && brace == begin + 2) return true;
  return view.Is(begin, "namespace") ||
         (view.Is(begin, "inline") && view.Is(begin + 1, "namespace"));
}

// Returns the name of the class declared at `at`, whose body opens at `body`, or -1 if it has none.
int NameOfClass(const CodeView& view, int at, int body, int limit) {
  int name = -1;
  for (int i = at; i < body && !view.Is(i, ":"); ++i) {
    if (view.Is(i, "template") && view.Is(i + 1, "<")) {
      i = BehindAngles(view, i + 1, limit) - 1;
    } else if (view.Is(i, "<")) {
      break;
    } else if (view.IsName(i) && !view.Is(i, "final")) {
      name = i;
    }
  }
  return name >= 0 && IsIn(kTypeKeys, view.Text(name)) ? -1 : name;
}

Declaration ReadDeclaration(const CodeView& view, int at, int limit) {
  Declaration read;
  read.begin = at;
  bool assigned = false;
  bool class_key = false;
  int parameters = -1;
  int i = at;
  while (i < limit) {
    const std::string_view text = view.Text(i);
    if (text == ";") {
      ++i;
      break;
    }
    if (text == "}") break;
    if (text == "template" && view.Is(i + 1, "<")) {
      i = BehindAngles(view, i + 1, limit);
      continue;
    }
    if (text == "operator" && !assigned) {
      i += view.Is(i + 1, "(") ? 3 : 2;
      continue;
    }
    assigned = assigned || text == "=";
    class_key = class_key || (IsIn(kTypeKeys, text) && parameters < 0);
    if (text == "(" && parameters < 0 && !assigned && !IsIn(kNoFunctions, view.Text(i - 1))) {
      parameters = i;
    }
    const int open = i;
    i = view.Next(i);
    if (text != "{" || assigned) continue;
    if (IsNamespace(view, open, at)) {
      read.kind = Declaration::Kind::kNamespace;
      read.body = open;
      break;
    }
    if (class_key && parameters < 0) {
      if (read.body < 0) read.body = open;
      continue;
    }
    if (IsIn(kGoOn, view.Text(i)) && i < limit) continue;
    if (parameters >= 0) {
      read.kind = Declaration::Kind::kFunction;
      read.body = open;
      read.name = parameters - 1;
    }
    break;
  }
  read.end = std::min(std::max(i, at + 1), limit);
  if (class_key && parameters < 0 && read.body >= 0) {
    read.kind = Declaration::Kind::kClass;
    read.name = NameOfClass(view, at, read.body, limit);
  }
  return read;
}

// Returns whether the next declaration begins at `at`, where a macro call without ';' ends.
// Attributes do not precede these words, and members of a class only run through its objects.
bool BeginsAnew(const CodeView& view, int at) {
  if (view.Is(at, "template") || view.Is(at, "namespace")) return true;
  const bool type = view.Is(at, "struct") || view.Is(at, "class") || view.Is(at, "union");
  return type && (view.Is(at + 2, "{") || view.Is(at + 2, ":") || view.Is(at + 2, "final"));
}

}  // namespace

// Returns whether an argument of the call at `at` is a macro whose calls are declarations:
// APPLY(REGISTER, a).
bool Declarations::GivesWhole(const CodeView& view, int at) const {
  for (int i = at + 2; i < view.Partner(at + 1); ++i) {
    if (view.IsName(i) && is_whole_(view.Text(i))) return true;
  }
  return false;
}

// Returns the token after macro calls without ';' that begin at `at` and are declarations of their
// own, or `at` if there are none.
int Declarations::MacrosEnd(const CodeView& view, int at, int limit) const {
  int names = at;  // after macros without arguments
  while (view.IsName(names) && is_whole_(view.Text(names))) ++names;
  if (names > at && BeginsAnew(view, names)) return names;
  int behind = at;
  int first = at;           // end of the first call
  bool statements = false;  // its arguments have statements
  while (view.IsName(behind) && view.Is(behind + 1, "(")) {
    for (++behind; view.Is(behind, "("); behind = view.Next(behind)) {
      statements =
          statements || (first == at && HasWord(view, behind + 1, view.Partner(behind), ";"));
    }
    if (first == at) first = behind;
  }
  if (behind < limit && BeginsAnew(view, behind)) return behind;
  const bool whole = first > at && (statements || is_whole_(view.Text(at)) || GivesWhole(view, at));
  return whole && first < limit && (view.IsName(first) || view.Is(first, "[")) ? first : at;
}

// Returns all declarations of the scope whose '{' is at `scope`.
std::vector<Declaration> Declarations::ReadScope(const CodeView& view, int scope) const {
  std::vector<Declaration> all;
  const int limit = scope < 0 ? view.size() : view.Partner(scope);
  for (int i = scope + 1; i < limit;) {
    if ((view.Is(i, "public") || view.Is(i, "private") || view.Is(i, "protected")) &&
        view.Is(i + 1, ":")) {
      i += 2;
      continue;
    }
    if (const int behind = MacrosEnd(view, i, limit); behind > i) {
      Declaration& macro = all.emplace_back();
      macro.begin = i;
      macro.end = behind;
    } else {
      all.push_back(ReadDeclaration(view, i, limit));
    }
    i = all.back().end;
  }
  return all;
}

// Returns the declaration of the scope that contains the token, or null.
const Declaration* Declarations::Find(const CodeView& view, int scope, int at) {
  const auto [known, fresh] = scopes_.try_emplace({&view, scope});
  std::vector<Declaration>& all = known->second;
  if (fresh) all = ReadScope(view, scope);
  auto behind = std::upper_bound(all.begin(), all.end(), at, [](int place, const Declaration& one) {
    return place < one.begin;
  });
  if (behind == all.begin() || !std::prev(behind)->Holds(at)) return nullptr;
  return &*std::prev(behind);
}

std::vector<Declaration> Declarations::Around(const CodeView& view, int at) {
  std::vector<Declaration> around;
  int scope = -1;
  bool in_class = false;
  bool internal = false;
  for (;;) {
    const Declaration* found = Find(view, scope, at);
    if (found == nullptr) return around;
    Declaration& one = around.emplace_back(*found);
    one.scope = scope;
    one.in_class = in_class;
    one.internal = internal;
    const bool is_class = one.kind == Declaration::Kind::kClass;
    if ((!is_class && one.kind != Declaration::Kind::kNamespace) || !one.InBody(view, at)) {
      return around;
    }
    in_class = is_class;
    internal = internal || (!is_class && view.Is(one.body - 1, "namespace"));
    scope = one.body;
  }
}

bool HasWord(const CodeView& view, int begin, int end, std::string_view text) {
  for (int i = begin; i < end; i = view.Next(i)) {
    if (view.Is(i, text)) return true;
  }
  return false;
}

bool IsOnlyDeclared(const CodeView& view, const Declaration& declaration, int at) {
  if (view.Parent(at) != declaration.scope) return false;
  // template void f<int>(); instantiates it.
  if (view.Is(declaration.begin, "template") && !view.Is(declaration.begin + 1, "<")) return false;
  const std::string_view before = view.Text(at - 1);
  if (at == declaration.name) return true;
  if (declaration.kind == Declaration::Kind::kFunction) {  // member of a class: Type Class::f() { }
    return at < declaration.name && view.Is(at + 1, "::") &&
           (at + 2 == declaration.name || view.Is(at + 2, "~"));
  }
  if (IsIn(kTypeKeys, before) && view.Is(at + 1, ";")) return true;
  const bool typed = before == "*" || before == "&" || before == ">" ||
                     (view.IsName(at - 1) && !IsIn(kSpecifiers, before));
  return typed && at > declaration.begin && view.Is(at + 1, "(") &&
         view.Is(view.Next(at + 1), ";") && !HasWord(view, declaration.begin, declaration.end, "=");
}

namespace {

// Returns whether the name follows a type, and no attribute or macro may run the function.
bool IsPlainFunction(const CodeView& view, const Declaration& function) {
  const int name = function.name;
  if (!view.IsName(name) || name == function.begin || view.Is(name, "main")) return false;
  const std::string_view before = view.Text(name - 1);
  const bool typed = before == "*" || before == "&" || before == ">" || before == "&&" ||
                     (view.IsName(name - 1) && !IsIn(kSpecifiers, before));
  if (!typed) return false;
  for (int i = function.begin; i < name; ++i) {
    const std::string_view word = view.Text(i);
    if (word == "extern" || word == "friend" || word == "virtual" || word == "operator") {
      return false;
    }
    if (word == "[" && view.Is(i + 1, "[")) {
      for (i += 2; !view.Is(i, "]"); ++i) {
        if (!view.Is(i, "maybe_unused") && !view.Is(i, "nodiscard") && !view.Is(i, "noreturn") &&
            !view.Is(i, ",")) {
          return false;
        }
      }
      continue;
    }
    const bool capitals =
        word.size() > 1 && view.IsName(i) &&
        std::none_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
    if (capitals || word == "__attribute__" || word == "__declspec") return false;
  }
  return !HasWord(view, name, function.body, "__attribute__") &&
         !HasWord(view, name, function.body, "[") &&
         !HasWord(view, name, function.body, "override");
}

// Returns whether a parameter may have a class or enumeration type of the sources.
bool TakesClass(const CodeView& view, const Declaration& function) {
  constexpr std::string_view kOthers[] = {
      "const",  "char",   "int", "bool",   "long",        "short",  "unsigned", "signed", "float",
      "double", "size_t", "std", "string", "string_view", "vector", "array",    "void"};
  const int close = view.Partner(function.name + 1);
  for (int i = function.name + 2; i < close; ++i) {
    const bool last =
        view.Is(i + 1, ",") || view.Is(i + 1, ")") || view.Is(i + 1, "=") || view.Is(i + 1, "[");
    const bool named = last && (view.IsName(i - 1) || view.Is(i - 1, "*") || view.Is(i - 1, "&") ||
                                view.Is(i - 1, ">"));
    if (view.IsName(i) && !named && !IsIn(kOthers, view.Text(i))) return true;
  }
  return false;
}

}  // namespace

bool IsInternal(const CodeView& view, const Declaration& function) {
  if (function.in_class || !IsPlainFunction(view, function) || TakesClass(view, function)) {
    return false;
  }
  if (function.internal || view.Is(function.begin, "template")) return true;
  for (int i = function.begin; i < function.name; ++i) {
    if (view.Is(i, "static") || view.Is(i, "inline") || view.Is(i, "constexpr") ||
        view.Is(i, "consteval")) {
      return true;
    }
  }
  return false;
}

}  // namespace opledger::scan
