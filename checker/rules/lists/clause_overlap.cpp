// Finds values and ranges that several clauses of an entry claim.
// SPDX-License-Identifier: Apache-2.0
#include "checker/rules/lists/clause_overlap.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

namespace opledger {
namespace {

// Returns the number if all of `text` is one.
std::optional<double> Number(const std::string& text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || std::isnan(number)) return std::nullopt;
  return number;
}

}  // namespace

std::vector<std::string> ClauseOverlap::Add(const Clause& clause) {
  Claimed& claimed = by_subject_[clause.Subject()];
  return clause.is_range ? AddRange(clause, claimed) : AddValues(clause, claimed);
}

std::vector<std::string> ClauseOverlap::AddValues(const Clause& clause, Claimed& claimed) {
  std::vector<std::string> problems;
  std::set<std::string> reported;
  for (const std::string& value : clause.values) {
    const std::string what = "value '" + value + "' of '" + clause.Subject() + "' ";
    if (!claimed.values.insert(value).second) {
      if (reported.insert(value).second) problems.push_back(what + "is listed twice");
      continue;
    }
    const std::optional<double> number = Number(value);
    if (!number) continue;
    for (const auto& [minimum, maximum] : claimed.ranges) {
      if (*number < minimum || *number > maximum) continue;
      problems.push_back(what + "is in the range of an earlier clause");
      break;
    }
  }
  return problems;
}

std::vector<std::string> ClauseOverlap::AddRange(const Clause& clause, Claimed& claimed) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Range range = {clause.minimum.value_or(-infinity), clause.maximum.value_or(infinity)};
  std::vector<std::string> problems;
  for (const auto& [minimum, maximum] : claimed.ranges) {
    if (range.first > maximum || minimum > range.second) continue;
    problems.push_back("the range of '" + clause.Subject() +
                       "' overlaps that of an earlier clause");
    break;
  }
  if (range.first <= range.second) claimed.ranges.push_back(range);
  return problems;
}

}  // namespace opledger
