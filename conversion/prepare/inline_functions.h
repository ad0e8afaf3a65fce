// --inline-functions: the nodes of the model's own functions in place of their calls, so that each
// call has types and a placement of its own. What a function is: docs/IR.md of ONNX.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "conversion/model/files/edit_list.h"
#include "conversion/model/graph/signature.h"
#include "conversion/model/onnx/onnx.h"

namespace opledger {

// What comes of calls of calls may be far more than the file says.
struct InlineLimits {
  std::uint64_t calls = 1'000'000;
  std::uint64_t bytes = std::uint64_t{1} << 30;
};

// Edits by which no call is left, and no function. `calls` counts those that were inlined, inner
// ones each time. None, with an error that names the function: it calls itself, a call does not fit
// it, it needs another version of an operator than the model imports, or a limit is reached.
std::optional<EditList> InlineFunctions(const OnnxModel& model, Signatures& signatures,
                                        const InlineLimits& limits, std::uint64_t& calls,
                                        Diagnostics& diagnostics);

}  // namespace opledger
