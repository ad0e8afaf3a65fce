// Keeps the last tokens: a few, or enough for a unit and its own headers.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/tokens/tokens.h"

#include <cstring>

#include "clang/Lex/Preprocessor.h"
#include "registry/scan/tokens/token_recorder.h"

namespace opledger::scan {
namespace {

namespace tok = clang::tok;

// More than any real source expands to. A macro bomb reaches it in a fraction of a second.
constexpr TokenStream::Index kMaxMatchTokens = 20'000'000;

// Number of tokens kept: enough for a statement, or for a unit and its own headers.
constexpr std::size_t kFewKept = 8192;
constexpr std::size_t kManyKept = 500'000;

// Maximum distance to an open bracket.
constexpr TokenStream::Index kFarthest = 200'000;

}  // namespace

bool IsReference(tok::TokenKind kind) {
  return kind == tok::star || kind == tok::amp || kind == tok::ampamp;
}

TokenStream::TokenStream(clang::Preprocessor& preprocessor, TokenRecorder* recorder, bool keep_all)
    : preprocessor_(preprocessor),
      recorder_(recorder),
      most_kept_(keep_all ? kManyKept : kFewKept) {
  token_.startToken();
  token_.setKind(tok::semi);
}

void TokenStream::Advance() {
  if (AtEnd()) return;
  if (position_ >= 0) {
    if (kept_.size() == most_kept_) {
      const auto dropped = static_cast<Index>(most_kept_ / 2);
      kept_.erase(kept_.begin(), kept_.begin() + dropped);
      first_kept_ += dropped;
    }
    kept_.push_back(token_);
    braces_ += token_.is(tok::l_brace) - token_.is(tok::r_brace);
    brackets_ += token_.isOneOf(tok::l_paren, tok::l_square);
    brackets_ -= token_.isOneOf(tok::r_paren, tok::r_square);
  }
  ++position_;
  preprocessor_.Lex(token_);
  if (recorder_ != nullptr && !AtEnd()) {
    recorder_->Add(token_.getKind(), Spelling(token_), token_.isAtStartOfLine());
    if (token_.isAtStartOfLine()) {
      const clang::SourceManager& sources = preprocessor_.getSourceManager();
      const clang::SourceLocation at = sources.getExpansionLoc(token_.getLocation());
      const llvm::StringRef file = sources.getFilename(at).rsplit('/').second;
      recorder_->StandsAt(file.empty() ? sources.getFilename(at) : file,
                          sources.getExpansionLineNumber(at));
    }
  }
  strange_ += token_.is(tok::unknown);
  if (position_ < kMaxMatchTokens) return;
  too_many_ = true;
  token_.setKind(tok::eof);
}

const clang::Token& TokenStream::LookAhead(unsigned tokens) const {
  return AtEnd() ? token_ : preprocessor_.LookAhead(tokens);
}

// Fast if the token is contiguous in a buffer.
std::string_view TokenStream::Spelling(const clang::Token& token) const {
  if (const clang::IdentifierInfo* identifier = token.getIdentifierInfo()) {
    return identifier->getName();
  }
  if (!token.needsCleaning()) {
    const char* punctuator = tok::getPunctuatorSpelling(token.getKind());
    // Digraphs have another length.
    if (punctuator != nullptr && std::strlen(punctuator) == token.getLength()) return punctuator;
    if (token.isLiteral() && token.getLiteralData() != nullptr) {
      return {token.getLiteralData(), token.getLength()};
    }
  }
  return llvm::StringRef(preprocessor_.getSpelling(token))
      .copy(preprocessor_.getPreprocessorAllocator());
}

TextToken TokenStream::Keep(const clang::Token& token) const {
  return {.kind = token.getKind(), .location = token.getLocation(), .text = Spelling(token)};
}

const clang::Token* TokenStream::At(Index at) const {
  if (at == position_) return &token_;
  const bool kept = at >= first_kept_ && at < first_kept_ + static_cast<Index>(kept_.size());
  return kept ? &kept_[static_cast<std::size_t>(at - first_kept_)] : nullptr;
}

tok::TokenKind TokenStream::KindAt(Index at) const {
  const clang::Token* token = At(at);
  return token == nullptr ? tok::eof : token->getKind();
}

const clang::IdentifierInfo* TokenStream::NameAt(Index at) const {
  const clang::Token* token = At(at);
  return token == nullptr || token->isLiteral() ? nullptr : token->getIdentifierInfo();
}

std::string_view TokenStream::TextAt(Index at) const {
  const clang::Token* token = At(at);
  return token == nullptr ? std::string_view() : Spelling(*token);
}

std::vector<TextToken> TokenStream::Tokens(Index begin, Index end) const {
  std::vector<TextToken> tokens;
  for (Index at = begin; at < end; ++at) {
    if (const clang::Token* token = At(at)) {
      tokens.push_back(Keep(*token));
    }
  }
  return tokens;
}

TokenStream::Index TokenStream::OpeningOf(Index close) const {
  const bool angle = KindAt(close) == tok::greater || KindAt(close) == tok::greatergreater;
  int depth = 0;
  for (Index at = close; at >= 0 && close - at < kFarthest; --at) {
    const tok::TokenKind kind = KindAt(at);
    if (kind == tok::eof) break;
    if (!angle) {
      depth += ClosesBracket(kind);
      depth -= OpensBracket(kind);
    } else if (kind == tok::greater || kind == tok::less) {
      depth += kind == tok::greater ? 1 : -1;
    } else if (kind == tok::greatergreater) {
      depth += 2;
    } else if (ClosesBracket(kind)) {
      at = OpeningOf(at);
      if (at == kNone) break;
    } else if (OpensBracket(kind) || kind == tok::semi) {
      break;
    }
    if (depth <= 0) return at;
  }
  return kNone;
}

TokenStream::Index TokenStream::Enclosing(Index at) const {
  int depth = 0;
  for (Index i = at - 1; i >= 0 && at - i < kFarthest; --i) {
    const tok::TokenKind kind = KindAt(i);
    if (kind == tok::eof) break;
    depth += ClosesBracket(kind);
    depth -= OpensBracket(kind);
    if (depth < 0) return i;
  }
  return kNone;
}

TokenStream::Index TokenStream::EnclosingBrace(Index at) const {
  Index open = Enclosing(at);
  while (open != kNone && KindAt(open) != tok::l_brace) open = Enclosing(open);
  return open;
}

TokenStream::Index TokenStream::EnclosingAngle(Index at) const {
  int depth = 0;
  for (Index i = at - 1; i >= 0; --i) {
    const tok::TokenKind kind = KindAt(i);
    if (kind == tok::eof || kind == tok::semi || OpensBracket(kind)) break;
    if (ClosesBracket(kind)) {
      i = OpeningOf(i);
      if (i == kNone) break;
      continue;
    }
    depth += kind == tok::greater;
    depth += kind == tok::greatergreater ? 2 : 0;
    depth -= kind == tok::less;
    if (depth < 0) return i;
  }
  return kNone;
}

TokenStream::Index TokenStream::NameBegin(Index at) const {
  Index begin = at;
  if (KindAt(begin) == tok::greater || KindAt(begin) == tok::greatergreater) {
    const Index open = OpeningOf(begin);
    if (open == kNone || KindAt(open - 1) != tok::identifier) return at;
    begin = open - 1;
  }
  while (KindAt(begin - 1) == tok::coloncolon) {
    Index before = begin - 2;
    if (KindAt(before) == tok::greater) {
      const Index open = OpeningOf(before);
      if (open == kNone) return begin - 1;
      before = open - 1;
    }
    if (KindAt(before) != tok::identifier) return begin - 1;
    begin = before;
  }
  return begin;
}

TokenStream::Index TokenStream::StatementBegin(Index at) const {
  for (Index i = at - 1; i >= 0; --i) {
    const tok::TokenKind kind = KindAt(i);
    if (kind == tok::eof) return i + 1;
    if (kind == tok::semi || kind == tok::l_brace || kind == tok::r_brace) return i + 1;
    if (kind == tok::r_paren || kind == tok::r_square) {
      const Index open = OpeningOf(i);
      if (open == kNone) return i + 1;
      i = open;
    } else if (kind == tok::l_paren || kind == tok::l_square) {
      return i + 1;
    }
  }
  return 0;
}

}  // namespace opledger::scan
