// Lists the rules by which nodes are labeled, and their names in reports.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace opledger {

enum class LabelRule : std::uint8_t {
  kList,    // an entry of the list
  kOption,  // an option such as --target-ops
  // 'target_nodes', 'widest_nodes' or 'either_nodes' of the list. Hazards that sample inputs can
  // rule out do not keep such a node in float32.
  kNode,
  kExcluded,     // --exclude
  kUnlisted,     // the list does not have the operator
  kUnknown,      // neither the list nor opledger knows the operator
  kUntyped,      // the list has the operator, but its types are unknown in this version
  kFixed,        // nothing in it can become low
  kSignature,    // its version does not accept the type
  kScope,        // the nodes in its graphs are placed individually
  kCast,         // a cast of the model's own: free if it changes nothing, like Identity, else fixed
  kStorageOnly,  // --storage-only
  kChain,        // part of a chain of nodes that computes another operator
  // Hazards (conversion/hazards).
  kAbsorbing,
  kCancellation,
  kExactness,
  kGuard,
  kMask,
  kNarrow,
  kOverflow,
  kQuantizedIsland,  // --quantized-islands keep
  kRounding,
  kScalar,
  kScale,
  kSquare,
  kVanishing,
  // More options.
  kMinElements,  // --min-elements
  kTaint,        // downstream of a float32 node
};

// Returns the name in reports: "storage-only".
constexpr const char* RuleName(LabelRule rule) {
  constexpr const char* kNames[] = {"list",      "option",    "node",
                                    "excluded",  "unlisted",  "unknown",
                                    "untyped",   "fixed",     "signature",
                                    "scope",     "cast",      "storage-only",
                                    "chain",     "absorbing", "cancellation",
                                    "exactness", "guard",     "mask",
                                    "narrow",    "overflow",  "quantized-island",
                                    "rounding",  "scalar",    "scale",
                                    "square",    "vanishing", "min-elements",
                                    "taint"};
  return kNames[static_cast<std::size_t>(rule)];
}

}  // namespace opledger
