// What a model's opset allows, and which one would let more of it run low.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conversion/label/label.h"

namespace opledger {

// A line for each operator of the default domain that the list wants low or leaves open, that the
// model's opset does not give in `target`, and a later one does:
//   "  Conv: 53 nodes stay float32, bfloat16 came with opset 22\n". Empty: there is none.
std::string OpsetAdvice(const Graph& graph, const Typing& typing,
                        const std::vector<NodeLabel>& labels, Dtype target, Signatures& signatures);

// The opsets that would let more of it run low, the newest first.
std::vector<std::int64_t> BetterOpsets(const Graph& graph, const Typing& typing,
                                       const std::vector<NodeLabel>& labels, Dtype target,
                                       Signatures& signatures);

// Whether the version of Cast in `opset` makes `target`.
bool CastMakes(std::int64_t opset, Dtype target, Signatures& signatures);

}  // namespace opledger
