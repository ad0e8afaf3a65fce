// A range of bytes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace opledger {

// Byte offsets into a text or file, end exclusive.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;

  std::size_t size() const { return end - begin; }
  bool operator==(const Span&) const = default;
};

}  // namespace opledger
