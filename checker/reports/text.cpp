// text: diagnostics in clang's format with the source line, notes and the fix, then guidelines and
// a summary line.
//   src/swish.cc:4:18: error: operator 'swish' has no policy in list 'float16'
//   [unclassified-operator]
//       4 | NNVM_REGISTER_OP(swish)
//         |                  ^~~~~
//   fix: opledger classify swish --as fp32 --list float16
// SPDX-License-Identifier: Apache-2.0
#include "registry/text/text.h"

#include <algorithm>
#include <array>
#include <map>

#include "checker/candidates/candidates.h"
#include "checker/reports/finding_groups.h"
#include "checker/reports/reports.h"
#include "checker/terminal/terminal.h"

namespace opledger {
namespace {

class Painter {
 public:
  explicit Painter(bool color) : color_(color) {}

  std::string Bold(const std::string& text) const { return Paint("1", text); }
  std::string Level(Severity severity) const {
    const char* code = "1;36";
    if (severity == Severity::kError) code = "1;31";
    if (severity == Severity::kWarning) code = "1;35";
    return Paint(code, std::string(SeverityName(severity)) + ":");
  }
  // Colors the caret line, which is the last.
  std::string Snippet(const std::string& snippet) const {
    if (!color_ || snippet.empty()) return snippet;
    const std::size_t caret = snippet.rfind("| ") + 2;
    return snippet.substr(0, caret) +
           Paint("1;32", snippet.substr(caret, snippet.size() - 1 - caret)) + '\n';
  }

 private:
  std::string Paint(const char* code, const std::string& text) const {
    return color_ ? "\x1b[" + std::string(code) + "m" + text + "\x1b[0m" : text;
  }

  bool color_;
};

// Returns the notes of all findings. A note that not all findings share names its list.
std::vector<Related> NotesOf(const FindingGroup& group) {
  std::vector<Related> notes;
  for (const Finding* finding : group.findings) {
    for (const Related& related : finding->related) {
      const auto says = [&](const Finding* each) {
        return std::any_of(each->related.begin(), each->related.end(),
                           [&](const Related& other) { return other.message == related.message; });
      };
      const bool shared = std::all_of(group.findings.begin(), group.findings.end(), says);
      if (shared && finding != group.findings.front()) continue;
      notes.push_back(related);
      if (!shared) notes.back().message = finding->list + ": " + related.message;
    }
  }
  return notes;
}

// Returns the first policy that the evidence suggests, or "-".
std::string SuggestedFor(const FindingGroup& group, const std::string& op) {
  for (const Finding* finding : group.findings) {
    if (finding->op != op) continue;
    const auto lines = CandidateLines(finding->candidates, 0);
    const std::string start = "suggested: ";
    if (!lines.empty() && lines.front().starts_with(start)) {
      return lines.front().substr(start.size());
    }
  }
  return "-";
}

// Returns a line for each operator: name, lists, suggestion, place.
std::string OperatorTable(const FindingGroup& group) {
  std::vector<std::array<std::string, 4>> rows = {{"operator", "lists", "suggested", "where"}};
  std::map<std::string, Location> places;
  for (const Finding* finding : group.findings) places.emplace(finding->op, finding->location);
  for (const std::string& op : group.operators) {
    rows.push_back({Printable(op), Printable(ListsOf(group, op)), SuggestedFor(group, op),
                    ShownPlace(places.at(op))});
  }
  std::array<std::size_t, 4> width = {};
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], row[i].size());
  }
  std::string text;
  for (auto& row : rows) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i) row[i].resize(width[i] + 2, ' ');
    text += "  " + row[0] + row[1] + row[2] + row[3] + '\n';
  }
  return text;
}

std::string FixLines(const FindingGroup& group, const Painter& paint) {
  if (group.findings.size() > 1) {
    const std::string command = GroupCommand(group);
    return command.empty() ? command : paint.Bold("fix:") + ' ' + Printable(command) + '\n';
  }
  std::string text;
  std::string previous;  // does not repeat "remove this entry"
  for (const Suggestion& suggestion : group.first().suggestions) {
    const std::string fix = FixText(group.first(), suggestion);
    if (!fix.empty() && fix != previous) text += paint.Bold("fix:") + ' ' + fix + '\n';
    previous = fix;
  }
  return text;
}

std::string RenderGroup(const FindingGroup& group, SourceLines& lines, const Painter& paint) {
  const Finding& finding = group.first();
  std::string text = paint.Bold(ShownPlace(finding.location) + ":") + ' ';
  text += paint.Level(finding.severity) + ' ' + paint.Bold(Printable(GroupMessage(group)));
  text += " [" + finding.rule + "]\n";
  text += paint.Snippet(RenderSnippet(finding.location, lines.Line(finding.location)));
  if (group.is_table()) return text + OperatorTable(group) + FixLines(group, paint);
  Location shown = finding.location;
  for (const Related& related : NotesOf(group)) {
    text += paint.Bold(ShownPlace(related.location) + ":") + ' ' + paint.Level(Severity::kNote) +
            ' ' + Printable(related.message) + '\n';
    // Do not repeat a line that was just shown.
    if (related.location == shown || related.location == finding.location) continue;
    shown = related.location;
    text += paint.Snippet(RenderSnippet(shown, lines.Line(shown)));
  }
  return text + FixLines(group, paint);
}

// Lines of the project must not become commands of a CI system.
std::string GuidelineLine(const std::string& line) { return ShownPath(line) + '\n'; }

// Replaced by "guidelines" in the project file.
const std::vector<std::string>& BuiltInGuidelines() {
  static const std::vector<std::string> lines = {
      "Which policy? Take the first line that is true.",
      "  1. Never part of a model's graph, or has no tensor input          -> either",
      "  2. Needs float32 inputs, or is inaccurate in 16 bits              -> fp32",
      "     (only for some values of an attribute                          -> conditional)",
      "  3. Several tensor inputs that must share one type                 -> widest",
      "  4. Correct in both, with one input or inputs that may differ      -> either",
      "  5. Correct and much faster in 16 bits (matmul, convolution)       -> target",
      "Unsure? fp32 is always correct, only slower.",
      "Then: opledger classify OPERATOR --as POLICY --note \"why\"",
  };
  return lines;
}

std::string RenderText(const ReportInput& input) {
  const Painter paint(input.color);
  std::string text;
  const Finding* worst = nullptr;
  for (const FindingGroup& group : input.Groups()) {
    text += RenderGroup(group, input.lines, paint);
    if (worst == nullptr || group.first().severity > worst->severity) worst = &group.first();
  }
  if (input.quiet) return text;
  const auto is_unclassified = [](const Finding& finding) {
    return finding.rule == "unclassified-operator";
  };
  if (std::any_of(input.findings.begin(), input.findings.end(), is_unclassified)) {
    text += '\n';
    const std::vector<std::string>& guidelines =
        input.guidelines.empty() ? BuiltInGuidelines() : input.guidelines;
    for (const std::string& line : guidelines) text += GuidelineLine(line);
  }
  if (worst != nullptr) text += "\nmore: opledger explain " + worst->rule + '\n';
  int resolved = 0;
  for (const CheckedDialect& each : input.dialects) resolved += each.summary.resolved;
  if (resolved > 0) {
    const bool one = resolved == 1;
    text += Counted(static_cast<std::uint64_t>(resolved), "finding") + " of the baseline " +
            (one ? "is" : "are") + " no longer found: `opledger baseline prune` removes " +
            (one ? "it" : "them") + '\n';
  }
  for (const std::string& line : input.SummaryLines()) text += ShownPath(line) + '\n';
  return text;
}

}  // namespace

extern const ReportFormat kTextReport = {"text", "for people: source lines, notes, fixes",
                                         RenderText};

}  // namespace opledger
