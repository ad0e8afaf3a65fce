// Measures a kernel in a 16-bit type against float64.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/evidence/probe.h"
#include "kernels/kernel/kernel.h"

namespace opledger {

// Errors are relative, in units of the 16-bit type's rounding, 2^-11 or 2^-8. Results more than
// 2^14 times smaller than the largest do not count.
struct DomainEvidence {
  std::string domain;
  bool rare = false;        // see Domain
  std::size_t numbers = 0;  // number of results
  double not_finite = 0;    // fraction of the results finite in float32 that are not finite
  double flushed = 0;       // fraction of the results that count and became 0
  double median = 0;        // of the errors, as are the next two
  double p99 = 0;
  double max = 0;
  // For results judged by the largest element of their row (Judged); 0 otherwise.
  std::size_t rows = 0;
  double changed_rows = 0;  // fraction whose largest element moved or is too far off (harm.h)
  double largest = 0;       // largest error of such an element over all rows
  double ulp = 0;           // largest error of the kernel alone, on rounded inputs, in ulp
  bool exact = false;       // every result on rounded inputs is exact
};

struct Measurement {
  std::string refusal;                  // not empty: why the kernel does not accept the probe
  std::vector<DomainEvidence> domains;  // as the kernel computes
  std::vector<DomainEvidence> steps;   // with each intermediate result rounded; only with a formula
  std::string bound;                   // the error bound that the kernel declares
  std::optional<double> milliseconds;  // CPU time of a call; nullopt: not measured
  std::optional<double> milliseconds_float32;  // the same in float32
};

struct MeasureOptions {
  KernelChoice choice;
  bool speed = false;  // also measure CPU times
};

// Runs the kernel in `dtype` on each domain of the probe. Always returns a measurement; it has a
// refusal if the kernel does not accept the probe.
Measurement Measure(const Probe& probe, Dtype dtype, const MeasureOptions& options);

}  // namespace opledger
