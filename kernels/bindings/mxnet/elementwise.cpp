// MXNet operators of one number in, one out.
// SPDX-License-Identifier: Apache-2.0
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

Bound BindSameMeaning(const MxnetNode& node) {
  for (const SameMeaning& each : kUnary) {
    if (each.op == node.op()) return BindMxnetFirst(node, each.kernel);
  }
  return Unbound("there is no kernel for it");
}

// One of several activations, by act_type.
Bound BindChosen(const MxnetNode& node, const std::vector<SameMeaning>& choices,
                 const std::string& chosen) {
  for (const SameMeaning& each : choices) {
    if (each.op == chosen) return BindMxnetFirst(node, each.kernel);
  }
  return Unbound("no kernel computes the activation '" + chosen + "'");
}

Bound BindActivation(const MxnetNode& node) {
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
Bound BindSlopes(const MxnetNode& node) {
  if (!node.Has(1) || node.Rank(0) < 1) return Unbound("it has no slopes");
  Bound bound = BindMxnetAs(node, "PRelu");
  const bool channels = node.Rank(1) == 1 && node.Rank(0) > 1;
  if (channels) {
    Dimensions view(static_cast<std::size_t>(node.Rank(0)), 1);
    view[1] = node.Shape(1)[0];
    bound.views[1] = view;
  }
  return bound;
}

Bound BindLeakyRelu(const MxnetNode& node) {
  const std::string act = node.Word("act_type", "leaky");
  if (act == "prelu") return BindSlopes(node);
  Bound bound = BindChosen(node,
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

Bound BindHardSigmoid(const MxnetNode& node) {
  Bound bound = BindMxnetFirst(node, "HardSigmoid");
  bound.parameters.Set("alpha", node.Number("alpha", 0.2));
  bound.parameters.Set("beta", node.Number("beta", 0.5));
  return bound;
}

Bound BindSmoothL1(const MxnetNode& node) {
  Bound bound = BindMxnetFirst(node, "SmoothL1");
  bound.parameters.Set("alpha", node.Number("scalar", 1));
  return bound;
}

Bound BindClip(const MxnetNode& node) {
  Bound bound = BindMxnetFirst(node, "Clip");
  if (node.HasAttribute("a_min")) bound.parameters.Set("min", node.Number("a_min", 0));
  if (node.HasAttribute("a_max")) bound.parameters.Set("max", node.Number("a_max", 0));
  return bound;
}

Bound BindDropout(const MxnetNode& node) {
  if (node.Word("mode", "training") == "always") return Unbound("it drops at random, always");
  return BindMxnetIdentity(node);
}

// 1 / cbrt(x)
Bound BindInverseCubeRoot(const MxnetNode& node) {
  CallChain chain(node);
  const int root = chain.Call("Cbrt", {0});
  return std::move(chain).Finish("Reciprocal", {root});
}

// To the nearest, halves down, as MXNet's rint has it.
Bound BindRoundHalfDown(const MxnetNode& node) {
  CallChain chain(node);
  const int half = chain.Scalar(node.Input(0).dtype, 0.5);
  const int less = chain.Call("Sub", {0, half});
  return std::move(chain).Finish("Ceil", {less});
}

constexpr double kDegree = 0.017453292519943295769;  // pi / 180

Bound BindTimes(const MxnetNode& node, double factor) {
  CallChain chain(node);
  const int scale = chain.Scalar(node.Input(0).dtype, factor);
  return std::move(chain).Finish("Mul", {0, scale});
}
Bound BindRadians(const MxnetNode& node) { return BindTimes(node, kDegree); }
Bound BindDegrees(const MxnetNode& node) { return BindTimes(node, 1 / kDegree); }

Bound BindLogicalNot(const MxnetNode& node) {
  CallChain chain(node);
  const int truth = chain.Call("Cast", {0});
  chain.Last().parameters.Set("to", "bool");
  const int other = chain.Call("Not", {truth});
  Bound bound = std::move(chain).Finish("Cast", {other});
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

}  // namespace opledger
