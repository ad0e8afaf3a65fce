// Reads arbitrary bytes as an ONNX model: must not crash or hang. Spans lie in the file, the
// elements of checked tensors can be read, and without edits the model is written with the same
// bytes.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>

#include "conversion/model/files/edit_list.h"
#include "conversion/model/onnx/tensor_data.h"
#include "tests/fuzz/fuzz_target.h"

namespace {

using opledger::fuzz::Require;

bool Lies(opledger::Span inner, opledger::Span outer) {
  return outer.begin <= inner.begin && inner.begin <= inner.end && inner.end <= outer.end;
}

void CheckFrames(const opledger::OnnxModel& model) {
  const std::vector<opledger::MessageSpan>& frames = model.places.messages;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const opledger::MessageSpan& frame = frames[i];
    Require(frame.parent < static_cast<opledger::MessageId>(i),
            "frames are ordered from the outside in");
    const opledger::Span outer = frame.parent == opledger::kNone
                                     ? opledger::Span{0, model.file.bytes().size()}
                                     : frames[frame.parent].body;
    Require(Lies(frame.whole, outer) && Lies(frame.length, frame.whole) &&
                Lies(frame.body, frame.whole),
            "a message within a message");
  }
}

void CheckNumbers(const opledger::OnnxModel& model) {
  opledger::TensorData data(model);
  opledger::Diagnostics diagnostics;
  const auto& tensors = model.graph.tensors;
  for (opledger::TensorId id = 0; id < static_cast<opledger::TensorId>(tensors.size()); ++id) {
    const opledger::Tensor& tensor = tensors[id];
    if (tensor.storage == opledger::Tensor::Storage::kExternal) continue;
    if (tensor.dtype != opledger::Dtype::kFloat32 || !data.Check(id, diagnostics)) continue;
    std::uint64_t count = 0;
    volatile unsigned char sum = 0;
    data.ForEach(id, [&](const char* numbers, std::size_t more) {
      for (std::size_t i = 0; i < 4 * more; ++i) sum = static_cast<unsigned char>(sum ^ numbers[i]);
      count += more;
      return true;
    });
    Require(count == tensor.elements, "all elements of a tensor are read");
  }
}

}  // namespace

FUZZ_TARGET(onnx) {
  opledger::Diagnostics diagnostics;
  const auto model =
      opledger::ReadOnnx(opledger::SourceFile::FromText(
                             "fuzz.onnx", std::string(reinterpret_cast<const char*>(data), size)),
                         diagnostics);
  Require(model.has_value() != diagnostics.has_errors(),
          "an error if and only if a model is refused");
  if (!model) return 0;
  CheckFrames(*model);
  CheckNumbers(*model);
  opledger::EditList none;
  Require(opledger::EditedText(model->file, none) == model->file.bytes(),
          "unedited text has the model's bytes");
  return 0;
}
