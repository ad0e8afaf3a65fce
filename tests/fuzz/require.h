// What a fuzz target demands of the code it runs: a law that does not hold ends it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstdlib>

namespace opledger::fuzz {

inline void Require(bool law, const char* what) {
  if (law) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

}  // namespace opledger::fuzz
