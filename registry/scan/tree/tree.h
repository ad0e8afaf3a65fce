// The source tree of a scan. In: a root, a dialect, a compile database; out: the files with their
// bytes, outlines and includes, and which exist at all.
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

// What a compiler is told of a unit beside its text.
struct CommandLine {
  Defines defines;                   // a macro with parameters is named with them: "R(x)"
  std::vector<std::string> headers;  // of -include and -imacros, as an #include would name them

  bool operator==(const CommandLine&) const = default;
};
// Adds all of it to a key.
void AddCommand(const CommandLine& command, DigestBuilder& digest);

struct SourceFile {
  std::string path;  // relative to the root with '/', or absolute outside it
  bool regular = true;
  FileStamp stamp;
  Digest content;
  Outline outline;
  std::vector<int> includes;       // files its #includes resolve to, in order, each once
  std::vector<int> include_files;  // the same, one per Outline::includes; -1: none
  bool is_unit = false;            // a translation unit of this scan, not only a header
  bool included = false;           // by some file of this scan
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

  // The index of the file at `path` (normalised), or -1 where nothing is; examines it once.
  int Find(const std::string& path);
  // Paths that could not be examined, with errno: whether there are files is not known.
  const std::map<std::string, int>& unexamined() const { return unexamined_; }
  // The same for what was found before.
  int Known(const std::string& path) const;
  // From now on nothing exists but these files; Find() looks nowhere else.
  void CloseTo(std::vector<SourceFile> files);
  // These are the files, in this order.
  void Restore(std::vector<SourceFile> files);
  // The file an #include of `includer` names, or -1.
  int Resolve(int includer, const Include& include);
  // The path of the one that __has_include finds; empty: there is none. What is found only so is no
  // file of the tree.
  std::string HeaderAskedFor(int includer, const std::string& target, bool angled);
  // A path as the tree has it.
  std::string PathInTree(const std::string& path) const;
  std::string Absolute(const std::string& path) const { return source_.Absolute(path); }
  // The folders that all its files are in.
  std::vector<std::string> Readable() const;
  // The folders of all paths that were looked up, found or not, sorted; none where a path has a
  // name that `is_ignored` holds for.
  std::optional<std::vector<std::string>> SearchedFolders(bool is_ignored(std::string_view)) const;

 private:
  bool IsFolder(const std::string& path);
  bool IsFile(const std::string& path);

  Source source_;
  std::vector<std::string> include_directories_;
  std::map<std::string, int> unexamined_;
  std::vector<SourceFile> files_;
  bool closed_ = false;
  std::unordered_map<std::string, SourceFile> offered_;  // to a closed tree: what Find() may find
  std::unordered_map<std::string, int> by_path_;         // -1: nothing there
  std::unordered_map<std::string, int> by_target_;       // through the include directories
  std::unordered_map<std::string, bool> asked_;          // whether a file is there
};

// The bytes of a regular file followed by a NUL; none where it cannot be read. One that is named
// below the root is not read through a link that leads out.
std::optional<std::string> ReadSource(const Source& source, const std::string& path);
// Why it could not, by errno.
std::string WhyUnread(int error);

// "a/./b/../c" -> "a/c"; keeps leading "..".
std::string NormalPath(std::string_view path);

}  // namespace opledger::scan
