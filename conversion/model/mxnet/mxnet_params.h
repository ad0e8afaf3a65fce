// MXNet's .params: a list of arrays and their names, little-endian, in the form of any version.
//   u64 0x112, u64 0, u64 n, n arrays, u64 m (0 or n), m names (u64 length, bytes)
// src/ndarray/ndarray.cc of MXNet (NDArray::Save, Load, LegacyLoad) is the source of the layout.
// MXNet 2 writes numpy's .npz under the same name: a zip archive of arrays (mxnet_npz.cpp).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "conversion/model/files/files.h"
#include "conversion/model/files/npy_header.h"
#include "conversion/model/files/zip_file.h"
#include "registry/text/dtype.h"

namespace opledger {

// One array, and where its parts stand in the file.
struct MxnetArray {
  enum class Form : std::uint8_t { kV0, kV1, kV2, kV3, kNpz };
  enum class Storage : std::uint8_t { kDense, kRowSparse, kCsr, kUndefined };
  std::string_view name;  // "arg:fc1_weight"; empty: the list has no names
  Form form = Form::kV2;
  Storage storage = Storage::kDense;
  bool none = false;  // an array without shape: nothing but that follows
  std::vector<std::int64_t> dimensions;
  std::uint64_t elements = 0;  // stored ones, of a sparse array
  std::optional<Dtype> dtype;  // none: a type flag without a name here
  Span whole;
  Span type_flag;          // i32; of a list
  Span data;               // of the values; empty where they are compressed
  std::size_t member = 0;  // of the zip archive
};

// What an archive has of each array beside: the header of its values.
struct MxnetNpz {
  ZipFile zip;
  std::vector<NpyHeader> headers;  // of each array
};

struct MxnetParams {
  SourceFile file;
  std::vector<MxnetArray> arrays;
  std::size_t arrays_end = 0;   // there the number of names stands; of a list
  std::optional<MxnetNpz> npz;  // none: a list

  // Whether the values of an array can be had in another type.
  bool IsDense(std::size_t array) const {
    return arrays[array].storage == MxnetArray::Storage::kDense && !arrays[array].none;
  }
};

// Reads the structure; the numbers of a list are not touched, those of an archive are held against
// its checksums. An error names the byte where the file ceases to be what it should be.
std::optional<MxnetParams> ReadMxnetParams(SourceFile file, Diagnostics& diagnostics);

// The archive's part of it; `params` has the file.
bool ReadMxnetNpz(MxnetParams& params, Diagnostics& diagnostics);

// Calls `take` with the values of an array in pieces of whole numbers until it gives false.
bool ForEachPiece(const MxnetParams& params, std::size_t array,
                  const std::function<bool(std::string_view)>& take);

// mshadow's type flags; none: no such, or one without a name here.
std::optional<Dtype> MxnetDtype(std::int64_t flag);
std::int32_t MxnetTypeFlag(Dtype dtype);  // -1: MXNet has none

}  // namespace opledger
