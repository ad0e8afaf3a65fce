// Kernels that sample images between pixels: resizing, sampling by a grid, regions; and selection
// among boxes. In: images N, C, D1, D2, ...; out: the samples.
// May include: kernels/cpu/formulas, kernels/cpu/move, kernels/kernel, kernels/tensor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace opledger {

// Returns the weight of a pixel at `distance` >= 0: Keys, "Cubic convolution interpolation for
// digital image processing", 1981.
inline double CubicWeight(double distance, double a) {
  const double x = distance;
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return 0;
}

}  // namespace opledger
