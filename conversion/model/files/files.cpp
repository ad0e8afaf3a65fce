// Files are mapped privately and read-only. If a file shrinks while it is read, the program ends
// with an error that names it.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/files/files.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "registry/files/open_file.h"
#include "registry/files/sha256.h"
#include "registry/platform/mapped_files.h"

namespace opledger {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kReleased = std::size_t{1} << 16;  // smaller spans are not worth a call
constexpr std::size_t kPiece = std::size_t{4} << 20;

// Returns whether the file has only one name. A hard link may refer to a file elsewhere.
bool HasOneName(int file) {
  struct stat status = {};
  return fstat(file, &status) == 0 && (!S_ISREG(status.st_mode) || status.st_nlink <= 1);
}

// Reads a byte of each page, so that a file that has shrunk is detected here. Otherwise a write of
// these bytes would fail, and the error would blame the output.
void Touch(std::string_view bytes) {
  const volatile char* const begin = bytes.data();
  [[maybe_unused]] char seen = bytes.empty() ? '\0' : begin[bytes.size() - 1];
  for (std::size_t i = 0; i < bytes.size(); i += kPage) seen = begin[i];
}

}  // namespace

std::optional<SourceFile> SourceFile::Map(int descriptor, const std::string& path,
                                          Diagnostics& diagnostics) {
  const auto fail = [&](std::string message) {
    close(descriptor);
    return diagnostics.Error({.path = path}, std::move(message));
  };
  struct stat status = {};
  if (fstat(descriptor, &status) != 0) {
    return fail(std::string("cannot read: ") + std::strerror(errno));
  }
  if (!S_ISREG(status.st_mode)) return fail("not a regular file");
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) {
    close(descriptor);
    return SourceFile(path, {});
  }
  void* memory = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (memory == MAP_FAILED) return fail(std::string("cannot map: ") + std::strerror(errno));
  close(descriptor);
  // A huge page for each header would keep most of a large model in memory.
  madvise(memory, size, MADV_NOHUGEPAGE);
  WatchMapping(memory, size, path);
  return SourceFile(path, {static_cast<const char*>(memory), size});
}

std::optional<SourceFile> SourceFile::Open(const std::string& path, Diagnostics& diagnostics,
                                           std::string data_root) {
  const int descriptor = OpenInput(path);
  if (descriptor < 0) {
    return diagnostics.Error({.path = path}, std::string("cannot read: ") + std::strerror(errno));
  }
  std::optional<SourceFile> file = Map(descriptor, path, diagnostics);
  if (file) file->data_root_ = std::move(data_root);
  return file;
}

std::optional<SourceFile> SourceFile::OpenBelow(const std::string& folder,
                                                const std::string& relative, const std::string& who,
                                                Diagnostics& diagnostics,
                                                const std::string& data_root) {
  const std::string shown = folder + "/" + relative;
  const bool plain = !relative.empty() && !relative.starts_with('/') &&
                     relative.find('\0') == std::string::npos &&
                     relative.find('\\') == std::string::npos;
  int descriptor = -1;
  errno = EXDEV;
  if (plain && data_root.empty()) descriptor = OpenInputBelow(folder, relative, Links::kRefuse);
  if (plain && !data_root.empty()) {
    std::error_code error;
    const std::filesystem::path from = std::filesystem::canonical(folder, error);
    const std::filesystem::path root = std::filesystem::canonical(data_root, error);
    descriptor = OpenInputBelow(root.string(), (from / relative).string());
  }
  const int error = errno;
  if (descriptor >= 0 && data_root.empty() && !HasOneName(descriptor)) {
    close(descriptor);
    return diagnostics.Error({.path = shown}, "the data of " + who + " is a hard link",
                             "put a copy next to the model, or allow links with --data-root DIR");
  }
  if (descriptor >= 0) return Map(descriptor, shown, diagnostics);
  if (error != EXDEV && error != ELOOP) {
    return diagnostics.Error({.path = shown},
                             "cannot read the data of " + who + ": " + std::strerror(error));
  }
  if (!data_root.empty()) {
    return diagnostics.Error(
        {.path = shown}, "the data of " + who + " is not below " + data_root + " (--data-root)",
        "name the folder that contains the model and the targets of its links");
  }
  return diagnostics.Error(
      {.path = shown}, "the data of " + who + " is not in the model's folder",
      "links, '..' and absolute paths are not followed; put the file next to the model, or allow "
      "links with --data-root DIR");
}

SourceFile SourceFile::FromText(std::string path, std::string text, std::string data_root) {
  SourceFile file(std::move(path), {});
  file.data_root_ = std::move(data_root);
  file.text_ = std::make_unique<std::string>(std::move(text));
  file.bytes_ = *file.text_;
  return file;
}

SourceFile::SourceFile(SourceFile&& other) noexcept
    : path_(std::move(other.path_)),
      data_root_(std::move(other.data_root_)),
      text_(std::move(other.text_)),
      bytes_(std::exchange(other.bytes_, {})) {}

SourceFile& SourceFile::operator=(SourceFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(data_root_, other.data_root_);
  std::swap(text_, other.text_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

SourceFile::~SourceFile() {
  if (text_ != nullptr || bytes_.empty()) return;
  UnwatchMapping(bytes_.data());
  munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

void SourceFile::Release(Span span) const {
  const std::size_t begin = (span.begin + kPage - 1) / kPage * kPage;
  const std::size_t end = std::min(span.end, bytes_.size()) / kPage * kPage;
  if (text_ != nullptr || span.size() < kReleased || begin >= end) return;
  madvise(const_cast<char*>(bytes_.data()) + begin, end - begin, MADV_DONTNEED);
}

void ReleasedBehind::Pass(std::size_t to) {
  end_ = to;
  if (to < begin_ + kPiece) return;
  file_.Release({begin_, to});
  begin_ = to / kPage * kPage;  // the page shared with the next bytes
}

bool SourceFile::ForEachPiece(Span span, const std::function<bool(std::string_view)>& take) const {
  while (span.begin < span.end) {
    const Span piece = {span.begin, std::min(span.end, span.begin + kPiece)};
    Touch(Text(piece));
    if (!take(Text(piece))) return false;
    Release(piece);
    span.begin = piece.end;
  }
  return true;
}

std::string SourceFile::Digest() const {
  Sha256 digest;
  ForEachPiece({0, bytes_.size()}, [&](std::string_view piece) {
    digest.Add(piece);
    return true;
  });
  return digest.Hex();
}

}  // namespace opledger
