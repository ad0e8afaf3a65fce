// MXNet's operators. Those that compute the same as an ONNX operator share its functions;
// attributes with another name or meaning are read here. Source: src/operator of MXNet 1.9.1.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "conversion/model/operators/names.h"
#include "conversion/model/operators/operators.h"

namespace opledger {
namespace {

// x op scalar, or scalar op x.
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

// Every nonzero number is true, including negative ones.
void TruthRanges(RangeContext& node) { node.Set(Range::Integers(0, 1)); }

// The range is unknown; for instance, MXNet's remainder of a division by zero is zero, unlike
// ONNX's.
void UnknownRanges(RangeContext&) {}

void UnitRanges(RangeContext& node) { node.Set(InFloat32(Range::Between(0, 1), 0x1p-18)); }

void ContractionRanges(RangeContext& node) {
  Range product = SumOf(Product(node.In(0), node.In(1)), std::nullopt);
  if (node.HasInput(2)) product = GuardedSum(product, node.In(2), node.presumes());
  node.Set(product);
}

struct MxnetOperator {
  std::string_view name;
  std::string_view meaning;        // an ONNX operator or a kernel; empty: only `ranges` is known
  RangeFunction ranges = nullptr;  // nullptr: use those of the ONNX operator
};

// Sorted by name.
constexpr MxnetOperator kMxnetOperators[] = {
    {"Activation", "", ActivationRanges},
    {"BlockGrad", "Identity"},
    {"Convolution", "", ContractionRanges},
    {"Dropout", "", SameRanges},
    {"Flatten", "", SameRanges},
    {"FullyConnected", "", ContractionRanges},
    {"LinearRegressionOutput", "Identity"},
    {"LogisticRegressionOutput", "Sigmoid"},
    {"MAERegressionOutput", "Identity"},
    {"MakeLoss", "Identity"},
    {"Reshape", "", SameRanges},
    {"SVMOutput", "Identity"},
    {"SoftmaxActivation", "", UnitRanges},
    {"SoftmaxOutput", "", UnitRanges},
    {"_CrossDeviceCopy", "Identity"},
    {"_contrib_gradientmultiplier", "Identity"},
    {"_contrib_sign_ste", "Sign"},
    {"_copy", "Identity"},
    {"_div", "Div"},
    {"_div_scalar", "", ScalarRanges},
    {"_equal", "Equal"},
    {"_grad_add", "Add"},
    {"_greater", "Greater"},
    {"_greater_equal", "GreaterOrEqual"},
    {"_hypot", "Hypot"},
    {"_identity_with_attr_like_rhs", "Identity"},
    {"_lesser", "Less"},
    {"_lesser_equal", "LessOrEqual"},
    {"_logical_and", "And", TruthRanges},
    {"_logical_or", "Or", TruthRanges},
    {"_logical_xor", "Xor", TruthRanges},
    {"_maximum", "Max"},
    {"_maximum_scalar", "", ScalarRanges},
    {"_minimum", "Min"},
    {"_minimum_scalar", "", ScalarRanges},
    {"_minus", "Sub"},
    {"_minus_scalar", "", ScalarRanges},
    {"_mod", "Mod", UnknownRanges},
    {"_mul", "Mul"},
    {"_mul_scalar", "", ScalarRanges},
    {"_not_equal", "NotEqual"},
    {"_npi_add", "Add"},
    {"_npi_exp", "Exp"},
    {"_npi_log", "Log"},
    {"_npi_multiply", "Mul"},
    {"_npi_negative", "Neg"},
    {"_npi_power", "Pow"},
    {"_npi_sqrt", "Sqrt"},
    {"_npi_square", "Square", SquareRanges},
    {"_npi_subtract", "Sub"},
    {"_npi_tanh", "Tanh"},
    {"_npx_relu", "Relu"},
    {"_npx_sigmoid", "Sigmoid"},
    {"_plus", "Add"},
    {"_plus_scalar", "", ScalarRanges},
    {"_power", "Pow"},
    {"_rdiv_scalar", "", ScalarRanges},
    {"_rminus_scalar", "", ScalarRanges},
    {"abs", "Abs"},
    {"add_n", "Sum"},
    {"arccos", "Acos"},
    {"arccosh", "Acosh"},
    {"arcsin", "Asin"},
    {"arcsinh", "Asinh"},
    {"arctan", "Atan"},
    {"arctanh", "Atanh"},
    {"batch_dot", "", ContractionRanges},
    {"broadcast_add", "Add"},
    {"broadcast_div", "Div"},
    {"broadcast_equal", "Equal"},
    {"broadcast_greater", "Greater"},
    {"broadcast_greater_equal", "GreaterOrEqual"},
    {"broadcast_hypot", "Hypot"},
    {"broadcast_lesser", "Less"},
    {"broadcast_lesser_equal", "LessOrEqual"},
    {"broadcast_logical_and", "And", TruthRanges},
    {"broadcast_logical_or", "Or", TruthRanges},
    {"broadcast_logical_xor", "Xor", TruthRanges},
    {"broadcast_maximum", "Max"},
    {"broadcast_minimum", "Min"},
    {"broadcast_mod", "Mod", UnknownRanges},
    {"broadcast_mul", "Mul"},
    {"broadcast_not_equal", "NotEqual"},
    {"broadcast_power", "Pow"},
    {"broadcast_sub", "Sub"},
    {"cbrt", "Cbrt"},
    {"ceil", "Ceil"},
    {"clip", "", MxnetClipRanges},
    {"cos", "Cos"},
    {"cosh", "Cosh"},
    {"dot", "", ContractionRanges},
    {"elemwise_add", "Add"},
    {"elemwise_div", "Div"},
    {"elemwise_mul", "Mul"},
    {"elemwise_sub", "Sub"},
    {"erf", "Erf"},
    {"exp", "Exp"},
    {"expand_dims", "", SameRanges},
    {"expm1", "Expm1"},
    {"fix", "Trunc"},
    {"floor", "Floor"},
    {"gamma", "Gamma"},
    {"gammaln", "LogGamma"},
    {"log", "Log"},
    {"log10", "Log10"},
    {"log1p", "Log1p"},
    {"log2", "Log2"},
    {"log_sigmoid", "LogSigmoid"},
    {"make_loss", "Identity"},
    {"mish", "Mish"},
    {"negative", "Neg"},
    {"reciprocal", "Reciprocal"},
    {"relu", "Relu"},
    {"round", "RoundHalfAway"},
    {"rsqrt", "Rsqrt", ReciprocalRootRanges},
    {"sigmoid", "Sigmoid"},
    {"sign", "Sign"},
    {"sin", "Sin"},
    {"sinh", "Sinh"},
    {"slice_axis", "", SameRanges},
    {"softmax", "", UnitRanges},
    {"softsign", "Softsign"},
    {"sqrt", "Sqrt"},
    {"square", "Square", SquareRanges},
    {"squeeze", "", SameRanges},
    {"tan", "Tan"},
    {"tanh", "Tanh"},
    {"transpose", "", SameRanges},
    {"trunc", "Trunc"},
};

static_assert(std::is_sorted(std::begin(kMxnetOperators), std::end(kMxnetOperators),
                             [](const MxnetOperator& a, const MxnetOperator& b) {
                               return a.name < b.name;
                             }));

const MxnetOperator* Find(std::string_view name) {
  const auto* found = std::lower_bound(
      std::begin(kMxnetOperators), std::end(kMxnetOperators), name,
      [](const MxnetOperator& each, std::string_view wanted) { return each.name < wanted; });
  return found != std::end(kMxnetOperators) && found->name == name ? found : nullptr;
}

// Returns the record of a function that only MXNet uses.
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
  const MxnetOperator* found = Find(name);
  if (found == nullptr) return nullptr;
  if (found->ranges != nullptr) return OwnRecord(found->ranges);
  op = found->meaning;
  return FindRecord(op);
}

std::string_view MeaningOfMxnet(std::string_view name) {
  const MxnetOperator* found = Find(name);
  return found == nullptr ? std::string_view() : found->meaning;
}

}  // namespace opledger
