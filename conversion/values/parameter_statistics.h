// What the numbers of a parameter are: exact, of every one of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "conversion/model/ranges/ranges.h"
#include "registry/text/dtype.h"

namespace opledger {

struct ParameterStatistics {
  std::uint64_t count = 0;        // all numbers; none: nothing is known
  std::uint64_t overflowing = 0;  // finite, and infinite in the target type
  float max_magnitude = 0;        // of the finite numbers
  float min_magnitude = std::numeric_limits<float>::infinity();  // finite, and not zero
  float min = 0;                                                 // finite; 0: none is negative
  float max = 0;                                                 // finite; 0: none is positive
  bool overflows_above = false;                                  // some positive number overflows
  bool overflows_below = false;                                  // some negative one does
  bool zero = false;                                             // some number is zero
  bool infinite = false;                                         // some is infinite, or NaN
  bool nan = false;
  bool every_row_unmasked = true;  // each row of the last dimension has a number that is no mask
  // Of a condition, which is no float32: each row of the last dimension has one that is so.
  bool every_row_true = false;
  bool every_row_false = false;

  // The numbers that follow: little-endian float32, of any alignment.
  void Add(const char* numbers, std::size_t more, Dtype target);

  // What the numbers are known to be.
  Range AsRange() const;
};

// The smallest magnitude that counts as a mask: from there on the type's numbers are at least 1
// apart, so that of what is added to one nothing is left.
float MinMaskMagnitude(Dtype target);

}  // namespace opledger
