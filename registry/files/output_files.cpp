// Checks that outputs do not overwrite inputs. Files are compared by a key, which is equal for two
// paths of the same file.
// SPDX-License-Identifier: Apache-2.0
#include "registry/files/output_files.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>

#include "registry/files/files.h"
#include "registry/files/list_folder.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

// Returns device and inode of an existing file, otherwise its canonical path.
std::string KeyOf(const std::string& path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) == 0) {
    return std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino);
  }
  std::error_code error;
  const fs::path target = FollowLinks(path).value_or(path);
  const fs::path whole = fs::weakly_canonical(fs::absolute(target, error), error);
  return error ? target.string() : whole.string();
}

using PathsByKey = std::map<std::string, std::string>;

PathsByKey ByKey(const std::vector<std::string>& paths) {
  PathsByKey by_key;
  for (const std::string& path : paths) {
    if (!path.empty()) by_key.emplace(KeyOf(path), path);
  }
  return by_key;
}

}  // namespace

bool IsStandardOutput(const std::string& path) { return path == "-" || path == "/dev/stdout"; }

bool CheckOutputFiles(const FilesInUse& in_use, const std::vector<OutputFile>& outputs,
                      Diagnostics& diagnostics) {
  const PathsByKey model = ByKey(in_use.model);
  const PathsByKey read = ByKey(in_use.read);
  const PathsByKey named = ByKey(in_use.named);
  std::map<std::string, const OutputFile*> before;
  bool good = true;
  for (const OutputFile& output : outputs) {
    if (output.path.empty() || output.path == "-") continue;
    const std::string key = KeyOf(output.path);
    const auto is_among = [&](const PathsByKey& files, const char* what, const char* remedy) {
      const auto found = files.find(key);
      if (found == files.end()) return false;
      // A file that a project names has an absolute path, which the user did not type.
      const std::string& seen = found->second.front() == '/' ? output.path : found->second;
      good = diagnostics.Error({.path = output.path},
                               output.option + " would overwrite '" + seen + "', " + what, remedy);
      return true;
    };
    const char* const other_name = "use another name";
    const char* const remedy =
        output.option == "-o" ? "use another name; --in-place replaces the model" : other_name;
    if ((!output.in_place && is_among(model, "which is an input", remedy)) ||
        is_among(read, "which is an input", other_name) ||
        is_among(named, "which the output model refers to", "use another name or another folder")) {
      continue;
    }
    const auto [other, fresh] = before.emplace(key, &output);
    if (fresh) continue;
    good =
        diagnostics.Error({.path = output.path},
                          other->second->option + " and " + output.option + " name the same file",
                          "use different names");
  }
  return good;
}

std::vector<std::string> InputFiles(const std::vector<std::string>& given, const std::string& from,
                                    Diagnostic* problem) {
  std::vector<std::string> files;
  const auto list = [&](const std::string& folder) {
    FolderNames found = NamesIn(folder);
    if (found.error != 0 && found.error != ENOTDIR && problem != nullptr) {
      *problem = {.location = {.path = folder},
                  .message = std::string("cannot read: ") + std::strerror(found.error)};
    }
    return std::move(found.names);
  };
  for (const std::string& each : given) {
    const std::size_t equals = each.rfind('=');
    const bool is_file = equals != std::string::npos && each.substr(equals + 1) != "random";
    if (is_file) files.push_back(each.substr(equals + 1));
  }
  if (from.empty()) return files;
  for (const std::string& run : list(from)) {
    const std::string folder = (fs::path(from) / run).string();
    for (const std::string& name : list(folder)) {
      if (name.ends_with(".npy")) files.push_back(folder + '/' + name);
    }
  }
  return files;
}

}  // namespace opledger
