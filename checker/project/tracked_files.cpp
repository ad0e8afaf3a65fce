// Uses `git check-ignore`, which knows all sources of ignore rules.
// SPDX-License-Identifier: Apache-2.0
#include "checker/project/tracked_files.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "registry/dialect/dialect.h"
#include "registry/platform/run_git.h"
#include "registry/precision_list/precision_list.h"
#include "registry/project/project_dialects.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

// Does not run git, which would print an error.
bool InRepository(const Source& source) {
  return std::getenv("GIT_DIR") != nullptr ||
         IsRepository(source, FoldersUpwards(source, source.root()).back());
}

// Output of git for a path: "SOURCE:LINE:PATTERN\tPATH".
struct Match {
  std::string rule;
  std::string path;
};

// Returns the paths that git ignores. Skips matches of patterns that begin with "!".
std::vector<Match> CheckIgnore(const Source& source, const std::vector<std::string>& paths) {
  std::vector<std::string> arguments = {"check-ignore", "--verbose", "--"};
  arguments.insert(arguments.end(), paths.begin(), paths.end());
  Diagnostics ignored;
  std::string output;
  std::vector<Match> matches;
  if (paths.empty() || RunGit(source.root(), arguments, "", output, ignored) != 0) return matches;
  for (const std::string_view line : SplitAt(output, '\n')) {
    const std::size_t tab = line.rfind('\t');
    if (tab == std::string_view::npos) continue;
    const std::string rule(line.substr(0, tab));
    const std::size_t number = rule.find(':');
    const std::size_t pattern = rule.find(':', number + 1);
    if (rule.compare(pattern + 1, 1, "!") == 0) continue;
    matches.push_back({rule, std::string(line.substr(tab + 1))});
  }
  return matches;
}

bool IsIgnored(const Source& source, const std::string& path) {
  return !CheckIgnore(source, {path}).empty();
}

// Adds lines for the path and for ignored folders above it, without which the path stays ignored.
void AddLines(const Source& source, const std::string& path, std::vector<std::string>& lines) {
  const auto add = [&](const std::string& line) {
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
  };
  for (std::size_t slash = path.find('/'); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    if (IsIgnored(source, path.substr(0, slash))) add("!/" + path.substr(0, slash + 1));
  }
  add("!/" + path);
}

// Adds the files that a list is derived from, documented in or tested in.
void AddSourcesOfList(const Source& source, const std::string& path,
                      std::vector<std::string>& named) {
  Diagnostics ignored;
  const auto list = ReadListAlone(source, path, Reach::kBelow, ignored);
  if (!list) return;
  for (const ListOrigin& origin : list->derived_from) {
    if (!origin.file.empty()) named.push_back(origin.file);
  }
  for (const auto* files : {&list->documented_in, &list->tested_in}) {
    for (const NamingFile& each : *files) named.push_back(each.file);
  }
}

}  // namespace

std::vector<std::string> FilesOfProject(const Source& source, const ProjectFile& file) {
  std::vector<std::string> named = {file.path};
  named.insert(named.end(), file.lists.begin(), file.lists.end());
  for (const std::string& dialect : DialectFiles(file)) named.push_back(dialect);
  for (const std::string& path : file.lists) AddSourcesOfList(source, path, named);
  std::vector<std::string> paths;
  for (const std::string& path : named) {
    const std::string plain = fs::path(path).lexically_normal().string();
    const bool there = source.Examine(plain).kind != PathKind::kAbsent;
    if (!plain.starts_with('/') && there) paths.push_back(plain);
  }
  return paths;
}

IgnoredFiles FindIgnored(const Source& source, const std::vector<std::string>& paths) {
  IgnoredFiles ignored;
  if (!InRepository(source)) return ignored;
  for (Match& match : CheckIgnore(source, paths)) {
    if (ignored.paths.empty()) ignored.rule = std::move(match.rule);
    ignored.paths.push_back(std::move(match.path));
    AddLines(source, ignored.paths.back(), ignored.lines);
  }
  return ignored;
}

std::string IgnoredText(const IgnoredFiles& ignored) {
  return "git ignores " + Counted(ignored.paths.size(), "file") + " of the project (" +
         ignored.rule + "), so a clone does not have " +
         (ignored.paths.size() == 1 ? "it" : "them");
}

std::string IgnoredHint(const IgnoredFiles& ignored) {
  return "add to .gitignore: " + Join(ignored.lines, " ");
}

}  // namespace opledger
