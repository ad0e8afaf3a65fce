// The text of a source file, with locations and carets for diagnostics.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "registry/text/diagnostics.h"
#include "registry/text/text.h"

namespace opledger {

// A source file and the positions of its lines.
class SourceText {
 public:
  SourceText(std::string path, std::string text);

  const std::string& text() const { return text_; }
  Location At(std::size_t begin, std::size_t end) const;
  // Adds a diagnostic with its source line.
  void Report(Severity severity, Location location, std::string message, std::string hint,
              Diagnostics& diagnostics) const;
  void Warn(Location location, std::string message, std::string hint,
            Diagnostics& diagnostics) const;

 private:
  std::string path_;
  std::string text_;
  LineIndex lines_;
};

}  // namespace opledger
