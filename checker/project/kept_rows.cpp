// Edits are verified by reading the lists anew, over the edited texts.
// SPDX-License-Identifier: Apache-2.0
#include "checker/project/kept_rows.h"

#include <algorithm>
#include <memory>
#include <tuple>

#include "checker/project/scan_source.h"
#include "registry/list_source/derive.h"
#include "registry/platform/files.h"
#include "registry/source/overlay_tree.h"

namespace opledger {
namespace {

constexpr std::size_t kLargestKeptFile = std::size_t{16} << 20U;

bool HasRegistrations(const PrecisionList& list) {
  return std::any_of(
      list.derived_from.begin(), list.derived_from.end(),
      [](const ListOrigin& origin) { return origin.format == ListFormat::kRegistrations; });
}

// The scanner reads these from disk, not from the text that it is given.
bool IsReadFromDisk(const PrecisionList& list) {
  return std::any_of(
      list.derived_from.begin(), list.derived_from.end(), [](const ListOrigin& origin) {
        return origin.format != ListFormat::kRegistrations && origin.format != ListFormat::kPython;
      });
}

using RowSet = std::set<std::tuple<std::string, Policy, int>>;

// With the lines, so that it is the same rows.
RowSet RowsOf(const PrecisionList& list) {
  RowSet rows;
  for (const ListEntry& entry : list.entries) {
    if (!entry.source.empty()) rows.emplace(entry.op, entry.policy, entry.location.line);
  }
  return rows;
}

}  // namespace

std::optional<KeptRows> KeptRows::Open(const CheckOptions& options, const Project& project,
                                       const std::set<std::string>& paths,
                                       Diagnostics& diagnostics) {
  KeptRows rows;
  std::set<std::string> all = paths;
  if (project.file()) all.insert(project.file()->lists.begin(), project.file()->lists.end());
  for (const std::string& path : all) {
    auto list = ReadListAlone(project.source(), path,
                              paths.contains(path) ? Reach::kAnywhere : Reach::kBelow, diagnostics);
    if (!list) return std::nullopt;
    if (!list->derived_from.empty()) rows.unread_.push_back(std::move(*list));
  }
  Project scanned = project;
  auto manifest = GetManifest(options, FieldsOfCheck({}), scanned, diagnostics);
  if (!manifest) return std::nullopt;
  rows.manifest_ = *manifest;
  rows.lists_ = rows.unread_;
  ListDeriver deriver(project.source(), *manifest, !options.no_cache);
  for (PrecisionList& list : rows.lists_) deriver.Derive(list);
  rows.before_ = rows.lists_;
  return rows;
}

const PrecisionList* KeptRows::Find(const std::string& path) const {
  const auto found = std::find_if(lists_.begin(), lists_.end(),
                                  [&](const PrecisionList& list) { return list.path == path; });
  return found == lists_.end() ? nullptr : &*found;
}

std::map<std::string, std::string> KeptRows::Changed() const {
  std::map<std::string, std::string> changed;
  for (std::size_t i = 0; i < lists_.size(); ++i) {
    for (const auto& [path, text] : lists_[i].source_texts) {
      if (*text != *before_[i].source_texts.at(path)) changed.emplace(path.text(), *text);
    }
  }
  return changed;
}

bool KeptRows::Verify(const CheckOptions& options, const Project& project,
                      Diagnostics& diagnostics) const {
  OverlayTree::Texts texts;
  for (const auto& [path, text] : Changed()) texts[project.source().Absolute(path)] = text;
  if (texts.empty()) return true;
  const auto files = std::make_shared<const OverlayTree>(project.source().files(), texts);
  const Source edited(files, project.root());
  Manifest manifest = manifest_;
  const bool registered = std::any_of(lists_.begin(), lists_.end(), HasRegistrations);
  if (registered && options.operators.empty()) {
    CheckOptions again = options;
    again.global.here = Source(files, options.global.here.root());
    std::optional<Project> opened = Project::Open(again.global, ".", diagnostics);
    auto scanned =
        opened ? GetManifest(again, FieldsOfCheck({}), *opened, diagnostics) : std::nullopt;
    if (!scanned) return false;
    manifest = std::move(*scanned);
  }
  ListDeriver deriver(edited, manifest, false);
  for (std::size_t i = 0; i < lists_.size(); ++i) {
    if (HasRegistrations(lists_[i]) && !options.operators.empty()) continue;
    if (IsReadFromDisk(lists_[i])) continue;
    PrecisionList derived = unread_[i];
    deriver.Derive(derived);
    if (RowsOf(derived) == RowsOf(lists_[i])) continue;
    diagnostics.Error({lists_[i].path, 0, 0, 0, 0},
                      "the edit of the framework's file would not give the operators their "
                      "policies",
                      "edit the file by hand");
    return false;
  }
  return true;
}

bool KeptRows::Write(const Project& project, Diagnostics& diagnostics) const {
  const std::map<std::string, std::string> changed = Changed();
  std::vector<FileLock> locks;
  for (const auto& [path, text] : changed) locks.emplace_back(project.source().Absolute(path));
  for (const PrecisionList& list : before_) {
    for (const auto& [path, text] : list.source_texts) {
      if (!changed.contains(path.text())) continue;
      const auto now = project.source().Read(path, kLargestKeptFile, Reach::kBelow, diagnostics);
      if (!now) return false;
      if (*now == *text) continue;
      diagnostics.Error({path, 0, 0, 0, 0}, "the file changed meanwhile", "run this again");
      return false;
    }
  }
  for (const auto& [path, text] : changed) {
    if (!project.Write(path, true, text, diagnostics)) return false;
  }
  return true;
}

}  // namespace opledger
