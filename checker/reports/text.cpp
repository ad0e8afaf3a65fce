// text: clang's shape with the source line, notes, the fix, guidelines once, one line of summary.
//   src/swish.cc:4:18: error: operator 'swish' has no policy in list 'float16'
//   [unclassified-operator]
//       4 | NNVM_REGISTER_OP(swish)
//         |                  ^~~~~
//   fix: opledger classify swish --as fp32 --list float16
// SPDX-License-Identifier: Apache-2.0
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
  // The caret line, which is the last.
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

std::string FixText(const Finding& finding, const Suggestion& suggestion) {
  if (!suggestion.command.empty()) return Printable(suggestion.command);
  if (suggestion.edits.empty()) return {};
  const Edit& edit = suggestion.edits.front();
  std::string text = "write " + Printable(edit.text);
  if (edit.text.empty()) text = finding.list.empty() ? "remove this comment" : "remove this entry";
  return suggestion.safe ? text + ", as `opledger check --fix` does" : text;
}

std::string RenderFinding(const Finding& finding, SourceLines& lines, const Painter& paint) {
  std::string text = paint.Bold(ShownPlace(finding.location) + ":") + ' ';
  text += paint.Level(finding.severity) + ' ' + paint.Bold(Printable(finding.message));
  text += " [" + finding.rule + "]\n";
  text += paint.Snippet(RenderSnippet(finding.location, lines.Line(finding.location)));
  Location shown = finding.location;
  for (const Related& related : finding.related) {
    text += paint.Bold(ShownPlace(related.location) + ":") + ' ' + paint.Level(Severity::kNote) +
            ' ' + Printable(related.message) + '\n';
    // Of what was shown just now, or at the top, the line is not shown again.
    if (related.location == shown || related.location == finding.location) continue;
    shown = related.location;
    text += paint.Snippet(RenderSnippet(shown, lines.Line(shown)));
  }
  std::string previous;  // "remove this entry" once for several
  for (const Suggestion& suggestion : finding.suggestions) {
    const std::string fix = FixText(finding, suggestion);
    if (!fix.empty() && fix != previous) text += paint.Bold("fix:") + ' ' + fix + '\n';
    previous = fix;
  }
  return text;
}

// A project's own line must not become a command of a CI system either.
std::string GuidelineLine(const std::string& line) { return ShownPath(line) + '\n'; }

// How to choose a policy; "guidelines" in the project file replaces it.
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
  for (const Finding& finding : input.findings) {
    text += RenderFinding(finding, input.lines, paint);
    if (worst == nullptr || finding.severity > worst->severity) worst = &finding;
  }
  if (input.quiet) return text;
  if (input.summary.by_rule.contains("unclassified-operator")) {
    text += '\n';
    const std::vector<std::string>& guidelines =
        input.guidelines.empty() ? BuiltInGuidelines() : input.guidelines;
    for (const std::string& line : guidelines) text += GuidelineLine(line);
  }
  if (worst != nullptr) text += "\nmore: opledger explain " + worst->rule + '\n';
  if (input.summary.resolved > 0) {
    text += std::to_string(input.summary.resolved) +
            (input.summary.resolved == 1 ? " finding" : " findings") +
            " of the baseline is no longer found: `opledger baseline prune` removes it\n";
  }
  return text + ShownPath(SummaryLine(input.summary)) + '\n';
}

}  // namespace

extern const ReportFormat kTextReport = {"text", "for people: source lines, notes, fixes",
                                         RenderText};

}  // namespace opledger
