// Turns a framework's own precision lists, as read from its source, into an opledger list.
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
  std::string framework;        // empty: guessed from the names of the lists
  std::string target_dtype;     // empty: guessed from those names and the path
  std::string configuration;    // may be empty
  std::string device;           // empty: that of the rules, if they have only one
  bool places = true;           // write the source place of each entry
  std::vector<ListRule> rules;  // from --map; take precedence over the built-in ones
};

struct ImportedList {
  std::string json;
  bool complete = true;  // false: some entries could not be read
};

// Returns the text of the list, sorted by name within each policy, with one entry per line. Warns
// about lists without a rule, entries that cannot be used, and repeated operators, which are all
// kept. Returns nullopt, with an error, if framework or type cannot be guessed, or if no list has a
// rule.
std::optional<ImportedList> ImportLists(const ListModule& module, const ImportTarget& target,
                                        Diagnostics& diagnostics);

}  // namespace opledger
