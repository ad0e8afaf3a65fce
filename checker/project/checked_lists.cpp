// Flags stand above the project file, which stands above what is shipped.
// SPDX-License-Identifier: Apache-2.0
#include "checker/project/checked_lists.h"

#include <algorithm>

#include "registry/platform/platform.h"
#include "registry/text/suggestion.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

std::vector<std::string> ListPaths(const CheckOptions& options, const Project& project,
                                   const Manifest& manifest, Diagnostics& diagnostics) {
  if (!options.lists.empty()) {
    std::vector<std::string> paths;
    for (const std::string& list : options.lists) paths.push_back(project.FromRoot(list));
    return paths;
  }
  if (project.file() && !project.file()->lists.empty()) return project.file()->lists;
  return ShippedLists(manifest.dialect, diagnostics);
}

}  // namespace

std::optional<std::vector<PrecisionList>> ReadCheckedLists(const CheckOptions& options,
                                                           const Project& project,
                                                           const Manifest& manifest,
                                                           Diagnostics& diagnostics) {
  const std::vector<std::string> paths = ListPaths(options, project, manifest, diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
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

constexpr const char* kAllLists = "all";

bool IsFile(const std::string& choice) {
  return choice.find('/') != std::string::npos || choice.ends_with(".json");
}

// Read without what it extends: only the file itself is edited.
std::optional<PrecisionList> ReadForEdit(const std::string& path, const Project& project,
                                         Diagnostics& diagnostics) {
  if (IsShipped(project.source().Absolute(path))) {
    return diagnostics.Error({path, 0, 0, 0, 0}, "a list that opledger ships is not edited",
                             "`opledger init` copies the shipped lists into a project");
  }
  return ReadListAlone(project.source(), path, Reach::kAnywhere, diagnostics);
}

std::string Names(const std::vector<PrecisionList>& lists) {
  return Join(lists, ", ",
              [](const PrecisionList& list) { return list.Label() + " (" + list.path + ")"; });
}

}  // namespace

namespace {

// One that is named twice, by file and by label say, is edited once.
void AddOnce(PrecisionList list, std::vector<PrecisionList>& chosen) {
  const auto same = [&](const PrecisionList& other) { return other.path == list.path; };
  if (std::none_of(chosen.begin(), chosen.end(), same)) chosen.push_back(std::move(list));
}

// The project's list of that label, its only one, or all of them.
bool AddChosen(const std::string& choice, const Project& project,
               std::vector<PrecisionList>& chosen, Diagnostics& diagnostics) {
  if (IsFile(choice)) {
    auto list = ReadForEdit(project.FromRoot(choice), project, diagnostics);
    if (list) AddOnce(std::move(*list), chosen);
    return list.has_value();
  }
  if (!project.file() || project.file()->lists.empty()) {
    return diagnostics.Error({}, "there is no list to edit: no opledger.json names one",
                             "name a file with --list, or run `opledger init`");
  }
  std::vector<PrecisionList> lists;
  std::vector<std::string> labels = {kAllLists};
  for (const std::string& path : project.file()->lists) {
    if (!IsOfProject(path, project, diagnostics)) return false;
    std::optional<PrecisionList> list = ReadForEdit(path, project, diagnostics);
    if (!list) return false;
    labels.push_back(list->Label());
    const bool meant = choice.empty() || choice == kAllLists || choice == labels.back();
    if (meant) lists.push_back(std::move(*list));
  }
  if (lists.empty()) {
    return diagnostics.Error({}, "--list: the project has no list '" + choice + "'",
                             ChoiceHint(choice, labels));
  }
  if (lists.size() > 1 && choice != kAllLists) {
    return diagnostics.Error({}, "which list is meant? There are " + Names(lists),
                             choice.empty() ? "name one with --list, or all with --list all"
                                            : "name its file with --list");
  }
  for (PrecisionList& list : lists) AddOnce(std::move(list), chosen);
  return true;
}

}  // namespace

std::vector<PrecisionList> ChooseLists(const std::vector<std::string>& choices,
                                       const Project& project, Diagnostics& diagnostics) {
  std::vector<PrecisionList> chosen;
  std::vector<std::string> all = choices;
  if (all.empty()) all.emplace_back();
  for (const std::string& choice : all) {
    if (!AddChosen(choice, project, chosen, diagnostics)) return {};
  }
  return chosen;
}

}  // namespace opledger
