// Shared parts of Conv and ConvTranspose.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/onednn/onednn.h"

namespace opledger::onednn {

// Prepares a call with constant weights. The primitive of `shape` includes as much of the epilogue
// as oneDNN supports.
Prepared PrepareConvolution(Convolution& shape, const Call& call, const TensorType& result);

// Returns why neither kernel can run a call with output `result`, or nullptr if one may.
const char* NotServed(const Call& call, const TensorType& result);
bool HasChannelsSecond(const Call& call);
bool HasPlainBias(const Call& call);

}  // namespace opledger::onednn
