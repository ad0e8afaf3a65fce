// Advice about quantised models: nodes that compute in integers with scales that are found as the
// model runs, which take and give float32 alone, and floats between quantised values.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conversion/label/label.h"

namespace opledger {

// A line for each kind that says how many there are; empty: none.
std::string QuantisedAdvice(const Graph& graph, const std::vector<NodeLabel>& labels);

}  // namespace opledger
