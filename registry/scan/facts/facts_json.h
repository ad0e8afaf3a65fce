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
  Digest content;  // of the file's bytes; zero if they could not be read
  Digest part;  // of the part of the index that the facts depend on (commands/unit_part.h), or zero
  Digest reach;         // of all files that it can include (commands/unit_part.h), or zero
  bool awaits = false;  // the facts of this unit are in a file of their own
  Facts facts;          // without `looked_up` and `meaning`, which only the cache uses
  std::vector<AttributeSet> attribute_sets;
  std::vector<Definition> definitions;
  std::vector<KernelFunction> kernel_functions;

  // Returns whether there is nothing that merging needs.
  bool IsEmpty() const;
};

// Returns the line without a line end.
std::string WriteFileFacts(const FileFacts& file);

// Reports an error and returns nullopt if `line` is not what this version of WriteFileFacts writes.
std::optional<FileFacts> ReadFileFacts(const JsonDocument& line, Diagnostics& diagnostics);

}  // namespace opledger::scan
