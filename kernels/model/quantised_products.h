// MatMul of numbers that stand for bytes, as quantisers write it (DequantizeLinear before, often
// QuantizeLinear behind), is a product of the bytes: its sums are exact, and cost less.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/model/model.h"

namespace opledger {

// Each MatMul whose factors are bytes with a known scale, the second with one for each column or
// for all, becomes a QLinearMatMul where QuantizeLinear alone reads it, else a MatMulIntegerToFloat
// of com.microsoft. Each other MatMul or Gemm whose right factor is a known matrix of 4 or 8 bits
// becomes a DequantisedProduct, which keeps it in as many; so does a Gather from such a matrix, a
// DequantisedGather, which dequantises what it takes. The nodes around it are left to other
// readers. With a list, whose placement `autocast` is, products of bytes stay in float32 with all
// of these nodes; the others run in the type of their DequantizeLinear, unless the processor
// multiplies 16 bits as they are. Before Bind. For the CPU's fast kernels. Returns whether there is
// any.
bool MultiplyBytes(RunnableModel& model, Autocast* autocast);

}  // namespace opledger
