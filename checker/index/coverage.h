// Counts the operators that need a policy in a list: by an entry, by the default of the list, or
// without either.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace opledger {

struct Coverage {
  int decided = 0;             // have an entry
  int by_default = 0;          // have no entry, but the list has a default
  std::string default_policy;  // policy of operators without an entry; empty: none
  int open = 0;                // have no policy

  bool operator==(const Coverage&) const = default;
};

// Returns the share of operators with a policy, rounded down so that only all give "100 %".
std::string CoveragePercent(const Coverage& coverage);

// Returns "17 of 18 decided (94.4 %)", or with a default
// "127 decided, 1226 by default (either), 1 unclassified".
std::string CoverageText(const Coverage& coverage);

// Returns the text of a badge: "94.4 %", or with a default
// "127 decided, 1226 by default, 1 unclassified".
std::string CoverageBadge(const Coverage& coverage);

}  // namespace opledger
