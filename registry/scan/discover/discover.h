// What looks like registration in a tree that no dialect describes: macros, functions, classes,
// decorators and data keys that are given many names where registrations stand, ranked, and a
// dialect that reads the likeliest. In: a tree. Out: candidates with places, JSON text.
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

// Something that is given at least three different names.
struct Candidate {
  NamedForm form = NamedForm::kMacro;
  std::string name;
  std::string module;
  std::size_t argument = 0;  // index of the one that is the name
  bool quoted = false;       // mostly a string
  bool schema = false;
  bool scoped = false;                     // some name is in a namespace
  double weight = 1;                       // of its own name
  bool inside = false;                     // all uses stand in functions
  std::map<std::string, Location> values;  // name -> where it is first given
  std::map<std::string, int> files;        // path -> how many uses
  std::optional<Location> definition;      // in the tree
  double score = 0;
};

// The candidates, the likeliest first. Folders of tests, examples, builds and other projects are
// left out.
std::vector<Candidate> Discover(const Source& source);

// How many of the candidates, from the first on, a dialect should read: none where none is likely.
std::vector<std::size_t> LikelyCandidates(const std::vector<Candidate>& candidates);

// A dialect that reads those, with comments that say why.
std::string StarterDialect(const std::string& name, const std::vector<Candidate>& candidates,
                           const std::vector<std::size_t>& chosen);

// The candidates, which of them were chosen, and the dialect, as JSON for `opledger init`.
std::string DiscoveryJson(const std::string& name, const std::vector<Candidate>& candidates);

}  // namespace opledger::scan
