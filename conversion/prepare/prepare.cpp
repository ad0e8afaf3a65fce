// Writes one line per option.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/prepare/prepare.h"

#include "registry/text/text.h"

namespace opledger {
std::string Preparation::Text() const {
  std::string text;
  if (inlined_calls) {
    text += "  --inline-functions: " + Counted(*inlined_calls, "call") + " inlined\n";
  }
  if (merged_nodes) {
    text += "  --cse: " + Counted(*merged_nodes, "node") + " merged, " +
            Counted(removed_casts, "cast") + " removed\n";
  }
  if (opset) {
    text += "  --opset: raised from " + std::to_string(opset_before) + " to " +
            std::to_string(*opset) + "\n";
  }
  for (const std::string& note : opset_notes) text += "  --opset: " + note + "\n";
  if (fused_chains) {
    text +=
        "  --fuse: " + Counted(*fused_chains, "chain") + " of nodes replaced by one node each\n";
  }
  for (const auto& [needed, count] : unfused_chains) {
    text += "  --fuse: " + Counted(count, "chain") + (count == 1 ? " needs" : " need") +
            " --opset " + std::to_string(needed) + "\n";
  }
  return text;
}

}  // namespace opledger
