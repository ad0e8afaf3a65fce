// Python source as tokens. What stands in the braces of a format string is tokens too.
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
    kName,  // and keywords
    kNumber,
    kString,       // of any prefix but f and t
    kFormatStart,  // the prefix and quotes of a format string
    kFormatText,   // its text as written, where {{ and }} are one brace
    kFormatEnd,
    kOperator,
    kNewline,
    kIndent,
    kDedent,
    kEnd
  };
  Kind kind = Kind::kEnd;
  std::uint32_t begin = 0;  // bytes of the source
  std::uint32_t end = 0;
  std::string_view text;  // of the source, as written
};

// The tokens, ending in kEnd. Errors: what Python's tokenizer refuses, more than 200 open brackets,
// more than 100 levels of indentation. They refer to the source.
std::optional<std::vector<PythonToken>> LexPython(const SourceText& source,
                                                  Diagnostics& diagnostics);

// The same without the statements in which there is an error; none after 100 errors.
std::optional<std::vector<PythonToken>> LexPythonStatements(const SourceText& source,
                                                            Diagnostics& diagnostics);

// Whether a reserved word; `match`, `case`, `type` and `_` are names.
bool IsPythonKeyword(std::string_view name);

}  // namespace opledger
