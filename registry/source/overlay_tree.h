// A tree of files with some replaced by texts: unsaved buffers of an editor, or earlier settings.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "registry/source/source.h"

namespace opledger {

class OverlayTree : public FileTree {
 public:
  // Absolute path -> text; nullopt: the file does not exist. The text also applies to other paths
  // and links to the same file.
  using Texts = std::map<std::string, std::optional<std::string>>;

  OverlayTree(std::shared_ptr<const FileTree> below, Texts texts);

  PathState Examine(const std::string& path) const override;
  PathState ExamineLink(const std::string& path) const override;
  int List(const std::string& folder, std::vector<FolderEntry>& entries) const override;
  std::optional<std::string> Read(const std::string& root, const std::string& path,
                                  std::size_t maximum) const override;
  std::string Canonical(const std::string& path) const override { return below_->Canonical(path); }
  void AfterFork() const override { below_->AfterFork(); }
  const char* Kind() const override { return "texts"; }
  void Pack(ByteWriter& out) const override;
  static std::shared_ptr<const FileTree> Unpack(ByteReader& in);

 private:
  // A text, and the file that it hides.
  struct Hidden {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    const std::string* path = nullptr;
    const std::optional<std::string>* text = nullptr;
    FileStamp stamp;
  };

  const Hidden* Find(const std::string& path, const PathState& state) const;
  PathState Over(const std::string& path, const PathState& state) const;

  std::shared_ptr<const FileTree> below_;
  Texts texts_;
  std::vector<Hidden> hidden_;
};

}  // namespace opledger
