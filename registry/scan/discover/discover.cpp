// Walks the tree and reads every file once.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/discover/discover.h"

#include <algorithm>

#include "registry/scan/discover/candidates.h"
#include "registry/scan/discover/data_uses.h"
#include "registry/scan/discover/python_uses.h"
#include "registry/scan/outline/unreadable.h"
#include "registry/scan/tree/file_list.h"
#include "registry/scan/tree/tree.h"
#include "registry/text/text.h"

namespace opledger::scan {
namespace {

constexpr std::size_t kFewestNames = 3;

// Folders of tests, examples and other projects.
bool IsOfOthers(std::string_view folder) {
  static constexpr std::string_view kNames[] = {
      "3rd_party",    "3rdparty",    "benchmark",   "benchmarks", "build",     "doc",
      "docs",         "example",     "examples",    "external",   "externals", "extern",
      "node_modules", "sample",      "samples",     "test",       "testing",   "tests",
      "thirdparty",   "third_party", "third-party", "tutorial",   "tutorials", "unittest",
      "unittests",    "unit_test",   "vendor",      "googletest"};
  const std::string lower = LowerCase(folder);
  return lower.starts_with('.') ||
         std::find(std::begin(kNames), std::end(kNames), lower) != std::end(kNames);
}

bool IsTest(std::string_view name) {
  const std::string_view stem = name.substr(0, name.find('.'));
  return stem.starts_with("test_") || stem.ends_with("_test") || stem.ends_with("_tests") ||
         stem.ends_with("Test") || stem == "conftest";
}

class TreeSearch {
 public:
  explicit TreeSearch(const Source& source) : source_(source) {}

  std::vector<Candidate> Run() {
    Folder("");
    std::vector<Candidate> candidates = table_.Take(kFewestNames);
    Rank(candidates);
    return candidates;
  }

 private:
  void Folder(const std::string& folder) {
    std::vector<FolderEntry> entries;
    source_.List(folder, entries);
    std::sort(entries.begin(), entries.end(),
              [](const FolderEntry& a, const FolderEntry& b) { return a.name < b.name; });
    for (const FolderEntry& entry : entries) {
      const std::string path = folder.empty() ? entry.name : folder + '/' + entry.name;
      const PathKind kind =
          entry.kind == PathKind::kUnknown ? source_.ExamineLink(path).kind : entry.kind;
      if (kind == PathKind::kFolder && !IsOfOthers(entry.name)) Folder(path);
      if (kind == PathKind::kFile && !IsTest(entry.name)) File(path, entry.name);
    }
  }

  void File(const std::string& path, const std::string& name) {
    const bool code = IsCode(name);
    const bool python = name.ends_with(".py");
    const bool yaml = name.ends_with(".yaml") || name.ends_with(".yml");
    const bool cmake = name == "CMakeLists.txt" || name.ends_with(".cmake");
    const bool table_gen = name.ends_with(".td") || name.ends_with(".td.inc");
    if (!code && !python && !yaml && !cmake && !table_gen) return;
    const std::optional<std::string> text = ReadSource(source_, path);
    if (!text || text->size() > kMaxSourceBytes) return;
    std::string_view bytes = *text;
    if (bytes.ends_with('\0')) bytes.remove_suffix(1);
    const FileUses found = table_gen ? FindTableGenUses(bytes)
                           : code    ? FindNamedCalls(bytes)
                           : python  ? FindPythonUses(path, std::string(bytes))
                           : yaml    ? FindYamlUses(bytes)
                                     : FindCMakeUses(bytes);
    if (found.uses.empty() && found.definitions.empty()) return;
    table_.Add(path, LineIndex(bytes), found);
  }

  const Source& source_;
  CandidateTable table_;
};

}  // namespace

std::vector<Candidate> Discover(const Source& source) { return TreeSearch(source).Run(); }

}  // namespace opledger::scan
