// The header of a .npy array: numpy's format description (numpy.lib.format) is the source.
//   \x93NUMPY, version, length, {'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), },
//   numbers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/text/dtype.h"
#include "registry/text/location.h"

namespace opledger {

struct NpyHeader {
  std::string text;            // all bytes before the numbers
  Span descr;                  // in the text, with its quotes
  std::optional<Dtype> dtype;  // none: one that has no name here, or records
  bool big_endian = false;
  bool fortran_order = false;  // the first dimension varies fastest
  std::vector<std::int64_t> dimensions;
  std::uint64_t elements = 0;  // product of the dimensions
};

// The longest header that is read.
inline constexpr std::size_t kMaxNpyHeader = std::size_t{1} << 16;

// `bytes` begin with the header and may end with it. None: that is no header.
std::optional<NpyHeader> ReadNpyHeader(std::string_view bytes);

// The same header for another type. MXNet's bfloat16 is '<b2', which numpy does not have.
std::string WithNpyType(const NpyHeader& header, Dtype dtype);

}  // namespace opledger
