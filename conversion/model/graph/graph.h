// A model as a graph of nodes and values, independent of the format. Readers create it from a file;
// all later steps read it. Also infers the types of all values (types.h) from the signatures of
// operators in a manifest (signature.h).
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
    kOther              // a map or an opaque type; in a function: differs between calls
  };
  Kind kind = Kind::kUnknown;
  // The type of the elements, also of tensors in a sequence or optional. nullopt: unknown, or a
  // type that Dtype lacks.
  std::optional<Dtype> dtype;

  bool IsTensorOf(Dtype other) const { return kind == Kind::kTensor && dtype == other; }
  bool operator==(const ValueType&) const = default;
};

// The elements of an initializer, a parameter or a constant attribute.
struct Tensor {
  enum class Storage : std::uint8_t { kRaw, kTyped, kExternal, kNone };
  std::string_view name;
  std::optional<Dtype> dtype;  // nullopt: a type that Dtype lacks
  std::vector<std::int64_t> dimensions;
  std::uint64_t elements = 0;  // product of the dimensions
  Storage storage = Storage::kNone;
  Span data;             // for kRaw: in the model's file
  std::string location;  // for kExternal: the file, as written in the model
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length;  // for kExternal, if written
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
  std::string_view text;  // for kString; for kReference: the function's attribute
  TensorId tensor = kNone;
  std::vector<ScopeId> scopes;  // for kGraph
  ValueType type;               // for kType; for kInt: the type with this number
  std::uint64_t length = 0;     // for kList
  // The format's numbers of the type of the value and of the stated type; 0: none.
  std::uint32_t value_type = 0;
  std::uint32_t said_type = 0;
};

// Returns an operator's name as in manifests and lists, including its domain unless that is the
// default one.
std::string QualifiedName(std::string_view domain, std::string_view op);

struct Node {
  std::string_view op;
  std::string_view domain;    // "" for the default domain
  std::string_view overload;  // of a function that the model defines; often empty
  std::string_view name;      // may be empty
  ScopeId scope = kNone;
  std::vector<ValueId> inputs;  // kNone: omitted
  std::vector<ValueId> outputs;
  std::vector<Attribute> attributes;

  const Attribute* Find(std::string_view attribute) const;
};

// An input that reads a value.
struct Use {
  NodeId node = kNone;
  int input = 0;
};

struct Value {
  std::string_view name;
  ScopeId scope = kNone;    // where it is defined
  NodeId producer = kNone;  // kNone: an input, an initializer, or never defined
  TensorId tensor = kNone;  // of an initializer
  bool is_input = false;    // of its scope
  ValueType type;           // as declared by the file, later as inferred
  std::vector<Use> uses;    // in node order, including inner scopes
};

// A graph, a subgraph of an attribute, or the body of a function.
struct Scope {
  ScopeId parent = kNone;
  NodeId owner = kNone;  // the node with this scope in an attribute
  FunctionId function = kNone;
  std::vector<NodeId> nodes;  // in file order, or in an order that can be executed
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
};

// Identifies a function.
using FunctionIdentity = std::tuple<std::string_view, std::string_view, std::string_view>;

// A function that the model defines.
struct Function {
  std::string_view name;
  std::string_view domain;
  std::string_view overload;
  ScopeId body = kNone;
  std::map<std::string_view, std::int64_t> opsets;
};

// The views refer to the bytes of the model's file, which must outlive it.
struct Graph {
  std::map<std::string_view, std::int64_t> opsets;  // domain -> version
  bool casts_are_fixed = false;  // MXNet: casts cannot be recreated in another type
  std::vector<Scope> scopes;     // the first is the main graph
  std::vector<Node> nodes;
  std::vector<Value> values;
  std::vector<Tensor> tensors;
  std::vector<Function> functions;
  std::map<FunctionIdentity, FunctionId> function_ids;               // by domain, name, overload
  std::vector<std::unordered_map<std::string_view, ValueId>> names;  // per scope

  bool IsFloat32(ValueId value) const {  // a tensor; false for kNone
    return value != kNone && values[value].type.IsTensorOf(Dtype::kFloat32);
  }
  // Returns a node's name in options, reports and messages: its own or that of its first output.
  std::string NameOf(NodeId id) const;
  // Returns the function that a node calls, or kNone for an operator.
  FunctionId Called(const Node& node) const;
  FunctionId FindFunction(const FunctionIdentity& identity) const;
  // Returns the opsets that apply in a scope: those of its function or of the model.
  const std::map<std::string_view, std::int64_t>& OpsetsIn(ScopeId scope) const;
  // Returns the version of a domain there, or 1 if the domain is not imported.
  std::int64_t OpsetIn(ScopeId scope, std::string_view domain = {}) const;
  // Returns the value that `name` refers to in a scope or in those around it, or kNone.
  ValueId Find(ScopeId scope, std::string_view name) const;
};

// Returns whether a value is a constant that can be recreated in any type: an initializer that
// cannot be overridden, or the output of Constant, ConstantOfShape or a cast from integers.
bool IsParameter(const Graph& graph, const Value& value);
// Returns the tensor with a parameter's elements, or kNone if its node states them otherwise.
TensorId ParameterTensor(const Graph& graph, const Value& value);

// Returns the external data files that a model at `model` names, without duplicates.
std::vector<std::string> ExternalFiles(const Graph& graph, const std::string& model);

// Returns a name per scope: "" for the main graph, "if_1.then_branch",
// "loop_1.body/if_2.else_branch", "function own.Double".
std::vector<std::string> ScopeNames(const Graph& graph);

}  // namespace opledger
