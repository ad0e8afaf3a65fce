// Pins nodes by the weights first.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/place/place_onnx.h"

#include <charconv>

#include "conversion/hazards/chain_labels.h"
#include "conversion/hazards/model_hazards.h"
#include "conversion/model/operators/shapes.h"
#include "conversion/place/place_raised.h"

namespace opledger {

namespace {

// Parses "2,128". Returns nullopt if malformed.
std::optional<Shape> ParseShape(std::string_view text) {
  Shape shape;
  while (!text.empty()) {
    std::int64_t dimension = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), dimension);
    const auto length = static_cast<std::size_t>(end - text.data());
    if (error != std::errc() || dimension < 0 || dimension > kMaxDimension) return std::nullopt;
    shape.push_back(dimension);
    text.remove_prefix(length);
    if (text.empty()) break;
    if (text.front() != ',' || text.size() == 1) return std::nullopt;
    text.remove_prefix(1);
  }
  return shape;
}

// Returns the shapes of --input-shape by name, or nullopt, with an error, if one is malformed.
std::optional<std::map<std::string, Shape>> GivenShapes(const ConvertOptions& options,
                                                        Diagnostics& diagnostics) {
  std::map<std::string, Shape> inputs;
  for (const std::string& given : options.input_shapes) {
    const std::size_t equals = given.rfind('=');
    const auto shape = equals == std::string::npos || equals == 0
                           ? std::nullopt
                           : ParseShape(std::string_view(given).substr(equals + 1));
    if (!shape) {
      return diagnostics.Error({}, "'" + given + "' is not a shape", "give --input-shape NAME=D,D");
    }
    inputs[given.substr(0, equals)] = *shape;
  }
  return inputs;
}

// Shapes that do not fit are kept as they are and do not prevent a conversion.
void WarnOfShapes(const OnnxModel& model, const Shapes& shapes, Diagnostics& diagnostics) {
  constexpr std::size_t kShown = 5;
  for (std::size_t i = 0; i < shapes.problems.size() && i < kShown; ++i) {
    const ShapeProblem& problem = shapes.problems[i];
    diagnostics.Warning({.path = model.file.path()},
                        NodeText(model.graph, problem.node) + ": " + problem.message,
                        "the model's own shapes do not fit; a runtime may reject it");
  }
}

CastCosts CostsOf(const OnnxModel& model, const Shapes& shapes) {
  CastCosts costs(model.graph.values.size());
  for (std::size_t id = 0; id < costs.size(); ++id) {
    std::uint64_t bytes = 0;
    const auto elements = shapes.Elements(static_cast<ValueId>(id));
    if (elements && !__builtin_mul_overflow(*elements, kCastBytes, &bytes)) costs[id] = bytes;
  }
  return costs;
}

// ConstantOfShape can create bfloat16 from version 20 on.
std::vector<bool> CastConstants(const Graph& graph, Dtype target) {
  constexpr std::int64_t kMakesBfloat16 = 20;
  std::vector<bool> cast;
  if (target != Dtype::kBfloat16) return cast;
  for (const Node& node : graph.nodes) {
    cast.push_back(node.domain.empty() && node.op == "ConstantOfShape" &&
                   graph.OpsetIn(node.scope) < kMakesBfloat16);
  }
  return cast;
}

}  // namespace

bool PlaceOnnx(const OnnxModel& model, const Settings& settings, const InputRanges& inputs,
               TensorData& data, std::vector<NodeLabel>& labels, CastCosts& costs, Plan& plan,
               Diagnostics& diagnostics) {
  const auto shapes = KnownShapes(model, settings.options(), diagnostics);
  if (!shapes) return false;
  LabelChains(model, settings.label_options(), labels);
  PlanOptions plan_options;
  plan_options.own_casts = settings.target();
  plan_options.casts_constants = CastConstants(model.graph, settings.target());
  plan_options.raises_small = settings.options().RaisesSmall();
  plan_options.low_outputs = settings.options().io_types == "low";
  plan_options.keep_io = {settings.options().keep_io.begin(), settings.options().keep_io.end()};
  costs = CostsOf(model, *shapes);
  if (settings.options().cost == "bytes") plan_options.costs = &costs;
  const auto numbers =
      ReadNumbers(model, *shapes, settings.target(), data, &labels, inputs, diagnostics);
  if (!numbers) return false;
  const auto raise = [&](Diagnostics& of_round) {
    return RaiseModelHazards(*numbers, settings.target(), settings.options(), labels, of_round);
  };
  plan = PlaceRaised(model.graph, settings.options(), plan_options, raise, labels, diagnostics);
  WarnOfShapes(model, *shapes, diagnostics);
  for (const NodeId id : plan.unread_casts) labels[id].reason += ", which is no longer needed";
  return CheckCosts(model, plan, diagnostics) && CheckParameters(model, plan, data, diagnostics);
}

bool PlaceOnnx(const OnnxModel& model, const Settings& settings, TensorData& data,
               std::vector<NodeLabel>& labels, CastCosts& costs, Plan& plan,
               Diagnostics& diagnostics) {
  const auto inputs = GivenRanges(model.graph, settings.options(), diagnostics);
  return inputs && PlaceOnnx(model, settings, *inputs, data, labels, costs, plan, diagnostics);
}

std::optional<Shapes> KnownShapes(const OnnxModel& model, const ConvertOptions& options,
                                  Diagnostics& diagnostics) {
  const auto inputs = GivenShapes(options, diagnostics);
  return inputs ? InferShapes(model, *inputs, diagnostics) : std::nullopt;
}

std::optional<CastCosts> CastBytes(const OnnxModel& model, const ConvertOptions& options,
                                   Diagnostics& diagnostics) {
  const auto shapes = KnownShapes(model, options, diagnostics);
  if (!shapes) return std::nullopt;
  WarnOfShapes(model, *shapes, diagnostics);
  return CostsOf(model, *shapes);
}

std::vector<TensorSize> TensorSizes(const OnnxModel& model, const ConvertOptions& options) {
  Diagnostics unused;  // PlaceOnnx has reported it
  const auto given = GivenShapes(options, unused);
  return FindTensorSizes(model, given ? *given : std::map<std::string, Shape>());
}

bool CheckParameters(const OnnxModel& model, const Plan& plan, TensorData& data,
                     Diagnostics& diagnostics) {
  for (std::size_t id = 0; id < plan.values.size(); ++id) {
    if (!plan.values[id].WrittenLow()) continue;
    const TensorId tensor = ParameterTensor(model.graph, model.graph.values[id]);
    if (tensor != kNone && !data.Check(tensor, diagnostics)) return false;
  }
  return true;
}

bool CheckCosts(const OnnxModel& model, const Plan& plan, Diagnostics& diagnostics) {
  if (plan.unknown == kNone) return true;
  return diagnostics.Error(
      {.path = model.file.path()},
      "the shape of '" + std::string(model.graph.values[plan.unknown].name) +
          "' is unknown, and so is the cost of casting it",
      "give the shapes of the inputs with --input-shape NAME=D,D, or --cost casts");
}

}  // namespace opledger
