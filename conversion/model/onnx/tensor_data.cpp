// Raw: bytes of the file. Typed: float_data, packed or not, anywhere in the message. External: a
// range of another file below the model's folder.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/onnx/tensor_data.h"

#include <algorithm>
#include <filesystem>

#include "conversion/model/onnx/wire.h"

namespace opledger {
namespace {

constexpr std::uint32_t kFloatData = 4;
constexpr std::size_t kNumbersAtOnce = std::size_t{1} << 20;  // numbers
constexpr std::size_t kReleased = std::size_t{1} << 14;       // fewer are not worth a call

using Take = std::function<bool(const char*, std::size_t)>;

bool InPieces(const SourceFile& file, Span span, const Take& take) {
  while (span.size() >= 4) {
    const std::size_t count = std::min(kNumbersAtOnce, span.size() / 4);
    if (!take(file.bytes().data() + span.begin, count)) return false;
    if (count >= kReleased) file.Release({span.begin, span.begin + 4 * count});
    span.begin += 4 * count;
  }
  return true;
}

std::string Folder(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

}  // namespace

std::uint64_t TensorData::CountTyped(TensorId tensor) const {
  const Span body = model_.places.frames[model_.places.tensors[tensor]].body;
  WireReader reader(model_.file.bytes(), body);
  WireField field;
  std::uint64_t count = 0;
  while (reader.Next(field)) {
    if (field.number == kFloatData) count += field.body.size() / 4;
  }
  return count;
}

bool TensorData::FindExternal(const Tensor& tensor, Diagnostics& diagnostics) {
  if (external_.count(tensor.location) == 0) {
    auto file = SourceFile::OpenBelow(Folder(model_.file.path()), tensor.location,
                                      "tensor '" + std::string(tensor.name) + "'", diagnostics);
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
  if (!fits) {
    diagnostics.Error({.path = model_.file.path()},
                      "tensor '" + std::string(tensor.name) + "' does not hold the " +
                          std::to_string(tensor.elements) + " numbers of its shape",
                      "the file is damaged or cut short");
  }
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
  if (!known && tensor.dtype && DtypeBits(*tensor.dtype) > 0) {
    known = !__builtin_mul_overflow(tensor.elements,
                                    static_cast<std::uint64_t>(DtypeBits(*tensor.dtype)), &size);
    size = size / 8 + (size % 8 != 0);
  }
  if (known && tensor.offset <= there && size <= there - tensor.offset) {
    return ExternalBytes{&file, {tensor.offset, tensor.offset + size}};
  }
  diagnostics.Error({.path = file.path()},
                    "tensor '" + std::string(tensor.name) + "' is not whole in this file",
                    "the file is damaged, cut short, or of another model");
  return std::nullopt;
}

bool TensorData::ForEach(TensorId id, const Take& take) {
  const Tensor& tensor = model_.graph.tensors[id];
  if (tensor.storage == Tensor::Storage::kRaw) return InPieces(model_.file, tensor.data, take);
  if (tensor.storage == Tensor::Storage::kExternal) {
    return InPieces(*external_[tensor.location],
                    {tensor.offset, tensor.offset + 4 * tensor.elements}, take);
  }
  const Span body = model_.places.frames[model_.places.tensors[id]].body;
  WireReader reader(model_.file.bytes(), body);
  WireField field;
  while (reader.Next(field)) {
    if (field.number == kFloatData && !InPieces(model_.file, field.body, take)) return false;
  }
  return true;
}

}  // namespace opledger
