// How often a randomized test repeats.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace opledger {

// Returns `all`, or a tenth of it under the sanitizers, which are ten times slower. Other builds
// run all rounds.
constexpr int Rounds(int all) {
#if defined(OPLEDGER_ADDRESS_SANITIZER)
  return all / 10;
#else
  return all;
#endif
}

}  // namespace opledger
