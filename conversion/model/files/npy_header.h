// Reads the header of a .npy array, as described by numpy.lib.format.
//   \x93NUMPY, version, length, {'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), },
//   elements
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
  std::string text;            // all bytes before the elements
  Span descr;                  // in the text, including quotes
  std::optional<Dtype> dtype;  // nullopt: a type that Dtype lacks, or records
  bool big_endian = false;
  bool fortran_order = false;  // the first axis varies fastest
  std::vector<std::int64_t> dimensions;
  std::uint64_t elements = 0;  // product of the dimensions
};

// Longer headers are rejected.
inline constexpr std::size_t kMaxNpyHeader = std::size_t{1} << 16;

// Reads the header at the start of `bytes`. Returns nullopt if it is invalid.
std::optional<NpyHeader> ReadNpyHeader(std::string_view bytes);

// Returns the header for another type. MXNet's bfloat16 is '<b2', which numpy lacks.
std::string WithNpyType(const NpyHeader& header, Dtype dtype);

}  // namespace opledger
