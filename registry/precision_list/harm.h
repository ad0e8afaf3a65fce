// Decides whether the measured errors of an operator in a 16-bit type are harmful. All thresholds
// are here, for `opledger characterize` and for the evidence that `opledger check --evidence`
// reads. An infinity spoils everything computed from it, so the range is judged on all inputs,
// including the largest activations. A rounding error affects only its own result, so errors are
// judged on ordinary inputs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace opledger {

// Thresholds. tests/kernels/policy_rule_test.py shows what other thresholds would give.
inline constexpr double kMaxNotFinite = 0.001;            // share of results
inline constexpr double kMaxFlushed = 0.01;               // share of significant results
inline constexpr double kMaxError = 16;                   // units of rounding: 4 bits
inline constexpr double kMaxChangedRows = kMaxNotFinite;  // a wrong answer also spoils what follows

// Errors on the inputs of one domain ("reals 8").
struct DomainErrors {
  std::string domain;     // empty: unknown
  bool rare = false;      // whether activations are rarely like these inputs
  double not_finite = 0;  // share of the results that are finite in float32
  double flushed = 0;     // share of the significant results that became 0
  double error = 0;       // 99th percentile, in units of rounding
  // Share of rows whose largest element moved or is off by more than kMaxError, for operators whose
  // rows are read for that element (softmax). Their `flushed` and `error` are 0.
  double changed_rows = 0;
};

struct Harm {
  std::string step;    // the criterion: "range", "error" or "flush"
  std::string reason;  // "1.2 % of the results are not finite on reals 8"
};

// Returns the first harm in this order, on its worst domain, or nullopt if there is none.
std::optional<Harm> FindHarm(const std::vector<DomainErrors>& domains);

}  // namespace opledger
