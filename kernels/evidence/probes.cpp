// The probes of kernels: inputs of realistic sizes, small enough to be quick.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/evidence/probe.h"
#include "kernels/kernel/kernel.h"

namespace opledger {
namespace {

constexpr std::int64_t kCount = 4096;  // elements of an element-wise operator
constexpr std::int64_t kRows = 64;
constexpr std::int64_t kLong = 4096;  // terms of a sum
constexpr std::int64_t kColumns = 1024;

using Integral = std::vector<std::pair<const char*, std::int64_t>>;
using Several = std::vector<std::pair<const char*, Integers>>;

Parameters Say(const Integral& settings, const Several& lists = {}) {
  Parameters parameters;
  for (const auto& [name, value] : settings) parameters.Set(name, value);
  for (const auto& [name, value] : lists) parameters.Set(name, value);
  return parameters;
}

// Bins of regions with coordinates 0 to 1, in an image of `pixels` rows and columns.
Parameters RegionsOf(double pixels) {
  Parameters parameters = Say({{"rows", 4}, {"columns", 4}, {"samples", 2}});
  parameters.Set("scale", pixels);
  return parameters;
}

using ProbeList = std::vector<Probe>;

// Kernels that ElementwiseProbes does not find, or gives unsuitable inputs.
void AddElementwise(ProbeList& probes) {
  const ProbeInput reals = {Role::kReals, {kCount}};
  probes.push_back({"Identity", {reals}});
  for (const char* kernel : {"MaxOf", "MinOf"}) probes.push_back({kernel, {reals, reals}});
  for (const char* kernel : {"Add", "Sub", "Sum", "Mean"}) {
    probes.push_back({kernel, {reals, reals}, {}, Judged::kByNorm});
  }
  for (const char* kernel : {"Div", "Mod", "Fmod"}) {
    probes.push_back({kernel, {reals, {Role::kDivisors, {kCount}}}});
  }
  probes.push_back({"Pow", {{Role::kPositives, {kCount}}, reals}});
  probes.push_back({"PRelu", {reals, {Role::kUnit, {kCount}}}});
  Parameters limits;
  limits.Set("min", -2.0);
  limits.Set("max", 2.0);
  probes.push_back({"Clip", {reals}, limits});
  probes.push_back({"Where", {{Role::kBooleans, {kCount}}, reals, reals}});
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
  const ProbeInput part = {Role::kReals, {kRows, 8}};
  probes.push_back({"TensorScatter", {matrix, part}, Say({{"axis", 1}})});
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
  probes.push_back(
      {"RoiPool", {{Role::kReals, {2, 8, 16, 16}}, {Role::kUnit, {8, 5}}}, RegionsOf(16)});
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

// Kinds of one operator, distinguished by a parameter.
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

// Makes a probe whose rows are tested in several lengths.
Probe OfRows(const char* kernel, Role role, std::int64_t length, const Parameters& parameters,
             Judged judged) {
  Probe probe = {kernel, {{role, {kRows, length}}}, parameters, judged};
  probe.rows = true;
  return probe;
}

void AddReductions(ProbeList& probes) {
  const Parameters last = Say({{"keep", 0}}, {{"axes", {1}}});
  const auto add = [&](const char* kernel, Role role) {
    probes.push_back(OfRows(kernel, role, kLong, last, Judged::kByNorm));
  };
  for (const char* kernel : {"ReduceSum", "ReduceMean"}) add(kernel, Role::kSizes);
  for (const char* kernel : {"ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSumExp"}) {
    add(kernel, Role::kReals);
  }
  add("ReduceLogSum", Role::kPositives);
  for (const char* kernel : {"ReduceMax", "ReduceMin"}) {
    probes.push_back({kernel, {{Role::kReals, {kRows, kColumns}}}, last});
  }
  probes.push_back({"ReduceProd", {{Role::kReals, {kColumns, 16}}}, last});
  const Parameters along = Say({{"axis", 1}});
  probes.push_back({"CumProd", {{Role::kReals, {kColumns, 16}}}, along});
  probes.push_back(OfRows("CumSum", Role::kSizes, kLong, along, Judged::kByNorm));
  const Parameters window = Say({}, {{"kernel", {16}}, {"strides", {16}}});
  for (const char* kernel : {"AveragePool", "LpPool", "SumPool"}) {
    probes.push_back({kernel, {{Role::kReals, {1, kColumns, 16}}}, window, Judged::kByNorm});
  }
  const ProbeInput image = {Role::kReals, {1, 8, 16, 16}};
  probes.push_back(
      {"AdaptiveAveragePool", {image}, Say({}, {{"output", {5, 5}}}), Judged::kByNorm});
  probes.push_back({"Col2Im",
                    {{Role::kReals, {1, 8 * 9, 6 * 6}}},
                    Say({}, {{"image", {8, 8}}, {"kernel", {3, 3}}}),
                    Judged::kByNorm});
}

void AddNormalisations(ProbeList& probes) {
  const Parameters last = Say({}, {{"axes", {1}}});
  const Parameters along = Say({{"axis", 1}});
  const auto add = [&](const char* kernel, const Parameters& parameters, Judged judged) {
    probes.push_back(OfRows(kernel, Role::kReals, kColumns, parameters, judged));
  };
  add("Softmax", last, Judged::kByLargest);
  add("MaskedSoftmax", along, Judged::kByLargest);
  add("LogSoftmax", last, Judged::kByLargestLogarithm);
  add("MaskedLogSoftmax", along, Judged::kByLargestLogarithm);
  add("Normalise", last, Judged::kByNorm);
  add("LpNorm", along, Judged::kByNorm);
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
  const ProbeInput patch = {Role::kReals, {1, 8, 8, 8}};
  const ProbeInput offsets = {Role::kInside, {1, 18, 6, 6}};
  add("DeformableConvolution", {patch, {Role::kWeights, {8, 8, 3, 3}}, offsets},
      Say({}, {{"kernel", {3, 3}}}));
  Parameters linear = Say({{"q_heads", 4}, {"kv_heads", 4}});
  linear.Set("rule", "linear");
  const ProbeInput tokens = {Role::kReals, {1, 32, 64}};
  add("LinearAttention", {tokens, tokens, tokens}, linear);
  const std::pair<const char*, std::int64_t> recurrent[] = {{"Rnn", 1}, {"Gru", 3}, {"Lstm", 4}};
  for (const auto& [kernel, gates] : recurrent) {
    const ProbeInput gate_weights = {Role::kWeights, {1, 32 * gates, 32}};
    add(kernel, {{Role::kReals, {16, 2, 32}}, gate_weights, gate_weights}, {});
  }
}

// Operators that sum few products, or whose steps depend on the data.
void AddLinearAlgebra(ProbeList& probes) {
  const auto add = [&](const char* kernel, std::vector<ProbeInput> inputs, Parameters parameters) {
    probes.push_back({kernel, std::move(inputs), std::move(parameters), Judged::kByNorm});
  };
  const ProbeInput matrices = {Role::kReals, {kRows, 8, 8}};
  add("Det", {matrices}, {});
  add("Inverse", {matrices}, {});
  add("Dft", {{Role::kReals, {16, 256, 1}}}, Say({{"axis", 1}}));
  add("Stft", {{Role::kReals, {4, kColumns}}, {Role::kUnit, {256}}},
      Say({{"length", 256}, {"step", 128}}));
  add("AffineGrid", {{Role::kReals, {8, 2, 3}}}, Say({}, {{"image", {16, 16}}}));
  const ProbeInput table = {Role::kInside, {1, 32, 8}};  // sines and cosines
  add("RotaryEmbedding", {{Role::kReals, {1, 4, 32, 16}}, table, table}, {});
  add("RoiAlign", {{Role::kReals, {1, 8, 16, 16}}, {Role::kUnit, {8, 4}}, {Role::kIndices, {8}, 1}},
      RegionsOf(16));
}

// Kernels that are not measured, and why.
constexpr std::pair<const char*, std::string_view> kUnmeasured[] = {
    {"AllFinite", "decides whether a step of training counts"},
    {"BitCast", "moves bits"},
    {"BoxNms", "decides which boxes remain"},
    {"Cast", "is the rounding itself"},
    {"DynamicQuantizeLinear", "makes integers, whose scale determines the error"},
    {"EyeLike", "depends only on a shape"},
    {"MatMulNBits", "multiplies by integers, whose scale determines the error"},
    {"QuantizeLinear", "makes integers, whose scale determines the error"},
    {"Range", "makes constants that are known before the model runs"},
};

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
    AddLinearAlgebra(probes);
    for (Probe& probe : ElementwiseProbes(probes)) probes.push_back(std::move(probe));
    for (Probe& probe : probes) probe.formula = FormulaOf(probe.kernel);
    std::stable_sort(probes.begin(), probes.end(), [](const Probe& a, const Probe& b) {
      return std::string_view(a.kernel) < b.kernel;
    });
    return probes;
  }();
  return kProbes;
}

std::string WhyNotMeasured(std::string_view kernel) {
  for (const auto& [name, reason] : kUnmeasured) {
    if (name == kernel) return std::string(reason);
  }
  for (const KernelEntry* entry : Kernels().at(kernel)) {
    const std::vector<std::string> dtypes = entry->Declaration().types["T"].dtypes;
    const auto is_half = [](const std::string& each) {
      return each == "float16" || each == "bfloat16";
    };
    if (std::any_of(dtypes.begin(), dtypes.end(), is_half)) return {};
  }
  return "takes only integers or booleans";
}

}  // namespace opledger
