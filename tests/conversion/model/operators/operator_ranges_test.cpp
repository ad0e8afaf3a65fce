// Results in float32 lie in the range that the operator's range function returns for the ranges of
// the inputs, whether these are for whole tensors or for each element. The formulas are repeated
// here for scalars; transfer_test.py compares with ONNX Runtime.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "conversion/model/operators/operators.h"
#include "tests/conversion/model/ranges/range_draws.h"
#include "tests/rounds.h"

namespace opledger {
namespace {

using Operands = std::vector<float>;

struct Formula {
  const char* op;
  std::size_t inputs;
  float (*number)(const Operands& x);
  std::vector<std::pair<const char*, const char*>> attributes = {};
};

bool AnyNan(const Operands& x) {
  return std::any_of(x.begin(), x.end(), [](float each) { return std::isnan(each); });
}

float Truth(bool holds) { return holds ? 1 : 0; }

float Clipped(float x, float low, float high) { return std::min(std::max(x, low), high); }

float Sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

// Computed in double and rounded: the float32 formulas are less accurate than kernels.
float Softplus(float x) {
  const auto exact = static_cast<double>(x);
  return static_cast<float>(exact > 700 ? exact : std::log1p(std::exp(exact)));
}

const std::vector<Formula>& Formulas() {
  static const std::vector<Formula> formulas = {
      {"Abs", 1, [](const Operands& x) { return std::abs(x[0]); }},
      {"Acos", 1, [](const Operands& x) { return std::acos(x[0]); }},
      {"Acosh", 1, [](const Operands& x) { return std::acosh(x[0]); }},
      {"Add", 2, [](const Operands& x) { return x[0] + x[1]; }},
      {"Asin", 1, [](const Operands& x) { return std::asin(x[0]); }},
      {"Asinh", 1, [](const Operands& x) { return std::asinh(x[0]); }},
      {"Atan", 1, [](const Operands& x) { return std::atan(x[0]); }},
      {"Atanh", 1, [](const Operands& x) { return std::atanh(x[0]); }},
      {"Ceil", 1, [](const Operands& x) { return std::ceil(x[0]); }},
      {"Clip", 3, [](const Operands& x) { return AnyNan(x) ? NAN : Clipped(x[0], x[1], x[2]); }},
      {"Cos", 1, [](const Operands& x) { return std::cos(x[0]); }},
      {"Cosh", 1, [](const Operands& x) { return std::cosh(x[0]); }},
      {"Div", 2, [](const Operands& x) { return x[0] / x[1]; }},
      {"Elu",
       1,
       [](const Operands& x) { return x[0] > 0 ? x[0] : 0.5F * std::expm1(x[0]); },
       {{"alpha", "0.5"}}},
      {"Equal", 2, [](const Operands& x) { return Truth(x[0] == x[1]); }},
      {"Erf", 1, [](const Operands& x) { return std::erf(x[0]); }},
      {"Exp", 1, [](const Operands& x) { return std::exp(x[0]); }},
      {"Floor", 1, [](const Operands& x) { return std::floor(x[0]); }},
      {"Gelu", 1,
       [](const Operands& x) { return x[0] * 0.5F * (1 + std::erf(x[0] * 0.70710678F)); }},
      {"Greater", 2, [](const Operands& x) { return Truth(x[0] > x[1]); }},
      {"GreaterOrEqual", 2, [](const Operands& x) { return Truth(x[0] >= x[1]); }},
      {"HardSigmoid", 1,
       [](const Operands& x) { return AnyNan(x) ? NAN : Clipped(0.2F * x[0] + 0.5F, 0, 1); }},
      {"HardSwish", 1, [](const Operands& x) { return x[0] * Clipped(x[0] / 6 + 0.5F, 0, 1); }},
      {"Identity", 1, [](const Operands& x) { return x[0]; }},
      {"IsInf", 1, [](const Operands& x) { return Truth(std::isinf(x[0])); }},
      {"IsNaN", 1, [](const Operands& x) { return Truth(std::isnan(x[0])); }},
      {"LeakyRelu",
       1,
       [](const Operands& x) { return x[0] < 0 ? 0.25F * x[0] : x[0]; },
       {{"alpha", "0.25"}}},
      {"Less", 2, [](const Operands& x) { return Truth(x[0] < x[1]); }},
      {"LessOrEqual", 2, [](const Operands& x) { return Truth(x[0] <= x[1]); }},
      {"Log", 1, [](const Operands& x) { return std::log(x[0]); }},
      {"Max", 2, [](const Operands& x) { return AnyNan(x) ? NAN : std::max(x[0], x[1]); }},
      {"Mean", 2, [](const Operands& x) { return (x[0] + x[1]) / 2; }},
      {"Mean", 3, [](const Operands& x) { return (x[0] + x[1] + x[2]) * (1.0F / 3); }},
      {"Min", 2, [](const Operands& x) { return AnyNan(x) ? NAN : std::min(x[0], x[1]); }},
      {"Mish", 1, [](const Operands& x) { return x[0] * std::tanh(Softplus(x[0])); }},
      {"Mod", 2, [](const Operands& x) { return std::fmod(x[0], x[1]); }, {{"fmod", "1"}}},
      {"Mul", 2, [](const Operands& x) { return x[0] * x[1]; }},
      {"Neg", 1, [](const Operands& x) { return -x[0]; }},
      {"PRelu", 2, [](const Operands& x) { return x[0] < 0 ? x[0] * x[1] : x[0]; }},
      {"Pow", 2, [](const Operands& x) { return std::pow(x[0], x[1]); }},
      {"Reciprocal", 1, [](const Operands& x) { return 1 / x[0]; }},
      {"Relu", 1, [](const Operands& x) { return AnyNan(x) ? NAN : std::max(x[0], 0.0F); }},
      {"Round", 1, [](const Operands& x) { return std::nearbyint(x[0]); }},
      {"Selu", 1,
       [](const Operands& x) {
         return 1.05070102F * (x[0] > 0 ? x[0] : 1.67326319F * std::expm1(x[0]));
       }},
      {"Sigmoid", 1, [](const Operands& x) { return Sigmoid(x[0]); }},
      {"Sign", 1,
       [](const Operands& x) { return AnyNan(x) ? NAN : Truth(x[0] > 0) - Truth(x[0] < 0); }},
      {"Sin", 1, [](const Operands& x) { return std::sin(x[0]); }},
      {"Sinh", 1, [](const Operands& x) { return std::sinh(x[0]); }},
      {"Softplus", 1, [](const Operands& x) { return Softplus(x[0]); }},
      {"Softsign", 1, [](const Operands& x) { return x[0] / (1 + std::abs(x[0])); }},
      {"Sqrt", 1, [](const Operands& x) { return std::sqrt(x[0]); }},
      {"Sub", 2, [](const Operands& x) { return x[0] - x[1]; }},
      {"Sum", 3, [](const Operands& x) { return x[0] + x[1] + x[2]; }},
      {"Swish", 1, [](const Operands& x) { return x[0] * Sigmoid(2 * x[0]); }, {{"alpha", "2"}}},
      {"Tanh", 1, [](const Operands& x) { return std::tanh(x[0]); }},
      {"ThresholdedRelu",
       1,
       [](const Operands& x) { return AnyNan(x)  ? NAN
                                      : x[0] > 2 ? x[0]
                                                 : 0; },
       {{"alpha", "2"}}},
      {"Where", 3, [](const Operands& x) { return x[0] != 0 ? x[1] : x[2]; }},
  };
  return formulas;
}

// Returns a graph of one node; attributes are strings, as in MXNet.
Graph GraphOf(const Formula& formula) {
  Graph graph;
  Node node;
  node.op = formula.op;
  node.scope = 0;
  for (std::size_t i = 0; i <= formula.inputs; ++i) {
    Value value;
    value.scope = 0;
    value.type = {ValueType::Kind::kTensor, Dtype::kFloat32};
    graph.values.push_back(value);
  }
  for (std::size_t i = 0; i < formula.inputs; ++i) node.inputs.push_back(static_cast<ValueId>(i));
  node.outputs.push_back(static_cast<ValueId>(formula.inputs));
  for (const auto& [name, text] : formula.attributes) {
    Attribute attribute;
    attribute.name = name;
    attribute.text = text;
    node.attributes.push_back(attribute);
  }
  graph.nodes.push_back(node);
  graph.scopes.emplace_back();
  return graph;
}

Range DrawnInput(const Formula& formula, std::size_t input, RangeDraws& draws) {
  if (formula.op == std::string("Where") && input == 0) {
    return draws.Chance(0.3) ? Range::Point(static_cast<double>(draws.Below(2)))
                             : Range::Integers(0, 1);
  }
  Range range = draws.Any();
  while (range.IsEmpty() && !range.nan) range = draws.Any();
  if (formula.op == std::string("Pow") && input == 1 && draws.Chance(0.5)) {
    range = Range::Point(static_cast<double>(draws.Below(13)) / 2 - 3);
  }
  return range;
}

// Returns the problem, or "": with one range for a whole tensor, or with two elements of different
// ranges.
std::string Problem(const Formula& formula, RangeDraws& draws) {
  const OperatorRecord* record = FindRecord(formula.op);
  if (record == nullptr || record->ranges == nullptr) return "no range function";
  const Graph graph = GraphOf(formula);
  std::vector<std::vector<Range>> ranges(draws.Chance(0.5) ? 1 : 2);
  std::vector<TensorRange> inputs(formula.inputs);
  for (std::size_t i = 0; i < formula.inputs; ++i) {
    std::vector<Range> numbers;
    for (auto& each : ranges) numbers.push_back(each.emplace_back(DrawnInput(formula, i, draws)));
    inputs[i] = ranges.size() == 1 ? TensorRange{numbers[0], nullptr} : OfElements({2}, numbers);
  }
  RangeContext node(graph, nullptr, 0, nullptr, inputs, false);
  record->ranges(node);
  const TensorRange& result = node.outputs()[0];
  for (int i = 0; i < kNumbers; ++i) {
    const std::size_t at = draws.Below(ranges.size());
    Operands x;
    for (const Range& each : ranges[at]) x.push_back(draws.In(each));
    const auto number = static_cast<double>(formula.number(x));
    const bool each = result.elements != nullptr && result.elements->numbers.size() > 1;
    const Range& said = each ? result.elements->numbers[at] : result.all;
    if (said.Contains(number) && result.all.Contains(number)) continue;
    std::string of;
    for (const Range& operand : ranges[at]) of += Described(operand) + "; ";
    return std::to_string(number) + " of " + of + "is not in " + Described(said);
  }
  return "";
}

TEST(OperatorRanges, HoldWhatFloat32Gives) {
  RangeDraws draws(11);
  for (const Formula& formula : Formulas()) {
    std::string problem;
    for (int i = 0; i < Rounds(kEvaluations) / kNumbers && problem.empty(); ++i) {
      problem = Problem(formula, draws);
    }
    EXPECT_EQ(problem, "") << formula.op;
  }
}

}  // namespace
}  // namespace opledger
