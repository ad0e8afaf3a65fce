// What looks like registration in a tree that no dialect describes wholly, as the scanner found it
// (registry/scan/discover).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "registry/dialect/dialect.h"
#include "registry/manifest/manifest.h"
#include "registry/text/diagnostics.h"
#include "registry/text/location.h"

namespace opledger {

struct SeenRegistry {
  std::string kind;  // "macro", "YAML key"
  std::string name;
  std::string module;  // in which, or on what, it is called; may be empty
  std::vector<std::pair<std::string, Location>> names;  // with where each is given first
  std::optional<Location> definition;                   // in the tree
  bool likely = false;  // its own name, and what it is given, say that it registers
  bool chosen = false;  // the dialect reads it
};

struct Discovery {
  std::vector<SeenRegistry> seen;  // the likeliest first
  std::string dialect;             // the text of one that reads those chosen; empty: none is likely
};

// A dialect, and the files that register operators by it.
struct SeenDialect {
  std::string name;
  std::size_t files = 0;
  std::string first;  // of them, absolute
};

struct FirstLook {
  std::vector<SeenDialect> dialects;
  bool whole = true;  // false: the tree is larger than what was looked at
};

// Has the scanner look at the current folder, for a second at most. None if it cannot run.
std::optional<FirstLook> LookBriefly();

// Has the scanner look through the current folder. None, with an error, if it cannot run.
std::optional<Discovery> Discover(Diagnostics& diagnostics);

// Those that are likely and give names of which the manifest has less than half.
std::vector<SeenRegistry> Unexplained(const Discovery& discovery, const Dialect& dialect,
                                      const Manifest& manifest);

// One line for each: "macro REGISTER_OP: 31 names (Abs at a.cc:3:1, ...)". At most `most`.
std::string SeenLines(const std::vector<SeenRegistry>& seen, std::size_t most);

}  // namespace opledger
