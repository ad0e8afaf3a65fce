// Field numbers of the messages of onnx.proto, for whoever reads or writes them by spans.
// https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace opledger {

namespace model_field {
enum : std::uint32_t { kGraph = 7, kOpsetImport = 8, kFunctions = 25 };
}
namespace graph_field {
enum : std::uint32_t {
  kNode = 1,
  kInitializer = 5,
  kInput = 11,
  kOutput = 12,
  kValueInfo = 13,
  kSparseInitializer = 15
};
}
namespace node_field {
enum : std::uint32_t {
  kInput = 1,
  kOutput = 2,
  kName = 3,
  kOpType = 4,
  kAttribute = 5,
  kDomain = 7,
  kOverload = 8,
  kDevices = 10  // device_configurations
};
}
namespace attribute_field {
enum : std::uint32_t {
  kName = 1,
  kTensor = 5,
  kGraph = 6,
  kGraphs = 11,
  kDocumentation = 13,
  kReference = 21
};
}
namespace tensor_field {
enum : std::uint32_t {
  kDataType = 2,
  kFloatData = 4,
  kName = 8,
  kRawData = 9,
  kDocumentation = 12,
  kExternalData = 13,
  kDataLocation = 14
};
}
namespace function_field {
enum : std::uint32_t {
  kName = 1,
  kInput = 4,
  kOutput = 5,
  kNode = 7,
  kOpsetImport = 9,
  kDomain = 10,
  kDefault = 11,  // attribute_proto: attributes with default values
  kValueInfo = 12,
  kOverload = 13
};
}

}  // namespace opledger
