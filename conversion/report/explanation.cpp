// Creates reports and explains single nodes.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/report/explanation.h"

#include <algorithm>
#include <map>
#include <set>

#include "conversion/report/report_html.h"
#include "conversion/report/report_json.h"
#include "registry/files/files.h"
#include "registry/text/suggestion.h"

namespace opledger {
namespace {

// Checks that the report's file name selects a format.
bool CheckForm(const std::string& path, Diagnostics& diagnostics) {
  if (path.ends_with(".json") || path.ends_with(".html")) return true;
  return diagnostics.Error({.path = path}, "the report's format is unknown",
                           "end its name in .json or .html");
}

bool IsCalled(const Graph& graph, NodeId id, const std::string& name) {
  const Node& node = graph.nodes[id];
  return node.name == name ||
         std::any_of(node.outputs.begin(), node.outputs.end(), [&](ValueId output) {
           return output != kNone && graph.values[output].name == name;
         });
}

void AppendCasts(const char* what, const std::vector<int>& casts, const ConversionReport& report,
                 std::string& text) {
  for (const int index : casts) {
    const CastReport& cast = report.casts[static_cast<std::size_t>(index)];
    text += std::string("  ") + what + ": '" + Printable(cast.tensor) + "' to " +
            (cast.down ? DtypeName(report.target) : "float32");
    if (cast.bytes) text += ", " + std::to_string(*cast.bytes) + " bytes read and written";
    text += "; " + Printable(cast.reason) + "\n";
  }
}

using Values = std::map<ValueId, ValueSummary>;

// Appends the ranges of the values that a node reads or computes, each once.
void AppendValues(const char* what, const std::vector<ValueId>& ids, const Values& values,
                  std::string& text) {
  std::set<ValueId> seen;
  for (const ValueId id : ids) {
    const auto value = values.find(id);
    if (value == values.end() || !seen.insert(id).second) continue;
    text += std::string("  ") + what + " '" + Printable(value->second.name) +
            "': " + ValueText(value->second) + "\n";
  }
}

void AppendNode(const ConversionReport& report, const Node& of_graph, const Values& values,
                NodeId id, std::string& text) {
  const NodeReport& node = report.nodes[static_cast<std::size_t>(id)];
  text += Printable(node.op) + " '" + Printable(node.name) + "'";
  if (!node.scope.empty()) text += " in " + Printable(node.scope);
  text += std::string(": ") + report.PrecisionText(node.precision) + "\n";
  text += std::string("  rule: ") + RuleName(node.rule);
  if (!node.place.path.empty()) {
    text += ", " + Printable(node.place.path) + ":" + std::to_string(node.place.line) + ":" +
            std::to_string(node.place.column);
  }
  text += ": " + Printable(node.reason);
  if (!node.entry_reason.empty()) text += " (" + Printable(node.entry_reason) + ")";
  text += "\n";
  if (!node.placement.empty()) text += "  placed in " + Printable(node.placement) + "\n";
  AppendCasts("reads a cast", node.casts_wanted, report, text);
  AppendCasts("is cast", node.casts_of_outputs, report, text);
  AppendValues("reads", of_graph.inputs, values, text);
  AppendValues("computes", of_graph.outputs, values, text);
  for (const std::string& each : node.alternatives) {
    text += "  to change it: " + Printable(each) + "\n";
  }
}

// Explains every node of this name: its rule, the reason of its placement, its casts, and what
// would change it. Returns false, with an error, if there is no such node.
bool ExplainNode(const ConversionReport& report, const ReportInput& input, const std::string& name,
                 const Values& values, std::string& text, Diagnostics& diagnostics) {
  const Graph& graph = *input.graph;
  for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
    if (IsCalled(graph, id, name)) AppendNode(report, graph.nodes[id], values, id, text);
  }
  if (HasNode(graph, name)) return true;
  const std::string option = input.preparation ? input.preparation->took_explained : "";
  if (!option.empty()) {
    return diagnostics.Error({.path = report.model}, option + " removes the node '" + name + "'",
                             "leave out " + option + " to see why the node runs in its type");
  }
  std::vector<std::string> names;
  for (const NodeReport& node : report.nodes) names.push_back(node.name);
  std::string hint = DidYouMean(name, names);
  if (hint.empty()) hint = "use the name of a node, or of a value that it computes";
  return diagnostics.Error({.path = report.model}, "there is no node '" + name + "'", hint);
}

}  // namespace

bool HasNode(const Graph& graph, const std::string& name) {
  for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
    if (IsCalled(graph, id, name)) return true;
  }
  return false;
}

bool Explanation::Make(const ReportInput& input, const ConvertOptions& options,
                       const Statistics& statistics, const Values& values, std::string& text,
                       Diagnostics& diagnostics) {
  if (options.reports.empty() && options.explain.empty()) return true;
  for (const std::string& path : options.reports) {
    if (!CheckForm(path, diagnostics)) return false;
  }
  report_ = MakeReport(input);
  graph_ = input.graph;
  if (!options.explain.empty()) {
    std::map<ValueId, ValueSummary> by_id;
    for (const ValueSummary& each : values()) by_id[each.value] = each;
    if (!ExplainNode(report_, input, options.explain, by_id, text, diagnostics)) return false;
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
