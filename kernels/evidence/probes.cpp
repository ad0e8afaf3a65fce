// How each kernel is tried: on inputs of a size that its models have, small enough to be quick.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/evidence/probe.h"

namespace opledger {
namespace {

constexpr std::int64_t kCount = 4096;  // numbers of an element-wise operator
constexpr std::int64_t kRows = 64;
constexpr std::int64_t kLong = 4096;  // numbers that are added up
constexpr std::int64_t kColumns = 1024;

using Integral = std::vector<std::pair<const char*, std::int64_t>>;
using Several = std::vector<std::pair<const char*, Integers>>;

Parameters Say(const Integral& settings, const Several& lists = {}) {
  Parameters parameters;
  for (const auto& [name, value] : settings) parameters.Set(name, value);
  for (const auto& [name, value] : lists) parameters.Set(name, value);
  return parameters;
}

using ProbeList = std::vector<Probe>;

constexpr const char* kOfReals[] = {"Abs",
                                    "Neg",
                                    "Sign",
                                    "Floor",
                                    "Ceil",
                                    "Round",
                                    "Square",
                                    "Exp",
                                    "Expm1",
                                    "Tan",
                                    "Atan",
                                    "Sinh",
                                    "Cosh",
                                    "Asinh",
                                    "Tanh",
                                    "Erf",
                                    "Sigmoid",
                                    "Relu",
                                    "Softplus",
                                    "Elu",
                                    "Softsign",
                                    "LeakyRelu",
                                    "ThresholdedRelu",
                                    "Celu",
                                    "Selu",
                                    "Gelu",
                                    "Mish",
                                    "GeluTanh",
                                    "HardSwish",
                                    "HardSigmoid",
                                    "Shrink",
                                    "Silu",
                                    "IsNaN",
                                    "IsInf",
                                    "Identity"};

void AddElementwise(ProbeList& probes) {
  const auto each = [&](Role role, const std::vector<const char*>& kernels) {
    for (const char* kernel : kernels) probes.push_back({kernel, {{role, {kCount}}}});
  };
  for (const char* kernel : kOfReals) probes.push_back({kernel, {{Role::kReals, {kCount}}}});
  // Where they cross 0 far from 0, what they lose is their argument's.
  for (const char* kernel : {"Sin", "Cos"}) {
    probes.push_back({kernel, {{Role::kReals, {kCount}}}, {}, Judged::kByNorm});
  }
  each(Role::kPositives, {"Log", "Sqrt", "Rsqrt", "Reciprocal"});
  each(Role::kInside, {"Asin", "Acos", "Atanh"});
  each(Role::kAboveOne, {"Acosh"});
  each(Role::kAboveMinusOne, {"Log1p"});
  const std::vector<ProbeInput> pair = {{Role::kReals, {kCount}}, {Role::kReals, {kCount}}};
  for (const char* kernel : {"Mul", "Max", "Min", "Equal", "Less", "LessOrEqual", "Greater",
                             "GreaterOrEqual", "MaxOf", "MinOf"}) {
    probes.push_back({kernel, pair});
  }
  for (const char* kernel : {"Add", "Sub", "Sum", "Mean"}) {
    probes.push_back({kernel, pair, {}, Judged::kByNorm});
  }
  // Divisors are no activations around 0: a division by those loses everything.
  for (const char* kernel : {"Div", "Mod", "Fmod"}) {
    probes.push_back({kernel, {{Role::kReals, {kCount}}, {Role::kDivisors, {kCount}}}});
  }
  probes.push_back({"Pow", {{Role::kPositives, {kCount}}, {Role::kReals, {kCount}}}});
  probes.push_back({"PRelu", {{Role::kReals, {kCount}}, {Role::kUnit, {kCount}}}});
  Parameters limits;
  limits.Set("min", -2.0);
  limits.Set("max", 2.0);
  probes.push_back({"Clip", {{Role::kReals, {kCount}}}, limits});
  probes.push_back(
      {"Where", {{Role::kBooleans, {kCount}}, {Role::kReals, {kCount}}, {Role::kReals, {kCount}}}});
}

void AddMoves(ProbeList& probes) {
  const ProbeInput matrix = {Role::kReals, {kRows, kRows}};
  const auto move = [&](const char* kernel, const Parameters& parameters) {
    probes.push_back({kernel, {matrix}, parameters});
  };
  move("Reshape", Say({}, {{"shape", {kRows * kRows}}}));
  move("Transpose", Say({}, {{"order", {1, 0}}}));
  move("Slice",
       Say({}, {{"starts", {1, 1}}, {"steps", {1, 2}}, {"shape", {kRows / 2, kRows / 4}}}));
  move("Expand", Say({}, {{"shape", {2, kRows, kRows}}}));
  move("Tile", Say({}, {{"repeats", {2, 1}}}));
  move("Split", Say({{"axis", 0}}, {{"sizes", {kRows / 2, kRows / 2}}}));
  move("Pad", Say({}, {{"begin", {1, 1}}, {"end", {1, 1}}}));
  move("Trilu", Say({{"upper", 0}}));
  move("Dropout", {});
  move("Take", Say({{"axis", 0}}, {{"indices", {3, 1, 2}}}));
  probes.push_back({"Concat", {matrix, matrix}, Say({{"axis", 0}})});
  const ProbeInput image = {Role::kReals, {1, 16, 8, 8}};
  probes.push_back({"DepthToSpace", {image}, Say({{"block", 2}})});
  probes.push_back({"SpaceToDepth", {image}, Say({{"block", 2}})});
  probes.push_back(
      {"ReverseSequence", {matrix, {Role::kIndices, {kRows}, kRows}}, Say({{"time", 0}})});
  probes.push_back({"Gather", {matrix, {Role::kIndices, {8}, kRows}}, Say({{"axis", 0}})});
  probes.push_back(
      {"GatherElements", {matrix, {Role::kIndices, {8, kRows}, kRows}}, Say({{"axis", 0}})});
  probes.push_back({"GatherNd", {matrix, {Role::kIndices, {8, 1}, kRows}}, {}});
  probes.push_back({"MaxPool",
                    {{Role::kReals, {1, 16, 32, 32}}},
                    Say({}, {{"kernel", {2, 2}}, {"strides", {2, 2}}})});
  for (const char* kernel : {"ArgMax", "ArgMin"}) {
    probes.push_back({kernel, {matrix}, Say({{"axis", 1}})});
  }
  probes.push_back({"TopK", {matrix}, Say({{"axis", 1}, {"k", 5}})});
  probes.push_back({"Hardmax", {matrix}, Say({}, {{"axes", {1}}})});
  probes.push_back({"OneHot",
                    {{Role::kIndices, {kRows}, kRows}, {Role::kReals, {2}}},
                    Say({{"axis", 1}, {"depth", kRows}})});
  probes.push_back({"MaxUnpool",
                    {{Role::kReals, {1, 1, 8, 8}}, {Role::kIndices, {1, 1, 8, 8}, 256}},
                    Say({}, {{"output", {1, 1, 16, 16}}, {"pooled", {1, 1, 16, 16}}})});
}

// Kinds of one operator that a parameter distinguishes.
void AddKinds(ProbeList& probes) {
  const ProbeInput matrix = {Role::kReals, {kRows, kRows}};
  for (const char* join : {"none", "add", "mul", "max", "min"}) {
    for (const bool tuples : {false, true}) {
      Parameters parameters = tuples ? Parameters() : Say({{"axis", 0}});
      parameters.Set("reduction", join);
      const Dimensions indices = tuples ? Dimensions{8, 1} : Dimensions{8, kRows};
      Probe probe = {tuples ? "ScatterNd" : "ScatterElements",
                     {matrix, {Role::kIndices, indices, kRows}, {Role::kReals, {8, kRows}}},
                     parameters};
      probe.parameter = "reduction";
      probe.value = join;
      probes.push_back(std::move(probe));
    }
  }
  for (const char* mode : {"nearest", "linear", "cubic"}) {
    Parameters parameters = Say({}, {{"output", {1, 4, 32, 32}}});
    parameters.Set("mode", mode);
    parameters.Set("scale2", 2.0);
    parameters.Set("scale3", 2.0);
    Probe resize = {"Resize", {{Role::kReals, {1, 4, 16, 16}}}, parameters, Judged::kByNorm};
    resize.parameter = "mode";
    resize.value = mode;
    probes.push_back(std::move(resize));
    Parameters sampled;
    sampled.Set("mode", mode);
    Probe grid = {"GridSample",
                  {{Role::kReals, {1, 4, 64, 64}}, {Role::kInside, {1, 32, 32, 2}}},
                  sampled,
                  Judged::kByNorm};
    grid.parameter = "mode";
    grid.value = mode;
    probes.push_back(std::move(grid));
  }
}

void AddReductions(ProbeList& probes) {
  const Parameters last = Say({{"keep", 0}}, {{"axes", {1}}});
  for (const char* kernel : {"ReduceSum", "ReduceMean"}) {
    probes.push_back({kernel, {{Role::kSizes, {kRows, kLong}}}, last, Judged::kByNorm});
  }
  for (const char* kernel : {"ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSumExp"}) {
    probes.push_back({kernel, {{Role::kReals, {kRows, kLong}}}, last, Judged::kByNorm});
  }
  for (const char* kernel : {"ReduceMax", "ReduceMin"}) {
    probes.push_back({kernel, {{Role::kReals, {kRows, kColumns}}}, last});
  }
  probes.push_back({"ReduceLogSum", {{Role::kPositives, {kRows, kLong}}}, last, Judged::kByNorm});
  probes.push_back({"ReduceProd", {{Role::kReals, {kColumns, 16}}}, last});
  probes.push_back(
      {"CumSum", {{Role::kSizes, {kRows, kLong}}}, Say({{"axis", 1}}), Judged::kByNorm});
  const Parameters window = Say({}, {{"kernel", {16}}, {"strides", {16}}});
  for (const char* kernel : {"AveragePool", "LpPool"}) {
    probes.push_back({kernel, {{Role::kReals, {1, kColumns, 16}}}, window, Judged::kByNorm});
  }
}

void AddNormalisations(ProbeList& probes) {
  const ProbeInput rows = {Role::kReals, {kRows, kColumns}};
  const Parameters last = Say({}, {{"axes", {1}}});
  for (const char* kernel : {"Softmax", "LogSoftmax"}) probes.push_back({kernel, {rows}, last});
  probes.push_back({"Normalise", {rows}, last, Judged::kByNorm});
  probes.push_back({"LpNorm", {rows}, Say({{"axis", 1}}), Judged::kByNorm});
  probes.push_back({"LocalResponseNorm", {{Role::kReals, {kRows, kRows, 1}}}, Say({{"size", 5}})});
  probes.push_back({"BatchNorm",
                    {{Role::kReals, {1, kRows, kRows}},
                     {Role::kScales, {kRows}},
                     {Role::kWeights, {kRows}},
                     {Role::kWeights, {kRows}},
                     {Role::kVariances, {kRows}}},
                    {},
                    Judged::kByNorm});
  Probe loss = {"CrossEntropy",
                {{Role::kReals, {kRows, kRows}}, {Role::kIndices, {kRows}, kRows}},
                Say({{"softmax", 1}}),
                Judged::kByNorm};
  loss.loss = true;
  probes.push_back(std::move(loss));
}

void AddContractions(ProbeList& probes) {
  const auto add = [&](const char* kernel, std::vector<ProbeInput> inputs, Parameters parameters) {
    Probe probe = {kernel, std::move(inputs), std::move(parameters), Judged::kByNorm};
    probe.contraction = true;
    probes.push_back(std::move(probe));
  };
  const ProbeInput rows = {Role::kReals, {kRows, 512}};
  const ProbeInput weights = {Role::kWeights, {512, kRows}};
  add("MatMul", {rows, weights}, {});
  add("Gemm", {rows, weights, {Role::kWeights, {kRows}}}, {});
  Parameters equation;
  equation.Set("equation", "ij,jk->ik");
  add("Einsum", {rows, weights}, equation);
  const ProbeInput image = {Role::kReals, {1, 32, 16, 16}};
  const ProbeInput taps = {Role::kWeights, {32, 32, 3, 3}};
  add("Conv", {image, taps}, Say({}, {{"kernel", {3, 3}}}));
  add("ConvTranspose", {image, taps}, Say({}, {{"kernel", {3, 3}}, {"output", {18, 18}}}));
  const ProbeInput heads = {Role::kReals, {1, 4, 32, 16}};
  add("Attention", {heads, heads, heads}, {});
  add("CausalConvolution", {{Role::kReals, {1, 32, 64}}, {Role::kWeights, {32, 1, 4}}}, {});
}

}  // namespace

std::size_t Probe::Floats() const {
  return static_cast<std::size_t>(std::count_if(
      inputs.begin(), inputs.end(),
      [](const ProbeInput& input) { return IsOfFloats(input.role) && !IsParameter(input.role); }));
}

const std::vector<Probe>& Probes() {
  static const std::vector<Probe> kProbes = [] {
    ProbeList probes;
    AddElementwise(probes);
    AddMoves(probes);
    AddKinds(probes);
    AddReductions(probes);
    AddNormalisations(probes);
    AddContractions(probes);
    for (Probe& probe : probes) probe.formula = FormulaOf(probe.kernel);
    std::stable_sort(probes.begin(), probes.end(), [](const Probe& a, const Probe& b) {
      return std::string_view(a.kernel) < b.kernel;
    });
    return probes;
  }();
  return kProbes;
}

}  // namespace opledger
