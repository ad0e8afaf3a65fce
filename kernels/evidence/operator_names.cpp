// A manual table, since names follow no rule. Names are compared without domain, prefix, case and
// underscores: "aten::log_softmax", "nn.log_softmax" and "LogSoftmax" are the same.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/evidence/operator_names.h"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

namespace opledger {
namespace {

// Kernel -> further names, the most common first. "onnx/max": for that framework only; "-onnx/max":
// for all others; "leakyrelu:act_type=elu": the operator with this attribute value.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"Acos", "arccos"},
    {"Acosh", "arccosh"},
    {"Add", "broadcastadd elemwiseadd addv2 plus"},
    {"Asin", "arcsin"},
    {"Asinh", "arcsinh"},
    {"Atan", "arctan"},
    {"Atanh", "arctanh"},
    {"AveragePool", "avgpool avgpool2d globalavgpool2d"},
    {"BatchNorm", "batchnormalization fusedbatchnormv3 fusedbatchnorm"},
    {"Attention", "scaleddotproductattention scaleddotproductflashattention"},
    {"CausalConvolution", "causalconvwithstate"},
    {"Clip", "clamp clipbyvalue hardtanh"},
    {"Concat", "concatenate concatv2 cat"},
    {"Conv", "convolution conv2d"},
    {"ConvTranspose", "deconvolution conv2dtranspose convtranspose2d conv2dbackpropinput"},
    {"CrossEntropy",
     "softmaxcrossentropyloss negativeloglikelihoodloss crossentropyloss nllloss "
     "softmaxcrossentropy softmaxcrossentropywithlogits"},
    {"Div", "divide elemwisediv broadcastdiv realdiv"},
    {"Elu", "leakyrelu:act_type=elu"},
    {"Equal", "eq broadcastequal"},
    {"Expand", "broadcastto"},
    {"Fmod", "onnx/mod"},
    {"Gather", "-onnx/take gatherv2 embedding"},
    {"GatherElements", "takealongaxis"},
    {"Gelu", "leakyrelu:act_type=gelu"},
    {"Gemm", "fullyconnected dense linear addmm"},
    {"Greater", "gt broadcastgreater"},
    {"GreaterOrEqual", "greaterequal ge broadcastgreaterequal"},
    {"GridSample", "gridsampler bilinearsampler gridsampler2d"},
    {"HardSwish", "hswish"},
    {"Identity", "copy"},
    {"LeakyRelu", "leakyrelu:act_type=leaky"},
    {"Less", "lt broadcastlesser"},
    {"LessOrEqual", "lessequal le broadcastlesserequal"},
    {"LocalResponseNorm", "lrn"},
    {"LpNorm", "lpnormalization l2normalize l2normalization"},
    {"MatMul", "dot batchdot batchmatmul bmm mm"},
    {"Max", "maximum broadcastmaximum"},
    {"MaxOf", "onnx/max"},
    {"MaxPool", "maxpool2d"},
    {"Mean", "onnx/mean"},
    {"Min", "minimum broadcastminimum"},
    {"MinOf", "onnx/min"},
    {"Mod", "broadcastmod floormod remainder"},
    {"Mul", "multiply elemwisemul broadcastmul"},
    {"Neg", "negative"},
    {"Normalise", "layernormalization layernorm"},
    {"PRelu", "leakyrelu:act_type=prelu"},
    {"Pad", "padv2"},
    {"Pow", "power broadcastpower"},
    {"Reciprocal", "inv"},
    {"ReduceL2", "norm euclideannorm"},
    {"ReduceLogSumExp", "logsumexp"},
    {"ReduceMax", "amax -onnx/max"},
    {"ReduceMean", "-onnx/mean"},
    {"ReduceMin", "amin -onnx/min"},
    {"ReduceProd", "prod -onnx/prod"},
    {"ReduceSum", "-onnx/sum"},
    {"Relu", "activation:act_type=relu"},
    {"Resize", "resize2d upsampling"},
    {"ReverseSequence", "sequencereverse"},
    {"Round", "rint"},
    {"ScatterElements", "scatter"},
    {"Selu", "leakyrelu:act_type=selu"},
    {"Silu", "swish"},
    {"Slice", "stridedslice"},
    {"Softplus", "activation:act_type=softrelu"},
    {"Softsign", "activation:act_type=softsign"},
    {"Split", "slicechannel splitv"},
    {"Sub", "subtract elemwisesub broadcastsub"},
    {"Sum", "onnx/sum addn"},
    {"Take", "compress"},
    {"TopK", "topkv2"},
    {"Transpose", "permute"},
    {"Where", "select selectv2"},
};

// The names in a kernel's row, split.
std::vector<std::string_view> AliasesOf(std::string_view kernel) {
  std::vector<std::string_view> names;
  for (const auto& [of, all] : kOtherNames) {
    if (of != kernel) continue;
    for (std::size_t at = 0; at < all.size();) {
      const std::size_t end = std::min(all.find(' ', at), all.size());
      names.push_back(all.substr(at, end - at));
      at = end + 1;
    }
  }
  return names;
}

std::string Plain(std::string_view name) {
  if (const std::size_t domain = name.find("::"); domain != std::string_view::npos) {
    name = name.substr(domain + 2);
    name = name.substr(0, name.find('.'));  // an overload
  } else if (const std::size_t dot = name.rfind('.'); dot != std::string_view::npos) {
    name = name.substr(dot + 1);
  }
  for (const std::string_view prefix : {"_npi_", "_npx_", "_np_", "_contrib_"}) {
    if (name.substr(0, prefix.size()) == prefix) name = name.substr(prefix.size());
  }
  std::string plain;
  for (const char c : name) {
    if (c != '_') plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return plain;
}

// Returns whether the name applies to lists of `framework`; removes the framework prefix from the
// name.
bool IsMeantFor(std::string_view framework, std::string_view& name) {
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos) return true;
  const bool others = name.front() == '-';
  const std::string_view of = name.substr(others ? 1 : 0, slash - (others ? 1 : 0));
  name = name.substr(slash + 1);
  return (of == framework) != others;
}

Policy PolicyOfValue(const ListEntry& entry, std::string_view attribute, std::string_view value) {
  for (const Clause& clause : entry.clauses) {
    if (clause.attribute != attribute) continue;
    for (const std::string& each : clause.values) {
      if (each == value) return clause.then;
    }
  }
  return entry.policy == Policy::kConditional ? entry.otherwise : entry.policy;
}

const ListEntry* FindEntry(const PrecisionList& list, std::string_view plain) {
  for (const auto* entries : {&list.entries, &list.inherited}) {
    for (const ListEntry& entry : *entries) {
      if (Plain(entry.op) == plain) return &entry;
    }
  }
  return nullptr;
}

}  // namespace

std::optional<ListedPolicy> PolicyInList(const PrecisionList& list, std::string_view kernel) {
  for (const auto* entries : {&list.entries, &list.inherited}) {
    for (const ListEntry& entry : *entries) {
      const bool own = list.framework == "opledger" && entry.op == kernel;
      if (own) return ListedPolicy{entry.op, entry.policy};
    }
  }
  if (list.framework == "opledger") return std::nullopt;
  std::vector<std::string_view> names = AliasesOf(kernel);
  const std::string own = Plain(kernel);
  // Skip the kernel's own name where the framework uses it for another operator.
  const bool taken = list.framework == "onnx" &&
                     (kernel == "Max" || kernel == "Min" || kernel == "Silu" || kernel == "Mod");
  const bool reduces = list.framework != "onnx" &&
                       (kernel == "Max" || kernel == "Min" || kernel == "Sum" || kernel == "Mean");
  if (!taken && !reduces) names.insert(names.begin(), own);
  for (std::string_view name : names) {
    if (!IsMeantFor(list.framework, name)) continue;
    const std::size_t colon = name.find(':');
    const ListEntry* entry = FindEntry(list, name.substr(0, colon));
    if (entry == nullptr) continue;
    if (colon == std::string_view::npos) {
      if (entry->policy == Policy::kConditional) continue;
      return ListedPolicy{entry->op, entry->policy};
    }
    const std::string_view condition = name.substr(colon + 1);
    const std::size_t equals = condition.find('=');
    return ListedPolicy{
        entry->op + " (" + std::string(condition) + ")",
        PolicyOfValue(*entry, condition.substr(0, equals), condition.substr(equals + 1))};
  }
  return std::nullopt;
}

}  // namespace opledger
