// Does not call fsync: a build recreates what a system crash loses.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/commands/build_output.h"

#include <filesystem>

#include "registry/files/files.h"
#include "registry/source/source.h"

namespace opledger::scan {
namespace {

std::string Escaped(const std::string& path) {
  std::string escaped;
  for (char c : path) {
    if (c == ' ' || c == '#' || c == '\\') escaped.push_back('\\');
    if (c == '$') escaped.push_back('$');
    escaped.push_back(c);
  }
  return escaped;
}

}  // namespace

std::optional<std::string> ReadBuilt(const std::string& path) {
  constexpr std::size_t kLargest = std::size_t{1} << 30;
  return DiskSource().Read(path, kLargest, Reach::kAnywhere);
}

bool WriteIfChanged(const std::string& path, std::string_view bytes, Diagnostics& diagnostics) {
  if (ReadBuilt(path) == bytes) return true;
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) {
    diagnostics.Error({.path = folder.string()}, "cannot create the folder: " + error.message());
    return false;
  }
  if (WriteCacheFile(path, [&](OutputSink& file) { return file.Write(bytes); })) return true;
  diagnostics.Error({.path = path}, "cannot write the file");
  return false;
}

std::string Depfile(const std::string& target, const std::vector<std::string>& inputs) {
  std::string text = Escaped(target) + ":";
  for (const std::string& input : inputs) text += " \\\n  " + Escaped(input);
  return text + "\n";
}

}  // namespace opledger::scan
