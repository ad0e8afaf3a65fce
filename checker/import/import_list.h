// A framework's own precision lists, as read from its Python module, become one of ours.
//   FP32_FUNCS = ['exp']  ->  "fp32": ["exp"]
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "registry/list_source/list_module.h"
#include "registry/list_source/list_roles.h"
#include "registry/text/diagnostics.h"

namespace opledger {

struct ImportTarget {
  std::string path;             // of the module, for guesses and messages
  std::string framework;        // may be empty: guessed from the names of the lists
  std::string target_dtype;     // may be empty: guessed from those names and from the path
  std::string configuration;    // may be empty
  std::string device;           // may be empty: that of the lists' rules
  bool places = true;           // each entry says where it stands in the source
  std::vector<ListRule> rules;  // --map; before the built-in ones, for every framework
};

struct ImportedList {
  std::string json;
  bool complete = true;  // false: something that belongs into it could not be read
};

// The text of the list: sorted by name within a policy, one entry a line. Reports names that stand
// in no rule, entries it cannot use, and operators that stand in it twice (which are all kept).
// None, with an error, where framework or type cannot be guessed, or no list is known.
std::optional<ImportedList> ImportLists(const ListModule& module, const ImportTarget& target,
                                        Diagnostics& diagnostics);

}  // namespace opledger
