// The sidecar of a converted MXNet model: of its symbol, and of its parameters if it has any.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "conversion/edit/mxnet_output.h"

namespace opledger {

// `output` has been written.
bool WriteMxnetSidecar(const MxnetOutput& output, Dtype target, const std::string& path,
                       Diagnostics& diagnostics);

}  // namespace opledger
