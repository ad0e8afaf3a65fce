// Records end in NUL, so that a name may hold everything else.
// SPDX-License-Identifier: Apache-2.0
#include "checker/git/git_output.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "registry/project/contained_path.h"

namespace opledger {
namespace {

constexpr std::size_t kLongestHead = 256;

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

bool BatchReader::Take(std::string_view piece) {
  while (!piece.empty()) {
    if (left_ > 0) {
      const std::string_view bytes = piece.substr(0, std::min<std::size_t>(left_, piece.size()));
      piece.remove_prefix(bytes.size());
      left_ -= bytes.size();
      if (!taker_.take(bytes)) return false;
      ends_ = left_ == 0;
    } else if (ends_) {
      if (piece.front() != '\n') return false;
      piece.remove_prefix(1);
      ends_ = false;
    } else if (!TakeHead(piece)) {
      return false;
    }
  }
  return true;
}

bool BatchReader::TakeHead(std::string_view& piece) {
  const std::size_t line = piece.find('\n');
  head_.append(piece.substr(0, line));
  if (head_.size() >= kLongestHead) return false;
  if (line == std::string_view::npos) {
    piece = {};
    return true;
  }
  piece.remove_prefix(line + 1);
  const std::string kind = " blob ";
  if (next_ == files_.size()) return false;
  const TreeFile& file = files_[next_++];
  if (head_ == file.id + " missing") {
    absent_.push_back(file.path);
    head_.clear();
    return true;
  }
  if (!head_.starts_with(file.id + kind)) return false;
  const char* const end = head_.data() + head_.size();
  const auto parsed = std::from_chars(head_.data() + file.id.size() + kind.size(), end, left_);
  if (parsed.ec != std::errc() || parsed.ptr != end) return false;
  ends_ = left_ == 0;
  head_.clear();
  return taker_.begin(file, left_);
}

}  // namespace opledger
