// The pictures of a conversion report: the graph in pieces that fit a screen, and all of it as a
// strip.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conversion/report/graph_drawing.h"
#include "conversion/report/report.h"

namespace opledger {

// A run of nodes of one scope.
struct ReportSection {
  std::string scope;
  std::string title;      // the scope, without what it stands in
  std::size_t depth = 0;  // of it: 0 for the main graph
  std::vector<NodeId> nodes;
  std::size_t low = 0;
  std::size_t float32 = 0;
  std::size_t casts = 0;  // drawn in it
};

struct ReportSections {
  std::vector<ReportSection> sections;
  std::vector<int> section_of;  // of each node
  std::vector<int> cast_of;     // of each value: index of its cast; -1: none
};

ReportSections MakeSections(const ConversionReport& report, const Graph& graph);

// The section `index`. Constants are left out; a cast stands after what is cast.
Drawing DrawSection(const ConversionReport& report, const Graph& graph,
                    const ReportSections& sections, std::size_t index);

// All nodes in their order, a cell each; of large models, several nodes to a cell.
std::string RenderStrip(const ConversionReport& report);

// A class of the page's style.
const char* PrecisionClass(Precision precision);

}  // namespace opledger
