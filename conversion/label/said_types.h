// The types that a list entry says besides its policy: in which an operator accumulates, and which
// it gives, while it runs in 16 bits. Where the format has an attribute for that, the node gets it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conversion/label/label.h"

namespace opledger {

// Of a node that may run low by this entry: `label.said`, what of it is not lowered, and in
// `label.unsaid` what the format cannot say.
void SayTypes(const Graph& graph, const Node& node, const Signature& signature,
              const ListEntry& entry, Dtype target, NodeLabel& label);

// A line for each thing that low nodes were to do and no attribute says; empty: there is none.
std::string UnsaidTypes(const Graph& graph, const std::vector<NodeLabel>& labels,
                        const std::vector<bool>& low);

}  // namespace opledger
