// What a conversion did and why, of no format: one deciding rule for each node, who wants each
// cast, what became of each parameter; as JSON, as a page, as text for one node. And a model in
// numbers, for `opledger inspect`.
// May include: conversion/label, conversion/model/graph, conversion/hazards, conversion/place,
// conversion/prepare, conversion/values, registry/*.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conversion/hazards/rounding_statistics.h"
#include "conversion/place/place.h"
#include "conversion/place/tensor_sizes.h"
#include "conversion/prepare/prepare.h"
#include "conversion/report/next_steps.h"
#include "registry/precision_list/precision_list.h"

namespace opledger {

// In which type a node's float32 values are after the conversion.
enum class Precision : std::uint8_t {
  kLow,        // the target type
  kFloat32,    // float32
  kAsWanted,   // a constant or a cast from integers: made in each type that is needed
  kUnchanged,  // it has no float32 values, or none that change type
};

struct NodeReport {
  NodeId node = kNone;
  std::string name;   // as options take it
  std::string op;     // with its domain
  std::string scope;  // where it stands: "" for the main graph
  Label label = Label::kFixed;
  Precision precision = Precision::kUnchanged;
  // The one rule that decided: its kind, and the words that a user would look for.
  LabelRule rule = LabelRule::kFixed;
  Location place;            // of the list entry; an empty path: none
  std::string entry_reason;  // what the entry gives as its reason and note
  std::string reason;        // what the rule says of the node
  std::string placement;     // of a free node: why low or high
  int extra_casts = 0;       // of a free node: casts more, were it alone placed otherwise
  std::vector<std::string> alternatives;  // what would have to change for another result
  std::vector<int> casts_wanted;          // indices of casts that it needs, as a reader
  std::vector<int> casts_of_outputs;      // indices of casts of what it computes
};

struct CastReport {
  ValueId value = kNone;
  std::string tensor;
  std::string scope;
  bool down = false;                   // to the target type; else to float32
  NodeId producer = kNone;             // none: an input of the graph
  std::vector<NodeId> consumers;       // in the order of the graph, each once
  std::vector<std::string> outputs;    // of its graph, that need it
  std::optional<std::uint64_t> bytes;  // read and written; none: its shape is not known
  std::vector<std::string> bytes_per;  // for each one of these dimensions; empty: in all
  std::string reason;
};

struct ParameterReport {
  ValueId value = kNone;
  std::string tensor;
  std::string scope;
  bool both = false;  // the float32 one stays beside the low one
  std::uint64_t bytes_before = 0;
  std::uint64_t bytes_after = 0;
  std::optional<RoundingStatistics> statistics;
};

struct ConversionReport {
  std::string model;
  std::string format;  // "onnx"
  Dtype target = Dtype::kFloat16;
  std::string list;
  std::vector<NodeReport> nodes;  // of the graph, in its order
  std::vector<CastReport> casts;
  std::vector<ParameterReport> parameters;   // those that are converted
  std::uint64_t parameter_bytes_before = 0;  // of all
  std::uint64_t parameter_bytes_after = 0;
  bool raises_small = false;  // --small-constants clamp
  Preparation preparation;
  std::vector<NextStep> steps;  // that the format knows of
  std::string open_input;       // whose dimensions the file leaves open, as --input-shape takes it

  const char* PrecisionText(Precision precision) const;  // "float16", "float32", ...
  std::size_t Count(Precision precision) const;
};

struct ReportInput {
  std::string model;  // as the user named it
  std::string format;
  const Graph* graph = nullptr;
  const std::vector<NodeLabel>* labels = nullptr;
  const Plan* plan = nullptr;
  const PrecisionList* list = nullptr;
  const std::vector<TensorSize>* sizes = nullptr;  // of each value
  const Preparation* preparation = nullptr;        // none: nothing was requested
  std::vector<NextStep> steps;
  std::string open_input;
};

// Without statistics of the parameters: these are added by the caller, which has the numbers.
ConversionReport MakeReport(const ReportInput& input);

}  // namespace opledger
