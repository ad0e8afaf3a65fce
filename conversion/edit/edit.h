// A plan -> edits of a model's files, and their writing. Here: the names of what is inserted, by
// which it is found again: X -> X__float16, by a node X__float16_cast; a copy X__float16 beside the
// float32 parameter X.
// May include: conversion/model/*, conversion/place, registry/platform, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "conversion/model/graph/graph.h"

namespace opledger {

struct InsertedParts {
  std::vector<bool> casts;         // of each node: it is such a cast
  std::vector<bool> copies;        // of each value: it is such a copy
  std::vector<std::string> names;  // of each value: what it was called; empty: as it is
};

InsertedParts FindInserted(const Graph& graph);

// Whether `name` is `stem`, or it with a number that made it another: "x_cast_2".
bool IsNumbered(std::string_view name, const std::string& stem);
// Whether `made` is what opledger calls `name` in another type: "x__float16".
bool IsMadeOf(std::string_view made, std::string_view name);

// Names that no value of the graph has: what is wanted, or with _1, _2 ... after it.
class FreshNames {
 public:
  explicit FreshNames(const Graph& graph);
  std::string Make(const std::string& wanted);

 private:
  std::unordered_set<std::string> taken_;
};

}  // namespace opledger
