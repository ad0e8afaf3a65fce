// What a kernel makes of a probe's numbers in a 16-bit type, held against float64.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/evidence/probe.h"
#include "kernels/kernel/kernel.h"

namespace opledger {

// Errors are in units of the 16-bit type's rounding, 2^-11 or 2^-8 of the number, and of results
// that are not more than 2^14 times smaller than the largest.
struct DomainEvidence {
  std::string domain;
  bool rare = false;  // as Domain has it
  std::size_t numbers = 0;
  double not_finite = 0;  // share of the results that are finite in float32
  double flushed = 0;     // share of the results that count and are 0 now
  double median = 0;
  double p99 = 0;
  double max = 0;
  // Of results that are judged by the largest of their row (Judged); 0 rows: of none.
  std::size_t rows = 0;
  double changed_rows = 0;  // share of rows in which it is another one, or off by too much (harm.h)
  double largest = 0;       // the worst row's error of it
  double ulp = 0;           // of the kernel alone, on inputs as rounded: the largest, in ulp
  bool exact = false;       // on inputs as rounded, every result is the exact one
};

struct Measurement {
  std::string refusal;                  // not empty: the kernel does not take it
  std::vector<DomainEvidence> domains;  // as the kernel computes
  std::vector<DomainEvidence> steps;    // each intermediate result rounded; of a formula only
  std::string instruction_set;          // of the kernel that ran; empty: it needs none
  std::string bound;                    // that it declares
  std::optional<double> milliseconds;   // CPU time of a call; none: not asked for
  std::optional<double> milliseconds_float32;
};

struct MeasureOptions {
  KernelChoice choice;
  bool speed = false;
};

Measurement Measure(const Probe& probe, Dtype dtype, const MeasureOptions& options);

}  // namespace opledger
