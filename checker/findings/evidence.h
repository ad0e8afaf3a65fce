// Evidence: what was measured of operators, as `opledger characterize` writes it
// (schemas/evidence.schema.json), or as anybody who measures operators may (measurements.h).
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

// One operator, or one kind of it, in one type.
struct MeasuredOperator {
  std::string framework;  // whose operator it is; empty: the project's own
  std::string op;
  std::string kind;  // "mode=nearest"; empty: it has no kinds
  Dtype dtype = Dtype::kFloat16;
  std::string refusal;              // why it does not run in that type; then nothing follows
  Policy policy = Policy::kEither;  // that the errors support
  std::string step;                 // what decided: "range", "error", "flush", "loss", ...
  std::string reason;
  // Whether every kernel of the operation has these errors: it was computed in a wide type, and
  // only inputs and results were rounded.
  bool inherent = false;
  // What goes wrong in a kernel that rounds every intermediate result to the type, where results
  // are not finite then: such a kernel may be another framework's. Empty: nothing, or not known.
  std::string if_every_step_rounds;
  std::int64_t samples = 0;   // how many results were compared; 0: not known
  std::optional<double> ulp;  // the largest error of the kernel alone; none: not measured
  bool exact = false;         // it has none
  Location location;          // of the name
};

struct Evidence {
  std::vector<MeasuredOperator> operators;
  OperationTable table;  // which operators of other frameworks they speak for
};

// The measurements alone. None, with errors.
std::optional<Evidence> ReadEvidence(const Source& source, const std::string& path, Reach reach,
                                     Diagnostics& diagnostics);

}  // namespace opledger
