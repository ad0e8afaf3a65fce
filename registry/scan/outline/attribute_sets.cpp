// Reads attribute sets from raw tokens. A set is a macro call followed by braces. Its fields are
// macro calls inside the braces, each with a chain of methods up to ';'. Their types are those of
// the members that are declared before the call, in the class of the set's name.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "registry/scan/lex/raw_lexer.h"
#include "registry/scan/lex/token_text.h"
#include "registry/scan/outline/outline.h"
#include "registry/text/text.h"

namespace opledger::scan {
namespace {

namespace tok = clang::tok;

// Appends a token as written, with a space only between two words.
void AppendToken(std::string& text, std::string_view token) {
  const bool words = !text.empty() && !token.empty() && IsWordCharacter(text.back()) &&
                     IsWordCharacter(token.front());
  if (words) text += ' ';
  text += token;
}

using MemberTypes = std::map<std::string, std::string, std::less<>>;

// Reads a declaration: in "dmlc::optional<int> axis, other = 1" both members have the type. Text
// that does not declare members produces entries that are never looked up.
void AddMembers(const std::vector<std::string>& words, MemberTypes& types) {
  std::string type;
  std::size_t name = words.size();
  int angles = 0;
  for (std::size_t at = 0; at < words.size(); ++at) {
    angles += words[at] == "<" ? 1 : words[at] == ">" ? -1 : words[at] == ">>" ? -2 : 0;
    const bool ends = at + 1 == words.size() || words[at + 1] == "," || words[at + 1] == "=" ||
                      words[at + 1] == "[";
    if (angles != 0 || !ends || !IsWordCharacter(words[at].back())) continue;
    if (name == words.size()) {
      for (std::size_t of = 0; of < at; ++of) AppendToken(type, words[of]);
    }
    name = at;
    types.try_emplace(words[at], type);
    while (at + 1 < words.size() && words[at + 1] != ",") ++at;
  }
}

// Reads the member declarations in the first `length` bytes of `text`, the beginning of a class.
MemberTypes ReadMembers(std::string_view text, std::size_t length) {
  RawLexer lexer(text);
  RawToken token;
  MemberTypes types;
  std::vector<std::string> words;
  int depth = 0;
  bool function = false;
  for (lexer.NextOfCode(token); !token.Is(tok::eof) && token.begin < length;
       lexer.NextOfCode(token)) {
    function = function || (depth == 1 && token.Is(tok::l_paren));
    depth += OpensBracket(token.kind) - ClosesBracket(token.kind);
    if (depth != 1) continue;
    if (token.Is(tok::semi) || token.Is(tok::colon) || (function && token.Is(tok::r_brace))) {
      if (token.Is(tok::semi) && !function) AddMembers(words, types);
      words.clear();
      function = false;
    } else if (!OpensBracket(token.kind) && !ClosesBracket(token.kind)) {
      words.emplace_back(lexer.Text(token));
    }
  }
  return types;
}

class SetReader {
 public:
  SetReader(std::string_view text, Range names, const AttributeSets& how)
      : text_(text), begin_(names.begin), lexer_(text.substr(names.begin)), how_(how) {}

  // Reads the sets whose names end before `last`.
  std::vector<AttributeSet> Run(Offset last) {
    while (!token_.Is(tok::eof) && token_.end < last) {
      Advance();
      if (IsCall(how_.declare)) ReadSet();
    }
    return std::move(sets_);
  }

 private:
  void Advance() { lexer_.NextOfCode(token_); }

  bool IsCall(const std::string& macro) {
    return !macro.empty() && token_.Is(tok::raw_identifier) && lexer_.Text(token_) == macro;
  }

  // Reads "(name" after a macro. Returns the name, or "" if there is none.
  std::string Argument() {
    Advance();
    if (!token_.Is(tok::l_paren)) return {};
    Advance();
    return token_.Is(tok::raw_identifier) ? std::string(lexer_.Text(token_)) : std::string();
  }

  void ReadSet() {
    AttributeSet set;
    const std::size_t declared = begin_ + token_.begin;
    set.name = Argument();
    while (!token_.Is(tok::eof) && !token_.Is(tok::l_brace) && !token_.Is(tok::semi)) Advance();
    if (set.name.empty() || !token_.Is(tok::l_brace)) return;
    const MemberTypes types = TypesOf(set.name, declared);
    arrays_.clear();
    std::string word;
    int depth = 1;
    while (depth > 0 && !token_.Is(tok::eof)) {
      Advance();
      if (token_.Is(tok::l_square)) {
        ReadArray(word);
        continue;
      }
      if (token_.Is(tok::raw_identifier)) word = lexer_.Text(token_);
      depth += token_.Is(tok::l_brace);
      depth -= token_.Is(tok::r_brace);
      if (IsCall(how_.field)) {
        ReadAttribute(types, set);
        depth -= token_.Is(tok::r_brace);
      }
    }
    AddInherited(declared, set);
    sets_.push_back(std::move(set));
  }

  // Returns the offset after the last class name `name` before `end`; npos if there is none.
  std::size_t ClassBefore(const std::string& name, std::size_t end) const {
    const std::string_view before = text_.substr(0, end);
    for (std::size_t at = before.rfind(name); at != std::string_view::npos && at > 0;
         at = before.rfind(name, at - 1)) {
      const std::string_view head = before.substr(0, at);
      const std::size_t behind = at + name.size();
      const bool opens = head.ends_with("struct ") || head.ends_with("class ");
      if (opens && behind < end && !IsWordCharacter(text_[behind])) return behind;
    }
    return std::string_view::npos;
  }

  // Returns the types of the members that the class declares before the set.
  MemberTypes TypesOf(const std::string& name, std::size_t declared) const {
    const std::size_t at = ClassBefore(name, declared);
    if (at == std::string_view::npos) return {};
    return ReadMembers(text_.substr(at), declared - at);
  }

  // Adds the types of members that the class inherits from base classes earlier in the file.
  void AddInherited(std::size_t declared, AttributeSet& set) const {
    const auto untyped = [](const auto& attribute) { return attribute.type.empty(); };
    auto& attributes = set.attributes;
    if (std::none_of(attributes.begin(), attributes.end(), untyped)) return;
    const std::size_t begin = ClassBefore(set.name, declared);
    if (begin == std::string_view::npos) return;
    const std::string_view bases = text_.substr(begin, text_.find('{', begin) - begin);
    for (std::size_t at = 0; at < bases.size(); ++at) {
      std::size_t end = at;
      while (end < bases.size() && IsWordCharacter(bases[end])) ++end;
      if (end == at) continue;
      const std::size_t base = ClassBefore(std::string(bases.substr(at, end - at)), begin);
      at = end;
      if (base == std::string_view::npos) continue;
      const std::string_view inside = text_.substr(base);
      for (const auto& [name, type] : ReadMembers(inside, inside.find("\n};"))) {
        for (AttributeSet::Attribute& attribute : attributes) {
          if (attribute.name == name && untyped(attribute)) attribute.type = type;
        }
      }
    }
  }

  // Reads float sizes[] = {1, 2}; a default may refer to it. An assignment to an element discards
  // it.
  void ReadArray(const std::string& name) {
    while (!token_.Is(tok::eof) && !token_.Is(tok::equal) && !token_.Is(tok::semi)) Advance();
    if (token_.Is(tok::equal)) Advance();
    if (token_.Is(tok::l_brace)) {
      arrays_[name] = Braces();
    } else {
      arrays_.erase(name);
    }
  }

  // Replaces a range over an array: "TShape(shape, shape + 2)" -> "TShape({0,0})"
  std::string WithArray(const std::string& initial) const {
    const std::size_t open = initial.find('(');
    const std::size_t comma = std::min(initial.find(','), initial.size());
    if (open == std::string::npos || comma <= open) return initial;
    const auto array = arrays_.find(initial.substr(open + 1, comma - open - 1));
    const bool whole = array != arrays_.end() && initial.ends_with(')') &&
                       initial.compare(comma + 1, array->first.size(), array->first) == 0;
    return whole ? initial.substr(0, open + 1) + array->second + ")" : initial;
  }

  // Reads from '{' to its '}', which becomes token_.
  std::string Braces() {
    std::string text;
    for (int depth = 0; !token_.Is(tok::eof); Advance()) {
      depth += OpensBracket(token_.kind) - ClosesBracket(token_.kind);
      AppendToken(text, lexer_.Text(token_));
      if (depth == 0) break;
    }
    return text;
  }

  // Reads up to the ')' or ',' that ends the argument, which becomes token_.
  std::string Text() {
    std::string text;
    for (int depth = 0; !token_.Is(tok::eof); Advance()) {
      if (depth == 0 && (token_.Is(tok::r_paren) || token_.Is(tok::comma))) break;
      depth += OpensBracket(token_.kind) - ClosesBracket(token_.kind);
      AppendToken(text, lexer_.Text(token_));
    }
    return text;
  }

  // Reads "(a, b(c), d)" and moves past it.
  std::vector<std::string> Arguments() {
    std::vector<std::string> arguments;
    Advance();
    if (!token_.Is(tok::l_paren)) return arguments;
    do {
      Advance();
      arguments.push_back(Text());
    } while (token_.Is(tok::comma));
    Advance();
    return arguments;
  }

  void ReadAttribute(const MemberTypes& types, AttributeSet& set) {
    AttributeSet::Attribute attribute;
    attribute.name = Argument();
    if (auto type = types.find(attribute.name); type != types.end()) attribute.type = type->second;
    Advance();
    if (token_.Is(tok::r_paren)) Advance();
    while (!token_.Is(tok::eof) && !token_.Is(tok::semi) && !token_.Is(tok::r_brace)) {
      if (token_.Is(tok::period)) {
        Advance();
        ReadMethod(attribute);
      } else {
        if (token_.Is(tok::raw_identifier)) attribute.macros.emplace_back(lexer_.Text(token_));
        Advance();
      }
    }
    if (!attribute.name.empty()) set.attributes.push_back(std::move(attribute));
  }

  void ReadMethod(AttributeSet::Attribute& attribute) {
    const bool value = IsCall(how_.value);
    const bool initial = IsCall(how_.initial);
    const std::vector<std::string> arguments = Arguments();
    if (arguments.empty()) return;
    const std::string& first = arguments.front();
    if (initial) attribute.initial = WithArray(first);
    if (value && first.size() >= 2 && first.front() == '"') {
      attribute.values.push_back(
          {first.substr(1, first.size() - 2), arguments.size() > 1 ? arguments[1] : std::string()});
    }
  }

  std::string_view text_;
  std::size_t begin_;
  RawLexer lexer_;
  const AttributeSets& how_;
  RawToken token_{.kind = tok::semi};
  std::map<std::string, std::string> arrays_;  // of the set being read
  std::vector<AttributeSet> sets_;
};

}  // namespace

std::vector<AttributeSet> FindAttributeSets(std::string_view text, Range names,
                                            const AttributeSets& how) {
  return SetReader(text, names, how).Run(names.end - names.begin);
}

std::optional<AttributeSet> ValuesOfMacro(const MacroDefinition& macro, const AttributeSets& how) {
  const auto& words = macro.identifiers;
  const bool adds = !how.value.empty() && !macro.undefines &&
                    !macro.text.starts_with(macro.name + "(") &&
                    std::find(words.begin(), words.end(), how.value) != words.end();
  if (!adds) return std::nullopt;
  const std::string body = how.declare + "(" + macro.name + "){" + how.field + "(" + macro.name +
                           ")" + macro.text.substr(macro.name.size()) + ";}";
  std::vector<AttributeSet> sets =
      SetReader(body, {0, static_cast<Offset>(body.size())}, how).Run(1);
  return sets.empty() ? std::nullopt : std::optional(std::move(sets.front()));
}

}  // namespace opledger::scan
