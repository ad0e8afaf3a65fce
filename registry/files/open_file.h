// Opens files; no other source does (tests/house/opening_test.py). Files that a repository names
// are opened below its root, whatever links and ".." the path contains, so that a checkout cannot
// cause files elsewhere to be read. All functions return a descriptor, or -1 with errno set.
// Descriptors are not inherited by other programs, and opening for reading never waits for a pipe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

namespace opledger {

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int get() const { return value_; }

 private:
  int value_;
};

enum class Links {
  kFollow,  // within the root, if there is one
  kRefuse,  // anywhere in the path; without a root, only in its last part
};

// Opens a file for reading that the user, or this program, names.
int OpenInput(const std::string& path, Links links = Links::kFollow);
// Opens a file that something in the folder `root` names. `path` is relative to `root`, or
// absolute. Fails with EXDEV if it is outside `root`.
int OpenInputBelow(const std::string& root, const std::string& path, Links links = Links::kFollow);
// Does the same on kernels without openat2, part by part.
int OpenInputByParts(const std::string& root, const std::string& path, Links links);
// Opens a file by its name in an open folder; fails for links.
int OpenInputAt(int folder, const std::string& name);
// Opens a folder for access to files below it, not for listing it.
int OpenFolder(const std::string& path);
// Opens a file or folder as a path only (O_PATH).
int OpenPlace(const std::string& path);

// Creates a file for writing, with `mode` reduced by the umask. Fails if it exists.
int OpenNew(const std::string& path, unsigned mode);
int OpenNewAt(int folder, const std::string& name, unsigned mode);
// Opens an existing pipe or device for writing. May wait for a pipe's reader.
int OpenExisting(const std::string& path);

}  // namespace opledger
