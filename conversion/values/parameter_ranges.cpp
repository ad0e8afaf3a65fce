// Reads statistics of float32 elements of any count, and the elements themselves if there are few.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/values/parameter_ranges.h"

#include <algorithm>
#include <cstring>

#include "conversion/model/half/half_bits.h"
#include "conversion/model/onnx/attribute_values.h"

namespace opledger {
namespace {

constexpr std::uint64_t kSmall = 1 << 16;  // elements
constexpr float kNoBias = -1;              // a bias that does not mask a score is greater

template <typename Number>
double At(const char* bytes, std::size_t i) {
  Number number;
  std::memcpy(&number, bytes + i * sizeof(Number), sizeof(Number));
  return static_cast<double>(number);
}

// Reads an element from a tensor's bytes. Returns nullopt for unsupported types.
std::optional<double> NumberAt(const std::string& bytes, Dtype dtype, std::size_t i) {
  const char* at = bytes.data();
  switch (dtype) {
    case Dtype::kBool:
    case Dtype::kUint8:
      return At<std::uint8_t>(at, i);
    case Dtype::kInt8:
      return At<std::int8_t>(at, i);
    case Dtype::kInt16:
      return At<std::int16_t>(at, i);
    case Dtype::kUint16:
      return At<std::uint16_t>(at, i);
    case Dtype::kInt32:
      return At<std::int32_t>(at, i);
    case Dtype::kUint32:
      return At<std::uint32_t>(at, i);
    case Dtype::kInt64:
      return At<std::int64_t>(at, i);
    case Dtype::kFloat32:
      return At<float>(at, i);
    case Dtype::kFloat64:
      return At<double>(at, i);
    case Dtype::kFloat16:
      return static_cast<double>(FromFloat16(static_cast<std::uint16_t>(At<std::uint16_t>(at, i))));
    case Dtype::kBfloat16:
      return static_cast<double>(
          FromBfloat16(static_cast<std::uint16_t>(At<std::uint16_t>(at, i))));
    default:
      return std::nullopt;
  }
}

// Returns each element if there are few, otherwise their bounds. Returns nullopt if they are not
// available.
std::optional<TensorRange> SmallTensor(const OnnxModel& model, TensorId id, TensorData& data) {
  const Tensor& tensor = model.graph.tensors[id];
  if (tensor.sparse || !tensor.dtype) return std::nullopt;
  // For float32, statistics are faster.
  const bool single = tensor.dtype == Dtype::kFloat32;
  if (tensor.elements > (single ? kMaxElements : kSmall)) return std::nullopt;
  Diagnostics nobody;
  const auto bytes = data.Bytes(id, nobody);
  if (!bytes) return std::nullopt;
  std::vector<Range> numbers;
  numbers.reserve(tensor.elements);
  for (std::size_t i = 0; i < tensor.elements; ++i) {
    const auto number = NumberAt(*bytes, *tensor.dtype, i);
    if (!number) return std::nullopt;
    numbers.push_back(Range::Point(*number));
  }
  return OfElements(tensor.dimensions, std::move(numbers));
}

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

  // Checks which values each row of a constant condition contains, if its bytes are in the model
  // file.
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
    // A row with a single element is either all true or all false.
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

  // Returns whether each row has an element that is not a mask. In a row whose largest bias is near
  // zero, much smaller ones have no effect.
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

// Returns whether any node would cast the parameter.
bool IsCast(const Value& value, const std::vector<NodeLabel>* labels) {
  return labels == nullptr ||
         std::any_of(value.uses.begin(), value.uses.end(), [&](const Use& use) {
           const NodeLabel& label = (*labels)[use.node];
           return MayBeLow(label) && label.lowered.inputs[static_cast<std::size_t>(use.input)];
         });
}

// Returns the value of a Constant from an attribute other than a tensor.
std::optional<TensorRange> PlainConstant(const OnnxModel& model, NodeId id) {
  const Node& node = model.graph.nodes[id];
  if (const Attribute* number = node.Find("value_float")) {
    return OfElements({}, {Range::Point(static_cast<double>(number->number))});
  }
  if (const Attribute* number = node.Find("value_int")) {
    return OfElements({}, {Range::Point(static_cast<double>(number->integer))});
  }
  std::vector<Range> numbers;
  for (const float each : AttributeFloats(model, id, "value_floats")) {
    numbers.push_back(Range::Point(static_cast<double>(each)));
  }
  for (const std::int64_t each : AttributeIntegers(model, id, "value_ints")) {
    numbers.push_back(Range::Point(static_cast<double>(each)));
  }
  if (numbers.empty()) return std::nullopt;
  const auto count = static_cast<std::int64_t>(numbers.size());
  return OfElements({count}, std::move(numbers));
}

// Returns the elements of an initializer, a Constant, or the attribute of a ConstantOfShape.
std::optional<TensorRange> ConstantRange(const OnnxModel& model, const Value& value,
                                         TensorData& data) {
  if (const TensorId tensor = ParameterTensor(model.graph, value); tensor != kNone) {
    return SmallTensor(model, tensor, data);
  }
  if (value.producer == kNone) return std::nullopt;
  const Node& node = model.graph.nodes[value.producer];
  if (node.op == "Constant") return PlainConstant(model, value.producer);
  return TensorRange{Range::Point(0), nullptr};
}

bool IsConstant(const Graph& graph, const Value& value) {
  if (!IsParameter(graph, value)) return false;
  return value.producer == kNone || graph.nodes[value.producer].op != "Cast";
}

void Know(KnownNumbers& numbers, std::size_t id, TensorRange range) {
  numbers.model.given[id] = std::move(range);
  numbers.model.is_given[id] = true;
}

KnownNumbers NothingOf(const Graph& graph, const OnnxModel* onnx, const Shapes* shapes) {
  const std::size_t values = graph.values.size();
  return {{graph, onnx, shapes, std::vector<TensorRange>(values), std::vector<bool>(values)},
          std::vector<ParameterStatistics>(values)};
}

}  // namespace

std::optional<KnownNumbers> ReadNumbers(const OnnxModel& model, const Shapes& shapes, Dtype target,
                                        TensorData& data, const std::vector<NodeLabel>* labels,
                                        const InputRanges& inputs, Diagnostics& diagnostics) {
  const Graph& graph = model.graph;
  ParameterReader reader(model, target, data);
  KnownNumbers numbers = NothingOf(graph, &model, &shapes);
  for (std::size_t id = 0; id < graph.values.size(); ++id) {
    const Value& value = graph.values[id];
    if (!IsConstant(graph, value)) continue;
    ParameterStatistics& statistics = numbers.statistics[id];
    if (value.type.IsTensorOf(Dtype::kBool)) reader.ReadCondition(value, statistics);
    auto range = ConstantRange(model, value, data);
    const bool small = range.has_value();
    if (small) Know(numbers, id, std::move(*range));
    if (!value.type.IsTensorOf(Dtype::kFloat32)) continue;
    const bool cast = IsCast(value, labels);
    // Small masks matter even if only float32 nodes read them.
    const TensorId tensor = ParameterTensor(graph, value);
    if (!cast && tensor != kNone && graph.tensors[tensor].elements > kSmall) continue;
    Diagnostics nobody;
    if (!reader.Read(value, statistics, cast ? diagnostics : nobody) && cast) return std::nullopt;
    if (!small && statistics.count != 0) Know(numbers, id, {statistics.AsRange(), nullptr});
  }
  KnowInputs(inputs, numbers.model);
  return numbers;
}

KnownNumbers ReadNumbers(const MxnetParams* params, const Graph& graph, Dtype target,
                         const std::vector<NodeLabel>* labels, const InputRanges& inputs) {
  KnownNumbers numbers = NothingOf(graph, nullptr, nullptr);
  for (std::size_t id = 0; params != nullptr && id < graph.values.size(); ++id) {
    const Value& value = graph.values[id];
    if (!value.type.IsTensorOf(Dtype::kFloat32) || !IsParameter(graph, value)) continue;
    if (!IsCast(value, labels)) continue;
    ForEachPiece(*params, static_cast<std::size_t>(value.tensor), [&](std::string_view piece) {
      numbers.statistics[id].Add(piece.data(), piece.size() / 4, target);
      return true;
    });
    Know(numbers, id, {numbers.statistics[id].AsRange(), nullptr});
  }
  KnowInputs(inputs, numbers.model);
  return numbers;
}

}  // namespace opledger
