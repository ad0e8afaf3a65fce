// How much of a framework a list covers, as a picture: a bar of the operators by policy.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "checker/docs/docs.h"

namespace opledger {

// One part of the bar, in the order drawn; parts without operators are left out.
struct CoveragePart {
  std::string name;   // a policy, "unclassified" or "exempt": also its class in style sheets
  std::string words;  // "fp32", "either by default", "open", "exempt"
  int count = 0;
  std::string style = {};  // a further class, " default"
};
std::vector<CoveragePart> CoverageParts(const ListDocs& list);

// "688 of 689 decided (99.8 %): target 8, fp32 133, open 1": the picture in words.
std::string CoverageWords(const ListDocs& list);

// The bar as rectangles of SVG from (x, y) on, each of its part's class. A part of one operator can
// still be seen.
std::string CoverageBar(const ListDocs& list, double x, double y, double width, double height);

}  // namespace opledger
