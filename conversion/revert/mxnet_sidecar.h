// The sidecar of a converted MXNet model: of its symbol, and of its parameters if it has any.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "conversion/edit/mxnet_output.h"

namespace opledger {

// The parameters of `output` have been written, and its symbol stands under the name `symbol`. Of
// `replacement` all but the content counts.
bool WriteMxnetSidecar(const MxnetOutput& output, const std::string& symbol, Dtype target,
                       const std::string& path, Replacement replacement, Diagnostics& diagnostics);

}  // namespace opledger
