// Whether bfloat16 products pay on this machine: a fact to be measured, not read off its
// instruction sets. With AMX they took a seventh of float32's time, with AVX512-BF16 half of it on
// one make of processor and twice as long on another.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace opledger::onednn {

// Measured once for a machine and a version of oneDNN: a product of 256 x 512 x 512 in both types
// on one thread. The answer is kept in the cache folder, so that the next run computes alike.
// OPLEDGER_BFLOAT16=native|widened in the environment says it instead. False where oneDNN has no
// bfloat16 here.
bool Bfloat16Pays();

}  // namespace opledger::onednn
