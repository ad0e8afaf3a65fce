// Replaces the whole statement of a registration by its record, since its chain and the variable
// that it declares may need declarations that are missing.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/tokens/token_recorder.h"

#include <algorithm>

#include "registry/scan/lex/token_text.h"

namespace opledger::scan {
namespace {

namespace tok = clang::tok;

constexpr std::size_t kMaxText = std::size_t{64} << 20;

bool Controls(tok::TokenKind kind) {
  return kind == tok::kw_for || kind == tok::kw_if || kind == tok::kw_while ||
         kind == tok::kw_switch || kind == tok::kw_constexpr;
}

// Tokens that use the value of a registration; the text around it is then kept.
bool UsesValue(tok::TokenKind kind) {
  switch (kind) {
    case tok::kw_return:
    case tok::kw_co_return:
    case tok::kw_throw:
    case tok::plusplus:
    case tok::minusminus:
    case tok::plusequal:
    case tok::minusequal:
    case tok::question:
    case tok::ampamp:
    case tok::pipepipe:
    case tok::comma:
      return true;
    default:
      return false;
  }
}

std::string DeclaredRecord(const std::string& name, const std::string& value, bool in_class) {
  return std::string(in_class ? "static inline const int" : "int") + " __opledger_" + name + " = " +
         value + ";\n";
}

}  // namespace

void TokenRecorder::Add(tok::TokenKind kind, std::string_view spelling, bool starts_line) {
  if (text_.size() > kMaxText || (kind == tok::hash && starts_line)) {
    kind = tok::semi;
    spelling = ";";
  }
  tokens_.push_back({kind, starts_line, text_.size(), spelling.size()});
  text_ += spelling;
}

void TokenRecorder::StandsAt(std::string_view file, unsigned line) {
  if (files_.empty() || files_.back() != file) {
    const auto known = std::find(files_.begin(), files_.end(), file);
    tokens_.back().file = static_cast<int>(known - files_.begin());
    if (known == files_.end()) files_.emplace_back(file);
  } else {
    tokens_.back().file = static_cast<int>(files_.size()) - 1;
  }
  tokens_.back().line = line;
}

// Returns the bracket of the use's arguments: name(, name<Type, 2>(.
std::size_t TokenRecorder::OpeningOf(const Use& use) const {
  std::size_t at = use.token + 1;
  if (at >= tokens_.size() || tokens_[at].kind != tok::less) return at;
  for (int angles = 0; at < tokens_.size() && tokens_[at].kind != tok::semi; ++at) {
    if (OpensBracket(tokens_[at].kind))
      at = std::min(ClosingBracket(tokens_, at), tokens_.size() - 1);
    angles += tokens_[at].kind == tok::less;
    angles -= tokens_[at].kind == tok::greater;
    angles -= tokens_[at].kind == tok::greatergreater ? 2 : 0;
    if (angles <= 0) return at + 1;
  }
  return at;
}

// Returns the index after the statement's ';', or the bracket that closes the enclosing pair.
std::size_t TokenRecorder::EndOfStatement(std::size_t token) const {
  int depth = 0;
  for (std::size_t at = token; at < tokens_.size(); ++at) {
    depth += OpensBracket(tokens_[at].kind);
    depth -= ClosesBracket(tokens_[at].kind);
    if (depth < 0) return at;
    if (depth == 0 && tokens_[at].kind == tok::semi) return at + 1;
    if (depth == 0 && tokens_[at].kind == tok::r_brace && EndsFunction(at)) return at + 1;
  }
  return tokens_.size();
}

// Returns whether the '}' closes a function's body, not a lambda or list.
bool TokenRecorder::EndsFunction(std::size_t close) const {
  if (close + 1 == tokens_.size()) return true;
  const tok::TokenKind next = tokens_[close + 1].kind;
  return tok::isAnyIdentifier(next) || tok::getKeywordSpelling(next) != nullptr ||
         next == tok::l_square;
}

// Returns the index after the call whose '(' is at `open`, and the calls chained to it.
std::size_t TokenRecorder::EndOfChain(std::size_t open) const {
  std::size_t at = ClosingBracket(tokens_, open) + 1;
  while (at + 2 < tokens_.size() &&
         (tokens_[at].kind == tok::period || tokens_[at].kind == tok::arrow) &&
         tokens_[at + 2].kind == tok::l_paren) {
    at = ClosingBracket(tokens_, at + 2) + 1;
  }
  return std::min(at, tokens_.size());
}

// Returns whether the registration is part of an expression with other effects.
bool TokenRecorder::IsPart(const Use& use, const Open& open, std::size_t done) const {
  const std::size_t opening = OpeningOf(use);
  const bool known = use.what == Use::What::kKnown && open.expression && !helpers_.empty();
  if ((use.what != Use::What::kRecord && !known) || opening >= tokens_.size() ||
      tokens_[opening].kind != tok::l_paren) {
    return false;
  }
  if (open.expression) return true;
  if (open.statement < use.token && tokens_[open.statement].kind == tok::kw_template) return true;
  for (std::size_t at = std::max(open.statement, done); at < use.token; ++at) {
    if (UsesValue(tokens_[at].kind)) return true;
  }
  const std::size_t end = EndOfChain(opening);
  return end < tokens_.size() && UsesValue(tokens_[end].kind);
}

// Returns whether it initializes a base or a member: Mine(int n) : Adder(n ? "a" : "b") {}
bool TokenRecorder::IsInitializer(const Use& use, const Open& open) const {
  if (use.head.empty() || open.expression) return false;
  bool parameters = false;
  int depth = 0;
  for (std::size_t at = open.statement; at < use.token; ++at) {
    const tok::TokenKind kind = tokens_[at].kind;
    depth += OpensBracket(kind);
    depth -= ClosesBracket(kind);
    if (depth > 0) continue;
    parameters = parameters || kind == tok::r_paren;
    if (parameters && kind == tok::colon) return true;
    if (kind == tok::question || kind == tok::equal) return false;
  }
  return false;
}

// Returns the end of the use's statement. A macro that expands to a declaration needs no ';'.
std::size_t TokenRecorder::EndOf(const Use& use, bool begins) const {
  const bool known = use.end > use.token && use.end < tokens_.size() && begins;
  if (!known) return EndOfStatement(use.token);
  switch (tokens_[use.end].kind) {
    case tok::semi:
      return use.end + 1;
    case tok::r_brace:
    case tok::identifier:
      return use.end;
    default:
      return tok::isAnyIdentifier(tokens_[use.end].kind) ||
                     tok::getKeywordSpelling(tokens_[use.end].kind) != nullptr
                 ? use.end
                 : EndOfStatement(use.token);
  }
}

bool TokenRecorder::DeclaresClass(std::size_t begin, std::size_t brace) const {
  bool declares = false;
  for (std::size_t at = begin; at < brace; ++at) {
    const tok::TokenKind kind = tokens_[at].kind;
    declares = declares || kind == tok::kw_class || kind == tok::kw_struct;
    if (kind == tok::l_paren || kind == tok::equal) return false;
  }
  return declares;
}

// Updates `open` for the state after the token.
void TokenRecorder::TrackBrackets(std::size_t token, std::vector<Open>& open) const {
  const tok::TokenKind kind = tokens_[token].kind;
  if (OpensBracket(kind)) {
    const bool controls = kind == tok::l_paren && token > 0 && Controls(tokens_[token - 1].kind);
    const bool in_class = kind == tok::l_brace && DeclaresClass(open.back().statement, token);
    const tok::TokenKind before = token > 0 ? tokens_[token - 1].kind : tok::semi;
    const bool list = kind == tok::l_brace && (before == tok::equal || before == tok::comma ||
                                               before == tok::l_paren || before == tok::kw_return ||
                                               (before == tok::l_brace && open.back().expression));
    const bool header = controls && token > 0 && tokens_[token - 1].kind == tok::kw_for;
    const bool expression = list || (kind != tok::l_brace && !header);
    open.push_back({kind, token + 1, controls, in_class, expression});
    return;
  }
  bool ends = kind == tok::semi || kind == tok::kw_else || kind == tok::kw_do;
  if (ClosesBracket(kind) && open.size() > 1) {
    ends = kind == tok::r_brace || open.back().controls;
    open.pop_back();
  }
  // public: and case 1: and label:
  const bool label =
      kind == tok::colon && token > 0 &&
      (token - open.back().statement == 1 || tokens_[open.back().statement].kind == tok::kw_case);
  if (ends || label) open.back().statement = token + 1;
}

void TokenRecorder::Write(std::size_t token, std::string& out, Place& place) const {
  const Token& written = tokens_[token];
  out += written.starts_line ? '\n' : ' ';
  if (written.starts_line && written.file >= 0) {
    ++place.line;
    if (place.file != written.file || place.line != written.line) {
      out += "# " + std::to_string(written.line) + " \"" +
             files_[static_cast<std::size_t>(written.file)] + "\"\n";
    }
    place = {written.file, written.line};
  }
  out += Spelling(token);
}

// Returns the records among the tokens, in order.
std::vector<const TokenRecorder::Use*> TokenRecorder::RecordsIn(std::size_t begin,
                                                                std::size_t end) const {
  std::vector<const Use*> records;
  for (auto use = FirstUse(begin); use != uses_.end() && use->token < end; ++use) {
    if (use->what == Use::What::kRecord) records.push_back(&*use);
  }
  return records;
}

// Returns the text for part of an expression: the records and the helper calls, with a value of any
// type.
std::string TokenRecorder::PartText(const Use& use, std::size_t begin, std::size_t end) const {
  std::vector<std::string> parts = HelperCalls(begin, end);
  if (use.what == Use::What::kKnown) parts.emplace_back("__opledger_any{}");
  for (const Use* record : RecordsIn(use.token, end)) {
    parts.push_back("__opledger_record_value(" + std::to_string(record->number) + ", " +
                    record->text + ")");
  }
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? " (" : ", ") + part;
  return text + ")";
}

// Returns the text for a statement: a variable for each record and each helper call.
std::string TokenRecorder::StatementText(const Use& use, std::size_t begin, std::size_t end,
                                         bool in_class) const {
  std::string text = "\n";
  for (const Use* record : RecordsIn(use.token, end)) {
    const std::string number = std::to_string(record->number);
    text +=
        DeclaredRecord(number, "__opledger_record(" + number + ", " + record->text + ")", in_class);
  }
  int count = 0;
  for (const std::string& call : HelperCalls(begin, end)) {
    const std::string number = std::to_string(use.token) + "_" + std::to_string(count++);
    text += DeclaredRecord("call_" + number, "(" + call + ", 0)", in_class);
  }
  return text.size() > 1 ? text : "\n;\n";
}

// Returns the replacement of a use that leaves the text around it unchanged; "" if there is none.
std::string TokenRecorder::InPlace(const Use& use, const Open& open, std::size_t& end) const {
  end = std::min(ClosingBracket(tokens_, use.token + 1) + 1, tokens_.size());
  if (use.what == Use::What::kNothing) return ' ' + use.text;
  const std::string number = std::to_string(use.number);
  if (use.what == Use::What::kFunction) {
    end = use.token + 1;
    return " __opledger_function<" + number + ", " + use.text + ">()";
  }
  if (!IsInitializer(use, open)) return {};
  const bool record = use.what == Use::What::kRecord;
  const std::string before = record ? "__opledger_record(" + number + ", " + use.text + "), " : "";
  return ' ' + use.head + before + use.tail;
}

std::string TokenRecorder::Text() {
  std::sort(uses_.begin(), uses_.end(),
            [](const Use& a, const Use& b) { return a.token < b.token; });
  FindHelpers();
  std::string out;
  std::vector<Open> open{{tok::unknown, 0, false, false, false}};
  std::vector<std::size_t> written;  // length of `out` before each token
  written.reserve(tokens_.size());
  auto next = uses_.begin();
  std::size_t at = 0;
  std::size_t done = 0;  // end of the replaced tokens
  Place place;
  // Drops everything up to `end` from the text, but tracks its brackets.
  auto skip_to = [&](std::size_t end) {
    done = end;
    place = {};
    for (; at < end; ++at) {
      TrackBrackets(at, open);
      written.push_back(out.size());
    }
  };
  auto take_back = [&](std::size_t begin) {
    if (begin < at) out.resize(written[begin]);
  };
  while (at < tokens_.size()) {
    while (next != uses_.end() && next->token < at) ++next;
    if (next == uses_.end() || next->token != at) {
      written.push_back(out.size());
      Write(at, out, place);
      TrackBrackets(at++, open);
      continue;
    }
    const Use& use = *next;
    std::size_t end = 0;
    if (const std::string text = InPlace(use, open.back(), end); !text.empty()) {
      if (use.what == Use::What::kFunction) take_back(NameBegin(at));
      out += text;
      skip_to(end);
    } else if (IsPart(use, open.back(), done)) {
      const std::size_t begin = std::max(ExpressionBegin(at), done);
      const std::size_t after = EndOfChain(OpeningOf(use));
      take_back(begin);
      out += PartText(use, begin, after);
      skip_to(after);
    } else if (const std::size_t statement = open.back().statement; use.what == Use::What::kBlock) {
      take_back(statement);
      out += "\nstatic void __opledger_block_" + std::to_string(at) + "(__opledger_any " +
             use.text + ")";
      skip_to(end);
    } else {
      take_back(statement);
      const std::size_t after = EndOf(use, statement == at);
      out += StatementText(use, std::min(statement, at), after, open.back().in_class);
      skip_to(after);
    }
  }
  return out;
}

}  // namespace opledger::scan
