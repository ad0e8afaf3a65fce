// The names of a manifest's operators as one writes them elsewhere: with namespaces or without.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "registry/manifest/manifest.h"

namespace opledger {

// "ns::a.b" -> "b"
std::string UnqualifiedName(const std::string& name);

class OperatorNames {
 public:
  explicit OperatorNames(const Manifest& manifest);
  bool Has(const std::string& name) const { return names_.contains(UnqualifiedName(name)); }

 private:
  std::set<std::string> names_;  // unqualified; of aliases and absent operators too
};

}  // namespace opledger
