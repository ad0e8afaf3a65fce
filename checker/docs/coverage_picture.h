// Draws the coverage of a list as a bar of its operators by policy.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "checker/docs/docs.h"

namespace opledger {

// A part of the bar, in the order drawn. Parts without operators are left out.
struct CoveragePart {
  std::string name;   // a policy, "unclassified" or "exempt"; also the CSS class
  std::string words;  // "fp32", "either by default", "unclassified", "exempt"
  int count = 0;
  std::string style = {};  // another CSS class, such as " default"
};
std::vector<CoveragePart> CoverageParts(const ListDocs& list);

// Describes the bar: "688 of 689 decided (99.8 %): target 8, fp32 133, unclassified 1".
std::string CoverageWords(const ListDocs& list);

// Returns the bar as SVG rectangles that begin at (x, y). Each part is wide enough to be seen.
std::string CoverageBar(const ListDocs& list, double x, double y, double width, double height);

}  // namespace opledger
