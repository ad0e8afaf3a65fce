// Reads standard input line by line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace opledger {

class InputLines {
 public:
  // Returns the next line without its line end, or nullopt at the end of the input or after an
  // error (see error()).
  std::optional<std::string> Next();
  // Returns the errno with which reading failed; 0: no error.
  int error() const { return error_; }

 private:
  std::string read_;  // but not yet returned
  int error_ = 0;
};

}  // namespace opledger
