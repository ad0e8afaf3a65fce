// Reads the elements of a model's tensors in pieces, however they are stored.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conversion/model/onnx/onnx.h"

namespace opledger {

class TensorData {
 public:
  explicit TensorData(const OnnxModel& model) : model_(model) {}

  // Checks that the float32 elements of a tensor can be read: their number fits its shape, and
  // external data is in the model's folder. Errors name the tensor.
  bool Check(TensorId id, Diagnostics& diagnostics);
  // Calls `take` with little-endian float32 elements, piece by piece, until it returns false.
  // Returns the result of the last call. The tensor must have passed Check.
  bool ForEach(TensorId id, const std::function<bool(const char*, std::size_t)>& take);
  // The bytes of an external tensor of any type. nullopt, with an error, if they are missing or
  // their number is unknown.
  struct ExternalBytes {
    const SourceFile* file = nullptr;
    Span span;
  };
  std::optional<ExternalBytes> External(TensorId id, Diagnostics& diagnostics);

  // Returns all bytes of a tensor of any type and storage, little-endian. Returns nullopt, with an
  // error, if they are missing or do not fit its shape.
  std::optional<std::string> Bytes(TensorId id, Diagnostics& diagnostics);

 private:
  bool FindExternal(const Tensor& tensor, Diagnostics& diagnostics);
  void ReportSize(const Tensor& tensor, Diagnostics& diagnostics) const;
  std::uint64_t CountTyped(TensorId tensor) const;

  const OnnxModel& model_;
  std::map<std::string, std::unique_ptr<SourceFile>> external_;  // by location
};

// Calls `take` with the elements in a tensor's typed fields, little-endian, piece by piece, until
// it returns false. Returns false if it did or if the fields are malformed.
bool ForEachTypedPiece(const OnnxModel& model, TensorId id,
                       const std::function<bool(std::string_view)>& take);
// Returns all bytes of a tensor in the model's own file, or nullopt if they do not fit its shape.
std::optional<std::string> TensorBytes(const OnnxModel& model, TensorId id);
// Returns the elements of a parameter of type `dtype`, stored as T, if they are in the model's own
// file. Returns nullopt if they are not, the type differs, or `value` is kNone.
template <typename T>
std::optional<std::vector<T>> ParameterNumbers(const OnnxModel& model, ValueId value, Dtype dtype) {
  if (value == kNone) return std::nullopt;
  const TensorId tensor = ParameterTensor(model.graph, model.graph.values[value]);
  if (tensor == kNone || model.graph.tensors[tensor].dtype != dtype) return std::nullopt;
  const auto bytes = TensorBytes(model, tensor);
  if (!bytes) return std::nullopt;
  std::vector<T> numbers(bytes->size() / sizeof(T));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes->data(), bytes->size());
  return numbers;
}

}  // namespace opledger
