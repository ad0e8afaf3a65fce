// The loops over rows for whatever the compiler's target has.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/arithmetic/loops/row_loop_bodies.h"

namespace opledger::arithmetic {

const RowLoops* PortableRowLoops() { return &kRowLoops; }

}  // namespace opledger::arithmetic
