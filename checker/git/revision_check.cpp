// The revision's files are written out and checked there as a project of their own.
// SPDX-License-Identifier: Apache-2.0
#include "checker/git/revision_check.h"

#include <filesystem>
#include <utility>

#include "checker/project/tracked_files.h"
#include "checker/reports/output_formats.h"
#include "checker/rules/rules.h"
#include "checker/terminal/terminal.h"
#include "registry/project/contained_path.h"
#include "registry/text/text.h"

namespace opledger {

namespace fs = std::filesystem;

bool IsDialectFile(const std::string& dialect) {
  return dialect.find('/') != std::string::npos || dialect.ends_with(".json");
}

namespace {

// A file that the revision did not have yet is taken to have been there as it is today.
bool CopyIfMissing(const std::string& path, const Project& project, const std::string& folder) {
  std::error_code error;
  const fs::path there = fs::path(folder) / path;
  if (fs::exists(there, error)) return true;
  if (!IsInside(path, project.root())) return false;
  fs::create_directories(there.parent_path(), error);
  return fs::copy_file(fs::path(project.root()) / path, there, error);
}

}  // namespace

CheckOptions OptionsThere(const CheckOptions& options, const Project& project,
                          const std::string& folder) {
  CheckOptions there = options;
  there.allow_empty = true;
  there.paths.clear();
  there.baseline = "none";
  there.build.clear();
  // What is measured today is held against the lists of then, too.
  there.evidence = project.FromRoot(there.evidence);
  if (there.evidence.empty() && project.file() && !project.file()->evidence.empty() &&
      IsInside(project.file()->evidence, project.root())) {
    there.evidence = project.file()->evidence;
  }
  if (!there.evidence.empty()) there.evidence = fs::path(project.root()) / there.evidence;
  std::string file = "opledger.json";  // at the root, wherever the program was started
  const std::string& choice = options.global.project_file;
  if (!choice.empty()) file = choice == "none" ? choice : project.FromRoot(choice);
  std::error_code error;
  const bool had_lists = file != "none" && fs::exists(fs::path(folder) / file, error);
  const bool has_file = file != "none" && project.file() && CopyIfMissing(file, project, folder);
  there.global.project_file = had_lists || has_file ? file : "none";
  for (std::string& list : there.lists) list = project.FromRoot(list);
  if (there.lists.empty() && !had_lists && project.file()) there.lists = project.file()->lists;
  for (std::string& list : there.lists) {
    // A list that the revision did not have yet: its operators are held against that of today.
    if (!fs::exists(fs::path(folder) / list, error)) list = fs::path(project.root()) / list;
  }
  // A manifest that is none of the project's files, or was not yet: then the sources of then count.
  if (!there.operators.empty()) {
    there.operators = project.FromRoot(there.operators);
    const bool was =
        StaysBelow(there.operators) && fs::exists(fs::path(folder) / there.operators, error);
    if (!was) there.operators.clear();
  }
  if (IsDialectFile(there.dialect)) {
    there.dialect = project.FromRoot(there.dialect);
  }
  if (!had_lists && project.file() && IsDialectFile(project.file()->dialect)) {
    CopyIfMissing(project.file()->dialect, project, folder);
  }
  return there;
}

std::unique_ptr<RevisionCheck> CheckRevision(const std::string& revision,
                                             const CheckOptions& options, const Project& project,
                                             Diagnostics& diagnostics, RevisionFolder folder) {
  auto check = std::make_unique<RevisionCheck>();
  std::error_code error;
  const fs::path here = fs::current_path(error);
  fs::current_path(project.root(), error);
  check->folder = std::move(folder);
  if (check->folder.path().empty() &&
      !check->folder.TakeRevision(revision, !options.no_cache, diagnostics)) {
    fs::current_path(here, error);
    return nullptr;
  }
  const CheckOptions there = OptionsThere(options, project, check->folder.path());
  fs::current_path(check->folder.path(), error);
  Diagnostics messages;
  const bool opened = !error && OpenCheckedProject(there, check->checked, messages);
  fs::current_path(here, error);
  if (opened && !error) {
    check->findings = RunRules(*check->checked.index, check->checked.severities.Named());
    return check;
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

// FMT=FILE: the file seen from anywhere.
std::string WithAbsoluteFile(const std::string& format, const std::string& started) {
  const std::size_t equals = format.find('=');
  if (equals == std::string::npos || format.substr(equals + 1) == "-") return format;
  const fs::path file = fs::path(started) / format.substr(equals + 1);
  return format.substr(0, equals + 1) + file.lexically_normal().string();
}

}  // namespace

std::vector<std::string> AbsoluteFormats(const std::vector<std::string>& formats) {
  std::error_code error;
  const std::string here = fs::current_path(error).string();
  std::vector<std::string> absolute = ChooseFormats(formats).texts;
  for (std::string& format : absolute) format = WithAbsoluteFile(format, here);
  return absolute;
}

namespace {

// What the check reads of the project has to be staged too, or a clone is checked by nothing.
bool CheckTracked(const ProjectFile& file, const std::string& folder, Diagnostics& diagnostics) {
  std::vector<std::string> missing;
  std::error_code error;
  for (const std::string& path : FilesOfProject(file)) {
    if (!fs::exists(fs::path(folder) / path, error)) missing.push_back(path);
  }
  if (missing.empty()) return true;
  const IgnoredFiles ignored = FindIgnored(missing);
  const std::string add = "`git add " + Join(missing, " ") + "`";
  return diagnostics.Error(
      {missing.front(), 0, 0, 0, 0},
      "git does not track " + Counted(missing.size(), "file") +
          " of the project, so a clone would be checked without",
      ignored.paths.empty() ? add
                            : IgnoredText(ignored) + ": " + IgnoredHint(ignored) + ", then " + add);
}

}  // namespace

bool StagedTree::Open(const CheckOptions& options, Diagnostics& diagnostics) {
  const std::vector<std::string> formats = AbsoluteFormats(options.formats);
  project_ = Project::Open(options.global.project_file, ".", diagnostics);
  if (!project_) return false;
  // The revision first: after a commit the folder in which it was staged holds it.
  const bool keep = !options.no_cache;
  const bool compares = !options.against.empty();
  if (compares && !against_.TakeRevision(options.against, keep, diagnostics)) return false;
  if (!folder_.TakeStaged(keep, diagnostics)) return false;
  if (project_->file() && !CheckTracked(*project_->file(), folder_.path(), diagnostics)) {
    return false;
  }
  options_ = OptionsThere(options, *project_, folder_.path());
  options_.allow_empty = false;
  options_.baseline = project_->FromRoot(options.baseline);
  if (options.baseline == "none") options_.baseline = "none";
  options_.formats = formats;
  std::error_code error;
  fs::current_path(folder_.path(), error);
  if (error) diagnostics.Error({folder_.path(), 0, 0, 0, 0}, "cannot change to this folder");
  return !error;
}

}  // namespace opledger
