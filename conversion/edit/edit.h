// Turns a plan into edits of a model's files and writes them. This header names inserted parts, so
// that they can be found again: X becomes X__float16 by a node X__float16_cast, or a copy
// X__float16 next to the float32 parameter X. The name alone proves nothing: the cast or the
// rounded elements must match too.
// May include: conversion/model/*, conversion/place, registry/files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "conversion/model/onnx/onnx.h"
#include "conversion/model/onnx/tensor_data.h"

namespace opledger {

struct InsertedParts {
  std::vector<bool> casts;       // per node: whether it is such a cast
  std::vector<bool> copies;      // per value: whether it is such a copy
  std::vector<ValueId> made_of;  // per value: the one that it was cast or copied from,
                                 // or that was cast from it if it is 16-bit; kNone: neither
};

InsertedParts FindInserted(const OnnxModel& model, TensorData& data);

// Returns whether `name` is `stem`, possibly with a number that makes it unique: "x_cast_2".
bool IsNumbered(std::string_view name, const std::string& stem);
// Returns whether `made` is opledger's name for `name` in this type: "x__float16".
bool IsMadeOf(std::string_view made, std::string_view name, Dtype dtype);
// Returns whether the 16-bit elements are these float32 elements, rounded with either setting of
// --small-constants. Both are little-endian.
bool IsRounded(std::string_view low, Dtype dtype, std::string_view floats);

// Makes names that no value of the graph has: the wanted name, or with _1, _2 ... appended.
class FreshNames {
 public:
  explicit FreshNames(const Graph& graph);
  std::string Make(const std::string& wanted);

 private:
  std::unordered_set<std::string> taken_;
};

}  // namespace opledger
