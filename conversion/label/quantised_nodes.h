// Advice about quantized models: nodes that compute in integers with scales found at run time,
// which read and write float32 only, and floats between quantized values.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conversion/label/label.h"

namespace opledger {

// Returns a line with the number of nodes for each kind, or an empty string.
std::string QuantisedAdvice(const Graph& graph, const std::vector<NodeLabel>& labels);

}  // namespace opledger
