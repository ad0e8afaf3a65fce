// Infers the shapes of all values of a graph from the file's declarations, from shapes that the
// user gives for its inputs, and through the operators of shape_rules.cpp.
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

using Shape = std::vector<std::int64_t>;  // dimensions, not negative; at most kMaxDimension

inline constexpr std::int64_t kMaxDimension = std::int64_t{1} << 40;

// A declared shape that does not fit, or shapes that an operator does not accept.
struct ShapeProblem {
  NodeId node = kNone;
  std::string message;
};

struct Shapes {
  std::vector<std::optional<Shape>> values;  // per value; nullopt: unknown
  // For values that hold shapes and similar integers: these integers.
  std::map<ValueId, std::vector<std::int64_t>> integers;
  std::vector<ShapeProblem> problems;  // of the main graph

  // Returns the number of elements of a value, or nullopt if unknown.
  std::optional<std::uint64_t> Elements(ValueId value) const;
};

// `inputs`: shapes by names of the model's inputs. They also set dimensions that the file declares
// by name. Returns nullopt, with an error, if an input does not exist or is declared otherwise.
std::optional<Shapes> InferShapes(const OnnxModel& model,
                                  const std::map<std::string, Shape>& inputs,
                                  Diagnostics& diagnostics);

// A declared dimension: a number, a name, or neither.
struct DeclaredDimension {
  std::optional<std::int64_t> number;  // at most kMaxDimension
  std::string name;
};
// Returns the tensor shape declared by the ValueInfoProto `frame`, or nullopt if there is none.
std::optional<std::vector<DeclaredDimension>> DeclaredShape(const OnnxModel& model,
                                                            MessageId frame);

// Returns the shape of an input of the main graph as text: "batch,3,224,224", with the file's names
// or D for open dimensions. Empty if the rank is not declared.
std::string DeclaredDimensions(const OnnxModel& model, ValueId input);

// Return whether output 0 of an operator of the default domain has the shape of input 0, or the
// shape to which all inputs are broadcast.
bool KeepsShape(std::string_view op);
bool BroadcastsShapes(std::string_view op);

// Sets the shapes of a node's outputs, if they follow from those of its inputs.
void ApplyShapeRule(const OnnxModel& model, NodeId node, Shapes& shapes);

}  // namespace opledger
