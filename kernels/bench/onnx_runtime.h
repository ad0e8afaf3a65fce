// Runs ONNX Runtime as a process that answers the requests of worker.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "registry/platform/child_process.h"

namespace opledger {

// Starts `python` with the inputs, which are names and files. The reply is "ready OPEN 0 VERSION";
// OPEN: CPU seconds to create the session.
ChildProcess StartOnnxRuntime(const std::string& python, const std::string& model, int threads,
                              const std::vector<std::pair<std::string, std::string>>& inputs);

}  // namespace opledger
