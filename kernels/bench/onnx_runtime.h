// ONNX Runtime as a process that answers as one of ours does (worker.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "registry/platform/child_process.h"

namespace opledger {

// `python` runs it on the inputs, files by name. It says "ready OPEN 0 VERSION": seconds of the
// session's creation.
ChildProcess StartOnnxRuntime(const std::string& python, const std::string& model, int threads,
                              const std::vector<std::pair<std::string, std::string>>& inputs);

}  // namespace opledger
