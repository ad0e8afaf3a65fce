// The explanations of a conversion that a user requested: --report, --explain. Of no format.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "conversion/label/settings.h"
#include "conversion/report/report.h"
#include "conversion/report/value_summary.h"
#include "registry/text/diagnostics.h"

namespace opledger {

class Explanation {
 public:
  // Counts what rounding does to the numbers of a parameter; none: they are not at hand.
  using Statistics = std::function<std::optional<RoundingStatistics>(ValueId)>;
  // What the numbers of values can be; asked for by --explain only.
  using Values = std::function<std::vector<ValueSummary>()>;

  // False, with an error: a report's format is unknown, or --explain names no node.
  // Appends what is to be printed to `text`. Does nothing if nothing was requested.
  bool Make(const ReportInput& input, const ConvertOptions& options, const Statistics& statistics,
            const Values& values, std::string& text, Diagnostics& diagnostics);
  // Writes the reports.
  bool Write(const ConvertOptions& options, Diagnostics& diagnostics) const;

 private:
  ConversionReport report_;
  const Graph* graph_ = nullptr;
};

// Whether a node is called `name`, or computes a value of that name.
bool HasNode(const Graph& graph, const std::string& name);

}  // namespace opledger
