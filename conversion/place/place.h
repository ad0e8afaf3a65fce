// Turns a graph and its labels into a plan: which free nodes run low, by an exact minimum cut, in
// which types each value is wanted, and so where casts go. Independent of the format; files with
// onnx or mxnet in their names label and pin a model of that format first.
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
  bool float32 = false;    // otherwise the value is unchanged
  bool parameter = false;  // an initializer or constant: recreated in each type that is needed
  bool low = false;        // its producer computes it low
  bool wanted_low = false;
  bool wanted_high = false;
  bool stored_low = false;  // a parameter that is low in the file and float32 for its readers
  // A value with the same elements in the target type, by one of the model's own casts: low readers
  // of this value read that one.
  ValueId same_low = kNone;

  // Returns whether its elements are in the file in the target type.
  bool WrittenLow() const { return stored_low || (parameter && wanted_low); }
  bool CastDown() const { return float32 && !parameter && !low && wanted_low && same_low == kNone; }
  bool CastUp() const { return float32 && !parameter && low && wanted_high; }
};

// The type in which a reader needs a float32 value.
enum class Want : std::uint8_t { kAsItIs, kLow, kHigh };

// An attribute to set on a low node.
struct PlannedAttribute {
  NodeId node = kNone;
  SaidType said;
};

// An input or output of the model that keeps float32 despite --io-types low.
struct KeptBorder {
  ValueId value = kNone;
  const char* why = "";
};

struct Plan {
  std::vector<bool> low;                         // per node
  std::vector<ValuePlan> values;                 // per value
  std::vector<std::vector<Want>> inputs;         // per node, per input
  std::vector<std::vector<Want>> scope_outputs;  // per scope, per output
  std::vector<NodeId> unread_casts;              // casts of the model to remove
  std::vector<PlannedAttribute> attributes;
  std::vector<KeptBorder> kept_border;
  // Elements of low parameters that would become zero become the smallest value of the type.
  bool raises_small = false;
  std::uint64_t casts = 0;
  std::uint64_t cost = 0;   // of the casts
  ValueId unknown = kNone;  // a value that may need a cast of unknown cost

  bool Changes() const;  // whether anything has to be done
};

struct PlanOptions {
  bool low_outputs = false;       // make the model's inputs and outputs low too
  std::set<std::string> keep_io;  // except for these
  // Per value: the cost of a cast; nullptr: one each. nullopt if the cost is unknown.
  const std::vector<std::optional<std::uint64_t>>* costs = nullptr;
  std::optional<Dtype> own_casts;  // the target type, if the model's own casts may be removed
  // Per node: its version cannot create a constant of the target type, so its output is cast like a
  // computed value.
  std::vector<bool> casts_constants;
  bool raises_small = false;  // as in the plan
};

// Applies the attributes of the plan to the graph, as its file would have them. `flag_of` returns
// the format's number of a type, or 0 if the format names types.
void TakeAttributes(const Plan& plan, std::int64_t (*flag_of)(Dtype), Graph& graph);

// Decides which free nodes run low by a minimum cut, and plans the casts.
Plan PlaceFreeNodes(const Graph& graph, const std::vector<NodeLabel>& labels,
                    const PlanOptions& options);

// Sets the rule "storage-only" on all nodes that are not excluded.
void LabelForStorage(std::vector<NodeLabel>& labels);

// Plans to store low those parameters that have at least `options.min_elements` elements, that
// `rounds` accepts (no element becomes infinite), that no excluded node reads, and that are not
// graph outputs.
Plan MakeStoragePlan(const Graph& graph, const std::vector<NodeLabel>& labels,
                     const ConvertOptions& options, const std::function<bool(ValueId)>& rounds);

// Returns whether --storage-only can be combined with the other options. If not, reports which one
// conflicts.
bool CheckStorageOptions(const ConvertOptions& options, Diagnostics& diagnostics);

}  // namespace opledger
