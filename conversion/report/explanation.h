// Explains a conversion at the user's request: --report, --explain. Independent of the format.
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
  // Measures the rounding of a parameter. Returns nullopt if its elements are not available.
  using Statistics = std::function<std::optional<RoundingStatistics>(ValueId)>;
  // Returns the ranges of values. Called for --explain only.
  using Values = std::function<std::vector<ValueSummary>()>;

  // Appends the explanation to `text`; does nothing if none was requested. Returns false, with an
  // error, if a report's format is unknown or --explain names no node.
  bool Make(const ReportInput& input, const ConvertOptions& options, const Statistics& statistics,
            const Values& values, std::string& text, Diagnostics& diagnostics);
  // Writes the reports.
  bool Write(const ConvertOptions& options, Diagnostics& diagnostics) const;

 private:
  ConversionReport report_;
  const Graph* graph_ = nullptr;
};

// Returns whether a node has this name or computes a value of this name.
bool HasNode(const Graph& graph, const std::string& name);

}  // namespace opledger
