// What one file of the tree contributes to the manifest, as one line of canonical JSON: a record of
// a facts file (facts_file.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "registry/json/json.h"
#include "registry/scan/facts/facts.h"
#include "registry/scan/outline/outline.h"

namespace opledger::scan {

struct FileFacts {
  std::string path;
  Digest content;  // of the file's bytes; zero: they could not be read
  Digest part;   // of the part of the index that the facts depend on (commands/unit_part.h); may be
                 // zero
  Digest reach;  // of all that it can include (commands/unit_part.h); may be zero
  bool awaits = false;  // the facts of this unit are in a file of their own
  Facts facts;          // `looked_up` and `meaning` belong to the cache and are not written
  std::vector<AttributeSet> attribute_sets;
  std::vector<Definition> definitions;
  std::vector<KernelFunction> kernel_functions;

  // Nothing the merge would need.
  bool IsEmpty() const;
};

// Without a line end.
std::string WriteFileFacts(const FileFacts& file);

// None, with a diagnostic, where `line` is not what WriteFileFacts of this version gives.
std::optional<FileFacts> ReadFileFacts(const JsonDocument& line, Diagnostics& diagnostics);

}  // namespace opledger::scan
