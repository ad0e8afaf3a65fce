// Tokens of a Python module, for reading literals from it (python_list.h). Nothing is executed.
//   A = ['exp']  ->  name A, operator =, operator [, string exp, operator ], newline, end
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/import/source_text.h"
#include "registry/text/diagnostics.h"

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

}  // namespace opledger
