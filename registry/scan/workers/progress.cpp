// Only used if standard error is a terminal; the caller checks that.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/workers/progress.h"

#include <cstdio>

#include "registry/text/diagnostics.h"
#include "registry/text/json_quote.h"

namespace opledger::scan {

void Progress::Step() {
  ++done_;
  auto now = std::chrono::steady_clock::now();
  if (!on_ || now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  if (DiagnosticsAreJson()) {
    std::fprintf(stderr, "{\"progress\":%s,\"done\":%zu,\"total\":%zu}\n", JsonQuote(what_).c_str(),
                 done_, total_);
    std::fflush(stderr);
    return;
  }
  drawn_ = true;
  std::fprintf(stderr, "\r%s %zu of %zu files", what_.c_str(), done_, total_);
  std::fflush(stderr);
}

Progress::~Progress() {
  if (drawn_) std::fprintf(stderr, "\r\033[K");
}

}  // namespace opledger::scan
