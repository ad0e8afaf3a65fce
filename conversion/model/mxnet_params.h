// MXNet's .params: a list of arrays and their names, little-endian, in the form of any version.
//   u64 0x112, u64 0, u64 n, n arrays, u64 m (0 or n), m names (u64 length, bytes)
// src/ndarray/ndarray.cc of MXNet (NDArray::Save, Load, LegacyLoad) is the source of the layout.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "conversion/model/source_file.h"
#include "registry/dtype.h"

namespace opledger {

// One array, and where its parts stand in the file.
struct MxnetArray {
  enum class Form : std::uint8_t { kV0, kV1, kV2, kV3 };
  enum class Storage : std::uint8_t { kDense, kRowSparse, kCsr, kUndefined };
  std::string_view name;  // "arg:fc1_weight"; empty: the list has no names
  Form form = Form::kV2;
  Storage storage = Storage::kDense;
  bool none = false;  // an array without shape: nothing but that follows
  std::vector<std::int64_t> dimensions;
  std::uint64_t elements = 0;  // stored ones, of a sparse array
  std::optional<Dtype> dtype;  // none: a type flag without a name here
  Span whole;
  Span type_flag;  // i32
  Span data;       // of the values
};

struct MxnetParams {
  SourceFile file;
  std::vector<MxnetArray> arrays;
  std::size_t arrays_end = 0;  // there the number of names stands
};

// Reads the structure; numbers are not touched. An error names the byte where the file ceases to
// be such a list.
std::optional<MxnetParams> ReadMxnetParams(SourceFile file, Diagnostics& diagnostics);

// mshadow's type flags; none: no such, or one without a name here.
std::optional<Dtype> MxnetDtype(std::int64_t flag);
std::int32_t MxnetTypeFlag(Dtype dtype);  // -1: MXNet has none

}  // namespace opledger
