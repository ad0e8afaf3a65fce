// Edits of a file: bytes to remove and their replacements. All other bytes stay, so a model without
// edits is written as it was read.
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

// New bytes, either in memory or produced during writing (large tensors).
struct NewBytes {
  std::string bytes;
  std::uint64_t size = 0;                    // number of bytes that `produce` writes
  std::function<bool(OutputSink&)> produce;  // empty: use `bytes`

  std::uint64_t Size() const { return produce ? size : bytes.size(); }
};

struct Edit {
  Span span;  // of the file; empty: an insertion
  NewBytes bytes;
};

class EditList {
 public:
  // Edits may come in any order and must not overlap. Insertions at the same position, or at the
  // start of a replacement, are written in the order of the calls, insertions first.
  void Replace(Span span, NewBytes bytes);
  void Insert(std::size_t at, NewBytes bytes) { Replace({at, at}, std::move(bytes)); }

  const std::vector<Edit>& Sorted();

 private:
  std::vector<Edit> edits_;
  bool sorted_ = true;
};

// Writes `file` with the edits to `path`, which may be the file itself. Nothing is replaced on
// failure. The content of `replacement` is ignored.
bool WriteEdited(const SourceFile& file, EditList& edits, const std::string& path,
                 Diagnostics& diagnostics, Replacement replacement = {});
// Returns the edited text, for small files and tests.
std::string EditedText(const SourceFile& file, EditList& edits);

// Combines two lists: `first` edits a file of `size` bytes, `second` edits the result. The bytes of
// `first` must be in memory.
EditList ComposeEdits(std::size_t size, EditList& first, EditList& second);

}  // namespace opledger
