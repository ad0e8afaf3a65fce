// Reports the progress of the first scan to clients that show it.
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

  // Asks the client to create a token.
  void Begin();
  // Takes a response of the client. The token can be used once the client has accepted it, which
  // may happen during the scan.
  void TakeResponse(const Message& message);
  // Takes a line of the scanner's output, which may be about progress.
  void Tell(std::string_view line);
  void End();

 private:
  std::string Token() const { return "\"opledger/" + std::to_string(tokens_) + '"'; }
  std::string RequestId() const { return "\"opledger-progress-" + std::to_string(tokens_) + '"'; }

  std::function<void(const std::string&)> send_;
  int tokens_ = 0;      // number of tokens created
  bool known_ = false;  // the client accepted the last token
  bool told_ = false;
};

}  // namespace opledger
