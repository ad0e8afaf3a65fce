// Reads a ModelProto into a Graph in two passes: first the values that each graph defines, outer
// graphs first, then the inputs of nodes, since a node may read a value that a later node or an
// outer graph defines.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/onnx/onnx.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <set>
#include <utility>

#include "conversion/model/graph/signature.h"
#include "conversion/model/onnx/node_order.h"
#include "conversion/model/onnx/onnx_fields.h"
#include "conversion/model/onnx/wire.h"

namespace opledger {
namespace {

constexpr int kMaxGraphDepth = 64;
constexpr std::uint64_t kLastThatListsInitializers = 3;  // version of the format

// Maps a field of AttributeProto to its AttributeType.
struct AttributeValue {
  std::uint32_t field;
  std::uint32_t type;
};
constexpr AttributeValue kAttributeValues[] = {
    {attribute_field::kFloat, attribute_type::kFloat},
    {attribute_field::kInt, attribute_type::kInt},
    {attribute_field::kString, attribute_type::kString},
    {attribute_field::kTensor, attribute_type::kTensor},
    {attribute_field::kGraph, attribute_type::kGraph},
    {attribute_field::kFloats, attribute_type::kFloats},
    {attribute_field::kInts, attribute_type::kInts},
    {attribute_field::kStrings, attribute_type::kStrings},
    {attribute_field::kTensors, attribute_type::kTensors},
    {attribute_field::kGraphs, attribute_type::kGraphs},
    {attribute_field::kSparseTensor, attribute_type::kSparseTensor},
    {attribute_field::kSparseTensors, attribute_type::kSparseTensors},
    {attribute_field::kTypeProto, attribute_type::kTypeProto},
    {attribute_field::kTypeProtos, attribute_type::kTypeProtos},
};

class OnnxReader {
 public:
  OnnxReader(OnnxModel& model, Diagnostics& diagnostics)
      : model_(model), graph_(model.graph), bytes_(model.file.bytes()), diagnostics_(diagnostics) {}

  bool Read();

 private:
  bool Malformed(std::size_t at, const std::string& what);
  std::string_view Text(const WireField& field) const {
    return bytes_.substr(field.body.begin, field.body.size());
  }
  MessageId Enter(const WireField& field, MessageId parent);
  // Calls `visit` for every field of the message until it returns false. Returns false if it did,
  // or, with an error that uses `what`, if the message is malformed.
  template <typename Visit>
  bool ForEachField(Span message, const char* what, const Visit& visit);
  // Like ForEachField, for fields `number`, which are strings or messages.
  template <typename Visit>
  bool ForEach(Span message, std::uint32_t number, const Visit& visit);

  bool ReadOpset(const WireField& field, std::map<std::string_view, std::int64_t>& opsets);
  bool ReadFunction(const WireField& field);
  ScopeId NewScope(ScopeId parent, MessageId frame);
  bool ReadGraph(ScopeId scope, int depth);
  bool ReadInitializer(const WireField& field, ScopeId scope, bool sparse);
  void CheckSize(const Tensor& tensor);
  enum class Declares { kInput, kOutput, kValue };
  bool ReadDeclaration(const WireField& field, ScopeId scope, Declares what);
  bool ReadNode(const WireField& field, ScopeId scope, int depth);
  void DefineOutput(NodeId id, std::string_view name);
  void Declare(ValueId id, const ValueType& type);
  bool IsComputedBefore(ValueId value, NodeId reader) const;
  bool ReadAttribute(const WireField& field, NodeId node, MessageId parent, int depth);
  std::uint64_t NumbersIn(const WireField& field) const;
  void SetValueType(const WireField& field, NodeId node, Attribute& attribute);
  bool ReadAttributeGraph(const WireField& field, NodeId node, MessageId frame, int depth,
                          Attribute& attribute);
  bool ReadAttributeField(const WireField& field, NodeId node, MessageId frame, int depth,
                          Attribute& attribute);
  TensorId ReadTensor(const WireField& field, MessageId parent, bool sparse);
  ValueId Define(ScopeId scope, std::string_view name);
  ValueId Use(ScopeId scope, std::string_view name);
  void TakeInputsByForm();
  void Resolve();
  void AddUnsorted(ScopeId scope);

  OnnxModel& model_;
  Graph& graph_;
  std::string_view bytes_;
  Diagnostics& diagnostics_;
  std::vector<std::vector<std::string_view>> inputs_;   // per node, by name
  std::vector<std::vector<std::string_view>> outputs_;  // per scope
};

bool OnnxReader::Malformed(std::size_t at, const std::string& what) {
  if (!diagnostics_.has_errors()) {
    diagnostics_.Error({.path = model_.file.path()},
                       "not an ONNX model: " + what + " at byte " + std::to_string(at),
                       "check that the file is complete, and not a Git LFS pointer or text");
  }
  return false;
}

MessageId OnnxReader::Enter(const WireField& field, MessageId parent) {
  model_.places.messages.push_back({parent, field.whole, field.length, field.body});
  return static_cast<MessageId>(model_.places.messages.size() - 1);
}

template <typename Visit>
bool OnnxReader::ForEachField(Span message, const char* what, const Visit& visit) {
  WireReader reader(bytes_, message);
  WireField field;
  while (reader.Next(field)) {
    if (!visit(field)) return false;
  }
  return reader.ok() || Malformed(reader.at(), std::string("a broken ") + what);
}

template <typename Visit>
bool OnnxReader::ForEach(Span message, std::uint32_t number, const Visit& visit) {
  return ForEachField(message, "message", [&](const WireField& field) {
    if (field.number != number) return true;
    if (field.type != WireType::kBytes)
      return Malformed(field.whole.begin, "a field of the wrong type");
    return visit(field);
  });
}

bool OnnxReader::ReadOpset(const WireField& field,
                           std::map<std::string_view, std::int64_t>& opsets) {
  std::string_view domain;
  std::int64_t version = 0;
  const bool read = ForEachField(field.body, "opset_import", [&](const WireField& inner) {
    if (inner.IsBytes(opset_field::kDomain)) domain = Text(inner);
    if (inner.IsVarint(opset_field::kVersion)) {
      version = static_cast<std::int64_t>(inner.value);
    }
    return true;
  });
  opsets[PlainDomain(domain)] = version;
  return read;
}

ScopeId OnnxReader::NewScope(ScopeId parent, MessageId frame) {
  graph_.scopes.emplace_back().parent = parent;
  model_.places.scopes.push_back(frame);
  graph_.names.emplace_back();
  outputs_.emplace_back();
  model_.places.outputs.emplace_back();
  return static_cast<ScopeId>(graph_.scopes.size() - 1);
}

ValueId OnnxReader::Define(ScopeId scope, std::string_view name) {
  const auto id = static_cast<ValueId>(graph_.values.size());
  const auto [place, added] = graph_.names[scope].emplace(name, id);
  if (!added) return place->second;
  Value& value = graph_.values.emplace_back();
  value.name = name;
  value.scope = scope;
  model_.places.declarations.emplace_back();
  return id;
}

// Checks that data in the model's file has the size of its shape. Models without weights have no
// data.
void OnnxReader::CheckSize(const Tensor& tensor) {
  const bool has_size = tensor.storage == Tensor::Storage::kRaw && !tensor.sparse &&
                        tensor.data.size() != 0 && tensor.dtype && DtypeBits(*tensor.dtype) > 0;
  if (has_size && BytesOfShape(tensor) != tensor.data.size()) {
    model_.problems.push_back(WrongSizeText(tensor));
  }
}

TensorId OnnxReader::ReadTensor(const WireField& field, MessageId parent, bool sparse) {
  Tensor tensor;
  tensor.sparse = sparse;
  if (!ReadOnnxTensor(bytes_, field.body, tensor)) {
    Malformed(field.body.begin, "a broken tensor");
    return kNone;
  }
  // The kernel may map large blocks around the bytes that were read. Tensor data is not needed
  // here.
  if (tensor.storage == Tensor::Storage::kRaw) model_.file.Release(tensor.data);
  CheckSize(tensor);
  graph_.tensors.push_back(std::move(tensor));
  model_.places.tensors.push_back(Enter(field, parent));
  return static_cast<TensorId>(graph_.tensors.size() - 1);
}

bool OnnxReader::ReadInitializer(const WireField& field, ScopeId scope, bool sparse) {
  const MessageId parent = model_.places.scopes[scope];
  TensorId tensor = kNone;
  if (sparse) {
    const MessageId frame = Enter(field, parent);
    const bool read =
        ForEach(field.body, sparse_tensor_field::kValues, [&](const WireField& values) {
          tensor = ReadTensor(values, frame, true);
          return tensor != kNone;
        });
    if (!read) return false;
  } else {
    tensor = ReadTensor(field, parent, false);
  }
  if (tensor == kNone) return Malformed(field.body.begin, "a tensor without values");
  Value& value = graph_.values[Define(scope, graph_.tensors[tensor].name)];
  if (value.tensor != kNone) {
    model_.problems.push_back("initializer '" + std::string(value.name) + "' is defined twice");
  }
  value.tensor = tensor;
  Declare(static_cast<ValueId>(&value - graph_.values.data()),
          {ValueType::Kind::kTensor, graph_.tensors[tensor].dtype});
  return true;
}

// Sets the type of a value. The file may declare it in several places, which must agree.
void OnnxReader::Declare(ValueId id, const ValueType& type) {
  Value& value = graph_.values[id];
  if (value.type.kind == ValueType::Kind::kUnknown) {
    value.type = type;
  } else if (type.kind != ValueType::Kind::kUnknown && type != value.type) {
    model_.problems.push_back("'" + std::string(value.name) + "' is declared " +
                              TypeText(value.type) + " and " + TypeText(type));
  }
}

// Reads a ValueInfoProto. For an input, it defines the value; for others, it declares the type.
bool OnnxReader::ReadDeclaration(const WireField& field, ScopeId scope, Declares what) {
  std::string_view name;
  ValueType type;
  const bool read = ForEachField(field.body, "value_info", [&](const WireField& inner) {
    if (inner.type != WireType::kBytes) return true;
    if (inner.number == value_info_field::kName) name = Text(inner);
    return inner.number != value_info_field::kType || ReadOnnxType(bytes_, inner.body, type) ||
           Malformed(inner.body.begin, "a broken type");
  });
  if (!read) return false;
  if (name.empty() && what != Declares::kValue) {
    model_.problems.push_back("an input or output of a graph has no name");
  }
  const MessageId frame = Enter(field, model_.places.scopes[scope]);
  if (what == Declares::kOutput) {
    outputs_[scope].push_back(name);
    model_.places.outputs[scope].push_back(frame);
  }
  const ValueId id = what == Declares::kInput ? Define(scope, name) : graph_.Find(scope, name);
  if (id == kNone || graph_.values[id].scope != scope) return true;
  Declare(id, type);
  Value& value = graph_.values[id];
  if (what == Declares::kInput && value.is_input) {
    model_.problems.push_back("input '" + std::string(name) + "' is defined twice");
  }
  if (what != Declares::kOutput) model_.places.declarations[id].push_back(frame);
  if (what == Declares::kInput) {
    value.is_input = true;
    graph_.scopes[scope].inputs.push_back(id);
  }
  return true;
}

// Returns the number of list elements in a field: one, or packed numbers.
std::uint64_t OnnxReader::NumbersIn(const WireField& field) const {
  if (field.IsBytes(attribute_field::kFloats)) return field.body.size() / sizeof(float);
  if (!field.IsBytes(attribute_field::kInts)) return 1;
  const std::string_view varints = Text(field);
  return static_cast<std::uint64_t>(
      std::count_if(varints.begin(), varints.end(), [](char byte) { return (byte & 0x80) == 0; }));
}

void OnnxReader::SetValueType(const WireField& field, NodeId node, Attribute& attribute) {
  for (const AttributeValue& each : kAttributeValues) {
    if (field.number != each.field) continue;
    if (attribute.value_type != 0 && attribute.value_type != each.type) {
      model_.problems.push_back("an attribute of '" + graph_.NameOf(node) + "' has two values");
    }
    attribute.value_type = each.type;
  }
}

bool OnnxReader::ReadAttributeGraph(const WireField& field, NodeId node, MessageId frame, int depth,
                                    Attribute& attribute) {
  attribute.kind = Attribute::Kind::kGraph;
  const ScopeId scope = NewScope(graph_.nodes[node].scope, Enter(field, frame));
  graph_.scopes[scope].owner = node;
  attribute.scopes.push_back(scope);
  return ReadGraph(scope, depth + 1);
}

bool OnnxReader::ReadAttributeField(const WireField& field, NodeId node, MessageId frame, int depth,
                                    Attribute& attribute) {
  using Kind = Attribute::Kind;
  SetValueType(field, node, attribute);
  switch (field.number) {
    case attribute_field::kName:
      attribute.name = Text(field);
      return true;
    case attribute_field::kType:
      attribute.said_type = static_cast<std::uint32_t>(field.value);
      return true;
    case attribute_field::kFloat:
      attribute.kind = Kind::kFloat;
      if (field.type != WireType::kFixed32)
        return Malformed(field.whole.begin, "a broken attribute");
      std::memcpy(&attribute.number, bytes_.data() + field.body.begin, 4);
      return true;
    case attribute_field::kInt:
      attribute.kind = Kind::kInt;
      attribute.integer = static_cast<std::int64_t>(field.value);
      if (field.value != 0)
        attribute.type = {ValueType::Kind::kTensor, OnnxDtype(attribute.integer)};
      return true;
    case attribute_field::kString:
      attribute.kind = Kind::kString;
      attribute.text = Text(field);
      return true;
    case attribute_field::kTensor:
      attribute.kind = Kind::kTensor;
      attribute.tensor = ReadTensor(field, frame, false);
      return attribute.tensor != kNone;
    case attribute_field::kGraph:
    case attribute_field::kGraphs:
      return ReadAttributeGraph(field, node, frame, depth, attribute);
    case attribute_field::kTypeProto:
      attribute.kind = Kind::kType;
      return ReadOnnxType(bytes_, field.body, attribute.type) ||
             Malformed(field.body.begin, "a broken type");
    case attribute_field::kReference:
      attribute.kind = Kind::kReference;
      attribute.text = Text(field);
      return true;
    case attribute_field::kSparseTensor:
      attribute.kind = Kind::kSparseTensor;
      return ForEach(field.body, sparse_tensor_field::kValues, [&](const WireField& values) {
        attribute.tensor = ReadTensor(values, Enter(field, frame), true);
        return attribute.tensor != kNone;
      });
    case attribute_field::kFloats:
    case attribute_field::kInts:
    case attribute_field::kStrings:
    case attribute_field::kTensors:
    case attribute_field::kTypeProtos:
    case attribute_field::kSparseTensors:
      attribute.kind = Kind::kList;
      attribute.length += NumbersIn(field);
      return true;
    default:
      return true;
  }
}

bool OnnxReader::ReadAttribute(const WireField& field, NodeId node, MessageId parent, int depth) {
  Attribute attribute;
  const MessageId frame = Enter(field, parent);
  constexpr std::uint32_t kMessages[] = {attribute_field::kTensor, attribute_field::kGraph,
                                         attribute_field::kGraphs, attribute_field::kTypeProto,
                                         attribute_field::kSparseTensor};
  const bool read = ForEachField(field.body, "attribute", [&](const WireField& inner) {
    const bool message = std::count(std::begin(kMessages), std::end(kMessages), inner.number) > 0;
    if (message && inner.type != WireType::kBytes) {
      return Malformed(inner.whole.begin, "a broken attribute");
    }
    return ReadAttributeField(inner, node, frame, depth, attribute);
  });
  graph_.nodes[node].attributes.push_back(std::move(attribute));
  return read;
}

void OnnxReader::DefineOutput(NodeId id, std::string_view name) {
  Node& node = graph_.nodes[id];
  const ValueId value = name.empty() ? kNone : Define(node.scope, name);
  node.outputs.push_back(value);
  if (value == kNone) return;
  Value& defined = graph_.values[value];
  const ValueId outer = graph_.Find(graph_.scopes[node.scope].parent, name);
  if (outer != kNone && IsComputedBefore(outer, id)) {
    model_.problems.push_back("value '" + std::string(name) + "' hides one of an outer graph");
  }
  if (defined.producer != kNone || defined.is_input || defined.tensor != kNone) {
    model_.problems.push_back("value '" + std::string(name) + "' is defined twice");
  }
  defined.producer = id;
}

bool OnnxReader::ReadNode(const WireField& field, ScopeId scope, int depth) {
  const auto id = static_cast<NodeId>(graph_.nodes.size());
  graph_.nodes.emplace_back().scope = scope;
  graph_.scopes[scope].nodes.push_back(id);
  inputs_.emplace_back();
  const MessageId frame = Enter(field, model_.places.scopes[scope]);
  model_.places.nodes.push_back(frame);
  return ForEachField(field.body, "node", [&](const WireField& inner) {
    if (inner.type != WireType::kBytes) return true;
    Node& node = graph_.nodes[id];
    switch (inner.number) {
      case node_field::kInput:
        inputs_[id].push_back(Text(inner));
        return true;
      case node_field::kOutput:
        DefineOutput(id, Text(inner));
        return true;
      case node_field::kName:
        node.name = Text(inner);
        return true;
      case node_field::kOpType:
        node.op = Text(inner);
        return true;
      case node_field::kOverload:
        node.overload = Text(inner);
        return true;
      case node_field::kDomain:
        node.domain = PlainDomain(Text(inner));
        return true;
      case node_field::kAttribute:
        return ReadAttribute(inner, id, frame, depth);
      default:
        return true;
    }
  });
}

bool OnnxReader::ReadGraph(ScopeId scope, int depth) {
  const Span body = model_.places.messages[model_.places.scopes[scope]].body;
  if (depth > kMaxGraphDepth) return Malformed(body.begin, "graphs nested too deeply");
  const auto declare = [&](Declares what) {
    return [this, scope, what](const WireField& f) { return ReadDeclaration(f, scope, what); };
  };
  return ForEach(body, graph_field::kInput, declare(Declares::kInput)) &&
         ForEach(body, graph_field::kInitializer,
                 [&](const WireField& f) { return ReadInitializer(f, scope, false); }) &&
         ForEach(body, graph_field::kSparseInitializer,
                 [&](const WireField& f) { return ReadInitializer(f, scope, true); }) &&
         ForEach(body, graph_field::kNode,
                 [&](const WireField& f) { return ReadNode(f, scope, depth); }) &&
         ForEach(body, graph_field::kOutput, declare(Declares::kOutput)) &&
         ForEach(body, graph_field::kValueInfo, declare(Declares::kValue));
}

bool OnnxReader::ReadFunction(const WireField& field) {
  const MessageId frame = Enter(field, kNone);
  const ScopeId scope = NewScope(kNone, frame);
  const auto id = static_cast<FunctionId>(graph_.functions.size());
  graph_.scopes[scope].function = id;
  Function& function = graph_.functions.emplace_back();  // none is added while it is read
  function.body = scope;
  const bool read = ForEachField(field.body, "function", [&](const WireField& f) {
    if (f.type != WireType::kBytes) return true;
    switch (f.number) {
      case function_field::kName:
        function.name = Text(f);
        return true;
      case function_field::kDomain:
        function.domain = PlainDomain(Text(f));
        return true;
      case function_field::kOverload:
        function.overload = Text(f);
        return true;
      case function_field::kOpsetImport:
        return ReadOpset(f, function.opsets);
      case function_field::kOutput:
        outputs_[scope].push_back(Text(f));
        model_.places.outputs[scope].push_back(Enter(f, frame));
        return true;
      case function_field::kInput: {
        const ValueId value = Define(scope, Text(f));
        graph_.values[value].is_input = true;
        graph_.scopes[scope].inputs.push_back(value);
        return true;
      }
      default:
        return true;
    }
  });
  graph_.function_ids.try_emplace({function.domain, function.name, function.overload}, id);
  return read &&
         ForEach(field.body, function_field::kNode,
                 [&](const WireField& f) { return ReadNode(f, scope, 0); }) &&
         ForEach(field.body, function_field::kValueInfo,
                 [&](const WireField& f) { return ReadDeclaration(f, scope, Declares::kValue); });
}

// Returns the value that a name refers to. Reports a name that nothing defines, and defines it.
ValueId OnnxReader::Use(ScopeId scope, std::string_view name) {
  if (name.empty()) return kNone;
  const ValueId known = graph_.Find(scope, name);
  if (known != kNone) return known;
  model_.problems.push_back("'" + std::string(name) + "' is not defined");
  return Define(scope, name);
}

// Nodes are numbered in file order; those in a node's graphs come after it.
bool OnnxReader::IsComputedBefore(ValueId value, NodeId reader) const {
  const NodeId producer = graph_.values[value].producer;
  if (producer == kNone) return true;
  if (producer >= reader) return false;
  ScopeId scope = graph_.nodes[reader].scope;
  while (scope != graph_.values[value].scope && scope != kNone) {
    reader = graph_.scopes[scope].owner;
    scope = graph_.scopes[scope].parent;
  }
  return producer != reader;
}

// Sorts the nodes of a graph, or reports a cycle.
void OnnxReader::AddUnsorted(ScopeId scope) {
  std::vector<NodeId> sorted = SortedNodes(graph_, scope);
  std::vector<NodeId>& nodes = graph_.scopes[scope].nodes;
  if (sorted.size() == nodes.size()) {
    nodes = std::move(sorted);
    return model_.unsorted.push_back(scope);
  }
  const std::set<NodeId> in_order(sorted.begin(), sorted.end());
  const auto first = std::find_if(nodes.begin(), nodes.end(),
                                  [&](NodeId node) { return !in_order.contains(node); });
  model_.problems.push_back("node '" + graph_.NameOf(*first) +
                            "' depends on its own outputs, or on a node that does: the graph has a "
                            "cycle");
}

void OnnxReader::Resolve() {
  std::set<ScopeId> unsorted;
  for (NodeId id = 0; id < static_cast<NodeId>(graph_.nodes.size()); ++id) {
    Node& node = graph_.nodes[id];
    for (const std::string_view name : inputs_[id]) {
      const ValueId value = Use(node.scope, name);
      if (value != kNone && !IsComputedBefore(value, id)) {
        unsorted.insert(graph_.values[value].scope);
      }
      if (value != kNone) {
        graph_.values[value].uses.push_back({id, static_cast<int>(node.inputs.size())});
      }
      node.inputs.push_back(value);
    }
  }
  for (ScopeId scope = 0; scope < static_cast<ScopeId>(graph_.scopes.size()); ++scope) {
    for (const std::string_view name : outputs_[scope]) {
      graph_.scopes[scope].outputs.push_back(Use(scope, name));
    }
  }
  for (const ScopeId scope : unsorted) AddUnsorted(scope);
}

// Removes initializers from the inputs of the main graph.
void OnnxReader::TakeInputsByForm() {
  std::erase_if(graph_.scopes.front().inputs, [&](ValueId id) {
    Value& value = graph_.values[id];
    if (value.tensor == kNone) return false;
    value.is_input = false;
    model_.listed_initializers.insert(id);
    return true;
  });
}

bool OnnxReader::Read() {
  const Span whole = {0, bytes_.size()};
  std::vector<WireField> graphs;
  std::uint64_t format = 0;  // version of the format
  const auto find_format = [&](const WireField& field) {
    if (field.IsVarint(model_field::kIrVersion)) format = field.value;
    return true;
  };
  const bool read = ForEachField(whole, "message", find_format) &&
                    ForEach(whole, model_field::kOpsetImport,
                            [&](const WireField& f) { return ReadOpset(f, graph_.opsets); }) &&
                    ForEach(whole, model_field::kGraph, [&](const WireField& f) {
                      graphs.push_back(f);
                      return true;
                    });
  if (!read) return false;
  if (graphs.size() != 1) {
    return Malformed(bytes_.size(), graphs.empty() ? "no graph" : "a second graph");
  }
  const ScopeId main = NewScope(kNone, Enter(graphs.front(), kNone));
  if (!ReadGraph(main, 0)) return false;
  if (format >= 1 && format <= kLastThatListsInitializers) TakeInputsByForm();
  if (!ForEach(whole, model_field::kFunctions,
               [&](const WireField& f) { return ReadFunction(f); })) {
    return false;
  }
  Resolve();
  return true;
}

}  // namespace

std::string_view PlainDomain(std::string_view domain) {
  return domain == "ai.onnx" ? std::string_view() : domain;
}

std::optional<OnnxModel> ReadOnnx(SourceFile file, Diagnostics& diagnostics) {
  OnnxModel model{std::move(file), {}, {}, {}, {}};
  Diagnostics own;
  OnnxReader reader(model, own);
  const bool read = reader.Read();
  for (const Diagnostic& each : own.all()) diagnostics.Add(each);
  if (!read) return std::nullopt;
  return model;
}

}  // namespace opledger
