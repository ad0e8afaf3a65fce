// The shapes of all values of a graph, as far as they follow: from what the file declares, from
// shapes that the user gives for its inputs, and through the operators of shape_rules.cpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conversion/model/onnx/onnx.h"

namespace opledger {

using Shape = std::vector<std::int64_t>;  // dimensions, none negative; at most kMaxDimension

inline constexpr std::int64_t kMaxDimension = std::int64_t{1} << 40;

// What does not fit: a shape that the file declares, or shapes that an operator does not take.
struct ShapeProblem {
  NodeId node = kNone;
  std::string message;
};

struct Shapes {
  std::vector<std::optional<Shape>> values;  // of each value; none: it does not follow
  // Of each value that is a shape or the like: its integers.
  std::map<ValueId, std::vector<std::int64_t>> integers;
  std::vector<ShapeProblem> problems;  // of the main graph

  // How many numbers a value has; none: not known.
  std::optional<std::uint64_t> Elements(ValueId value) const;
};

// `inputs`: dimensions by the names of the model's inputs. A dimension that the file declares by a
// name is known wherever that name stands. None, with an error: an input is not there, or is
// declared otherwise.
std::optional<Shapes> InferShapes(const OnnxModel& model,
                                  const std::map<std::string, Shape>& inputs,
                                  Diagnostics& diagnostics);

// A dimension as a file declares it: a number, a name, or neither.
struct DeclaredDimension {
  std::optional<std::int64_t> number;  // at most kMaxDimension
  std::string name;
};
// What the ValueInfoProto `frame` says of its tensor's shape; none: nothing.
std::optional<std::vector<DeclaredDimension>> DeclaredShape(const OnnxModel& model,
                                                            MessageId frame);

// How to say the shape of an input of the main graph: "batch,3,224,224", with the file's names, or
// D, for what it leaves open. Empty: it does not say how many dimensions there are.
std::string DeclaredDimensions(const OnnxModel& model, ValueId input);

// Of operators of the default domain: whether output 0 has the shape of input 0, or that to which
// all inputs are broadcast.
bool KeepsShape(std::string_view op);
bool BroadcastsShapes(std::string_view op);

// What a node does to shapes: sets those of its outputs, where they follow from its inputs'.
void ApplyShapeRule(const OnnxModel& model, NodeId node, Shapes& shapes);

}  // namespace opledger
