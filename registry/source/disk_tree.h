// The files on disk.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "registry/source/source.h"

namespace opledger {

class DiskTree : public FileTree {
 public:
  PathState Examine(const std::string& path) const override;
  PathState ExamineLink(const std::string& path) const override;
  int List(const std::string& folder, std::vector<FolderEntry>& entries) const override;
  std::optional<std::string> Read(const std::string& root, const std::string& path,
                                  std::size_t maximum) const override;
  std::string Canonical(const std::string& path) const override;
  const char* Kind() const override { return "disk"; }
  bool IsDisk() const override { return true; }
  void Pack(ByteWriter& out) const override;
};

// Returns the files on disk relative to the current folder, for the start of a program. Returns
// nullopt and reports an error if that folder cannot be determined.
std::optional<Source> CurrentSource(Diagnostics& diagnostics);

}  // namespace opledger
