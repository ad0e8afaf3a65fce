// Finds the surroundings of a row of a framework's own list: the note in its comment, and the macro
// or block that contains the row.
//   _(exp) /* opledger: numeric, #123 */ \      note "numeric, #123", list AT_FORALL_FP32
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/text/location.h"

namespace opledger {

enum class CommentStyle { kHash, kCpp };

// Returns the text after "opledger:" in a comment on the line of `begin`, or an empty string.
std::string RowNote(std::string_view text, std::size_t begin, CommentStyle style);

// The macro or block that contains rows without a named list.
struct RowHead {
  std::string name;  // "AT_FORALL_FP32", "TORCH_LIBRARY_IMPL(aten, AutocastMPS, m)"
  Span place;        // of its first word, in the text
};

// Finds the heads of rows in a C++ text, which must outlive this object.
class RowHeads {
 public:
  explicit RowHeads(std::string_view text);

  // Returns the macro whose definition contains the byte `begin`, or the surrounding block, or
  // nullopt at file scope.
  std::optional<RowHead> Find(std::size_t begin) const;

 private:
  struct Block {
    Span statement;  // the text that opens it, up to the brace
    std::size_t end = std::string_view::npos;
  };

  std::string_view text_;
  std::vector<Block> blocks_;  // in the order of their opening braces
};

}  // namespace opledger
