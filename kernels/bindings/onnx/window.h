// Converts the windows of ONNX's convolutions and pools to the kernels' parameters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/bindings/onnx/node.h"

namespace opledger {

// Sets kernel, strides, dilations, begin, end and ceil; converts auto_pad to pads. `kernel`: from
// the weights or the attribute. `cuts`: use negative pads if strides leave gaps between windows at
// the border.
void SetWindow(const OnnxNode& node, Dimensions kernel, Parameters& parameters, bool cuts = false);
// Sets the window of a transposed convolution, and its output's dimensions. `given`: pads that
// replace the attribute's.
void SetTransposedWindow(const OnnxNode& node, Dimensions kernel, Parameters& parameters,
                         const Integers& given = {});

}  // namespace opledger
