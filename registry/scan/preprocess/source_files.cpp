// Implements llvm::vfs on registry/source.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/preprocess/source_files.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "registry/scan/preprocess/read_again.h"
#include "registry/scan/workers/workers.h"

namespace opledger::scan {
namespace {

std::error_code NotThere() { return std::make_error_code(std::errc::no_such_file_or_directory); }

llvm::vfs::Status StatusOf(const std::string& path, const PathState& state, std::uint64_t size) {
  const llvm::sys::TimePoint<> modified{std::chrono::nanoseconds(state.stamp.modified)};
  const auto type = state.kind == PathKind::kFolder ? llvm::sys::fs::file_type::directory_file
                                                    : llvm::sys::fs::file_type::regular_file;
  return {path,     llvm::sys::fs::UniqueID(state.device, state.stamp.inode),
          modified, 0,
          0,        size,
          type,     llvm::sys::fs::perms::all_read};
}

class SourceFileBytes : public llvm::vfs::File {
 public:
  SourceFileBytes(llvm::vfs::Status status, std::string bytes)
      : status_(std::move(status)), bytes_(std::move(bytes)) {}

  llvm::ErrorOr<llvm::vfs::Status> status() override { return status_; }
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> getBuffer(const llvm::Twine& name, int64_t,
                                                               bool, bool) override {
    return llvm::MemoryBuffer::getMemBufferCopy(bytes_, name);
  }
  std::error_code close() override { return {}; }

 private:
  llvm::vfs::Status status_;
  std::string bytes_;
};

}  // namespace

const SourceFile* FindInTree(const SourceTree& tree, const std::string& path) {
  const int file = tree.Known(tree.PathInTree(path));
  return file < 0 ? nullptr : &tree.files()[file];
}

PathState SourceFiles::Examine(const std::string& path) const {
  const PathState state = tree_->source().Examine(path);
  if (state.kind == PathKind::kUnknown) {
    FailTask("needs to know whether " + path +
             " exists, but it cannot be examined: " + std::strerror(state.error));
  }
  return state;
}

std::string SourceFiles::Read(const std::string& path) const {
  std::optional<std::string> bytes = ReadSource(tree_->source(), path);
  if (!bytes) FailTask("needs " + path + ": " + WhyUnread(errno));
  return std::move(*bytes);
}

llvm::ErrorOr<llvm::vfs::Status> SourceFiles::status(const llvm::Twine& path) {
  const PathState state = Examine(path.str());
  if (state.kind == PathKind::kFolder) return StatusOf(path.str(), state, 0);
  if (state.kind != PathKind::kFile) return NotThere();
  // Only stamps from disk have the size, which Clang compares with what it reads.
  const bool on_disk = tree_->source().files()->IsDisk();
  return StatusOf(path.str(), state, on_disk ? state.stamp.size : Read(path.str()).size());
}

llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> SourceFiles::openFileForRead(
    const llvm::Twine& path) {
  const PathState state = Examine(path.str());
  if (state.kind != PathKind::kFile) return NotThere();
  if (const SourceFile* const file = FindInTree(*tree_, path.str())) {
    ExpectUnchanged(*file, state.stamp);
  }
  std::string bytes = Read(path.str());
  llvm::vfs::Status status = StatusOf(path.str(), state, bytes.size());
  return std::make_unique<SourceFileBytes>(std::move(status), std::move(bytes));
}

llvm::vfs::directory_iterator SourceFiles::dir_begin(const llvm::Twine&, std::error_code& error) {
  error = NotThere();  // the preprocessor does not list folders
  return {};
}

llvm::ErrorOr<std::string> SourceFiles::getCurrentWorkingDirectory() const {
  return tree_ == nullptr ? std::string("/") : tree_->root();
}

std::error_code SourceFiles::setCurrentWorkingDirectory(const llvm::Twine&) { return NotThere(); }

}  // namespace opledger::scan
