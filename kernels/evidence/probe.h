// How each kernel is tried: its inputs by role, its parameters, its formula.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
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
};

struct Probe {
  const char* kernel;
  std::vector<ProbeInput> inputs;
  Parameters parameters = {};
  Judged judged = Judged::kEach;
  bool contraction = false;  // its work grows faster than its data
  bool loss = false;
  Formula formula = {};  // its steps; none: it has one, or adds up in float32 by itself
  // Where one parameter distinguishes kinds of the operator: which, and its value here.
  std::string parameter = {};
  std::string value = {};

  std::size_t Floats()
      const;  // inputs that have to be of one type: weights and scales do not count
};

// In the order of the kernels' names.
const std::vector<Probe>& Probes();

}  // namespace opledger
