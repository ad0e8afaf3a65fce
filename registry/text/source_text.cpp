// Locates positions in a source file.
// SPDX-License-Identifier: Apache-2.0
#include "registry/text/source_text.h"

#include <algorithm>

namespace opledger {

SourceText::SourceText(std::string path, std::string text)
    : path_(std::move(path)), text_(std::move(text)), lines_(text_) {}

Location SourceText::At(std::size_t begin, std::size_t end) const {
  const auto [line, column] = lines_.At(begin);
  const auto [end_line, end_column] = lines_.At(std::max(begin, end));
  return {path_, line, column, end_line, end_column};
}

void SourceText::Report(Severity severity, Location location, std::string message, std::string hint,
                        Diagnostics& diagnostics) const {
  std::string line;
  if (location.path == path_) line = lines_.Line(text_, location.line);
  diagnostics.Add({severity, location, std::move(message), std::move(hint), line});
}

void SourceText::Warn(Location location, std::string message, std::string hint,
                      Diagnostics& diagnostics) const {
  Report(Severity::kWarning, location, std::move(message), std::move(hint), diagnostics);
}

}  // namespace opledger
