// The source tree of a scan. In: a root, a dialect, a compile database. Out: the files with their
// bytes, outlines and includes, and which paths exist.
// May include: registry/condition, registry/dialect, registry/json, registry/manifest,
// registry/platform, registry/project, registry/python, registry/source, registry/text,
// registry/scan/cache, registry/scan/outline, registry/scan/workers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "registry/condition/condition.h"
#include "registry/scan/cache/digest.h"
#include "registry/scan/outline/outline.h"
#include "registry/source/source.h"

namespace opledger::scan {

// What a compiler is given for a unit besides its text.
struct CommandLine {
  Defines defines;                   // the name of a macro with parameters includes them: "R(x)"
  std::vector<std::string> headers;  // of -include and -imacros, spelled as in an #include

  bool operator==(const CommandLine&) const = default;
};
// Adds the whole command line to a key.
void AddCommand(const CommandLine& command, DigestBuilder& digest);

struct SourceFile {
  std::string path;  // relative to the root with '/', or absolute if outside
  bool regular = true;
  FileStamp stamp;
  Digest content;
  Outline outline;
  std::vector<int> includes;       // files that its #includes resolve to, in order, unique
  std::vector<int> include_files;  // one per Outline::includes; -1 if not found
  bool is_unit = false;            // a translation unit of this scan, not only a header
  bool included = false;           // some file of this scan includes it
  CommandLine command;
};

class SourceTree {
 public:
  // `include_directories` are relative to the source's root, or absolute.
  SourceTree(Source source, const std::vector<std::string>& include_directories);

  const Source& source() const { return source_; }
  const std::string& root() const { return source_.root(); }
  std::vector<SourceFile>& files() { return files_; }
  const std::vector<SourceFile>& files() const { return files_; }
  const std::vector<std::string>& include_directories() const { return include_directories_; }

  // Returns the index of the file at `path` (normalized); -1 if there is none. Examines it once.
  int Find(const std::string& path);
  // Paths that could not be examined, with errno. Whether they exist is not known.
  const std::map<std::string, int>& unexamined() const { return unexamined_; }
  // Like Find, but only for paths that were looked up before.
  int Known(const std::string& path) const;
  // Restricts Find() to these files.
  void CloseTo(std::vector<SourceFile> files);
  // Replaces the files by these, in this order, and closes the tree.
  void Restore(std::vector<SourceFile> files);
  // Returns the file that an #include of `includer` names; -1 if there is none.
  int Resolve(int includer, const Include& include);
  // Returns the path of the file that __has_include finds; "" if there is none. Does not add it to
  // the tree.
  std::string HeaderAskedFor(int includer, const std::string& target, bool angled);
  // Returns a path as the tree spells it.
  std::string PathInTree(const std::string& path) const;
  std::string Absolute(const std::string& path) const { return source_.Absolute(path); }
  // Returns the folders that contain all files of the tree.
  std::vector<std::string> Readable() const;
  // Returns the folders of all paths that were looked up, found or not, sorted. Returns nullopt if
  // the name of a path satisfies `is_ignored`.
  std::optional<std::vector<std::string>> SearchedFolders(bool is_ignored(std::string_view)) const;

 private:
  bool IsFolder(const std::string& path);
  bool IsFile(const std::string& path);

  Source source_;
  std::vector<std::string> include_directories_;
  std::map<std::string, int> unexamined_;
  std::vector<SourceFile> files_;
  bool closed_ = false;
  std::unordered_map<std::string, SourceFile> offered_;  // files of a closed tree
  std::unordered_map<std::string, int> by_path_;         // -1: nothing there
  std::unordered_map<std::string, int> by_target_;       // found through the include directories
  std::unordered_map<std::string, bool> asked_;          // whether a file is there
};

// Returns the bytes of a regular file, followed by a NUL; nullopt if it cannot be read (errno is
// set). A path below the root is not read through a link that leads outside.
std::optional<std::string> ReadSource(const Source& source, const std::string& path);
// Returns why ReadSource failed, by errno.
std::string WhyUnread(int error);

// "a/./b/../c" -> "a/c"; keeps leading "..".
std::string NormalPath(std::string_view path);

}  // namespace opledger::scan
