// Loops that apply the functions of elementary.h to arrays.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/arithmetic/elementary/elementary.h"
#include "kernels/arithmetic/loops/row_bodies.h"

namespace opledger::arithmetic {

#define OPLEDGER_LOOP(name, ulp)                                       \
  static void name##Loop(const float* in, float* out, std::size_t n) { \
    OPLEDGER_EACH                                                      \
    for (std::size_t i = 0; i < n; ++i) out[i] = name(in[i]);          \
  }

// Computes blocks with the fast method, then repeats those with a large angle element by element.
#define OPLEDGER_ANGLE_LOOP(name, ulp)                                         \
  static void name##Loop(const float* in, float* out, std::size_t n) {         \
    constexpr std::size_t kBlock = 256;                                        \
    float results[kBlock];                                                     \
    for (std::size_t at = 0; at < n; at += kBlock) {                           \
      const std::size_t count = n - at < kBlock ? n - at : kBlock;             \
      std::uint32_t large = 0;                                                 \
      for (std::size_t i = 0; i < count; ++i) {                                \
        results[i] = name##Fast(in[at + i]);                                   \
        large |= Bits(Abs(in[at + i])) > Bits(kFastAngle) ? 1U : 0U;           \
      }                                                                        \
      if (large != 0) {                                                        \
        for (std::size_t i = 0; i < count; ++i) results[i] = name(in[at + i]); \
      }                                                                        \
      for (std::size_t i = 0; i < count; ++i) out[at + i] = results[i];        \
    }                                                                          \
  }

OPLEDGER_PLAIN_LIST(OPLEDGER_LOOP)
OPLEDGER_ANGLE_LIST(OPLEDGER_ANGLE_LOOP)

}  // namespace opledger::arithmetic
