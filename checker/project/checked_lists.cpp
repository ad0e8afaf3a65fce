// Flags stand above the project file, which stands above what is shipped.
// SPDX-License-Identifier: Apache-2.0
#include "checker/project/checked_lists.h"

#include "registry/platform/platform.h"
#include "registry/text/suggestion.h"
#include "registry/text/text.h"

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
    return diagnostics.Error(
        {}, "there is no precision list for dialect '" + manifest.dialect + "'",
        "name one with --list, or under \"lists\" in opledger.json, which `opledger "
        "init` writes");
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

namespace {

bool IsFile(const std::string& choice) {
  return choice.find('/') != std::string::npos || choice.ends_with(".json");
}

// Read without what it extends: only the file itself is edited.
std::optional<PrecisionList> ReadForEdit(const std::string& path, Diagnostics& diagnostics) {
  if (IsShipped(path)) {
    return diagnostics.Error({path, 0, 0, 0, 0}, "a list that opledger ships is not edited",
                             "`opledger init` copies the shipped lists into a project");
  }
  std::optional<JsonDocument> document = ReadJson(path, diagnostics);
  if (!document) return std::nullopt;
  return ParsePrecisionList(path, std::move(document->text), diagnostics);
}

std::string Names(const std::vector<PrecisionList>& lists) {
  return Join(lists, ", ",
              [](const PrecisionList& list) { return list.Label() + " (" + list.path + ")"; });
}

}  // namespace

std::optional<PrecisionList> ChooseList(const std::string& choice, const Project& project,
                                        Diagnostics& diagnostics) {
  if (IsFile(choice)) return ReadForEdit(project.FromRoot(choice), diagnostics);
  if (!project.file() || project.file()->lists.empty()) {
    return diagnostics.Error({}, "there is no list to edit: no opledger.json names one",
                             "name a file with --list, or run `opledger init`");
  }
  std::vector<PrecisionList> lists;
  std::vector<std::string> labels;
  for (const std::string& path : project.file()->lists) {
    if (!IsOfProject(path, project, diagnostics)) return std::nullopt;
    std::optional<PrecisionList> list = ReadForEdit(path, diagnostics);
    if (!list) return std::nullopt;
    labels.push_back(list->Label());
    if (choice.empty() || choice == labels.back()) lists.push_back(std::move(*list));
  }
  if (lists.size() == 1) return std::move(lists.front());
  if (lists.empty()) {
    return diagnostics.Error({}, "--list: the project has no list '" + choice + "'",
                             ChoiceHint(choice, labels));
  }
  return diagnostics.Error({}, "which list is meant? There are " + Names(lists),
                           choice.empty() ? "name one with --list" : "name its file with --list");
}

}  // namespace opledger
