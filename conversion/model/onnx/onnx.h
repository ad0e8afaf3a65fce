// ONNX models: the file's bytes -> a graph, and where in the file each part of it stands; the
// numbers of its tensors; shapes; edits of messages in messages. Field numbers: onnx_fields.h, from
// https://github.com/onnx/onnx/blob/main/onnx/onnx.proto; what they mean: docs/IR.md there.
// May include: conversion/model/files, conversion/model/graph, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "conversion/model/files/files.h"
#include "conversion/model/graph/graph.h"
#include "conversion/model/onnx/wire.h"

namespace opledger {

// A message within a message: what must be counted anew where something inside changes its length.
using MessageId = std::int32_t;
struct MessageSpan {
  MessageId parent = kNone;  // kNone: the model itself
  Span whole;
  Span length;
  Span body;
};

// Where things stand. Indices as in Graph.
struct OnnxPlaces {
  std::vector<MessageSpan> messages;
  std::vector<MessageId> nodes;    // NodeProto of each node
  std::vector<MessageId> scopes;   // GraphProto or FunctionProto
  std::vector<MessageId> tensors;  // TensorProto; of a sparse one, of its values
  // The ValueInfoProtos that say a value's type; those of its scope's outputs left out.
  std::vector<std::vector<MessageId>> declarations;
  std::vector<std::vector<MessageId>>
      outputs;  // of each scope: ValueInfoProtos; a function's: names
};

struct OnnxModel {
  SourceFile file;
  Graph graph;
  OnnxPlaces places;
  // What is wrong with the model though it can be read: it is kept as it is, not converted.
  std::vector<std::string> problems = {};
  // Graphs whose file has a node before one whose outputs it reads; their nodes stand here in an
  // order that has not.
  std::vector<ScopeId> unsorted = {};
  // Before version 4 of its format, a model lists each initializer as an input, too. No caller may
  // give it: here it is an initializer only. These are listed.
  std::set<ValueId> listed_initializers = {};
  // Where the attributes of nodes stand that are copies of a function's, and refer to those of its
  // call.
  std::map<std::pair<NodeId, std::string_view>, Span> attribute_places = {};

  WireFields Fields(MessageId id) const { return {file.bytes(), places.messages[id].body}; }
  // The message that makes a value, an initializer or a node's.
  MessageId MakerOf(const Value& value) const {
    return value.producer == kNone ? places.tensors[value.tensor] : places.nodes[value.producer];
  }
};

// Reads the structure of a model; tensors are not touched. Errors name the byte where the file
// ceases to be a model.
std::optional<OnnxModel> ReadOnnx(SourceFile file, Diagnostics& diagnostics);

// The default domain has two names: "ai.onnx" and "", which is given.
std::string_view PlainDomain(std::string_view domain);

// TensorProto.DataType, by number; none: undefined, or one that has no name here.
std::optional<Dtype> OnnxDtype(std::int64_t number);
std::int64_t OnnxDataType(Dtype dtype);  // 0: ONNX has none

// The type a TypeProto in `message` says; false: malformed.
bool ReadOnnxType(std::string_view file, Span message, ValueType& type);
// What a TensorProto in `message` says of itself; false: malformed.
bool ReadOnnxTensor(std::string_view file, Span message, Tensor& tensor);
// The bytes that a tensor of its type and shape takes; none: they have no fixed number, or it is
// too large.
std::optional<std::uint64_t> BytesOfShape(const Tensor& tensor);
// What to say of one that has not as many.
std::string WrongSizeText(const Tensor& tensor);

}  // namespace opledger
