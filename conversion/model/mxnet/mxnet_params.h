// Reads MXNet's .params: a list of arrays and their names, little-endian, in the form of any
// version.
//   u64 0x112, u64 0, u64 n, n arrays, u64 m (0 or n), m names (u64 length, bytes)
// The layout follows src/ndarray/ndarray.cc of MXNet (NDArray::Save, Load, LegacyLoad). MXNet 2
// writes numpy's .npz under the same name: a zip archive of arrays.
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

// An array, and the positions of its parts in the file.
struct MxnetArray {
  enum class Form : std::uint8_t { kV0, kV1, kV2, kV3, kNpz };
  enum class Storage : std::uint8_t { kDense, kRowSparse, kCsr, kUndefined };
  std::string_view name;  // "arg:fc1_weight"; empty: the list has no names
  Form form = Form::kV2;
  Storage storage = Storage::kDense;
  bool none = false;  // an array without shape; nothing else follows
  std::vector<std::int64_t> dimensions;
  std::uint64_t elements = 0;  // for a sparse array: the stored elements
  std::optional<Dtype> dtype;  // nullopt: a type that Dtype lacks
  Span whole;
  Span type_flag;          // i32; lists only
  Span data;               // of the values; empty if they are compressed
  std::size_t member = 0;  // of the zip archive
};

// Data that only an archive has: the header of each array.
struct MxnetNpz {
  ZipFile zip;
  std::vector<NpyHeader> headers;  // per array
};

struct MxnetParams {
  SourceFile file;
  std::vector<MxnetArray> arrays;
  std::size_t arrays_end = 0;   // position of the number of names; lists only
  std::optional<MxnetNpz> npz;  // nullopt: a list

  // Returns whether the values of an array can be converted.
  bool IsDense(std::size_t array) const {
    return arrays[array].storage == MxnetArray::Storage::kDense && !arrays[array].none;
  }
};

// Reads the structure. Does not read the elements of a list; checks those of an archive against its
// checksums. Errors name the first malformed byte.
std::optional<MxnetParams> ReadMxnetParams(SourceFile file, Diagnostics& diagnostics);

// Reads an archive. `params` already has the file.
bool ReadMxnetNpz(MxnetParams& params, Diagnostics& diagnostics);

// Calls `take` with the values of an array in pieces of whole elements until it returns false.
bool ForEachPiece(const MxnetParams& params, std::size_t array,
                  const std::function<bool(std::string_view)>& take);

// Converts mshadow's type flags. Returns nullopt if a flag is undefined or Dtype lacks the type.
std::optional<Dtype> MxnetDtype(std::int64_t flag);
std::int32_t MxnetTypeFlag(Dtype dtype);  // -1: MXNet lacks the type

}  // namespace opledger
