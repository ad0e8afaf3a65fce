// The rules by which nodes are labeled, and the names that reports give them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace opledger {

enum class LabelRule : std::uint8_t {
  kList,    // an entry of the list
  kOption,  // an option, --target-ops or such
  // 'target_nodes', 'widest_nodes' or 'either_nodes' of the list: a hazard that a sample of inputs
  // can show does not keep such a node in float32.
  kNode,
  kExcluded,   // --exclude
  kUnlisted,   // the list does not have the operator
  kUnknown,    // neither the list nor opledger knows the operator
  kUntyped,    // the list has the operator, in a version of which no types are known
  kFixed,      // nothing of it can become low
  kSignature,  // its version does not take the type
  kScope,      // the nodes in its graphs are placed on their own
  kCast,       // a cast of the model's own: free if it changes nothing, as Identity is, else fixed
  kStorageOnly,  // --storage-only
  kChain,        // the nodes before and after it, of one operator written out
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
  // Options again.
  kMinElements,  // --min-elements
  kTaint,        // it is downstream of a float32 node
};

// "storage-only": as reports have it.
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
