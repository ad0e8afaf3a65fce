// Reports what a conversion did and why, independent of the format: the rule that decided for each
// node, the readers that need each cast, the effect on each parameter. Formats: JSON, a page, text
// for one node. Also summarizes a model for `opledger inspect`.
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

// The type of a node's float32 values after the conversion.
enum class Precision : std::uint8_t {
  kLow,        // the target type
  kFloat32,    // float32
  kAsWanted,   // a constant or a cast from integers: created in each type that is needed
  kUnchanged,  // it has no float32 values, or none that change type
};

struct NodeReport {
  NodeId node = kNone;
  std::string name;   // as options take it
  std::string op;     // including its domain
  std::string scope;  // the containing scope: "" for the main graph
  Label label = Label::kFixed;
  Precision precision = Precision::kUnchanged;
  // The rule that decided, and the text that describes it.
  LabelRule rule = LabelRule::kFixed;
  Location place;            // of the list entry; an empty path: none
  std::string entry_reason;  // reason and note of the entry
  std::string reason;        // the rule's reason for this node
  std::string placement;     // for a free node: why low or high
  int extra_casts = 0;       // for a free node: additional casts if it alone were placed otherwise
  std::vector<std::string> alternatives;  // what would have to change for another result
  std::vector<int> casts_wanted;          // indices of casts that it needs as a reader
  std::vector<int> casts_of_outputs;      // indices of casts of its outputs
};

struct CastReport {
  ValueId value = kNone;
  std::string tensor;
  std::string scope;
  bool down = false;                   // to the target type; otherwise to float32
  NodeId producer = kNone;             // kNone: an input of the graph
  std::vector<NodeId> consumers;       // in graph order, each once
  std::vector<std::string> outputs;    // outputs of the graph that need it
  std::optional<std::uint64_t> bytes;  // read and written; nullopt: the shape is unknown
  std::vector<std::string> bytes_per;  // the open dimensions that multiply `bytes`; empty: none
  std::string reason;
};

struct ParameterReport {
  ValueId value = kNone;
  std::string tensor;
  std::string scope;
  bool both = false;  // the float32 version stays next to the low one
  std::uint64_t bytes_before = 0;
  std::uint64_t bytes_after = 0;
  std::optional<RoundingStatistics> statistics;
};

struct ConversionReport {
  std::string model;
  std::string format;  // "onnx"
  Dtype target = Dtype::kFloat16;
  std::string list;
  std::vector<NodeReport> nodes;  // in graph order
  std::vector<CastReport> casts;
  std::vector<ParameterReport> parameters;   // those that are converted
  std::uint64_t parameter_bytes_before = 0;  // of all parameters
  std::uint64_t parameter_bytes_after = 0;
  bool raises_small = false;  // --small-constants clamp
  Preparation preparation;
  std::vector<NextStep> steps;  // suggestions of the format
  std::string open_input;  // an input with open dimensions, as --input-shape takes it; may be empty

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
  const std::vector<TensorSize>* sizes = nullptr;  // per value
  const Preparation* preparation = nullptr;        // nullptr: nothing was requested
  std::vector<NextStep> steps;
  std::string open_input;
};

// Builds the report without statistics of parameters. The caller, which has the elements, adds
// them.
ConversionReport MakeReport(const ReportInput& input);

}  // namespace opledger
