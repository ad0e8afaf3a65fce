// What is done to a model before it is labelled, as edits of its file: --inline-functions (the
// nodes of the model's own functions in place of their calls), --cse (one node for all that compute
// the same). Here: what was requested, and how often it was done.
// May include: conversion/edit, conversion/model/*, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace opledger {

// What was requested, and how often it was done.
struct Preparation {
  std::optional<std::uint64_t> inlined_calls;
  std::optional<std::uint64_t> merged_nodes;
  std::uint64_t removed_casts = 0;  // with merged_nodes

  // "  --cse: 3 nodes merged, 1 cast taken out\n"; empty: nothing was requested.
  std::string Text() const;
};

}  // namespace opledger
