// Files of today are linked where that can be done, and copied otherwise.
// SPDX-License-Identifier: Apache-2.0
#include "checker/git/revision_settings.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "checker/filter/baseline.h"
#include "checker/git/git.h"
#include "checker/git/revision_check.h"
#include "checker/git/submodules.h"
#include "registry/json/json.h"
#include "registry/platform/files.h"
#include "registry/platform/platform.h"
#include "registry/project/contained_path.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestSetting = std::size_t{64} << 20U;

// What a list says of itself, and how it says nothing.
struct HeaderField {
  const char* key;
  const char* nothing;
};
constexpr HeaderField kHeader[] = {{"framework", "\"\""}, {"target_dtype", "\"\""},
                                   {"device", "\"\""},    {"configuration", "\"\""},
                                   {"extends", "\"\""},   {"unlisted", "\"required\""}};

std::string Slice(const JsonDocument& document, Span span) {
  return document.text.substr(span.begin, span.end - span.begin);
}

// The list as it is now, saying of itself what it said then; lines stay where they are.
std::string WithHeader(const std::string& path, const std::string& now, const std::string& then) {
  Diagnostics ignored;
  const auto is = ParseJson(path, now, ignored);
  const auto was = ParseJson(path, then, ignored);
  if (!was || !is || is->root.members.empty()) return was ? then : now;
  std::vector<std::pair<Span, std::string>> edits;
  std::string added;
  for (const HeaderField& field : kHeader) {
    const JsonValue* const new_value = is->root.Find(field.key);
    const JsonValue* const old_value = was->root.Find(field.key);
    const std::string old_text = old_value ? Slice(*was, old_value->span) : field.nothing;
    if (new_value != nullptr) {
      edits.emplace_back(new_value->span, old_text);
    } else if (old_value != nullptr) {
      added += '"' + std::string(field.key) + "\": " + old_text + ", ";
    }
  }
  std::sort(edits.begin(), edits.end(),
            [](const auto& a, const auto& b) { return a.first.begin > b.first.begin; });
  std::string text = now;
  for (const auto& [span, value] : edits) text.replace(span.begin, span.end - span.begin, value);
  return text.insert(is->root.span.begin + 1, added);
}

// All files below a folder of the tree.
void AddFilesBelow(const fs::path& tree, const fs::path& folder, std::vector<std::string>& paths) {
  std::error_code error;
  for (fs::recursive_directory_iterator entry(tree / folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().filename() == ".git") {
      if (entry->is_directory(error)) entry.disable_recursion_pending();
    } else if (!entry->is_directory(error)) {
      paths.push_back(entry->path().lexically_relative(tree));
    }
  }
}

// What git knows of the tree, with submodules as they are, or, in a folder that is in no
// repository, all that is there.
std::vector<std::string> FilesOf(const std::string& tree, bool in_repository,
                                 Diagnostics& diagnostics) {
  std::vector<std::string> paths;
  if (!in_repository) {
    AddFilesBelow(tree, "", paths);
    return paths;
  }
  std::string listing;
  const std::vector<std::string> arguments = {"ls-files", "-z", "--cached", "--others",
                                              "--exclude-standard"};
  if (RunGit(arguments, "", listing, diagnostics) != 0) return {};
  std::error_code error;
  for (const std::string_view path : SplitAt(listing, '\0')) {
    if (!StaysBelow(std::string(path))) continue;
    const fs::file_status status = fs::symlink_status(fs::path(tree) / path, error);
    if (fs::is_directory(status)) {
      AddFilesBelow(tree, path, paths);
    } else {
      paths.emplace_back(path);
    }
  }
  return paths;
}

}  // namespace

RevisionSettings::RevisionSettings(const CheckOptions& options, const Project& project,
                                   std::string tree)
    : options_(options), project_(project), tree_(std::move(tree)) {
  project_file_ = "opledger.json";
  const std::string& choice = options.global.project_file;
  if (!choice.empty()) project_file_ = choice == "none" ? choice : project.FromRoot(choice);
}

std::optional<std::string> RevisionSettings::FileThen(const std::string& path,
                                                      Diagnostics& diagnostics) const {
  if (!StaysBelow(path) || revision_.empty()) return std::nullopt;
  std::error_code error;
  fs::current_path(project_.root(), error);
  std::optional<std::string> text = ReadFileOfTree(revision_, path, diagnostics);
  fs::current_path(tree_, error);
  return text;
}

std::optional<std::string> RevisionSettings::FileNow(const std::string& path) const {
  std::error_code error;
  Diagnostics ignored;
  if (!fs::exists(path, error) || !IsInside(path, tree_)) return std::nullopt;
  return ReadFile(path, kLargestSetting, ignored);
}

bool RevisionSettings::Changed(const std::string& path) const {
  const auto file = files_.find(path);
  return file != files_.end() && file->second != FileNow(path);
}

void RevisionSettings::Take(const std::string& path, std::optional<std::string> then) {
  differ_ = differ_ || then != FileNow(path);
  files_[path] = std::move(then);
}

void RevisionSettings::TakeList(const std::string& path, Diagnostics& diagnostics) {
  if (!StaysBelow(path) || files_.contains(path)) return;
  const std::optional<std::string> then = FileThen(path, diagnostics);
  const std::optional<std::string> now = FileNow(path);
  if (!then && !now) return;
  // A list that is new has no settings of then.
  Take(path, then && now ? WithHeader(path, *now, *then) : then ? then : now);
  Diagnostics ignored;
  const auto list = ParseJson(path, *files_[path], ignored);
  const JsonValue* const extends = list ? list->root.Find("extends") : nullptr;
  if (extends == nullptr || extends->string.empty()) return;
  TakeList((fs::path(path).parent_path() / extends->string).lexically_normal().string(),
           diagnostics);
}

bool RevisionSettings::Read(const std::string& revision, Diagnostics& diagnostics) {
  if (folder_.path().empty() && !folder_.TakeTemporary(diagnostics)) return false;
  if (project_file_ == "none") return true;
  std::error_code error;
  fs::current_path(project_.root(), error);
  const std::optional<std::string> found = FindTree(revision, diagnostics);
  fs::current_path(tree_, error);
  if (!found) return false;
  revision_ = *found;
  std::optional<std::string> text = FileThen(project_file_, diagnostics);
  if (diagnostics.has_errors()) return false;
  if (!text) return true;
  // Read where it is to be: the reader takes paths, and holds it against what lies beside it.
  const fs::path place = fs::path(folder_.path()) / project_file_;
  fs::create_directories(place.parent_path(), error);
  Diagnostics ignored;
  if (!WriteFile(place.string(), *text, diagnostics)) return false;
  const std::optional<ProjectFile> file = ReadProjectFile(place.string(), ignored);
  if (!file) return true;  // nobody was held to it
  found_ = true;
  Take(project_file_, std::move(text));
  const std::string dialect =
      options_.dialect.empty() ? file->dialect : project_.FromRoot(options_.dialect);
  if (IsDialectFile(dialect)) Take(dialect, FileThen(dialect, diagnostics));
  Take(file->baseline.empty() ? kBaselineFile : file->baseline,
       FileThen(file->baseline.empty() ? kBaselineFile : file->baseline, diagnostics));
  for (const std::string& list : file->lists) TakeList(list, diagnostics);
  for (const std::string& list : options_.lists) TakeList(project_.FromRoot(list), diagnostics);
  return !diagnostics.has_errors();
}

bool RevisionSettings::WriteFolder(Diagnostics& diagnostics) const {
  std::error_code error;
  const auto place = [&](const std::string& path) {
    fs::path there = fs::path(folder_.path()) / path;
    fs::create_directories(there.parent_path(), error);
    fs::remove(there, error);
    return there;
  };
  for (const std::string& path : FilesOf(tree_, tree_ == project_.root(), diagnostics)) {
    const fs::path from = fs::path(tree_) / path;
    if (files_.contains(path) || !fs::is_regular_file(fs::symlink_status(from, error))) continue;
    const fs::path there = place(path);
    fs::create_hard_link(from, there, error);
    if (error) fs::copy_file(from, there, error);
    if (error) {
      return diagnostics.Error({path, 0, 0, 0, 0}, "cannot copy this file: " + error.message(),
                               "is the disk full?");
    }
  }
  for (const auto& [path, text] : files_) {
    const std::string there = place(path).string();
    if (text && !WriteFile(there, *text, diagnostics)) return false;
  }
  return !diagnostics.has_errors();
}

std::optional<CheckOptions> RevisionSettings::MoveThere(Diagnostics& diagnostics) {
  if (!WriteFolder(diagnostics)) return std::nullopt;
  CheckOptions there = options_;
  std::error_code error;
  // What the command line names comes from outside the change, and is taken as it is.
  const auto outside = [&](const std::string& path) {
    if (path.empty() || path == "none") return path;
    const fs::path seen = project_.FromRoot(path);
    return (fs::exists(fs::path(tree_) / seen, error) ? fs::path(tree_) / seen
                                                      : fs::path(project_.root()) / seen)
        .string();
  };
  there.paths.clear();
  there.build.clear();
  there.staged = false;
  there.global.project_file = project_file_;
  there.operators = outside(options_.operators);
  there.evidence = outside(options_.evidence);
  there.baseline = outside(options_.baseline);
  for (std::string& list : there.lists) list = project_.FromRoot(list);
  if (IsDialectFile(there.dialect)) there.dialect = project_.FromRoot(there.dialect);
  fs::current_path(folder_.path(), error);
  if (error) {
    return diagnostics.Error({folder_.path(), 0, 0, 0, 0}, "cannot change to this folder");
  }
  return there;
}

bool RevisionSettings::Open(CheckedProject& checked, Diagnostics& diagnostics) {
  const std::optional<CheckOptions> there = MoveThere(diagnostics);
  const bool opened = there && OpenCheckedProject(*there, checked, diagnostics);
  std::error_code error;
  fs::current_path(tree_, error);
  return opened && !error;
}

}  // namespace opledger
