// Raw bytes are little-endian, as memory is here. Typed fields: int32_data holds all integers of
// at most 32 bits, bool, and the bits of 16-bit floats.
// https://github.com/onnx/onnx/blob/main/onnx/onnx.proto (TensorProto)
// SPDX-License-Identifier: Apache-2.0
#include "kernels/bindings/onnx/tensor_values.h"

#include <cstring>

#include "conversion/model/onnx/wire.h"

namespace opledger {
namespace {

enum TypedField : std::uint32_t {
  kFloatNumbers = 4,
  kInt32Numbers = 5,
  kInt64Numbers = 7,
  kDoubleNumbers = 10,
  kUint64Numbers = 11
};

// Writes the low bytes of numbers one after another, as long as there is room.
class TypedWriter {
 public:
  explicit TypedWriter(ConstantTensor& tensor)
      : tensor_(tensor), size_(ElementSize(tensor.type.dtype)), total_(Bytes(tensor.type)) {}

  bool Add(std::uint64_t bits) {
    if (at_ + size_ > total_) return false;
    std::memcpy(tensor_.data.get() + at_, &bits, size_);
    at_ += size_;
    return true;
  }
  bool AddBytes(std::string_view bytes) {
    if (bytes.size() > total_ - at_) return false;
    std::memcpy(tensor_.data.get() + at_, bytes.data(), bytes.size());
    at_ += bytes.size();
    return true;
  }
  bool IsFull() const { return at_ == total_; }

 private:
  ConstantTensor& tensor_;
  std::size_t size_;
  std::size_t total_;
  std::size_t at_ = 0;
};

bool ReadTyped(std::string_view file, Span message, ConstantTensor& tensor) {
  TypedWriter writer(tensor);
  WireReader reader(file, message);
  WireField field;
  while (reader.Next(field)) {
    const std::string_view body = file.substr(field.body.begin, field.body.size());
    if (field.number == kFloatNumbers || field.number == kDoubleNumbers) {
      if (!writer.AddBytes(body)) return false;
    } else if (field.number == kInt32Numbers || field.number == kInt64Numbers ||
               field.number == kUint64Numbers) {
      std::size_t at = field.body.begin;
      std::uint64_t value = 0;
      while (at < field.body.end) {
        if (!ReadVarint(file, at, field.body.end, value) || !writer.Add(value)) return false;
      }
    }
  }
  return reader.ok() && writer.IsFull();
}

bool Copy(std::string_view bytes, ConstantTensor& tensor) {
  if (bytes.size() != Bytes(tensor.type)) return false;
  std::memcpy(tensor.data.get(), bytes.data(), bytes.size());
  return true;
}

}  // namespace

std::optional<ConstantTensor> LoadOnnxTensor(const OnnxModel& model, TensorData& data, TensorId id,
                                             std::string& problem) {
  const Tensor& tensor = model.graph.tensors[id];
  const std::string name = "tensor '" + std::string(tensor.name) + "' ";
  if (!tensor.dtype || tensor.sparse) {
    problem = name + (tensor.sparse ? "is sparse" : "is of a type that no kernel takes");
    return std::nullopt;
  }
  const TensorType type{*tensor.dtype, tensor.dimensions};
  if (!CheckSize(type)) {
    problem = name + "is " + Text(type) + ": " + SizeProblem(type);
    return std::nullopt;
  }
  // Before anything is allocated: an empty file must not ask for a terabyte.
  const bool raw = tensor.storage == Tensor::Storage::kRaw;
  const Span message = model.places.frames[model.places.tensors[id]].body;
  if ((raw && tensor.data.size() != Bytes(type)) ||
      (tensor.storage == Tensor::Storage::kTyped && message.size() < Elements(type.dimensions))) {
    problem = name + "has fewer or more numbers than its shape";
    return std::nullopt;
  }
  std::string_view bytes;
  if (tensor.storage == Tensor::Storage::kExternal) {
    Diagnostics diagnostics;
    const auto external = data.External(id, diagnostics);
    if (!external || external->span.size() != Bytes(type)) {
      problem = name + "has data in another file that cannot be read, or is not as long";
      return std::nullopt;
    }
    bytes = external->file->Text(external->span);
  } else if (raw) {
    bytes = model.file.Text(tensor.data);
  } else if (tensor.storage == Tensor::Storage::kNone && Bytes(type) != 0) {
    problem = name + "has no numbers";
    return std::nullopt;
  }
  ConstantTensor result(type);
  const bool typed = tensor.storage == Tensor::Storage::kTyped;
  if (typed ? !ReadTyped(model.file.bytes(), message, result) : !Copy(bytes, result)) {
    problem = name + "has fewer or more numbers than its shape";
    return std::nullopt;
  }
  return result;
}

}  // namespace opledger
