// What an ONNX node's attributes hold beyond one number or text: lists, packed or not, read from
// the file when they are needed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "conversion/model/onnx/onnx.h"

namespace opledger {

// The name of the AttributeProto in `message`.
std::string_view AttributeName(std::string_view file, Span message);
// Where the AttributeProto of a node's attribute stands; empty: it is absent.
Span PlaceOfAttribute(const OnnxModel& model, NodeId node, std::string_view name);
// What the AttributeProto in `message` holds, but for its name: a number, a text or a list. False:
// it holds something else.
bool ReadPlainAttribute(std::string_view file, Span message, Attribute& attribute);
// The float32 numbers in it, little-endian.
std::string AttributeFloatBytes(std::string_view file, Span message);

// Of a node's attribute; empty: absent, or none.
std::vector<std::int64_t> AttributeIntegers(const OnnxModel& model, NodeId node,
                                            std::string_view attribute);
std::vector<float> AttributeFloats(const OnnxModel& model, NodeId node, std::string_view attribute);
std::vector<std::string> AttributeStrings(const OnnxModel& model, NodeId node,
                                          std::string_view attribute);

}  // namespace opledger
