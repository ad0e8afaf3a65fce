// Lines are found by their ends, once.
// SPDX-License-Identifier: Apache-2.0
#include "checker/import/source_text.h"

#include <algorithm>

namespace opledger {

SourceText::SourceText(std::string path, std::string text)
    : path_(std::move(path)), text_(std::move(text)), line_starts_{0} {
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') line_starts_.push_back(i + 1);
  }
}

Location SourceText::At(std::size_t begin, std::size_t end) const {
  const auto place = [this](std::size_t offset) {
    const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
    return std::pair(static_cast<int>(next - line_starts_.begin()),
                     static_cast<int>(offset - *std::prev(next)) + 1);
  };
  const auto [line, column] = place(begin);
  const auto [end_line, end_column] = place(std::max(begin, end));
  return {path_, line, column, end_line, end_column};
}

void SourceText::Report(Severity severity, Location location, std::string message, std::string hint,
                        Diagnostics& diagnostics) const {
  const bool here = location.path == path_ && location.line > 0 &&
                    static_cast<std::size_t>(location.line) <= line_starts_.size();
  if (!here) {
    diagnostics.Add({severity, std::move(location), std::move(message), std::move(hint), ""});
    return;
  }
  const std::size_t start = line_starts_[static_cast<std::size_t>(location.line) - 1];
  const std::size_t end = text_.find_first_of("\r\n", start);
  diagnostics.Add({severity, std::move(location), std::move(message), std::move(hint),
                   text_.substr(start, std::min(end, text_.size()) - start)});
}

void SourceText::Warn(Location location, std::string message, std::string hint,
                      Diagnostics& diagnostics) const {
  Report(Severity::kWarning, std::move(location), std::move(message), std::move(hint), diagnostics);
}

}  // namespace opledger
