// Applies one edit at a time. After each, updates the locations of the rows in the same file, in
// all lists.
// SPDX-License-Identifier: Apache-2.0
#include "checker/edit/classify_row.h"

#include <algorithm>
#include <tuple>

#include "checker/edit/source_rows.h"
#include "checker/terminal/terminal.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

constexpr Span kItemOfRow = {std::string::npos, std::string::npos};

std::string CommentOf(const Classification& wanted) {
  if (wanted.reason.empty() || wanted.note.empty()) return wanted.reason + wanted.note;
  return wanted.reason + ", " + wanted.note;
}

class RowClassifier {
 public:
  RowClassifier(std::vector<PrecisionList>& lists, const std::string& path,
                const Classification& wanted, const std::set<std::string>& named,
                Diagnostics& diagnostics)
      : lists_(lists), wanted_(wanted), named_(named), diagnostics_(diagnostics) {
    list_ = &*std::find_if(lists.begin(), lists.end(),
                           [&](const PrecisionList& each) { return each.path == path; });
  }

  std::optional<ClassifiedRow> Run() {
    ClassifiedRow result;
    result.paths = {list_->path};
    const std::vector<ListEntry> rows = Rows();
    const auto keeper = std::find_if(rows.begin(), rows.end(), [&](const ListEntry& row) {
      return row.policy == wanted_.policy;
    });
    const bool in_place = keeper != rows.end();
    if (in_place && rows.size() == 1) {
      result.paths = HaveRowAt(keeper->location);
      return result;
    }
    if (wanted_.policy == Policy::kConditional) {
      return diagnostics_.Error({list_->path, 0, 0, 0, 0},
                                "conditions cannot be written into the framework's own list",
                                "write the row there by hand");
    }
    result.change = in_place       ? EntryChange::kChanged
                    : rows.empty() ? EntryChange::kAdded
                                   : EntryChange::kMoved;
    for (const ListEntry& row : rows) {
      result.lost_reason |= !in_place && CommentOf(wanted_).empty() && !row.note.empty();
    }
    if (!in_place && !Insert(result)) return std::nullopt;
    if (!RemoveOthers(in_place ? keeper->location : inserted_)) return std::nullopt;
    return result;
  }

 private:
  std::vector<ListEntry> Rows() const {
    std::vector<ListEntry> rows;
    for (const ListEntry& entry : list_->entries) {
      if (entry.op == wanted_.op && !entry.source.empty()) rows.push_back(entry);
    }
    return rows;
  }

  std::set<std::string> HaveRowAt(const Location& place) const {
    std::set<std::string> paths;
    for (const PrecisionList& list : lists_) {
      for (const ListEntry& entry : list.entries) {
        if (!entry.source.empty() && entry.location == place) paths.insert(list.path);
      }
    }
    return paths;
  }

  // Reports an error unless the user named all lists that share the row.
  bool AreNamed(const std::set<std::string>& paths, const ListEntry& row) {
    if (std::includes(named_.begin(), named_.end(), paths.begin(), paths.end())) return true;
    std::string labels;
    for (const PrecisionList& list : lists_) {
      if (!paths.contains(list.path)) continue;
      labels += (labels.empty() ? "" : ", ") + list.Label() + " (" + list.path + ")";
    }
    diagnostics_.Error(row.location,
                       "the rows of '" + row.source + "' belong to several lists: " + labels,
                       "name each with --list; all of them change");
    return false;
  }

  // Reports an error if several lists of the framework contain the row.
  bool IsOfOneList(const Location& place) {
    const std::set<std::string> names = ListsWithRowAt(*list_, place);
    if (names.size() < 2) return true;
    return diagnostics_.Error(place, "the rows here belong to several lists: " + Join(names, ", "),
                              "edit the file by hand");
  }

  void Follow(const Edit& edit) {
    for (PrecisionList& list : lists_) FollowEdit(edit, list);
  }

  bool Insert(ClassifiedRow& result) {
    const auto added = InsertRow(*list_, wanted_.policy, wanted_.op, CommentOf(wanted_));
    if (!added) return SayWhatToWrite();
    ListEntry entry = *added->like;
    result.paths = HaveRowAt(entry.location);
    if (!AreNamed(result.paths, entry)) return false;
    const Edit edit = added->edit;
    const Span name = added->name;
    const InternedString source = entry.source;
    Follow(edit);
    const LineIndex lines(*list_->source_texts.at(edit.path));
    entry = ListEntry{};
    entry.op = wanted_.op;
    entry.policy = wanted_.policy;
    entry.source = source;
    entry.note = CommentOf(wanted_);
    entry.item = kItemOfRow;
    entry.location.path = edit.path;
    std::tie(entry.location.line, entry.location.column) = lines.At(name.begin);
    std::tie(entry.location.end_line, entry.location.end_column) = lines.At(name.end);
    for (PrecisionList& list : lists_) {
      if (result.paths.contains(list.path)) list.entries.push_back(entry);
    }
    inserted_ = entry.location;
    return true;
  }

  // Removes all rows of the operator except the one at `kept`. Starts with the last one, so that
  // locations of earlier ones stay valid.
  bool RemoveOthers(const Location& kept) {
    std::vector<ListEntry> rows = Rows();
    const auto at = std::find_if(rows.begin(), rows.end(),
                                 [&](const ListEntry& row) { return row.location == kept; });
    if (at != rows.end()) rows.erase(at);
    std::sort(rows.begin(), rows.end(),
              [](const ListEntry& a, const ListEntry& b) { return b.location < a.location; });
    for (const ListEntry& row : rows) {
      if (!AreNamed(HaveRowAt(row.location), row) || !IsOfOneList(row.location)) return false;
      const std::optional<Edit> edit = RemoveRow(*list_, row);
      if (!edit) {
        diagnostics_.Error(
            row.location,
            "the row of '" + wanted_.op + "' is not a literal, or is the last of a set",
            "remove it by hand");
        return false;
      }
      Follow(*edit);
    }
    return true;
  }

  // Reports an error that says what to write, because no literal has rows of the policy.
  bool SayWhatToWrite() {
    const std::string what = "the rows under '" + std::string(PolicyName(wanted_.policy)) +
                             "' of list '" + list_->Label() + "' are not literals";
    const auto row = WriteLike(*list_, wanted_.policy, wanted_.op);
    if (row && !IsOfOneList(row->like)) return false;
    if (row && row->conditional) {
      return diagnostics_.Error(row->like,
                                "the rows under '" + std::string(PolicyName(wanted_.policy)) +
                                    "' of list '" + list_->Label() + "' apply only in some builds",
                                "write this where it applies in all builds: " + row->line);
    }
    if (row) {
      diagnostics_.Error(row->like, what, "write this there: " + row->line);
      return false;
    }
    std::string hint = "edit the framework's source by hand";
    const std::vector<ListEntry> rows = Rows();
    if (!rows.empty() && list_->runs_unlisted.value_or(
                             list_->unlisted.value_or(Policy::kConditional)) == wanted_.policy) {
      hint = "without a row, the operator has this policy: remove " +
             ShownPlace(rows.front().location);
    }
    diagnostics_.Error({list_->path, 0, 0, 0, 0},
                       "the framework has no rows under '" +
                           std::string(PolicyName(wanted_.policy)) + "' for list '" +
                           list_->Label() + "'",
                       hint);
    return false;
  }

  std::vector<PrecisionList>& lists_;
  PrecisionList* list_ = nullptr;
  const Classification& wanted_;
  const std::set<std::string>& named_;
  Diagnostics& diagnostics_;
  Location inserted_;
};

}  // namespace

bool IsKeptInRows(const PrecisionList& list, const std::string& op) {
  if (list.derived_from.empty()) return false;
  return std::none_of(list.entries.begin(), list.entries.end(), [&](const ListEntry& entry) {
    return entry.op == op && entry.source.empty();
  });
}

std::optional<ClassifiedRow> ClassifyRow(std::vector<PrecisionList>& lists, const std::string& path,
                                         const Classification& wanted,
                                         const std::set<std::string>& named,
                                         Diagnostics& diagnostics) {
  return RowClassifier(lists, path, wanted, named, diagnostics).Run();
}

}  // namespace opledger
