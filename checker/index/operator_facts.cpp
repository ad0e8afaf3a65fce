// Frameworks give the same facts in different fields; see the dialects.
// SPDX-License-Identifier: Apache-2.0
#include "checker/index/operator_facts.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "registry/text/text.h"

namespace opledger {
namespace {

using TypesByVariable = std::map<std::string, std::set<std::string>>;

constexpr std::string_view kCompute = "compute_";

const std::vector<FieldValue>& FieldValues(const Operator& op, std::string_view name) {
  static const std::vector<FieldValue> none;
  const auto found = op.fields.find(std::string(name));
  return found == op.fields.end() ? none : found->second;
}

std::vector<std::string> SplitAtCommas(const std::string& text) {
  std::vector<std::string> parts;
  for (const std::string_view part : SplitAt(text, ',')) {
    if (!Trimmed(part).empty()) parts.emplace_back(Trimmed(part));
  }
  return parts;
}

// Returns "..." for a variadic input and "?" for an optional one, as in "X: T..." or "B: T?".
std::string Multiplicity(const FieldValue& input) {
  const auto option = input.details.find("option");
  if (option == input.details.end()) return {};
  if (option->second == "Variadic") return "...";
  return option->second == "Optional" ? "?" : "";
}

// Sorts float16 before float32 before int8.
std::pair<int, std::string> TypeOrder(const std::string& dtype) {
  constexpr std::string_view kFirst[] = {"float16", "bfloat16", "float32", "float64"};
  for (int i = 0; i < 4; ++i) {
    if (dtype == kFirst[i]) return {i, dtype};
  }
  return {dtype.find("float") == std::string::npos ? 5 : 4, dtype};
}

bool MayBeFloat(const std::set<std::string>& dtypes) {
  return std::any_of(dtypes.begin(), dtypes.end(),
                     [](const std::string& dtype) { return TypeOrder(dtype).first < 5; });
}

std::vector<std::string> TypesToShow(const TypesByVariable& by_variable) {
  const bool some_float =
      std::any_of(by_variable.begin(), by_variable.end(),
                  [](const auto& variable) { return MayBeFloat(variable.second); });
  std::set<std::pair<int, std::string>> ordered;
  for (const auto& [variable, dtypes] : by_variable) {
    if (some_float && !MayBeFloat(dtypes)) continue;
    for (const std::string& dtype : dtypes) ordered.insert(TypeOrder(dtype));
  }
  std::vector<std::string> shown;
  for (const auto& [order, dtype] : ordered) shown.push_back(dtype);
  return shown;
}

TypesByVariable AllowedTypes(const Operator& op) {
  TypesByVariable types;
  for (const FieldValue& variable : FieldValues(op, "dtypes")) {
    for (std::string& dtype : SplitAtCommas(variable.value)) {
      types[variable.key].insert(std::move(dtype));
    }
  }
  return types;
}

}  // namespace

std::vector<std::string> OperatorInputs(const Operator& op) {
  std::vector<std::string> inputs;
  for (const FieldValue& input : FieldValues(op, "inputs")) {
    const std::string colon = input.key.empty() || input.value.empty() ? "" : ": ";
    inputs.push_back(input.key + colon + input.value + Multiplicity(input));
  }
  if (!inputs.empty()) return inputs;
  for (const FieldValue& argument : FieldValues(op, "arguments")) {
    if (!argument.key.empty()) inputs.push_back(argument.key);
  }
  if (!inputs.empty()) return inputs;
  for (const FieldValue& names : FieldValues(op, "input_names")) {
    inputs = SplitAtCommas(names.value);
    if (!inputs.empty()) return inputs;
  }
  return inputs;
}

std::vector<std::string> OperatorInputNames(const Operator& op) {
  std::vector<std::string> names;
  for (const char* field : {"inputs", "arguments"}) {
    for (const FieldValue& input : FieldValues(op, field)) {
      if (!input.key.empty()) names.push_back(input.key);
    }
    if (!names.empty()) return names;
  }
  for (const FieldValue& field : FieldValues(op, "input_names")) {
    names = SplitAtCommas(field.value);
    if (!names.empty()) return names;
  }
  return names;
}

std::string InputCount(const Operator& op) {
  for (const FieldValue& number : FieldValues(op, "num_inputs")) {
    const bool digits = number.value.find_first_not_of("0123456789") == std::string::npos;
    if (!digits || number.value.empty()) continue;
    return number.value + (number.value == "1" ? " input" : " inputs");
  }
  return {};
}

bool DtypeBefore(const std::string& left, const std::string& right) {
  return TypeOrder(left) < TypeOrder(right);
}

std::vector<DeviceTypes> OperatorKernels(const Operator& op) {
  std::map<std::string, TypesByVariable> by_device;
  for (const Kernel& kernel : op.kernels) {
    if (!kernel.label.empty()) continue;  // runs only if a model asks for it
    TypesByVariable& types = by_device[kernel.device];
    for (const auto& [variable, allowed] : kernel.types) {
      types[variable].insert(allowed.dtypes.begin(), allowed.dtypes.end());
    }
  }
  if (op.kernels.empty()) {
    for (const auto& [name, values] : op.fields) {
      if (name.starts_with(kCompute)) by_device[name.substr(kCompute.size())];
    }
    const TypesByVariable allowed = AllowedTypes(op);
    if (by_device.empty() && !allowed.empty()) by_device[""] = allowed;
    for (auto& [device, types] : by_device) types = allowed;
  }
  std::vector<DeviceTypes> kernels;
  for (const auto& [device, types] : by_device) kernels.push_back({device, TypesToShow(types)});
  return kernels;
}

namespace {

constexpr std::string_view kBlanksAndQuotes = " \t\"";

void AddValues(const std::string& text, std::set<std::string, std::less<>>& values) {
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string value(Trimmed(std::string_view(text).substr(begin, end - begin), kBlanksAndQuotes));
    if (!value.empty()) values.insert(std::move(value));
    begin = end + 1;
  }
}

constexpr std::string_view kOfKernels = "parameters";

// Parses the parameters of a kernel: "axis; mode: constant, edge".
void AddParameters(const std::string& text, OperatorAttributes& attributes,
                   std::set<std::string>& open) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(';', begin), text.size());
    const std::string parameter = text.substr(begin, end - begin);
    const std::size_t colon = std::min(parameter.find(':'), parameter.size());
    const std::string name(Trimmed(std::string_view(parameter).substr(0, colon), kBlanksAndQuotes));
    const std::string values = colon < parameter.size() ? parameter.substr(colon + 1) : "";
    if (!name.empty()) AddValues(values, attributes[name]);
    if (!name.empty() && Trimmed(values, kBlanksAndQuotes).empty()) open.insert(name);
    begin = end + 1;
  }
}

bool SaysParameters(const Kernel& kernel) { return kernel.details.contains(kOfKernels); }

}  // namespace

bool KernelsSayParameters(const Manifest& manifest) {
  return std::any_of(manifest.operators.begin(), manifest.operators.end(), [](const Operator& op) {
    return std::any_of(op.kernels.begin(), op.kernels.end(), SaysParameters);
  });
}

OperatorAttributes ReadOperatorAttributes(const Operator& op) {
  OperatorAttributes attributes;
  std::set<std::string> open;  // parameters with any value according to some record
  for (const Kernel& kernel : op.kernels) {
    const auto parameters = kernel.details.find(kOfKernels);
    if (parameters != kernel.details.end()) AddParameters(parameters->second, attributes, open);
  }
  for (const char* field : {"parameters", "attribute_values"}) {
    const auto records = op.fields.find(field);
    if (records == op.fields.end()) continue;
    for (const FieldValue& record : records->second) {
      // A record without a key is C++ text, such as the name of a parameter struct.
      if (record.key.empty()) continue;
      if (Trimmed(record.value, kBlanksAndQuotes).empty()) open.insert(record.key);
      AddValues(record.value, attributes[record.key]);
    }
  }
  for (const std::string& name : open) attributes[name].clear();
  return attributes;
}

namespace {

bool Names(std::string_view all, std::string_view dtype) {
  while (!all.empty()) {
    const std::size_t comma = std::min(all.find(','), all.size());
    if (all.substr(0, comma) == dtype) return true;
    all.remove_prefix(comma);
    while (!all.empty() && (all.front() == ',' || all.front() == ' ')) all.remove_prefix(1);
  }
  return false;
}

}  // namespace

Allows AllowsDtype(const Operator& op, Dtype dtype) {
  const auto dtypes = op.fields.find("dtypes");
  if (dtypes == op.fields.end()) return Allows::kUnknown;
  int yes = 0;
  int no = 0;
  for (const FieldValue& variable : dtypes->second) {
    if (!Names(variable.value, DtypeName(Dtype::kFloat32))) continue;
    ++(Names(variable.value, DtypeName(dtype)) ? yes : no);
  }
  if (yes > 0 && no == 0) return Allows::kYes;
  if (yes > 0) return Allows::kSome;
  return no > 0 ? Allows::kNo : Allows::kUnknown;
}

std::string AllowedDtypes(const Operator& op) {
  std::string text;
  const auto dtypes = op.fields.find("dtypes");
  if (dtypes == op.fields.end()) return text;
  for (const FieldValue& variable : dtypes->second) {
    if (!text.empty()) text += "; ";
    if (!variable.key.empty()) text += variable.key + ": ";
    text += variable.value;
  }
  return text;
}

}  // namespace opledger
