// Reads a revision's files from git as a separate project.
// SPDX-License-Identifier: Apache-2.0
#include "checker/git/revision_check.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "checker/git/revision_source.h"
#include "checker/project/list_choice.h"
#include "checker/project/tracked_files.h"
#include "checker/rules/rules.h"
#include "checker/terminal/terminal.h"
#include "registry/dialect/dialect.h"
#include "registry/json/json.h"
#include "registry/project/contained_path.h"
#include "registry/project/project_dialects.h"
#include "registry/source/overlay_tree.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

// Today's versions of files that another state of the project did not have yet.
class TodaysFiles {
 public:
  TodaysFiles(const Project& project, const Source& there, std::set<std::string>& taken)
      : project_(project), there_(there), taken_(taken) {}

  bool IsThere(const std::string& path) const {
    return !replaced_.contains(path) && there_.Examine(path).kind != PathKind::kAbsent;
  }

  // Treats the file as one that the state did not have.
  void Replace(const std::string& path) { replaced_.insert(path); }

  // Returns whether the state has the file, after adding today's version if it did not.
  bool Take(const std::string& path) {
    if (IsThere(path) || texts_.contains(there_.Absolute(path))) return true;
    if (!project_.source().Holds(path)) return false;
    std::optional<std::string> text = project_.source().Read(path, kLargestSetting, Reach::kBelow);
    if (!text) return false;
    taken_.insert(path);
    texts_[there_.Absolute(path)] = std::move(text);
    return true;
  }

  // Adds a list and the lists that it extends.
  void TakeList(const std::string& path) {
    if (IsThere(path) || !StaysBelow(path) || !Take(path)) return;
    Diagnostics ignored;
    const auto list = ParseJson(path, *texts_[there_.Absolute(path)], ignored);
    const JsonValue* const extends = list ? list->root.Find("extends") : nullptr;
    if (extends == nullptr || extends->string.empty()) return;
    TakeList((fs::path(path).parent_path() / extends->string).lexically_normal().string());
  }

  Source Over() {
    if (texts_.empty()) return there_;
    return {std::make_shared<OverlayTree>(there_.files(), std::move(texts_)), there_.root()};
  }

 private:
  const Project& project_;
  const Source& there_;
  std::set<std::string>& taken_;
  std::set<std::string> replaced_;
  OverlayTree::Texts texts_;
};

// Returns the name of the dialect in the project file of that state. Returns nullopt if that file
// does not have the dialect, for example because it had only one dialect or others.
std::optional<std::string> DialectThen(const Source& there, const std::string& path,
                                       const CheckOptions& options) {
  const std::string& dialect = options.dialect;
  if (there.Examine(path).kind == PathKind::kAbsent) return dialect;
  Diagnostics ignored;
  const std::optional<ProjectFile> then = ReadProjectFile(there, path, ignored);
  if (!then) return dialect;
  const bool several = !options.one_of_dialects.empty();
  if (!then->dialects.empty()) {
    return HasDialect(*then, dialect) ? std::make_optional(dialect) : std::nullopt;
  }
  if (!several) return dialect;
  const bool same = then->dialect == dialect || then->dialect == options.one_of_dialects;
  return same ? std::make_optional<std::string>() : std::nullopt;
}

}  // namespace

CheckOptions OptionsThere(const CheckOptions& options, const Project& project, const Source& there,
                          StateOfFiles state, std::set<std::string>& of_today) {
  TodaysFiles todays(project, there, of_today);
  CheckOptions other = options;
  other.allow_empty = true;
  other.paths.clear();
  other.baseline = "none";
  other.build.clear();
  // Today's evidence is compared with the lists of that state, too.
  other.evidence = project.FromRoot(options.evidence);
  if (other.evidence.empty() && project.file()) other.evidence = project.file()->evidence;
  if (!other.evidence.empty()) other.named_in.insert_or_assign(other.evidence, project.source());
  std::string file = "opledger.json";  // relative to the root
  const std::string& choice = options.global.project_file;
  if (!choice.empty()) file = choice == "none" ? choice : project.FromRoot(choice);
  if (state == StateOfFiles::kEarlier && file != "none") {
    const auto dialect = DialectThen(there, file, other);
    if (dialect) other.dialect = *dialect;
    if (!dialect) todays.Replace(file);
  }
  const bool had_lists = file != "none" && todays.IsThere(file);
  const bool has_file = file != "none" && project.file() && todays.Take(file);
  other.global.project_file = had_lists || has_file ? file : "none";
  other.lists = ListsFromRoot(options.lists, project);
  if (other.lists.empty() && !had_lists && project.file()) other.lists = project.file()->lists;
  // Use today's version of a list that did not exist yet.
  for (const std::string& list : other.lists) todays.TakeList(list);
  // If the manifest is not a file of the state, its sources are scanned.
  other.operators = project.FromRoot(options.operators);
  if (!StaysBelow(other.operators) || !todays.IsThere(other.operators)) other.operators.clear();
  if (IsDialectFile(other.dialect)) other.dialect = project.FromRoot(other.dialect);
  if (!had_lists && project.file()) {
    for (const std::string& path : DialectFiles(*project.file())) todays.Take(path);
  }
  other.global.here = todays.Over();
  return other;
}

namespace {

// Warns about files that a partial clone lacks. They are not fetched, because most of them register
// no operators.
void WarnOfAbsent(const Manifest& manifest, const std::string& revision, Diagnostics& diagnostics) {
  const auto is_absent = [](const Incomplete& each) {
    return each.detail.find("partial clone") != std::string::npos;
  };
  const auto& all = manifest.incomplete;
  const auto first = std::find_if(all.begin(), all.end(), is_absent);
  if (first == all.end()) return;
  const auto count = static_cast<std::size_t>(std::count_if(first, all.end(), is_absent));
  diagnostics.Warning(
      first->location,
      "this partial clone does not have " + Counted(count, "file") + " of '" + revision + "'",
      "operators in them are not found; `git show REVISION:FILE` fetches a file");
}

// Returns false, with an error, if the system prevented reading some of the revision: it is then
// not known what is new.
bool ReadBySystem(const Manifest& manifest, const std::string& revision, Diagnostics& diagnostics) {
  for (const Incomplete& each : manifest.incomplete) {
    if (!IsFromSystem(each.detail)) continue;
    diagnostics.MarkIncomplete();
    return diagnostics.Error(each.location, "in revision '" + revision + "': " + each.detail);
  }
  return true;
}

}  // namespace

std::unique_ptr<RevisionCheck> CheckRevision(const std::string& revision,
                                             const CheckOptions& options, const Project& project,
                                             Diagnostics& diagnostics) {
  std::optional<RevisionSource> opened =
      OpenRevision(project.root(), revision, !options.no_cache, diagnostics);
  if (!opened) return nullptr;
  auto check = std::make_unique<RevisionCheck>();
  check->submodules = std::move(opened->submodules);
  const CheckOptions there =
      OptionsThere(options, project, opened->source, StateOfFiles::kEarlier, check->of_today);
  Diagnostics messages;
  if (OpenCheckedProject(there, check->checked, messages)) {
    if (!ReadBySystem(*check->checked.manifest, revision, diagnostics)) return nullptr;
    WarnOfAbsent(*check->checked.manifest, revision, diagnostics);
    check->findings = RunRules(*check->checked.index, check->checked.severities.Named());
    return check;
  }
  if (messages.incomplete()) {
    for (Diagnostic each : messages.all()) {
      each.message = "in revision '" + revision + "': " + each.message;
      diagnostics.Add(std::move(each));
    }
    diagnostics.MarkIncomplete();
    return nullptr;
  }
  check->checked.index.reset();
  for (const Diagnostic& each : messages.all()) {
    const std::string place = each.location.path.empty() ? "" : ShownPlace(each.location) + ": ";
    check->problems.Error({}, "in revision '" + revision + "': " + place + each.message, each.hint);
  }
  if (messages.all().empty()) check->problems.Error({}, "cannot check revision '" + revision + "'");
  return check;
}

namespace {

// Reports an error if a file of the project is not staged, because clones would then be checked
// without it.
bool CheckTracked(const Project& project, const Source& staged, Diagnostics& diagnostics) {
  std::vector<std::string> missing;
  for (const std::string& path : FilesOfProject(project.source(), *project.file())) {
    if (staged.Examine(path).kind == PathKind::kAbsent) missing.push_back(path);
  }
  if (missing.empty()) return true;
  const IgnoredFiles ignored = FindIgnored(project.source(), missing);
  const std::string add = "`git add " + Join(missing, " ") + "`";
  return diagnostics.Error(
      {missing.front(), 0, 0, 0, 0},
      "git does not track " + Counted(missing.size(), "file") +
          " of the project, so a clone would lack part of it",
      ignored.paths.empty() ? add
                            : IgnoredText(ignored) + ": " + IgnoredHint(ignored) + ", then " + add);
}

}  // namespace

std::optional<StagedTree> OpenStaged(const CheckOptions& options, Diagnostics& diagnostics) {
  std::optional<Project> project = Project::Open(options.global, ".", diagnostics);
  if (!project) return std::nullopt;
  std::optional<RevisionSource> opened = OpenIndex(project->root(), !options.no_cache, diagnostics);
  if (!opened) return std::nullopt;
  if (project->file() && !CheckTracked(*project, opened->source, diagnostics)) return std::nullopt;
  std::set<std::string> of_today;
  CheckOptions there =
      OptionsThere(options, *project, opened->source, StateOfFiles::kStaged, of_today);
  there.allow_empty = false;
  there.baseline = options.baseline == "none" ? "none" : project->FromRoot(options.baseline);
  return StagedTree{std::move(*project), std::move(opened->submodules), std::move(there)};
}

}  // namespace opledger
