// A statement with a registration gives way to its record as a whole: its chain, and the variable
// that it makes, need declarations that may not be there.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/tokens/token_recorder.h"

#include <algorithm>

namespace opledger::scan {
namespace {

namespace tok = clang::tok;

constexpr std::size_t kMaxText = std::size_t{64} << 20;

bool Opens(tok::TokenKind kind) {
  return kind == tok::l_paren || kind == tok::l_brace || kind == tok::l_square;
}

bool Closes(tok::TokenKind kind) {
  return kind == tok::r_paren || kind == tok::r_brace || kind == tok::r_square;
}

bool Controls(tok::TokenKind kind) {
  return kind == tok::kw_for || kind == tok::kw_if || kind == tok::kw_while ||
         kind == tok::kw_switch || kind == tok::kw_constexpr;
}

// What the value of a registration may be used by, so that the text around it stays.
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

std::string Declared(const TokenRecorder::Use& use, bool in_class) {
  const std::string number = std::to_string(use.number);
  return std::string(in_class ? "static inline const int" : "int") + " __opledger_" + number +
         " = __opledger_record(" + number + ", " + use.text + ");";
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

std::size_t TokenRecorder::Closing(std::size_t open) const {
  int depth = 0;
  for (std::size_t at = open; at < tokens_.size(); ++at) {
    depth += Opens(tokens_[at].kind);
    depth -= Closes(tokens_[at].kind);
    if (depth == 0) return at;
  }
  return tokens_.size();
}

// The bracket that holds what the use is given: name(, name<Type, 2>(.
std::size_t TokenRecorder::OpeningOf(const Use& use) const {
  std::size_t at = use.token + 1;
  if (at >= tokens_.size() || tokens_[at].kind != tok::less) return at;
  for (int angles = 0; at < tokens_.size() && tokens_[at].kind != tok::semi; ++at) {
    if (Opens(tokens_[at].kind)) at = std::min(Closing(at), tokens_.size() - 1);
    angles += tokens_[at].kind == tok::less;
    angles -= tokens_[at].kind == tok::greater;
    angles -= tokens_[at].kind == tok::greatergreater ? 2 : 0;
    if (angles <= 0) return at + 1;
  }
  return at;
}

// Behind its ';', or before the bracket that closes what it stands in.
std::size_t TokenRecorder::EndOfStatement(std::size_t token) const {
  int depth = 0;
  for (std::size_t at = token; at < tokens_.size(); ++at) {
    depth += Opens(tokens_[at].kind);
    depth -= Closes(tokens_[at].kind);
    if (depth < 0) return at;
    if (depth == 0 && tokens_[at].kind == tok::semi) return at + 1;
    if (depth == 0 && tokens_[at].kind == tok::r_brace && EndsFunction(at)) return at + 1;
  }
  return tokens_.size();
}

// Whether the '}' closes the body of a function, not what a lambda or a list holds.
bool TokenRecorder::EndsFunction(std::size_t close) const {
  if (close + 1 == tokens_.size()) return true;
  const tok::TokenKind next = tokens_[close + 1].kind;
  return tok::isAnyIdentifier(next) || tok::getKeywordSpelling(next) != nullptr ||
         next == tok::l_square;
}

// Behind the call whose '(' is at `open`, and the calls chained to it.
std::size_t TokenRecorder::EndOfChain(std::size_t open) const {
  std::size_t at = Closing(open) + 1;
  while (at + 2 < tokens_.size() &&
         (tokens_[at].kind == tok::period || tokens_[at].kind == tok::arrow) &&
         tokens_[at + 2].kind == tok::l_paren) {
    at = Closing(at + 2) + 1;
  }
  return std::min(at, tokens_.size());
}

// Whether the registration is a part of an expression that does something else too.
bool TokenRecorder::IsPart(const Use& use, const Open& open, std::size_t done) const {
  const std::size_t opening = OpeningOf(use);
  if (use.what != Use::What::kRecord || opening >= tokens_.size() ||
      tokens_[opening].kind != tok::l_paren) {
    return false;
  }
  if (open.expression) return true;
  for (std::size_t at = std::max(open.statement, done); at < use.token; ++at) {
    if (UsesValue(tokens_[at].kind)) return true;
  }
  const std::size_t end = EndOfChain(opening);
  return end < tokens_.size() && UsesValue(tokens_[end].kind);
}

// A macro that is a declaration as it is needs no ';'.
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

// Keeps `open` as it is behind the token.
void TokenRecorder::TrackBrackets(std::size_t token, std::vector<Open>& open) const {
  const tok::TokenKind kind = tokens_[token].kind;
  if (Opens(kind)) {
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
  if (Closes(kind) && open.size() > 1) {
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

std::string TokenRecorder::Text() const {
  std::string out;
  std::vector<Open> open{{tok::unknown, 0, false, false, false}};
  std::vector<std::size_t> written;  // how long `out` was before each token
  written.reserve(tokens_.size());
  std::vector<const Use*> uses;
  for (const Use& use : uses_) uses.push_back(&use);
  std::sort(uses.begin(), uses.end(), [](auto a, auto b) { return a->token < b->token; });
  auto next = uses.begin();
  std::size_t at = 0;
  std::size_t done = 0;  // what has given way
  Place place;
  // Everything up to there is gone from the text, but counts for what is open.
  auto skip_to = [&](std::size_t end) {
    done = end;
    place = {};
    for (; at < end; ++at) {
      TrackBrackets(at, open);
      written.push_back(out.size());
    }
  };
  while (at < tokens_.size()) {
    while (next != uses.end() && (*next)->token < at) ++next;
    if (next == uses.end() || (*next)->token != at) {
      written.push_back(out.size());
      Write(at, out, place);
      TrackBrackets(at++, open);
      continue;
    }
    const Use& use = **next;
    const std::size_t close = std::min(Closing(at + 1) + 1, tokens_.size());
    if (use.what == Use::What::kNothing) {
      out += ' ' + use.text;
      skip_to(close);
      continue;
    }
    if (IsPart(use, open.back(), done)) {
      const std::string number = std::to_string(use.number);
      out += " __opledger_record_value(" + number + ", " + use.text + ")";
      skip_to(EndOfChain(OpeningOf(use)));
      continue;
    }
    const std::size_t statement = open.back().statement;
    if (statement < at) out.resize(written[statement]);
    if (use.what == Use::What::kBlock) {
      out += "\nstatic void __opledger_block_" + std::to_string(at) + "(__opledger_any " +
             use.text + ")";
      skip_to(close);
      continue;
    }
    const std::size_t end = EndOf(use, statement == at);
    out += '\n';
    bool any = false;
    const bool in_class = open.back().in_class;
    for (; next != uses.end() && (*next)->token < end; ++next) {
      if ((*next)->what != Use::What::kRecord) continue;
      out += Declared(**next, in_class) + "\n";
      any = true;
    }
    if (!any) out += ";\n";
    skip_to(end);
  }
  return out;
}

}  // namespace opledger::scan
