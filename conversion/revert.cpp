// With a sidecar, the original's bytes; without one, the graph by the names of what was inserted.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/revert.h"

#include "conversion/sidecar.h"

namespace opledger {

int Revert(const RevertOptions& options, std::string& text, Diagnostics& diagnostics) {
  if (options.sidecar.empty()) {
    diagnostics.Error({.path = options.model}, "no sidecar was given",
                      "name the file that `opledger convert --sidecar` wrote with --sidecar");
    return 2;
  }
  if (!ApplySidecar(options.sidecar, options.model, options.output, diagnostics)) return 2;
  text = options.output + ": the original of " + options.model + ", byte for byte\n";
  return 0;
}

}  // namespace opledger
