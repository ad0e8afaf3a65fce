// Opening files: no other source does (tests/house/opening_test.py). What a repository names is
// opened below its root, whatever links and dots the name holds, so that a checkout cannot make us
// read what lies elsewhere. All give a descriptor, or -1 with errno set; none is inherited by
// programs, and none waits for a pipe.
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
  kFollow,  // within the root, where there is one
  kRefuse,  // anywhere in the name; without a root, its last part
};

// For reading. A file that the user, or this program, names.
int OpenInput(const std::string& path, Links links = Links::kFollow);
// A file that something in the folder `root` names. `path` is relative to `root`, or absolute.
// EXDEV: it leads outside.
int OpenInputBelow(const std::string& root, const std::string& path, Links links = Links::kFollow);
// The same for a kernel without openat2: part by part.
int OpenInputByParts(const std::string& root, const std::string& path, Links links);
// A file in an open folder, by its name there; no link.
int OpenInputAt(int folder, const std::string& name);
// To look below it, not to list it.
int OpenFolder(const std::string& path);
// A file or folder as a place only.
int OpenPlace(const std::string& path);

// For writing. A file that is not there yet, with what the mask leaves of `mode`.
int OpenNew(const std::string& path, unsigned mode);
int OpenNewAt(int folder, const std::string& name, unsigned mode);
// A pipe or a device that is there. May wait for a pipe's reader.
int OpenExisting(const std::string& path);

}  // namespace opledger
