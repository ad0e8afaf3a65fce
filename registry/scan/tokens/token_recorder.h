// Records the tokens of a translation unit as the matcher reads them. They are parsed again with a
// record in place of each registration:
//   static auto& r = REGISTER(kPrefix + name).set("x");  ->
//   int __opledger_0 = __opledger_record(0, kPrefix + name);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "clang/Basic/TokenKinds.h"

namespace opledger::scan {

class TokenRecorder {
 public:
  // What the matcher found at a token.
  struct Use {
    enum class What {
      kNothing,  // registers nothing: `text` is the call as written
      kBlock,    // opens a block: `text` is its variable
      kKnown,    // registers a known name
      kRecord,   // `text` is the expression of the name; `number` is the record
      kFunction  // names the function itself; `text` is the index of the name argument
    };
    std::size_t token = 0;
    std::size_t end = 0;  // the token after it; 0: the end of its statement
    What what = What::kNothing;
    std::string text;
    int number = -1;
    // The call as written, "Adder((" and "name), 1)", if it may initialize a base.
    std::string head = {};
    std::string tail = {};
  };

  void Add(clang::tok::TokenKind kind, std::string_view spelling, bool starts_line);
  // Sets the source position of the last token, which begins a line.
  void StandsAt(std::string_view file, unsigned line);
  // Returns the index of the last token.
  std::size_t Last() const { return tokens_.size() - 1; }
  void AddUse(Use use) { uses_.push_back(std::move(use)); }

  // Returns the text with the records. Call it once.
  std::string Text();

 private:
  struct Token {
    clang::tok::TokenKind kind;
    bool starts_line;
    std::size_t begin;  // in text_
    std::size_t size;
    int file = -1;  // index into files_
    unsigned line = 0;
  };
  // Tokens from `begin` up to but excluding `end`.
  struct Span {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  // State of an open bracket. `statement`: where the current statement begins.
  struct Open {
    clang::tok::TokenKind kind;
    std::size_t statement;
    bool controls;  // for (...), if (...)
    bool in_class;
    bool expression;  // contains an expression, not statements
  };

  std::string_view Spelling(std::size_t token) const {
    return std::string_view(text_).substr(tokens_[token].begin, tokens_[token].size);
  }
  std::size_t OpeningOf(const Use& use) const;
  std::size_t EndOfStatement(std::size_t token) const;
  bool EndsFunction(std::size_t close) const;
  std::size_t EndOf(const Use& use, bool begins) const;
  std::size_t EndOfChain(std::size_t open) const;
  bool IsPart(const Use& use, const Open& open, std::size_t done) const;
  bool IsInitializer(const Use& use, const Open& open) const;
  std::vector<const Use*> RecordsIn(std::size_t begin, std::size_t end) const;
  std::string PartText(const Use& use, std::size_t begin, std::size_t end) const;
  std::string StatementText(const Use& use, std::size_t begin, std::size_t end,
                            bool in_class) const;
  std::string InPlace(const Use& use, const Open& open, std::size_t& end) const;
  std::string_view NameOfBlock(std::size_t statement, std::size_t brace) const;
  void FindHelpers();
  bool IsHelper(std::size_t token) const { return helpers_.contains(Spelling(token)); }
  std::size_t ExpressionBegin(std::size_t name) const;
  std::size_t NameBegin(std::size_t name) const;
  std::vector<Use>::const_iterator FirstUse(std::size_t token) const;
  const Use* UseAt(std::size_t token) const;
  std::size_t EndOfCalls(std::size_t open) const;
  std::string TextOf(std::size_t begin, std::size_t end) const;
  std::vector<std::string> HelperCalls(std::size_t begin, std::size_t end) const;
  bool DeclaresClass(std::size_t begin, std::size_t brace) const;
  void TrackBrackets(std::size_t token, std::vector<Open>& open) const;
  // Position of the next line as a compiler counts it.
  struct Place {
    int file = -1;
    unsigned line = 0;
  };
  void Write(std::size_t token, std::string& out, Place& place) const;

  std::string text_;
  std::vector<Token> tokens_;
  std::vector<std::string> files_;
  std::vector<Use> uses_;
  std::set<std::string, std::less<>> helpers_;  // names that lead to records
};

}  // namespace opledger::scan
