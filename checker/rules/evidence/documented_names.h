// Compares pages of the framework with its list: wrong and missing names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "checker/rules/evidence/public_names.h"

namespace opledger {

// A name in the section of a policy that its operators do not have in the list.
struct WrongName {
  const NamedOperators* section = nullptr;
  const PlacedName* placed = nullptr;
  const PublicName* name = nullptr;  // the operators that it means
};

// Returns them in the order of the pages. Ignores names that mean no operator.
std::vector<WrongName> NamesWrongOnPages(const PublicNames& names, const ListIndex& list);

// An operator that is missing in a section for its policy.
struct MissingName {
  const NamedOperators* section = nullptr;
  std::string name;  // as on a page, such as "softmax"
  const Operator* op = nullptr;
  const EntryUse* use = nullptr;
};

// Returns them by name, without internal operators and those that another section names wrongly.
std::vector<MissingName> NamesMissingOnPages(const PublicNames& names, const ListIndex& list);

}  // namespace opledger
