// Raw bytes are little-endian, as memory is here. Typed fields: int32_data holds all integers of at
// most 32 bits, bool, and the bits of 16-bit floats.
// https://github.com/onnx/onnx/blob/main/onnx/onnx.proto (TensorProto)
// SPDX-License-Identifier: Apache-2.0
#include "kernels/bindings/onnx/tensor_values.h"

#include <cstring>

#include "kernels/tensor/narrow_element.h"

namespace opledger {
namespace {

bool ReadTyped(const OnnxModel& model, TensorId id, ConstantTensor& tensor) {
  const std::size_t total = Bytes(tensor.type);
  std::size_t at = 0;
  const bool read = ForEachTypedPiece(model, id, [&](std::string_view piece) {
    if (piece.size() > total - at) return false;
    if (!piece.empty()) std::memcpy(tensor.data.get() + at, piece.data(), piece.size());
    at += piece.size();
    return true;
  });
  return read && at == total;
}

// Releases the file's memory, so that a model's weights are not held twice.
bool Copy(const SourceFile& file, Span span, ConstantTensor& tensor) {
  if (span.size() != Bytes(tensor.type)) return false;
  if (span.size() == 0) return true;
  std::memcpy(tensor.data.get(), file.Text(span).data(), span.size());
  file.Release(span);
  return true;
}

}  // namespace

StatusOr<ConstantTensor> LoadOnnxTensor(const OnnxModel& model, TensorData& data, TensorId id) {
  const Tensor& tensor = model.graph.tensors[id];
  const std::string name = "tensor '" + std::string(tensor.name) + "' ";
  if (!tensor.dtype || tensor.sparse) {
    return Status(name + (tensor.sparse ? "is sparse" : "has a type that no kernel supports"));
  }
  const TensorType type{*tensor.dtype, tensor.dimensions};
  if (!CheckSize(type)) {
    return Status(name + "is " + Text(type) + ": " + SizeProblem(type));
  }
  // Checked before allocating: an empty file must not request a terabyte.
  const bool raw = tensor.storage == Tensor::Storage::kRaw;
  const Span message = model.places.messages[model.places.tensors[id]].body;
  const std::size_t least = IsFourBits(type.dtype) ? Bytes(type) : Elements(type.dimensions);
  if ((raw && tensor.data.size() != Bytes(type)) ||
      (tensor.storage == Tensor::Storage::kTyped && message.size() < least)) {
    return Status(name + "has more or fewer elements than its shape");
  }
  const SourceFile* file = &model.file;
  Span span;
  if (tensor.storage == Tensor::Storage::kExternal) {
    Diagnostics diagnostics;
    const auto external = data.External(id, diagnostics);
    if (!external || external->span.size() != Bytes(type)) {
      std::string why = name + "has data in the file '" + tensor.location + "', which ";
      why += external ? "is too short" : "cannot be read";
      if (!diagnostics.all().empty()) why += ": " + diagnostics.all().front().message;
      return why;
    }
    file = external->file;
    span = external->span;
  } else if (raw) {
    span = tensor.data;
  } else if (tensor.storage == Tensor::Storage::kNone && Bytes(type) != 0) {
    return Status(name + "has no data");
  }
  ConstantTensor result(type);
  const bool typed = tensor.storage == Tensor::Storage::kTyped;
  if (typed ? !ReadTyped(model, id, result) : !Copy(*file, span, result)) {
    return Status(name + "has more or fewer elements than its shape");
  }
  return result;
}

}  // namespace opledger
