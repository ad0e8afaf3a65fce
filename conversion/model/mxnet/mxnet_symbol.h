// MXNet's symbol.json, of every vintage: a graph of nodes, arguments among them, and where in the
// file each part of it stands. 3rdparty/tvm/nnvm/src/pass/saveload_json.cc of MXNet and
// src/nnvm/legacy_json_util.cc (what older files leave out) are the source of the layout.
//   {"nodes": [{"op": "null", "name": "x", "inputs": []},
//              {"op": "relu", "name": "y", "inputs": [[0, 0, 0]]}],
//    "arg_nodes": [0], "node_row_ptr": [0, 1, 2], "heads": [[1, 0, 0]],
//    "attrs": {"mxnet_version": ["int", 10901]}}
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conversion/model/files/files.h"
#include "conversion/model/graph/graph.h"
#include "registry/json/json.h"

namespace opledger {

// An output of a node, as inputs and heads name it: [node, output, version].
struct MxnetReference {
  int entry = 0;
  int output = 0;
  bool writes = false;  // version 1: the reader writes to it, an auxiliary state
  Span entry_span;      // of the first number
  Span output_span;
};

// An element of "nodes": an operator, or a variable (op "null").
struct MxnetEntry {
  const JsonValue* json = nullptr;
  NodeId node = kNone;      // kNone: a variable
  ValueId first_value = 0;  // its outputs are values one after the other
  int outputs = 1;
  std::vector<MxnetReference> inputs;
  std::vector<int> controls;  // entries of control_deps
};

// Where a graph or subgraph stands.
struct MxnetScope {
  const JsonValue* json = nullptr;
  std::vector<MxnetEntry> entries;
  std::vector<MxnetReference> heads;
};

// The graph's texts are those of the document.
struct MxnetSymbol {
  SourceFile file;
  std::unique_ptr<JsonDocument> document;
  Graph graph;                     // an operator is a node; a variable is a value without producer
  std::vector<MxnetScope> scopes;  // of each scope of the graph
  std::vector<bool> auxiliary;     // of each value: some node writes to it
  std::int64_t version = 800;      // major * 10000 + minor * 100 + patch; 800: the file says none
  std::deque<std::string> names;   // of outputs: "fc_output", "split_output1"
};

// Reads the structure. Errors carry line, column and the text. `graph` has the types that
// __dtype__ of a variable says, and no others.
std::optional<MxnetSymbol> ReadMxnetSymbol(SourceFile file, Diagnostics& diagnostics);

// The member of a node that holds its attributes, "attrs" or "attr"; nullptr: it has none. Old
// files have the operator's in "param".
const JsonValue* MxnetAttributes(const JsonValue& node);

// The entries in the order MXNet writes them: depth first from the heads, inputs before the node,
// then those of control_deps. Entries that no head needs are left out.
std::vector<int> MxnetOrder(const MxnetScope& scope);

}  // namespace opledger
