// A name that was taken got a number after it.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/edit/edit.h"

namespace opledger {
namespace {

bool Is16Bit(const ValueType& type) {
  return type.IsTensorOf(Dtype::kFloat16) || type.IsTensorOf(Dtype::kBfloat16);
}

// The parameter that a copy is of; kNone: it is no copy.
ValueId CopiedFrom(const Graph& graph, const Value& copy) {
  if (!Is16Bit(copy.type) || copy.is_input) return kNone;
  if (copy.producer == kNone
          ? copy.tensor == kNone
          : !graph.nodes[copy.producer].name.starts_with(std::string(copy.name) + "_constant")) {
    return kNone;
  }
  const std::size_t end = copy.name.rfind("__");
  if (end == std::string_view::npos || end == 0) return kNone;
  const ValueId base = graph.Find(copy.scope, copy.name.substr(0, end));
  if (base == kNone || graph.values[base].scope != copy.scope) return kNone;
  return graph.IsFloat32(base) && IsMadeOf(copy.name, graph.values[base].name) ? base : kNone;
}

}  // namespace

InsertedParts FindInserted(const Graph& graph) {
  InsertedParts parts;
  parts.casts.resize(graph.nodes.size());
  parts.copies.resize(graph.values.size());
  parts.names.resize(graph.values.size());
  for (std::size_t id = 0; id < graph.nodes.size(); ++id) {
    const Node& node = graph.nodes[id];
    if (node.op != "Cast" || !node.domain.empty() || node.inputs.size() != 1) continue;
    if (node.outputs.size() != 1 || node.inputs[0] == kNone || node.outputs[0] == kNone) continue;
    const Value& from = graph.values[node.inputs[0]];
    const Value& to = graph.values[node.outputs[0]];
    if (!IsNumbered(node.name, std::string(to.name) + "_cast")) continue;
    const bool down = graph.IsFloat32(node.inputs[0]) && Is16Bit(to.type);
    const bool up = Is16Bit(from.type) && graph.IsFloat32(node.outputs[0]);
    if (!down && !up) continue;
    const bool forth = IsMadeOf(to.name, from.name);
    if (!forth && !IsMadeOf(from.name, to.name)) continue;
    parts.casts[id] = true;
    const ValueId made = forth ? node.outputs[0] : node.inputs[0];
    parts.names[made] = std::string(forth ? from.name : to.name);
  }
  for (std::size_t id = 0; id < graph.values.size(); ++id) {
    const ValueId base = CopiedFrom(graph, graph.values[id]);
    if (base == kNone || !parts.names[id].empty()) continue;
    parts.copies[id] = true;
    parts.names[id] = std::string(graph.values[base].name);
  }
  return parts;
}

bool IsNumbered(std::string_view name, const std::string& stem) {
  if (!name.starts_with(stem)) return false;
  name.remove_prefix(stem.size());
  if (name.empty()) return true;
  if (name.front() != '_') return false;
  name.remove_prefix(1);
  return !name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos;
}

bool IsMadeOf(std::string_view made, std::string_view name) {
  for (const char* dtype : {"float16", "bfloat16", "float32"}) {
    if (IsNumbered(made, std::string(name) + "__" + dtype)) return true;
  }
  return false;
}

FreshNames::FreshNames(const Graph& graph) {
  for (const Value& value : graph.values) taken_.insert(std::string(value.name));
}

std::string FreshNames::Make(const std::string& wanted) {
  std::string name = wanted;
  for (int i = 1; !taken_.insert(name).second; ++i) name = wanted + "_" + std::to_string(i);
  return name;
}

}  // namespace opledger
