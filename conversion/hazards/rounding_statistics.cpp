// Rounds each element, widens it again and compares.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/hazards/rounding_statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <iterator>
#include <string_view>

#include "conversion/model/half/half.h"
#include "conversion/model/onnx/attribute_values.h"

namespace opledger {

void RoundingStatistics::Add(const char* numbers_in, std::size_t count, Dtype target, bool raises) {
  constexpr std::size_t kPiece = 1024;
  std::array<char, 2 * kPiece> halves;
  std::array<float, kPiece> before;
  std::array<float, kPiece> after;
  numbers += count;
  while (count > 0) {
    const std::size_t piece = std::min(count, kPiece);
    std::memcpy(before.data(), numbers_in, 4 * piece);
    ConvertFloats(numbers_in, piece, target, halves.data());
    UpcastFloats(halves.data(), piece, target, reinterpret_cast<char*>(after.data()));
    for (std::size_t i = 0; i < piece; ++i) {
      if (before[i] == after[i] || !std::isfinite(before[i])) continue;
      if (std::isinf(after[i])) {
        ++overflowing;
      } else if (after[i] == 0) {
        ++(raises ? raised : flushed);
      } else {
        const double exact = before[i];
        largest_error = std::max(largest_error, std::abs((after[i] - exact) / exact));
      }
    }
    numbers_in += 4 * piece;
    count -= piece;
  }
}

bool RoundsWell(const RoundingStatistics& statistics, bool weights) {
  if (statistics.overflowing != 0) return false;
  constexpr double kLargest = 0x1p-8;
  const bool kept = statistics.flushed == 0 && statistics.raised == 0;
  return weights || (kept && statistics.largest_error <= kLargest);
}

bool IsOfContractions(const Graph& graph, ValueId value) {
  constexpr std::string_view kNames[] = {
      "MatMul",      "Gemm", "Conv",      "ConvTranspose", "LSTM",
      "GRU",         "RNN",  "Einsum",    "Gather",        "FullyConnected",
      "Convolution", "dot",  "batch_dot", "Deconvolution", "Embedding"};
  const std::vector<Use>& uses = graph.values[value].uses;
  return std::all_of(uses.begin(), uses.end(), [&](const Use& use) {
    const std::string_view op = graph.nodes[use.node].op;
    return std::find(std::begin(kNames), std::end(kNames), op) != std::end(kNames);
  });
}

std::optional<RoundingStatistics> ParameterRounding(const OnnxModel& model, ValueId value,
                                                    Dtype target, bool raises, TensorData& data) {
  const Value& parameter = model.graph.values[value];
  RoundingStatistics statistics;
  const TensorId tensor = ParameterTensor(model.graph, parameter);
  if (tensor != kNone) {
    Diagnostics checked;
    if (!data.Check(tensor, checked)) return std::nullopt;
    data.ForEach(tensor, [&](const char* numbers, std::size_t count) {
      statistics.Add(numbers, count, target, raises);
      return true;
    });
    return statistics;
  }
  if (parameter.producer == kNone) return std::nullopt;
  if (const Attribute* one = model.graph.nodes[parameter.producer].Find("value_float")) {
    statistics.Add(reinterpret_cast<const char*>(&one->number), 1, target, raises);
    return statistics;
  }
  const std::vector<float> list = AttributeFloats(model, parameter.producer, "value_floats");
  if (list.empty()) return std::nullopt;
  statistics.Add(reinterpret_cast<const char*>(list.data()), list.size(), target, raises);
  return statistics;
}

std::optional<RoundingStatistics> ParameterRounding(const MxnetParams& params, const Graph& graph,
                                                    ValueId value, Dtype target, bool raises) {
  const TensorId tensor = graph.values[value].tensor;
  if (tensor == kNone) return std::nullopt;
  RoundingStatistics statistics;
  ForEachPiece(params, static_cast<std::size_t>(tensor), [&](std::string_view piece) {
    statistics.Add(piece.data(), piece.size() / 4, target, raises);
    return true;
  });
  return statistics;
}

}  // namespace opledger
