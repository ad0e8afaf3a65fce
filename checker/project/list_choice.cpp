// Labels are compared exactly; similar ones are suggested.
// SPDX-License-Identifier: Apache-2.0
#include "checker/project/list_choice.h"

#include <algorithm>

#include "registry/text/suggestion.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

bool Means(const std::string& choice, const ListName& list) {
  return choice == kAllLists || choice == list.label || choice == list.path;
}

}  // namespace

bool IsListFile(const std::string& choice) {
  return choice.find('/') != std::string::npos || choice.ends_with(".json");
}

bool AnyListFile(const std::vector<std::string>& choices) {
  return std::any_of(choices.begin(), choices.end(), IsListFile);
}

std::vector<ListName> NamesOf(const std::vector<PrecisionList>& lists) {
  std::vector<ListName> names;
  for (const PrecisionList& list : lists) {
    names.push_back({list.Label(), list.path, list.framework});
  }
  return names;
}

std::vector<ListName> ListsOfProject(const Project& project) {
  std::vector<ListName> names;
  if (!project.file()) return names;
  Diagnostics ignored;  // reported when the list is read again
  for (const std::string& path : project.file()->lists) {
    const auto list = ReadListAlone(project.source(), path, Reach::kBelow, ignored);
    if (list) names.push_back({list->Label(), path, list->framework});
  }
  return names;
}

std::vector<std::size_t> FindChosen(const std::string& choice, const std::vector<ListName>& lists,
                                    Diagnostics& diagnostics) {
  std::vector<std::size_t> places;
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    if (Means(choice, lists[i])) places.push_back(i);
    const bool known = std::find(labels.begin(), labels.end(), lists[i].label) != labels.end();
    if (!known) labels.push_back(lists[i].label);
  }
  if (!places.empty()) return places;
  const std::string hint = Proposal(choice, labels);
  diagnostics.Error(
      {},
      "--list: there is no list '" + choice + "'" +
          (labels.empty() ? "" : ", only " + Join(labels, ", ")),
      hint.empty() ? "name one of them, 'all', or a file as DIR/FILE or FILE.json" : hint);
  return {};
}

bool AreLabels(const std::vector<std::string>& choices, const Project& project,
               Diagnostics& diagnostics) {
  const bool all_files = std::all_of(choices.begin(), choices.end(), IsListFile);
  const std::vector<ListName> lists = all_files ? std::vector<ListName>() : ListsOfProject(project);
  bool ok = true;
  for (const std::string& choice : choices) {
    if (IsListFile(choice) || lists.empty()) continue;
    ok = !FindChosen(choice, lists, diagnostics).empty() && ok;
  }
  return ok;
}

std::vector<std::string> ListsFromRoot(const std::vector<std::string>& choices,
                                       const Project& project) {
  std::vector<std::string> found;
  const std::vector<ListName> lists = std::all_of(choices.begin(), choices.end(), IsListFile)
                                          ? std::vector<ListName>()
                                          : ListsOfProject(project);
  for (const std::string& choice : choices) {
    if (IsListFile(choice)) {
      found.push_back(project.FromRoot(choice));
      continue;
    }
    const std::size_t before = found.size();
    for (const ListName& list : lists) {
      if (Means(choice, list)) found.push_back(list.path);
    }
    if (found.size() == before) found.push_back(choice);
  }
  return found;
}

}  // namespace opledger
