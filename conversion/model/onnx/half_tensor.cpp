// raw_data, external data, or int32_data (5): a varint for each, packed or not.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/onnx/half_tensor.h"

#include "conversion/model/onnx/wire.h"

namespace opledger {
namespace {

constexpr std::uint32_t kInt32Data = 5;

void Append(std::uint64_t value, std::string& numbers) {
  numbers.push_back(static_cast<char>(value & 0xff));
  numbers.push_back(static_cast<char>(value >> 8 & 0xff));
}

std::string TypedNumbers(std::string_view file, Span body) {
  std::string numbers;
  WireReader reader(file, body);
  WireField field;
  while (reader.Next(field)) {
    if (field.number != kInt32Data) continue;
    if (field.type == WireType::kVarint) Append(field.value, numbers);
    if (field.type != WireType::kBytes) continue;
    std::uint64_t value = 0;
    for (std::size_t at = field.body.begin; at < field.body.end;) {
      if (!ReadVarint(file, at, field.body.end, value)) break;
      Append(value, numbers);
    }
  }
  return numbers;
}

}  // namespace

std::optional<std::string> HalfNumbers(const OnnxModel& model, TensorId id, TensorData& data,
                                       Diagnostics& diagnostics) {
  const Tensor& tensor = model.graph.tensors[id];
  std::string numbers;
  if (tensor.storage == Tensor::Storage::kExternal) {
    const auto bytes = data.External(id, diagnostics);
    if (!bytes) return std::nullopt;
    numbers = bytes->file->Text(bytes->span);
  } else if (tensor.storage == Tensor::Storage::kRaw) {
    numbers = model.file.Text(tensor.data);
  } else {
    numbers = TypedNumbers(model.file.bytes(), model.places.frames[model.places.tensors[id]].body);
  }
  if (numbers.size() % 2 == 0 && numbers.size() / 2 == tensor.elements) return numbers;
  diagnostics.Error({.path = model.file.path()},
                    "tensor '" + std::string(tensor.name) + "' does not hold the " +
                        std::to_string(tensor.elements) + " numbers of its shape",
                    "the file is damaged or cut short");
  return std::nullopt;
}

}  // namespace opledger
