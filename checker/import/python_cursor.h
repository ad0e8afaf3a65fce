// Walking over the tokens of a Python module.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "checker/import/python_tokens.h"

namespace opledger {

class PythonCursor {
 public:
  explicit PythonCursor(std::vector<PythonToken> tokens);

  const PythonToken& Current() const { return tokens_[position_]; }
  const PythonToken& Ahead(std::size_t count) const;
  bool Is(PythonToken::Kind kind) const { return Current().kind == kind; }
  bool IsOperator(std::string_view text) const;
  bool IsName(std::string_view text) const;
  void Advance();
  bool AcceptOperator(std::string_view text);

  // From here to the end of the last token passed.
  Location Since(const Location& begin) const;

  // Passes everything up to, not including: the next of `operators` outside brackets, an unmatched
  // closing bracket, or the end of the line. At ';' it stops always.
  void SkipTo(std::string_view operators);
  // Passes the rest of a statement with the newline or ';' that ends it.
  void SkipStatement();
  // Passes a header line and the block below it.
  void SkipBlock();

 private:
  std::vector<PythonToken> tokens_;
  std::size_t position_ = 0;
};

}  // namespace opledger
