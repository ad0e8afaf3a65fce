// Reads the policies that a framework's registrations specify, as found by the scanner.
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
  ListModule module;  // one list per policy, with its name
};

// Returns the policies for `device`; if it is empty, those that are not for a device. Returns
// nullopt and reports an error if the manifest cannot be read or has no such policies.
std::optional<RegistrationLists> ReadRegistrationLists(const std::string& path, std::string text,
                                                       const std::string& device,
                                                       Diagnostics& diagnostics);

}  // namespace opledger
