// Divides the nodes into sections and draws each. A section has at most kNodesOfSection nodes, all
// of one scope.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/report/report_drawing.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

namespace opledger {
namespace {

constexpr std::size_t kNodesOfSection = 40;
constexpr std::size_t kSources = 100;    // values from outside a section that are drawn at most
constexpr std::size_t kCellsOfRow = 64;  // of the strip
constexpr std::size_t kCells = 4096;     // at most; a cell then stands for several nodes

bool IsConstant(const Graph& graph, NodeId id) {
  const std::vector<ValueId>& outputs = graph.nodes[id].outputs;
  return graph.nodes[id].inputs.empty() && outputs.size() == 1 && outputs[0] != kNone &&
         IsParameter(graph, graph.values[outputs[0]]);
}

class SectionDrawer {
 public:
  SectionDrawer(const ConversionReport& report, const Graph& graph, const ReportSections& sections,
                std::size_t index)
      : report_(report), graph_(graph), sections_(sections), section_(sections.sections[index]) {
    drawing_.label = "Graph of section " + std::to_string(index + 1) + ": " +
                     std::to_string(section_.nodes.size()) + " nodes, " +
                     std::to_string(section_.low) + " in " + DtypeName(report.target) +
                     "; the tables below hold the same information";
  }

  Drawing Draw() {
    for (const NodeId id : section_.nodes) {
      if (!IsConstant(graph_, id)) AddNode(id);
    }
    for (const NodeId id : section_.nodes) {
      if (vertices_.count(id) != 0) AddInputs(id);
    }
    for (const NodeId id : section_.nodes) {
      if (vertices_.count(id) != 0) AddOutputs(id);
    }
    return std::move(drawing_);
  }

 private:
  int Add(DrawnVertex vertex) {
    drawing_.vertices.push_back(std::move(vertex));
    return static_cast<int>(drawing_.vertices.size()) - 1;
  }

  void AddNode(NodeId id) {
    const NodeReport& node = report_.nodes[id];
    DrawnVertex vertex;
    vertex.title = node.op;
    vertex.detail = node.name;
    vertex.tooltip = node.op + " " + node.name + ": " + report_.PrecisionText(node.precision) +
                     " (" + node.reason + ")" +
                     (node.placement.empty() ? "" : "; " + node.placement);
    vertex.link = "#n" + std::to_string(id);
    vertex.classes = PrecisionClass(node.precision);
    vertices_[id] = Add(std::move(vertex));
  }

  // Returns the style class of a value as computed, or after its cast.
  std::string ClassOf(ValueId value, bool cast) const {
    if (!graph_.IsFloat32(value)) return "other";
    bool low = false;
    if (const int found = sections_.cast_of[value]; found >= 0) {
      low = report_.casts[found].down == cast;
    } else if (graph_.values[value].producer != kNone) {
      low = report_.nodes[graph_.values[value].producer].precision == Precision::kLow;
    }
    return low ? "low" : "float32";
  }

  // Returns the vertex of a value's source, or -1 if it is not drawn.
  int Source(ValueId value) {
    const NodeId producer = graph_.values[value].producer;
    if (const auto own = vertices_.find(producer); own != vertices_.end()) return own->second;
    if (producer == kNone ? graph_.values[value].tensor != kNone : IsConstant(graph_, producer)) {
      return -1;
    }
    if (sources_.size() == kSources && sources_.count(value) == 0) return -1;
    const auto [place, added] = sources_.emplace(value, -1);
    if (!added) return place->second;
    DrawnVertex vertex;
    vertex.title = std::string(graph_.values[value].name);
    vertex.tooltip =
        vertex.title + (producer == kNone ? ": input or constant" : ": computed elsewhere");
    vertex.classes = "port";
    vertex.small = true;
    if (producer != kNone) vertex.link = LinkOf(producer);
    return place->second = Add(std::move(vertex));
  }

  // Returns the vertex after the cast of a value.
  int Cast(ValueId value, int source) {
    const auto [place, added] = casts_.emplace(value, -1);
    if (!added) return place->second;
    const CastReport& cast = report_.casts[sections_.cast_of[value]];
    DrawnVertex vertex;
    vertex.title = std::string("to ") + (cast.down ? DtypeName(report_.target) : "float32");
    vertex.tooltip = "cast of " + cast.tensor + ": " + cast.reason;
    vertex.link = "#c" + std::to_string(sections_.cast_of[value]);
    vertex.classes = "cast";
    vertex.small = true;
    place->second = Add(std::move(vertex));
    Connect(source, place->second, ClassOf(value, false));
    return place->second;
  }

  std::string LinkOf(NodeId node) const {
    return "#s" + std::to_string(sections_.section_of[node] + 1);
  }

  void Connect(int from, int to, const std::string& classes) {
    if (connected_.insert({from, to}).second) drawing_.edges.push_back({from, to, classes});
  }

  void AddInputs(NodeId id) {
    const std::vector<int>& casts = report_.nodes[id].casts_wanted;
    for (const ValueId value : graph_.nodes[id].inputs) {
      if (value == kNone) continue;
      const int source = Source(value);
      if (source < 0) continue;
      const int cast = sections_.cast_of[value];
      const bool wanted = cast >= 0 && std::find(casts.begin(), casts.end(), cast) != casts.end();
      Connect(wanted ? Cast(value, source) : source, vertices_.at(id), ClassOf(value, wanted));
    }
  }

  // Draws the values that leave the section: one end per value, and its cast.
  void AddOutputs(NodeId id) {
    for (const ValueId value : graph_.nodes[id].outputs) {
      if (value == kNone) continue;
      const std::vector<Use>& uses = graph_.values[value].uses;
      const auto away = std::find_if(
          uses.begin(), uses.end(), [&](const Use& use) { return vertices_.count(use.node) == 0; });
      if (away == uses.end() && !uses.empty()) continue;
      const int cast = sections_.cast_of[value];
      const bool wanted = cast >= 0 && !report_.casts[cast].outputs.empty();
      const int from = wanted ? Cast(value, vertices_.at(id)) : vertices_.at(id);
      DrawnVertex vertex;
      vertex.title = std::string(graph_.values[value].name);
      vertex.tooltip = vertex.title;
      vertex.classes = "port";
      vertex.small = true;
      if (away != uses.end()) vertex.link = LinkOf(away->node);
      Connect(from, Add(std::move(vertex)), ClassOf(value, wanted));
    }
  }

  const ConversionReport& report_;
  const Graph& graph_;
  const ReportSections& sections_;
  const ReportSection& section_;
  std::set<std::pair<int, int>> connected_;
  std::unordered_map<NodeId, int> vertices_;
  std::unordered_map<ValueId, int> sources_;
  std::unordered_map<ValueId, int> casts_;
  Drawing drawing_;
};

// Returns a scope's name within the scopes that contain it: the last part of a node's path.
std::string ShortName(const Graph& graph, const ConversionReport& report, const Scope& scope,
                      std::size_t& depth) {
  const std::string& whole = report.nodes[scope.nodes.front()].scope;
  if (scope.owner == kNone) return whole;
  for (const Scope* each = &scope; each->parent != kNone; each = &graph.scopes[each->parent]) {
    ++depth;
  }
  const std::string& outer = report.nodes[scope.owner].scope;
  const std::string own = outer.empty() ? whole : whole.substr(outer.size() + 1);
  return own.substr(own.rfind('/') + 1);
}

}  // namespace

const char* PrecisionClass(Precision precision) {
  switch (precision) {
    case Precision::kLow:
      return "low";
    case Precision::kFloat32:
      return "float32";
    case Precision::kAsWanted:
      return "wanted";
    case Precision::kUnchanged:
      break;
  }
  return "other";
}

ReportSections MakeSections(const ConversionReport& report, const Graph& graph) {
  ReportSections made;
  made.section_of.resize(graph.nodes.size());
  made.cast_of.assign(graph.values.size(), -1);
  for (std::size_t i = 0; i < report.casts.size(); ++i) {
    made.cast_of[report.casts[i].value] = static_cast<int>(i);
  }
  for (const Scope& scope : graph.scopes) {
    ReportSection* section = nullptr;
    for (const NodeId id : scope.nodes) {
      if (section == nullptr || section->nodes.size() == kNodesOfSection) {
        section = &made.sections.emplace_back();
        section->scope = report.nodes[id].scope;
        section->title = ShortName(graph, report, scope, section->depth);
      }
      section->nodes.push_back(id);
      section->low += report.nodes[id].precision == Precision::kLow ? 1 : 0;
      section->float32 += report.nodes[id].precision == Precision::kFloat32 ? 1 : 0;
      section->casts += report.nodes[id].casts_of_outputs.size();
      made.section_of[id] = static_cast<int>(made.sections.size()) - 1;
    }
  }
  return made;
}

Drawing DrawSection(const ConversionReport& report, const Graph& graph,
                    const ReportSections& sections, std::size_t index) {
  return SectionDrawer(report, graph, sections, index).Draw();
}

std::string RenderStrip(const ConversionReport& report) {
  const std::size_t nodes = report.nodes.size();
  const std::size_t of_cell = (nodes + kCells - 1) / kCells;
  if (nodes == 0) return {};
  std::vector<Precision> cells;
  for (std::size_t begin = 0; begin < nodes; begin += of_cell) {
    std::map<Precision, std::size_t> counts;
    for (std::size_t i = begin; i < std::min(nodes, begin + of_cell); ++i) {
      ++counts[report.nodes[i].precision];
    }
    cells.push_back(
        std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
          return a.second < b.second;
        })->first);
  }
  const std::size_t rows = (cells.size() + kCellsOfRow - 1) / kCellsOfRow;
  std::string out = "<svg class=\"strip\" role=\"img\" viewBox=\"0 0 640 " +
                    std::to_string(12 * rows) +
                    "\" aria-label=\"All nodes in the order of the file: " +
                    std::to_string(report.Count(Precision::kLow)) + " of " + std::to_string(nodes) +
                    " in " + DtypeName(report.target) + "\">\n";
  for (std::size_t begin = 0; begin < cells.size();) {
    const std::size_t row_end = std::min(cells.size(), begin - begin % kCellsOfRow + kCellsOfRow);
    std::size_t end = begin;
    while (end < row_end && cells[end] == cells[begin]) ++end;
    out += std::string("<rect class=\"") + PrecisionClass(cells[begin]) + "\" x=\"" +
           std::to_string(10 * (begin % kCellsOfRow)) + "\" y=\"" +
           std::to_string(12 * (begin / kCellsOfRow)) + "\" width=\"" +
           std::to_string(10 * (end - begin) - 1) + "\" height=\"10\"/>\n";
    begin = end;
  }
  return out + "</svg>\n";
}

}  // namespace opledger
