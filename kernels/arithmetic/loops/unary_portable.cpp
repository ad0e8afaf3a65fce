// The loops over arrays for whatever the compiler's target has.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/arithmetic/loops/unary_loop_bodies.h"

namespace opledger::arithmetic {

UnaryLoop PortableUnaryLoop(Unary function) { return LoopOf(function); }

}  // namespace opledger::arithmetic
