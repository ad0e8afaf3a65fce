// A precision list for one model: another list, and nodes that stay in float32.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "registry/text/diagnostics.h"

namespace opledger {

// What is said of one model.
struct NodeOverrides {
  std::vector<std::string> fp32_nodes;
  std::vector<std::string> either_nodes;
  std::optional<std::int64_t> opset;  // of ONNX
};

// The text of the list at `base` with these (where there are some) and a comment put first; its
// entries stay as they are written. None, with an error: it cannot be read, or builds on a list
// that lies beside it.
std::optional<std::string> OverrideList(const std::string& base, const std::string& comment,
                                        const NodeOverrides& overrides, Diagnostics& diagnostics);

// The list that a conversion to this type takes: `list`, or the shipped one of the framework where
// that is empty.
std::string ListOrShipped(const std::string& list, const std::string& framework,
                          const std::string& target_dtype);

}  // namespace opledger
