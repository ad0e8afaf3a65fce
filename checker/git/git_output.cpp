// Records end in NUL, so that a name may hold everything else.
// SPDX-License-Identifier: Apache-2.0
#include "checker/git/git_output.h"

#include <algorithm>

#include "registry/project/contained_path.h"

namespace opledger {
namespace {

bool IsLink(std::string_view record) { return record.starts_with("120"); }
bool IsFile(std::string_view record) { return record.starts_with("100") || IsLink(record); }
bool IsSubmodule(std::string_view record) { return record.starts_with("160"); }

std::vector<TreeFile> ParseRecords(std::string_view listing, bool is_index,
                                   bool is_wanted(std::string_view)) {
  std::vector<TreeFile> files;
  while (!listing.empty()) {
    const std::size_t end = std::min(listing.find('\0'), listing.size());
    const std::string_view record = listing.substr(0, end);
    listing.remove_prefix(std::min(end + 1, listing.size()));
    const std::size_t tab = record.find('\t');
    if (tab == std::string_view::npos || !is_wanted(record)) continue;
    const std::string_view head = record.substr(0, tab);
    const std::size_t first = head.find(' ') + 1;
    const std::size_t second = head.find(' ', first);
    if (second == std::string_view::npos) continue;
    if (is_index && head.substr(second) != " 0") continue;
    const std::string_view id =
        is_index ? head.substr(first, second - first) : head.substr(second + 1);
    TreeFile file = {std::string(record.substr(tab + 1)), std::string(id), IsLink(record)};
    if (StaysBelow(file.path)) files.push_back(std::move(file));
  }
  std::sort(files.begin(), files.end(),
            [](const TreeFile& a, const TreeFile& b) { return a.path < b.path; });
  return files;
}

}  // namespace

std::vector<TreeFile> ParseListing(std::string_view listing, bool is_index) {
  return ParseRecords(listing, is_index, IsFile);
}

std::vector<Submodule> ParseSubmodules(std::string_view listing, bool is_index) {
  std::vector<Submodule> submodules;
  for (TreeFile& each : ParseRecords(listing, is_index, IsSubmodule)) {
    submodules.push_back({std::move(each.path), std::move(each.id), ""});
  }
  return submodules;
}

}  // namespace opledger
