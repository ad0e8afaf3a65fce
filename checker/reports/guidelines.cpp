// How to choose a policy.
// SPDX-License-Identifier: Apache-2.0
#include "checker/reports/guidelines.h"

namespace opledger {

const std::vector<std::string>& BuiltInGuidelines() {
  static const std::vector<std::string> lines = {
      "Which policy? Take the first line that is true.",
      "  1. Never part of a model's graph, or has no tensor input          -> either",
      "  2. Needs float32 inputs, or is inaccurate in 16 bits              -> fp32",
      "     (only for some values of an attribute                          -> conditional)",
      "  3. Several tensor inputs that must share one type                 -> widest",
      "  4. Correct in both, with one input or inputs that may differ      -> either",
      "  5. Correct and much faster in 16 bits (matmul, convolution)       -> target",
      "Unsure? fp32 is always correct, only slower.",
      "Then: opledger classify OPERATOR --as POLICY --note \"why\"",
  };
  return lines;
}

}  // namespace opledger
