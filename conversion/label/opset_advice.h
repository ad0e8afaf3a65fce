// Finds out which opset would let more of a model run low.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conversion/label/label.h"

namespace opledger {

// Returns a line for each operator of the default domain that the list allows to run low, but for
// which `target` requires a later opset: "  Conv: 53 nodes stay in float32; bfloat16 requires opset
// 22\n". Empty if there is none.
std::string OpsetAdvice(const Graph& graph, const Typing& typing,
                        const std::vector<NodeLabel>& labels, Dtype target, Signatures& signatures);

// Returns the opsets that would let more of the model run low, newest first.
std::vector<std::int64_t> BetterOpsets(const Graph& graph, const Typing& typing,
                                       const std::vector<NodeLabel>& labels, Dtype target,
                                       Signatures& signatures);

// Returns whether the version of Cast in `opset` can produce `target`.
bool CastMakes(std::int64_t opset, Dtype target, Signatures& signatures);

}  // namespace opledger
