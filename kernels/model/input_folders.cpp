// Only lists names; the files are read later.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/model/input_folders.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>

#include "kernels/model/sequence_inputs.h"
#include "kernels/plan/plan.h"
#include "registry/files/list_folder.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHex = "0123456789ABCDEF";

// `other` returns the replacement of a character that is not plain.
template <typename Other>
std::string FileName(std::string_view name, const Other& other) {
  std::string file;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || (c == '.' && !file.empty());
    file += plain ? std::string(1, c) : other(static_cast<unsigned char>(c));
  }
  return file + ".npy";
}

std::string PlainName(std::string_view name) {
  return FileName(name, [](unsigned char) { return "_"; });
}

std::string ExactName(std::string_view name) {
  return FileName(name, [](unsigned char c) {
    return std::string{'%', kHex[c / 16], kHex[c % 16]};
  });
}

std::string NameOfExact(std::string_view stem) {
  std::string name;
  for (std::size_t i = 0; i < stem.size(); ++i) {
    const auto digit = [&](std::size_t at) {
      return at < stem.size() ? kHex.find(stem[at]) : kHex.npos;
    };
    const std::size_t high = digit(i + 1), low = digit(i + 2);
    const bool coded = stem[i] == '%' && high != kHex.npos && low != kHex.npos;
    name += coded ? static_cast<char>(high * 16 + low) : stem[i];
    if (coded) i += 2;
  }
  return name;
}

}  // namespace

std::vector<std::string> NpyFileNames(const std::vector<std::string_view>& names) {
  std::map<std::string, std::set<std::string_view>> of_file;
  for (const std::string_view name : names) of_file[PlainName(name)].insert(name);
  std::vector<std::string> files;
  for (const std::string_view name : names) {
    std::string plain = PlainName(name);
    files.push_back(of_file[plain].size() == 1 ? std::move(plain) : ExactName(name));
  }
  return files;
}

std::optional<std::vector<std::string>> InputFolders(const std::string& folder,
                                                     Diagnostics& diagnostics) {
  std::vector<std::string> names;
  FolderNames found = NamesIn(folder);
  for (std::string& name : found.names) {
    std::error_code unreadable;
    if (fs::is_directory(fs::path(folder) / name, unreadable)) names.push_back(std::move(name));
  }
  if (found.error != 0 || names.empty()) {
    diagnostics.Error({.path = folder},
                      found.error != 0 ? std::string("cannot read: ") + std::strerror(found.error)
                                       : "there is no folder of inputs in it",
                      "each run's inputs are a folder of NAME.npy files");
    return std::nullopt;
  }
  return names;
}

std::optional<std::vector<std::string>> FilesOf(const std::string& folder,
                                                Diagnostics& diagnostics) {
  std::vector<std::string> given;
  const FolderNames found = NamesIn(folder);
  for (const std::string& name : found.names) {
    const fs::path path = fs::path(folder) / name;
    if (path.extension() != ".npy") continue;
    given.push_back(NameOfExact(path.stem().string()) + "=" + path.string());
  }
  if (found.error != 0) {
    return diagnostics.Error({.path = folder},
                             std::string("cannot read: ") + std::strerror(found.error));
  }
  std::sort(given.begin(), given.end());
  return given;
}

std::optional<std::vector<std::string>> FilesOf(const std::string& folder, const Graph& graph,
                                                Diagnostics& diagnostics) {
  std::vector<std::string_view> names;
  for (const ValueId input : RequiredInputs(graph)) names.push_back(graph.values[input].name);
  std::vector<std::string> next;  // for sequences: the elements after the last
  for (const std::string_view name : names) {
    const std::size_t dot = name.rfind('.');
    const ValueId of = dot == name.npos ? kNone : graph.Find(0, name.substr(0, dot));
    if (of == kNone || graph.values[of].producer == kNone) continue;
    const Node& maker = graph.nodes[graph.values[of].producer];
    if (maker.op != "SequenceConstruct" || maker.inputs.empty() ||
        graph.values[maker.inputs.back()].name != name) {
      continue;
    }
    next.push_back(ElementName(name.substr(0, dot), maker.inputs.size()));
  }
  names.insert(names.end(), next.begin(), next.end());
  const std::vector<std::string> files = NpyFileNames(names);
  std::vector<std::string> given;
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (const std::string& file : {ExactName(names[i]), files[i]}) {
      const fs::path path = fs::path(folder) / file;
      std::error_code error;
      const bool is_there = fs::exists(path, error);
      if (error) {
        return diagnostics.Error({.path = path.string()}, "cannot read: " + error.message());
      }
      if (!is_there) continue;
      given.push_back(std::string(names[i]) + "=" + path.string());
      break;
    }
  }
  return given;
}

std::optional<std::vector<std::string>> RunsOf(const InputOptions& options,
                                               Diagnostics& diagnostics) {
  if (options.from.empty()) return std::vector<std::string>(1);
  return InputFolders(options.from, diagnostics);
}

std::optional<InputOptions> OptionsOfRun(const InputOptions& options, const std::string& run,
                                         const Graph* graph, Diagnostics& diagnostics) {
  InputOptions of_run = options;
  if (options.from.empty()) return of_run;
  const std::string folder = (fs::path(options.from) / run).string();
  const auto files =
      graph == nullptr ? FilesOf(folder, diagnostics) : FilesOf(folder, *graph, diagnostics);
  if (!files) return std::nullopt;
  of_run.given.insert(of_run.given.end(), files->begin(), files->end());
  return of_run;
}

}  // namespace opledger
