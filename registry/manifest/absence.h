// Finds operators of the sources that one build does not have, and explains why.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "registry/manifest/manifest.h"

namespace opledger {

// Describes the macros in a condition that is false in the configuration:
//   "USE_X is 0, USE_Y is not defined by default (config.h:3)"
std::string WhyNot(const Condition& condition, const Manifest& manifest,
                   const std::string& configuration);

// Returns "OPERATOR (PLACE): if CONDITION; USE_X is 0", for human readers.
std::string AbsenceLine(const AbsentOperator& absent, const Manifest& manifest,
                        const std::string& configuration);

// Returns the operators of a manifest of all configurations that do not exist in this one, except
// exempt ones.
std::vector<AbsentOperator> AbsentFrom(const Manifest& manifest, const Configuration& known);

// Returns a count such as "3 operators are not in configuration 'gpu'".
std::string AbsentCount(std::size_t count, std::string_view configuration);

}  // namespace opledger
