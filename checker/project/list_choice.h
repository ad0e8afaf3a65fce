// What a value of --list means, for every verb: a file, if it has a '/' or ends in .json; else the
// lists of that label ("float16", "float16-cuda"), or "all".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "checker/project/project.h"
#include "registry/precision_list/precision_list.h"

namespace opledger {

// A list that a choice may mean.
struct ListName {
  std::string label;
  std::string path;
  std::string framework;
};

inline constexpr const char* kAllLists = "all";

bool IsListFile(const std::string& choice);
bool AnyListFile(const std::vector<std::string>& choices);

std::vector<ListName> NamesOf(const std::vector<PrecisionList>& lists);

// Those that the project file names, of all its dialects, without the ones that cannot be read.
std::vector<ListName> ListsOfProject(const Project& project);

// The places in `lists` of those that `choice`, which is no file, means; none: an error that names
// the ones there are.
std::vector<std::size_t> FindChosen(const std::string& choice, const std::vector<ListName>& lists,
                                    Diagnostics& diagnostics);

// False, with an error, where a label is of no list that the project file names. Where it names
// none, the sources decide which lists there are.
bool AreLabels(const std::vector<std::string>& choices, const Project& project,
               Diagnostics& diagnostics);

// As seen from the project's root: paths of files, also for labels of lists that the project file
// names. Labels of others stay.
std::vector<std::string> ListsFromRoot(const std::vector<std::string>& choices,
                                       const Project& project);

}  // namespace opledger
