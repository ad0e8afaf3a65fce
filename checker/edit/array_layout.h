// How a list file lays out its arrays, learnt from the file itself, for arrays that are new or were
// empty: on one line or one item a line, with which indentation and which line ends.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "registry/json/json.h"

namespace opledger {

class ArrayLayout {
 public:
  explicit ArrayLayout(const JsonDocument& document);

  // An array with one item, for a member whose line holds the byte at `offset`.
  std::string Array(std::size_t offset, std::string_view item) const;

 private:
  const JsonDocument& document_;
  bool many_lines_ = false;
  std::string line_end_ = "\n";
  std::string unit_ = "  ";  // one level of indentation
};

}  // namespace opledger
