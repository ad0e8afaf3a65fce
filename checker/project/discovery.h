// What looks like registrations that no dialect describes, as found by the scanner
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
  std::string kind;  // such as "macro" or "YAML key"
  std::string name;
  std::string module;  // module or object on which it is called; may be empty
  std::vector<std::pair<std::string, Location>> names;  // each with its first place
  std::optional<Location> definition;                   // if it is in the tree
  bool likely = false;  // its name and arguments suggest registrations
  bool chosen = false;  // the generated dialect reads it
};

struct Discovery {
  std::vector<SeenRegistry> seen;  // the likeliest first
  std::string dialect;  // text of a dialect that reads the chosen ones; empty if none is likely
};

// A dialect and the files that register operators with it.
struct SeenDialect {
  std::string name;
  std::size_t files = 0;
  std::string first;  // absolute path of the first
};

struct FirstLook {
  std::vector<SeenDialect> dialects;
  bool whole = true;  // false: the tree is larger than what was searched
};

// Scans the current folder for at most one second. Returns nullopt if the scanner cannot run.
std::optional<FirstLook> LookBriefly();

// Searches the current folder. Returns nullopt, with an error, if the scanner cannot run.
std::optional<Discovery> Discover(Diagnostics& diagnostics);

// Returns the likely registries of whose names the manifest has less than half.
std::vector<SeenRegistry> Unexplained(const Discovery& discovery, const Dialect& dialect,
                                      const Manifest& manifest);

// Returns at most `most` lines such as "macro REGISTER_OP: 31 names (Abs at a.cc:3:1, ...)".
std::string SeenLines(const std::vector<SeenRegistry>& seen, std::size_t most);

}  // namespace opledger
