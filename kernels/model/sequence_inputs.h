// Inputs that are sequences or optionals: the graph takes their tensors instead, and builds the
// sequence itself.
//   s.0=a.npy s.1=b.npy -> inputs s.0 and s.1, and a node s = SequenceConstruct(s.0, s.1)
//   s=empty -> a node s = SequenceEmpty(), or of an optional s = Optional()
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string>

#include "conversion/model/onnx/onnx.h"
#include "kernels/model/model_inputs.h"

namespace opledger {

// `names` owns the names of the new inputs and must outlive the graph. Returns false, with an
// error, if the given inputs are ambiguous.
bool TakeSequenceInputs(OnnxModel& model, const InputOptions& options,
                        std::deque<std::string>& names, Diagnostics& diagnostics);

// "s.0".
std::string ElementName(std::string_view sequence, std::size_t element);

// Marks an empty sequence or optional: NAME=empty.
inline constexpr std::string_view kEmptyInput = "empty";

}  // namespace opledger
