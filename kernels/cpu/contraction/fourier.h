// Discrete Fourier transforms of any length, by its prime factors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

namespace opledger {

// Prepared once for a length; it computes in float64, since its factors are of no exact type.
class FourierTransform {
 public:
  // `inverse`: the other sign in the exponent; nothing is divided.
  FourierTransform(std::size_t length, bool inverse);

  std::size_t length() const { return roots_.size(); }
  // As many numbers each as it is long, and none the same; `work` is for itself.
  void Run(const std::complex<double>* in, std::complex<double>* out,
           std::complex<double>* work) const;

 private:
  void RunPart(const std::complex<double>* in, std::size_t step, std::size_t length,
               std::complex<double>* out, std::complex<double>* work) const;

  std::vector<std::complex<double>> roots_;  // of unity
};

}  // namespace opledger
