// A private temporary folder, removed with the object or, if a signal ends the program, by another
// process.
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

  const std::string& path() const { return path_; }  // empty: it could not be made

 private:
  std::string path_;
  int alive_ = -1;  // its other end closes when this process ends for any reason
};

// Returns `path` if mkdtemp can have made it from the pattern, otherwise an empty string. Prevents
// a truncated path from being removed with everything in it.
std::string MadeFrom(const std::string& pattern, std::string path);

}  // namespace opledger
