// Summarizes a model for `opledger inspect`. Independent of the format.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conversion/label/condition_facts.h"
#include "conversion/model/graph/graph.h"
#include "conversion/model/graph/types.h"
#include "conversion/report/value_summary.h"
#include "registry/precision_list/precision_list.h"

namespace opledger {

struct OperatorSummary {
  std::size_t nodes = 0;
  // Type of the first input, or of the first output if there are no inputs -> number of nodes.
  std::map<std::string, std::size_t> types;
  std::string policy;  // from the list; "": none
  Location place;      // of the list entry
  std::string note;    // the entry's note; also marks functions of the model
};

struct ParameterSummary {
  std::size_t tensors = 0;
  std::uint64_t numbers = 0;
  std::uint64_t bytes = 0;
};

// A node as seen by conditions and by a policy in Python.
struct NodeSummary {
  std::string name;
  std::string op;
  std::string scope;
  NodeFacts facts;
  std::vector<std::string> values;  // per input; empty: omitted
  std::vector<std::string> types;   // per input: "tensor(float32)"
  std::vector<std::string> outputs;
};

struct ModelSummary {
  std::string model;
  std::string format;  // "ONNX"
  std::uint64_t file_bytes = 0;
  std::vector<std::pair<std::string, std::int64_t>> opsets;  // domain, version
  std::size_t nodes = 0;
  std::vector<std::pair<std::string, std::string>> inputs;  // name, type
  std::vector<std::pair<std::string, std::string>> outputs;
  std::map<std::string, OperatorSummary> operators;
  // Name of an inner graph or function, number of nodes.
  std::vector<std::pair<std::string, std::size_t>> scopes;
  std::map<std::string, std::size_t> casts;            // "int64 -> float32" -> number of nodes
  std::map<std::string, ParameterSummary> parameters;  // by element type
  std::map<std::string, std::uint64_t> external;       // file -> number of bytes used in it
  std::optional<std::vector<NodeSummary>> each;        // if requested
  std::string list;                                    // as shown
  std::string target;
  std::optional<std::vector<ValueSummary>> values;  // if requested
};

// Fills in all but the format, the file's size and the list.
ModelSummary Summarise(const Graph& graph);
// Summarizes each node, given the signatures found by typing.
std::vector<NodeSummary> SummariseNodes(const Graph& graph, const Typing& typing,
                                        const ConditionFacts& facts);
// Looks up the policies of the operators.
void Classify(const PrecisionList& list, ModelSummary& summary);

std::string RenderSummaryText(const ModelSummary& summary);
std::string RenderSummaryJson(const ModelSummary& summary);

}  // namespace opledger
