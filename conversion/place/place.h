// A graph and its labels -> a plan: which free nodes run low, by an exact minimum cut, in which
// types each value is wanted, and so where casts stand. Of no format; onnx and mxnet in file names
// is what labels and pins a model of that format first.
// May include: conversion/label, conversion/model/graph, conversion/model/mxnet,
// conversion/model/onnx, conversion/model/operators, conversion/hazards, conversion/values,
// registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "conversion/label/label.h"
#include "conversion/label/options.h"
#include "conversion/place/placement.h"

namespace opledger {

struct ValuePlan {
  bool float32 = false;    // otherwise nothing happens to it
  bool parameter = false;  // an initializer or constant: recreated in each type that is needed
  bool low = false;        // its producer computes it low
  bool wanted_low = false;
  bool wanted_high = false;
  bool stored_low = false;  // a parameter that is low in the file and float32 for its readers
  // The value that holds the same in the target type, by a cast of the model's own from or to it:
  // who wants this one low reads that one.
  ValueId same_low = kNone;

  // Its numbers stand in the file in the target type.
  bool WrittenLow() const { return stored_low || (parameter && wanted_low); }
  bool CastDown() const { return float32 && !parameter && !low && wanted_low && same_low == kNone; }
  bool CastUp() const { return float32 && !parameter && low && wanted_high; }
};

// The type in which one reader needs a float32 value.
enum class Want : std::uint8_t { kAsItIs, kLow, kHigh };

// An attribute that a low node gets.
struct PlannedAttribute {
  NodeId node = kNone;
  SaidType said;
};

// An input or output of the model that keeps float32 though --io-types low says otherwise.
struct KeptBorder {
  ValueId value = kNone;
  const char* why = "";
};

struct Plan {
  std::vector<bool> low;                         // of each node
  std::vector<ValuePlan> values;                 // of each value
  std::vector<std::vector<Want>> inputs;         // of each node's inputs
  std::vector<std::vector<Want>> scope_outputs;  // of each scope's outputs
  std::vector<NodeId> unread_casts;              // of the model's own: they go
  std::vector<PlannedAttribute> attributes;
  std::vector<KeptBorder> kept_border;
  bool raises_small = false;  // parameters that become low keep what would become zero above it
  std::uint64_t casts = 0;
  std::uint64_t cost = 0;   // of the casts
  ValueId unknown = kNone;  // a value whose cast might be needed and whose cost is unknown

  bool Changes() const;  // whether anything is to be done
};

struct PlanOptions {
  bool low_outputs = false;       // the model's own inputs and outputs become low too
  std::set<std::string> keep_io;  // but for those of these names
  // Of each value: what a cast of it costs; nullptr: one each. A cast of none is not known.
  const std::vector<std::optional<std::uint64_t>>* costs = nullptr;
  std::optional<Dtype> own_casts;  // the target type, where the model's own casts may go
  // Of each node: its version makes no constant of the target type, so that it is cast as others
  // are.
  std::vector<bool> casts_constants;
  bool raises_small = false;  // as in the plan
};

// The graph gets the attributes of the plan, as its file would; `flag_of` is the format's number of
// a type, 0 where it says types by their names.
void TakeAttributes(const Plan& plan, std::int64_t (*flag_of)(Dtype), Graph& graph);

Plan MakePlan(const Graph& graph, const std::vector<NodeLabel>& labels, const PlanOptions& options);

// The rule "storage-only" in place of what decided, but for excluded nodes.
void LabelForStorage(std::vector<NodeLabel>& labels);

// Parameters of at least `options.min_elements` numbers that `rounds` accepts (none of them becomes
// infinite), that no excluded node reads, and that are no output of a graph.
Plan MakeStoragePlan(const Graph& graph, const std::vector<NodeLabel>& labels,
                     const ConvertOptions& options, const std::function<bool(ValueId)>& rounds);

// Whether the other options go with it; an error says which one does not.
bool CheckStorageOptions(const ConvertOptions& options, Diagnostics& diagnostics);

}  // namespace opledger
