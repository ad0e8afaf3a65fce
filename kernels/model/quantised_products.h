// MatMul of numbers that stand for bytes, as quantisers write it (DequantizeLinear before, often
// QuantizeLinear behind), is a product of the bytes: its sums are exact, and cost less.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/model/model.h"

namespace opledger {

// Each MatMul whose factors are bytes with a known scale, the second with one for each column or
// for all, becomes a QLinearMatMul where QuantizeLinear alone reads it, else a MatMulIntegerToFloat
// of com.microsoft. The nodes around it are left to other readers. Before Bind. For the CPU's fast
// kernels, of a model that runs as it is: lists place the nodes of the file. Returns whether there
// is any.
bool MultiplyBytes(RunnableModel& model);

}  // namespace opledger
