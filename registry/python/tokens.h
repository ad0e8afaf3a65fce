// Splits Python source into tokens, including the expressions in format strings.
//   x = f'{y}s'  ->  name, operator =, format start f', operator {, name, operator }, text s, end '
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "registry/text/diagnostics.h"
#include "registry/text/source_text.h"

namespace opledger {

struct PythonToken {
  enum class Kind : std::uint8_t {
    kName,  // including keywords
    kNumber,
    kString,       // with any prefix except f and t
    kFormatStart,  // the prefix and quotes of a format string
    kFormatText,   // its source text, in which {{ and }} are single braces
    kFormatEnd,
    kOperator,
    kNewline,
    kIndent,
    kDedent,
    kEnd
  };
  Kind kind = Kind::kEnd;
  std::uint32_t begin = 0;  // byte offsets into the source
  std::uint32_t end = 0;
  std::string_view text;  // as in the source
};

// Returns the tokens, ending with kEnd. Errors: everything that Python's tokenizer rejects, more
// than 200 open brackets, more than 100 levels of indentation. Tokens refer to the source, which
// must outlive them.
std::optional<std::vector<PythonToken>> LexPython(const SourceText& source,
                                                  Diagnostics& diagnostics);

// Like LexPython, but leaves out statements with errors. Returns nullopt after 100 errors.
std::optional<std::vector<PythonToken>> LexPythonStatements(const SourceText& source,
                                                            Diagnostics& diagnostics);

// Returns whether `name` is a reserved word; `match`, `case`, `type` and `_` are not.
bool IsPythonKeyword(std::string_view name);

}  // namespace opledger
