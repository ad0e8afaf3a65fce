// A snapshot: the last complete result of a scan, with what must still hold for it to be true.
// Where nothing changed it is the answer; where only translation units changed that nobody
// includes, in nothing others see, those alone are scanned again (rescan.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/scan/directory_state.h"
#include "registry/scan/tree/tree.h"

namespace opledger::scan {

struct Snapshot {
  struct File {
    std::string path;
    FileStamp stamp;
    Digest content;
    Digest surface;  // of its outline, for a unit that nobody includes
    Digest uses;     // of those that lead to no sink (discover/unrecognized.h); zero: none
    bool is_unit = false;
    bool included = false;
    std::vector<int> include_files;  // one per #include; -1: none
  };
  std::int64_t taken = 0;                   // when the scan began
  std::vector<DirectoryState> directories;  // listed, or searched for headers
  std::vector<File> files;                  // in the order of the tree
  std::vector<int> active_headers;
  std::vector<int> attached_headers;
  std::vector<AttributeSet> attribute_sets;
  std::vector<std::pair<std::string, std::vector<KernelFunction>>> kernel_functions;  // by file
  std::vector<std::pair<std::string, std::vector<Definition>>> definitions;           // by file
  // The files whose facts name an operator, also one that the dialect drops.
  std::map<std::string, std::vector<int>> registered_by;
  std::vector<int> irregular;  // files whose facts hold more than registrations with names
  bool registers_python = false;
  std::string manifest;  // packed; complete and not empty
};

// What of a unit's outline can matter to other files: the names it defines as macros, what it
// includes, its attribute sets, constants and functions that are evaluated, and which of its
// identifiers look like registrations.
Digest SurfaceOf(const Outline& outline);

std::string SerializeSnapshot(const Snapshot& snapshot);
std::optional<Snapshot> ParseSnapshot(std::string_view bytes);

// What became of the files since the snapshot.
struct Changes {
  bool unknown = false;      // files came or went, or one changed on which others depend
  int revalidated = 0;       // files and folders that had to be read, and were as before
  std::vector<int> changed;  // units with other bytes
  std::vector<FileStamp> stamps;
  std::vector<Digest> contents;
};

// Looks at every folder and file of the snapshot. Stamps of what is as before are brought up to
// date: with `taken` set to when this began, the snapshot holds again.
Changes ChangesSince(Snapshot& snapshot, const SourceTree& tree);

}  // namespace opledger::scan
