// A plan -> edits of a model's files, and their writing. Here: the names of what is inserted, by
// which it is found again: X -> X__float16, by a node X__float16_cast; a copy X__float16 beside the
// float32 parameter X. A name alone says nothing: the cast, or the rounded numbers, must be there.
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
  std::vector<bool> casts;       // of each node: it is such a cast
  std::vector<bool> copies;      // of each value: it is such a copy
  std::vector<ValueId> made_of;  // of each value: the one that such a cast or copy makes it of
                                 // or, of a 16-bit one, makes of it; kNone: none
};

InsertedParts FindInserted(const OnnxModel& model, TensorData& data);

// Whether `name` is `stem`, or it with a number that made it another: "x_cast_2".
bool IsNumbered(std::string_view name, const std::string& stem);
// Whether `made` is what opledger calls `name` in this type: "x__float16".
bool IsMadeOf(std::string_view made, std::string_view name, Dtype dtype);
// Whether 16-bit numbers are these float32 ones, rounded, as --small-constants has it in either
// way; both little-endian.
bool IsRounded(std::string_view low, Dtype dtype, std::string_view floats);

// Names that no value of the graph has: what is wanted, or with _1, _2 ... after it.
class FreshNames {
 public:
  explicit FreshNames(const Graph& graph);
  std::string Make(const std::string& wanted);

 private:
  std::unordered_set<std::string> taken_;
};

}  // namespace opledger
