// Element types and their names in opledger's files: float16, bfloat16, float32, float64, int8, ...
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opledger {

enum class Dtype {
  kBool,
  kInt4,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUint4,
  kUint8,
  kUint16,
  kUint32,
  kUint64,
  kFloat8E4M3,
  kFloat8E5M2,
  kFloat16,
  kBfloat16,
  kFloat32,
  kFloat64,
  kComplex64,
  kComplex128,
  kString,
};

const char* DtypeName(Dtype dtype);
// Returns nullopt if there is no such type.
std::optional<Dtype> ParseDtype(std::string_view name);
// Returns the bits per element, or 0 if the size is not fixed.
int DtypeBits(Dtype dtype);
bool IsInteger(Dtype dtype);            // including bool
std::vector<std::string> DtypeNames();  // in the order of the enumeration

}  // namespace opledger
