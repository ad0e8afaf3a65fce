// Verifies edits by reading the lists again with the edited texts.
// SPDX-License-Identifier: Apache-2.0
#include "checker/project/kept_rows.h"

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

#include "checker/project/scan_source.h"
#include "checker/terminal/terminal.h"
#include "registry/files/files.h"
#include "registry/list_source/derive.h"
#include "registry/source/overlay_tree.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

bool HasRegistrations(const PrecisionList& list) {
  return std::any_of(
      list.derived_from.begin(), list.derived_from.end(),
      [](const ListOrigin& origin) { return origin.format == ListFormat::kRegistrations; });
}

// The operators of rows with their policies and conditions. Repeated rows count repeatedly.
using RowSet = std::multiset<std::tuple<std::string, Policy, std::string>>;

RowSet RowsOf(const PrecisionList& list) {
  RowSet rows;
  for (const ListEntry& entry : list.entries) {
    if (!entry.source.empty()) rows.emplace(entry.op, entry.policy, entry.condition.text());
  }
  return rows;
}

// Scans the edited files.
std::optional<Manifest> ScanAgain(const CheckOptions& options, const Source& edited,
                                  Diagnostics& diagnostics) {
  CheckOptions again = options;
  again.global.here = edited.At(options.global.here.root());
  std::optional<Project> opened = Project::Open(again.global, ".", diagnostics);
  if (!opened) return std::nullopt;
  return GetManifest(again, FieldsOfCheck({}), *opened, diagnostics);
}

// A list without rows, and the rows that it should get.
struct WantedRows {
  PrecisionList list;
  RowSet rows;
  bool whole = true;
};

// Returns whether the lists have exactly the expected rows if `texts` replace the files at these
// paths.
bool GiveRows(const CheckOptions& options, const Project& project, Manifest manifest,
              const std::map<std::string, std::string>& texts, std::vector<WantedRows> lists,
              Diagnostics& diagnostics) {
  OverlayTree::Texts edits;
  for (const auto& [path, text] : texts) edits[project.source().Absolute(path)] = text;
  const auto files = std::make_shared<const OverlayTree>(project.source().files(), edits);
  const Source edited(files, project.root());
  const bool scan = options.operators.empty() &&
                    std::any_of(lists.begin(), lists.end(),
                                [](const auto& each) { return HasRegistrations(each.list); });
  if (scan) {
    std::optional<Manifest> scanned = ScanAgain(options, edited, diagnostics);
    if (!scanned) return false;
    manifest = std::move(*scanned);
  }
  ListDeriver deriver(edited, manifest);
  for (WantedRows& wanted : lists) {
    if (HasRegistrations(wanted.list) && !options.operators.empty()) continue;
    const std::size_t known = manifest.incomplete.size();
    deriver.Derive(wanted.list);
    if (RowsOf(wanted.list) == wanted.rows && (wanted.list.whole || !wanted.whole)) continue;
    const bool lost = manifest.incomplete.size() > known;
    return diagnostics.Error(
        {wanted.list.path, 0, 0, 0, 0},
        "the edit of " +
            Join(texts, ", ", [](const auto& each) { return "'" + ShownPath(each.first) + "'"; }) +
            " would not give the operators their policies" +
            (lost ? ": " + manifest.incomplete.back().detail : ""),
        "nothing is written; edit the file by hand");
  }
  return true;
}

// Returns false, with errors, if part of the list could not be read.
bool IsWhole(const PrecisionList& list, const Manifest& manifest, std::size_t known,
             Diagnostics& diagnostics) {
  if (list.whole) return true;
  for (std::size_t i = known; i < manifest.incomplete.size(); ++i) {
    const Incomplete& each = manifest.incomplete[i];
    diagnostics.Error(each.location, "list incomplete: " + each.detail,
                      "rows can be edited only if the whole list can be read");
  }
  return false;
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
  ListDeriver deriver(project.source(), *manifest);
  bool whole = true;
  for (PrecisionList& list : rows.lists_) {
    const std::size_t known = manifest->incomplete.size();
    deriver.Derive(list);
    if (paths.contains(list.path)) whole &= IsWhole(list, *manifest, known, diagnostics);
  }
  if (!whole) return std::nullopt;
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

std::optional<ClassifiedRow> KeptRows::Classify(const std::string& path,
                                                const Classification& wanted,
                                                const std::set<std::string>& named,
                                                Diagnostics& diagnostics) {
  std::optional<ClassifiedRow> row = ClassifyRow(lists_, path, wanted, named, diagnostics);
  if (!row || row->change == EntryChange::kNone) return row;
  for (const std::string& each : row->paths) {
    const bool stays = row->change == EntryChange::kChanged;
    asked_.push_back({each, wanted.op, wanted.policy, stays});
  }
  return row;
}

bool KeptRows::Verify(const CheckOptions& options, const Project& project,
                      Diagnostics& diagnostics) const {
  const std::map<std::string, std::string> changed = Changed();
  if (changed.empty()) return true;
  std::vector<WantedRows> lists;
  for (std::size_t i = 0; i < before_.size(); ++i) {
    RowSet rows = RowsOf(before_[i]);
    for (const Asked& asked : asked_) {
      if (asked.list != before_[i].path) continue;
      std::string condition;
      for (const auto& [op, policy, text] : rows) {
        if (asked.stays && op == asked.op && policy == asked.policy) condition = text;
      }
      std::erase_if(rows, [&](const auto& row) { return std::get<0>(row) == asked.op; });
      rows.emplace(asked.op, asked.policy, condition);
    }
    lists.push_back({unread_[i], std::move(rows), before_[i].whole});
  }
  return GiveRows(options, project, manifest_, changed, std::move(lists), diagnostics);
}

bool KeptRows::Write(const Project& project, Diagnostics& diagnostics) const {
  const std::map<std::string, std::string> changed = Changed();
  std::map<std::string, FileEdit> edits;
  for (const auto& [path, text] : changed) {
    std::optional<FileEdit> edit = project.Edit(path, true, diagnostics);
    if (!edit) return false;
    edits.emplace(path, std::move(*edit));
  }
  std::map<std::string, const std::string*> before;
  for (const PrecisionList& list : before_) {
    for (const auto& [path, text] : list.source_texts) {
      const auto edit = edits.find(path.text());
      if (edit == edits.end()) continue;
      if (!edit->second.Holds(*text, diagnostics)) return false;
      before.emplace(path.text(), text.get());
    }
  }
  for (auto& [path, edit] : edits) {
    if (!edit.Replace(*before.at(path), changed.at(path), diagnostics)) return false;
  }
  return true;
}

bool VerifyFixes(const CheckOptions& options, const CheckedProject& checked, const Fixes& fixes,
                 Diagnostics& diagnostics) {
  std::map<std::string, std::string> texts;
  std::vector<WantedRows> lists;
  for (const auto& [path, file] : fixes.files) texts.emplace(path, file.after);
  for (const PrecisionList& list : checked.lists) {
    const bool edited = std::any_of(texts.begin(), texts.end(), [&](const auto& each) {
      return list.source_texts.contains(each.first);
    });
    if (!edited) continue;
    auto unread = ParsePrecisionList(list.path, list.document.text, diagnostics);
    if (!unread) return false;
    lists.push_back({std::move(*unread), RowsOf(list), list.whole});
  }
  if (lists.empty()) return true;
  return GiveRows(options, *checked.project, *checked.manifest, texts, std::move(lists),
                  diagnostics);
}

}  // namespace opledger
