// Defines how each kernel is tested: inputs by role, parameters, formula.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/evidence/domain.h"
#include "kernels/evidence/formulas.h"
#include "kernels/kernel/parameters.h"

namespace opledger {

struct ProbeInput {
  Role role = Role::kReals;
  Dimensions shape;
  std::int64_t limit = 2;  // of kIndices: exclusive upper bound
};

// How the error of a result is judged.
enum class Judged {
  kEach,    // each number by its own size
  kByNorm,  // by the norm of the result, because cancellation is due to the data
  // By the largest element of each row: which one it is, and its value. The others do not count.
  kByLargest,
  kByLargestLogarithm,  // the same, where the results are logarithms
};

struct Probe {
  const char* kernel = nullptr;
  std::vector<ProbeInput> inputs;
  Parameters parameters = {};
  Judged judged = Judged::kEach;
  bool contraction = false;  // its work grows faster than its data
  bool loss = false;
  bool rows = false;                   // input 0 is a matrix whose rows may have any length
  std::vector<double> crossings = {};  // where a unary function is 0 or has a pole
  Formula formula = {};  // its steps; empty: it has one step, or accumulates in float32
  // If a parameter distinguishes kinds of the operator: its name, and its value here.
  std::string parameter = {};
  std::string value = {};

  // Number of inputs that must have the same type; weights and scales do not count.
  std::size_t Floats() const;
};

// Sorted by kernel name.
const std::vector<Probe>& Probes();

// Domains for this type, ordinary ones first.
std::vector<Domain> DomainsOf(const Probe& probe, Dtype dtype);

// Probes of element-wise kernels that are not in `described`. A unary function is tested where it
// is defined and near its sign changes; both are determined from its results in float64. A binary
// function is tested on reals.
std::vector<Probe> ElementwiseProbes(const std::vector<Probe>& described);

// Why the kernel has no probe, by category: "moves bits"; empty: no reason is recorded.
std::string WhyNotMeasured(std::string_view kernel);

}  // namespace opledger
