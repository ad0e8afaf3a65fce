// Why an operator has its policy, in words: what its entries say, and the evidence for one where
// there is none.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "checker/docs/docs.h"

namespace opledger {

struct Why {
  std::vector<std::size_t> lists;  // indices of the lists that say it
  std::string text;                // "numeric: overflows above 11.09; accumulates in float32"
};

// One for each different text; nothing for a list that gives no reason.
std::vector<Why> WhyOf(const OperatorDocs& op);

// "float16: ", or nothing where it is of all lists that name the operator.
std::string WhyLabel(const Why& why, const OperatorDocs& op, const Docs& docs);

}  // namespace opledger
