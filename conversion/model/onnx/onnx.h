// Reads and edits ONNX models: from the file's bytes to a graph and the position of each part in
// the file; elements of tensors; edits in nested messages. onnx_fields.h has field numbers, from
// https://github.com/onnx/onnx/blob/main/onnx/onnx.proto; docs/IR.md there explains the fields.
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

// A nested message. Its length changes with its contents.
using MessageId = std::int32_t;
struct MessageSpan {
  MessageId parent = kNone;  // kNone: the model itself
  Span whole;
  Span length;
  Span body;
};

// Positions in the file. Indices as in Graph.
struct OnnxPlaces {
  std::vector<MessageSpan> messages;
  std::vector<MessageId> nodes;    // NodeProto of each node
  std::vector<MessageId> scopes;   // GraphProto or FunctionProto
  std::vector<MessageId> tensors;  // TensorProto; for a sparse tensor, that of its values
  // The ValueInfoProtos that declare a value's type, except those in its scope's outputs.
  std::vector<std::vector<MessageId>> declarations;
  std::vector<std::vector<MessageId>>
      outputs;  // per scope: ValueInfoProtos, or names in a function
};

struct OnnxModel {
  SourceFile file;
  Graph graph;
  OnnxPlaces places;
  // Errors in a model that can be read but must not be converted.
  std::vector<std::string> problems = {};
  // Graphs in which a node precedes a producer of its inputs in the file. Their nodes are sorted
  // here.
  std::vector<ScopeId> unsorted = {};
  // Initializers that are also listed as inputs, as required before version 4 of the format.
  // Callers must not override them: here they are initializers only.
  std::set<ValueId> listed_initializers = {};
  // Spans of attributes of nodes that were copied from a function and refer to attributes of its
  // call.
  std::map<std::pair<NodeId, std::string_view>, Span> attribute_places = {};

  WireFields Fields(MessageId id) const { return {file.bytes(), places.messages[id].body}; }
  // Returns the message that creates a value: its initializer or its node.
  MessageId MakerOf(const Value& value) const {
    return value.producer == kNone ? places.tensors[value.tensor] : places.nodes[value.producer];
  }
};

// Reads the structure of a model, but not the tensors. Returns nullopt, with an error that names
// the first malformed byte, if the file is not a model.
std::optional<OnnxModel> ReadOnnx(SourceFile file, Diagnostics& diagnostics);

// Returns "" for "ai.onnx", the other name of the default domain.
std::string_view PlainDomain(std::string_view domain);

// Converts TensorProto.DataType. Returns nullopt if it is undefined or Dtype lacks it.
std::optional<Dtype> OnnxDtype(std::int64_t number);
std::int64_t OnnxDataType(Dtype dtype);  // 0: ONNX lacks the type

// Reads the TypeProto in `message`. Returns false if it is malformed.
bool ReadOnnxType(std::string_view file, Span message, ValueType& type);
// Reads the TensorProto in `message`, without elements. Returns false if it is malformed.
bool ReadOnnxTensor(std::string_view file, Span message, Tensor& tensor);
// Returns the size in bytes of a tensor of this type and shape, or nullopt if elements have no
// fixed size or the size overflows.
std::optional<std::uint64_t> BytesOfShape(const Tensor& tensor);
// Describes a tensor whose data has another size.
std::string WrongSizeText(const Tensor& tensor);

}  // namespace opledger
