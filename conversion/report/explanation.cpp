// The reports and the words about one node.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/report/explanation.h"

#include "conversion/report/explain_node.h"
#include "conversion/report/report_html.h"
#include "conversion/report/report_json.h"
#include "registry/platform/files.h"

namespace opledger {
namespace {

// Whether a report of this name has a form.
bool CheckForm(const std::string& path, Diagnostics& diagnostics) {
  if (path.ends_with(".json") || path.ends_with(".html")) return true;
  diagnostics.Error({.path = path}, "this name does not say the form of a report",
                    "end it in .json, or in .html for a page");
  return false;
}

}  // namespace

bool Explanation::Make(const ReportInput& input, const ConvertOptions& options,
                       const Statistics& statistics, std::string& text, Diagnostics& diagnostics) {
  if (options.reports.empty() && options.explain.empty()) return true;
  for (const std::string& path : options.reports) {
    if (!CheckForm(path, diagnostics)) return false;
  }
  report_ = MakeReport(input);
  graph_ = input.graph;
  if (!options.explain.empty() &&
      !ExplainNode(report_, *graph_, options.explain, text, diagnostics)) {
    return false;
  }
  if (options.reports.empty()) return true;
  for (ParameterReport& parameter : report_.parameters) {
    parameter.statistics = statistics(parameter.value);
  }
  return true;
}

bool Explanation::Write(const ConvertOptions& options, Diagnostics& diagnostics) const {
  for (const std::string& path : options.reports) {
    const bool page = path.ends_with(".html");
    const std::string text = page ? RenderReportHtml(report_, *graph_) : RenderReportJson(report_);
    if (!WriteFile(path, text, diagnostics)) return false;
  }
  return true;
}

}  // namespace opledger
