// Writes the sidecar of a converted MXNet model: for its symbol, and its parameters if it has any.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "conversion/edit/mxnet_output.h"

namespace opledger {

// Writes the sidecar to `path`. The parameters of `output` must have been written, and its symbol
// under the name `symbol`. The content of `replacement` is ignored. Returns false, with an error,
// on failure.
bool WriteMxnetSidecar(const MxnetOutput& output, const std::string& symbol, Dtype target,
                       const std::string& path, Replacement replacement, Diagnostics& diagnostics);

}  // namespace opledger
