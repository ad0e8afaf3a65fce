// Whether 16-bit products pay on this machine. This is measured, since instruction sets do not
// tell: with AMX they took a seventh of float32's time, with AVX512-BF16 half of it on one make of
// processor and twice as long on another.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/tensor/tensor.h"

namespace opledger::onednn {

// Measured once per machine, version of oneDNN and type (float16 or bfloat16): a product of 256 x
// 512 x 512 in that type and in float32, on one thread. The answer is kept in the cache folder, so
// that later runs compute alike. OPLEDGER_FLOAT16 and OPLEDGER_BFLOAT16=native|widened in the
// environment override it. False if oneDNN has no such product here: float16 needs 3.x and
// AVX512-FP16.
bool NarrowPays(Dtype dtype);

}  // namespace opledger::onednn
