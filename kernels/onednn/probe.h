// Whether bfloat16 products pay on this machine: a fact to be measured, not read off its
// instruction sets. reference: with AMX 6 to 7 times float32, with AVX512-BF16 2.4 times on one
// make of processor and half as fast on another.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace opledger::onednn {

// Measured once for a process: a product of 256 x 512 x 512 in both types, by the CPU time of one
// thread. OPLEDGER_BFLOAT16=native|widened in the environment says it instead. False where oneDNN
// has no bfloat16 here.
bool Bfloat16Pays();

}  // namespace opledger::onednn
