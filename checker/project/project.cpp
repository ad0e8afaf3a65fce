// Opening the project a command works in.
// SPDX-License-Identifier: Apache-2.0
#include "checker/project/project.h"

#include <filesystem>

#include "registry/platform/platform.h"
#include "registry/project/contained_path.h"

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

std::optional<Project> Project::Open(const std::string& choice, const std::string& start,
                                     Diagnostics& diagnostics) {
  std::error_code error;
  Project project;
  project.started_ = fs::current_path(error).string();
  project.root_ = (fs::path(project.started_) / start).lexically_normal().string();
  if (project.root_.size() > 1 && project.root_.ends_with('/')) project.root_.pop_back();

  std::string file;
  if (choice.empty()) {
    file = FindProjectFile(project.root_);
  } else if (choice != "none") {
    file = (fs::path(project.started_) / choice).lexically_normal().string();
  }
  std::string name;
  if (!file.empty()) {
    project.root_ = fs::path(file).parent_path().string();
    name = fs::path(file).filename().string();
  }
  if (!project.MoveTo(project.root_, diagnostics)) return std::nullopt;
  if (name.empty()) return project;
  project.file_ = ReadProjectFile(name, diagnostics);
  if (!project.file_) return std::nullopt;
  return project;
}

bool Project::MoveTo(const std::string& root, Diagnostics& diagnostics) {
  std::error_code error;
  fs::current_path(root, error);
  if (error) {
    return diagnostics.Error({root, 0, 0, 0, 0},
                             "cannot change to this folder: " + error.message());
  }
  root_ = root;
  return true;
}

std::string Project::FromRoot(const std::string& path) const {
  if (path.empty() || path == "-") return path;
  if (started_ == root_ && path.front() != '/') return path;
  const fs::path absolute = (fs::path(started_) / path).lexically_normal();
  return absolute.lexically_relative(root_).string();
}

bool IsOfProject(const std::string& path, const Project& project, Diagnostics& diagnostics) {
  if (IsInside(path, project.root())) return true;
  return diagnostics.Error({path, 0, 0, 0, 0}, "this list is outside the project",
                           "copy it into the project, or name it with --list");
}

bool IsShipped(const std::string& path) { return IsInside(path, DataDirectory()); }

std::optional<PrecisionList> ReadListOfProject(const std::string& path, const Project& project,
                                               Diagnostics& diagnostics) {
  std::optional<PrecisionList> list = ReadPrecisionList(path, project.root(), diagnostics);
  if (list && path.starts_with(DataDirectory())) ShowAsShipped(*list);
  return list;
}

}  // namespace opledger
