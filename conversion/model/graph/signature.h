// Describes the inputs and outputs of operators and how output types follow from them. Read from a
// shipped manifest (registry/operators/README.md describes its fields).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conversion/model/graph/graph.h"
#include "registry/manifest/manifest_lines.h"
#include "registry/text/diagnostics.h"

namespace opledger {

// Types that a type variable may have.
struct TypeSet {
  std::bitset<32> tensors;  // indexed by Dtype
  std::bitset<32> sequences;
  std::bitset<32> optionals;
  std::bitset<32> optional_sequences;
  bool others = false;  // maps, types that Dtype lacks, ...

  bool Allows(Dtype dtype) const { return tensors[static_cast<std::size_t>(dtype)]; }
  // Returns whether the type is allowed, or not known well enough to be wrong.
  bool Allows(const ValueType& type) const;
  void Add(const ValueType& type);
};

struct Parameter {
  std::string name;
  int variable = -1;  // index into Signature::variables; -1: `type`
  ValueType type;
  bool optional = false;
  bool variadic = false;  // the last one: repeats at least `minimum` times
  int minimum = 1;
  bool homogeneous = true;  // all values of a variadic parameter have one type
  bool keep = false;        // never cast: positions, lengths, inputs that the operator writes to
  bool shape_only = false;  // any type, since only the shape is used
};

// A rule for the type of an output; the first one that applies counts.
struct TypeRule {
  enum class Kind { kAttribute, kInput, kSubgraph, kWhen, kWidest, kAs };
  enum class Shape { kSame, kSequence, kOptional, kElement, kContent, kMapped };
  Kind kind = Kind::kAs;
  int output = -1;         // -1: all
  std::string attribute;   // for kAttribute, kSubgraph, kWhen
  int input = -1;          // for kInput, kWhen
  ValueType type;          // for kWhen, kAs; for kAttribute: the default
  std::string equals;      // for kWhen with an attribute: its text
  ValueType input_type;    // for kWhen with an input: its type
  std::size_t first = 0;   // for kSubgraph: the output of the graph that gives the first type
  bool narrowest = false;  // for kWidest: use the narrowest type
  // Additional conditions. kInput and kWidest also check `attribute` and `equals`.
  int integer_input = -1;  // this input must be integers
  Shape shape = Shape::kSame;
};

// An attribute of an operator.
struct AttributeRule {
  std::string type;  // "INTS", as manifests spell it
  bool required = false;
};

struct Signature {
  int since = 0;  // the opset that introduced this version
  std::map<std::string, AttributeRule, std::less<>> attributes;
  std::vector<Parameter> inputs;
  std::vector<Parameter> outputs;
  std::vector<TypeSet> variables;
  std::vector<TypeRule> rules;
  std::map<std::string, std::string> defaults;  // of attributes

  // Returns the parameter at a position, or nullptr if there is none.
  static const Parameter* At(const std::vector<Parameter>& parameters, std::size_t position);
};

class Signatures {
 public:
  // Loads the shipped manifest `name`, such as "onnx". Operators and versions that it lacks are
  // looked up in "com.microsoft", which is read when a model first needs it.
  static std::optional<Signatures> Load(const std::string& name, Diagnostics& diagnostics);

  // Creates signatures without versions, by operator.
  static Signatures Of(const std::map<std::string, Signature>& signatures);

  // Returns the newest version not after `opset`, or nullptr if there is none.
  const Signature* Find(std::string_view domain, std::string_view op, std::int64_t opset);

 private:
  struct Known {
    std::map<int, Signature> versions;  // by `since`
    bool asked_runtime = false;
  };
  const Operator* FindOfRuntime(const std::string& name);

  std::optional<ManifestLines> manifest_;
  std::optional<ManifestLines> runtime_;  // operators that a runtime's optimizer creates
  bool runtime_read_ = false;
  std::map<std::string, Known, std::less<>> known_;
};

// Returns the tensor type for a name of TensorProto.DataType in any case, such as "INT32".
ValueType TensorNamed(std::string_view name);
// Parses a type as spelled in manifests: "tensor(float)", "seq(tensor(int64))".
ValueType ParseValueType(std::string_view text);
// Returns the type as text for users: "tensor(float32)".
std::string TypeText(const ValueType& type);

}  // namespace opledger
