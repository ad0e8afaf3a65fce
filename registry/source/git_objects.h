// Reads git objects by their ids with a long-running `git cat-file --batch`.
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
  // `folder` is an absolute path in a working tree. `others` are git directories whose objects are
  // also readable, such as those of submodules.
  GitObjects(std::string folder, std::vector<std::string> others);

  // Returns the contents of a blob. Returns nullopt and sets errno on failure: ENODATA if git does
  // not have it (nothing is fetched), EFBIG if it is larger than `maximum`, ETIMEDOUT if git did
  // not answer within --git-timeout, EPROTO if git has ended or its answer is invalid. After the
  // last two, all later calls fail too.
  std::optional<std::string> Read(const std::string& id, std::size_t maximum);

  // Restarts git. A forked process must not read answers to its parent.
  void Restart();

 private:
  std::optional<std::string> Ask(const std::string& id, std::size_t maximum);
  std::optional<std::string> ReadLine();
  // Reads `size` bytes into `bytes`; discards them if it is null.
  bool ReadBytes(std::uint64_t size, std::string* bytes);
  bool Fill();

  std::string folder_;
  std::vector<std::string> others_;
  std::optional<GitProcess> git_;
  int failure_ = 0;  // errno of a git that is no longer used
  std::string buffer_;
  std::size_t at_ = 0;  // position in the buffer
};

}  // namespace opledger
