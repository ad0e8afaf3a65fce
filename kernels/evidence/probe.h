// kernels/evidence: what measuring the registered kernels says about the policy of each operator.
//   a kernel, its inputs by role, its steps one by one  probe.h, formulas.h
//   numbers by role                                     domain.h
//   probe -> errors                                     measurement.h
//   errors -> policy                                    policy_rule.h
//   policies against lists                              agreement.h, operator_names.h
// Roles and domains are fixed by what an operator is in mathematics, not by what came out.
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
  // Where one parameter tells kinds of the operator apart: which, and its value here.
  std::string parameter = {};
  std::string value = {};

  std::size_t Floats()
      const;  // inputs that have to be of one type: weights and scales do not count
};

// In the order of the kernels' names.
const std::vector<Probe>& Probes();

}  // namespace opledger
