// The loops for the compiler's default target.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/arithmetic/loops/loop_table.h"

namespace opledger::arithmetic {

const Loops* PortableLoops() { return &kLoops; }

}  // namespace opledger::arithmetic
