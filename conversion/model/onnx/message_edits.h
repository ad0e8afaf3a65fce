// Edits inside nested messages. Updates the lengths of all enclosing messages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "conversion/model/files/edit_list.h"
#include "conversion/model/onnx/onnx.h"
#include "conversion/model/onnx/wire.h"

namespace opledger {

class MessageEdits {
 public:
  explicit MessageEdits(const std::vector<MessageSpan>& frames)
      : frames_(frames), growth_(frames.size()) {}

  // Replaces bytes of the message `frame`, or of fields in it that are not frames. kNone: the model
  // itself.
  void Replace(MessageId frame, Span span, NewBytes bytes);
  void Insert(MessageId frame, std::size_t at, NewBytes bytes) {
    Replace(frame, {at, at}, std::move(bytes));
  }
  // Removes a whole message.
  void Remove(MessageId frame) { Replace(frames_[frame].parent, frames_[frame].whole, {}); }
  // Replaces the text of a string field of the message `frame`.
  void ReplaceText(MessageId frame, const WireField& field, std::string_view text);
  // Replaces the varint in `span`. The new value must fit into the same number of bytes.
  void ReplaceVarint(Span span, std::uint64_t value);

  // Returns all edits, including the lengths of the enclosing messages.
  EditList Finish();

 private:
  const std::vector<MessageSpan>& frames_;
  std::vector<std::int64_t> growth_;
  EditList edits_;
};

// Sets the element type in the ValueInfoProto `frame` of a tensor: type, tensor_type, elem_type.
void RetypeValueInfo(const OnnxModel& model, MessageId frame, Dtype dtype, MessageEdits& edits);
// Returns the ValueInfoProto of a tensor.
std::string TensorInfo(std::string_view name, Dtype dtype,
                       const std::vector<std::int64_t>& dimensions);
// Makes the scope's output at `position` refer to the value `name`.
void RenameOutput(const OnnxModel& model, ScopeId scope, std::size_t position,
                  std::string_view name, MessageEdits& edits);

// Renames the inputs and outputs of a node. Calls `name_of` for each in file order, with its value
// (or kNone) and whether it is an input. An empty name keeps the old one.
void RenameValues(const OnnxModel& model, NodeId id, MessageEdits& edits,
                  const std::function<std::string_view(ValueId value, bool is_input)>& name_of);

// Returns the number of the field that holds the nodes of a scope, in a graph or a function.
std::uint32_t NodeFieldOf(const Graph& graph, ScopeId scope);
// Returns an AttributeProto with an integer.
std::string IntegerAttribute(std::string_view name, std::int64_t number);
// Returns an AttributeProto `value`: a tensor of `count` elements whose bytes are `raw`. It is a
// scalar if `scalar` is set, otherwise one-dimensional.
std::string ValueAttribute(Dtype dtype, bool scalar, std::size_t count, std::string_view raw);
// Returns the AttributeProto `to` of a Cast to float32, float16 or bfloat16, as a number or a name.
std::string CastAttribute(Dtype dtype, bool as_text);
// Returns a Cast as a field of its scope, in the form of the scope's ONNX version.
NewBytes CastNode(const Graph& graph, ScopeId scope, std::string_view from, std::string_view to,
                  std::string_view name, Dtype dtype);
// Inserts a cast of the value after the node that computes it, or before the first node of its
// scope.
void InsertCastOf(const OnnxModel& model, const Value& value, NewBytes cast, MessageEdits& edits);

}  // namespace opledger
