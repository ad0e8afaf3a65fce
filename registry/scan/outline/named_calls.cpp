// Walks once over the statements outside functions. Skips the bodies of functions and classes,
// except for calls whose names say that they register.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "registry/scan/lex/token_text.h"
#include "registry/scan/outline/named_uses.h"
#include "registry/scan/outline/registration_words.h"

namespace opledger::scan {
namespace {

namespace tok = clang::tok;

constexpr std::size_t kLongestName = 120;

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsNameCharacter(char c) {
  return IsLetter(c) || IsDigit(c) || c == '_' || c == '.' || c == ':' || c == '/' || c == '-';
}

// Classify the token that stands for a conditional directive.
bool OpensGroup(const TextToken& token) { return token.directive && token.text.starts_with("if"); }
bool OpensBranch(const TextToken& token) { return token.directive && token.text.starts_with("el"); }
bool EndsGroup(const TextToken& token) { return token.directive && token.Is("endif"); }

std::vector<FoundDefinition> DefinedMacros(std::string_view text) {
  const LexedText lexed(text);
  const TokenSpan tokens = lexed.tokens;
  std::vector<FoundDefinition> macros;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    if (!tokens[at].directive) continue;
    const std::size_t end = BehindDirective(tokens, at);
    if (DirectiveAt(tokens, at) == "define" && at + 2 < end && tokens[at + 2].IsName()) {
      macros.push_back({std::string(tokens[at + 2].text), tokens[at + 2].begin});
    }
    at = end - 1;
  }
  return macros;
}

bool IsString(const TextToken& token) { return token.Is(tok::string_literal); }

// Returns the text between the quotes of a plain string literal; empty for other literals.
std::string_view Quoted(std::string_view literal) {
  if (literal.size() < 2 || literal.front() != '"') return {};
  return literal.substr(1, literal.size() - 2);
}

// Words that do not begin a macro call although '(' may follow.
bool IsKeyword(std::string_view word) {
  static constexpr std::string_view kKeywords[] = {
      "if",       "for",        "while",         "switch",         "return",   "sizeof",
      "alignas",  "decltype",   "static_assert", "catch",          "noexcept", "__attribute__",
      "explicit", "__declspec", "asm",           "_Static_assert", "requires", "operator"};
  return std::find(std::begin(kKeywords), std::end(kKeywords), word) != std::end(kKeywords);
}

bool SaysThatItRegisters(std::string_view word) {
  return word.find("egister") != std::string_view::npos || word.starts_with("REGISTER");
}

class StatementWalk {
 public:
  StatementWalk(std::string_view text, std::vector<NamedUse>& calls)
      : text_(text, Directives::kConditionals), tokens_(text_.tokens), calls_(calls) {
    tokens_.emplace_back();  // eof
  }

  void Run() {
    while (!At().Is(tok::eof)) Statement();
  }

 private:
  // The block of a macro call. `receivers`: the words among the macro's arguments.
  struct Block {
    std::string macro;  // empty: a namespace
    std::vector<std::string> receivers;
  };

  const TextToken& At(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  bool InModule() const { return !blocks_.empty() && !blocks_.back().macro.empty(); }

  void Statement();
  void Namespace();
  void MacroCall();
  void OtherStatement();
  void ModuleStatement();
  void Keep(NamedForm form, std::size_t name, std::size_t open, bool inside = false);
  void Table(std::size_t open, std::size_t close);
  void SkipTemplateHeads();
  std::size_t EndifFrom(std::size_t at) const;
  // Returns the first token of the arguments, inside a macro that only wraps it:
  // def(SCHEMA("x()")).
  std::size_t FirstString(std::size_t open) const {
    const bool wrapped = open + 3 < tokens_.size() && tokens_[open + 1].IsName() &&
                         tokens_[open + 2].Is(tok::l_paren);
    return std::min(open + (wrapped ? 3 : 1), tokens_.size() - 1);
  }
  std::size_t Closing(std::size_t open) const;
  void LookInside(std::size_t begin, std::size_t end);
  std::array<std::string, NamedUse::kArguments> Arguments(std::size_t open) const;
  std::string Argument(std::size_t begin, std::size_t end) const;
  bool Conditional();

  LexedText text_;
  std::vector<TextToken>& tokens_;
  std::vector<NamedUse>& calls_;
  std::size_t at_ = 0;
  std::vector<Block> blocks_;
  std::vector<std::vector<Block>> saved_;  // at each open #if
};

// An #else continues with the blocks that were open at its #if.
bool StatementWalk::Conditional() {
  if (!At().directive) return false;
  if (OpensGroup(At())) saved_.push_back(blocks_);
  if (OpensBranch(At()) && !saved_.empty()) blocks_ = saved_.back();
  if (EndsGroup(At()) && !saved_.empty()) saved_.pop_back();
  ++at_;
  return true;
}

// Returns the index of the #endif that belongs to the #else at `at`.
std::size_t StatementWalk::EndifFrom(std::size_t at) const {
  int inner = 0;
  for (; at + 1 < tokens_.size(); ++at) {
    inner += OpensGroup(tokens_[at]);
    if (!EndsGroup(tokens_[at])) continue;
    if (inner-- == 0) return at;
  }
  return at;
}

// Returns the index after the bracket that closes the one at `open`. Brackets that an #else
// repeats count once.
std::size_t StatementWalk::Closing(std::size_t open) const {
  int depth = 0;
  std::vector<int> saved;
  for (std::size_t i = open; i + 1 < tokens_.size(); ++i) {
    const TextToken& token = tokens_[i];
    if (OpensBranch(token) && saved.empty()) {
      i = EndifFrom(i);  // of an #if before the bracket
      continue;
    }
    if (OpensGroup(token)) saved.push_back(depth);
    if (OpensBranch(token) && !saved.empty()) depth = saved.back();
    if (EndsGroup(token) && !saved.empty()) saved.pop_back();
    if (OpensBracket(token.kind)) ++depth;
    if (ClosesBracket(token.kind) && --depth == 0) return i + 1;
  }
  return tokens_.size() - 1;
}

// Reads an argument: a name, optionally with scopes or template arguments, or a string.
std::string StatementWalk::Argument(std::size_t begin, std::size_t end) const {
  if (begin == end) return {};
  if (IsString(tokens_[begin])) {
    const std::string name = NameIn(Quoted(tokens_[begin].text));
    const bool schema = tokens_[begin].text.find('(') != std::string_view::npos;
    return name.empty() || (end - begin > 1 && !schema) ? std::string() : '"' + name;
  }
  std::string name;
  for (std::size_t i = begin; i < end; ++i) {
    const bool scope = tokens_[i].Is(tok::coloncolon);
    if (tokens_[i].Is(tok::less) && !name.empty()) return name;
    if (!scope && !tokens_[i].IsName()) return {};
    if (!scope && !name.empty() && !name.ends_with("::")) return {};
    name += tokens_[i].text;
  }
  return NameIn(name);
}

std::array<std::string, NamedUse::kArguments> StatementWalk::Arguments(std::size_t open) const {
  std::array<std::string, NamedUse::kArguments> arguments;
  const std::size_t close = Closing(open) - 1;
  std::size_t begin = open + 1;
  std::size_t count = 0;
  for (std::size_t i = begin; i <= close && count < arguments.size();) {
    const bool ends = i == close || tokens_[i].Is(tok::comma);
    if (ends) {
      arguments[count++] = Argument(begin, i);
      begin = i + 1;
    }
    i = OpensBracket(tokens_[i].kind) ? Closing(i) : i + 1;
  }
  return arguments;
}

void StatementWalk::Keep(NamedForm form, std::size_t name, std::size_t open, bool inside) {
  NamedUse call;
  call.form = form;
  call.name = tokens_[name].text;
  call.offset = tokens_[name].begin;
  call.inside = inside;
  call.arguments = Arguments(open);
  if (form == NamedForm::kMethod && InModule() && !blocks_.back().receivers.empty()) {
    call.module = blocks_.back().macro;
  }
  const auto named = [](const std::string& argument) { return !argument.empty(); };
  const TextToken& first = tokens_[FirstString(open)];
  call.schema = form != NamedForm::kMacro && IsString(first) && IsSchema(first.text);
  if (call.schema || std::any_of(call.arguments.begin(), call.arguments.end(), named)) {
    calls_.push_back(std::move(call));
  }
}

// Keeps calls whose names say that they register, at any depth.
void StatementWalk::LookInside(std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i + 2 < end; ++i) {
    if (!tokens_[i].IsName() || !tokens_[i + 1].Is(tok::l_paren)) continue;
    const TextToken& first = tokens_[FirstString(i + 1)];
    if (!IsString(first)) continue;
    const bool method =
        i > begin && (tokens_[i - 1].Is(tok::period) || tokens_[i - 1].Is(tok::arrow));
    // The object of a longer chain is not known; usually it is a class being bound.
    const bool of_variable = method && i > begin + 1 && tokens_[i - 2].IsName();
    if (method && tokens_[i].text == "def" && (of_variable || IsSchema(first.text))) {
      Keep(NamedForm::kMethod, i, i + 1, true);
    } else if (SaysThatItRegisters(tokens_[i].text)) {
      Keep(NamedForm::kFunction, i, i + 1, true);
    }
  }
}

void StatementWalk::Namespace() {
  while (!At().Is(tok::eof) && !At().Is(tok::l_brace) && !At().Is(tok::semi)) ++at_;
  if (At().Is(tok::l_brace)) blocks_.emplace_back();
  ++at_;
}

// Reads NAME(...) at the beginning of a statement, with ';', a chain, a block or nothing after it.
void StatementWalk::MacroCall() {
  const std::size_t name = at_;
  const std::size_t close = Closing(at_ + 1);
  Keep(NamedForm::kMacro, name, name + 1);
  Block block{std::string(tokens_[name].text), {}};
  for (std::size_t i = name + 2; i + 1 < close; ++i) {
    if (tokens_[i].IsName()) block.receivers.emplace_back(tokens_[i].text);
  }
  at_ = close;
  if (At().Is(tok::l_brace)) {
    blocks_.push_back(std::move(block));
    ++at_;
    return;
  }
  if (!At().Is(tok::period) && !At().Is(tok::arrow)) return;
  while (!At().Is(tok::eof) && !At().Is(tok::semi)) {
    const bool opens = At().Is(tok::l_paren) || At().Is(tok::l_brace);
    at_ = opens ? Closing(at_) : at_ + 1;
  }
}

// Reads a table that only contains names: "a", "b", ...
void StatementWalk::Table(std::size_t open, std::size_t close) {
  std::size_t name = open;
  while (name > at_ && !tokens_[name].Is(tok::l_square)) --name;
  if (name == at_ || !tokens_[name - 1].IsName()) return;
  std::vector<NamedUse> elements;
  for (std::size_t i = open + 1; i + 1 < close; ++i) {
    if (tokens_[i].Is(tok::comma) || tokens_[i].directive) continue;
    const std::string element = IsString(tokens_[i]) ? Argument(i, i + 1) : std::string();
    if (element.empty()) return;
    NamedUse call;
    call.form = NamedForm::kTable;
    call.name = tokens_[name - 1].text;
    call.arguments[0] = element;
    call.offset = tokens_[i].begin;
    elements.push_back(std::move(call));
  }
  calls_.insert(calls_.end(), elements.begin(), elements.end());
}

// Reads a declaration or definition. Its first call with a string argument may register.
void StatementWalk::OtherStatement() {
  const std::size_t begin = at_;
  bool found = false;
  bool assigned = false;
  const bool is_class =
      At().Is("class") || At().Is("struct") || At().Is("enum") || At().Is("union");
  std::size_t i = at_;
  for (; i + 1 < tokens_.size(); ++i) {
    const TextToken& token = tokens_[i];
    if (token.directive) continue;
    if (token.Is(tok::semi)) break;
    if (token.Is(tok::r_brace)) {  // of the enclosing block
      at_ = i;
      return;
    }
    assigned = assigned || token.Is(tok::equal);
    if (!token.Is(tok::l_paren) && !token.Is(tok::l_brace)) continue;
    const std::size_t close = Closing(i);
    const TextToken& before = tokens_[i - (i > begin ? 1 : 0)];
    if (!found && !is_class && before.IsName() && IsString(tokens_[i + 1])) {
      found = true;
      std::size_t name = i - 1;
      const bool variable = name > begin && !assigned &&
                            (tokens_[name - 1].IsName() || tokens_[name - 1].Is(tok::greater));
      if (variable) {
        for (--name; name > begin && !tokens_[name].IsName();) --name;
        for (std::size_t less = name; less > begin; --less) {  // Registrar<Op> r: the template
          if (tokens_[less].Is(tok::less) && tokens_[less - 1].IsName()) name = less - 1;
        }
      }
      Keep(variable ? NamedForm::kVariable : NamedForm::kFunction, name, i);
    }
    if (token.Is(tok::l_brace)) {
      if (before.Is(tok::equal)) {
        Table(i, close);
      } else if (!found) {
        LookInside(i, close);
      }
      const bool body = !assigned && !(before.IsName() && found);
      if (body && !is_class) {
        at_ = close;
        return;
      }
    }
    i = close - 1;
  }
  at_ = i + 1;
}

// Reads m.def("a", f).def("b", g);
void StatementWalk::ModuleStatement() {
  const Block& block = blocks_.back();
  const bool listens =
      block.receivers.empty() ||
      std::find(block.receivers.begin(), block.receivers.end(), At().text) != block.receivers.end();
  while (!At().Is(tok::eof) && !At().Is(tok::semi) && !At().Is(tok::r_brace)) {
    if (At().directive) {
      Conditional();
      continue;
    }
    if (At().Is(tok::l_brace)) {
      blocks_.push_back(Block(blocks_.back()));
      ++at_;
      return;
    }
    if (!At().Is(tok::l_paren)) {
      ++at_;
      continue;
    }
    const bool method = at_ > 1 && tokens_[at_ - 1].IsName() &&
                        (tokens_[at_ - 2].Is(tok::period) || tokens_[at_ - 2].Is(tok::arrow));
    const TextToken& first = tokens_[FirstString(at_)];
    if (method && IsString(first) && (listens || IsSchema(first.text)))
      Keep(NamedForm::kMethod, at_ - 1, at_);
    at_ = Closing(at_);
  }
  if (At().Is(tok::semi)) ++at_;
}

// Skips template <class T> before a declaration.
void StatementWalk::SkipTemplateHeads() {
  while (At().Is("template") && At(1).Is(tok::less)) {
    int depth = 0;
    for (++at_; !At().Is(tok::eof) && !At().Is(tok::semi) && !At().Is(tok::l_brace); ++at_) {
      depth += At().Is(tok::less);
      depth -= At().Is(tok::greater) + 2 * At().Is(tok::greatergreater);
      if (depth <= 0) break;
    }
    if (At().Is(tok::greater) || At().Is(tok::greatergreater)) ++at_;
  }
}

void StatementWalk::Statement() {
  if (Conditional()) return;
  if (At().Is(tok::r_brace)) {
    if (!blocks_.empty()) blocks_.pop_back();
    ++at_;
    return;
  }
  if (At().Is(tok::semi)) {
    ++at_;
    return;
  }
  if (InModule()) return ModuleStatement();
  SkipTemplateHeads();
  const bool inline_namespace = At().Is("inline") && At(1).Is("namespace");
  const bool linkage = At().Is("extern") && IsString(At(1)) && At(2).Is(tok::l_brace);
  if (At().Is("namespace") || inline_namespace || linkage) return Namespace();
  if (At().IsName() && At(1).Is(tok::l_paren) && !IsKeyword(At().text)) return MacroCall();
  OtherStatement();
}

}  // namespace

FileUses FindNamedCalls(std::string_view text) {
  FileUses found;
  StatementWalk(text, found.uses).Run();
  found.definitions = DefinedMacros(text);
  return found;
}

bool IsSchema(std::string_view literal) {
  std::size_t begin = literal.find('"');
  if (begin == std::string_view::npos) return false;
  const bool raw = begin > 0 && literal[begin - 1] == 'R';
  if (raw) begin = literal.find('(', begin);
  if (begin == std::string_view::npos) return false;
  begin = std::min(literal.find_first_not_of(" \t\r\n", begin + 1), literal.size());
  literal.remove_prefix(begin);
  return literal.find('(') != std::string_view::npos && !NameIn(literal).empty();
}

std::string NameIn(std::string_view text) {
  text = text.substr(0, text.find('('));
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  if (text.empty() || text.size() > kLongestName || text.starts_with("__")) return {};
  const bool starts =
      IsLetter(text.front()) || text.front() == '_' || (IsDigit(text.front()) && text.size() > 2);
  const bool named = starts && std::all_of(text.begin(), text.end(), IsNameCharacter) &&
                     std::any_of(text.begin(), text.end(), IsLetter);
  return named ? std::string(text) : std::string();
}

std::vector<NamedUse> FindLikelyCalls(std::string_view text) {
  static constexpr std::string_view kWords[] = {
      "egist",  "REG",    "OP",      "Op",      "LAYER", "Layer",  "KERNEL", "Kernel", "LIBRARY",
      "PLUGIN", "Plugin", "CREATOR", "Creator", "FFI",   "EXPORT", ".def(",  "->def("};
  const bool any = std::any_of(std::begin(kWords), std::end(kWords), [&](std::string_view word) {
    return text.find(word) != std::string_view::npos;
  });
  if (!any) return {};
  std::vector<NamedUse> uses;
  StatementWalk(text, uses).Run();
  std::erase_if(uses, [](const NamedUse& use) {
    if (use.inside) return use.form != NamedForm::kMethod || !use.schema;
    return use.form == NamedForm::kTable ||
           (use.form != NamedForm::kMethod && !NamesRegistration(use.name));
  });
  return uses;
}

}  // namespace opledger::scan
