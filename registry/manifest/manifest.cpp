// Questions to a manifest and its operators.
// SPDX-License-Identifier: Apache-2.0
#include "registry/manifest/manifest.h"

#include <algorithm>

namespace opledger {

bool Operator::ExistsIn(const Defines& defines) const {
  return std::any_of(sites.begin(), sites.end(),
                     [&](const Site& site) { return site.condition.Evaluate(defines); });
}

bool Operator::CanExist() const {
  return std::any_of(sites.begin(), sites.end(),
                     [](const Site& site) { return site.condition.CanBeTrue(); });
}

const Operator* Manifest::Find(std::string_view name) const {
  const auto found = std::lower_bound(
      operators.begin(), operators.end(), name,
      [](const Operator& op, std::string_view wanted) { return op.name < wanted; });
  return found != operators.end() && found->name == name ? &*found : nullptr;
}

}  // namespace opledger
