// Finds what looks like registration in a tree for which there is no dialect: macros, functions,
// classes, decorators and data keys that receive many names. Ranks them, and writes a dialect that
// reads the most likely ones. Input: a tree. Output: candidates with locations, JSON text.
// May include: registry/json, registry/manifest, registry/platform, registry/python,
// registry/source, registry/text, registry/scan/macros, registry/scan/outline, registry/scan/tree.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/scan/outline/named_uses.h"
#include "registry/source/source.h"
#include "registry/text/location.h"

namespace opledger::scan {

// Something that receives at least three different names.
struct Candidate {
  NamedForm form = NamedForm::kMacro;
  std::string name;
  std::string module;
  std::size_t argument = 0;  // index of the argument that is the name
  bool quoted = false;       // the name is mostly a string
  bool schema = false;
  bool scoped = false;                     // some name is in a namespace
  double weight = 1;                       // weight of the candidate's own name
  bool inside = false;                     // all uses are in functions
  std::map<std::string, Location> values;  // name -> first location
  std::map<std::string, int> files;        // path -> number of uses
  std::optional<Location> definition;      // if it is in the tree
  double score = 0;
};

// Returns the candidates, most likely first. Skips folders of tests, examples, builds and other
// projects.
std::vector<Candidate> Discover(const Source& source);

// Returns the indices of the candidates that a dialect should read. Empty if none is likely.
std::vector<std::size_t> LikelyCandidates(const std::vector<Candidate>& candidates);

// Returns the text of a dialect that reads the chosen candidates, with comments that name examples.
std::string StarterDialect(const std::string& name, const std::vector<Candidate>& candidates,
                           const std::vector<std::size_t>& chosen);

// Returns the candidates, which of them were chosen, and the dialect, as JSON for `opledger init`.
std::string DiscoveryJson(const std::string& name, const std::vector<Candidate>& candidates);

}  // namespace opledger::scan
