// Python source as tokens, and passing over them: enough for module-level literals.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/text/diagnostics.h"
#include "registry/text/source_text.h"

namespace opledger {

struct PythonToken {
  enum class Kind { kName, kNumber, kString, kOperator, kNewline, kIndent, kDedent, kEnd };
  Kind kind = Kind::kEnd;
  std::string text;     // of a string: its value
  std::string problem;  // of a string: why its value is unknown (f'', b'', a bad escape), or empty
  Location location;
};

// The tokens, ending in kEnd. Errors: a string or bracket without end, a dedent to no outer level.
std::optional<std::vector<PythonToken>> LexPython(const SourceText& source,
                                                  Diagnostics& diagnostics);

// The value of a string literal's `body` (between the quotes) with its escapes resolved. None for
// an escape that is malformed, or names a character.
std::optional<std::string> DecodePythonString(std::string_view body);

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
