// A large framework (TensorFlow 2.14) has files of up to 2 MB, 300 macros, 300 conditionals, 5
// deep.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/outline/outline_limits.h"

namespace opledger::scan {

const char* WhyTooMuch(const Outline& outline, std::size_t depth, std::size_t branches) {
  if (outline.macros.size() > 250'000) return "defines more than 250,000 macros";
  if (outline.includes.size() > 20'000) return "has more than 20,000 #includes";
  if (outline.suspects.size() > 50'000) {
    return "names what looks like a registration more than 50,000 times";
  }
  if (depth > 100) return "nests conditionals more than 100 deep";
  if (outline.branches.size() > 50'000) return "has more than 50,000 conditionals";
  if (branches > 1'000) return "has a conditional of more than 1,000 branches";
  if (!outline.branches.empty() && outline.branches.back().text.size() > (64U << 10)) {
    return "has a condition of more than 64 kB";
  }
  return nullptr;
}

}  // namespace opledger::scan
