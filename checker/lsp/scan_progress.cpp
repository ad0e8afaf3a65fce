// Sends $/progress for a token of the server.
// SPDX-License-Identifier: Apache-2.0
#include "checker/lsp/scan_progress.h"

#include <algorithm>
#include <cstdint>

namespace opledger {

void ScanProgress::Begin() {
  known_ = false;
  ++tokens_;
  send_(RequestText(RequestId(), "window/workDoneProgress/create", "{\"token\":" + Token() + "}"));
}

void ScanProgress::TakeResponse(const Message& message) {
  if (message.id == RequestId() && !message.failed) known_ = true;
}

void ScanProgress::Tell(std::string_view line) {
  if (!known_) return;
  Diagnostics ignored;
  const auto document = ParseJson("", std::string(line), ignored);
  if (!document || document->root.Find("progress") == nullptr) return;
  const std::int64_t done = ValueAt(document->root, {"done"}).integer;
  const std::int64_t total = ValueAt(document->root, {"total"}).integer;
  const std::string token = "{\"token\":" + Token() + ",\"value\":";
  if (!told_) {
    send_(NotificationText("$/progress", token +
                                             "{\"kind\":\"begin\",\"title\":\"opledger: scanning\","
                                             "\"percentage\":0}}"));
    told_ = true;
  }
  if (total <= 0) return;
  const std::int64_t percent = std::clamp<std::int64_t>(100 * done / total, 0, 100);
  send_(NotificationText("$/progress", token + "{\"kind\":\"report\",\"percentage\":" +
                                           std::to_string(percent) + "}}"));
}

void ScanProgress::End() {
  known_ = false;
  if (!told_) return;
  send_(NotificationText("$/progress", "{\"token\":" + Token() + ",\"value\":{\"kind\":\"end\"}}"));
  told_ = false;
}

}  // namespace opledger
