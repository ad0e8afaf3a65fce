// What looks like registration in the sources of a dialect and leads to none of its sinks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "registry/manifest/manifest.h"
#include "registry/scan/discover/candidates.h"
#include "registry/scan/macros/macros.h"

namespace opledger::scan {

// Those of the file's uses that lead to no sink in it and that the dialect does not except. What
// another shipped dialect knows counts though it is excepted.
std::vector<NamedUse> UsesWithoutSink(const MacroIndex& index, const SourceTree& tree,
                                      const Dialect& dialect, int file);

// Of these uses without their places; zero: there are none.
Digest DigestOf(const std::vector<NamedUse>& uses);

// The heading "given names and not read" and a line for each registry; empty if there are none.
std::string UnrecognizedText(const std::vector<UnrecognizedRegistry>& unrecognized);

// Of all files. What is given names that are operators' is a wrapper, or of their kernels.
class UnrecognizedUses {
 public:
  explicit UnrecognizedUses(const Dialect& dialect) : dialect_(dialect) {}

  // `text`: the file's.
  void Add(const std::string& path, std::string_view text, std::vector<NamedUse> uses);
  // Of a Python file or a YAML file.
  void AddPython(const std::string& path, const std::string& text);
  void AddYaml(const std::string& path, std::string_view text);
  std::vector<UnrecognizedRegistry> Take(const Manifest& manifest);

 private:
  const Dialect& dialect_;
  CandidateTable table_;
};

}  // namespace opledger::scan
