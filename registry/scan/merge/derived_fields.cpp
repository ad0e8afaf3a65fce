// Derives fields: "T: {half, float} = DT_FLOAT" and "x: N * T" -> dtypes T: "float16, float32".
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/merge/derived_fields.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "registry/text/glob.h"
#include "registry/text/text.h"

namespace opledger::scan {
namespace {

constexpr std::string_view kBetween = " \t{},*";

struct TypeDeclaration {
  std::string_view name;
  std::string_view type;
};

TypeDeclaration DeclarationOf(const TypeNames& types, const FieldValue& value) {
  std::string_view text = value.value;
  if (types.separator.empty()) return {value.key, text};
  std::size_t at = text.find(types.separator);
  if (at == std::string_view::npos) return {value.key, text};
  return {Trimmed(text.substr(0, at)), Trimmed(text.substr(at + types.separator.size()))};
}

template <typename Function>
void ForEachWord(std::string_view text, Function function) {
  text = text.substr(0, text.find('='));  // cut the default value
  while (!text.empty()) {
    std::size_t begin = text.find_first_not_of(kBetween);
    if (begin == std::string_view::npos) return;
    text.remove_prefix(begin);
    std::size_t end = std::min(text.find_first_of(kBetween), text.size());
    function(text.substr(0, end));
    text.remove_prefix(end);
  }
}

// Returns the dtypes that a type expression allows; empty if it does not restrict them.
std::set<std::string> Allowed(const TypeNames& types, std::string_view type) {
  std::set<std::string> allowed;
  ForEachWord(type, [&](std::string_view word) {
    auto known = types.names.find(std::string(word));
    if (known != types.names.end()) allowed.insert(known->second.begin(), known->second.end());
  });
  return allowed;
}

// Returns the location in the detail "at": "src/add.cc:12".
Location PlaceOf(const FieldValue& value, const Operator& op) {
  auto at = value.details.find("at");
  if (at == value.details.end()) {
    return op.sites.empty() ? Location() : op.sites.front().location;
  }
  Location location;
  const std::string& text = at->second;
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return {text};
  location.path = text.substr(0, colon);
  std::from_chars(text.data() + colon + 1, text.data() + text.size(), location.line);
  return location;
}

}  // namespace

void AddDtypes(const TypeNames& types, Fields& fields) {
  auto inputs = fields.find(types.inputs);
  if (inputs == fields.end()) return;
  std::vector<FieldValue> found;
  auto add = [&](std::string_view name, std::string_view type, const Condition& condition) {
    std::string all;
    for (const std::string& dtype : Allowed(types, type)) all += (all.empty() ? "" : ", ") + dtype;
    FieldValue value{std::string(name), all, condition};
    if (!all.empty() && std::find(found.begin(), found.end(), value) == found.end()) {
      found.push_back(std::move(value));
    }
  };
  auto variables = fields.find(types.variables);
  for (const FieldValue& input : inputs->second) {
    ForEachWord(DeclarationOf(types, input).type, [&](std::string_view word) {
      if (types.names.contains(std::string(word))) add(word, word, input.condition);
      if (variables == fields.end()) return;
      for (const FieldValue& variable : variables->second) {
        const TypeDeclaration declared = DeclarationOf(types, variable);
        if (declared.name == word) add(word, declared.type, variable.condition);
      }
    });
  }
  if (!found.empty()) fields["dtypes"] = std::move(found);
}

void AddImplied(const TypeNames& types, Fields& fields) {
  if (types.implies.empty()) return;
  std::map<std::string, FieldValue> found;  // by field
  for (const std::string& name : {types.inputs, types.outputs}) {
    const auto values = fields.find(name);
    if (values == fields.end()) continue;
    for (const FieldValue& value : values->second) {
      ForEachWord(DeclarationOf(types, value).type, [&](std::string_view word) {
        const auto implied = types.implies.find(std::string(word));
        if (implied != types.implies.end())
          found.try_emplace(implied->second, FieldValue{{}, {}, value.condition});
      });
    }
  }
  for (auto& [field, value] : found) {
    if (!fields.contains(field)) fields[field] = {std::move(value)};
  }
}

void KernelsOfFields::Add(const std::string& device, const FieldValue& value) {
  op_.kernels.push_back({device, {}, {}, {}, PlaceOf(value, op_), value.condition});
  SetTypes(value.value, op_.kernels.back());
}

void KernelsOfFields::SetTypes(const std::string& function, Kernel& kernel) {
  KernelTypes of{types_.Of(function, kernel.device, HasResultsOfItsType()), {}};
  if (types_.cut()) {
    incomplete_.push_back({kernel.location, "field",
                           "the element types of '" + function +
                               "' are not known, because it and the functions it calls are too "
                               "large to follow; split it"});
  }
  if (of.dtypes.empty()) return;
  kernel.types[""] = std::move(of);
  kernel.details[std::string(kTypesDetail)] = kAtMost;
}

bool KernelsOfFields::HasResultsOfItsType() const {
  const ElementTypes& how = names_.element_types;
  const auto field = op_.fields.find(how.same_type_field);
  return field != op_.fields.end() && !field->second.empty() &&
         std::all_of(field->second.begin(), field->second.end(), [&](const FieldValue& value) {
           return GlobMatchAny(how.same_type, value.value);
         });
}

void KernelsOfFields::Run() {
  for (Kernel& kernel : op_.kernels) {
    const auto function = kernel.details.find(kFunctionOfKernel);
    if (function == kernel.details.end()) continue;
    SetTypes(function->second, kernel);
    kernel.details.erase(function);
  }
  if (const auto field = op_.fields.find(names_.field); field != op_.fields.end()) {
    for (const FieldValue& value : field->second) {
      for (std::string_view key : SplitAt(value.key, ',')) {
        const auto device = names_.devices.find(std::string(Trimmed(key)));
        if (device != names_.devices.end()) Add(device->second, value);
      }
    }
  }
  for (const auto& [name, device] : names_.fields) {
    const auto field = op_.fields.find(name);
    if (field == op_.fields.end()) continue;
    for (const FieldValue& value : field->second) Add(device, value);
  }
}

}  // namespace opledger::scan
