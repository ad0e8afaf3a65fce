// Reads MXNet's symbol.json of any version: a graph of nodes, including its arguments, and the
// position of each part in the file. The layout follows 3rdparty/tvm/nnvm/src/pass/saveload_json.cc
// of MXNet and src/nnvm/legacy_json_util.cc (for what older files omit).
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

// A reference to an output of a node, in inputs and heads: [node, output, version].
struct MxnetReference {
  int entry = 0;
  int output = 0;
  bool writes = false;  // version 1: the reader writes to it, an auxiliary state
  Span entry_span;      // of the first number
  Span output_span;
};

// An element of "nodes": an operator or a variable (op "null").
struct MxnetEntry {
  const JsonValue* json = nullptr;
  NodeId node = kNone;      // kNone: a variable
  ValueId first_value = 0;  // its outputs are consecutive values
  int outputs = 1;
  std::vector<MxnetReference> inputs;
  std::vector<int> controls;  // entries in control_deps
};

// The position of a graph or subgraph.
struct MxnetScope {
  const JsonValue* json = nullptr;
  std::vector<MxnetEntry> entries;
  std::vector<MxnetReference> heads;
};

// The graph's strings refer to the document.
struct MxnetSymbol {
  SourceFile file;
  std::unique_ptr<JsonDocument> document;
  Graph graph;                     // operators are nodes; variables are values without a producer
  std::vector<MxnetScope> scopes;  // per scope of the graph
  std::vector<bool> auxiliary;     // per value: whether a node writes to it
  std::int64_t version = 800;      // major * 10000 + minor * 100 + patch; 800: not stated
  std::deque<std::string> names;   // of outputs: "fc_output", "split_output1"
};

// Reads the structure. `graph` has only the types that the __dtype__ of variables states. Returns
// nullopt, with an error that shows the source line, if the file is not a symbol.
std::optional<MxnetSymbol> ReadMxnetSymbol(SourceFile file, Diagnostics& diagnostics);

// Returns the member of a node with its attributes, "attrs" or "attr", or nullptr. Old files have
// an operator's attributes in "param".
const JsonValue* MxnetAttributes(const JsonValue& node);

// Returns the entries in the order in which MXNet writes them: depth first from the heads, inputs
// before the node, then those in control_deps. Omits entries that no head needs.
std::vector<int> MxnetOrder(const MxnetScope& scope);

}  // namespace opledger
