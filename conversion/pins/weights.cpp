// Statistics first, of each parameter; then the rules.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/pins/weights.h"

#include <algorithm>
#include <cstring>

#include "conversion/model/onnx/attribute_values.h"
#include "conversion/pins/counts.h"
#include "conversion/pins/pins.h"

namespace opledger {
namespace {

constexpr std::uint64_t kSmall = 1 << 16;  // numbers
constexpr float kNoBias = -1;              // what is added to a score that is not masked is more

class ParameterReader {
 public:
  ParameterReader(const OnnxModel& model, Dtype target, TensorData& data)
      : model_(model), target_(target), data_(data) {}

  bool Read(const Value& value, ParameterStatistics& numbers, Diagnostics& diagnostics) {
    if (const TensorId tensor = ParameterTensor(model_.graph, value); tensor != kNone) {
      return ReadTensor(tensor, numbers, diagnostics);
    }
    if (value.producer == kNone) return true;
    const Node& node = model_.graph.nodes[value.producer];
    if (const Attribute* number = node.Find("value_float")) {
      numbers.Add(reinterpret_cast<const char*>(&number->number), 1, target_);
    }
    const std::vector<float> list = AttributeFloats(model_, value.producer, "value_floats");
    numbers.Add(reinterpret_cast<const char*>(list.data()), list.size(), target_);
    return true;
  }

  // What a constant condition leaves of each row, if its bytes lie in the model itself.
  void ReadCondition(const Value& value, ParameterStatistics& numbers) {
    const TensorId id = ParameterTensor(model_.graph, value);
    if (id == kNone || !value.type.IsTensorOf(Dtype::kBool)) return;
    const Tensor& tensor = model_.graph.tensors[id];
    const bool whole = tensor.storage == Tensor::Storage::kRaw && !tensor.dimensions.empty() &&
                       tensor.data.size() == tensor.elements && tensor.elements > 0;
    if (!whole) return;
    const auto length = static_cast<std::size_t>(tensor.dimensions.back());
    const char* at = model_.file.bytes().data() + tensor.data.begin;
    const char* end = at + tensor.data.size();
    // One for the row is all of it or nothing.
    numbers.every_row_true = numbers.every_row_false = length >= 2;
    for (; at < end; at += length) {
      const auto closed = std::count(at, at + length, '\0');
      numbers.every_row_true = numbers.every_row_true && static_cast<std::size_t>(closed) < length;
      numbers.every_row_false = numbers.every_row_false && closed > 0;
    }
  }

 private:
  bool ReadTensor(TensorId tensor, ParameterStatistics& numbers, Diagnostics& diagnostics) {
    if (!data_.Check(tensor, diagnostics)) return false;
    data_.ForEach(tensor, [&](const char* piece, std::size_t count) {
      numbers.Add(piece, count, target_);
      return true;
    });
    if (numbers.min <= -MinMaskMagnitude(target_)) {
      numbers.every_row_unmasked = EveryRowUnmasked(tensor);
    }
    return true;
  }

  // Of a row whose largest bias is near zero, the entries far below it count for nothing.
  bool EveryRowUnmasked(TensorId id) {
    const std::vector<std::int64_t>& dimensions = model_.graph.tensors[id].dimensions;
    if (dimensions.empty() || dimensions.back() < 2) return false;
    const auto length = static_cast<std::uint64_t>(dimensions.back());
    std::uint64_t at = 0;
    bool open = false;
    return data_.ForEach(id, [&](const char* piece, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i) {
        float number = 0;
        std::memcpy(&number, piece + 4 * i, 4);
        open = open || number > kNoBias;
        if (++at % length != 0) continue;
        if (!open) return false;
        open = false;
      }
      return true;
    });
  }

  const OnnxModel& model_;
  Dtype target_;
  TensorData& data_;
};

// Whether some node would cast the parameter.
bool IsCast(const Value& value, const std::vector<NodeLabel>& labels) {
  return std::any_of(value.uses.begin(), value.uses.end(), [&](const Use& use) {
    return WouldCast(labels[use.node], static_cast<std::size_t>(use.input));
  });
}

}  // namespace

bool PinByWeights(const OnnxModel& model, Dtype target, TensorData& data,
                  const std::map<std::string, Shape>& shapes, std::vector<NodeLabel>& labels,
                  Diagnostics& diagnostics) {
  const Graph& graph = model.graph;
  ParameterReader reader(model, target, data);
  std::vector<ParameterStatistics> statistics(graph.values.size());
  for (std::size_t id = 0; id < graph.values.size(); ++id) {
    const Value& value = graph.values[id];
    if (value.type.IsTensorOf(Dtype::kBool) && IsParameter(graph, value)) {
      reader.ReadCondition(value, statistics[id]);
    }
    if (!value.type.IsTensorOf(Dtype::kFloat32) || !IsParameter(graph, value)) continue;
    const bool cast = IsCast(value, labels);
    // A mask or an epsilon counts where a float32 node reads it too, and is small.
    const TensorId tensor = ParameterTensor(graph, value);
    if (!cast && tensor != kNone && graph.tensors[tensor].elements > kSmall) continue;
    Diagnostics nobody;
    if (!reader.Read(value, statistics[id], cast ? diagnostics : nobody) && cast) return false;
  }
  PinContext context{graph, target, statistics, labels};
  PinByNumbers(context);
  return PinCounts(model, shapes, context, diagnostics);
}

void PinByWeights(const MxnetParams* params, const Graph& graph, Dtype target,
                  std::vector<NodeLabel>& labels) {
  std::vector<ParameterStatistics> statistics(graph.values.size());
  for (std::size_t id = 0; params != nullptr && id < graph.values.size(); ++id) {
    const Value& value = graph.values[id];
    if (!value.type.IsTensorOf(Dtype::kFloat32) || !IsParameter(graph, value)) continue;
    if (!IsCast(value, labels)) continue;
    ForEachPiece(*params, static_cast<std::size_t>(value.tensor), [&](std::string_view piece) {
      statistics[id].Add(piece.data(), piece.size() / 4, target);
      return true;
    });
  }
  PinContext context{graph, target, statistics, labels};
  PinByNumbers(context);
}

std::optional<RoundingStatistics> ParameterRounding(const OnnxModel& model, ValueId value,
                                                    Dtype target, TensorData& data) {
  const Value& parameter = model.graph.values[value];
  RoundingStatistics statistics;
  const TensorId tensor = ParameterTensor(model.graph, parameter);
  if (tensor != kNone) {
    Diagnostics checked;
    if (!data.Check(tensor, checked)) return std::nullopt;
    data.ForEach(tensor, [&](const char* numbers, std::size_t count) {
      statistics.Add(numbers, count, target);
      return true;
    });
    return statistics;
  }
  if (parameter.producer == kNone) return std::nullopt;
  const Attribute* one = model.graph.nodes[parameter.producer].Find("value_float");
  if (one == nullptr) return std::nullopt;
  statistics.Add(reinterpret_cast<const char*>(&one->number), 1, target);
  return statistics;
}

std::optional<RoundingStatistics> ParameterRounding(const MxnetParams& params, const Graph& graph,
                                                    ValueId value, Dtype target) {
  const TensorId tensor = graph.values[value].tensor;
  if (tensor == kNone) return std::nullopt;
  RoundingStatistics statistics;
  ForEachPiece(params, static_cast<std::size_t>(tensor), [&](std::string_view piece) {
    statistics.Add(piece.data(), piece.size() / 4, target);
    return true;
  });
  return statistics;
}

}  // namespace opledger
