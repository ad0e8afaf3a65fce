// The numbers of a model's tensors, in pieces: however they are stored, never all at once.
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

  // Whether the float32 numbers of a tensor can be read: their count is that of its shape, and
  // external data lies in the model's folder. Errors name the tensor.
  bool Check(TensorId id, Diagnostics& diagnostics);
  // Calls `take` with little-endian float32 numbers, piece by piece, until it gives false; gives
  // what the last call gave. The tensor has passed Check.
  bool ForEach(TensorId id, const std::function<bool(const char*, std::size_t)>& take);
  // The bytes of an external tensor of any type, in their file; none, with an error: they are not
  // there, or their count is unknown.
  struct ExternalBytes {
    const SourceFile* file = nullptr;
    Span span;
  };
  std::optional<ExternalBytes> External(TensorId id, Diagnostics& diagnostics);

  // All bytes of a tensor of any type, little-endian, however it is stored; none, with an error:
  // they are not there, or as many as its shape takes.
  std::optional<std::string> Bytes(TensorId id, Diagnostics& diagnostics);

 private:
  bool FindExternal(const Tensor& tensor, Diagnostics& diagnostics);
  void ReportSize(const Tensor& tensor, Diagnostics& diagnostics) const;
  std::uint64_t CountTyped(TensorId tensor) const;

  const OnnxModel& model_;
  std::map<std::string, std::unique_ptr<SourceFile>> external_;  // by location
};

// Calls `take` with the numbers of a tensor's typed fields, little-endian, piece by piece, until it
// gives false. False: it did, or the fields are malformed.
bool ForEachTypedPiece(const OnnxModel& model, TensorId id,
                       const std::function<bool(std::string_view)>& take);
// All bytes of a tensor that the model's own file holds; none: as many as its shape takes are not
// there.
std::optional<std::string> TensorBytes(const OnnxModel& model, TensorId id);
// The numbers of a parameter (kNone is none) of this type, which T holds, that lie in the model's
// own file; none: it has another type, or they are not at hand.
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
