// What Conv and ConvTranspose have in common.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/onednn/onednn.h"

namespace opledger::onednn {

// A call whose weights are constant, by the primitive of `shape` with as much of what is fused to
// it as oneDNN takes.
Prepared PrepareConvolution(Convolution& shape, const Call& call, const TensorType& result);

// Why neither serves a call, of which `result` is what comes out; nullptr: it may.
const char* NotServed(const Call& call, const TensorType& result);
bool HasChannelsSecond(const Call& call);
bool HasPlainBias(const Call& call);

}  // namespace opledger::onednn
