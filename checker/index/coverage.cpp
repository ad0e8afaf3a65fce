// Formats coverage as text. Leaves out the percentage if operators run under a default, where it
// would mean little.
// SPDX-License-Identifier: Apache-2.0
#include "checker/index/coverage.h"

#include <cstdint>

namespace opledger {
namespace {

std::string WithDefault(const Coverage& coverage, const std::string& policy) {
  std::string text = std::to_string(coverage.decided) + " decided, " +
                     std::to_string(coverage.by_default) + " by default" + policy;
  if (coverage.open > 0) text += ", " + std::to_string(coverage.open) + " unclassified";
  return text;
}

}  // namespace

std::string CoveragePercent(const Coverage& coverage) {
  const int known = coverage.decided + coverage.by_default;
  const int all = known + coverage.open;
  const std::int64_t tenths = all == 0 ? 1000 : std::int64_t{1000} * known / all;
  const std::string rest = tenths % 10 == 0 ? "" : "." + std::to_string(tenths % 10);
  return std::to_string(tenths / 10) + rest + " %";
}

std::string CoverageText(const Coverage& coverage) {
  if (!coverage.default_policy.empty()) {
    return WithDefault(coverage, " (" + coverage.default_policy + ")");
  }
  return std::to_string(coverage.decided) + " of " +
         std::to_string(coverage.decided + coverage.open) + " decided (" +
         CoveragePercent(coverage) + ")";
}

std::string CoverageBadge(const Coverage& coverage) {
  return coverage.default_policy.empty() ? CoveragePercent(coverage) : WithDefault(coverage, "");
}

}  // namespace opledger
