// The language is fixed, so that facts do not depend on flags; no source needs another.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/raw_lexer.h"

#include "llvm/TargetParser/Triple.h"

namespace opledger::scan {

const clang::LangOptions& SourceLanguage() {
  static const clang::LangOptions options = [] {
    clang::LangOptions made;
    std::vector<std::string> includes;
    clang::LangOptions::setLangDefaults(made, clang::Language::CXX,
                                        llvm::Triple("x86_64-unknown-linux-gnu"), includes,
                                        clang::LangStandard::lang_cxx20);
    made.DollarIdents = true;
    return made;
  }();
  return options;
}

RawLexer::RawLexer(std::string_view text)
    : text_(text),
      lexer_(clang::SourceLocation(), SourceLanguage(), text.data(), text.data(),
             text.data() + text.size()) {}

RawToken RawLexer::Next() {
  clang::Token token;
  lexer_.LexFromRawLexer(token);
  RawToken raw;
  raw.kind = token.getKind();
  raw.end = lexer_.getCurrentBufferOffset();
  raw.begin = raw.end - token.getLength();
  raw.starts_line = token.isAtStartOfLine();
  raw.spaced = token.hasLeadingSpace();
  raw.dirty = token.needsCleaning();
  return raw;
}

std::string_view RawLexer::Text(const RawToken& token) {
  std::string_view text = text_.substr(token.begin, token.end - token.begin);
  if (!token.dirty) return text;
  clean_.clear();
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::size_t next = i + 1;
    if (text[i] == '\\') {
      while (next < text.size() && (text[next] == ' ' || text[next] == '\t')) ++next;
      if (next < text.size() && text[next] == '\r') ++next;
      if (next < text.size() && text[next] == '\n') {
        i = next;
        continue;
      }
    }
    clean_.push_back(text[i]);
  }
  return clean_;
}

}  // namespace opledger::scan
