// A model in numbers: what `opledger inspect` prints. Of no format.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conversion/model/graph/graph.h"
#include "conversion/report/value_summary.h"
#include "registry/precision_list/precision_list.h"

namespace opledger {

struct OperatorSummary {
  std::size_t nodes = 0;
  std::map<std::string, std::size_t> types;  // of the first input, else the first output -> nodes
  std::string policy;                        // of the list; "": it has none
  Location place;                            // of the list entry
  std::string note;  // the entry's; of a function of the model, that it is one
};

struct ParameterSummary {
  std::size_t tensors = 0;
  std::uint64_t numbers = 0;
  std::uint64_t bytes = 0;
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
  std::vector<std::pair<std::string, std::size_t>> scopes;  // graphs in the graph, functions; nodes
  std::map<std::string, std::size_t> casts;                 // "int64 -> float32" -> nodes
  std::map<std::string, ParameterSummary> parameters;       // by element type
  std::map<std::string, std::uint64_t> external;            // file -> bytes of it that are used
  std::string list;                                         // as shown
  std::string target;
  std::optional<std::vector<ValueSummary>> values;  // where they were asked for
};

// All but the format, the file's size and the list.
ModelSummary Summarise(const Graph& graph);
// Looks the operators up.
void Classify(const PrecisionList& list, ModelSummary& summary);

std::string RenderSummaryText(const ModelSummary& summary);
std::string RenderSummaryJson(const ModelSummary& summary);

}  // namespace opledger
