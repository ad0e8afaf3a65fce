// Records end in NUL, so that names may contain any other byte.
// SPDX-License-Identifier: Apache-2.0
#include "checker/git/git_output.h"

#include <algorithm>
#include <utility>

#include "registry/platform/run_git.h"
#include "registry/project/contained_path.h"

namespace opledger {
namespace {

bool IsLink(std::string_view record) { return record.starts_with("120"); }
bool IsFile(std::string_view record) { return record.starts_with("100") || IsLink(record); }
bool IsSubmodule(std::string_view record) { return record.starts_with("160"); }

template <typename Entry>
void SortByPath(std::vector<Entry>& entries) {
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.path < b.path; });
}

}  // namespace

void ListingReader::Add(std::string_view record) {
  const std::size_t tab = record.find('\t');
  if (tab == std::string_view::npos || (!IsFile(record) && !IsSubmodule(record))) return;
  const std::string_view head = record.substr(0, tab);
  const std::size_t first = head.find(' ') + 1;
  const std::size_t second = head.find(' ', first);
  if (second == std::string_view::npos) return;
  if (is_index_ && head.substr(second) != " 0") return;
  const std::string_view id =
      is_index_ ? head.substr(first, second - first) : head.substr(second + 1);
  std::string path(record.substr(tab + 1));
  if (!StaysBelow(path)) return;
  if (IsSubmodule(record)) {
    listing_.submodules.push_back({std::move(path), std::string(id), ""});
  } else {
    listing_.files.push_back({std::move(path), std::string(id), IsLink(record)});
  }
}

GitListing ListingReader::Take() {
  SortByPath(listing_.files);
  SortByPath(listing_.submodules);
  return std::exchange(listing_, {});
}

namespace {

// `read` is ReadGit or ReadGitOf; `place` is its first argument.
std::optional<GitListing> ListBy(decltype(ReadGit) read, const std::string& place,
                                 const std::vector<std::string>& arguments,
                                 Diagnostics& diagnostics) {
  ListingReader reader(arguments.front() == "ls-files");
  const TakeRecord add = [&](std::string_view record) {
    reader.Add(record);
    return true;
  };
  if (read(place, arguments, {'\0'}, add, diagnostics) != 0) return std::nullopt;
  return reader.Take();
}

}  // namespace

std::optional<GitListing> ListFiles(const std::string& folder,
                                    const std::vector<std::string>& arguments,
                                    Diagnostics& diagnostics) {
  return ListBy(ReadGit, folder, arguments, diagnostics);
}

std::optional<GitListing> ListFilesOf(const std::string& git_dir,
                                      const std::vector<std::string>& arguments,
                                      Diagnostics& diagnostics) {
  return ListBy(ReadGitOf, git_dir, arguments, diagnostics);
}

}  // namespace opledger
