// Multiplies the bytes of quantized MatMuls, as quantizers write them (DequantizeLinear before,
// often QuantizeLinear after): the sums are exact, and cost less.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/model/model.h"

namespace opledger {

// Rewrites products of quantized values for the CPU's fast kernels. Call it before Bind. Returns
// whether it changed anything.
//
// A MatMul of bytes with known scales, the second factor's per column or per tensor, becomes a
// QLinearMatMul if QuantizeLinear is its only reader, otherwise com.microsoft's
// MatMulIntegerToFloat. Another MatMul or Gemm whose right factor is a known matrix of 4 or 8 bits
// becomes a DequantisedProduct, which keeps the matrix in those bits. A Gather from such a matrix
// becomes a DequantisedGather, which dequantizes only the rows taken.
//
// The surrounding nodes stay for other readers. With a list (`autocast`, otherwise nullptr),
// products of bytes and their nodes stay in float32; the others run in the type of their
// DequantizeLinear, unless the processor multiplies 16 bits natively.
bool MultiplyBytes(RunnableModel& model, Autocast* autocast);

}  // namespace opledger
