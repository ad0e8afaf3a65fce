// Standard input, line by line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace opledger {

class InputLines {
 public:
  // The next line, without its end. Returns nullopt at the end of the input, and if it cannot be
  // read, as error() tells.
  std::optional<std::string> Next();
  // Why the input could not be read (errno); 0: it could.
  int error() const { return error_; }

 private:
  std::string read_;  // and not yet given
  int error_ = 0;
};

}  // namespace opledger
