// A place in a text file, as findings, diagnostics, manifests and reports give it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <string>

namespace opledger {

// Lines and columns start at 1 and columns count bytes; line 0 means the whole file.
// `end_column` is one past the last byte, as in SARIF. `path` is relative to the root with '/'.
struct Location {
  std::string path;
  int line = 0;
  int column = 0;
  int end_line = 0;
  int end_column = 0;

  auto operator<=>(const Location&) const = default;
};

}  // namespace opledger
