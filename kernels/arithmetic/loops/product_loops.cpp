// The choice among the loops of product_loops.h.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/arithmetic/loops/product_loops.h"

namespace opledger::arithmetic {

const ProductLoops& Products() {
  static const ProductLoops& products = []() -> const ProductLoops& {
    switch (WidestVectorInstructions()) {
      case VectorInstructions::kAvx2:
        return *Avx2ProductLoops();
      case VectorInstructions::kAvx512:
        return *Avx512ProductLoops();
      case VectorInstructions::kPortable:
        break;
    }
    return *PortableProductLoops();
  }();
  return products;
}

}  // namespace opledger::arithmetic
