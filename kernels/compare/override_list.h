// Writes a precision list for one model: another list plus nodes that stay in float32.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "registry/text/diagnostics.h"

namespace opledger {

// Overrides for one model.
struct NodeOverrides {
  std::vector<std::string> fp32_nodes;
  std::vector<std::string> either_nodes;
  std::optional<std::int64_t> opset;  // for ONNX
};

// Returns the text of the list at `base` with the overrides (if any) and a comment put first; its
// entries are copied unchanged. Returns nullopt, with an error, if the list cannot be read or
// extends another list.
std::optional<std::string> OverrideList(const std::string& base, const std::string& comment,
                                        const NodeOverrides& overrides, Diagnostics& diagnostics);

// Returns the list for a conversion to this type: `list`, or the framework's shipped one if it is
// empty.
std::string ListOrShipped(const std::string& list, const std::string& framework,
                          const std::string& target_dtype);

}  // namespace opledger
