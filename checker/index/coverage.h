// How many of the operators that need a policy in a list have one: by an entry, by what the list
// says of operators without an entry, or not at all.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace opledger {

struct Coverage {
  int decided = 0;             // have an entry
  int by_default = 0;          // have none, and the list says what then holds
  std::string default_policy;  // what it says; empty: nothing
  int open = 0;                // have no policy

  bool operator==(const Coverage&) const = default;
};

// "99.8 %" of those that need a policy, rounded down, so that 100 % is all.
std::string CoveragePercent(const Coverage& coverage);

// "17 of 18 decided (94.4 %)"; with a default "127 decided, 1226 by default (either), 1 open".
std::string CoverageText(const Coverage& coverage);

// For a badge: "94.4 %" or "127 decided, 1226 by default", with what is open.
std::string CoverageBadge(const Coverage& coverage);

}  // namespace opledger
