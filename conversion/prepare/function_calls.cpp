// Prefixes a function's own names with the name of the call. Graphs in its nodes see these names,
// and their own names are new too. A graph passed as an attribute of the call is written in the
// scope of the call.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/prepare/function_calls.h"

#include <algorithm>

#include "conversion/model/onnx/onnx_fields.h"

namespace opledger {
namespace {

// Calls `visit` for each length-delimited field. Returns false if `visit` does.
template <typename Visit>
bool ForEachBytes(std::string_view file, Span message, const Visit& visit) {
  for (const WireField& field : WireFields(file, message)) {
    if (field.type == WireType::kBytes && !visit(field)) return false;
  }
  return true;
}

// Returns the last string in field `number`, or an empty string.
std::string_view TextField(std::string_view file, Span message, std::uint32_t number) {
  std::string_view text;
  ForEachBytes(file, message, [&](const WireField& field) {
    if (field.number == number) text = file.substr(field.body.begin, field.body.size());
    return true;
  });
  return text;
}

// Returns the AttributeProto without its name and the attribute it refers to.
std::string AttributeValue(std::string_view attribute) {
  std::string value;
  for (const WireField& field : WireFields(attribute, {0, attribute.size()})) {
    if (field.number == attribute_field::kName || field.number == attribute_field::kReference) {
      continue;
    }
    value += attribute.substr(field.whole.begin, field.whole.size());
  }
  return value;
}

}  // namespace

FunctionCalls::FunctionCalls(const OnnxModel& model, const InlineLimits& limits,
                             Diagnostics& diagnostics)
    : model_(model), limits_(limits), diagnostics_(diagnostics), fresh_(model.graph) {
  open_.resize(model.graph.functions.size());
}

std::string_view FunctionCalls::Bytes(Span span) const { return model_.file.Text(span); }

FunctionId FunctionCalls::Called(Span node) const {
  const std::string_view file = model_.file.bytes();
  return model_.graph.FindFunction({PlainDomain(TextField(file, node, node_field::kDomain)),
                                    TextField(file, node, node_field::kOpType),
                                    TextField(file, node, node_field::kOverload)});
}

bool FunctionCalls::Fail(const std::string& message, const std::string& hint) {
  return diagnostics_.Error({.path = model_.file.path()}, message, hint);
}

std::string FunctionCalls::NameIn(const Place& place, std::string_view name) {
  if (name.empty()) return {};
  for (const Place* each = &place; each != nullptr; each = each->outer) {
    const auto found = each->names.find(std::string(name));
    if (found != each->names.end()) return found->second;
  }
  return std::string(name);
}

void FunctionCalls::Define(std::string_view name, Place& place) {
  if (name.empty() || place.prefix.empty()) return;
  const auto [at, added] = place.names.try_emplace(std::string(name));
  if (added) at->second = fresh_.Make(place.prefix + std::string(name));
}

std::string FunctionCalls::UniquePrefix(const std::string& call) {
  const int before = prefixes_[call]++;
  return before == 0 ? call + '/' : call + '_' + std::to_string(before) + '/';
}

bool FunctionCalls::Inline(Span node, FunctionId function, InlinedText& text) {
  Call call;
  return ReadCall(node, {}, call) && Expand(function, call, text);
}

bool FunctionCalls::ReadCall(Span node, const Place& place, Call& call) {
  return ForEachBytes(model_.file.bytes(), node, [&](const WireField& field) {
    if (field.number == node_field::kInput) call.inputs.push_back(NameIn(place, Bytes(field.body)));
    if (field.number == node_field::kOutput) {
      call.outputs.push_back(NameIn(place, Bytes(field.body)));
    }
    if (field.number == node_field::kName) {
      call.name = place.prefix + std::string(Bytes(field.body));
    }
    if (field.number != node_field::kAttribute) return true;
    std::string attribute;
    if (!WriteAttribute(field.body, place, attribute)) return false;
    const std::string name(TextField(attribute, {0, attribute.size()}, attribute_field::kName));
    if (!attribute.empty()) call.attributes[name] = std::move(attribute);
    return true;
  });
}

// Adds the function's default for each attribute that the call omits.
bool FunctionCalls::AddDefaults(Span function, Call& call) {
  const Place nowhere;
  return ForEachBytes(model_.file.bytes(), function, [&](const WireField& field) {
    if (field.number != function_field::kDefault) return true;
    const std::string name(TextField(model_.file.bytes(), field.body, attribute_field::kName));
    return call.attributes.count(name) > 0 ||
           WriteAttribute(field.body, nowhere, call.attributes[name]);
  });
}

// Names the values of the function: those of the call, and new ones. Fills `copies` (from, to) with
// inputs that the function returns unchanged.
bool FunctionCalls::NameValues(FunctionId id, const Call& call, Place& place,
                               std::vector<std::pair<std::string, std::string>>& copies) {
  const Function& function = model_.graph.functions[id];
  const Span body = model_.places.messages[model_.places.scopes[function.body]].body;
  const std::string name = "function '" + std::string(function.name) + "'";
  std::size_t input = 0;
  std::vector<std::string_view> outputs;
  ForEachBytes(model_.file.bytes(), body, [&](const WireField& field) {
    if (field.number == function_field::kOutput) outputs.push_back(Bytes(field.body));
    if (field.number != function_field::kInput) return true;
    place.names[std::string(Bytes(field.body))] =
        input < call.inputs.size() ? call.inputs[input] : std::string();
    ++input;
    return true;
  });
  if (call.inputs.size() > input || call.outputs.size() > outputs.size()) {
    return Fail("a call of " + name + " has more inputs or outputs than the function",
                "the input model is invalid");
  }
  for (std::size_t i = 0; i < call.outputs.size(); ++i) {
    if (call.outputs[i].empty()) continue;
    const auto [at, added] = place.names.try_emplace(std::string(outputs[i]), call.outputs[i]);
    if (added) continue;
    if (at->second.empty()) {
      return Fail(name + " returns an input that a call omits", "give the call that input");
    }
    copies.emplace_back(at->second, call.outputs[i]);
  }
  ForEachBytes(model_.file.bytes(), body, [&](const WireField& node) {
    if (node.number != function_field::kNode) return true;
    return ForEachBytes(model_.file.bytes(), node.body, [&](const WireField& field) {
      if (field.number == node_field::kOutput) Define(Bytes(field.body), place);
      return true;
    });
  });
  return true;
}

bool FunctionCalls::Expand(FunctionId id, const Call& call, InlinedText& text) {
  const Function& function = model_.graph.functions[id];
  const std::string name = "function '" + std::string(function.name) + "'";
  if (open_[id]) return Fail(name + " calls itself", "functions must not be recursive");
  if (++calls_ > limits_.calls || bytes_ > limits_.bytes) {
    return Fail("inlining " + name + " makes the model too large",
                "convert without --inline-functions");
  }
  const Span body = model_.places.messages[model_.places.scopes[function.body]].body;
  Call whole = call;
  Place place;
  const auto given = std::find_if(call.outputs.begin(), call.outputs.end(),
                                  [](const std::string& output) { return !output.empty(); });
  const std::string last = given == call.outputs.end() ? std::string(function.name) : *given;
  place.prefix = UniquePrefix(call.name.empty() ? last : call.name);
  place.attributes = &whole.attributes;
  std::vector<std::pair<std::string, std::string>> copies;
  if (!AddDefaults(body, whole) || !NameValues(id, call, place, copies)) return false;
  open_[id] = true;
  const std::size_t before = text.nodes.size();
  const bool written = ForEachBytes(model_.file.bytes(), body, [&](const WireField& field) {
    if (field.number == function_field::kNode) return WriteNode(field.body, place, text);
    if (field.number == function_field::kValueInfo) {
      AppendBytesField(text.values, graph_field::kValueInfo,
                       WithName(field.body, value_info_field::kName, place));
    }
    return true;
  });
  open_[id] = false;
  for (const auto& [from, to] : copies) {
    std::string node;
    AppendBytesField(node, node_field::kInput, from);
    AppendBytesField(node, node_field::kOutput, to);
    AppendBytesField(node, node_field::kOpType, "Identity");
    AppendBytesField(text.nodes, graph_field::kNode, node);
  }
  bytes_ += text.nodes.size() - std::min(before, text.nodes.size());
  return written;
}

bool FunctionCalls::WriteNode(Span node, const Place& place, InlinedText& text) {
  const FunctionId called = Called(node);
  if (called != kNone) {
    Call call;
    return ReadCall(node, place, call) && Expand(called, call, text);
  }
  std::string out;
  for (const WireField& field : WireFields(model_.file.bytes(), node)) {
    const bool bytes = field.type == WireType::kBytes;
    const bool value = field.number == node_field::kInput || field.number == node_field::kOutput;
    if (bytes && value) {
      AppendBytesField(out, field.number, NameIn(place, Bytes(field.body)));
    } else if (bytes && field.number == node_field::kName) {
      AppendBytesField(out, field.number, place.prefix + std::string(Bytes(field.body)));
    } else if (bytes && field.number == node_field::kAttribute) {
      std::string attribute;
      if (!WriteAttribute(field.body, place, attribute)) return false;
      if (!attribute.empty()) AppendBytesField(out, field.number, attribute);
    } else {
      out += Bytes(field.whole);
    }
  }
  AppendBytesField(text.nodes, graph_field::kNode, out);
  return true;
}

// Writes nothing if the attribute refers to one that the call omits.
bool FunctionCalls::WriteAttribute(Span attribute, const Place& place, std::string& out) {
  const std::string_view file = model_.file.bytes();
  const std::string_view reference = TextField(file, attribute, attribute_field::kReference);
  if (!reference.empty() && place.attributes != nullptr) {
    const auto given = place.attributes->find(std::string(reference));
    if (given == place.attributes->end()) return true;
    AppendBytesField(out, attribute_field::kName,
                     TextField(file, attribute, attribute_field::kName));
    out += AttributeValue(given->second);
    return true;
  }
  for (const WireField& field : WireFields(file, attribute)) {
    const bool graph =
        field.number == attribute_field::kGraph || field.number == attribute_field::kGraphs;
    if (!graph || field.type != WireType::kBytes) {
      out += Bytes(field.whole);
      continue;
    }
    std::string inner;
    if (!WriteGraph(field.body, place, inner)) return false;
    AppendBytesField(out, field.number, inner);
  }
  return true;
}

void FunctionCalls::DefineGraph(Span graph, Place& place) {
  const std::string_view file = model_.file.bytes();
  ForEachBytes(file, graph, [&](const WireField& field) {
    if (field.number == graph_field::kInput)
      Define(TextField(file, field.body, value_info_field::kName), place);
    if (field.number == graph_field::kInitializer)
      Define(TextField(file, field.body, tensor_field::kName), place);
    if (field.number != graph_field::kNode && field.number != graph_field::kSparseInitializer)
      return true;
    return ForEachBytes(file, field.body, [&](const WireField& inner) {
      if (field.number == graph_field::kSparseInitializer &&
          inner.number == sparse_tensor_field::kValues) {
        Define(TextField(file, inner.body, tensor_field::kName), place);
      }
      if (field.number == graph_field::kNode && inner.number == node_field::kOutput) {
        Define(Bytes(inner.body), place);
      }
      return true;
    });
  });
}

// Returns the message with the name in field `number` translated by `place`.
std::string FunctionCalls::WithName(Span message, std::uint32_t number, const Place& place) const {
  std::string out;
  for (const WireField& field : WireFields(model_.file.bytes(), message)) {
    if (field.IsBytes(number)) {
      AppendBytesField(out, number, NameIn(place, Bytes(field.body)));
    } else {
      out += Bytes(field.whole);
    }
  }
  return out;
}

bool FunctionCalls::WriteGraph(Span graph, const Place& outer, std::string& out) {
  Place place;
  place.outer = &outer;
  place.attributes = outer.attributes;
  place.prefix = outer.prefix;
  DefineGraph(graph, place);
  const std::string_view file = model_.file.bytes();
  InlinedText text;
  for (const WireField& field : WireFields(file, graph)) {
    const bool bytes = field.type == WireType::kBytes;
    if (bytes && field.number == graph_field::kNode) {
      if (!WriteNode(field.body, place, text)) return false;
      out += text.nodes;
      text.nodes.clear();
    } else if (bytes &&
               (field.number == graph_field::kInput || field.number == graph_field::kOutput ||
                field.number == graph_field::kValueInfo)) {
      AppendBytesField(out, field.number, WithName(field.body, value_info_field::kName, place));
    } else if (bytes && field.number == graph_field::kInitializer) {
      AppendBytesField(out, field.number, WithName(field.body, tensor_field::kName, place));
    } else if (bytes && field.number == graph_field::kSparseInitializer) {
      std::string sparse;
      ForEachBytes(file, field.body, [&](const WireField& inner) {
        if (inner.number == sparse_tensor_field::kValues)
          AppendBytesField(sparse, sparse_tensor_field::kValues,
                           WithName(inner.body, tensor_field::kName, place));
        return true;
      });
      for (const WireField& inner : WireFields(file, field.body)) {
        if (inner.number != sparse_tensor_field::kValues) sparse += Bytes(inner.whole);
      }
      AppendBytesField(out, field.number, sparse);
    } else {
      out += Bytes(field.whole);
    }
  }
  out += text.values;
  return true;
}

}  // namespace opledger
