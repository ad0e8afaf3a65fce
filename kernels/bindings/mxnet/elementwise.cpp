// Unary element-wise MXNet operators.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "conversion/model/operators/names.h"
#include "kernels/bindings/mxnet/node.h"

namespace opledger {
namespace {

struct Choice {
  std::string_view act_type;
  const char* kernel;
};

// Binds one of several activations, selected by act_type.
LoweredNode BindChosen(const MxnetNode& node, const std::vector<Choice>& choices,
                       const std::string& chosen) {
  for (const Choice& each : choices) {
    if (each.act_type == chosen) return BindFirst(node, each.kernel);
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

// One slope for each channel, or a single one.
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
  if (act == "rrelu") {  // in inference: the mean slope
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
  if (node.Word("mode", "training") == "always")
    return Unsupported("it always drops elements at random");
  return BindMxnetIdentity(node);
}

// 1 / cbrt(x)
LoweredNode BindInverseCubeRoot(const MxnetNode& node) {
  CallChain chain(node);
  const int root = chain.Call("Cbrt", {0});
  return std::move(chain).Finish("Reciprocal", {root});
}

// Rounds to nearest, halves down, as MXNet's rint does.
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
  static const std::vector<MxnetBinding> kTable = {
      {"Activation", BindActivation},  {"Dropout", BindDropout},
      {"LeakyReLU", BindLeakyRelu},    {"clip", BindClip},
      {"degrees", BindDegrees},        {"hard_sigmoid", BindHardSigmoid},
      {"logical_not", BindLogicalNot}, {"radians", BindRadians},
      {"rcbrt", BindInverseCubeRoot},  {"rint", BindRoundHalfDown},
      {"smooth_l1", BindSmoothL1},
  };
  return kTable;
}

// Binary MXNet operators: tensors of one shape, tensors that broadcast, a tensor and a scalar.
// Comparisons and logic return 0 and 1 in the inputs' type.

namespace {

enum class Result : std::uint8_t { kNumber, kComparison, kLogic, kModulus };

// An operation and its names with a scalar operand, "" if there are none. Its names with two
// tensors are those of its meaning (MeaningOfMxnet).
struct Operation {
  std::string_view kernel;
  Result result;
  std::string_view scalar;
  std::string_view reversed = "";  // scalar first
};

constexpr Operation kOperations[] = {
    {"Add", Result::kNumber, "_plus_scalar"},
    {"Sub", Result::kNumber, "_minus_scalar", "_rminus_scalar"},
    {"Mul", Result::kNumber, "_mul_scalar"},
    {"Div", Result::kNumber, "_div_scalar", "_rdiv_scalar"},
    {"Pow", Result::kNumber, "_power_scalar", "_rpower_scalar"},
    {"Max", Result::kNumber, "_maximum_scalar"},
    {"Min", Result::kNumber, "_minimum_scalar"},
    {"Hypot", Result::kNumber, "_hypot_scalar"},
    {"Mod", Result::kModulus, "_mod_scalar", "_rmod_scalar"},
    {"Equal", Result::kComparison, "_equal_scalar"},
    {"NotEqual", Result::kComparison, "_not_equal_scalar"},
    {"Greater", Result::kComparison, "_greater_scalar"},
    {"GreaterOrEqual", Result::kComparison, "_greater_equal_scalar"},
    {"Less", Result::kComparison, "_lesser_scalar"},
    {"LessOrEqual", Result::kComparison, "_lesser_equal_scalar"},
    {"And", Result::kLogic, "_logical_and_scalar"},
    {"Or", Result::kLogic, "_logical_or_scalar"},
    {"Xor", Result::kLogic, "_logical_xor_scalar"},
};

int CastTo(CallChain& chain, int from, const std::string& to) {
  const int cast = chain.Call("Cast", {from});
  chain.Last().parameters.Set("to", to);
  return cast;
}

// Applies the operation to two operands of the chain.
LoweredNode Finish(CallChain chain, const Operation& operation, const MxnetNode& node, int a,
                   int b) {
  const std::string dtype(DtypeName(node.Input(0).dtype));
  if (operation.result == Result::kNumber) {
    return std::move(chain).Finish(std::string(operation.kernel), {a, b});
  }
  if (operation.result == Result::kModulus) {  // modulo 0 is 0
    const int zero = chain.Scalar(node.Input(0).dtype, 0);
    const int rest = chain.Call("Mod", {a, b});
    const int is_zero = chain.Call("Equal", {b, zero});
    return std::move(chain).Finish("Where", {is_zero, zero, rest});
  }
  if (operation.result == Result::kLogic) {
    a = CastTo(chain, a, "bool");
    b = CastTo(chain, b, "bool");
  }
  const int truth = chain.Call(std::string(operation.kernel), {a, b});
  LoweredNode bound = std::move(chain).Finish("Cast", {truth});
  bound.parameters.Set("to", dtype);
  return bound;
}

const Operation* OperationOf(std::string_view kernel) {
  const auto* found = std::find_if(std::begin(kOperations), std::end(kOperations),
                                   [&](const Operation& each) { return each.kernel == kernel; });
  return found == std::end(kOperations) ? nullptr : found;
}

LoweredNode BindTensors(const MxnetNode& node) {
  return Finish(CallChain(node), *OperationOf(MeaningOfMxnet(node.op())), node, 0, 1);
}

LoweredNode BindFunction(const MxnetNode& node) {
  return BindFirst(node, std::string(MeaningOfMxnet(node.op())));
}

LoweredNode BindScalar(const MxnetNode& node) {
  for (const Operation& operation : kOperations) {
    const bool reversed = operation.reversed == node.op();
    if (operation.scalar != node.op() && !reversed) continue;
    CallChain chain(node);
    const int scalar = chain.Scalar(node.Input(0).dtype, node.Number("scalar", 0));
    return Finish(std::move(chain), operation, node, reversed ? scalar : 0, reversed ? 0 : scalar);
  }
  return Unsupported("there is no kernel for it");
}

// numpy's operators: they accept any type, and a fractional scalar with integers.
LoweredNode BindNumpyScalar(const MxnetNode& node) {
  const std::string_view op = node.op();
  const char* kernel = op == "_npi_add_scalar"        ? "Add"
                       : op == "_npi_subtract_scalar" ? "Sub"
                       : op == "_npi_multiply_scalar" ? "Mul"
                                                      : "Div";
  const Dtype dtype = node.Input(0).dtype;
  const bool is_float = dtype == Dtype::kFloat32 || dtype == Dtype::kFloat16 ||
                        dtype == Dtype::kBfloat16 || dtype == Dtype::kFloat64;
  if (!is_float) return Unsupported("its kernel supports only floats");
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
    for (const Operation& operation : kOperations) {
      for (const std::string_view op : {operation.scalar, operation.reversed}) {
        if (!op.empty()) table.push_back({op, BindScalar});
      }
    }
    return table;
  }();
  return kTable;
}

const MxnetBinding* FindByMeaning(std::string_view op) {
  static constexpr MxnetBinding kTensors = {"", BindTensors, 2};
  static constexpr MxnetBinding kFunction = {"", BindFunction, 1};
  const std::string_view kernel = MeaningOfMxnet(op);
  if (OperationOf(kernel) != nullptr) return &kTensors;
  return IsElementwise(kernel) || kernel == "Identity" ? &kFunction : nullptr;
}

// MXNet's casts, including those of mixed precision, and its tests for non-finite values.

namespace {

LoweredNode BindCast(const MxnetNode& node) {
  const auto to = node.Type("dtype");
  if (!to) return Unsupported("it casts to an unknown type");
  LoweredNode bound = BindFirst(node, "Cast");
  bound.parameters.Set("to", DtypeName(*to));
  return bound;
}

// Casts only floats.
LoweredNode BindAmpCast(const MxnetNode& node) {
  return IsFloat(node.Input(0).dtype) ? BindCast(node) : BindMxnetIdentity(node);
}

// Casts all floats to the widest type among them, or to the narrowest; other types stay. See
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

// 1 if all elements of all inputs are finite, otherwise 0.
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
