// --inline-functions: replaces calls of the model's own functions by their nodes, so that each call
// gets types and a placement of its own. docs/IR.md of ONNX defines functions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "conversion/model/files/edit_list.h"
#include "conversion/model/graph/signature.h"
#include "conversion/model/onnx/onnx.h"

namespace opledger {

// Limits, since nested calls can expand to far more than the size of the file.
struct InlineLimits {
  std::uint64_t calls = 1'000'000;
  std::uint64_t bytes = std::uint64_t{1} << 30;
};

// Returns edits that remove all calls and functions. `calls` counts inlined calls, nested ones each
// time. Returns nullopt, with an error that names the function, if it calls itself, a call does not
// fit it, it needs another version of an operator than the model imports, or a limit is reached.
std::optional<EditList> InlineFunctions(const OnnxModel& model, Signatures& signatures,
                                        const InlineLimits& limits, std::uint64_t& calls,
                                        Diagnostics& diagnostics);

}  // namespace opledger
