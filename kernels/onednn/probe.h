// Whether 16-bit products pay on this machine: a fact to be measured, not read off its
// instruction sets. With AMX they took a seventh of float32's time, with AVX512-BF16 half of it on
// one make of processor and twice as long on another.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/tensor/tensor.h"

namespace opledger::onednn {

// Measured once for a machine, a version of oneDNN and a type, float16 or bfloat16: a product of
// 256 x 512 x 512 in that and in float32 on one thread. The answer is kept in the cache folder, so
// that the next run computes alike. OPLEDGER_FLOAT16 and OPLEDGER_BFLOAT16=native|widened in the
// environment say it instead. False where oneDNN has no such product here: float16 needs 3.x and
// AVX512-FP16.
bool NarrowPays(Dtype dtype);

}  // namespace opledger::onednn
