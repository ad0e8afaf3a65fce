// The meaning of --list for every verb: a file if it contains '/' or ends in .json, otherwise the
// lists with this label ("float16", "float16-cuda"), or "all".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "checker/project/project.h"
#include "registry/precision_list/precision_list.h"

namespace opledger {

// A list that can be chosen.
struct ListName {
  std::string label;
  std::string path;
  std::string framework;
};

inline constexpr const char* kAllLists = "all";

bool IsListFile(const std::string& choice);
bool AnyListFile(const std::vector<std::string>& choices);

std::vector<ListName> NamesOf(const std::vector<PrecisionList>& lists);

// Returns the lists that the project file names, for all its dialects, except unreadable ones.
std::vector<ListName> ListsOfProject(const Project& project);

// Returns the indices in `lists` that `choice` (not a file) matches. Returns {}, with an error that
// names the lists, if there are none.
std::vector<std::size_t> FindChosen(const std::string& choice, const std::vector<ListName>& lists,
                                    Diagnostics& diagnostics);

// Returns false, with an error, if a label matches no list of the project file. Accepts any label
// if the project file names no lists.
bool AreLabels(const std::vector<std::string>& choices, const Project& project,
               Diagnostics& diagnostics);

// Returns the choices relative to the project's root. Labels of lists in the project file become
// paths; others do not change.
std::vector<std::string> ListsFromRoot(const std::vector<std::string>& choices,
                                       const Project& project);

}  // namespace opledger
