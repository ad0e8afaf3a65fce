// Opens files. openat2 resolves a path below a folder in one step, so that nothing can be replaced
// between check and open. It rejects absolute links, and older kernels lack it; in these cases the
// parts of the path are opened one after the other without following links.
// SPDX-License-Identifier: Apache-2.0
#include "registry/files/open_file.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <memory>
#include <vector>

#include "registry/files/repeated.h"

namespace opledger {
namespace {

constexpr int kReading = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
constexpr int kMostLinksFollowed = 40;  // the limit of Linux

int Open(const std::string& path, int flags) {
  return Repeated([&] { return open(path.c_str(), flags); });
}

int OpenAt(int folder, const std::string& name, int flags, unsigned mode = 0) {
  return Repeated([&] { return openat(folder, name.c_str(), flags, mode); });
}

std::string Canonical(const std::string& folder) {
  const std::unique_ptr<char, decltype(&std::free)> path(realpath(folder.c_str(), nullptr),
                                                         &std::free);
  return path ? path.get() : "";
}

// Makes `path` relative to `root`: "/a/b" below "/a" is "b". Relative paths are returned unchanged.
// Returns an empty string if `path` is not below `root`.
std::string Below(const std::string& root, const std::string& path) {
  if (!path.starts_with('/')) return path;
  if (path == root) return ".";
  if (!root.starts_with('/')) {
    const std::string canonical = Canonical(root);
    return canonical.empty() ? "" : Below(canonical, path);
  }
  const std::string folder = root.ends_with('/') ? root : root + '/';
  return path.starts_with(folder) ? path.substr(folder.size()) : "";
}

// Resolves one path from a folder downward.
class Descent {
 public:
  Descent(const std::string& root, Links links) : links_(links), root_(Canonical(root)) {
    if (!root_.empty()) Enter(OpenFolder(root_));
  }

  int Open(const std::string& path) {
    if (folders_.empty()) return -1;
    Push(path);
    while (!parts_.empty()) {
      const std::string part = std::move(parts_.back());
      parts_.pop_back();
      if (part.empty() || part == ".") continue;
      if (part == "..") {
        if (folders_.size() == 1) return Fail(EXDEV);
        folders_.pop_back();
        continue;
      }
      const Descriptor looked(
          OpenAt(folders_.back()->get(), part, O_PATH | O_NOFOLLOW | O_CLOEXEC));
      struct stat status = {};
      if (looked.get() < 0 || fstat(looked.get(), &status) != 0) return -1;
      if (S_ISLNK(status.st_mode)) {
        if (!Follow(looked.get())) return -1;
      } else if (parts_.empty()) {
        return OpenAt(folders_.back()->get(), part, kReading | O_NOFOLLOW);
      } else if (!Enter(OpenAt(folders_.back()->get(), part,
                               O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC))) {
        return -1;
      }
    }
    return OpenAt(folders_.back()->get(), ".", kReading);
  }

 private:
  static int Fail(int error) {
    errno = error;
    return -1;
  }

  // Adds the parts of the path in front of the remaining parts.
  void Push(const std::string& path) {
    for (std::size_t end = path.size();;) {
      const std::size_t slash = end == 0 ? std::string::npos : path.rfind('/', end - 1);
      const std::size_t begin = slash == std::string::npos ? 0 : slash + 1;
      parts_.push_back(path.substr(begin, end - begin));
      if (slash == std::string::npos) return;
      end = slash;
    }
  }

  bool Enter(int folder) {
    if (folder < 0) return false;
    folders_.push_back(std::make_unique<Descriptor>(folder));
    return true;
  }

  bool Follow(int link) {
    if (links_ == Links::kRefuse || ++followed_ > kMostLinksFollowed) return Fail(ELOOP) == 0;
    std::string target(PATH_MAX, '\0');
    const ssize_t size = readlinkat(link, "", target.data(), target.size());
    if (size <= 0) return Fail(size == 0 ? ENOENT : errno) == 0;
    target.resize(static_cast<std::size_t>(size));
    if (target.starts_with('/')) {
      target = Below(root_, target);
      if (target.empty()) return Fail(EXDEV) == 0;
      folders_.resize(1);
    }
    Push(target);
    return true;
  }

  Links links_;
  std::string root_;
  std::vector<std::unique_ptr<Descriptor>> folders_;  // from the root to the current folder
  std::vector<std::string> parts_;  // remaining parts of the path, the next one last
  int followed_ = 0;
};

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(value_, other.value_);
  return *this;
}

// Preserves errno, so that callers can examine the failure.
Descriptor::~Descriptor() {
  if (value_ < 0) return;
  const int error = errno;
  close(value_);
  errno = error;
}

int OpenInput(const std::string& path, Links links) {
  return Open(path, kReading | (links == Links::kRefuse ? O_NOFOLLOW : 0));
}

int OpenInputAt(int folder, const std::string& name) {
  return OpenAt(folder, name, kReading | O_NOFOLLOW);
}

int OpenInputByParts(const std::string& root, const std::string& path, Links links) {
  const std::string relative = Below(root, path);
  if (!relative.empty() && relative.find('\0') == std::string::npos) {
    return Descent(root, links).Open(relative);
  }
  errno = relative.empty() ? EXDEV : EINVAL;
  return -1;
}

int OpenInputBelow(const std::string& root, const std::string& path, Links links) {
  const std::string relative = Below(root, path);
  if (relative.empty() || relative.find('\0') != std::string::npos) {
    errno = relative.empty() && !path.empty() ? EXDEV : EINVAL;
    return -1;
  }
  const Descriptor folder(OpenFolder(root.empty() ? "." : root));
  if (folder.get() < 0) return -1;
  open_how how = {};
  how.flags = kReading;
  how.resolve =
      RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | (links == Links::kRefuse ? RESOLVE_NO_SYMLINKS : 0);
  const int file = Repeated(
      [&] { return syscall(SYS_openat2, folder.get(), relative.c_str(), &how, sizeof how); });
  // EPERM: a sandbox that does not support the call. EAGAIN: something was renamed while ".." of a
  // link was followed; on a busy machine, retrying might never succeed.
  const bool unsettled =
      file < 0 && (errno == EXDEV || errno == ENOSYS || errno == EPERM || errno == EAGAIN);
  return unsettled ? OpenInputByParts(root.empty() ? "." : root, relative, links) : file;
}

int OpenFolder(const std::string& path) { return Open(path, O_PATH | O_DIRECTORY | O_CLOEXEC); }

int OpenPlace(const std::string& path) { return Open(path, O_PATH | O_CLOEXEC); }

int OpenNew(const std::string& path, unsigned mode) { return OpenNewAt(AT_FDCWD, path, mode); }

int OpenNewAt(int folder, const std::string& name, unsigned mode) {
  return OpenAt(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
}

int OpenExisting(const std::string& path) { return Open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY); }

}  // namespace opledger
