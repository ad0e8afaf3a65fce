// A snapshot: the last complete result of a scan, and what must still hold for it to be valid. If
// nothing changed, it is the result. If only units changed that no file includes, and not in a way
// that affects other files, only they are scanned again (rescan.h).
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
    Digest surface;  // of its outline, for a unit that no file includes
    Digest uses;     // of uses that lead to no sink (discover/unrecognized.h), or zero
    bool is_unit = false;
    bool included = false;
    std::vector<int> include_files;  // one for each #include; -1 if not found
  };
  std::int64_t taken = 0;                   // time at which the scan began
  std::vector<DirectoryState> directories;  // listed, or searched for headers
  std::vector<File> files;                  // in the order of the tree
  std::vector<int> active_headers;
  std::vector<int> attached_headers;
  std::vector<AttributeSet> attribute_sets;
  std::vector<std::pair<std::string, std::vector<KernelFunction>>> kernel_functions;  // by file
  std::vector<std::pair<std::string, std::vector<Definition>>> definitions;           // by file
  // The files whose facts name an operator, including operators that the dialect drops.
  std::map<std::string, std::vector<int>> registered_by;
  std::vector<int> irregular;  // files whose facts have more than registrations with constant names
  bool registers_python = false;
  std::string manifest;  // packed; complete and not empty
};

// Returns the digest of the parts of a unit's outline that can affect other files: the names of its
// macros, its includes, its attribute sets, the constants and functions that are evaluated, and the
// identifiers that look like registrations.
Digest SurfaceOf(const Outline& outline);

// ParseSnapshot returns nullopt if the bytes are damaged.
std::string SerializeSnapshot(const Snapshot& snapshot);
std::optional<Snapshot> ParseSnapshot(std::string_view bytes);

// Changes of the files since the snapshot.
struct Changes {
  bool unknown = false;      // files were added or removed, or a file that others depend on changed
  int revalidated = 0;       // files and folders that had to be read but are unchanged
  std::vector<int> changed;  // units with different bytes
  std::vector<FileStamp> stamps;
  std::vector<Digest> contents;
};

// Examines every folder and file of the snapshot, and updates the stamps of those that are
// unchanged. If `taken` is then set to the time at which this began, the snapshot is valid again.
Changes ChangesSince(Snapshot& snapshot, const SourceTree& tree);

}  // namespace opledger::scan
