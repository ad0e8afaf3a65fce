// The policies that a framework's registrations state themselves, as the scanner found them.
//   operators.json: fields.policy [{"key": "cuda", "value": "target"}]  ->  target: aten::conv2d
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "registry/list_source/list_module.h"
#include "registry/text/diagnostics.h"

namespace opledger {

struct RegistrationLists {
  std::string framework;
  ListModule module;  // a list per policy, by its name
};

// The policies for `device`; empty: those that are for no device. None, with an error, where the
// manifest cannot be read, or states none.
std::optional<RegistrationLists> ReadRegistrationLists(const std::string& path, std::string text,
                                                       const std::string& device,
                                                       Diagnostics& diagnostics);

}  // namespace opledger
