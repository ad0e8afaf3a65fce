// What the numbers of a parameter are: exact, of every one of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "registry/dtype.h"

namespace opledger {

struct ParameterStatistics {
  std::uint64_t count = 0;         // all numbers; none: nothing is known
  std::uint64_t overflowing = 0;   // finite, and infinite in the target type
  float largest = 0;               // the greatest finite magnitude
  float least = 0;                 // the most negative finite number; 0: none is negative
  bool overflows_above = false;    // some positive number overflows
  bool overflows_below = false;    // some negative one does
  bool every_row_unmasked = true;  // each row of the last dimension has a number that is no mask

  // The numbers that follow: little-endian float32, of any alignment.
  void Add(const char* numbers, std::size_t more, Dtype target);
};

// The least magnitude that counts as a mask: two of them added overflow.
float MaskMagnitude(Dtype target);
// The largest finite number of the type.
float LargestOf(Dtype target);

}  // namespace opledger
