// The baseline: known findings of a project, which do not count. New findings do. File:
// opledger-baseline.json, one finding per line; see schemas/baseline.schema.json.
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
  // Adds what identifies the finding: rule, framework, operator and list, or path, message and
  // digest. A finding with neither operator nor digest is added again each time, so that Take()
  // matches it as often as it was added.
  void Add(const Finding& finding);
  // Keeps each finding as often as the baseline with more of it does.
  void Merge(const Baseline& other);
  const std::vector<Finding>& findings() const { return findings_; }
  // Returns the findings of one dialect.
  Baseline Of(std::string_view framework) const;
  // Returns the findings of the lists with these labels, and those without a list.
  Baseline OfLists(const std::set<std::string>& labels) const;
  // Returns the findings of the baseline that are no longer in `found`.
  std::vector<Finding> Resolved(const std::vector<Finding>& found) const;

  // Returns canonical JSON: the order of the findings does not change the bytes.
  std::string Text() const;

 private:
  friend class BaselineUse;

  std::vector<Finding> findings_;
  std::unordered_map<std::string, std::size_t> counts_;  // by fingerprint
};

// Matches findings with a baseline, one at a time.
class BaselineUse {
 public:
  explicit BaselineUse(const Baseline& baseline) : baseline_(baseline) {}

  // Returns whether the baseline has the finding. Uses up one entry if it has neither operator nor
  // digest.
  bool Take(const Finding& finding);

 private:
  const Baseline& baseline_;
  std::unordered_map<std::string, std::size_t> taken_;
};

// Returns nullopt, with an error, if the file cannot be read or is not a baseline.
std::optional<Baseline> ReadBaseline(const Source& source, const std::string& path, Reach reach,
                                     Diagnostics& diagnostics);

}  // namespace opledger
