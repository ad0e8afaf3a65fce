// A private folder for a while: gone when this is, and also where a signal ends the program first.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace opledger {

class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }  // empty: none could be made

 private:
  std::string path_;
  int alive_ = -1;  // its other end closes when this process ends, however that is
};

// The path, if mkdtemp can have made it from the pattern; otherwise nothing: what is removed with
// all its content is never any other folder, such as the first part of a path.
std::string MadeFrom(const std::string& pattern, std::string path);

}  // namespace opledger
