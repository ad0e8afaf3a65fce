// Groups the uses in all files into candidates and ranks them.
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

// Returns the kind as text: "macro", "YAML key".
const char* KindOf(NamedForm form);

// Computes the scores and sorts by them, most likely first.
void Rank(std::vector<Candidate>& candidates);

class CandidateTable {
 public:
  // Adds the uses found in the file `path`.
  void Add(const std::string& path, const LineIndex& lines, const FileUses& found);
  // Returns the candidates with at least `fewest` names, sorted by form and name, without scores.
  std::vector<Candidate> Take(std::size_t fewest);

 private:
  struct Group {
    std::size_t uses = 0;
    std::size_t inside = 0;  // of these, in functions
    bool schema = false;
    std::array<std::size_t, NamedUse::kArguments> named = {};  // number of uses with a name there
    // Number of uses with a string there.
    std::array<std::size_t, NamedUse::kArguments> quoted = {};
    std::array<std::map<std::string, Location>, NamedUse::kArguments> values;
    std::map<std::string, int> files;
  };

  static std::size_t NameArgument(const Group& group);
  std::optional<Location> DefinitionOf(const Candidate& candidate) const;

  std::map<std::tuple<NamedForm, std::string, std::string>, Group> groups_;
  std::map<std::string, Location> definitions_;
};

}  // namespace opledger::scan
