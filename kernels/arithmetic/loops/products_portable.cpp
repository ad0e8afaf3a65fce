// The loops of products for whatever the compiler's target has.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/arithmetic/loops/product_loop_bodies.h"

namespace opledger::arithmetic {

const ProductLoops* PortableProductLoops() { return &kProductLoops; }

}  // namespace opledger::arithmetic
