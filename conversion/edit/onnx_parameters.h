// Constants of an ONNX model in the target type: in place of the float32 ones, or beside them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conversion/edit/onnx_data_file.h"
#include "conversion/model/onnx/message_edits.h"
#include "conversion/model/onnx/tensor_data.h"

namespace opledger {

class OnnxParameters {
 public:
  OnnxParameters(const OnnxModel& model, Dtype target, TensorData& data, OnnxDataFile& data_file,
                 FrameEdits& edits)
      : model_(model), target_(target), data_(data), data_file_(data_file), edits_(edits) {}

  // The parameter becomes low under its own name.
  void Convert(ValueId id);
  // A low one stands behind it, under another name.
  void Duplicate(ValueId id, const std::string& name);
  // External tensors that nothing converted move to the new data file.
  void MoveExternal();

 private:
  NewBytes TensorField(std::uint32_t number, TensorId id, const std::string* name);
  NewBytes NodeField(NodeId id, const std::string& output, const std::string* name);
  std::string TensorHead(TensorId id, const std::string* name);
  void MarkReplaced(const Value& value);
  NewBytes WithNumbers(std::string head, TensorId id);
  std::uint64_t InlineSize(TensorId id) const;
  std::string LowAttribute(const Node& node, Span message, TensorId& tensor);

  const OnnxModel& model_;
  Dtype target_;
  TensorData& data_;
  OnnxDataFile& data_file_;
  std::vector<bool> replaced_;  // tensors of which the old form is gone
  FrameEdits& edits_;
};

}  // namespace opledger
