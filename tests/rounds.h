// How often a test repeats what it draws at random.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace opledger {

// `all`, or a tenth of them under the sanitizers, where each takes ten times as long: other builds
// run all of them.
constexpr int Rounds(int all) {
#if defined(OPLEDGER_ADDRESS_SANITIZER)
  return all / 10;
#else
  return all;
#endif
}

}  // namespace opledger
