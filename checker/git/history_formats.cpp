// Writes text, Markdown, JSON, and pictures with colors for light and dark mode.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "checker/git/history.h"
#include "checker/terminal/markdown_text.h"
#include "checker/terminal/terminal.h"
#include "registry/json/json_write.h"
#include "registry/text/html.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

const ListCoverage* Find(const HistoryPoint& point, const std::string& list) {
  const auto found = std::find_if(point.lists.begin(), point.lists.end(),
                                  [&](const ListCoverage& each) { return each.list == list; });
  return found == point.lists.end() ? nullptr : &*found;
}

double Share(const ListCoverage& list) {
  const Coverage& coverage = list.coverage;
  const int known = coverage.decided + coverage.by_default;
  const int all = known + coverage.open;
  return all == 0 ? 1 : static_cast<double>(known) / all;
}

// Returns "688 of 689 decided (99.8 %)", with a star if the list is today's.
std::string Cell(const HistoryPoint& point, const std::string& list) {
  const ListCoverage* const found = Find(point, list);
  if (found == nullptr) return "-";
  return CoverageText(found->coverage) + (found->of_today ? " *" : "");
}

bool HasListOfToday(const History& history) {
  return std::any_of(history.points.begin(), history.points.end(), [](const HistoryPoint& point) {
    return std::any_of(point.lists.begin(), point.lists.end(),
                       [](const ListCoverage& list) { return list.of_today; });
  });
}

constexpr const char* kToday = "* compared with today's list: the revision had none\n";

}  // namespace

std::string HistoryText(const History& history) {
  std::string text;
  for (const HistoryPoint& point : history.points) {
    text += DateOf(point.commit.time) + "  " + Printable(point.commit.name) + "  " +
            Counted(static_cast<std::uint64_t>(point.operators), "operator");
    for (const std::string& list : history.lists) {
      text += "; " + Printable(list) + ": " + Cell(point, list);
    }
    text += point.incomplete ? "; incomplete\n" : "\n";
  }
  return text + (HasListOfToday(history) ? kToday : "");
}

std::string HistoryMarkdown(const History& history) {
  std::string text = "| revision | date | operators |";
  std::string line = "\n|---|---|---:|";
  for (const std::string& list : history.lists) {
    text += " " + MarkdownName(list) + " |";
    line += "---:|";
  }
  text += line + '\n';
  for (const HistoryPoint& point : history.points) {
    text += "| " + MarkdownName(point.commit.name) + " | " + DateOf(point.commit.time) + " | " +
            std::to_string(point.operators) + (point.incomplete ? " (incomplete)" : "") + " |";
    for (const std::string& list : history.lists) text += " " + Cell(point, list) + " |";
    text += '\n';
  }
  return text + (HasListOfToday(history) ? std::string("\n\\") + kToday : "");
}

std::string HistoryJson(const History& history) {
  std::string text;
  JsonWriter json(text, 1);
  json.BeginObject();
  json.Field("schema", "opledger-history/1");
  json.Field("dialect", Printable(history.dialect));
  json.Array("revisions", history.points, [&](const HistoryPoint& point) {
    json.BeginObject();
    json.Field("name", Printable(point.commit.name));
    json.Field("commit", point.commit.id);
    json.Field("date", DateOf(point.commit.time));
    json.Field("operators", point.operators);
    json.Field("incomplete", point.incomplete);
    json.Array("lists", point.lists, [&](const ListCoverage& list) {
      json.BeginCompactObject();
      json.Field("list", Printable(list.list));
      json.Field("classified", list.coverage.decided);
      json.Field("by_default", list.coverage.by_default);
      json.Field("unclassified", list.coverage.open);
      json.Field("of_today", list.of_today);
      json.EndObject();
    });
    json.EndObject();
  });
  json.EndObject();
  return text + '\n';
}

namespace {

constexpr int kChartWidth = 720;
constexpr int kChartHeight = 260;
constexpr int kLeft = 56;
constexpr int kRight = 704;
constexpr int kTop = 48;
constexpr int kBottom = 214;
constexpr std::size_t kColors = 6;

constexpr const char* kChartStyle = R"(
.back{fill:#fff;stroke:#d0d7de}.grid{stroke:#d8dee4}
text{font:13px system-ui,-apple-system,"Segoe UI",sans-serif;fill:#57606a}
.title{font-weight:600;font-size:15px;fill:#1b1f24}
polyline{fill:none;stroke-width:2;stroke-linejoin:round}circle{stroke:none}
.c0{stroke:#0b5cad;fill:#0b5cad}.c1{stroke:#d9822b;fill:#d9822b}.c2{stroke:#1c8a76;fill:#1c8a76}
.c3{stroke:#8a5cc7;fill:#8a5cc7}.c4{stroke:#d1242f;fill:#d1242f}.c5{stroke:#6e7781;fill:#6e7781}
polyline.c0,polyline.c1,polyline.c2,polyline.c3,polyline.c4,polyline.c5{fill:none}
@media(prefers-color-scheme:dark){
.back{fill:#0d1117;stroke:#30363d}.grid{stroke:#30363d}text{fill:#9aa4af}.title{fill:#e6edf3}
.c0{stroke:#58a6ff;fill:#58a6ff}.c1{stroke:#e0904a;fill:#e0904a}.c2{stroke:#3fb8a0;fill:#3fb8a0}
.c3{stroke:#b08aea;fill:#b08aea}.c4{stroke:#ff6a69;fill:#ff6a69}.c5{stroke:#8b949e;fill:#8b949e}
}
)";

std::string Number(double value) { return std::to_string(std::lround(value)); }

std::string Words(int x, double y, const char* attributes, const std::string& text) {
  return "<text x=\"" + std::to_string(x) + "\" y=\"" + Number(y) + "\"" + attributes + ">" +
         HtmlText(text) + "</text>\n";
}

// The y axis ranges from the lowest share, rounded down to tenths, to 100 %.
class Chart {
 public:
  explicit Chart(const History& history) : history_(history) {
    for (const HistoryPoint& point : history.points) {
      for (const ListCoverage& list : point.lists) lowest_ = std::min(lowest_, Share(list));
    }
    lowest_ = std::min(0.9, std::floor(lowest_ * 10) / 10);
  }

  std::string Grid() const {
    std::string svg;
    for (const double share : {lowest_, (lowest_ + 1) / 2, 1.0}) {
      const std::string y = Number(Y(share));
      svg += "<line class=\"grid\" x1=\"" + std::to_string(kLeft) + "\" x2=\"" +
             std::to_string(kRight) + "\" y1=\"" + y + "\" y2=\"" + y + "\"/>\n" +
             Words(kLeft - 6, Y(share) + 4, " text-anchor=\"end\"", Number(share * 100) + " %");
    }
    return svg;
  }

  std::string Line(std::size_t list) const {
    const std::string color = "\"c" + std::to_string(list % kColors) + "\"";
    std::string points;
    std::string circles;
    for (std::size_t i = 0; i < history_.points.size(); ++i) {
      const HistoryPoint& point = history_.points[i];
      const ListCoverage* const found = Find(point, history_.lists[list]);
      if (found == nullptr) continue;
      const std::string x = Number(X(i));
      const std::string y = Number(Y(Share(*found)));
      points += (points.empty() ? "" : " ") + x + ',' + y;
      circles += "<circle class=" + color + " cx=\"" + x + "\" cy=\"" + y + "\" r=\"3\"><title>" +
                 HtmlText(Printable(point.commit.name) + ", " + DateOf(point.commit.time) + ": " +
                          Cell(point, history_.lists[list])) +
                 "</title></circle>\n";
    }
    return "<polyline class=" + color + " points=\"" + points + "\"/>\n" + circles;
  }

 private:
  // Proportional to time.
  double X(std::size_t index) const {
    const auto first = static_cast<double>(history_.points.front().commit.time);
    const auto last = static_cast<double>(history_.points.back().commit.time);
    const auto here = static_cast<double>(history_.points[index].commit.time);
    const double share = last > first ? (here - first) / (last - first) : 0.5;
    return kLeft + std::clamp(share, 0.0, 1.0) * (kRight - kLeft);
  }
  double Y(double share) const {
    return kBottom - (share - lowest_) / (1 - lowest_) * (kBottom - kTop);
  }

  const History& history_;
  double lowest_ = 1;
};

}  // namespace

std::string HistorySvg(const History& history) {
  const std::string title = Printable(history.dialect) + ": operators with a policy, by list";
  const int height = kChartHeight + 20 * static_cast<int>((history.lists.size() + 2) / 3 - 1);
  const std::string size = std::to_string(height);
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" +
                    std::to_string(kChartWidth) + "\" height=\"" + size + "\" viewBox=\"0 0 " +
                    std::to_string(kChartWidth) + ' ' + size +
                    "\" role=\"img\">\n<!-- Written by opledger history -->\n<title>" +
                    HtmlText(title) + "</title>\n<style>" + kChartStyle +
                    "</style>\n<rect class=\"back\" x=\".5\" y=\".5\" width=\"" +
                    std::to_string(kChartWidth - 1) + "\" height=\"" + std::to_string(height - 1) +
                    "\" rx=\"8\"/>\n" + Words(16, 27, " class=\"title\"", title);
  if (history.points.empty()) return svg + "</svg>\n";
  const Chart chart(history);
  svg += chart.Grid();
  for (std::size_t i = 0; i < history.lists.size(); ++i) {
    svg += chart.Line(i);
    const int x = kLeft + static_cast<int>(i % 3) * 216;
    const int y = 250 + 20 * static_cast<int>(i / 3);
    svg +=
        "<circle class=\"c" + std::to_string(i % kColors) + "\" cx=\"" + std::to_string(x) +
        "\" cy=\"" + std::to_string(y - 4) + "\" r=\"5\"/>\n" +
        Words(x + 10, y, "",
              Printable(history.lists[i]) + "  " + Cell(history.points.back(), history.lists[i]));
  }
  svg += Words(kLeft, kBottom + 18, "", DateOf(history.points.front().commit.time));
  svg += Words(kRight, kBottom + 18, " text-anchor=\"end\"",
               DateOf(history.points.back().commit.time));
  return svg + "</svg>\n";
}

std::string HistoryBadge(const History& history) {
  std::string value;
  bool all = true;
  if (!history.points.empty()) {
    for (const ListCoverage& list : history.points.back().lists) {
      value +=
          (value.empty() ? "" : ", ") + Printable(list.list) + ' ' + CoverageBadge(list.coverage);
      all = all && list.coverage.open == 0;
    }
  }
  if (value.empty()) value = "no list";
  const std::string name = "precision lists";
  const int left = 12 + 7 * static_cast<int>(name.size());
  const int right = 12 + 7 * static_cast<int>(value.size());
  const std::string wide = std::to_string(left + right);
  const auto words = [](int x, int length, const std::string& text) {
    return "<text x=\"" + std::to_string(x) + "\" y=\"14\" textLength=\"" +
           std::to_string(length - 12) + "\" lengthAdjust=\"spacingAndGlyphs\">" + HtmlText(text) +
           "</text>\n";
  };
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + wide +
         "\" height=\"20\" role=\"img\">\n<!-- Written by opledger history -->\n<title>" +
         HtmlText(name + ": " + value) +
         "</title>\n<style>text{font:12px system-ui,sans-serif;fill:#fff}</style>\n"
         "<rect width=\"" +
         wide + "\" height=\"20\" rx=\"4\" fill=\"" + (all ? "#1a7f37" : "#9a6700") +
         "\"/>\n<path d=\"M4 0h" + std::to_string(left - 4) + "v20h-" + std::to_string(left - 4) +
         "a4 4 0 0 1-4-4v-12a4 4 0 0 1 4-4\" fill=\"#444c56\"/>\n" + words(6, left, name) +
         words(left + 6, right, value) + "</svg>\n";
}

}  // namespace opledger
