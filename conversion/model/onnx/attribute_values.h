// Reads values of an ONNX node's attributes that the graph does not hold, such as lists, packed or
// not. They are read from the file on demand.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "conversion/model/onnx/onnx.h"

namespace opledger {

// Returns the name of the AttributeProto in `message`.
std::string_view AttributeName(std::string_view file, Span message);
// Returns the span of the AttributeProto of a node's attribute. Empty if it is absent.
Span PlaceOfAttribute(const OnnxModel& model, NodeId node, std::string_view name);
// Reads the value of the AttributeProto in `message` without its name: a number, a string or a
// list. Returns false for other kinds.
bool ReadPlainAttribute(std::string_view file, Span message, Attribute& attribute);
// Returns the float32 elements of the attribute, little-endian.
std::string AttributeFloatBytes(std::string_view file, Span message);

// Return the list in a node's attribute. Empty if it is absent or not such a list.
std::vector<std::int64_t> AttributeIntegers(const OnnxModel& model, NodeId node,
                                            std::string_view attribute);
std::vector<float> AttributeFloats(const OnnxModel& model, NodeId node, std::string_view attribute);
std::vector<std::string> AttributeStrings(const OnnxModel& model, NodeId node,
                                          std::string_view attribute);

}  // namespace opledger
