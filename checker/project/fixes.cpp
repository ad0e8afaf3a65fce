// Applies edits in rounds and reads the lists again after each, because an edit is valid only for
// the text it was made for.
// SPDX-License-Identifier: Apache-2.0
#include "checker/project/fixes.h"

#include <algorithm>
#include <set>

#include "checker/edit/edit.h"
#include "checker/edit/source_rows.h"

namespace opledger {
namespace {

bool BlankOrComma(std::string_view text) {
  return text.find_first_not_of(" \t\r\n,") == std::string_view::npos;
}

std::set<std::string> PathsToFix(const std::vector<Finding>& findings, const Project& project) {
  std::set<std::string> paths;
  for (const Finding& finding : findings) {
    for (const Suggestion& suggestion : finding.suggestions) {
      if (!suggestion.safe) continue;
      for (const Edit& edit : suggestion.edits) {
        if (!IsShipped(project.source().Absolute(edit.path))) paths.insert(edit.path);
      }
    }
  }
  return paths;
}

// Applies edits from last to first, so that offsets stay valid.
std::string Applied(std::string text, const std::vector<Edit>& edits) {
  for (std::size_t i = edits.size(); i-- > 0;) text = ApplyEdit(std::move(text), edits[i]);
  return text;
}

class Fixing {
 public:
  Fixing(CheckedProject& checked, FilteredFindings& filtered, Diagnostics& diagnostics)
      : checked_(checked), filtered_(filtered), diagnostics_(diagnostics) {}

  std::optional<Fixes> Run() {
    const std::size_t before = filtered_.counted.size();
    // Each round removes half of the adjacent entries.
    while (Round()) {
    }
    if (diagnostics_.has_errors()) return std::nullopt;
    const std::size_t after = filtered_.counted.size();
    fixes_.findings = static_cast<int>(before > after ? before - after : 0);
    return std::move(fixes_);
  }

 private:
  bool Round() {
    bool any = false;
    for (const std::string& path : PathsToFix(filtered_.counted, *checked_.project)) {
      const std::string text(checked_.lines->Bytes(path));
      const std::vector<Edit> edits = EditsAtOnce(filtered_.counted, path, text);
      if (edits.empty()) continue;
      FixedFile& file = fixes_.files.try_emplace(path, FixedFile{text, {}}).first->second;
      file.after = Applied(text, edits);
      checked_.lines->Replace(path, file.after);
      if (!TakeList(path, file.after)) {
        TakeRows(path, edits);
        TakeSource(path, edits, text);
      }
      any = true;
    }
    if (!any || diagnostics_.has_errors()) return false;
    checked_.MakeIndex();
    filtered_ = FindingsOf(checked_);
    return true;
  }

  bool TakeList(const std::string& path, const std::string& text) {
    for (PrecisionList& list : checked_.lists) {
      if (list.path != path) continue;
      std::optional<PrecisionList> read = ParsePrecisionList(path, text, diagnostics_);
      if (!read) return true;
      read->inherited = std::move(list.inherited);
      if (list.IsDerived()) KeepRows(list, *read);
      list = std::move(*read);
      return true;
    }
    return false;
  }

  // Keeps the derived rows, because only the file's own entries were edited.
  static void KeepRows(PrecisionList& list, PrecisionList& read) {
    std::vector<ListEntry> own = std::move(read.entries);
    read.base = std::move(list.base);
    read.source_lists = std::move(list.source_lists);
    read.source_texts = std::move(list.source_texts);
    read.overridden = std::move(list.overridden);
    read.unsourced = std::move(list.unsourced);
    read.unused_annotations = std::move(list.unused_annotations);
    read.whole = list.whole;
    read.runs_unlisted = list.runs_unlisted;
    read.entries.clear();
    const auto has_row = [&](const ListEntry& entry) {
      return std::any_of(list.entries.begin(), list.entries.end(), [&](const ListEntry& row) {
        return !row.source.empty() && row.op == entry.op;
      });
    };
    std::copy_if(own.begin(), own.end(), std::back_inserter(read.entries),
                 [&](const ListEntry& entry) { return !has_row(entry); });
    std::copy_if(list.entries.begin(), list.entries.end(), std::back_inserter(read.entries),
                 [](const ListEntry& entry) { return !entry.source.empty(); });
  }

  // Safe edits may remove rows that the framework keeps in this file.
  void TakeRows(const std::string& path, const std::vector<Edit>& edits) {
    for (PrecisionList& list : checked_.lists) {
      if (!list.source_texts.contains(path)) continue;
      for (std::size_t i = edits.size(); i-- > 0;) FollowEdit(edits[i], list);
    }
  }

  // Removes suppressions, and moves the locations of the lines below up.
  void TakeSource(const std::string& path, const std::vector<Edit>& edits,
                  const std::string& text) {
    for (std::size_t i = edits.size(); i-- > 0;) {
      const Edit& edit = edits[i];
      const auto begin = text.begin() + static_cast<std::ptrdiff_t>(edit.offset);
      const auto lines = static_cast<int>(
          std::count(begin, begin + static_cast<std::ptrdiff_t>(edit.length), '\n') -
          std::count(edit.text.begin(), edit.text.end(), '\n'));
      const int line = 1 + static_cast<int>(std::count(text.begin(), begin, '\n'));
      std::erase_if(checked_.suppressions, [&](const Suppression& each) {
        return each.location.path == path && each.bytes.begin == edit.offset;
      });
      MoveUp(path, line, lines);
    }
  }

  void MoveUp(const std::string& path, int after, int lines) {
    const auto move = [&](Location& location) {
      if (location.path != path || location.line <= after) return;
      location.line -= lines;
      location.end_line -= lines;
    };
    for (Operator& op : checked_.manifest->operators) {
      for (Site& site : op.sites) {
        move(site.location);
        move(site.call);
      }
      for (Alias& alias : op.aliases) move(alias.location);
    }
    for (Incomplete& incomplete : checked_.manifest->incomplete) move(incomplete.location);
    for (Suppression& suppression : checked_.suppressions) {
      move(suppression.location);
      if (suppression.location.path == path && suppression.line > after) suppression.line -= lines;
    }
  }

  CheckedProject& checked_;
  FilteredFindings& filtered_;
  Diagnostics& diagnostics_;
  Fixes fixes_;
};

}  // namespace

std::vector<Edit> EditsAtOnce(const std::vector<Finding>& findings, const std::string& path,
                              std::string_view text) {
  std::vector<Edit> all;
  for (const Finding& finding : findings) {
    for (const Suggestion& suggestion : finding.suggestions) {
      if (!suggestion.safe) continue;
      for (const Edit& edit : suggestion.edits) {
        if (edit.path == path && edit.offset + edit.length <= text.size()) all.push_back(edit);
      }
    }
  }
  std::sort(all.begin(), all.end(),
            [](const Edit& a, const Edit& b) { return a.offset < b.offset; });
  std::vector<Edit> chosen;
  for (const Edit& edit : all) {
    if (!chosen.empty()) {
      const std::size_t end = chosen.back().offset + chosen.back().length;
      if (edit.offset < end || BlankOrComma(text.substr(end, edit.offset - end))) continue;
    }
    chosen.push_back(edit);
  }
  return chosen;
}

std::optional<Fixes> MakeFixes(CheckedProject& checked, FilteredFindings& filtered,
                               Diagnostics& diagnostics) {
  return Fixing(checked, filtered, diagnostics).Run();
}

}  // namespace opledger
