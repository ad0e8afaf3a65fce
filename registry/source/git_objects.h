// Reading git's objects by their ids: one `git cat-file --batch` that goes on answering.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "registry/platform/run_git.h"

namespace opledger {

class GitObjects {
 public:
  // `folder` is absolute, in a working tree. `others`: git directories whose objects are read too,
  // such as those of submodules.
  GitObjects(std::string folder, std::vector<std::string> others);

  // The bytes of a blob; none, with errno set: ENODATA, git does not have it (and fetches nothing);
  // EFBIG, it is larger; ETIMEDOUT, git has not answered for --git-timeout, and EPROTO, it has
  // ended or answers as no git does: then, and for all that is asked later.
  std::optional<std::string> Read(const std::string& id, std::size_t maximum);

  // Starts anew: answers to the process that this one was forked from are not ours.
  void Restart();

 private:
  std::optional<std::string> Ask(const std::string& id, std::size_t maximum);
  std::optional<std::string> ReadLine();
  // Reads `size` bytes into `bytes`, or to nowhere.
  bool ReadBytes(std::uint64_t size, std::string* bytes);
  bool Fill();

  std::string folder_;
  std::vector<std::string> others_;
  std::optional<GitProcess> git_;
  int failure_ = 0;  // errno, of a git that is not asked any more
  std::string buffer_;
  std::size_t at_ = 0;  // in the buffer
};

}  // namespace opledger
