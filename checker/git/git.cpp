// rev-parse names the tree, ls-tree its files, ls-files those of the index, cat-file gives bytes.
// SPDX-License-Identifier: Apache-2.0
#include "checker/git/git.h"

#include <algorithm>
#include <cstdlib>

#include "registry/platform/files.h"
#include "registry/platform/platform.h"
#include "registry/project/contained_path.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

bool IsLink(std::string_view record) { return record.starts_with("120"); }
bool IsFile(std::string_view record) { return record.starts_with("100") || IsLink(record); }

// "100644 blob ID\tPATH" of a tree, "100644 ID 0\tPATH" of the index, where another number than 0
// is one side of a conflict.
std::vector<TreeFile> ReadListing(std::string_view listing, bool is_index) {
  std::vector<TreeFile> files;
  while (!listing.empty()) {
    const std::size_t end = std::min(listing.find('\0'), listing.size());
    const std::string_view record = listing.substr(0, end);
    listing.remove_prefix(std::min(end + 1, listing.size()));
    const std::size_t tab = record.find('\t');
    if (tab == std::string_view::npos || !IsFile(record)) continue;
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

// "ID blob SIZE\n", the bytes, "\n", for each file in turn.
class BatchReader {
 public:
  // `absent`: gets the files whose blobs a partial clone does not have.
  BatchReader(const std::vector<TreeFile>& files, const BlobTaker& taker,
              std::vector<std::string>& absent)
      : files_(files), taker_(taker), absent_(absent) {}

  bool Take(std::string_view piece) {
    while (!piece.empty()) {
      if (left_ > 0) {
        const std::string_view bytes = piece.substr(0, std::min<std::size_t>(left_, piece.size()));
        piece.remove_prefix(bytes.size());
        left_ -= bytes.size();
        if (!taker_.take(bytes)) return false;
        ends_ = left_ == 0;
      } else if (ends_) {
        piece.remove_prefix(1);
        ends_ = false;
      } else if (!TakeHead(piece)) {
        return false;
      }
    }
    return true;
  }
  bool AtEnd() const { return next_ == files_.size() && left_ == 0 && head_.empty(); }

 private:
  bool TakeHead(std::string_view& piece) {
    const std::size_t line = piece.find('\n');
    head_.append(piece.substr(0, line));
    if (line == std::string_view::npos) {
      piece = {};
      return head_.size() < 256;
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
    left_ = std::strtoull(head_.c_str() + file.id.size() + kind.size(), nullptr, 10);
    ends_ = left_ == 0;
    head_.clear();
    return taker_.begin(file, left_);
  }

  const std::vector<TreeFile>& files_;
  const BlobTaker& taker_;
  std::vector<std::string>& absent_;
  std::size_t next_ = 0;
  std::string head_;        // as far as it came
  std::uint64_t left_ = 0;  // of the blob
  bool ends_ = false;       // a newline follows
};

}  // namespace

// Nothing is fetched. Settings have to be there; of other files it is enough to say so, since most
// lie where no operator is registered.
bool TellAbsent(const std::vector<std::string>& absent, const std::string& what,
                Diagnostics& diagnostics) {
  if (absent.empty()) return true;
  const auto settings = std::find_if(absent.begin(), absent.end(), [](const std::string& path) {
    return path.substr(path.rfind('/') + 1) == "opledger.json";
  });
  const std::string hint =
      "git fetches one that it reads, as with `git show REVISION:FILE`; what "
      "they register is not seen there";
  if (settings != absent.end()) {
    return diagnostics.Error({*settings, 0, 0, 0, 0},
                             "this partial clone does not have this file of " + what, hint);
  }
  diagnostics.Warning(
      {absent.front(), 0, 0, 0, 0},
      "this partial clone does not have " + Counted(absent.size(), "file") + " of " + what, hint);
  return true;
}

std::optional<std::string> FindTree(const std::string& revision, Diagnostics& diagnostics) {
  std::string tree;
  const auto git = [&](const std::vector<std::string>& arguments) {
    return RunGit(arguments, "", tree, diagnostics) == 0;
  };
  const std::string name = revision + "^{commit}^{tree}";
  if (git({"rev-parse", "--verify", "--quiet", "--end-of-options", name}) && tree.size() > 40) {
    tree.pop_back();
    return tree;
  }
  if (diagnostics.has_errors()) return std::nullopt;
  // Before the first commit HEAD names a branch that is not there yet, and holds no file.
  if (revision == "HEAD" && git({"symbolic-ref", "--quiet", "HEAD"})) return std::string();
  return diagnostics.Error({}, "there is no revision '" + revision + "' here",
                           "name a commit, branch or tag of the git repository that holds the "
                           "project; a shallow clone may not have it");
}

std::optional<TreeListing> ListTree(const std::string& tree, const std::string& revision,
                                    Diagnostics& diagnostics) {
  std::string listing;
  if (tree.empty()) return TreeListing{};
  if (RunGit({"ls-tree", "-r", "-z", tree}, "", listing, diagnostics) != 0) {
    return diagnostics.Error({}, "cannot read the files of '" + revision + "'");
  }
  return TreeListing{tree, "'" + revision + "'", ReadListing(listing, false)};
}

void WarnOfSparseCheckout(Diagnostics& diagnostics) {
  std::string output;
  Diagnostics ignored;
  if (RunGit({"config", "--bool", "core.sparseCheckout"}, "", output, ignored) != 0) return;
  if (output != "true\n" || RunGit({"ls-files", "-t", "-z"}, "", output, ignored) != 0) return;
  std::size_t left_out = 0;
  for (const std::string_view file : SplitAt(output, '\0')) left_out += file.starts_with("S ");
  if (left_out == 0) return;
  diagnostics.Warning({},
                      "the working tree is a sparse checkout, without " +
                          Counted(left_out, "file") +
                          " that git has: what they register is "
                          "taken for gone",
                      "check with --staged, which sees them, or add their folders with `git "
                      "sparse-checkout add`");
}

std::optional<TreeListing> ListStaged(Diagnostics& diagnostics) {
  std::string listing;
  if (RunGit({"ls-files", "--unmerged", "-z"}, "", listing, diagnostics) == 0 && !listing.empty()) {
    const std::size_t tab = listing.find('\t') + 1;
    return diagnostics.Error({listing.substr(tab, listing.find('\0') - tab), 0, 0, 0, 0},
                             "this file is in conflict: a merge is not finished",
                             "resolve it and `git add` it");
  }
  if (RunGit({"ls-files", "--stage", "-z"}, "", listing, diagnostics) == 0) {
    return TreeListing{"", "the index", ReadListing(listing, true)};
  }
  if (!diagnostics.has_errors()) {
    diagnostics.Error({}, "cannot read what is staged", "is this a git repository?");
  }
  return std::nullopt;
}

bool ReadBlobs(const std::vector<TreeFile>& files, const BlobTaker& taker,
               std::vector<std::string>& absent, Diagnostics& diagnostics) {
  if (files.empty()) return true;
  std::string ids;
  for (const TreeFile& file : files) ids += file.id + '\n';
  BatchReader reader(files, taker, absent);
  const auto take = [&](std::string_view piece) { return reader.Take(piece); };
  return RunGit({"cat-file", "--batch"}, ids, take, diagnostics) == 0 && reader.AtEnd();
}

}  // namespace opledger
