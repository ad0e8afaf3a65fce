// Flags stand above the project file, which stands above what is shipped.
// SPDX-License-Identifier: Apache-2.0
#include "checker/project/checked_lists.h"

#include "registry/platform/platform.h"

namespace opledger {
namespace {

std::vector<std::string> ListPaths(const CheckOptions& options, const Project& project,
                                   const Manifest& manifest) {
  if (!options.lists.empty()) {
    std::vector<std::string> paths;
    for (const std::string& list : options.lists) paths.push_back(project.FromRoot(list));
    return paths;
  }
  if (project.file() && !project.file()->lists.empty()) return project.file()->lists;
  return ShippedLists(manifest.dialect);
}

}  // namespace

std::optional<std::vector<PrecisionList>> ReadCheckedLists(const CheckOptions& options,
                                                           const Project& project,
                                                           const Manifest& manifest,
                                                           Diagnostics& diagnostics) {
  const std::vector<std::string> paths = ListPaths(options, project, manifest);
  if (paths.empty()) {
    diagnostics.Error({}, "there is no precision list for dialect '" + manifest.dialect + "'",
                      "name one with --list, or under \"lists\" in opledger.json, which `opledger "
                      "init` writes");
    return std::nullopt;
  }
  std::vector<PrecisionList> lists;
  const bool of_project = options.lists.empty() && project.file() && !project.file()->lists.empty();
  for (const std::string& path : paths) {
    if (of_project && !IsOfProject(path, project, diagnostics)) continue;
    std::optional<PrecisionList> list = ReadListOfProject(path, project, diagnostics);
    if (!list) continue;
    if (list->framework != manifest.dialect) {
      const JsonValue* framework = list->document.root.Find("framework");
      ErrorAt(list->document, framework->span,
              "a list for '" + list->framework + "', but the operators are of '" +
                  manifest.dialect + "'",
              "", diagnostics);
      continue;
    }
    lists.push_back(std::move(*list));
  }
  if (diagnostics.has_errors()) return std::nullopt;
  return lists;
}

}  // namespace opledger
