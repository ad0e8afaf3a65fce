// The files of the tree, as a file system for Clang.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "llvm/Support/VirtualFileSystem.h"
#include "registry/scan/tree/tree.h"

namespace opledger::scan {

// Returns the file at a path as Clang spells it; nullptr if it is not in the tree.
const SourceFile* FindInTree(const SourceTree& tree, const std::string& path);

// Leaves out pipes and devices, which could block forever. Fails the worker's task if a file of the
// tree has changed, or if a path cannot be examined.
class SourceFiles : public llvm::vfs::FileSystem {
 public:
  void SetTree(const SourceTree& tree) { tree_ = &tree; }

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine& path) override;
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine& path) override;
  llvm::vfs::directory_iterator dir_begin(const llvm::Twine& folder,
                                          std::error_code& error) override;
  llvm::ErrorOr<std::string> getCurrentWorkingDirectory() const override;
  std::error_code setCurrentWorkingDirectory(const llvm::Twine& path) override;

 private:
  PathState Examine(const std::string& path) const;
  std::string Read(const std::string& path) const;

  const SourceTree* tree_ = nullptr;
};

}  // namespace opledger::scan
