// MXNet's operators: those that do what one of ONNX does share its functions; attributes that have
// another name or meaning are read here. src/operator of MXNet 1.9.1 is the source.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "conversion/model/operators/operators.h"

namespace opledger {
namespace {

// x op scalar, and the other way round.
void ScalarRanges(RangeContext& node) {
  const Range scalar = Range::Point(node.Number("scalar", 0));
  const bool presumes = node.presumes();
  const std::string_view op = node.Op();
  node.Set(Mapped(node.Input(0), [=](const Range& x) {
    if (op == "_plus_scalar") return GuardedSum(x, scalar, presumes);
    if (op == "_minus_scalar") return GuardedSum(x, Negated(scalar), presumes);
    if (op == "_rminus_scalar") return GuardedSum(scalar, Negated(x), presumes);
    if (op == "_mul_scalar") return ReachingProduct(x, scalar, presumes);
    if (op == "_div_scalar") return ReachingQuotient(x, scalar, presumes);
    if (op == "_rdiv_scalar") return ReachingQuotient(scalar, x, presumes);
    if (op == "_maximum_scalar") return Greatest(x, scalar);
    if (op == "_minimum_scalar") return Least(x, scalar);
    return Range();
  }));
}

void MxnetClipRanges(RangeContext& node) {
  const Range least = Range::Point(node.Number("a_min", -kInfinite));
  const Range most = Range::Point(node.Number("a_max", kInfinite));
  node.Set(Mapped(node.Input(0), [&](const Range& x) { return Least(Greatest(x, least), most); }));
}

void SquareRanges(RangeContext& node) { node.Set(Mapped(node.Input(0), Square)); }

void ReciprocalRootRanges(RangeContext& node) {
  node.SetOp("Sqrt");
  UnaryRanges(node);
  node.Set(
      Mapped(node.outputs()[0], [](const Range& root) { return Quotient(Range::Point(1), root); }));
}

void ActivationRanges(RangeContext& node) {
  constexpr std::pair<std::string_view, std::string_view> kActivations[] = {
      {"relu", "Relu"},
      {"sigmoid", "Sigmoid"},
      {"tanh", "Tanh"},
      {"softrelu", "Softplus"},
      {"softsign", "Softsign"}};
  for (const auto& [name, op] : kActivations) {
    if (node.Text("act_type") != name) continue;
    node.SetOp(op);
    UnaryRanges(node);
  }
}

void UnitRanges(RangeContext& node) { node.Set(InFloat32(Range::Between(0, 1), 0x1p-18)); }

void ContractionRanges(RangeContext& node) {
  Range product = SumOf(Product(node.In(0), node.In(1)), std::nullopt);
  if (node.HasInput(2)) product = GuardedSum(product, node.In(2), node.presumes());
  node.Set(product);
}

struct MxnetOperator {
  std::string_view name;
  std::string_view op;  // of ONNX; empty: `ranges` counts
  RangeFunction ranges = nullptr;
};

constexpr MxnetOperator kMxnetOperators[] = {
    {"elemwise_add", "Add"},
    {"broadcast_add", "Add"},
    {"_plus", "Add"},
    {"elemwise_sub", "Sub"},
    {"broadcast_sub", "Sub"},
    {"_minus", "Sub"},
    {"elemwise_mul", "Mul"},
    {"broadcast_mul", "Mul"},
    {"_mul", "Mul"},
    {"elemwise_div", "Div"},
    {"broadcast_div", "Div"},
    {"_div", "Div"},
    {"broadcast_maximum", "Max"},
    {"_maximum", "Max"},
    {"broadcast_minimum", "Min"},
    {"_minimum", "Min"},
    {"add_n", "Sum"},
    {"relu", "Relu"},
    {"sigmoid", "Sigmoid"},
    {"tanh", "Tanh"},
    {"exp", "Exp"},
    {"log", "Log"},
    {"sqrt", "Sqrt"},
    {"abs", "Abs"},
    {"negative", "Neg"},
    {"reciprocal", "Reciprocal"},
    {"erf", "Erf"},
    {"softsign", "Softsign"},
    {"sin", "Sin"},
    {"cos", "Cos"},
    {"arctanh", "Atanh"},
    {"floor", "Floor"},
    {"ceil", "Ceil"},
    {"_copy", "Identity"},
    {"BlockGrad", "Identity"},
    {"Reshape", "Identity"},
    {"Flatten", "Identity"},
    {"expand_dims", "Identity"},
    {"squeeze", "Identity"},
    {"transpose", "Identity"},
    {"slice_axis", "Identity"},
    {"Dropout", "Identity"},
    {"_plus_scalar", "", ScalarRanges},
    {"_minus_scalar", "", ScalarRanges},
    {"_rminus_scalar", "", ScalarRanges},
    {"_mul_scalar", "", ScalarRanges},
    {"_div_scalar", "", ScalarRanges},
    {"_rdiv_scalar", "", ScalarRanges},
    {"_maximum_scalar", "", ScalarRanges},
    {"_minimum_scalar", "", ScalarRanges},
    {"clip", "", MxnetClipRanges},
    {"square", "", SquareRanges},
    {"rsqrt", "", ReciprocalRootRanges},
    {"Activation", "", ActivationRanges},
    {"softmax", "", UnitRanges},
    {"SoftmaxOutput", "", UnitRanges},
    {"SoftmaxActivation", "", UnitRanges},
    {"FullyConnected", "", ContractionRanges},
    {"Convolution", "", ContractionRanges},
    {"dot", "", ContractionRanges},
    {"batch_dot", "", ContractionRanges},
};

// A record for each function that is of MXNet alone.
const OperatorRecord* OwnRecord(RangeFunction function) {
  static const auto records = [] {
    std::vector<OperatorRecord> all;
    for (const MxnetOperator& each : kMxnetOperators) {
      if (each.ranges != nullptr) all.push_back({each.name, nullptr, each.ranges});
    }
    return all;
  }();
  const auto found = std::find_if(records.begin(), records.end(), [&](const OperatorRecord& each) {
    return each.ranges == function;
  });
  return found == records.end() ? nullptr : &*found;
}

}  // namespace

const OperatorRecord* FindMxnetRecord(std::string_view name, std::string_view& op) {
  const auto* found = std::find_if(std::begin(kMxnetOperators), std::end(kMxnetOperators),
                                   [&](const MxnetOperator& each) { return each.name == name; });
  if (found == std::end(kMxnetOperators)) return nullptr;
  if (found->ranges != nullptr) return OwnRecord(found->ranges);
  op = found->op;
  return FindRecord(op);
}

}  // namespace opledger
