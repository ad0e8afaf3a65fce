// Which values of one subject several clauses of one entry claim: the first clause decides, so the
// others would never.
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
  // Takes the next clause in order; says what of it earlier clauses, or itself, have claimed.
  std::vector<std::string> Add(const Clause& clause);

 private:
  using Range = std::pair<double, double>;  // closed
  struct Claimed {
    std::set<std::string> values;
    std::vector<Range> ranges;
  };

  static std::vector<std::string> AddValues(const Clause& clause, Claimed& claimed);
  static std::vector<std::string> AddRange(const Clause& clause, Claimed& claimed);

  std::map<std::string, Claimed> by_subject_;
};

}  // namespace opledger
