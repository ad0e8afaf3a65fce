// Names come from the file system; what is in the files is read later.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/model/input_folders.h"

#include <algorithm>
#include <filesystem>

#include "kernels/plan/plan.h"

namespace opledger {

namespace fs = std::filesystem;

std::string NpyFileName(std::string_view name) {
  std::string file;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || (c == '.' && !file.empty());
    file += plain ? c : '_';
  }
  return file + ".npy";
}

std::optional<std::vector<std::string>> InputFolders(const std::string& folder,
                                                     Diagnostics& diagnostics) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator each(folder, error), end; !error && each != end;
       each.increment(error)) {
    std::error_code unreadable;
    if (each->is_directory(unreadable)) names.push_back(each->path().filename().string());
  }
  if (error || names.empty()) {
    diagnostics.Error(
        {.path = folder},
        error ? "cannot read: " + error.message() : "there is no folder of inputs in it",
        "each run's inputs are a folder of NAME.npy files");
    return std::nullopt;
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> FilesOf(const std::string& folder) {
  std::vector<std::string> given;
  std::error_code error;
  for (fs::directory_iterator each(folder, error), end; !error && each != end;
       each.increment(error)) {
    if (each->path().extension() != ".npy") continue;
    given.push_back(each->path().stem().string() + "=" + each->path().string());
  }
  std::sort(given.begin(), given.end());
  return given;
}

std::vector<std::string> FilesOf(const std::string& folder, const Graph& graph) {
  std::vector<std::string> given;
  for (const ValueId input : RequiredInputs(graph)) {
    const std::string_view name = graph.values[input].name;
    const fs::path path = fs::path(folder) / NpyFileName(name);
    std::error_code error;
    if (fs::exists(path, error)) given.push_back(std::string(name) + "=" + path.string());
  }
  return given;
}

std::optional<std::vector<std::string>> RunsOf(const InputOptions& options,
                                               Diagnostics& diagnostics) {
  if (options.from.empty()) return std::vector<std::string>(1);
  return InputFolders(options.from, diagnostics);
}

InputOptions OptionsOfRun(const InputOptions& options, const std::string& run, const Graph* graph) {
  InputOptions of_run = options;
  if (options.from.empty()) return of_run;
  const std::string folder = (fs::path(options.from) / run).string();
  const std::vector<std::string> files =
      graph == nullptr ? FilesOf(folder) : FilesOf(folder, *graph);
  of_run.given.insert(of_run.given.end(), files.begin(), files.end());
  return of_run;
}

}  // namespace opledger
