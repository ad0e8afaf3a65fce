// A model as a graph of nodes and values, of no format: what a reader makes of a file, and all
// later steps read. Here too: the types of all values (types.h), by what a manifest says of an
// operator's inputs and outputs (signature.h).
// May include: registry/manifest, registry/platform, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "registry/text/dtype.h"
#include "registry/text/location.h"

namespace opledger {

// Indices into the vectors of a Graph.
using NodeId = std::int32_t;
using ValueId = std::int32_t;
using ScopeId = std::int32_t;
using TensorId = std::int32_t;
using FunctionId = std::int32_t;
inline constexpr std::int32_t kNone = -1;

// The type of a value.
struct ValueType {
  enum class Kind : std::uint8_t {
    kUnknown,
    kTensor,
    kSparseTensor,
    kSequence,
    kOptional,          // of a tensor
    kOptionalSequence,  // of tensors
    kOther              // a map, an opaque one; in a function: another in each call
  };
  Kind kind = Kind::kUnknown;
  // Of a tensor's elements, also of the tensors in a sequence or optional. None: not known, or one
  // that has no name here.
  std::optional<Dtype> dtype;

  bool IsTensorOf(Dtype other) const { return kind == Kind::kTensor && dtype == other; }
  bool operator==(const ValueType&) const = default;
};

// Numbers as a file holds them: an initializer, a parameter, a constant in an attribute.
struct Tensor {
  enum class Storage : std::uint8_t { kRaw, kTyped, kExternal, kNone };
  std::string_view name;
  std::optional<Dtype> dtype;  // none: one that has no name here
  std::vector<std::int64_t> dimensions;
  std::uint64_t elements = 0;  // product of the dimensions
  Storage storage = Storage::kNone;
  Span data;             // of kRaw: in the model's file
  std::string location;  // of kExternal: the file, as written in the model
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length;  // of kExternal, where written
  bool sparse = false;
};

struct Attribute {
  enum class Kind : std::uint8_t {
    kNone,
    kInt,
    kFloat,
    kString,
    kTensor,
    kSparseTensor,
    kGraph,
    kType,
    kList,
    kReference
  };
  std::string_view name;
  Kind kind = Kind::kNone;
  std::int64_t integer = 0;
  float number = 0;
  std::string_view text;  // of kString; of kReference: the function's attribute
  TensorId tensor = kNone;
  std::vector<ScopeId> scopes;  // of kGraph
  ValueType type;               // of kType; of kInt: the one that it is the number of
  std::uint64_t length = 0;     // of kList
  // The format's number of the type that the value has, and of the one that is said; 0: none.
  std::uint32_t value_type = 0;
  std::uint32_t said_type = 0;
};

// An operator's name as manifests and lists write it: with its domain, where that is not the
// default one.
std::string QualifiedName(std::string_view domain, std::string_view op);

struct Node {
  std::string_view op;
  std::string_view domain;    // "" for the default one
  std::string_view overload;  // of a function that the model defines; often empty
  std::string_view name;      // may be empty
  ScopeId scope = kNone;
  std::vector<ValueId> inputs;  // kNone: left out
  std::vector<ValueId> outputs;
  std::vector<Attribute> attributes;

  const Attribute* Find(std::string_view attribute) const;
};

// One place that reads a value.
struct Use {
  NodeId node = kNone;
  int input = 0;
};

struct Value {
  std::string_view name;
  ScopeId scope = kNone;    // where it is defined
  NodeId producer = kNone;  // none: an input, an initializer, or never defined
  TensorId tensor = kNone;  // of an initializer
  bool is_input = false;    // of its scope
  ValueType type;           // as declared by the file, later as inferred
  std::vector<Use> uses;    // from inner scopes too, in the order of nodes
};

// A graph, a subgraph of an attribute, or the body of a function.
struct Scope {
  ScopeId parent = kNone;
  NodeId owner = kNone;  // whose attribute it is
  FunctionId function = kNone;
  std::vector<NodeId> nodes;  // in the order of the file, or in one that can be computed
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
};

// What distinguishes functions.
using FunctionIdentity = std::tuple<std::string_view, std::string_view, std::string_view>;

// A function that the model itself defines.
struct Function {
  std::string_view name;
  std::string_view domain;
  std::string_view overload;
  ScopeId body = kNone;
  std::map<std::string_view, std::int64_t> opsets;
};

// The views are into the bytes of the model's file, which must outlive it.
struct Graph {
  std::map<std::string_view, std::int64_t> opsets;  // domain -> version
  bool casts_are_fixed = false;                     // MXNet's: none is made anew in another type
  std::vector<Scope> scopes;                        // the first is the main graph
  std::vector<Node> nodes;
  std::vector<Value> values;
  std::vector<Tensor> tensors;
  std::vector<Function> functions;
  std::map<FunctionIdentity, FunctionId> function_ids;               // by domain, name, overload
  std::vector<std::unordered_map<std::string_view, ValueId>> names;  // of each scope

  bool IsFloat32(ValueId value) const {  // a tensor; kNone is none
    return value != kNone && values[value].type.IsTensorOf(Dtype::kFloat32);
  }
  // A node's name in options, reports and messages: its own, else that of its first
  // output.
  std::string NameOf(NodeId id) const;
  // The function a node calls; kNone: an operator.
  FunctionId Called(const Node& node) const;
  FunctionId FindFunction(const FunctionIdentity& identity) const;
  // The opsets that count in a scope: its function's, or the model's.
  const std::map<std::string_view, std::int64_t>& OpsetsIn(ScopeId scope) const;
  // The version of a domain there; 1 where none is imported.
  std::int64_t OpsetIn(ScopeId scope, std::string_view domain = {}) const;
  // The value that `name` means in a scope, or in those around it; kNone: nothing.
  ValueId Find(ScopeId scope, std::string_view name) const;
};

// Whether a value is a constant that can be had in any type: an initializer that nobody can
// override, the output of Constant or ConstantOfShape, or of a cast from a type that is no float.
bool IsParameter(const Graph& graph, const Value& value);
// The tensor that holds a parameter's numbers; kNone: its node says them otherwise.
TensorId ParameterTensor(const Graph& graph, const Value& value);

// The files with external data that a model at `model` names, each once.
std::vector<std::string> ExternalFiles(const Graph& graph, const std::string& model);

// Of each scope: "" for the main graph, "if_1.then_branch", "loop_1.body/if_2.else_branch",
// "function own.Double".
std::vector<std::string> ScopeNames(const Graph& graph);

}  // namespace opledger
