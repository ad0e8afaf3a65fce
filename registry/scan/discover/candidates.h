// Uses of all files -> candidates.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "registry/scan/discover/discover.h"
#include "registry/text/text.h"

namespace opledger::scan {

// "macro", "YAML key"
const char* KindOf(NamedForm form);

// Fills in the scores; the likeliest first.
void Rank(std::vector<Candidate>& candidates);

class CandidateTable {
 public:
  // What was found in the file at `path`.
  void Add(const std::string& path, const LineIndex& lines, const FileUses& found);
  // Of at least `fewest` names, without scores, in the order of form and name.
  std::vector<Candidate> Take(std::size_t fewest);

 private:
  struct Group {
    std::size_t uses = 0;
    std::size_t inside = 0;  // of these, in functions
    bool schema = false;
    std::array<std::size_t, NamedUse::kArguments> named = {};   // how many uses have a name there
    std::array<std::size_t, NamedUse::kArguments> quoted = {};  // ... as a string
    std::array<std::map<std::string, Location>, NamedUse::kArguments> values;
    std::map<std::string, int> files;
  };

  static std::size_t NameArgument(const Group& group);
  std::optional<Location> DefinitionOf(const Candidate& candidate) const;

  std::map<std::tuple<NamedForm, std::string, std::string>, Group> groups_;
  std::map<std::string, Location> definitions_;
};

}  // namespace opledger::scan
