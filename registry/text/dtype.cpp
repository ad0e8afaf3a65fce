// Element types and their names in opledger's files.
// SPDX-License-Identifier: Apache-2.0
#include "registry/text/dtype.h"

#include <iterator>

namespace opledger {
namespace {

// In the order of the enumeration.
constexpr const char* kNames[] = {
    "bool",     "int4",    "int8",    "int16",     "int32",      "int64",      "uint4",
    "uint8",    "uint16",  "uint32",  "uint64",    "float8e4m3", "float8e5m2", "float16",
    "bfloat16", "float32", "float64", "complex64", "complex128", "string",
};
static_assert(std::size(kNames) == static_cast<std::size_t>(Dtype::kString) + 1);

}  // namespace

const char* DtypeName(Dtype dtype) { return kNames[static_cast<std::size_t>(dtype)]; }

std::optional<Dtype> ParseDtype(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if (name == kNames[i]) return static_cast<Dtype>(i);
  }
  return std::nullopt;
}

int DtypeBits(Dtype dtype) {
  switch (dtype) {
    case Dtype::kInt4:
    case Dtype::kUint4:
      return 4;
    case Dtype::kBool:
    case Dtype::kInt8:
    case Dtype::kUint8:
    case Dtype::kFloat8E4M3:
    case Dtype::kFloat8E5M2:
      return 8;
    case Dtype::kInt16:
    case Dtype::kUint16:
    case Dtype::kFloat16:
    case Dtype::kBfloat16:
      return 16;
    case Dtype::kInt32:
    case Dtype::kUint32:
    case Dtype::kFloat32:
      return 32;
    case Dtype::kInt64:
    case Dtype::kUint64:
    case Dtype::kFloat64:
    case Dtype::kComplex64:
      return 64;
    case Dtype::kComplex128:
      return 128;
    case Dtype::kString:
      break;
  }
  return 0;
}

std::vector<std::string> DtypeNames() { return {std::begin(kNames), std::end(kNames)}; }

bool IsInteger(Dtype dtype) {
  switch (dtype) {
    case Dtype::kBool:
    case Dtype::kInt4:
    case Dtype::kInt8:
    case Dtype::kInt16:
    case Dtype::kInt32:
    case Dtype::kInt64:
    case Dtype::kUint4:
    case Dtype::kUint8:
    case Dtype::kUint16:
    case Dtype::kUint32:
    case Dtype::kUint64:
      return true;
    default:
      return false;
  }
}

}  // namespace opledger
