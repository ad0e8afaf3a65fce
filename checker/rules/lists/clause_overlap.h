// Finds values of an attribute that several clauses of an entry claim. The first clause applies, so
// the others never would.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "registry/precision_list/precision_list.h"

namespace opledger {

class ClauseOverlap {
 public:
  // Adds the next clause, and describes what it or earlier clauses have claimed already.
  std::vector<std::string> Add(const Clause& clause);

 private:
  using Range = std::pair<double, double>;  // closed interval
  struct Claimed {
    std::set<std::string> values;
    std::vector<Range> ranges;
  };

  static std::vector<std::string> AddValues(const Clause& clause, Claimed& claimed);
  static std::vector<std::string> AddRange(const Clause& clause, Claimed& claimed);

  std::map<std::string, Claimed> by_subject_;
};

}  // namespace opledger
