// Field numbers of the messages of onnx.proto, for code that reads or edits the encoded bytes.
// https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace opledger {

namespace model_field {
enum : std::uint32_t { kIrVersion = 1, kGraph = 7, kOpsetImport = 8, kFunctions = 25 };
}
namespace opset_field {
enum : std::uint32_t { kDomain = 1, kVersion = 2 };
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
  kFloat = 2,
  kInt = 3,
  kString = 4,
  kTensor = 5,
  kGraph = 6,
  kFloats = 7,
  kInts = 8,
  kStrings = 9,
  kTensors = 10,
  kGraphs = 11,
  kDocumentation = 13,
  kTypeProto = 14,
  kTypeProtos = 15,
  kType = 20,  // an attribute_type
  kReference = 21,
  kSparseTensor = 22,
  kSparseTensors = 23
};
}
namespace attribute_type {
enum : std::uint32_t {
  kFloat = 1,
  kInt = 2,
  kString = 3,
  kTensor = 4,
  kGraph = 5,
  kFloats = 6,
  kInts = 7,
  kStrings = 8,
  kTensors = 9,
  kGraphs = 10,
  kSparseTensor = 11,
  kSparseTensors = 12,
  kTypeProto = 13,
  kTypeProtos = 14
};
}
namespace tensor_field {
enum : std::uint32_t {
  kDimensions = 1,
  kDataType = 2,
  kFloatData = 4,
  kInt32Data = 5,
  kStringData = 6,
  kInt64Data = 7,
  kName = 8,
  kRawData = 9,
  kDoubleData = 10,
  kUint64Data = 11,
  kDocumentation = 12,
  kExternalData = 13,  // entries
  kDataLocation = 14   // kExternal, or 0
};
inline constexpr std::uint64_t kExternal = 1;
}  // namespace tensor_field
namespace sparse_tensor_field {
enum : std::uint32_t { kValues = 1 };
}
namespace entry_field {  // StringStringEntryProto
enum : std::uint32_t { kKey = 1, kValue = 2 };
}
namespace value_info_field {
enum : std::uint32_t { kName = 1, kType = 2 };
}
namespace type_field {
enum : std::uint32_t {
  kTensor = 1,
  kSequence = 4,
  kMap = 5,
  kOpaque = 7,
  kSparseTensor = 8,
  kOptional = 9
};
}
namespace tensor_type_field {  // kElement is also the field of sequences and optionals
enum : std::uint32_t { kElement = 1, kShape = 2 };
}
namespace shape_field {
enum : std::uint32_t { kDimension = 1 };
}
namespace dimension_field {
enum : std::uint32_t { kNumber = 1, kName = 2 };
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
