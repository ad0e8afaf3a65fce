// What measured errors say about an operator in a 16-bit type: whether they do harm. The one place
// that says how much is too much, for `opledger characterize` and for whatever `opledger check
// --evidence` reads. An infinity spoils all that is computed from it, so the range of results is
// judged on all numbers, the largest that activations have too. A rounding error goes as far as
// the number that has it, so errors are judged on ordinary numbers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace opledger {

// What is too much. tests/kernels/policy_rule_test.py says what others would give.
inline constexpr double kMaxNotFinite = 0.001;  // share of results
inline constexpr double kMaxFlushed = 0.01;     // share of results that count
inline constexpr double kMaxError = 16;         // units of rounding: 4 bits
inline constexpr double kMaxChangedRows =
    kMaxNotFinite;  // a wrong answer, too, is all that is left

// Errors on the numbers of one domain ("reals 8").
struct DomainErrors {
  std::string domain;     // empty: not known
  bool rare = false;      // few activations are like these numbers
  double not_finite = 0;  // share of the results that are finite in float32
  double flushed = 0;     // share of the results that count and became 0
  double error = 0;       // one result in a hundred is off by so many units of rounding, or more
  // Share of rows whose largest number is another one now, or off by more than kMaxError: of
  // operators whose rows are read for that number (softmax). Their `flushed` and `error` are 0.
  double changed_rows = 0;
};

struct Harm {
  std::string step;    // what decided: "range", "error" or "flush"
  std::string reason;  // "1.2 % of the results are not finite on reals 8"
};

// Returns the first harm in that order, in the domain where it is worst; nullopt if there is none.
std::optional<Harm> FindHarm(const std::vector<DomainErrors>& domains);

}  // namespace opledger
