// The baseline: findings that were there when a project took up the check. They do not count, new
// ones do. File: opledger-baseline.json, one finding per line; schemas/baseline.schema.json.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "checker/findings/findings.h"

namespace opledger {

inline constexpr char kBaselineFile[] = "opledger-baseline.json";

class Baseline {
 public:
  bool Contains(const Finding& finding) const {
    return !places_.empty() && places_.contains(finding.Fingerprint());
  }
  // The finding as it is kept: rule, framework, operator and list, or path and message.
  void Add(const Finding& finding);
  const std::vector<Finding>& findings() const { return findings_; }
  // Those that stand in `found` no longer.
  std::vector<Finding> Resolved(const std::vector<Finding>& found) const;

  // Canonical JSON: the same findings in any order give the same bytes.
  std::string Text() const;

 private:
  std::vector<Finding> findings_;
  std::unordered_map<std::string, std::size_t> places_;  // fingerprint -> place in findings_
};

// `root`: as ReadFile.
std::optional<Baseline> ReadBaseline(const std::string& path, Diagnostics& diagnostics,
                                     const std::string& root = {});

}  // namespace opledger
