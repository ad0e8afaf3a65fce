// What pages of the framework say otherwise than its list, and what they do not say.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "checker/rules/public_names.h"

namespace opledger {

// A name in a section for a policy that the list does not give its operators.
struct WrongName {
  const NamedOperators* section = nullptr;
  const PlacedName* placed = nullptr;
  const PublicName* name = nullptr;  // whose operators it means
};

// In the order of the pages. Names that mean no operator are passed over.
std::vector<WrongName> NamesWrongOnPages(const PublicNames& names, const ListIndex& list);

// An operator that a section for its policy does not name.
struct MissingName {
  const NamedOperators* section = nullptr;
  std::string name;  // as a page would have it: "softmax"
  const Operator* op = nullptr;
  const EntryUse* use = nullptr;
};

// By name; without operators that another section names wrongly, and without internal ones.
std::vector<MissingName> NamesMissingOnPages(const PublicNames& names, const ListIndex& list);

}  // namespace opledger
