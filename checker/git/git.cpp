// rev-parse names the commit, ls-tree its files, cat-file gives their bytes.
// SPDX-License-Identifier: Apache-2.0
#include "checker/git/git.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string_view>
#include <vector>

#include "registry/platform/files.h"
#include "registry/platform/open_file.h"
#include "registry/platform/platform.h"
#include "registry/project/contained_path.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

// More than the scanner reads of a file. One that is larger is written as long as it is, without
// its bytes: the scan of the folder then reports it as it does in the tree.
constexpr std::size_t kLargestFile = std::size_t{64} << 20U;

struct TreeFile {
  std::string id;
  std::string path;
  bool is_link = false;
  std::size_t too_large = 0;  // its size, where that is known and more than is written
};

bool IsLink(std::string_view record) { return record.starts_with("120"); }
bool IsFile(std::string_view record) { return record.starts_with("100") || IsLink(record); }

// "100644 blob ID    SIZE\tPATH": files that are none or at no sane place are left out.
std::vector<TreeFile> ReadTree(std::string_view listing) {
  std::vector<TreeFile> files;
  while (!listing.empty()) {
    const std::size_t end = std::min(listing.find('\0'), listing.size());
    const std::string_view record = listing.substr(0, end);
    listing.remove_prefix(std::min(end + 1, listing.size()));
    const std::size_t tab = record.find('\t');
    if (tab == std::string_view::npos || !IsFile(record)) continue;
    const std::string_view head = record.substr(0, tab);
    const std::size_t id = head.find(' ', 7) + 1;
    const std::size_t id_end = head.find(' ', id);
    if (id_end == std::string_view::npos) continue;
    const auto size = std::strtoull(std::string(head.substr(id_end)).c_str(), nullptr, 10);
    TreeFile file = {std::string(head.substr(id, id_end - id)), std::string(record.substr(tab + 1)),
                     IsLink(record), size > kLargestFile ? size : 0};
    if (StaysBelow(file.path)) files.push_back(std::move(file));
  }
  return files;
}

// "100644 ID 0\tPATH"; entries of a conflict, which have other numbers than 0, are left out.
std::vector<TreeFile> ReadIndex(std::string_view listing) {
  std::vector<TreeFile> files;
  while (!listing.empty()) {
    const std::size_t end = std::min(listing.find('\0'), listing.size());
    const std::string_view record = listing.substr(0, end);
    listing.remove_prefix(std::min(end + 1, listing.size()));
    const std::size_t tab = record.find('\t');
    const std::size_t id = record.find(' ') + 1;
    const std::size_t id_end = record.find(' ', id);
    if (tab == std::string_view::npos || id_end > tab || !IsFile(record)) continue;
    TreeFile file = {std::string(record.substr(id, id_end - id)),
                     std::string(record.substr(tab + 1)), IsLink(record), 0};
    if (record.substr(id_end, tab - id_end) == " 0" && StaysBelow(file.path)) {
      files.push_back(std::move(file));
    }
  }
  return files;
}

bool WriteOut(const fs::path& path, std::string_view bytes, std::size_t size = 0) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  // In a folder of our own, where nothing is that a name could lead through.
  const Descriptor out(OpenNew(path, 0600));
  if (out.get() < 0 || !WriteAll(out.get(), bytes)) return false;
  return size <= bytes.size() || ftruncate(out.get(), static_cast<off_t>(size)) == 0;
}

// Path -> target of symbolic links, made when all files are written, so that none is written
// through one. What leads out of the folder, by itself or through others, goes again.
void MakeLinks(const std::map<fs::path, std::string>& links, const std::string& folder) {
  std::error_code ignored;
  for (const auto& [path, target] : links) {
    fs::create_directories(path.parent_path(), ignored);
    fs::create_symlink(target, path, ignored);
  }
  for (const auto& [path, target] : links) {
    const bool is_link = fs::is_symlink(fs::symlink_status(path, ignored));
    if (is_link && !IsInside(path, folder)) fs::remove(path, ignored);
  }
}

// "ID blob SIZE\n", the bytes, "\n", for each file in turn.
bool WriteFiles(const std::vector<TreeFile>& files, std::string_view batch,
                const std::string& folder) {
  std::map<fs::path, std::string> links;
  for (const TreeFile& file : files) {
    const fs::path path = fs::path(folder) / file.path;
    if (file.too_large > 0) {
      if (!WriteOut(path, {}, file.too_large)) return false;
      continue;
    }
    const std::size_t line = batch.find('\n');
    if (line == std::string_view::npos) return false;
    const std::string head(batch.substr(0, line));
    const std::size_t size = std::strtoull(head.c_str() + head.rfind(' '), nullptr, 10);
    if (!head.starts_with(file.id) || size > batch.size() - line - 1) return false;
    const std::string_view bytes = batch.substr(line + 1, size);
    if (file.is_link) {
      links.emplace(path, bytes);
    } else if (!WriteOut(path, size <= kLargestFile ? bytes : std::string_view(), size)) {
      return false;
    }
    batch.remove_prefix(std::min(line + 1 + size + 1, batch.size()));
  }
  MakeLinks(links, folder);
  return true;
}

bool ExtractFiles(const std::vector<TreeFile>& files, const std::string& what,
                  const std::string& folder, Diagnostics& diagnostics) {
  std::string ids;
  for (const TreeFile& file : files) {
    if (file.too_large == 0) ids += file.id + '\n';
  }
  std::string batch;
  const bool read = RunGit({"cat-file", "--batch"}, ids, batch, diagnostics) == 0;
  if (read && WriteFiles(files, batch, folder)) return true;
  return diagnostics.Error({}, "cannot extract the files of " + what + " from git",
                           "is the disk full?");
}

}  // namespace

bool ExportRevision(const std::string& revision, const std::string& folder,
                    Diagnostics& diagnostics) {
  std::string commit;
  const auto fail = [&](const std::string& message, const std::string& hint) {
    return diagnostics.Error({}, message, hint);
  };
  const auto git = [&](const std::vector<std::string>& arguments, const std::string& input,
                       std::string& output) {
    return RunGit(arguments, input, output, diagnostics) == 0;
  };
  if (!git({"rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"}, "",
           commit) ||
      commit.size() < 41) {
    if (diagnostics.has_errors()) return false;
    // Before the first commit HEAD names a branch that is not there yet, and holds no file.
    if (revision == "HEAD" && git({"symbolic-ref", "--quiet", "HEAD"}, "", commit)) return true;
    return fail("there is no revision '" + revision + "' here",
                "name a commit, branch or tag of the git repository that holds the project; a "
                "shallow clone may not have it");
  }
  commit.pop_back();
  std::string listing;
  if (!git({"ls-tree", "-r", "-z", "-l", commit}, "", listing)) {
    return fail("cannot read the files of '" + revision + "'", "");
  }
  return ExtractFiles(ReadTree(listing), "'" + revision + "'", folder, diagnostics);
}

bool ExportStaged(const std::string& folder, Diagnostics& diagnostics) {
  std::string listing;
  if (RunGit({"ls-files", "--stage", "-z"}, "", listing, diagnostics) != 0) {
    if (!diagnostics.has_errors()) {
      diagnostics.Error({}, "cannot read what is staged", "is this a git repository?");
    }
    return false;
  }
  return ExtractFiles(ReadIndex(listing), "the index", folder, diagnostics);
}

}  // namespace opledger
