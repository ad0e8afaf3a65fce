// How to choose a policy: shown once per run, after the findings, when an operator is unclassified.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace opledger {

// The built-in lines; "guidelines" in the project file replaces them.
const std::vector<std::string>& BuiltInGuidelines();

}  // namespace opledger
