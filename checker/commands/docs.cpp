// opledger docs: documents the operators of manifest and lists, or checks whether documentation is
// up to date.
// SPDX-License-Identifier: Apache-2.0
#include "checker/docs/docs.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>

#include "checker/commands/commands.h"
#include "checker/commands/shared_options.h"
#include "checker/docs/atlas_page.h"
#include "checker/docs/docs_outputs.h"
#include "checker/edit/page_names.h"
#include "checker/filter/filter.h"
#include "checker/git/history.h"
#include "checker/project/checked_lists.h"
#include "checker/project/checked_project.h"
#include "checker/project/list_choice.h"
#include "checker/project/scan_source.h"
#include "checker/rules/evidence/documented_names.h"
#include "checker/rules/rules.h"
#include "checker/terminal/shell_quote.h"
#include "checker/terminal/terminal.h"
#include "registry/files/files.h"
#include "registry/list_source/names/page_names.h"

namespace opledger {
namespace {

constexpr std::size_t kLargestPage = std::size_t{16} << 20U;

struct DocsOptions : CheckOptions {
  std::string format;  // empty: by the extension of the output, otherwise md
  std::string output;  // file or folder; empty: that of the project file, otherwise standard output
  std::string source_url;
  std::string revision;
  std::string fix;  // path of a page of the framework
  bool check_only = false;
  bool atlas = false;
};

// Returns the command that updates the documentation, or "" if an argument cannot be quoted.
std::string CommandToMend(const DocsOptions& options) {
  std::string command = "opledger docs";
  const auto add = [&command](const char* flag, const std::string& value) {
    if (value.empty() || command.empty()) return;
    const std::optional<std::string> quoted = ShellQuote(value);
    command = quoted ? command + ' ' + flag + ' ' + *quoted : "";
  };
  add("--config", options.global.project_file);
  add("--dialect", options.dialect);
  add("--operators", options.operators);
  for (const std::string& list : options.lists) add("--list", list);
  add("--configuration", options.configuration);
  add("--format", options.format);
  add("--source-url", options.source_url);
  add("--revision", options.revision);
  add("-o", options.output);
  return command;
}

int CheckFiles(const std::vector<DocsFile>& files, const DocsOptions& options,
               const Project& project, Diagnostics& diagnostics) {
  std::string report;
  for (const DocsFile& file : files) {
    const std::optional<std::string> stale = StaleDocs(file, project, diagnostics);
    if (!stale) return Fail(diagnostics);
    report += *stale;
  }
  if (report.empty()) return kExitClean;
  const std::string command = CommandToMend(options);
  if (!command.empty()) report += "fix: " + command + '\n';
  Print(report);
  return kExitFindings;
}

// `of_project`: the project file names the files, so they must lie below the root.
bool WriteFiles(const std::vector<DocsFile>& files, const Project& project, bool of_project,
                Diagnostics& diagnostics) {
  for (const DocsFile& file : files) {
    if (!of_project && file.name != "-") {
      const std::filesystem::path path = project.source().Absolute(file.name);
      std::error_code error;
      std::filesystem::create_directories(path.parent_path(), error);
      if (error) {
        return diagnostics.Error({file.name, 0, 0, 0, 0},
                                 "cannot create its folder: " + error.message());
      }
    }
    if (!project.Write(file.name, of_project, file.text, diagnostics)) return false;
  }
  return true;
}

bool CheckUse(const DocsOptions& options, const std::vector<DocsOutput>& outputs,
              const Project& project, Diagnostics& diagnostics) {
  std::vector<OutputFile> written;
  for (const DocsOutput& output : outputs) written.push_back({"-o", output.path});
  std::vector<std::string> read = options.lists;
  read.push_back(options.operators);
  if (!CheckOutputs(project, std::move(read), written, diagnostics)) return false;
  for (const DocsOutput& output : outputs) {
    if (!options.check_only || output.path != "-") continue;
    return diagnostics.Error({}, "--check needs the documentation to check",
                             "name it with -o, or under \"docs\" in opledger.json");
  }
  return true;
}

// Counts the places that could not be read, except those ignored by the project or by a comment.
int CountIncomplete(const Project& project, CheckInput check) {
  if (check.manifest.incomplete.empty()) return 0;
  Diagnostics messages;  // from reading the project file
  Severities severities;
  if (project.file()) severities.AddProject(*project.file(), messages);
  SourceLines lines(project.source(), check.lists);
  check.suppressions = ReadSuppressions(check.manifest, check.lists, lines, RuleNames());
  check.today = SuppressionDate();
  const CheckIndex index(check);
  return FilterFindings(RunRules(index, severities.Named()), severities, index, {}).incomplete;
}

// --atlas: documents the shipped lists; needs no project.
int WriteAtlas(const DocsOptions& options, Diagnostics& diagnostics) {
  Atlas atlas;
  if (!MakeAtlas(options.evidence, atlas, diagnostics)) return Fail(diagnostics);
  const std::string& output = options.output.empty() ? "-" : options.output;
  const bool html = options.format.empty() ? output.ends_with(".html") : options.format == "html";
  if (!html && !options.format.empty() && options.format != "md") {
    diagnostics.Error({}, "the atlas has no format '" + options.format + "'", "html or md");
    return Fail(diagnostics);
  }
  const std::string text = html ? AtlasHtml(atlas) : AtlasMarkdown(atlas);
  return WriteFile(output, text, diagnostics) ? kExitClean : Fail(diagnostics);
}

// --fix: adds the names that the page lacks to its sections.
int FixPage(const DocsOptions& options, const Project& project, const CheckIndex& index,
            Diagnostics& diagnostics) {
  const std::string page = project.FromRoot(options.fix);
  std::map<std::string, std::set<std::string>> missing;  // by section
  bool known = false;
  for (const ListIndex& list : index.lists()) {
    for (const NamingFile& each : list.list->documented_in) known = known || each.file == page;
    for (const MissingName& each : NamesMissingOnPages(PublicNames(index, list), list)) {
      if (each.section->file == page) missing[each.section->section].insert(each.name);
    }
  }
  if (!known) {
    diagnostics.Error({page, 0, 0, 0, 0}, "no list is documented on this page",
                      "name the page and its sections under \"documented_in\" in a list");
    return Fail(diagnostics);
  }
  std::optional<FileEdit> edit = project.Edit(page, true, diagnostics);
  if (!edit) return Fail(diagnostics);
  std::optional<std::string> text =
      project.source().Read(page, kLargestPage, Reach::kBelow, diagnostics);
  if (!text) return Fail(diagnostics);
  const std::string before = *text;
  std::string report;
  for (const auto& [section, names] : missing) {
    auto with = WithNames(*text, IsMarkdown(page), section, {names.begin(), names.end()});
    if (!with) {
      diagnostics.Error({page, 0, 0, 0, 0},
                        "section '" + section + "' has no name to copy the format from",
                        "add one of these by hand: " + Join(names, ", "));
      return Fail(diagnostics);
    }
    text = std::move(with);
    report += page + ": '" + section + "': " + Join(names, ", ") + '\n';
  }
  if (*text != before && !edit->Replace(before, *text, diagnostics)) return Fail(diagnostics);
  if (!options.global.quiet) Print(report.empty() ? page + ": no name is missing\n" : report);
  return kExitClean;
}

// Documents one dialect.
int WriteDocs(const DocsOptions& options) {
  Diagnostics diagnostics;
  std::optional<Project> project = Project::Open(options.global, ".", diagnostics);
  if (!project) return Fail(diagnostics);
  const bool scans = options.operators.empty();
  if (scans && !project->Choose(options.dialect, diagnostics)) return Fail(diagnostics);
  const auto outputs = ChooseDocsOutputs(options.output, options.format, *project, diagnostics);
  if (!outputs || !CheckUse(options, *outputs, *project, diagnostics)) return Fail(diagnostics);
  const std::optional<SourceLink> link =
      ChooseSourceLink(options.source_url, *project, diagnostics);
  if (!link) return Fail(diagnostics);

  std::optional<Manifest> manifest = GetManifest(options, {}, *project, diagnostics);
  if (!manifest) return Fail(diagnostics);
  const auto lists = ReadCheckedLists(options, *project, *manifest, diagnostics);
  if (!lists) return Fail(diagnostics);
  const CheckInput check = {
      *manifest, *lists, options.configuration, {}, AnyListFile(options.lists)};
  if (!CheckConfigurations(check, diagnostics)) return Fail(diagnostics);
  const CheckIndex index(check);
  if (!options.fix.empty()) return FixPage(options, *project, index, diagnostics);
  Docs docs = MakeDocs(index, *link);
  if (!options.revision.empty()) {
    const auto commit = FindNamedCommit(project->root(), options.revision, diagnostics);
    if (!commit) return Fail(diagnostics);
    docs.revision = commit->name + ", " + DateOf(commit->time);
  }
  docs.incomplete = CountIncomplete(*project, check);
  if (docs.operators.empty()) {
    diagnostics.Error({}, "no operator was found, so there is nothing to document",
                      docs.incomplete == 0 ? "" : "`opledger check` shows what could not be read");
    return Fail(diagnostics);
  }

  std::vector<DocsFile> files;
  for (const DocsOutput& output : *outputs) {
    auto rendered = RenderDocs(docs, output, diagnostics);
    if (!rendered) return Fail(diagnostics);
    std::move(rendered->begin(), rendered->end(), std::back_inserter(files));
  }
  int status = kExitClean;
  if (options.check_only) {
    status = CheckFiles(files, options, *project, diagnostics);
  } else if (!WriteFiles(files, *project, outputs->front().of_project, diagnostics)) {
    return Fail(diagnostics);
  }
  if (docs.incomplete > 0 && status != kExitFailed) {
    diagnostics.Warning({}, "some of the source could not be read", "`opledger check` shows where");
    status = kExitIncomplete;
  }
  if (status != kExitFailed) Show(diagnostics);
  return status;
}

// Without -o, --format and --fix, writes the documentation of each dialect that names it in the
// project file.
int RunDocs(const DocsOptions& options) {
  Diagnostics diagnostics;
  if (options.atlas) return WriteAtlas(options, diagnostics);
  const std::vector<CheckOptions> dialects = OptionsOfDialects(options);
  const bool to_one = !options.output.empty() || !options.format.empty() || !options.fix.empty();
  if (dialects.size() == 1 || to_one) {
    return WriteDocs(options);
  }
  int worst = kExitClean;
  bool any = false;
  for (const CheckOptions& each : dialects) {
    auto project = Project::Open(each.global, ".", diagnostics);
    if (!project || !project->Choose(each.dialect, diagnostics)) return Fail(diagnostics);
    if (project->file()->docs.empty()) continue;
    any = true;
    DocsOptions own = options;
    own.dialect = each.dialect;
    const int status = WriteDocs(own);
    if (status == kExitFailed) return status;
    worst = std::max(worst, status);  // status 3 takes precedence over 1, and 1 over 0
  }
  return any ? worst : WriteDocs(options);
}

VerbCall PrepareDocs() {
  auto options = std::make_shared<DocsOptions>();
  return MakeCall(
      options,
      Joined({{"--format", "FORMAT",
               "The output format; default: by the extension of the output, otherwise md",
               &options->format, DocsFormatNames()},
              {"-o", "FILE|DIR", "The output file, or a folder for operators.md and so on",
               &options->output},
              {"--check", "", "Write nothing; fail if the output is out of date",
               &options->check_only},
              {"--fix", "PATH", "Add missing names to this page of the framework", &options->fix},
              SourceUrlOption(options->source_url),
              {"--atlas", "", "Compare the policies of all shipped lists by operation instead",
               &options->atlas},
              {"--evidence", "FILE", "With --atlas: measurements of operators, as for check",
               &options->evidence},
              {"--revision", "REV", "Name this git revision, and its date, on the page",
               &options->revision}},
             Joined(SourceOptions(*options),
                    {ConfigurationOption(*options), NoCacheOption(*options)})),
      RunDocs);
}

}  // namespace

extern const Command kDocsCommand = {"docs",
                                     "Write documentation of the operators and their policies",
                                     "Examples:\n"
                                     "  opledger docs -o docs.html --source-url "
                                     "'https://github.com/OWNER/NAME/blob/main/{path}'\n"
                                     "      one HTML page with links to the source\n"
                                     "  opledger docs --check -o docs/operators.md\n"
                                     "      exit status 1 if the committed file is out of date\n"
                                     "  opledger docs --fix docs/source/amp.md\n"
                                     "      adds missing names to the framework's page; "
                                     "\"documented_in\" in a list gives the sections\n"
                                     "Without -o and --format: the files of \"docs\" in "
                                     "opledger.json, otherwise Markdown on stdout.",
                                     PrepareDocs};

}  // namespace opledger
