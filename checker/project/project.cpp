// Opens the project that a command works in.
// SPDX-License-Identifier: Apache-2.0
#include "checker/project/project.h"

#include <filesystem>

#include "registry/files/files.h"
#include "registry/platform/platform.h"
#include "registry/project/project_dialects.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

constexpr char kShippedPrefix[] = "share/opledger";

void Rename(const std::string& from, Location& location) {
  const std::string& path = location.path;
  if (path.starts_with(from)) location.path = kShippedPrefix + path.substr(from.size());
}

void RenameEntries(const std::string& from, std::vector<ListEntry>& entries) {
  for (ListEntry& entry : entries) {
    Rename(from, entry.location);
    for (Clause& clause : entry.clauses) {
      Rename(from, clause.location);
      Rename(from, clause.then_location);
    }
  }
}

void ShowAsShipped(PrecisionList& list) {
  const std::string from = DataDirectory();
  Location place = {list.path, 0, 0, 0, 0};
  Rename(from, place);
  list.path = place.path;
  list.document.path = place.path;
  RenameEntries(from, list.entries);
  RenameEntries(from, list.inherited);
}

}  // namespace

std::optional<Project> Project::Open(const GlobalOptions& global, const std::string& start,
                                     Diagnostics& diagnostics) {
  const Source& here = global.here;
  std::string root = fs::path(here.Absolute(start)).lexically_normal().string();
  if (root.size() > 1 && root.ends_with('/')) root.pop_back();
  std::string file;
  if (global.project_file.empty()) {
    file = FindProjectFile(here, root);
  } else if (global.project_file != "none") {
    file = fs::path(here.Absolute(global.project_file)).lexically_normal().string();
  }
  if (!file.empty()) root = fs::path(file).parent_path().string();
  Project project(here, here.At(root));
  const PathState state = project.source_.Examine("");
  if (state.kind == PathKind::kUnknown) {
    ReportUnread(root, state.error, 0, diagnostics);
    return std::nullopt;
  }
  if (state.kind != PathKind::kFolder) {
    return diagnostics.Error({root, 0, 0, 0, 0}, "there is no such folder");
  }
  if (file.empty()) return project;
  project.file_ = ReadProjectFile(project.source_, fs::path(file).filename().string(), diagnostics);
  if (!project.file_) return std::nullopt;
  project.whole_ = project.file_;
  return project;
}

bool Project::Choose(const std::string& dialect, Diagnostics& diagnostics) {
  if (!whole_ || whole_->dialects.empty()) return true;
  const std::string choice = IsDialectFile(dialect) ? FromRoot(dialect) : dialect;
  std::optional<ProjectFile> chosen = ChooseDialect(*whole_, choice, diagnostics);
  if (!chosen) return false;
  file_ = std::move(chosen);
  return true;
}

std::string Project::FromRoot(const std::string& path) const {
  if (path.empty() || path == "-") return path;
  if (here_.root() == root() && path.front() != '/') return path;
  const fs::path absolute = fs::path(here_.Absolute(path)).lexically_normal();
  return absolute.lexically_relative(root()).string();
}

bool Project::Write(const std::string& path, bool below, std::string_view text,
                    Diagnostics& diagnostics) const {
  if (below) return WriteFileBelow(root(), path, text, diagnostics);
  return WriteFile(path == "-" ? path : source_.Absolute(path), text, diagnostics);
}

std::optional<FileEdit> Project::Edit(const std::string& path, bool below,
                                      Diagnostics& diagnostics) const {
  if (below) return FileEdit::Open(root(), path, diagnostics);
  return FileEdit::Open({}, source_.Absolute(path), diagnostics, path);
}

bool IsOfProject(const std::string& path, const Project& project, Diagnostics& diagnostics) {
  const Diagnostic outside = {.location = {path, 0, 0, 0, 0},
                              .message = "this list is outside the project",
                              .hint = "copy it into the project, or name it with --list"};
  return project.source().MustHold(path, outside, diagnostics);
}

bool IsShipped(const std::string& path) { return DiskSource(DataDirectory()).Holds(path); }

bool CheckOutputs(const Project& project, std::vector<std::string> read,
                  const std::vector<OutputFile>& outputs, Diagnostics& diagnostics) {
  if (const auto& file = project.file()) {
    std::vector<std::string> named = file->lists;
    for (std::string& dialect : DialectFiles(*file)) named.push_back(std::move(dialect));
    named.insert(named.end(), {file->path, file->baseline, file->evidence});
    for (const std::string& path : named) {
      if (!path.empty()) read.push_back(project.source().Absolute(path));
    }
  }
  return CheckOutputFiles({{}, std::move(read), {}}, outputs, diagnostics);
}

std::optional<PrecisionList> ReadListOfProject(const std::string& path, const Project& project,
                                               Diagnostics& diagnostics) {
  std::optional<PrecisionList> list = ReadPrecisionList(project.source(), path, diagnostics);
  if (list && path.starts_with(DataDirectory())) ShowAsShipped(*list);
  return list;
}

}  // namespace opledger
