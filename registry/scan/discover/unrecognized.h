// Finds what looks like registration in the sources of a dialect but leads to none of its sinks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "registry/manifest/manifest.h"
#include "registry/scan/discover/candidates.h"
#include "registry/scan/macros/macros.h"

namespace opledger::scan {

// Returns the uses in the file that lead to no sink and are not inside functions.
std::vector<NamedUse> UsesWithoutSink(const MacroIndex& index, const SourceTree& tree,
                                      const Dialect& dialect, int file);

// Returns the digest of the uses without their locations, or zero if there are none.
Digest DigestOf(const std::vector<NamedUse>& uses);

// Returns the heading "receive names but are not read" and a line for each registry, or an empty
// string if there are none.
std::string UnrecognizedText(const std::vector<UnrecognizedRegistry>& unrecognized);

// Collects the unrecognized uses of all files. A candidate whose names are those of operators is
// ignored, since it is a wrapper or registers their kernels.
class UnrecognizedUses {
 public:
  explicit UnrecognizedUses(const Dialect& dialect) : dialect_(dialect) {}

  // `text`: the text of the file.
  void Add(const std::string& path, std::string_view text, std::vector<NamedUse> uses);
  // Find the uses in a Python or YAML file.
  void AddPython(const std::string& path, const std::string& text);
  void AddYaml(const std::string& path, std::string_view text);
  std::vector<UnrecognizedRegistry> Take(const Manifest& manifest);

 private:
  const Dialect& dialect_;
  CandidateTable table_;
};

}  // namespace opledger::scan
