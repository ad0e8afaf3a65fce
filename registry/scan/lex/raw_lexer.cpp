// The language is fixed, so that facts do not depend on flags. No source needs another language.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/lex/raw_lexer.h"

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
             text.data() + text.size()),
      plain_(text, text.data() + lexer_.getCurrentBufferOffset()) {}  // after a byte order mark

// In raw mode, Clang's lexer keeps no state between tokens except its position.
void RawLexer::LexWithClang(RawToken& raw) {
  lexer_.seek(plain_.offset(), plain_.starts_line());
  clang::Token token;
  lexer_.LexFromRawLexer(token);
  raw.kind = token.getKind();
  raw.end = lexer_.getCurrentBufferOffset();
  raw.begin = raw.end - token.getLength();
  raw.starts_line = token.isAtStartOfLine();
  raw.spaced = token.hasLeadingSpace();
  raw.dirty = token.needsCleaning();
  plain_.MoveTo(raw.end);
}

std::string_view RawLexer::Clean(std::string_view text) {
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
