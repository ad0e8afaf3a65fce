// Attaches arrays to variables by name: "arg:x" and "aux:x" in files saved by a Module, "x" in
// those saved by Gluon.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/mxnet/mxnet.h"

#include <algorithm>
#include <unordered_map>

#include "conversion/model/graph/types.h"
#include "registry/text/suggestion.h"

namespace opledger {
namespace {

// Maps names to variables; kNone if a name is ambiguous.
std::unordered_map<std::string_view, ValueId> Variables(const MxnetSymbol& symbol) {
  std::unordered_map<std::string_view, ValueId> variables;
  for (const MxnetEntry& entry : symbol.scopes.front().entries) {
    if (entry.node != kNone) continue;
    const std::string_view name = symbol.graph.values[entry.first_value].name;
    const auto [place, added] = variables.emplace(name, entry.first_value);
    if (!added) place->second = kNone;
  }
  return variables;
}

}  // namespace

std::string_view MxnetVariableName(std::string_view name) {
  return name.starts_with("arg:") || name.starts_with("aux:") ? name.substr(4) : name;
}

bool AttachParameters(const MxnetParams& params, bool offline, MxnetSymbol& symbol,
                      Diagnostics& diagnostics) {
  Graph& graph = symbol.graph;
  const auto variables = Variables(symbol);
  std::vector<bool> attached(graph.values.size());
  std::vector<bool> twice(graph.values.size());
  for (const MxnetArray& array : params.arrays) {
    Tensor& tensor = graph.tensors.emplace_back();
    tensor.name = array.name;
    tensor.dtype = array.dtype;
    tensor.elements = array.elements;
    tensor.storage = array.none ? Tensor::Storage::kNone : Tensor::Storage::kRaw;
    tensor.sparse = array.storage != MxnetArray::Storage::kDense;
    const auto found = variables.find(MxnetVariableName(array.name));
    if (found == variables.end() || found->second == kNone || array.none) continue;
    twice[found->second] = attached[found->second];
    attached[found->second] = true;
    Value& value = graph.values[found->second];
    const auto kind = tensor.sparse ? ValueType::Kind::kSparseTensor : ValueType::Kind::kTensor;
    value.type = {kind, array.dtype};
    const bool writable = array.name.starts_with("aux:") || symbol.auxiliary[found->second];
    if (!offline || writable || tensor.sparse) continue;
    value.tensor = static_cast<TensorId>(graph.tensors.size()) - 1;
    value.is_input = false;
  }
  for (std::size_t id = 0; id < graph.values.size(); ++id) {
    if (twice[id]) {
      diagnostics.Error({.path = params.file.path()},
                        "two arrays are called '" + std::string(graph.values[id].name) + "'",
                        "give the .params file of a single model");
    }
  }
  const bool any = std::find(attached.begin(), attached.end(), true) != attached.end();
  if (!any && !params.arrays.empty()) {
    diagnostics.Error({.path = params.file.path()}, "none of its arrays is a variable of the model",
                      "give the .params file that belongs to it");
  }
  std::erase_if(graph.scopes.front().inputs, [&](ValueId id) { return attached[id]; });
  return !diagnostics.has_errors();
}

bool DeclareTypes(const std::vector<std::string>& types, const char* option, MxnetSymbol& symbol,
                  Diagnostics& diagnostics) {
  const auto variables = Variables(symbol);
  for (const std::string& text : types) {
    const std::size_t equals = std::min(text.rfind('='), text.size());
    const std::string name = text.substr(0, equals);
    const auto dtype = ParseDtype(text.substr(std::min(equals + 1, text.size())));
    if (!dtype || MxnetTypeFlag(*dtype) < 0) {
      return diagnostics.Error({}, "'" + text + "' is not an MXNet type",
                               std::string("give ") + option + " a name and a type: data=float16");
    }
    const auto found = variables.find(name);
    if (found != variables.end() && found->second == kNone) {
      return diagnostics.Error({.path = symbol.file.path()},
                               "several of its variables are named '" + name + "'",
                               std::string("leave it out of ") + option);
    }
    if (found == variables.end()) {
      std::vector<std::string> names;
      for (const auto& [known, value] : variables) names.emplace_back(known);
      std::sort(names.begin(), names.end());
      return diagnostics.Error({.path = symbol.file.path()},
                               "the model has no variable '" + name + "'", DidYouMean(name, names));
    }
    ValueType& type = symbol.graph.values[found->second].type;
    const ValueType said = {ValueType::Kind::kTensor, dtype};
    if (type.kind != ValueType::Kind::kUnknown && type != said) {
      return diagnostics.Error({.path = symbol.file.path()},
                               "'" + name + "' is " + TypeText(type) + ", not " + TypeText(said),
                               std::string("leave it out of ") + option);
    }
    type = said;
  }
  return true;
}

}  // namespace opledger
