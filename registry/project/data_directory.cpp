// Where the shipped files and the sibling programs are.
// SPDX-License-Identifier: Apache-2.0
#include "registry/project/data_directory.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace opledger {
namespace {

namespace fs = std::filesystem;

// The folder of the running program; "." where /proc is not there.
fs::path ProgramDirectory() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::path(".") : program.parent_path();
}

}  // namespace

std::string DataDirectory() {
  // For tests, and for data that was installed elsewhere.
  const char* chosen = std::getenv("OPLEDGER_DATA_DIR");
  if (chosen != nullptr && *chosen != '\0') return chosen;
  return (ProgramDirectory() / "../share/opledger").lexically_normal().string();
}

std::string SiblingProgram(const std::string& name) { return (ProgramDirectory() / name).string(); }

std::vector<std::string> ShippedLists(const std::string& dialect) {
  std::vector<std::string> lists;
  // A dialect given as a path has no shipped lists.
  if (dialect.empty() || dialect.front() == '.' || dialect.find('/') != std::string::npos) {
    return lists;
  }
  std::error_code error;
  fs::directory_iterator entry(fs::path(DataDirectory()) / "lists" / dialect, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (entry->path().extension() == ".json") lists.push_back(entry->path().string());
  }
  std::sort(lists.begin(), lists.end());
  return lists;
}

}  // namespace opledger
