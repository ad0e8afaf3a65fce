// The choice among the loops of row_loops.h.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/arithmetic/loops/row_loops.h"

namespace opledger::arithmetic {

const RowLoops& RowLoopsOf(VectorInstructions set) {
  switch (set) {
    case VectorInstructions::kAvx2:
      return *Avx2RowLoops();
    case VectorInstructions::kAvx512:
      return *Avx512RowLoops();
    case VectorInstructions::kPortable:
      break;
  }
  return *PortableRowLoops();
}

const RowLoops& Rows() {
  static const RowLoops& rows = RowLoopsOf(WidestVectorInstructions());
  return rows;
}

}  // namespace opledger::arithmetic
