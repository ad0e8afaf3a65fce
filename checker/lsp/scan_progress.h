// How far the first scan is, told to a client that shows it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "checker/lsp/message.h"

namespace opledger {

class ScanProgress {
 public:
  explicit ScanProgress(std::function<void(const std::string&)> send) : send_(std::move(send)) {}

  // Asks the client for a token.
  void Begin();
  // A response of the client: a token may be used when it has taken it, which may be while the scan
  // runs.
  void TakeResponse(const Message& message);
  // A line that the scanner prints, of progress or not.
  void Tell(std::string_view line);
  void End();

 private:
  std::string Token() const { return "\"opledger/" + std::to_string(tokens_) + '"'; }
  std::string RequestId() const { return "\"opledger-progress-" + std::to_string(tokens_) + '"'; }

  std::function<void(const std::string&)> send_;
  int tokens_ = 0;      // that were made
  bool known_ = false;  // the client took the last of them
  bool told_ = false;
};

}  // namespace opledger
