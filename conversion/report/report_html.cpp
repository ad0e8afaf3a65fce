// Writes the page: figures, next steps, strip, graph in sections, nodes by rule, casts, parameters.
// Parts that are too long for a page are counted instead; the JSON report has everything.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/report/report_html.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include "conversion/report/next_steps.h"
#include "conversion/report/report_drawing.h"
#include "registry/files/sha256.h"
#include "registry/text/html.h"
#include "registry/text/text.h"

namespace opledger {

// report.css: the style of drawings, added to the style of every page. Line styles and text repeat
// what colors say.
extern const std::string_view kReportStyle;
extern const std::string_view kReportScript;

namespace {

constexpr std::size_t kOpenNodes = 120;      // larger models are shown folded
constexpr std::size_t kDrawnSections = 150;  // those with the most casts are drawn
constexpr std::size_t kRowsOfRule = 300;
constexpr std::size_t kRows = 2000;

std::string Code(const std::string& text) { return "<code>" + HtmlText(text) + "</code>"; }

std::string Bytes(std::uint64_t bytes) {
  if (bytes < 1000) return std::to_string(bytes) + " B";
  const char* const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
  double value = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  while (value >= 999.95 && unit + 1 < std::size(units)) {
    value /= 1000;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.*f %s", value < 99.95 ? 1 : 0, value, units[unit]);
  return text;
}

std::string Relative(double error) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g", error);
  return text;
}

class Page {
 public:
  Page(const ConversionReport& report, const Graph& graph) : report_(report), graph_(graph) {}

  std::string Render() {
    GroupNodes();
    Head();
    Cards();
    NextSteps();
    Overview();
    Graphs();
    Rules();
    Casts();
    Parameters();
    out_ += "</main><script>" + std::string(kReportScript) + "</script></body></html>\n";
    return std::move(out_);
  }

 private:
  std::string Target() const { return DtypeName(report_.target); }

  void Head() {
    const std::string name = FileName(report_.model);
    const std::string title = HtmlText(name) + " in " + Target();
    out_ +=
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
        "'unsafe-inline'; script-src 'sha256-" +
        Sha256Base64(kReportScript) + "'; base-uri 'none'; form-action 'none'\">\n<title>" + title +
        "</title>\n<style>\n" + std::string(kPageStyle) + std::string(kReportStyle) +
        "</style></head>\n<body>" +
        "<a class=\"sr\" href=\"#overview\">Skip to the overview</a><main>\n<h1>" + title +
        "</h1>\n<p>Which nodes run in 16 bits, by which rule, and where casts are. List: " +
        Code(report_.list) +
        ".</p>\n<nav aria-label=\"Sections\"><a href=\"#next\">What to try next</a>"
        "<a href=\"#graph\">Graph</a>" +
        "<a href=\"#rules\">Rules</a><a href=\"#casts\">Casts</a>" +
        "<a href=\"#parameters\">Parameters</a></nav>\n";
  }

  void Card(const std::string& number, const std::string& what) {
    out_ += "<li><b>" + number + "</b><span>" + what + "</span></li>\n";
  }

  void Cards() {
    const auto down =
        static_cast<std::size_t>(std::count_if(report_.casts.begin(), report_.casts.end(),
                                               [](const CastReport& cast) { return cast.down; }));
    out_ += "<ul class=\"cards\">\n";
    Card(std::to_string(report_.Count(Precision::kLow)),
         "of " + std::to_string(report_.nodes.size()) + " nodes in " + Target());
    Card(std::to_string(report_.Count(Precision::kFloat32)), "nodes in float32");
    Card(std::to_string(report_.casts.size()), "casts: " + std::to_string(down) + " down, " +
                                                   std::to_string(report_.casts.size() - down) +
                                                   " up");
    CastBytes();
    Card(Bytes(report_.parameter_bytes_after),
         "of parameters, from " + Bytes(report_.parameter_bytes_before));
    const Preparation& done = report_.preparation;
    if (done.inlined_calls) Card(std::to_string(*done.inlined_calls), "calls of functions inlined");
    if (done.merged_nodes) {
      Card(std::to_string(*done.merged_nodes),
           "nodes merged, " + std::to_string(done.removed_casts) + " casts removed");
    }
    if (done.fused_chains)
      Card(std::to_string(*done.fused_chains), "chains replaced by one node each");
    if (done.opset) {
      Card("opset " + std::to_string(*done.opset), "from " + std::to_string(done.opset_before));
    }
    out_ += "</ul>\n";
  }

  // Writes the bytes that casts read and write, as far as they are known. The part that grows with
  // open dimensions comes first.
  void CastBytes() {
    std::map<std::string, std::uint64_t> sums;
    std::size_t unknown = 0;
    for (const CastReport& cast : report_.casts) {
      if (cast.bytes) sums[Join(cast.bytes_per, " \u00b7 ", HtmlText)] += *cast.bytes;
      unknown += cast.bytes ? 0 : 1;
    }
    if (report_.casts.empty() || sums.empty()) return;
    const auto last = std::prev(sums.end());
    std::string words = last->first.empty() ? "moved by casts in each run"
                                            : "per " + last->first + ", moved by casts in each run";
    for (auto each = sums.begin(); each != last; ++each) {
      words += ", and " + Bytes(each->second) + (each->first.empty() ? "" : " per " + each->first);
    }
    if (unknown > 0) words += ", without " + Counted(unknown, "cast") + " of unknown size";
    Card(Bytes(last->second), words);
  }

  void NextSteps() {
    out_ += "<h2 id=\"next\">What to try next</h2>\n<ul>\n";
    for (const NextStep& step : FindNextSteps(report_)) {
      out_ += "<li>" + HtmlText(step.text) +
              (step.command.empty() ? "" : "<br>" + Code(step.command)) + "</li>\n";
    }
    out_ +=
        "<li>To find out how to change a node's type, see the last column of its row below. To use "
        "your own list: <code>" +
        HtmlText("--list FILE") + "</code>.</li>\n</ul>\n";
  }

  void Overview() {
    out_ +=
        "<h2 id=\"overview\">Overview</h2>\n<p>Every node in the order of the file, row by row."
        "</p>\n" +
        RenderStrip(report_) + "<ul class=\"legend\">\n<li><i class=\"low\"></i>" + Target() +
        "</li>\n<li><i class=\"float32\"></i>float32</li>\n" +
        "<li><i class=\"wanted\"></i>created in the required types</li>\n" +
        "<li><i class=\"other\"></i>without float32 values</li>\n" +
        "<li><i class=\"cast\"></i>a cast that was inserted</li>\n</ul>\n";
  }

  // Selects the sections to draw: all, or those with the most casts.
  std::set<std::size_t> Drawn(const std::vector<ReportSection>& sections) const {
    std::vector<std::size_t> order(sections.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return sections[a].casts > sections[b].casts;
    });
    if (order.size() > kDrawnSections) order.resize(kDrawnSections);
    return {order.begin(), order.end()};
  }

  void Graphs() {
    const ReportSections made = MakeSections(report_, graph_);
    const std::vector<ReportSection>& sections = made.sections;
    const std::set<std::size_t> drawn = Drawn(sections);
    out_ +=
        "<h2 id=\"graph\">Graph</h2>\n<p>Values flow downwards. Constants are not drawn. A node "
        "leads to its rule, a cast to its reason.</p>\n";
    if (drawn.size() < sections.size()) {
      out_ += "<p>" + std::to_string(drawn.size()) + " of " + std::to_string(sections.size()) +
              " sections are drawn, those with the most casts.</p>\n";
    }
    for (const std::size_t each : drawn) targets_.insert("#s" + std::to_string(each + 1));
    std::size_t first = 1;
    std::string scope;
    for (std::size_t i = 0; i < sections.size(); ++i) {
      const ReportSection& section = sections[i];
      if (section.scope != scope) first = 1;
      scope = section.scope;
      const std::size_t last = first + section.nodes.size() - 1;
      if (drawn.count(i) != 0) {
        const bool open = i == 0 || report_.nodes.size() <= kOpenNodes;
        out_ +=
            "<details id=\"s" + std::to_string(i + 1) + "\" class=\"d" +
            std::to_string(std::min<std::size_t>(section.depth, 4)) + "\"" + (open ? " open" : "") +
            "><summary" + (scope == section.title ? "" : " title=\"" + HtmlText(scope) + "\"") +
            ">" + (scope.empty() ? "Nodes " : HtmlText(section.title) + ", nodes ") +
            std::to_string(first) + "\u2013" + std::to_string(last) + " <small>" +
            std::to_string(section.low) + " " + Target() + ", " + std::to_string(section.float32) +
            " float32, " + std::to_string(section.casts) +
            (section.casts == 1 ? " cast" : " casts") +
            "</small></summary>\n<div class=\"scroll pictures\" tabindex=\"0\" role=\"region\" " +
            "aria-label=\"Drawing\">" + Picture(made, i) + "</div></details>\n";
      }
      first = last + 1;
    }
  }

  // Draws a section, with links only to existing targets.
  std::string Picture(const ReportSections& sections, std::size_t index) const {
    Drawing drawing = DrawSection(report_, graph_, sections, index);
    for (DrawnVertex& vertex : drawing.vertices) {
      if (targets_.count(vertex.link) == 0) vertex.link.clear();
    }
    return RenderDrawing(drawing);
  }

  // Describes what the nodes of a group have in common.
  static std::string RuleWords(const NodeReport& node) {
    std::string words = HtmlText(RuleName(node.rule));
    if (!node.place.path.empty()) {
      words = Code(node.op) + " <small>" + HtmlText(node.place.path) + ":" +
              std::to_string(node.place.line) + "</small>";
    }
    words += " \u2014 " + HtmlText(node.reason);
    if (!node.entry_reason.empty()) words += " (" + HtmlText(node.entry_reason) + ")";
    return words;
  }

  // Groups nodes by rule, largest group first.
  void GroupNodes() {
    std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < report_.nodes.size(); ++i) {
      const NodeReport& node = report_.nodes[i];
      groups[{RuleName(node.rule), RuleWords(node)}].push_back(i);
    }
    for (auto& group : groups) groups_.push_back(std::move(group.second));
    std::stable_sort(groups_.begin(), groups_.end(),
                     [](const auto& a, const auto& b) { return a.size() > b.size(); });
    for (const std::vector<std::size_t>& group : groups_) {
      for (std::size_t i = 0; i < group.size() && i < kRowsOfRule; ++i) {
        targets_.insert("#n" + std::to_string(group[i]));
      }
    }
    for (std::size_t i = 0; i < report_.casts.size() && i < kRows; ++i) {
      targets_.insert("#c" + std::to_string(i));
    }
  }

  void Rules() {
    out_ +=
        "<h2 id=\"rules\">Nodes by the rule that decided</h2>\n<p id=\"search\" hidden><label>Find "
        "a "
        "node, operator, rule or type: <input id=\"find\" type=\"search\" "
        "autocomplete=\"off\"></label> "
        "<span id=\"found\" role=\"status\"></span></p>\n<div id=\"nodes\">\n";
    for (const std::vector<std::size_t>& group : groups_) RuleGroup(group);
    out_ += "</div>\n";
  }

  void RuleGroup(const std::vector<std::size_t>& group) {
    out_ += std::string("<details") + (report_.nodes.size() <= kOpenNodes ? " open" : "") +
            "><summary>" + RuleWords(report_.nodes[group.front()]) + ": " +
            std::to_string(group.size()) + (group.size() == 1 ? " node" : " nodes") +
            "</summary>\n<div class=\"scroll\" tabindex=\"0\"><table>\n<tr><th "
            "scope=\"col\">Node</th>" +
            "<th scope=\"col\">Runs in</th><th scope=\"col\">Why</th>" +
            "<th scope=\"col\">What would change it</th></tr>\n";
    for (std::size_t i = 0; i < group.size() && i < kRowsOfRule; ++i) {
      const NodeReport& node = report_.nodes[group[i]];
      const std::string changes = Join(node.alternatives, "<br>", HtmlText);
      out_ += "<tr id=\"n" + std::to_string(group[i]) + "\"><td>" + Code(node.name) +
              (node.scope.empty() ? "" : "<br><small>" + HtmlText(node.scope) + "</small>") +
              "</td><td><span class=\"tag " + PrecisionClass(node.precision) + "\">" +
              report_.PrecisionText(node.precision) + "</span></td><td>" +
              HtmlText(node.placement.empty() ? node.reason : node.placement) + "</td><td>" +
              changes + "</td></tr>\n";
    }
    out_ += "</table></div>";
    More(group.size(), kRowsOfRule);
    out_ += "</details>\n";
  }

  void More(std::size_t count, std::size_t shown) {
    if (count <= shown) return;
    out_ += "<p>\u2026 and " + std::to_string(count - shown) +
            " more: <code>--report FILE.json</code> has all.</p>";
  }

  void Casts() {
    out_ += "<h2 id=\"casts\">Casts</h2>\n";
    if (report_.casts.empty()) {
      out_ += "<p>No cast was needed.</p>\n";
      return;
    }
    out_ +=
        "<div class=\"scroll\" tabindex=\"0\"><table>\n<tr><th scope=\"col\">Tensor</th>"
        "<th scope=\"col\">To</th><th scope=\"col\">Why</th>"
        "<th scope=\"col\" class=\"n\">Bytes</th></tr>\n";
    for (std::size_t i = 0; i < report_.casts.size() && i < kRows; ++i) {
      const CastReport& cast = report_.casts[i];
      out_ += "<tr id=\"c" + std::to_string(i) + "\"><td>" + Code(cast.tensor) +
              "</td><td><span class=\"tag " + (cast.down ? "low" : "float32") + "\">" +
              (cast.down ? Target() : "float32") + "</span></td><td>" + HtmlText(cast.reason) +
              "</td><td class=\"n\">" + SizeText(cast) + "</td></tr>\n";
    }
    out_ += "</table></div>\n";
    More(report_.casts.size(), kRows);
  }

  static std::string SizeText(const CastReport& cast) {
    if (!cast.bytes) return "unknown";
    const std::string per = Join(cast.bytes_per, " \u00b7 ", HtmlText);
    return Bytes(*cast.bytes) + (per.empty() ? "" : " per " + per);
  }

  void Parameters() {
    out_ += "<h2 id=\"parameters\">Parameters in " + Target() + "</h2>\n";
    if (report_.parameters.empty()) {
      out_ += "<p>None.</p>\n";
      return;
    }
    out_ +=
        "<div class=\"scroll\" tabindex=\"0\"><table>\n<tr><th scope=\"col\">Tensor</th>"
        "<th scope=\"col\" class=\"n\">Bytes</th><th scope=\"col\" class=\"n\">Overflow</th>"
        "<th scope=\"col\" class=\"n\">Become 0</th>"
        "<th scope=\"col\" class=\"n\">Largest error</th></tr>\n";
    for (std::size_t i = 0; i < report_.parameters.size() && i < kRows; ++i) {
      const ParameterReport& parameter = report_.parameters[i];
      std::string numbers = "<td class=\"n\">?</td><td class=\"n\">?</td><td class=\"n\">?</td>";
      if (parameter.statistics) {
        const RoundingStatistics& statistics = *parameter.statistics;
        numbers = "<td class=\"n\">" + std::to_string(statistics.overflowing) +
                  "</td><td class=\"n\">" + std::to_string(statistics.flushed) +
                  "</td><td class=\"n\">" + Relative(statistics.largest_error) + "</td>";
      }
      out_ += "<tr><td>" + Code(parameter.tensor) + (parameter.both ? " (also in float32)" : "") +
              "</td><td class=\"n\">" + Bytes(parameter.bytes_before) + " \u2192 " +
              Bytes(parameter.bytes_after) + "</td>" + numbers + "</tr>\n";
    }
    out_ += "</table></div>\n";
    More(report_.parameters.size(), kRows);
  }

  const ConversionReport& report_;
  const Graph& graph_;
  std::vector<std::vector<std::size_t>> groups_;  // nodes of each rule
  std::set<std::string> targets_;                 // targets for links
  std::string out_;
};

}  // namespace

std::string RenderReportHtml(const ConversionReport& report, const Graph& graph) {
  return Page(report, graph).Render();
}

}  // namespace opledger
