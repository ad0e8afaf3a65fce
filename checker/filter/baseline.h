// The baseline: findings that were there when a project took up the check. They do not count, new
// ones do. File: opledger-baseline.json, one finding per line; schemas/baseline.schema.json.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "checker/findings/findings.h"

namespace opledger {

inline constexpr char kBaselineFile[] = "opledger-baseline.json";

class Baseline {
 public:
  bool Contains(const Finding& finding) const {
    return !counts_.empty() && counts_.contains(finding.Fingerprint());
  }
  // The finding as it is kept: rule, framework, operator and list, or path and message. One that
  // names no operator is kept as often as it is added: of the next like it nothing is known.
  void Add(const Finding& finding);
  // So that each is there as often as in the one of the two that has more.
  void Merge(const Baseline& other);
  const std::vector<Finding>& findings() const { return findings_; }
  // Those of one dialect.
  Baseline Of(std::string_view framework) const;
  // Those of lists with these labels, and of none.
  Baseline OfLists(const std::set<std::string>& labels) const;
  // Those that stand in `found` no longer.
  std::vector<Finding> Resolved(const std::vector<Finding>& found) const;

  // Canonical JSON: the same findings in any order give the same bytes.
  std::string Text() const;

 private:
  friend class BaselineUse;

  std::vector<Finding> findings_;
  std::unordered_map<std::string, std::size_t> counts_;  // fingerprint -> how often it is there
};

// Holds findings against a baseline, one after the other.
class BaselineUse {
 public:
  explicit BaselineUse(const Baseline& baseline) : baseline_(baseline) {}

  // Whether the baseline has it; each that names no operator stands for one only.
  bool Take(const Finding& finding);

 private:
  const Baseline& baseline_;
  std::unordered_map<std::string, std::size_t> taken_;
};

std::optional<Baseline> ReadBaseline(const Source& source, const std::string& path, Reach reach,
                                     Diagnostics& diagnostics);

}  // namespace opledger
