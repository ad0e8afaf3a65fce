// Describes why an operator has its policy: the fields of its entries. Describes an operator
// without a policy by its facts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "checker/docs/docs.h"

namespace opledger {

struct Why {
  std::vector<std::size_t> lists;  // indices of the lists with this text
  std::string text;  // such as "numeric: overflows above 11.09; accumulates in float32"
};

// Returns each different text once. Lists without a reason are left out.
std::vector<Why> WhyOf(const OperatorDocs& op);

// Returns "float16: ", or "" if the text applies to all lists that the operator is in.
std::string WhyLabel(const Why& why, const OperatorDocs& op, const Docs& docs);

}  // namespace opledger
