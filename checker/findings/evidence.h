// Evidence: measured errors of operators, as written by `opledger characterize`
// (schemas/evidence.schema.json) or by the user (measurements.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checker/findings/operation_table.h"
#include "registry/json/json.h"
#include "registry/precision_list/policy.h"
#include "registry/text/dtype.h"

namespace opledger {

// An operator, or one kind of it, measured in one type.
struct MeasuredOperator {
  std::string framework;  // empty: the project's own
  std::string op;
  std::string kind;  // such as "mode=nearest"; may be empty
  Dtype dtype = Dtype::kFloat16;
  std::string refusal;  // why it does not run in the type; the fields below are then unset
  Policy policy = Policy::kEither;  // the policy that the errors support
  std::string step;  // the criterion that decided: "range", "error", "flush", "loss", ...
  std::string reason;
  // Whether the errors are those of every kernel of the operation, because it was computed in a
  // wide type and only inputs and results were rounded.
  bool inherent = false;
  // What goes wrong in a kernel that rounds every intermediate result to the type, if its results
  // are then not finite. The kernel may be that of another framework. Empty if nothing, or if not
  // known.
  std::string if_every_step_rounds;
  std::int64_t samples = 0;   // number of results compared; 0: not known
  std::optional<double> ulp;  // largest error of the kernel alone; nullopt: not measured
  bool exact = false;         // the kernel has no error
  Location location;          // of the operator's name
};

struct Evidence {
  std::vector<MeasuredOperator> operators;
  OperationTable table;  // aligns operators of different frameworks
};

// Reads the measurements, without the table. Returns nullopt, with errors, if the file is not
// valid.
std::optional<Evidence> ReadEvidence(const Source& source, const std::string& path, Reach reach,
                                     Diagnostics& diagnostics);

}  // namespace opledger
