// MXNet operators of one number in, one out.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/bindings/mxnet/node.h"

namespace opledger {
namespace {

// Operators that are a kernel and have no attributes.
struct SameMeaning {
  std::string_view op;
  const char* kernel;
};
constexpr SameMeaning kUnary[] = {
    {"_copy", "Identity"},
    {"BlockGrad", "Identity"},
    {"LinearRegressionOutput", "Identity"},
    {"LogisticRegressionOutput", "Sigmoid"},
    {"MAERegressionOutput", "Identity"},
    {"MakeLoss", "Identity"},
    {"SVMOutput", "Identity"},
    {"_CrossDeviceCopy", "Identity"},
    {"_contrib_gradientmultiplier", "Identity"},
    {"_contrib_sign_ste", "Sign"},
    {"_identity_with_attr_like_rhs", "Identity"},
    {"_npi_exp", "Exp"},
    {"_npi_log", "Log"},
    {"_npi_negative", "Neg"},
    {"_npi_sqrt", "Sqrt"},
    {"_npi_square", "Square"},
    {"_npi_tanh", "Tanh"},
    {"_npx_relu", "Relu"},
    {"_npx_sigmoid", "Sigmoid"},
    {"abs", "Abs"},
    {"arccos", "Acos"},
    {"arccosh", "Acosh"},
    {"arcsin", "Asin"},
    {"arcsinh", "Asinh"},
    {"arctan", "Atan"},
    {"arctanh", "Atanh"},
    {"cbrt", "Cbrt"},
    {"ceil", "Ceil"},
    {"cos", "Cos"},
    {"cosh", "Cosh"},
    {"erf", "Erf"},
    {"exp", "Exp"},
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
    {"rsqrt", "Rsqrt"},
    {"sigmoid", "Sigmoid"},
    {"sign", "Sign"},
    {"sin", "Sin"},
    {"sinh", "Sinh"},
    {"softsign", "Softsign"},
    {"sqrt", "Sqrt"},
    {"square", "Square"},
    {"tan", "Tan"},
    {"tanh", "Tanh"},
    {"trunc", "Trunc"},
};

LoweredNode BindSameMeaning(const MxnetNode& node) {
  for (const SameMeaning& each : kUnary) {
    if (each.op == node.op()) return BindFirst(node, each.kernel);
  }
  return Unsupported("there is no kernel for it");
}

// One of several activations, by act_type.
LoweredNode BindChosen(const MxnetNode& node, const std::vector<SameMeaning>& choices,
                       const std::string& chosen) {
  for (const SameMeaning& each : choices) {
    if (each.op == chosen) return BindFirst(node, each.kernel);
  }
  return Unsupported("no kernel computes the activation '" + chosen + "'");
}

LoweredNode BindActivation(const MxnetNode& node) {
  return BindChosen(node,
                    {{"relu", "Relu"},
                     {"sigmoid", "Sigmoid"},
                     {"log_sigmoid", "LogSigmoid"},
                     {"mish", "Mish"},
                     {"tanh", "Tanh"},
                     {"softrelu", "Softplus"},
                     {"softsign", "Softsign"}},
                    node.Word("act_type", ""));
}

// One slope for each channel, or for all.
LoweredNode BindSlopes(const MxnetNode& node) {
  if (!node.Has(1) || node.Rank(0) < 1) return Unsupported("it has no slopes");
  LoweredNode bound = BindAs(node, "PRelu");
  const bool channels = node.Rank(1) == 1 && node.Rank(0) > 1;
  if (channels) {
    Dimensions view(static_cast<std::size_t>(node.Rank(0)), 1);
    view[1] = node.Shape(1)[0];
    bound.views[1] = view;
  }
  return bound;
}

LoweredNode BindLeakyRelu(const MxnetNode& node) {
  const std::string act = node.Word("act_type", "leaky");
  if (act == "prelu") return BindSlopes(node);
  LoweredNode bound = BindChosen(node,
                                 {{"leaky", "LeakyRelu"},
                                  {"rrelu", "LeakyRelu"},
                                  {"elu", "Elu"},
                                  {"selu", "Selu"},
                                  {"gelu", "Gelu"}},
                                 act);
  if (act == "leaky" || act == "elu") bound.parameters.Set("alpha", node.Number("slope", 0.25));
  if (act == "rrelu") {  // of inference: the mean slope
    const double lower = node.Number("lower_bound", 0.125);
    bound.parameters.Set("alpha", (lower + node.Number("upper_bound", 0.334)) / 2);
  }
  return bound;
}

LoweredNode BindHardSigmoid(const MxnetNode& node) {
  LoweredNode bound = BindFirst(node, "HardSigmoid");
  bound.parameters.Set("alpha", node.Number("alpha", 0.2));
  bound.parameters.Set("beta", node.Number("beta", 0.5));
  return bound;
}

LoweredNode BindSmoothL1(const MxnetNode& node) {
  LoweredNode bound = BindFirst(node, "SmoothL1");
  bound.parameters.Set("alpha", node.Number("scalar", 1));
  return bound;
}

LoweredNode BindClip(const MxnetNode& node) {
  LoweredNode bound = BindFirst(node, "Clip");
  if (node.HasAttribute("a_min")) bound.parameters.Set("min", node.Number("a_min", 0));
  if (node.HasAttribute("a_max")) bound.parameters.Set("max", node.Number("a_max", 0));
  return bound;
}

LoweredNode BindDropout(const MxnetNode& node) {
  if (node.Word("mode", "training") == "always") return Unsupported("it drops at random, always");
  return BindMxnetIdentity(node);
}

// 1 / cbrt(x)
LoweredNode BindInverseCubeRoot(const MxnetNode& node) {
  CallChain chain(node);
  const int root = chain.Call("Cbrt", {0});
  return std::move(chain).Finish("Reciprocal", {root});
}

// To the nearest, halves down, as MXNet's rint has it.
LoweredNode BindRoundHalfDown(const MxnetNode& node) {
  CallChain chain(node);
  const int half = chain.Scalar(node.Input(0).dtype, 0.5);
  const int less = chain.Call("Sub", {0, half});
  return std::move(chain).Finish("Ceil", {less});
}

constexpr double kDegree = 0.017453292519943295769;  // pi / 180

LoweredNode BindTimes(const MxnetNode& node, double factor) {
  CallChain chain(node);
  const int scale = chain.Scalar(node.Input(0).dtype, factor);
  return std::move(chain).Finish("Mul", {0, scale});
}
LoweredNode BindRadians(const MxnetNode& node) { return BindTimes(node, kDegree); }
LoweredNode BindDegrees(const MxnetNode& node) { return BindTimes(node, 1 / kDegree); }

LoweredNode BindLogicalNot(const MxnetNode& node) {
  CallChain chain(node);
  const int truth = chain.Call("Cast", {0});
  chain.Last().parameters.Set("to", "bool");
  const int other = chain.Call("Not", {truth});
  LoweredNode bound = std::move(chain).Finish("Cast", {other});
  bound.parameters.Set("to", DtypeName(node.Input(0).dtype));
  return bound;
}

}  // namespace

const std::vector<MxnetBinding>& MxnetElementwise() {
  static const std::vector<MxnetBinding> kTable = [] {
    std::vector<MxnetBinding> table = {
        {"Activation", BindActivation},  {"Dropout", BindDropout},
        {"LeakyReLU", BindLeakyRelu},    {"clip", BindClip},
        {"degrees", BindDegrees},        {"hard_sigmoid", BindHardSigmoid},
        {"logical_not", BindLogicalNot}, {"radians", BindRadians},
        {"rcbrt", BindInverseCubeRoot},  {"rint", BindRoundHalfDown},
        {"smooth_l1", BindSmoothL1},
    };
    for (const SameMeaning& each : kUnary) table.push_back({each.op, BindSameMeaning});
    return table;
  }();
  return kTable;
}

// MXNet operators of two numbers: tensors of one shape, tensors that broadcast, a tensor and a
// scalar. Comparisons and logic give numbers of the inputs' type, 0 and 1.

namespace {

enum class Result : std::uint8_t { kNumber, kComparison, kLogic, kModulus };

// What an operation is called with two tensors, broadcast, and with a scalar; "" where it is not.
struct Operation {
  const char* kernel;
  Result result;
  std::vector<std::string_view> tensors;
  std::string_view scalar;
  std::string_view reversed;  // the scalar first
};

const std::vector<Operation>& Operations() {
  static const std::vector<Operation> kOperations = {
      {"Add",
       Result::kNumber,
       {"elemwise_add", "broadcast_add", "_grad_add", "_npi_add"},
       "_plus_scalar",
       ""},
      {"Sub",
       Result::kNumber,
       {"elemwise_sub", "broadcast_sub", "_npi_subtract"},
       "_minus_scalar",
       "_rminus_scalar"},
      {"Mul",
       Result::kNumber,
       {"elemwise_mul", "broadcast_mul", "_npi_multiply"},
       "_mul_scalar",
       ""},
      {"Div", Result::kNumber, {"elemwise_div", "broadcast_div"}, "_div_scalar", "_rdiv_scalar"},
      {"Pow",
       Result::kNumber,
       {"_power", "broadcast_power", "_npi_power"},
       "_power_scalar",
       "_rpower_scalar"},
      {"Max", Result::kNumber, {"_maximum", "broadcast_maximum"}, "_maximum_scalar", ""},
      {"Min", Result::kNumber, {"_minimum", "broadcast_minimum"}, "_minimum_scalar", ""},
      {"Hypot", Result::kNumber, {"_hypot", "broadcast_hypot"}, "_hypot_scalar", ""},
      {"Mod", Result::kModulus, {"_mod", "broadcast_mod"}, "_mod_scalar", "_rmod_scalar"},
      {"Equal", Result::kComparison, {"_equal", "broadcast_equal"}, "_equal_scalar", ""},
      {"NotEqual",
       Result::kComparison,
       {"_not_equal", "broadcast_not_equal"},
       "_not_equal_scalar",
       ""},
      {"Greater", Result::kComparison, {"_greater", "broadcast_greater"}, "_greater_scalar", ""},
      {"GreaterOrEqual",
       Result::kComparison,
       {"_greater_equal", "broadcast_greater_equal"},
       "_greater_equal_scalar",
       ""},
      {"Less", Result::kComparison, {"_lesser", "broadcast_lesser"}, "_lesser_scalar", ""},
      {"LessOrEqual",
       Result::kComparison,
       {"_lesser_equal", "broadcast_lesser_equal"},
       "_lesser_equal_scalar",
       ""},
      {"And", Result::kLogic, {"_logical_and", "broadcast_logical_and"}, "_logical_and_scalar", ""},
      {"Or", Result::kLogic, {"_logical_or", "broadcast_logical_or"}, "_logical_or_scalar", ""},
      {"Xor", Result::kLogic, {"_logical_xor", "broadcast_logical_xor"}, "_logical_xor_scalar", ""},
  };
  return kOperations;
}

int CastTo(CallChain& chain, int from, const std::string& to) {
  const int cast = chain.Call("Cast", {from});
  chain.Last().parameters.Set("to", to);
  return cast;
}

// The operation on two operands of the chain.
LoweredNode Finish(CallChain chain, const Operation& operation, const MxnetNode& node, int a,
                   int b) {
  const std::string dtype(DtypeName(node.Input(0).dtype));
  if (operation.result == Result::kNumber) {
    return std::move(chain).Finish(operation.kernel, {a, b});
  }
  if (operation.result == Result::kModulus) {  // of 0 it is 0
    const int zero = chain.Scalar(node.Input(0).dtype, 0);
    const int rest = chain.Call("Mod", {a, b});
    const int is_zero = chain.Call("Equal", {b, zero});
    return std::move(chain).Finish("Where", {is_zero, zero, rest});
  }
  if (operation.result == Result::kLogic) {
    a = CastTo(chain, a, "bool");
    b = CastTo(chain, b, "bool");
  }
  const int truth = chain.Call(operation.kernel, {a, b});
  LoweredNode bound = std::move(chain).Finish("Cast", {truth});
  bound.parameters.Set("to", dtype);
  return bound;
}

LoweredNode BindTensors(const MxnetNode& node) {
  for (const Operation& operation : Operations()) {
    for (const std::string_view op : operation.tensors) {
      if (op == node.op()) return Finish(CallChain(node), operation, node, 0, 1);
    }
  }
  return Unsupported("there is no kernel for it");
}

LoweredNode BindScalar(const MxnetNode& node) {
  for (const Operation& operation : Operations()) {
    const bool reversed = operation.reversed == node.op();
    if (operation.scalar != node.op() && !reversed) continue;
    CallChain chain(node);
    const int scalar = chain.Scalar(node.Input(0).dtype, node.Number("scalar", 0));
    return Finish(std::move(chain), operation, node, reversed ? scalar : 0, reversed ? 0 : scalar);
  }
  return Unsupported("there is no kernel for it");
}

// numpy's: of any types, and of whole numbers a fraction.
LoweredNode BindNumpyScalar(const MxnetNode& node) {
  const std::string_view op = node.op();
  const char* kernel = op == "_npi_add_scalar"        ? "Add"
                       : op == "_npi_subtract_scalar" ? "Sub"
                       : op == "_npi_multiply_scalar" ? "Mul"
                                                      : "Div";
  const Dtype dtype = node.Input(0).dtype;
  const bool is_float = dtype == Dtype::kFloat32 || dtype == Dtype::kFloat16 ||
                        dtype == Dtype::kBfloat16 || dtype == Dtype::kFloat64;
  if (!is_float) return Unsupported("only of floats there is a kernel");
  CallChain chain(node);
  const int scalar = chain.Scalar(dtype, node.Number("scalar", 0));
  return std::move(chain).Finish(kernel, {0, scalar});
}

LoweredNode BindSumOfAll(const MxnetNode& node) { return BindAs(node, "Sum"); }

}  // namespace

const std::vector<MxnetBinding>& MxnetBinary() {
  static const std::vector<MxnetBinding> kTable = [] {
    std::vector<MxnetBinding> table = {
        {"_npi_add_scalar", BindNumpyScalar},
        {"_npi_multiply_scalar", BindNumpyScalar},
        {"_npi_subtract_scalar", BindNumpyScalar},
        {"_npi_true_divide_scalar", BindNumpyScalar},
        {"add_n", BindSumOfAll},
    };
    for (const Operation& operation : Operations()) {
      for (const std::string_view op : operation.tensors) table.push_back({op, BindTensors, 2});
      for (const std::string_view op : {operation.scalar, operation.reversed}) {
        if (!op.empty()) table.push_back({op, BindScalar});
      }
    }
    return table;
  }();
  return kTable;
}

// MXNet's casts, those of mixed precision among them, and its tests for what is not finite.

namespace {

LoweredNode BindCast(const MxnetNode& node) {
  const auto to = node.Type("dtype");
  if (!to) return Unsupported("it casts to a type that has no name here");
  LoweredNode bound = BindFirst(node, "Cast");
  bound.parameters.Set("to", DtypeName(*to));
  return bound;
}

// Of floats alone.
LoweredNode BindAmpCast(const MxnetNode& node) {
  return IsFloat(node.Input(0).dtype) ? BindCast(node) : BindMxnetIdentity(node);
}

// All floats to the widest type among them, or to the narrowest; the others stay as they are.
// src/operator/tensor/amp_cast.cc of MXNet.
LoweredNode BindAmpMulticast(const MxnetNode& node) {
  const bool narrow = node.Flag("cast_narrow", false);
  std::optional<Dtype> to;
  const auto width = [](Dtype dtype) {
    return dtype == Dtype::kFloat64 ? 2 : dtype == Dtype::kFloat32;
  };
  for (std::size_t i = 0; i < node.inputs(); ++i) {
    const Dtype dtype = node.Input(i).dtype;
    if (!IsFloat(dtype)) continue;
    const bool better = to && (narrow ? width(dtype) < width(*to) : width(dtype) > width(*to));
    if (!to || better) to = dtype;
  }
  LoweredNode bound;
  if (node.inputs() < node.outputs()) return Unsupported("it has fewer inputs than outputs");
  for (std::size_t i = 0; i < node.outputs(); ++i) {
    if (!node.Wants(i)) continue;
    KernelCall& call = bound.before.emplace_back();
    call.kernel = "Cast";
    call.inputs = {static_cast<int>(i)};
    call.results = {static_cast<int>(i)};
    const Dtype dtype = node.Input(i).dtype;
    call.parameters.Set("to", DtypeName(IsFloat(dtype) && to ? *to : dtype));
  }
  return bound;
}

// 1 where all numbers of all inputs are finite, else 0.
LoweredNode BindAllFinite(const MxnetNode& node) { return BindAs(node, "AllFinite"); }

}  // namespace

const std::vector<MxnetBinding>& MxnetAmp() {
  static const std::vector<MxnetBinding> kTable = {
      {"Cast", BindCast},
      {"all_finite", BindAllFinite},
      {"amp_cast", BindAmpCast},
      {"amp_multicast", BindAmpMulticast},
      {"multi_all_finite", BindAllFinite},
  };
  return kTable;
}

}  // namespace opledger
