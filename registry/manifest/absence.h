// Operators of the sources that one build does not have, and why.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "registry/manifest/manifest.h"

namespace opledger {

// What the configuration says of the macros in a condition that does not hold there:
//   "USE_X is 0, USE_Y is not defined by default (config.h:3)"
std::string WhyNot(const Condition& condition, const Manifest& manifest,
                   const std::string& configuration);

// "OPERATOR (PLACE): if CONDITION; USE_X is 0", for reports to people.
std::string AbsenceLine(const AbsentOperator& absent, const Manifest& manifest,
                        const std::string& configuration);

// Those of a manifest of all configurations that this one has not; exempt ones are left out.
std::vector<AbsentOperator> AbsentFrom(const Manifest& manifest, const Configuration& known);

// "3 operators are not in configuration 'gpu'"
std::string AbsentCount(std::size_t count, std::string_view configuration);

}  // namespace opledger
