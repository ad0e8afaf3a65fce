// Inlines a call of a model's function: writes its nodes with the names and attributes of the call.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "conversion/edit/edit.h"
#include "conversion/model/onnx/wire.h"
#include "conversion/prepare/inline_functions.h"

namespace opledger {

// The text that replaces a call.
struct InlinedText {
  std::string nodes;   // NodeProtos, as fields of a graph
  std::string values;  // ValueInfoProtos, as fields of a graph
};

class FunctionCalls {
 public:
  FunctionCalls(const OnnxModel& model, const InlineLimits& limits, Diagnostics& diagnostics);

  // Returns the function that a NodeProto calls, or kNone.
  FunctionId Called(Span node) const;
  // Appends the replacement of a call in the model's own graphs. Returns false, with an error, on
  // failure.
  bool Inline(Span node, FunctionId function, InlinedText& text);
  std::uint64_t calls() const { return calls_; }

 private:
  // The scope of a node: what names mean there.
  struct Place {
    const Place* outer = nullptr;  // names are looked up there too
    std::unordered_map<std::string, std::string> names;
    // AttributeProtos of the call by name; null outside of functions.
    const std::map<std::string, std::string>* attributes = nullptr;
    std::string prefix;  // of new names; empty: names are unchanged
  };
  struct Call {
    std::string name;
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
    std::map<std::string, std::string> attributes;
  };

  std::string_view Bytes(Span span) const;
  static std::string NameIn(const Place& place, std::string_view name);
  bool Fail(const std::string& message, const std::string& hint);
  bool ReadCall(Span node, const Place& place, Call& call);
  bool AddDefaults(Span function, Call& call);
  bool Expand(FunctionId id, const Call& call, InlinedText& text);
  bool NameValues(FunctionId id, const Call& call, Place& place,
                  std::vector<std::pair<std::string, std::string>>& copies);
  void Define(std::string_view name, Place& place);
  bool WriteNode(Span node, const Place& place, InlinedText& text);
  bool WriteAttribute(Span attribute, const Place& place, std::string& out);
  bool WriteGraph(Span graph, const Place& outer, std::string& out);
  void DefineGraph(Span graph, Place& place);
  std::string WithName(Span message, std::uint32_t number, const Place& place) const;
  std::string UniquePrefix(const std::string& call);

  const OnnxModel& model_;
  const InlineLimits& limits_;
  Diagnostics& diagnostics_;
  FreshNames fresh_;
  std::unordered_map<std::string, int> prefixes_;
  std::vector<bool> open_;  // per function: whether it is being inlined
  std::uint64_t calls_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace opledger
