// Edits inside nested messages: what encloses an edit counts its length anew.
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

  // Replaces bytes of the message `frame`, or of fields in it that are no frames; of kNone: of the
  // model itself.
  void Replace(MessageId frame, Span span, NewBytes bytes);
  void Insert(MessageId frame, std::size_t at, NewBytes bytes) {
    Replace(frame, {at, at}, std::move(bytes));
  }
  // Takes a whole message out.
  void Remove(MessageId frame) { Replace(frames_[frame].parent, frames_[frame].whole, {}); }
  // A string field of the message `frame` gets another text.
  void ReplaceText(MessageId frame, const WireField& field, std::string_view text);
  // The varint of `span` gets another value in just as many bytes; it has to fit.
  void ReplaceVarint(Span span, std::uint64_t value);

  // All edits, with the lengths of the messages around them.
  EditList Finish();

 private:
  const std::vector<MessageSpan>& frames_;
  std::vector<std::int64_t> growth_;
  EditList edits_;
};

// The ValueInfoProto `frame` of a tensor says another type: type, tensor_type, elem_type.
void RetypeValueInfo(const OnnxModel& model, MessageId frame, Dtype dtype, MessageEdits& edits);
// The ValueInfoProto of a tensor.
std::string TensorInfo(std::string_view name, Dtype dtype,
                       const std::vector<std::int64_t>& dimensions);
// The scope's output at `position` becomes the value `name`.
void RenameOutput(const OnnxModel& model, ScopeId scope, std::size_t position,
                  std::string_view name, MessageEdits& edits);

// Gives the inputs and outputs of a node other names: `name_of` is called for each in the order of
// the file, with its value (or kNone) and whether it is an input; an empty name changes nothing.
void RenameValues(const OnnxModel& model, NodeId id, MessageEdits& edits,
                  const std::function<std::string_view(ValueId value, bool is_input)>& name_of);

// The field that holds the nodes of a scope: of a graph, or of a function.
std::uint32_t NodeFieldOf(const Graph& graph, ScopeId scope);
// An AttributeProto of a whole number.
std::string IntegerAttribute(std::string_view name, std::int64_t number);
// An AttributeProto `value`, a tensor of `count` numbers whose bytes are `raw`: of no dimensions
// (`scalar`), or of one.
std::string ValueAttribute(Dtype dtype, bool scalar, std::size_t count, std::string_view raw);
// The AttributeProto `to` of a Cast: float32, float16 or bfloat16, as a number or as its name.
std::string CastAttribute(Dtype dtype, bool as_text);
// A Cast, as a field of its scope; in the form of the scope's version of ONNX.
NewBytes CastNode(const Graph& graph, ScopeId scope, std::string_view from, std::string_view to,
                  std::string_view name, Dtype dtype);
// Puts a cast of the value right after the node that computes it, else before the first node of
// its scope.
void InsertCastOf(const OnnxModel& model, const Value& value, NewBytes cast, MessageEdits& edits);

}  // namespace opledger
