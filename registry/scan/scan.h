// registry/scan: C++ source + dialect -> manifest. One scan goes through the rooms in this order:
// tree/ lists files and has outline/ read each; macros/ finds what leads to a registration; unit/
// plans each unit, has preprocess/ expand it and match/ read it, into facts/; merge/ makes the
// manifest. snapshot.h, rescan.h: little is done again where little changed.
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
  std::string build;  // folder of compile_commands.json; empty: none
  Defines defines;    // -D
  int jobs = 0;       // 0: as many as processors this process may use
  bool cache = true;
  std::set<std::string> fields;  // of the operators to keep; empty: all
  bool statistics = false;       // fill in ScanResult::balance
  bool progress = false;         // draw progress on standard error
  double seconds = 60;           // processor time for one file (workers.h)
  int megabytes = 2048;          // memory for one file
  std::string explain;           // a file, relative to the root, of which to tell how it was read
  Shard shard;                   // give its facts in place of a manifest
};

struct ScanTiming {
  double list = 0, outline = 0, index = 0, facts = 0, merge = 0;  // wall seconds
  int files = 0;                                                  // looked at, headers included
  int units = 0;                                                  // translation units among them
  int outlined = 0;            // files read anew, not taken from the cache
  int scanned = 0;             // units preprocessed, not taken from the cache
  int full_headers = 0;        // of those, with all headers
  bool from_snapshot = false;  // all but what was read and preprocessed is the last scan's result
};

struct ScanResult {
  std::optional<Manifest> manifest;  // none: `packed` has it, and it is complete and not empty
  std::string packed;                // PackManifest's bytes, where they were at hand
  std::string explanation = {};      // of ScanOptions::explain
  Balance balance = {};              // of all mentions, where ScanOptions::statistics asks for it
  OutsideMentions outside = {};      // likewise
  std::string facts = {};            // of ScanOptions::shard: a facts file; then no manifest
};

// Scans; what could not be read is in Manifest::incomplete. None, with a diagnostic, only where
// there is nothing to scan or no root.
//
// `source`: the tree, its root without symbolic links.
std::optional<ScanResult> Scan(const Source& source, const Dialect& dialect,
                               const ScanOptions& options, ScanTiming& timing,
                               Diagnostics& diagnostics);

}  // namespace opledger::scan
