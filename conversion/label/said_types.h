// Sets the types that a list entry states besides its policy: the type in which a 16-bit operator
// accumulates, and the type of its output. Uses the format's attribute if it has one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conversion/label/label.h"

namespace opledger {

// Sets the types for a node that `entry` allows to run low: adds the attributes to set to
// `label.said`, marks outputs that stay float32 in `label.lowered`, and adds what the format cannot
// express to `label.unsaid`.
void SayTypes(const Graph& graph, const Node& node, const Signature& signature,
              const ListEntry& entry, Dtype target, NodeLabel& label);

// Returns a line for each requirement on low nodes that no attribute expresses, or an empty string.
std::string UnsaidTypes(const Graph& graph, const std::vector<NodeLabel>& labels,
                        const std::vector<bool>& low);

}  // namespace opledger
