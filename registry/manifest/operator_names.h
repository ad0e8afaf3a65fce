// Names of a manifest's operators, found with or without their namespaces.
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
  std::set<std::string> names_;  // unqualified, including aliases and absent operators
};

}  // namespace opledger
