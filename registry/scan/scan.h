// Extracts a manifest from C++ source and a dialect. A scan passes through the rooms in this order:
// tree/ lists files and outline/ reads each; macros/ finds what leads to a registration; unit/
// plans each unit, preprocess/ expands it and match/ reads it, which gives facts/; merge/ makes the
// manifest. snapshot.h and rescan.h avoid repeating work if little has changed.
// May include: registry/dialect, registry/files, registry/manifest, registry/platform,
// registry/project, registry/scan/*, registry/source, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "registry/dialect/dialect.h"
#include "registry/manifest/manifest.h"
#include "registry/scan/facts/facts_file.h"
#include "registry/scan/ledger/outside.h"
#include "registry/source/source.h"

namespace opledger::scan {

struct ScanOptions {
  std::vector<std::string> paths;  // relative to the root; may be empty
  std::string configuration = "union";
  bool exhaustive = false;
  std::string build;  // folder of compile_commands.json, or empty
  Defines defines;    // values of -D
  int jobs = 0;       // 0: as many as processors that this process may use
  bool cache = true;
  std::set<std::string> fields;  // fields of operators to keep; empty: all
  bool statistics = false;       // fill in ScanResult::balance and outside
  bool progress = false;         // show progress on standard error
  double seconds = 60;           // processor time per file (workers.h)
  int megabytes = 2048;          // memory per file
  std::string explain;           // file, relative to the root, to explain; empty: none
  Shard shard;                   // write facts of this shard instead of a manifest
};

struct ScanTiming {
  double list = 0, outline = 0, index = 0, facts = 0, merge = 0;  // wall-clock seconds
  int files = 0;               // files in the tree, including headers
  int units = 0;               // translation units among them
  int outlined = 0;            // files read, not taken from the cache
  int scanned = 0;             // units preprocessed, not taken from the cache
  int full_headers = 0;        // of those, with all headers
  bool from_snapshot = false;  // everything not read and preprocessed was taken from the last scan
};

struct ScanResult {
  // If empty, `packed` has it, and it is complete and has operators.
  std::optional<Manifest> manifest;
  std::string packed;            // bytes of PackManifest, if available
  std::string explanation = {};  // of ScanOptions::explain
  Balance balance = {};          // of all mentions, if ScanOptions::statistics is set
  OutsideMentions outside = {};  // likewise
  std::string facts = {};        // for ScanOptions::shard: a facts file instead of a manifest
};

// Scans the tree. What could not be read is in Manifest::incomplete. Reports an error and returns
// nullopt only if an option is invalid or there is nothing to scan.
// `source`: the tree. Its root must not contain symbolic links.
std::optional<ScanResult> Scan(const Source& source, const Dialect& dialect,
                               const ScanOptions& options, ScanTiming& timing,
                               Diagnostics& diagnostics);

}  // namespace opledger::scan
