// Reads every file below the root. Only statistics need this, which may take longer than a scan.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/ledger/outside.h"

#include <algorithm>
#include <cstdio>

#include "registry/scan/tree/file_list.h"
#include "registry/text/diagnostics.h"
#include "registry/text/glob.h"

namespace opledger::scan {
namespace {

class Search {
 public:
  Search(const SourceTree& tree, const Dialect& dialect, const NameSet& leading)
      : tree_(tree), dialect_(dialect), leading_(leading) {}

  OutsideMentions Run() {
    Folder("");
    return std::move(outside_);
  }

 private:
  bool MayRegister(const std::string& path) const {
    return IsCode(path) || dialect_.HasExtension(path);
  }

  void Folder(const std::string& folder) {
    std::vector<FolderEntry> entries;
    tree_.source().List(folder, entries);  // the listing of sources reports unreadable folders
    for (const FolderEntry& entry : entries) {
      if (entry.name == ".git") continue;
      const std::string path = folder.empty() ? entry.name : folder + '/' + entry.name;
      const bool is_folder = entry.kind == PathKind::kUnknown
                                 ? tree_.source().ExamineLink(path).kind == PathKind::kFolder
                                 : entry.kind == PathKind::kFolder;
      if (is_folder) {
        Folder(path);
      } else {
        Look(path, folder);
      }
    }
  }

  void Look(const std::string& path, const std::string& folder) {
    if (!MayRegister(path) || tree_.Known(path) >= 0) return;
    const std::optional<std::string> text = ReadSource(tree_.source(), path);
    if (!text) return;
    const int mentions = Count(*text, path);
    if (mentions == 0) return;
    if (GlobMatchAny(dialect_.exclude, path)) {
      outside_.excluded += mentions;
    } else {
      outside_.folders[folder.empty() ? "." : folder] += mentions;
    }
  }

  int Count(std::string_view text, const std::string& path) const {
    const bool any = std::any_of(leading_.begin(), leading_.end(), [&](const std::string& name) {
      return text.find(name) != std::string_view::npos;
    });
    if (!any) return 0;
    if (text.ends_with('\0')) text.remove_suffix(1);
    const Outline none;
    const std::vector<Mention> mentions = FindMentions(text, none, leading_);
    return static_cast<int>(
        std::count_if(mentions.begin(), mentions.end(), [&](const Mention& mention) {
          return mention.form == Mention::Form::kUse && !dialect_.IsExcepted(mention.name, path);
        }));
  }

  const SourceTree& tree_;
  const Dialect& dialect_;
  const NameSet& leading_;
  OutsideMentions outside_;
};

}  // namespace

OutsideMentions FindOutside(const SourceTree& tree, const Dialect& dialect,
                            const NameSet& leading) {
  return Search(tree, dialect, leading).Run();
}

std::string OutsideText(const OutsideMentions& outside) {
  if (outside.folders.empty()) return {};
  std::string text = "outside the sources\n";
  for (const auto& [folder, count] : outside.folders) {
    char number[32];
    std::snprintf(number, sizeof number, "  %7d  ", count);
    text += number + Printable(folder.empty() ? "." : folder) + "\n";
  }
  return text;
}

}  // namespace opledger::scan
