// Which files are worth a preprocessor run, and which macros may count in them.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "registry/scan/macros/macros.h"

namespace opledger::scan {

std::vector<int> MacroIndex::FilesToScan() const {
  std::vector<int> units;
  for (int file = 0; file < static_cast<int>(tree_.files().size()); ++file) {
    const SourceFile& source = tree_.files()[file];
    if (!source.is_unit || !source.outline.unreadable.empty()) continue;
    const NameSet& leading = LeadingIn(file);
    if (Active(file, leading) || !Tables(file, leading).empty()) units.push_back(file);
  }
  units.insert(units.end(), active_headers_.begin(), active_headers_.end());
  return units;
}

std::vector<std::string_view> MacroIndex::HeaderMacrosIn(int file) const {
  if (hashed_macros_.empty()) {
    for (const auto& [name, macro] : header_macros_) {
      hashed_macros_.emplace_back(HashIdentifier(name), name);
    }
    std::sort(hashed_macros_.begin(), hashed_macros_.end());
  }
  std::vector<std::string_view> names;
  const Outline& outline = tree_.files()[file].outline;
  auto at = outline.identifiers.begin();  // both are sorted
  for (const auto& [hash, name] : hashed_macros_) {
    while (at != outline.identifiers.end() && *at < hash) ++at;
    if (at != outline.identifiers.end() && *at == hash) names.push_back(name);
  }
  for (const MacroDefinition& macro : outline.macros) {
    for (const std::string& identifier : macro.identifiers) {
      auto found = header_macros_.find(identifier);
      if (found != header_macros_.end()) names.push_back(found->first);
    }
  }
  return names;
}

}  // namespace opledger::scan
