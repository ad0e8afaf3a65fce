// What is done to a model before it is labelled, as edits of its file: --inline-functions (nodes of
// the model's own functions instead of calls), --cse (one node for all that compute the same),
// --opset (nodes of newer versions), --fuse (one node for a chain). Here: what was requested, and
// how often it was done.
// May include: conversion/edit, conversion/label, conversion/model/*, conversion/place, registry/*.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace opledger {

// What was requested, and how often it was done.
struct Preparation {
  std::optional<std::uint64_t> inlined_calls;
  std::optional<std::uint64_t> merged_nodes;
  std::uint64_t removed_casts = 0;  // with merged_nodes
  std::optional<std::uint64_t> fused_chains;
  std::map<std::int64_t, std::uint64_t> unfused_chains;  // by the opset that has the operator
  std::optional<std::int64_t> opset;                     // that the model has now: it was raised
  std::int64_t opset_before = 0;                         // with opset
  std::vector<std::string> opset_notes;                  // why it was not raised, or not further
  std::string took_explained;  // the option that took out the node of --explain; empty: none

  // "  --cse: 3 nodes merged, 1 cast taken out\n"; empty: nothing was requested.
  std::string Text() const;
};

}  // namespace opledger
