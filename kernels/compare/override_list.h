// A precision list for one model: another list, and nodes that stay in float32.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "registry/text/diagnostics.h"

namespace opledger {

// The text of the list at `base` with "fp32_nodes", "either_nodes" (where there are some) and a
// comment put first; its entries stay as they are written. None, with an error: it cannot be read,
// or builds on a list that lies beside it.
std::optional<std::string> OverrideList(const std::string& base, const std::string& comment,
                                        const std::vector<std::string>& fp32_nodes,
                                        const std::vector<std::string>& either_nodes,
                                        Diagnostics& diagnostics);

// The list that a conversion to this type takes: `list`, or the shipped one of the framework where
// that is empty.
std::string ListOrShipped(const std::string& list, const std::string& framework,
                          const std::string& target_dtype);

}  // namespace opledger
