// Raw: bytes of the model's file. Typed: fields by type, packed or not, anywhere in the message;
// int32_data holds all integers of at most 32 bits, bool, and the bits of 16-bit floats. External:
// a range of another file in the model's folder.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/onnx/tensor_data.h"

#include <algorithm>
#include <filesystem>

#include "conversion/model/onnx/onnx_fields.h"
#include "conversion/model/onnx/wire.h"

namespace opledger {
namespace {

constexpr std::size_t kNumbersAtOnce = std::size_t{1} << 20;  // elements

using Take = std::function<bool(const char*, std::size_t)>;

bool InPieces(const SourceFile& file, Span span, const Take& take) {
  while (span.size() >= 4) {
    const std::size_t count = std::min(kNumbersAtOnce, span.size() / 4);
    if (!take(file.bytes().data() + span.begin, count)) return false;
    file.Release({span.begin, span.begin + 4 * count});
    span.begin += 4 * count;
  }
  return true;
}

std::string Folder(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

std::size_t ElementBytes(const Tensor& tensor) {
  const int bits = tensor.dtype ? DtypeBits(*tensor.dtype) : 0;
  return bits > 0 && bits % 8 == 0 ? static_cast<std::size_t>(bits) / 8 : 0;
}

}  // namespace

std::uint64_t TensorData::CountTyped(TensorId tensor) const {
  std::uint64_t bytes = 0;
  ForEachTypedPiece(model_, tensor, [&](std::string_view piece) {
    bytes += piece.size();
    return true;
  });
  return bytes / 4;
}

bool TensorData::FindExternal(const Tensor& tensor, Diagnostics& diagnostics) {
  if (external_.count(tensor.location) == 0) {
    auto file = SourceFile::OpenBelow(Folder(model_.file.path()), tensor.location,
                                      "tensor '" + std::string(tensor.name) + "'", diagnostics,
                                      model_.file.data_root());
    if (!file) return false;
    external_[tensor.location] = std::make_unique<SourceFile>(std::move(*file));
  }
  return true;
}

bool TensorData::Check(TensorId id, Diagnostics& diagnostics) {
  const Tensor& tensor = model_.graph.tensors[id];
  std::uint64_t size = 0;
  if (tensor.storage == Tensor::Storage::kExternal && !FindExternal(tensor, diagnostics))
    return false;
  bool fits = !__builtin_mul_overflow(tensor.elements, std::uint64_t{4}, &size);
  switch (tensor.storage) {
    case Tensor::Storage::kRaw:
      fits = fits && tensor.data.size() == size;
      break;
    case Tensor::Storage::kTyped:
      fits = fits && CountTyped(id) == tensor.elements;
      break;
    case Tensor::Storage::kExternal: {
      const std::uint64_t there = external_[tensor.location]->bytes().size();
      fits = fits && tensor.offset <= there && size <= there - tensor.offset &&
             tensor.length.value_or(size) == size;
      break;
    }
    case Tensor::Storage::kNone:
      fits = size == 0;
      break;
  }
  if (!fits) ReportSize(tensor, diagnostics);
  return fits;
}

std::optional<TensorData::ExternalBytes> TensorData::External(TensorId id,
                                                              Diagnostics& diagnostics) {
  const Tensor& tensor = model_.graph.tensors[id];
  if (!FindExternal(tensor, diagnostics)) return std::nullopt;
  const SourceFile& file = *external_[tensor.location];
  const std::uint64_t there = file.bytes().size();
  std::uint64_t size = tensor.length.value_or(0);
  bool known = tensor.length.has_value();
  if (const auto bytes = BytesOfShape(tensor); !known && bytes) {
    known = true;
    size = *bytes;
  }
  if (known && tensor.offset <= there && size <= there - tensor.offset) {
    return ExternalBytes{&file, {tensor.offset, tensor.offset + size}};
  }
  return diagnostics.Error({.path = file.path()},
                           "tensor '" + std::string(tensor.name) + "' is incomplete in this file",
                           "the file is damaged, truncated, or belongs to another model");
}

bool TensorData::ForEach(TensorId id, const Take& take) {
  const Tensor& tensor = model_.graph.tensors[id];
  if (tensor.storage == Tensor::Storage::kRaw) return InPieces(model_.file, tensor.data, take);
  if (tensor.storage == Tensor::Storage::kExternal) {
    return InPieces(*external_[tensor.location],
                    {tensor.offset, tensor.offset + 4 * tensor.elements}, take);
  }
  return ForEachTypedPiece(model_, id, [&](std::string_view piece) {
    return piece.size() < 4 || take(piece.data(), piece.size() / 4);
  });
}

bool ForEachTypedPiece(const OnnxModel& model, TensorId id,
                       const std::function<bool(std::string_view)>& take) {
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  const std::string_view file = model.file.bytes();
  const Tensor& tensor = model.graph.tensors[id];
  const bool two_in_byte = tensor.dtype && DtypeBits(*tensor.dtype) == 4;
  const std::size_t size = two_in_byte ? 1 : ElementBytes(tensor);
  std::string numbers;
  WireReader reader(file, model.places.messages[model.places.tensors[id]].body);
  WireField field;
  while (reader.Next(field)) {
    switch (field.number) {
      case tensor_field::kFloatData:
      case tensor_field::kDoubleData:
        for (std::size_t at = field.body.begin; at < field.body.end; at += 4 * kNumbersAtOnce) {
          const std::size_t end = std::min(field.body.end, at + 4 * kNumbersAtOnce);
          if (!take(file.substr(at, end - at))) return false;
        }
        break;
      case tensor_field::kInt32Data:
      case tensor_field::kInt64Data:
      case tensor_field::kUint64Data: {
        std::uint64_t value = 0;
        numbers.clear();
        for (std::size_t at = field.body.begin; at < field.body.end;) {
          if (!ReadVarint(file, at, field.body.end, value)) return false;
          numbers.append(reinterpret_cast<const char*>(&value), std::min(size, sizeof value));
          if (numbers.size() < kPiece) continue;
          if (!take(numbers)) return false;
          numbers.clear();
        }
        if (!take(numbers)) return false;
        break;
      }
      default:
        break;
    }
  }
  return reader.ok();
}

std::optional<std::string> TensorBytes(const OnnxModel& model, TensorId id) {
  const Tensor& tensor = model.graph.tensors[id];
  std::uint64_t size = 0;
  const std::size_t element = ElementBytes(tensor);
  if (element == 0 || __builtin_mul_overflow(tensor.elements, element, &size)) return std::nullopt;
  std::string bytes;
  if (tensor.storage == Tensor::Storage::kRaw) bytes = model.file.Text(tensor.data);
  if (tensor.storage == Tensor::Storage::kTyped) {
    const bool whole = ForEachTypedPiece(model, id, [&](std::string_view piece) {
      bytes += piece;
      return bytes.size() <= size;
    });
    if (!whole) return std::nullopt;
  }
  if (bytes.size() != size) return std::nullopt;
  return bytes;
}

std::optional<std::string> TensorData::Bytes(TensorId id, Diagnostics& diagnostics) {
  const Tensor& tensor = model_.graph.tensors[id];
  std::optional<std::string> bytes;
  if (tensor.storage == Tensor::Storage::kExternal) {
    const auto external = External(id, diagnostics);
    if (!external) return std::nullopt;
    bytes = external->file->Text(external->span);
    if (bytes->size() != tensor.elements * ElementBytes(tensor)) bytes.reset();
  } else {
    bytes = TensorBytes(model_, id);
  }
  if (!bytes) ReportSize(tensor, diagnostics);
  return bytes;
}

void TensorData::ReportSize(const Tensor& tensor, Diagnostics& diagnostics) const {
  diagnostics.Error({.path = model_.file.path()}, WrongSizeText(tensor),
                    "the file is damaged or truncated");
}

}  // namespace opledger
