// Draws the pictures of a conversion report: the graph in sections that fit a screen, and all nodes
// as a strip.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conversion/report/graph_drawing.h"
#include "conversion/report/report.h"

namespace opledger {

// Consecutive nodes of one scope.
struct ReportSection {
  std::string scope;
  std::string title;      // the scope's own name, without the scopes that contain it
  std::size_t depth = 0;  // of the scope: 0 for the main graph
  std::vector<NodeId> nodes;
  std::size_t low = 0;
  std::size_t float32 = 0;
  std::size_t casts = 0;  // drawn in it
};

struct ReportSections {
  std::vector<ReportSection> sections;
  std::vector<int> section_of;  // per node
  std::vector<int> cast_of;     // per value: index of its cast; -1: none
};

ReportSections MakeSections(const ConversionReport& report, const Graph& graph);

// Draws section `index`. Omits constants; a cast follows the value that it casts.
Drawing DrawSection(const ConversionReport& report, const Graph& graph,
                    const ReportSections& sections, std::size_t index);

// Draws all nodes in order, one cell each. In large models a cell holds several nodes.
std::string RenderStrip(const ConversionReport& report);

// Returns a class of the page's style.
const char* PrecisionClass(Precision precision);

}  // namespace opledger
