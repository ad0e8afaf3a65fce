// Changes a model before it is labeled, as edits of its file: --inline-functions (replaces calls by
// the function's nodes), --cse (merges duplicate nodes), --opset (upgrades operators), --fuse
// (replaces chains by single nodes). This header records what was requested and how often it was
// done.
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
  std::uint64_t removed_casts = 0;  // counted if merged_nodes is set
  std::optional<std::uint64_t> fused_chains;
  std::map<std::int64_t, std::uint64_t> unfused_chains;  // by the first opset that has the operator
  std::optional<std::int64_t> opset;     // the opset after raising it; nullopt: not raised
  std::int64_t opset_before = 0;         // with opset
  std::vector<std::string> opset_notes;  // why it was not raised, or not further
  std::string took_explained;  // the option that removed the node of --explain; empty: none did

  // "  --cse: 3 nodes merged, 1 cast removed\n". Empty if nothing was requested.
  std::string Text() const;
};

}  // namespace opledger
