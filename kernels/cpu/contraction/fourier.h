// Discrete Fourier transforms of any length, by its prime factors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

namespace opledger {

// A transform of a fixed length. Computes in float64, since its roots of unity are inexact.
class FourierTransform {
 public:
  // `inverse`: changes the sign in the exponent; the result is not divided by the length.
  FourierTransform(std::size_t length, bool inverse);

  std::size_t length() const { return roots_.size(); }
  // `in` and `out` have `length` elements and must not overlap; `work` is scratch memory.
  void Run(const std::complex<double>* in, std::complex<double>* out,
           std::complex<double>* work) const;

 private:
  void RunPart(const std::complex<double>* in, std::size_t step, std::size_t length,
               std::complex<double>* out, std::complex<double>* work) const;

  std::vector<std::complex<double>> roots_;  // of unity
};

}  // namespace opledger
