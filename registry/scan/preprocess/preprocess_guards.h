// What Clang may read and how far it may expand. For preprocess.cpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/PPCallbacks.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "registry/scan/preprocess/read_again.h"
#include "registry/scan/workers/workers.h"

namespace opledger::scan {

// None: no file of the tree.
inline const SourceFile* InTree(const SourceTree& tree, const std::string& absolute) {
  std::string path = NormalPath(absolute);
  bool inside = path.starts_with(tree.root() + "/");
  int file = tree.Known(inside ? path.substr(tree.root().size() + 1) : path);
  return file < 0 ? nullptr : &tree.files()[file];
}

// Whether the tree knows all files that were read.
inline bool AllInTree(const SourceTree& tree, const clang::SourceManager& sources) {
  auto name_of = [](const auto& file) {
    if constexpr (requires { file.getName(); })
      return file.getName().str();
    else
      return file->getName().str();
  };
  return std::all_of(sources.fileinfo_begin(), sources.fileinfo_end(), [&](const auto& info) {
    return InTree(tree, name_of(info.first)) != nullptr;
  });
}

// Refuses what is no regular file or folder: reading a FIFO would wait for ever. Files of the tree
// must be what they were.
class GuardedFiles : public llvm::vfs::ProxyFileSystem {
 public:
  using ProxyFileSystem::ProxyFileSystem;

  void Guard(const SourceTree& tree) { tree_ = &tree; }

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine& path) override {
    llvm::ErrorOr<llvm::vfs::Status> found = ProxyFileSystem::status(path);
    if (found && !found->isRegularFile() && !found->isDirectory()) {
      return std::make_error_code(std::errc::no_such_file_or_directory);
    }
    return found;
  }
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(
      const llvm::Twine& path) override {
    auto found = status(path);
    if (!found) return found.getError();
    const SourceFile* file = tree_ == nullptr ? nullptr : InTree(*tree_, path.str());
    if (file != nullptr) {
      auto modified = found->getLastModificationTime().time_since_epoch();
      ExpectUnchanged(*file, found->getSize(),
                      std::chrono::duration_cast<std::chrono::nanoseconds>(modified).count());
    }
    return ProxyFileSystem::openFileForRead(path);
  }

 private:
  const SourceTree* tree_ = nullptr;
};

// Notes the headers that are not found, once each; not those of the standard library.
class MissingHeaders : public clang::PPCallbacks {
 public:
  explicit MissingHeaders(std::vector<std::string>& missing) : missing_(missing) {}

  bool FileNotFound(llvm::StringRef name) override {
    const bool standard = name.find('.') == llvm::StringRef::npos || IsOfC(name);
    if (!standard && std::find(missing_.begin(), missing_.end(), name.str()) == missing_.end()) {
      missing_.push_back(name.str());
    }
    return false;
  }

 private:
  static bool IsOfC(llvm::StringRef name) {
    for (const char* header :
         {"assert", "ctype", "errno", "float", "limits", "math", "stdarg", "stdbool", "stddef",
          "stdint", "stdio", "stdlib", "string", "time", "unistd"}) {
      if (name == std::string(header) + ".h") return true;
    }
    return false;
  }

  std::vector<std::string>& missing_;
};

// Counts expansions: those within an argument make no token that anybody else could count.
class ExpansionFuse : public clang::PPCallbacks {
 public:
  void MacroExpands(const clang::Token&, const clang::MacroDefinition&, clang::SourceRange,
                    const clang::MacroArgs*) override {
    if (++count_ > kMostExpansions) GiveUpTask("expands more than a million macros: a macro bomb?");
  }

 private:
  // More than any real source needs, headers included; a macro bomb gets there in a second.
  static constexpr std::size_t kMostExpansions = 1'000'000;

  std::size_t count_ = 0;
};

}  // namespace opledger::scan
