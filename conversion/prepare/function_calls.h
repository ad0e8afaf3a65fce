// The text of a call of a model's function: its nodes, with the names and attributes of the call.
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

// What stands in place of a call.
struct InlinedText {
  std::string nodes;   // NodeProtos, as fields of a graph
  std::string values;  // ValueInfoProtos, likewise
};

class FunctionCalls {
 public:
  FunctionCalls(const OnnxModel& model, const InlineLimits& limits, Diagnostics& diagnostics);

  // Whether a NodeProto calls a function; kNone: it does not.
  FunctionId Called(Span node) const;
  // Appends what stands for a call in the model itself. False, with an error.
  bool Inline(Span node, FunctionId function, InlinedText& text);
  std::uint64_t calls() const { return calls_; }

 private:
  // Where a node stands: what names mean there.
  struct Place {
    const Place* outer = nullptr;  // names are looked for there too
    std::unordered_map<std::string, std::string> names;
    // Attributes of the call, by name: AttributeProtos. Of the model itself: none.
    const std::map<std::string, std::string>* attributes = nullptr;
    std::string prefix;  // of new names; empty: names stay as they are
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
  std::vector<bool> open_;  // of each function: it is being inlined
  std::uint64_t calls_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace opledger
