// Coordinates are rounded to hundredths and ignore the locale, so equal counts give equal bytes.
// SPDX-License-Identifier: Apache-2.0
#include "checker/docs/coverage_picture.h"

#include <algorithm>
#include <cmath>

namespace opledger {
namespace {

constexpr double kMinWidth = 3;  // of a part, in user units of the SVG
constexpr double kGap = 1.5;     // between parts

std::string Coordinate(double value) {
  const long long hundredths = std::llround(value * 100);
  std::string text = std::to_string(hundredths / 100);
  if (const long long rest = hundredths % 100; rest != 0) {
    text += '.' + std::to_string(rest / 10);
    if (rest % 10 != 0) text += std::to_string(rest % 10);
  }
  return text;
}

}  // namespace

std::vector<CoveragePart> CoverageParts(const ListDocs& list) {
  std::vector<CoveragePart> parts;
  for (const auto& [policy, count] : list.by_policy) {
    parts.push_back({PolicyName(policy), PolicyName(policy), count});
  }
  const Coverage& coverage = list.coverage;
  const std::string& policy = coverage.default_policy;
  parts.push_back({policy, policy + " by default", coverage.by_default, " default"});
  parts.push_back({"unclassified", "open", coverage.open});
  parts.push_back({"exempt", "exempt", list.exempt});
  parts.erase(std::remove_if(parts.begin(), parts.end(),
                             [](const CoveragePart& part) { return part.count == 0; }),
              parts.end());
  return parts;
}

std::string CoverageWords(const ListDocs& list) {
  std::string words = CoverageText(list.coverage);
  const char* separator = ": ";
  for (const CoveragePart& part : CoverageParts(list)) {
    words += separator + part.words + ' ' + std::to_string(part.count);
    separator = ", ";
  }
  return words;
}

std::string CoverageBar(const ListDocs& list, double x, double y, double width, double height) {
  const std::vector<CoveragePart> parts = CoverageParts(list);
  if (parts.empty()) return {};
  const auto count = static_cast<double>(parts.size());
  const double shared = width - count * kMinWidth - (count - 1) * kGap;
  std::string bar;
  for (const CoveragePart& part : parts) {
    const double wide = kMinWidth + shared * part.count / list.Total();
    bar += "<rect class=\"" + part.name + part.style + "\" x=\"" + Coordinate(x) + "\" y=\"" +
           Coordinate(y) + "\" width=\"" + Coordinate(wide) + "\" height=\"" + Coordinate(height) +
           "\"><title>" + part.words + ": " + std::to_string(part.count) + "</title></rect>\n";
    x += wide + kGap;
  }
  return bar;
}

}  // namespace opledger
