// How each kernel is tried: its inputs by role, its parameters, its formula.
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
  std::int64_t limit = 2;  // of kIndices: they are below it
};

// How the error of a result is judged.
enum class Judged {
  kEach,    // each number by its own size
  kByNorm,  // by the size of all: where numbers cancel, the data did it
  // By what a row is for: which of its numbers is the largest, and how large that is. The others do
  // not count.
  kByLargest,
  kByLargestLogarithm,  // the same of numbers whose logarithms these are
};

struct Probe {
  const char* kernel = nullptr;
  std::vector<ProbeInput> inputs;
  Parameters parameters = {};
  Judged judged = Judged::kEach;
  bool contraction = false;  // its work grows faster than its data
  bool loss = false;
  bool rows = false;                   // rows of input 0, a matrix, may have any length
  std::vector<double> crossings = {};  // where the function of one number is 0 or has a pole
  Formula formula = {};  // its steps; none: it has one, or adds up in float32 by itself
  // Where one parameter distinguishes kinds of the operator: which, and its value here.
  std::string parameter = {};
  std::string value = {};

  std::size_t Floats()
      const;  // inputs that have to be of one type: weights and scales do not count
};

// In the order of the kernels' names.
const std::vector<Probe>& Probes();

// What it is tried on in this type: ordinary numbers first.
std::vector<Domain> DomainsOf(const Probe& probe, Dtype dtype);

// Element-wise kernels that `described` lacks. A function of one number is tried where it is one,
// and near the places where it changes its sign: both are seen in what it gives in float64. A
// function of two numbers is tried on reals.
std::vector<Probe> ElementwiseProbes(const std::vector<Probe>& described);

// Why the kernel has no probe, by kind: "moves bits"; empty: nobody has said why.
std::string WhyNotMeasured(std::string_view kernel);

}  // namespace opledger
