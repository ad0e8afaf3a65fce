// Mapped privately and read only; a file that shrinks while it is read ends the program, as it
// would end any reader.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/files/files.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace opledger {
namespace {

constexpr std::size_t kPage = 4096;

// Opens `relative` below the open folder, following no link out of it: the kernel sees to that, so
// that nothing can be exchanged between a check and the opening.
int OpenInside(int folder, const std::string& relative) {
  open_how how = {};
  how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  return static_cast<int>(syscall(SYS_openat2, folder, relative.c_str(), &how, sizeof how));
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
  // A huge page for each look at a header would hold most of a large model in memory.
  madvise(memory, size, MADV_NOHUGEPAGE);
  return SourceFile(path, {static_cast<const char*>(memory), size});
}

std::optional<SourceFile> SourceFile::Open(const std::string& path, Diagnostics& diagnostics) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) {
    return diagnostics.Error({.path = path}, std::string("cannot read: ") + std::strerror(errno));
  }
  return Map(descriptor, path, diagnostics);
}

std::optional<SourceFile> SourceFile::OpenBelow(const std::string& folder,
                                                const std::string& relative, const std::string& who,
                                                Diagnostics& diagnostics) {
  const std::string shown = folder + "/" + relative;
  const int base = open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  const bool plain = !relative.empty() && relative.find('\0') == std::string::npos &&
                     relative.find('\\') == std::string::npos;
  const int descriptor = base >= 0 && plain ? OpenInside(base, relative) : -1;
  const int error = plain ? errno : EXDEV;
  if (base >= 0) close(base);
  if (descriptor >= 0) return Map(descriptor, shown, diagnostics);
  const bool outside = error == EXDEV || error == ELOOP;
  return diagnostics.Error(
      {.path = shown},
      outside ? "the data of " + who + " is not in the model's folder"
              : "cannot read the data of " + who + ": " + std::strerror(error),
      outside ? "links, '..' and absolute paths are not followed; put the file beside "
                "the model"
              : std::string());
}

SourceFile SourceFile::FromText(std::string path, std::string text) {
  SourceFile file(std::move(path), {});
  file.text_ = std::make_unique<std::string>(std::move(text));
  file.bytes_ = *file.text_;
  return file;
}

SourceFile::SourceFile(SourceFile&& other) noexcept
    : path_(std::move(other.path_)),
      text_(std::move(other.text_)),
      bytes_(std::exchange(other.bytes_, {})) {}

SourceFile& SourceFile::operator=(SourceFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(text_, other.text_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

SourceFile::~SourceFile() {
  if (text_ == nullptr && !bytes_.empty()) munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

void SourceFile::Release(Span span) const {
  const std::size_t begin = (span.begin + kPage - 1) / kPage * kPage;
  const std::size_t end = std::min(span.end, bytes_.size()) / kPage * kPage;
  if (text_ != nullptr || begin >= end) return;
  madvise(const_cast<char*>(bytes_.data()) + begin, end - begin, MADV_DONTNEED);
}

}  // namespace opledger
