// Maps annotations to schema types, following torch/_library/infer_schema.py; see signature.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/python/signature.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "registry/text/text.h"

namespace opledger::scan {
namespace {

constexpr std::string_view kTensor = "Tensor";
constexpr char kUnknown[] = "unknown";  // in mutates_args: every tensor may be written

// By last part of the name.
const std::map<std::string_view, std::string_view>& Types() {
  static const std::map<std::string_view, std::string_view> kTypes = {
      {"Tensor", "Tensor"}, {"int", "SymInt"},       {"float", "float"},   {"bool", "bool"},
      {"str", "str"},       {"dtype", "ScalarType"}, {"device", "Device"}, {"Number", "Scalar"},
      {"Scalar", "Scalar"}, {"complex", "Scalar"}};
  return kTypes;
}

std::string_view LastPart(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

class Annotation {
 public:
  explicit Annotation(const PythonTree& tree) : tree_(tree) {}

  std::string Type(PythonId id) const {
    const PythonNode& node = tree_[id];
    if (node.kind == PythonKind::kString) return Named(Trimmed(node.text));
    if (node.kind == PythonKind::kSubscript) return Generic(id);
    if (node.kind == PythonKind::kBinary && node.text == "|") {
      return Union({tree_.Child(id, 0), tree_.Child(id, 1)});
    }
    return Named(tree_.DottedName(id));
  }

  // Returns "Tensor", or "Tensor, Tensor" for a tuple; "" for no result.
  std::string Result(PythonId id) const {
    const std::string name(LastPart(tree_.DottedName(tree_.Child(id, 0))));
    if (tree_[id].kind == PythonKind::kConstant) return {};
    if (tree_[id].kind != PythonKind::kSubscript || (name != "tuple" && name != "Tuple")) {
      return Type(id);
    }
    std::string all;
    for (const PythonId part : Parts(id)) all += (all.empty() ? "" : ", ") + Type(part);
    return all;
  }

 private:
  static std::string Named(std::string_view name) {
    const auto found = Types().find(LastPart(name));
    return found == Types().end() ? "Any" : std::string(found->second);
  }

  std::vector<PythonId> Parts(PythonId id) const {
    const PythonId index = tree_.Child(id, 1);
    if (tree_.Kind(index) != PythonKind::kTuple) return {index};
    const auto parts = tree_.Children(index);
    return {parts.begin(), parts.end()};
  }

  std::string Generic(PythonId id) const {
    const std::string name(LastPart(tree_.DottedName(tree_.Child(id, 0))));
    const std::vector<PythonId> parts = Parts(id);
    if (name == "Optional") return Type(parts[0]) + "?";
    if (name == "Union") return Union(parts);
    const bool list = name == "list" || name == "List" || name == "Sequence" || name == "Iterable";
    return list ? Type(parts[0]) + "[]" : "Any";
  }

  std::string Union(const std::vector<PythonId>& parts) const {
    std::set<std::string> types;
    bool none = false;
    for (const PythonId part : parts) {
      const bool is_none = tree_.Kind(part) == PythonKind::kConstant && tree_[part].text == "None";
      none = none || is_none;
      if (!is_none) types.insert(Type(part));
    }
    const bool numbers = std::all_of(types.begin(), types.end(), [](const std::string& type) {
      return type == "SymInt" || type == "float" || type == "bool" || type == "Scalar";
    });
    const std::string type = types.size() == 1 ? *types.begin() : numbers ? "Scalar" : "Any";
    return type + (none ? "?" : "");
  }

  const PythonTree& tree_;
};

}  // namespace

std::vector<FieldFact> SignatureFields(const PythonTree& tree, PythonId function,
                                       const std::set<std::string>& mutated) {
  std::vector<FieldFact> fields;
  const Annotation annotation(tree);
  int order = 0;
  for (const PythonId parameter : tree.Children(tree.Child(function, 2))) {
    const std::string name(tree[parameter].text);
    if (name.empty()) continue;
    FieldFact fact;
    fact.field = "inputs";
    fact.order = order++;
    fact.value.key = name;
    std::string type =
        tree.Child(parameter, 0) == 0 ? "Any" : annotation.Type(tree.Child(parameter, 0));
    const bool is_tensor = type.starts_with(kTensor);
    if (is_tensor && (mutated.contains(name) || mutated.contains(kUnknown))) {
      type.insert(kTensor.size(), "(a" + std::to_string(fact.order) + "!)");
    }
    fact.value.value = type;
    if (const PythonId fallback = tree.Child(parameter, 1); fallback != 0) {
      fact.value.details["default"] = std::string(tree.Spelling(fallback));
    }
    fields.push_back(std::move(fact));
  }
  const PythonId returns = tree.Child(function, 3);
  if (returns == 0) return fields;
  order = 0;
  const std::string results = annotation.Result(returns);
  for (std::string_view part : SplitOutsideBrackets(results, ',')) {
    if (Trimmed(part).empty()) continue;
    FieldFact fact;
    fact.field = "outputs";
    fact.order = order++;
    fact.value.value = Trimmed(part);
    fields.push_back(std::move(fact));
  }
  return fields;
}

}  // namespace opledger::scan
