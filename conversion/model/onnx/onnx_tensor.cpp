// Reads TensorProto and TypeProto. The product of dimensions is checked for overflow. TensorData
// checks the size of the data before reading it.
// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include "conversion/model/onnx/onnx.h"
#include "conversion/model/onnx/onnx_fields.h"
#include "conversion/model/onnx/wire.h"

namespace opledger {
namespace {

constexpr int kMaxTypeDepth = 32;

struct DataType {
  std::int64_t number;
  Dtype dtype;
};

constexpr DataType kDataTypes[] = {
    {1, Dtype::kFloat32},   {2, Dtype::kUint8},       {3, Dtype::kInt8},
    {4, Dtype::kUint16},    {5, Dtype::kInt16},       {6, Dtype::kInt32},
    {7, Dtype::kInt64},     {8, Dtype::kString},      {9, Dtype::kBool},
    {10, Dtype::kFloat16},  {11, Dtype::kFloat64},    {12, Dtype::kUint32},
    {13, Dtype::kUint64},   {14, Dtype::kComplex64},  {15, Dtype::kComplex128},
    {16, Dtype::kBfloat16}, {17, Dtype::kFloat8E4M3}, {19, Dtype::kFloat8E5M2},
    {21, Dtype::kUint4},    {22, Dtype::kInt4},
};

bool ReadTypeAt(std::string_view file, Span message, ValueType& type, int depth);

// Reads a TypeProto.Tensor, Sequence or Optional, whose field 1 is the type of the elements.
bool ReadElement(std::string_view file, Span message, ValueType& type, int depth) {
  WireReader reader(file, message);
  WireField field;
  while (reader.Next(field)) {
    if (field.number != tensor_type_field::kElement) continue;
    if (field.type == WireType::kVarint)
      type.dtype = OnnxDtype(static_cast<std::int64_t>(field.value));
    ValueType inner;
    if (field.type == WireType::kBytes) {
      if (!ReadTypeAt(file, field.body, inner, depth + 1)) return false;
      using Kind = ValueType::Kind;
      if (inner.kind == Kind::kTensor) {
        type.dtype = inner.dtype;
      } else if (inner.kind == Kind::kSequence && type.kind == Kind::kOptional) {
        type = {Kind::kOptionalSequence, inner.dtype};
      } else {
        type.kind = Kind::kOther;
      }
    }
  }
  return reader.ok();
}

bool ReadTypeAt(std::string_view file, Span message, ValueType& type, int depth) {
  using Kind = ValueType::Kind;
  if (depth > kMaxTypeDepth) return false;
  WireReader reader(file, message);
  WireField field;
  while (reader.Next(field)) {
    if (field.type != WireType::kBytes) continue;
    Kind kind = Kind::kUnknown;
    if (field.number == type_field::kTensor) kind = Kind::kTensor;
    if (field.number == type_field::kSequence) kind = Kind::kSequence;
    if (field.number == type_field::kMap || field.number == type_field::kOpaque)
      kind = Kind::kOther;
    if (field.number == type_field::kSparseTensor) kind = Kind::kSparseTensor;
    if (field.number == type_field::kOptional) kind = Kind::kOptional;
    if (kind == Kind::kUnknown) continue;
    type = {kind, std::nullopt};
    if (kind != Kind::kOther && !ReadElement(file, field.body, type, depth)) return false;
  }
  return reader.ok();
}

bool AppendDimensions(std::string_view file, const WireField& field, Tensor& tensor) {
  if (field.type == WireType::kVarint) {
    tensor.dimensions.push_back(static_cast<std::int64_t>(field.value));
    return true;
  }
  std::size_t at = field.body.begin;
  while (at < field.body.end) {
    std::uint64_t value = 0;
    if (!ReadVarint(file, at, field.body.end, value)) return false;
    tensor.dimensions.push_back(static_cast<std::int64_t>(value));
  }
  return true;
}

bool ParseNumber(std::string_view text, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// Reads a StringStringEntryProto of external_data.
bool ReadExternal(std::string_view file, Span message, Tensor& tensor) {
  WireReader reader(file, message);
  WireField field;
  std::string_view key;
  std::string_view value;
  while (reader.Next(field)) {
    const std::string_view text = file.substr(field.body.begin, field.body.size());
    if (field.IsBytes(entry_field::kKey)) key = text;
    if (field.IsBytes(entry_field::kValue)) value = text;
  }
  if (!reader.ok()) return false;
  if (key == "location") tensor.location = value;
  if (key == "offset") return ParseNumber(value, tensor.offset);
  std::uint64_t length = 0;
  if (key == "length") {
    if (!ParseNumber(value, length)) return false;
    tensor.length = length;
  }
  return true;
}

bool CountElements(Tensor& tensor) {
  tensor.elements = 1;
  for (const std::int64_t dimension : tensor.dimensions) {
    if (dimension < 0 ||
        __builtin_mul_overflow(tensor.elements, static_cast<std::uint64_t>(dimension),
                               &tensor.elements)) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::optional<Dtype> OnnxDtype(std::int64_t number) {
  for (const DataType& each : kDataTypes) {
    if (each.number == number) return each.dtype;
  }
  return std::nullopt;
}

std::int64_t OnnxDataType(Dtype dtype) {
  for (const DataType& each : kDataTypes) {
    if (each.dtype == dtype) return each.number;
  }
  return 0;
}

bool ReadOnnxType(std::string_view file, Span message, ValueType& type) {
  return ReadTypeAt(file, message, type, 0);
}

bool ReadOnnxTensor(std::string_view file, Span message, Tensor& tensor) {
  WireReader reader(file, message);
  WireField field;
  bool external = false;
  while (reader.Next(field)) {
    const bool bytes = field.type == WireType::kBytes;
    switch (field.number) {
      case tensor_field::kDimensions:
        if (!AppendDimensions(file, field, tensor)) return false;
        break;
      case tensor_field::kDataType:
        tensor.dtype = OnnxDtype(static_cast<std::int64_t>(field.value));
        break;
      case tensor_field::kName:
        if (bytes) tensor.name = file.substr(field.body.begin, field.body.size());
        break;
      case tensor_field::kRawData:
        if (!bytes) break;
        tensor.storage = Tensor::Storage::kRaw;
        tensor.data = field.body;
        break;
      case tensor_field::kFloatData:
      case tensor_field::kInt32Data:
      case tensor_field::kStringData:
      case tensor_field::kInt64Data:
      case tensor_field::kDoubleData:
      case tensor_field::kUint64Data:
        if (tensor.storage == Tensor::Storage::kNone) tensor.storage = Tensor::Storage::kTyped;
        break;
      case tensor_field::kExternalData:
        if (bytes && !ReadExternal(file, field.body, tensor)) return false;
        break;
      case tensor_field::kDataLocation:
        external = field.value == tensor_field::kExternal;
        break;
      default:
        break;
    }
  }
  if (external) tensor.storage = Tensor::Storage::kExternal;
  return reader.ok() && CountElements(tensor);
}

std::optional<std::uint64_t> BytesOfShape(const Tensor& tensor) {
  const int bits = tensor.dtype ? DtypeBits(*tensor.dtype) : 0;
  std::uint64_t size = 0;
  if (bits <= 0 ||
      __builtin_mul_overflow(tensor.elements, static_cast<std::uint64_t>(bits), &size)) {
    return std::nullopt;
  }
  return size / 8 + (size % 8 != 0 ? 1 : 0);
}

std::string WrongSizeText(const Tensor& tensor) {
  return "tensor '" + std::string(tensor.name) + "' does not have the " +
         std::to_string(tensor.elements) + " elements of its shape";
}

}  // namespace opledger
