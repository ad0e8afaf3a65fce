// What an operator's inputs and outputs may be, and how its outputs' types follow: read from a
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

// Types a type variable may stand for.
struct TypeSet {
  std::bitset<32> tensors;  // by Dtype
  std::bitset<32> sequences;
  std::bitset<32> optionals;
  std::bitset<32> optional_sequences;
  bool others = false;  // maps, types without a name here, ...

  bool Allows(Dtype dtype) const { return tensors[static_cast<std::size_t>(dtype)]; }
  // Also what is not known well enough to be wrong.
  bool Allows(const ValueType& type) const;
  void Add(const ValueType& type);
};

struct Parameter {
  std::string name;
  int variable = -1;  // index into Signature::variables; -1: `type`
  ValueType type;
  bool optional = false;
  bool variadic = false;  // the last one: any number of them, `minimum` at least
  int minimum = 1;
  bool homogeneous = true;  // all of a variadic one have one type
  bool keep = false;        // never cast: positions, lengths, what the operator writes to
  bool shape_only = false;  // of any type, since only its shape counts
};

// One way in which an output's type may follow; the first that applies counts.
struct TypeRule {
  enum class Kind { kAttribute, kInput, kSubgraph, kWhen, kWidest, kAs };
  enum class Shape { kSame, kSequence, kOptional, kElement, kContent, kMapped };
  Kind kind = Kind::kAs;
  int output = -1;         // -1: all
  std::string attribute;   // of kAttribute, kSubgraph, kWhen
  int input = -1;          // of kInput, kWhen
  ValueType type;          // of kWhen, kAs; of kAttribute: where it is absent
  std::string equals;      // of kWhen with an attribute: its text
  ValueType input_type;    // of kWhen with an input: its type
  std::size_t first = 0;   // of kSubgraph
  bool narrowest = false;  // of kWidest: the opposite
  // What must hold besides; of kInput and kWidest also `attribute` and `equals`.
  int integer_input = -1;  // that input is of whole numbers
  Shape shape = Shape::kSame;
};

// An attribute that an operator knows.
struct AttributeRule {
  std::string type;  // "INTS", as manifests spell it
  bool required = false;
};

struct Signature {
  int since = 0;
  std::map<std::string, AttributeRule, std::less<>> attributes;
  std::vector<Parameter> inputs;
  std::vector<Parameter> outputs;
  std::vector<TypeSet> variables;
  std::vector<TypeRule> rules;
  std::map<std::string, std::string> defaults;  // of attributes: what an absent one means

  // What is declared for a position; nullptr: there is no such.
  static const Parameter* At(const std::vector<Parameter>& parameters, std::size_t position);
};

class Signatures {
 public:
  // The shipped manifest `name`: "onnx". What is not in it, an operator or one of its versions that
  // an old opset takes, is looked for in "com.microsoft", which is read when a model first needs
  // it.
  static std::optional<Signatures> Load(const std::string& name, Diagnostics& diagnostics);

  // Signatures that have no versions, by operator.
  static Signatures Of(const std::map<std::string, Signature>& signatures);

  // The newest version not after `opset`; nullptr: no such operator.
  const Signature* Find(std::string_view domain, std::string_view op, std::int64_t opset);

 private:
  struct Known {
    std::map<int, Signature> versions;  // by `since`
    bool asked_runtime = false;
  };
  const Operator* FindOfRuntime(const std::string& name);

  std::optional<ManifestLines> manifest_;
  std::optional<ManifestLines> runtime_;  // what a runtime's optimiser makes of a model
  bool runtime_read_ = false;
  std::map<std::string, Known, std::less<>> known_;
};

// "INT32", a name of TensorProto.DataType in any case -> the type of its tensors.
ValueType TensorNamed(std::string_view name);
// "tensor(float)", "seq(tensor(int64))" as manifests spell types.
ValueType ParseValueType(std::string_view text);
// The same for people: "tensor(float32)".
std::string TypeText(const ValueType& type);

}  // namespace opledger
