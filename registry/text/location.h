// A place in a text file, as used by findings, diagnostics, manifests and reports.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>

#include "registry/text/interned.h"

namespace opledger {

// Lines and columns start at 1, and columns count bytes; line 0 means the whole file. `end_column`
// is one past the last byte, as in SARIF. `path` is relative to the root and uses '/'.
struct Location {
  InternedString path;
  int line = 0;
  int column = 0;
  int end_line = 0;
  int end_column = 0;

  auto operator<=>(const Location&) const = default;
};

// A range of byte offsets into a text or file; `end` is exclusive.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;

  std::size_t size() const { return end - begin; }
  bool operator==(const Span&) const = default;
};

}  // namespace opledger
