// opledger history: shows how many operators the lists covered at each tag, month or commit.
// SPDX-License-Identifier: Apache-2.0
#include "checker/git/history.h"

#include <algorithm>
#include <memory>

#include "checker/commands/commands.h"
#include "checker/commands/shared_options.h"
#include "checker/project/checked_project.h"
#include "checker/project/list_choice.h"
#include "checker/terminal/terminal.h"
#include "registry/files/files.h"

namespace opledger {
namespace {

struct HistoryOptions : CheckOptions {
  std::string range;
  std::string every;
  std::string format = "text";
  std::string output = "-";
};

std::string Render(const std::string& format, const History& history) {
  if (format == "markdown") return HistoryMarkdown(history);
  if (format == "json") return HistoryJson(history);
  if (format == "svg") return HistorySvg(history);
  if (format == "badge") return HistoryBadge(history);
  return HistoryText(history);
}

int RunHistory(const HistoryOptions& asked) {
  Diagnostics diagnostics;
  std::optional<Project> project = Project::Open(asked.global, ".", diagnostics);
  if (!project || !project->Choose(asked.dialect, diagnostics) ||
      !AreLabels(asked.lists, *project, diagnostics)) {
    return Fail(diagnostics);
  }
  HistoryOptions options = asked;
  static_cast<CheckOptions&>(options) = OptionsOfDialects(asked).front();
  if (!CheckOutputs(*project, options.lists, {{"-o", options.output}}, diagnostics)) {
    return Fail(diagnostics);
  }
  const auto commits = ChooseCommits(project->root(), options.range, options.every, diagnostics);
  if (!commits) return Fail(diagnostics);
  const History history = MeasureHistory(*commits, options, *project, diagnostics);
  if (diagnostics.has_errors()) return Fail(diagnostics);
  if (history.points.empty()) {
    diagnostics.Error({}, "no revision could be checked",
                      "name other revisions, or use --every commit");
    return Fail(diagnostics);
  }
  if (!WriteFile(options.output, Render(options.format, history), diagnostics)) {
    return Fail(diagnostics);
  }
  const bool is_picture = options.format == "svg" || options.format == "badge";
  for (const HistoryPoint& point : history.points) {
    if (!is_picture || !point.incomplete) continue;
    diagnostics.Warning({}, point.commit.name + " could not be read completely");
  }
  Show(diagnostics);
  const bool whole = history.points.size() == commits->size() &&
                     std::none_of(history.points.begin(), history.points.end(),
                                  [](const HistoryPoint& point) { return point.incomplete; });
  return whole ? kExitClean : kExitIncomplete;
}

VerbCall PrepareHistory() {
  auto options = std::make_shared<HistoryOptions>();
  return MakeCall(
      options,
      Joined(
          {{"REV..REV", "", "The revisions; default: all up to HEAD", &options->range},
           {"--every",
            "WHAT",
            "Show each tag, month or commit; default: tags if there are any",
            &options->every,
            {"tag", "month", "commit"}},
           {"--format",
            "FORMAT",
            "The output format; default: text",
            &options->format,
            {"text", "markdown", "json", "svg", "badge"}},
           {"-o,--output", "FILE", "The output file; default: standard output", &options->output}},
          Joined(SourceOptions(*options),
                 {ConfigurationOption(*options), NoCacheOption(*options)})),
      RunHistory);
}

}  // namespace

extern const Command kHistoryCommand = {
    "history", "Show how many operators the lists covered over time",
    "Examples:\n"
    "  opledger history v1.0..v2.0\n"
    "      at each tag between the two\n"
    "  opledger history --every month --format svg -o coverage.svg\n"
    "      a picture for a README; --format badge shows the last revision\n"
    "Exit status: 0 done, 2 could not run, 3 a revision could not be read completely.",
    PrepareHistory};

}  // namespace opledger
