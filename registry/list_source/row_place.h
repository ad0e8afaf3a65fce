// What stands around a row of a framework's own list: the note in its comment, and the list itself
// if the row is one of a macro or of a block.
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

// The text behind "opledger:" in a comment on the line of `begin`. "" if there is none.
std::string RowNote(std::string_view text, std::size_t begin, CommentStyle style);

// Where rows stand that no named list holds.
struct RowHead {
  std::string name;  // "AT_FORALL_FP32", "TORCH_LIBRARY_IMPL(aten, AutocastMPS, m)"
  Span place;        // of its first word, in the text
};

// The heads of all rows of a C++ text, which must outlive this.
class RowHeads {
 public:
  explicit RowHeads(std::string_view text);

  // The macro whose definition has the byte `begin`, else the block around it. nullopt at file
  // scope.
  std::optional<RowHead> Find(std::size_t begin) const;

 private:
  struct Block {
    Span statement;  // what opens it, up to the brace
    std::size_t end = std::string_view::npos;
  };

  std::string_view text_;
  std::vector<Block> blocks_;  // in the order of their braces
};

}  // namespace opledger
