// Walks over the raw tokens once. The tokens since the statement began tell whether a '{' opens a
// namespace, class, function, initializer or block.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/outline/find_cpp_lists.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "clang/Basic/TokenKinds.h"
#include "registry/scan/lex/token_text.h"
#include "registry/scan/outline/cpp_list_uses.h"
#include "registry/scan/outline/outline.h"

namespace opledger::scan {
namespace {

namespace tok = clang::tok;

constexpr std::array<std::string_view, 2> kRemovers = {"erase", "remove"};
constexpr std::array<std::string_view, 3> kBlocks = {"else", "do", "try"};

template <typename Names>
bool Has(const Names& names, std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool IsString(tok::TokenKind kind) { return tok::isStringLiteral(kind); }

enum class Bracket { kNamespace, kClass, kFunction, kInitialiser, kBlock, kAddCall, kOther };

struct Open {
  Bracket bracket;
  std::size_t name_parts = 0;   // number of parts added to the enclosing name
  std::vector<TextToken> head;  // the enclosing statement, to be continued
  bool has_string = false;      // of an add call or an initializer
  Offset odd = 0;               // of an initializer: offset of an element that is not a literal
  std::size_t space_size = 0;   // length of the enclosing namespaces' name
  int scope = -1;               // index of the scope whose body this is
  int variable = -1;            // index of the variable in that scope which this initializes
};

// Position of the walk in the nesting of the source.
struct Place {
  std::vector<TextToken> head;  // since the last ';' or brace
  std::vector<Open> open;
  std::vector<std::string> names;  // of enclosing classes and function or variable
  std::string space;               // enclosing namespaces: "a::b::"
  int function_depth = 0;
  int list = -1;   // index of the list being read
  int scope = -1;  // index of the scope it is read from
};

class Finder {
 public:
  explicit Finder(std::string_view text) : text_(text) {
    Dialect plain;
    outline_ = MakeOutline(text, plain);
  }

  std::vector<CppList> Run(std::string_view text);

 private:
  void Advance();
  bool SkipDirective();
  void OpenBrace();
  void OpenParenthesis();
  void Close();
  void String(const TextToken& first);
  void CheckAdded();
  bool IsWholeElement() const;
  bool InFunction() const { return place_.function_depth > 0; }
  Bracket Innermost() const {
    return place_.open.empty() ? Bracket::kNamespace : place_.open.back().bracket;
  }
  Bracket KindOfBrace() const;
  const TextToken* NameOfClass() const;
  const TextToken* NameOfFunction() const;
  const TextToken* NameOfVariable() const;
  std::size_t Enter(const TextToken& name, bool list);
  void EnterScope(Open& open);
  void Declare(const TextToken& name, Open& open);
  void NoteElement();
  void EndInitialiser(const Open& open);
  void FollowCalls();

  LexedText text_;
  Outline outline_;
  std::size_t next_ = 0;
  TextToken token_;
  std::string_view last_directive_;  // its keyword
  Place place_;
  bool after_for_ = false;  // in the parentheses of a for, before ':'
  std::set<std::string_view> loop_variables_;
  std::vector<Place> before_branches_;  // for each open #if, the place that an #else returns to
  std::vector<CppList> lists_;
  std::vector<std::set<std::string>> calls_;  // by list; unqualified names
  std::vector<std::string> spaces_;           // by list
  std::vector<ListScope> scopes_;
};

void Finder::Advance() {
  token_ = next_ < text_.tokens.size() ? text_.tokens[next_] : TextToken();
  ++next_;
}

// Called at the '#' of a directive: skips all its lines. Returns false at any other token.
bool Finder::SkipDirective() {
  if (!token_.directive) return false;
  const std::string_view keyword = DirectiveAt(text_.tokens, next_ - 1);
  last_directive_ = keyword;
  if (keyword.starts_with("if")) before_branches_.push_back(place_);
  if (keyword.starts_with("el") && !before_branches_.empty()) place_ = before_branches_.back();
  if (keyword == "include" && place_.list >= 0) {
    lists_[static_cast<std::size_t>(place_.list)].removed.push_back(text_.tokens[next_].begin);
  }
  if (keyword == "endif" && !before_branches_.empty()) before_branches_.pop_back();
  next_ = BehindDirective(text_.tokens, next_ - 1);
  Advance();
  return true;
}

const TextToken* Finder::NameOfClass() const {
  const TextToken* name = nullptr;
  bool keyword = false;
  for (const TextToken& token : place_.head) {
    if (token.text == "class" || token.text == "struct") {
      keyword = true;
    } else if (token.kind == tok::l_paren || token.kind == tok::equal) {
      return nullptr;
    } else if (keyword && token.kind == tok::colon) {
      break;
    } else if (keyword && token.kind == tok::raw_identifier && token.text != "final") {
      name = &token;
    }
  }
  return name;
}

// Returns the identifier before the first parameter list; null if an initializer comes first.
const TextToken* Finder::NameOfFunction() const {
  for (std::size_t i = 1; i < place_.head.size(); ++i) {
    if (place_.head[i].kind == tok::equal) return nullptr;
    if (place_.head[i].kind == tok::l_paren) {
      return place_.head[i - 1].kind == tok::raw_identifier ? &place_.head[i - 1] : nullptr;
    }
  }
  return nullptr;
}

// "const char* names[] = {" -> names; "Set<string> names{" -> names.
const TextToken* Finder::NameOfVariable() const {
  const TextToken* name = nullptr;
  std::size_t first = place_.head.size();  // skip the initializer of another variable
  while (first > 0 && place_.head[first - 1].kind != tok::r_brace) --first;
  for (std::size_t i = first; i < place_.head.size(); ++i) {
    const TextToken& token = place_.head[i];
    if (token.kind == tok::equal || token.kind == tok::l_square) break;
    if (token.kind == tok::raw_identifier) name = &token;
  }
  return name;
}

Bracket Finder::KindOfBrace() const {
  if (InFunction()) {
    if (place_.head.empty()) {  // inside an initializer or argument
      const bool list = Innermost() == Bracket::kInitialiser || Innermost() == Bracket::kAddCall ||
                        Innermost() == Bracket::kOther;
      return list ? Bracket::kInitialiser : Bracket::kBlock;
    }
    const TextToken& last = place_.head.back();
    bool block = last.kind == tok::r_paren || last.kind == tok::r_square ||
                 last.kind == tok::colon || Has(kBlocks, last.text);
    return block ? Bracket::kBlock : Bracket::kInitialiser;
  }
  if (Innermost() == Bracket::kInitialiser) return Bracket::kInitialiser;
  bool names_space = std::any_of(
      place_.head.begin(), place_.head.end(),
      [](const TextToken& token) { return token.text == "namespace" || token.text == "extern"; });
  bool assigns = std::any_of(place_.head.begin(), place_.head.end(),
                             [](const TextToken& token) { return token.kind == tok::equal; });
  if (names_space && !assigns) return Bracket::kNamespace;
  if (NameOfClass() != nullptr) return Bracket::kClass;
  if (NameOfFunction() != nullptr) return Bracket::kFunction;
  return NameOfVariable() != nullptr ? Bracket::kInitialiser : Bracket::kOther;
}

// Enters a named scope, and begins or continues its list if `list` is set. Returns the number of
// parts added.
std::size_t Finder::Enter(const TextToken& name, bool list) {
  place_.names.emplace_back(name.text);
  if (!list) return 1;
  std::string whole;
  for (const std::string& part : place_.names) whole += (whole.empty() ? "" : "::") + part;
  auto known = std::find_if(lists_.begin(), lists_.end(),
                            [&](const CppList& other) { return other.name == whole; });
  place_.list = static_cast<int>(known - lists_.begin());
  if (known == lists_.end()) {
    lists_.push_back({whole, name.begin, name.end, {}, false, {}});
    calls_.emplace_back();
    spaces_.push_back(place_.space);
  } else if (spaces_[static_cast<std::size_t>(place_.list)] != place_.space) {
    known->removed.push_back(name.begin);  // another list of the same name
  }
  return 1;
}

// Declares `name` as a variable if the statement so far states a type.
void Finder::Declare(const TextToken& name, Open& open) {
  if (place_.scope < 0) return;
  const bool typed = place_.head.size() > 1 && place_.head.front().begin != name.begin;
  const bool result = place_.head.front().text == "return";
  if (result) return;
  if (!typed) {  // "list = {...}"
    lists_[static_cast<std::size_t>(place_.list)].removed.push_back(name.begin);
    return;
  }
  const bool constant = std::any_of(
      place_.head.begin(), place_.head.end(),
      [](const TextToken& token) { return token.text == "const" || token.text == "constexpr"; });
  std::vector<ListVariable>& variables = scopes_[static_cast<std::size_t>(place_.scope)].variables;
  open.scope = place_.scope;
  open.variable = static_cast<int>(variables.size());
  variables.push_back({std::string(name.text), name.begin, constant, false, 0});
}

void Finder::EnterScope(Open& open) {
  open.scope = static_cast<int>(scopes_.size());
  place_.scope = open.scope;
  ListScope& scope = scopes_.emplace_back();
  scope.list = static_cast<std::size_t>(place_.list);
  scope.is_function = open.bracket == Bracket::kFunction;
  scope.begin = token_.begin;
  scope.end = token_.end;
}

// Notes a token in an initializer that is neither a literal nor punctuation.
void Finder::NoteElement() {
  if (Innermost() != Bracket::kInitialiser || token_.kind == tok::comma) return;
  Open& open = place_.open.back();
  if (open.odd == 0) open.odd = std::max<Offset>(token_.begin, 1);
}

// Ends an initializer; "{kExp, "Log"}" has an element that is not read.
void Finder::EndInitialiser(const Open& open) {
  if (open.variable >= 0) {
    ListVariable& variable = scopes_[static_cast<std::size_t>(open.scope)]
                                 .variables[static_cast<std::size_t>(open.variable)];
    variable.has_strings = variable.has_strings || open.has_string;
    if (variable.odd == 0) variable.odd = open.odd;
  } else if (open.odd != 0 && open.has_string && place_.list >= 0) {
    lists_[static_cast<std::size_t>(place_.list)].removed.push_back(open.odd);
  }
  // Strings in inner braces also belong to the outer ones.
  if (open.has_string && Innermost() == Bracket::kInitialiser) {
    place_.open.back().has_string = true;
  }
  if (open.has_string && Innermost() == Bracket::kAddCall) place_.open.back().has_string = true;
}

void Finder::OpenBrace() {
  Open open{KindOfBrace(), 0, {}};
  open.space_size = place_.space.size();
  if (open.bracket == Bracket::kNamespace) {
    for (const TextToken& token : place_.head) {
      if (token.text != "namespace" && token.text != "inline")
        place_.space.append(token.text).append("::");
    }
  }
  if (open.bracket == Bracket::kClass) open.name_parts = Enter(*NameOfClass(), false);
  if (open.bracket == Bracket::kFunction) {
    open.name_parts = Enter(*NameOfFunction(), true);
    ++place_.function_depth;
    if (place_.function_depth == 1) EnterScope(open);
  }
  bool variable = open.bracket == Bracket::kInitialiser && !InFunction() &&
                  Innermost() != Bracket::kInitialiser;
  if (variable) {
    open.name_parts = Enter(*NameOfVariable(), true);
    EnterScope(open);
    Declare(*NameOfVariable(), open);
  } else if (open.bracket == Bracket::kInitialiser && InFunction() && !place_.head.empty() &&
             Innermost() != Bracket::kInitialiser && NameOfVariable() != nullptr) {
    Declare(*NameOfVariable(), open);
  }
  open.head = std::move(place_.head);
  place_.head.clear();
  place_.open.push_back(std::move(open));
}

void Finder::OpenParenthesis() {
  Open open{Bracket::kOther, 0, {}};
  const TextToken* before = place_.head.empty() ? nullptr : &place_.head.back();
  if (InFunction() && before != nullptr && before->kind == tok::raw_identifier) {
    bool method =
        place_.head.size() > 1 && (place_.head[place_.head.size() - 2].kind == tok::period ||
                                   place_.head[place_.head.size() - 2].kind == tok::arrow);
    if (method && Has(kListAdders, before->text)) open.bracket = Bracket::kAddCall;
    if (before->text == "for") after_for_ = true;
    if (method && Has(kRemovers, before->text))
      lists_[place_.list].removed.push_back(before->begin);
    if (!method) calls_[place_.list].emplace(before->text);
  }
  NoteElement();
  place_.head.push_back(token_);
  open.head = place_.head;
  place_.head.clear();
  place_.open.push_back(std::move(open));
}

void Finder::Close() {
  if (place_.open.empty()) return;
  if (Innermost() == Bracket::kAddCall && !place_.open.back().has_string) CheckAdded();
  Open open = std::move(place_.open.back());
  place_.open.pop_back();
  place_.head.clear();
  if (open.bracket == Bracket::kNamespace) place_.space.resize(open.space_size);
  if (open.bracket == Bracket::kInitialiser) EndInitialiser(open);
  if (open.bracket == Bracket::kFunction) --place_.function_depth;
  if (open.scope >= 0 && open.bracket != Bracket::kInitialiser) {
    scopes_[static_cast<std::size_t>(open.scope)].end = token_.begin;
    place_.scope = -1;
  }
  place_.names.resize(place_.names.size() - open.name_parts);
  bool goes_on = open.bracket == Bracket::kInitialiser || open.bracket == Bracket::kOther ||
                 open.bracket == Bracket::kAddCall;
  if (goes_on) {
    place_.head = std::move(open.head);
    place_.head.push_back(token_);
  }
}

// Handles an added value that is not a literal. It is read only if it is the variable of a loop
// over an array whose strings are in the list.
void Finder::CheckAdded() {
  const std::vector<TextToken>& given = place_.head;
  const bool looped = given.size() == 1 && loop_variables_.contains(given.front().text);
  if (looped || place_.list < 0) return;
  lists_[place_.list].removed.push_back(token_.begin);
}

// Returns whether the literals before the current token form a whole element.
bool Finder::IsWholeElement() const {
  if (IsString(token_.kind)) return true;  // a literal of another branch
  return token_.kind == tok::comma || token_.kind == tok::r_paren || token_.kind == tok::r_brace;
}

// Reads adjacent string literals as one string.
void Finder::String(const TextToken& first) {
  std::vector<TextToken> literals;
  TextToken last = first;
  while (IsString(token_.kind)) {
    literals.push_back(token_);
    last = token_;
    Advance();
    bool other_branch = false;
    while (SkipDirective()) other_branch = other_branch || last_directive_.starts_with("el");
    if (other_branch) break;
  }
  bool element = Innermost() == Bracket::kInitialiser || Innermost() == Bracket::kAddCall;
  if (element && !place_.open.empty()) place_.open.back().has_string = true;
  std::optional<std::string> value = StringValue(literals);
  place_.head.push_back(last);
  if (!element || place_.list < 0) return;
  if (!value || !IsWholeElement()) {  // "Conv" + suffix
    lists_[place_.list].removed.push_back(first.begin);
    return;
  }
  int branch = outline_.BranchAt(first.begin);
  std::string condition = branch == kNoBranch ? "" : outline_.StackCondition(branch).text();
  lists_[place_.list].strings.push_back(
      {*value, literals.size() > 1, first.begin, last.end, std::move(condition)});
}

// Adds to each list what the functions that it calls add.
void Finder::FollowCalls() {
  std::map<std::string, std::vector<std::size_t>> by_name;
  for (std::size_t i = 0; i < lists_.size(); ++i) {
    std::size_t scope = lists_[i].name.rfind("::");
    by_name[scope == std::string::npos ? lists_[i].name : lists_[i].name.substr(scope + 2)]
        .push_back(i);
  }
  const std::vector<CppList> own = lists_;
  for (std::size_t i = 0; i < lists_.size(); ++i) {
    std::set<std::size_t> seen{i};
    std::vector<std::size_t> waiting{i};
    while (!waiting.empty()) {
      std::size_t at = waiting.back();
      waiting.pop_back();
      for (const std::string& call : calls_[at]) {
        auto found = by_name.find(call);
        // An overloaded name does not tell which function is called.
        if (found == by_name.end() || found->second.size() != 1) continue;
        std::size_t other = found->second.front();
        if (!seen.insert(other).second) continue;
        lists_[i].strings.insert(lists_[i].strings.end(), own[other].strings.begin(),
                                 own[other].strings.end());
        lists_[other].called = true;
        waiting.push_back(other);
      }
    }
  }
}

std::vector<CppList> Finder::Run(std::string_view text) {
  Advance();
  while (token_.kind != tok::eof) {
    if (SkipDirective()) continue;
    if (IsString(token_.kind)) {
      String(TextToken(token_));
      continue;
    }
    switch (token_.kind) {
      case tok::l_brace:
        OpenBrace();
        break;
      case tok::l_paren:
        OpenParenthesis();
        break;
      case tok::r_brace:
      case tok::r_paren:
        Close();
        break;
      case tok::semi:
        after_for_ = false;
        place_.head.clear();
        break;
      case tok::colon:
        if (after_for_ && !place_.head.empty()) loop_variables_.insert(place_.head.back().text);
        after_for_ = false;
        place_.head.push_back(token_);
        break;
      default:
        NoteElement();
        place_.head.push_back(token_);
    }
    Advance();
  }
  CheckListUses(text, scopes_, lists_);
  FollowCalls();
  std::erase_if(lists_, [](const CppList& list) { return list.strings.empty(); });
  return std::move(lists_);
}

}  // namespace

std::vector<CppList> FindCppLists(std::string_view text) { return Finder(text).Run(text); }

}  // namespace opledger::scan
