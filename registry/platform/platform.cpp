// Finds and runs the installed programs and data.
// SPDX-License-Identifier: Apache-2.0
#include "registry/platform/platform.h"

#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "registry/files/list_folder.h"
#include "registry/platform/run_program.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMemoryAround = 2 << 20;  // besides the program's file, for its stack etc.
constexpr std::size_t kLargestOutput = std::size_t{1} << 30;  // of a sibling

// Returns the folder of the running program. Without /proc, uses the name it was called by.
fs::path ProgramDirectory() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) return program.parent_path();
  const auto* const called = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  return called == nullptr ? fs::path(".") : fs::path(called).parent_path();
}

// Returns whether the memory limit lets the program start. The kernel silently kills a program that
// it cannot map.
bool FitsMemory(const std::string& path) {
  rlimit limit = {};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return true;
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  return error || size + kMemoryAround <= limit.rlim_cur;
}

bool CheckProgram(const std::string& name, const std::string& path, Diagnostics& diagnostics) {
  if (access(path.c_str(), X_OK) == 0) {
    if (FitsMemory(path)) return true;
    return diagnostics.Error({}, "cannot start " + name + ": " + std::strerror(ENOMEM));
  }
  if (errno != ENOENT && errno != ENOTDIR) {
    diagnostics.MarkIncomplete();
    return diagnostics.Error({}, "cannot start " + name + ": " + std::strerror(errno));
  }
  const bool scanner = name.starts_with("opledger-scan");
  return diagnostics.Error(
      {}, "cannot find " + name + " in the folder of opledger",
      scanner ? "this build has no scanner; build with Clang (OPLEDGER_SCANNER=ON) "
                "or use an earlier scan (--operators)"
              : "install all programs of one build into one folder");
}

}  // namespace

std::string DataDirectory() {
  // For tests, and for data installed elsewhere.
  const char* chosen = std::getenv("OPLEDGER_DATA_DIR");
  if (chosen != nullptr && *chosen != '\0') return chosen;
  return (ProgramDirectory() / "../share/opledger").lexically_normal().string();
}

std::string SiblingProgram(const std::string& name) { return (ProgramDirectory() / name).string(); }

std::vector<std::string> ShippedLists(const std::string& dialect, Diagnostics& diagnostics) {
  std::vector<std::string> lists;
  // A dialect given as a path has no shipped lists.
  if (dialect.empty() || dialect.front() == '.' || dialect.find('/') != std::string::npos) {
    return lists;
  }
  const fs::path folder = fs::path(DataDirectory()) / "lists" / dialect;
  const FolderNames found = NamesIn(folder.string());
  for (const std::string& name : found.names) {
    if (name.ends_with(".json")) lists.push_back((folder / name).string());
  }
  if (found.error != 0 && found.error != ENOENT) {
    diagnostics.Error({.path = folder.string()},
                      std::string("cannot list the folder: ") + std::strerror(found.error));
    diagnostics.MarkIncomplete();
  }
  return lists;
}

std::optional<int> RunSibling(const std::string& name, const std::vector<std::string>& arguments,
                              std::string& output, Diagnostics& diagnostics,
                              const SiblingStreams& streams) {
  const std::string path = SiblingProgram(name);
  if (!CheckProgram(name, path, diagnostics)) return std::nullopt;
  std::vector<std::string> words = {path};
  words.insert(words.end(), arguments.begin(), arguments.end());
  output.clear();
  Child child = {name, path, GitOf::kNone, false, !streams.input.empty(), streams};
  child.limit = streams.limit;
  child.remedy = "it was stopped; run the command again";
  bool fits = true;
  const TakePiece append = [&](std::string_view piece) {
    fits = output.size() + piece.size() <= kLargestOutput;
    if (fits) output.append(piece);
    return fits;
  };
  const auto status = RunChild(child, std::move(words), append, diagnostics);
  if (fits) return status;
  return diagnostics.Error({}, name + " wrote more than 1 GiB");
}

void ExecSibling(const std::string& name, const std::vector<std::string>& arguments,
                 Diagnostics& diagnostics) {
  const std::string path = SiblingProgram(name);
  if (!CheckProgram(name, path, diagnostics)) return;
  std::vector<std::string> words = {path};
  words.insert(words.end(), arguments.begin(), arguments.end());
  execv(path.c_str(), ArgumentVector(words).data());
  diagnostics.Error({}, "cannot start " + name + ": " + std::strerror(errno));
}

}  // namespace opledger
