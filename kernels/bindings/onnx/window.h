// The windows of ONNX's convolutions and pools, as the kernels' parameters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/bindings/onnx/node.h"

namespace opledger {

// Sets kernel, strides, dilations, begin, end and ceil; auto_pad becomes pads. `kernel`: of the
// weights, or of the attribute. `cuts`: windows between which strides leave gaps at the border have
// negative pads.
void SetWindow(const OnnxNode& node, Dimensions kernel, Parameters& parameters, bool cuts = false);
// Of a transposed convolution, also its output's dimensions. `given`: pads instead of the
// attribute's.
void SetTransposedWindow(const OnnxNode& node, Dimensions kernel, Parameters& parameters,
                         const Integers& given = {});

}  // namespace opledger
