// Reads features from a manifest. Frameworks give the same facts in different fields.
// SPDX-License-Identifier: Apache-2.0
#include "checker/candidates/feature.h"

#include <algorithm>
#include <iterator>

#include "checker/candidates/name_words.h"
#include "checker/index/operator_facts.h"

namespace opledger {
namespace {

constexpr std::size_t kLongestValue = 60;

struct KindRow {
  const char* name;
  bool shared;
};

constexpr KindRow kKinds[] = {
    {"share", false},    {"alike", false},     {"sibling", true},   {"word", true},
    {"inputs", true},    {"input-name", true}, {"attribute", true}, {"type-inference", false},
    {"gradient", false}, {"mutates", true},    {"macro", false},    {"file", false},
    {"dtypes", true},
};
static_assert(std::size(kKinds) == kFeatureKindCount);

const std::vector<FieldValue>& Values(const Operator& op, const char* field) {
  static const std::vector<FieldValue> none;
  const auto found = op.fields.find(field);
  return found == op.fields.end() ? none : found->second;
}

std::string Lower(std::string_view text) {
  std::string lower(text.substr(0, kLongestValue));
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

struct Input {
  std::string name;
  std::string_view type;
};

// Some frameworks write "x: T" as one value.
std::vector<Input> ReadInputs(const Operator& op) {
  std::vector<Input> inputs;
  const bool typed = !Values(op, "inputs").empty();
  for (const FieldValue& value : Values(op, typed ? "inputs" : "arguments")) {
    const std::size_t colon = value.key.empty() ? value.value.find(':') : std::string::npos;
    if (colon == std::string::npos) {
      inputs.push_back({Lower(value.key), value.value});
    } else {
      inputs.push_back(
          {Lower(value.value.substr(0, colon)), std::string_view(value.value).substr(colon + 1)});
    }
  }
  return inputs;
}

std::string InputNumber(const Operator& op, std::size_t tensors) {
  const std::vector<FieldValue>& numbers = Values(op, "num_inputs");
  if (numbers.empty()) {
    const bool listed = !Values(op, "inputs").empty() || !Values(op, "outputs").empty();
    return listed ? std::to_string(std::min<std::size_t>(tensors, 3)) : std::string();
  }
  const std::string& text = numbers.front().value;
  const bool digits = text.find_first_not_of("0123456789") == std::string::npos;
  if (text.empty() || !digits) return {};
  return text.size() > 1 || text > "3" ? "3" : text;
}

// If the inputs have C++ types, only tensors count as inputs; the others count as attributes.
void AddInputs(const Operator& op, std::vector<Feature>& features) {
  const std::vector<Input> inputs = ReadInputs(op);
  const auto is_tensor = [](const Input& input) {
    return input.type.find("Tensor") != std::string_view::npos;
  };
  const bool mixed = std::any_of(inputs.begin(), inputs.end(), is_tensor);
  std::size_t tensors = 0;
  for (const Input& input : inputs) {
    const bool tensor = !mixed || is_tensor(input);
    if (tensor) ++tensors;
    if (input.name.empty()) continue;
    features.push_back({tensor ? FeatureKind::kInputName : FeatureKind::kAttribute, input.name});
  }
  features.push_back({FeatureKind::kInputs, InputNumber(op, tensors)});
}

// Adds one feature for all types that the registration and the kernels take.
void AddDtypes(const Operator& op, std::vector<Feature>& features) {
  bool known = false;
  bool half = false;
  bool single = false;
  const auto look = [&](std::string_view dtypes) {
    known = true;
    half = half || dtypes.find("float16") != std::string_view::npos;
    single = single || dtypes.find("float32") != std::string_view::npos;
  };
  for (const FieldValue& variable : Values(op, "dtypes")) look(variable.value);
  for (const Kernel& kernel : op.kernels) {
    for (const auto& [variable, types] : kernel.types) {
      const auto is_half = [](const std::string& dtype) {
        return dtype.find("float16") != std::string::npos;
      };
      // If a kernel takes at most these types, it is not known whether it takes 16 bits.
      const bool open =
          TypesAreAtMost(kernel) && std::any_of(types.dtypes.begin(), types.dtypes.end(), is_half);
      for (const std::string& dtype : types.dtypes) {
        if (!open) look(dtype);
      }
    }
  }
  if (known)
    features.push_back({FeatureKind::kDtypes, half ? "16-bit" : single ? "float32" : "none"});
}

}  // namespace

const char* FeatureKindName(FeatureKind kind) { return kKinds[static_cast<int>(kind)].name; }

std::optional<FeatureKind> ParseFeatureKind(std::string_view name) {
  for (int i = 0; i < kFeatureKindCount; ++i) {
    if (name == kKinds[i].name) return static_cast<FeatureKind>(i);
  }
  return std::nullopt;
}

bool IsSharedFeature(FeatureKind kind) { return kKinds[static_cast<int>(kind)].shared; }

std::vector<Feature> ReadFeatures(const Operator& op) {
  std::vector<Feature> features;
  for (const std::string& word : NameWords(op.name)) features.push_back({FeatureKind::kWord, word});
  AddInputs(op, features);
  for (const auto& [name, values] : ReadOperatorAttributes(op)) {
    features.push_back({FeatureKind::kAttribute, Lower(name)});
  }
  const std::vector<FieldValue>& inference = Values(op, "type_inference");
  if (!inference.empty()) {
    features.push_back(
        {FeatureKind::kTypeInference, inference.front().value.substr(0, kLongestValue)});
  }
  const std::vector<FieldValue>& gradient = Values(op, "gradient");
  const std::string text = gradient.empty() ? "none" : gradient.front().value;
  features.push_back({FeatureKind::kGradient,
                      text.substr(0, std::min(text.find_first_of("(<{ "), kLongestValue))});
  if (!Values(op, "mutated_inputs").empty()) features.push_back({FeatureKind::kMutates, "yes"});
  if (!op.sites.empty()) {
    features.push_back({FeatureKind::kMacro, op.sites.front().macro});
    features.push_back({FeatureKind::kFile, op.sites.front().location.path});
  }
  AddDtypes(op, features);
  std::sort(features.begin(), features.end());
  features.erase(std::unique(features.begin(), features.end()), features.end());
  return features;
}

}  // namespace opledger
