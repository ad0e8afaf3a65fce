// Edits of a file: what bytes go and what comes in their place. Everything else stays, byte by
// byte, so that a model without edits is written as it was read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "conversion/model/files/files.h"
#include "registry/files/files.h"
#include "registry/files/replacement.h"

namespace opledger {

// New bytes: at hand, or made while they are written (large tensors).
struct NewBytes {
  std::string bytes;
  std::uint64_t size = 0;                    // of what `produce` writes
  std::function<bool(OutputSink&)> produce;  // none: `bytes`

  std::uint64_t Size() const { return produce ? size : bytes.size(); }
};

struct Edit {
  Span span;  // of the file; empty: an insertion
  NewBytes bytes;
};

class EditList {
 public:
  // Edits of different places may come in any order and must not overlap; of several insertions at
  // one place, and of an insertion and a replacement that begins there, the earlier stands first.
  void Replace(Span span, NewBytes bytes);
  void Insert(std::size_t at, NewBytes bytes) { Replace({at, at}, std::move(bytes)); }

  const std::vector<Edit>& Sorted();

 private:
  std::vector<Edit> edits_;
  bool sorted_ = true;
};

// Writes `file` with the edits to `path`, which may be the file itself; nothing is replaced where
// anything fails. Of `replacement` all but the content counts.
bool WriteEdited(const SourceFile& file, EditList& edits, const std::string& path,
                 Diagnostics& diagnostics, Replacement replacement = {});
// The same in memory, for small files and tests.
std::string EditedText(const SourceFile& file, EditList& edits);

// Two lists, one after the other, as one: `first` is of a file of `size` bytes, `second` of what
// comes of it. The bytes of `first` are at hand.
EditList ComposeEdits(std::size_t size, EditList& first, EditList& second);

}  // namespace opledger
