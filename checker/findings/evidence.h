// Evidence: what was measured of operators, as `opledger characterize` writes it
// (schemas/evidence.schema.json), or by another tool that measures a framework's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "registry/json/json.h"
#include "registry/precision_list/policy.h"
#include "registry/text/dtype.h"

namespace opledger {

// One operator, or one kind of it, in one type.
struct MeasuredOperator {
  std::string op;
  std::string kind;  // "mode=nearest"; empty: it has no kinds
  Dtype dtype = Dtype::kFloat16;
  Policy policy = Policy::kEither;  // that the errors support, as the kernel computes
  std::string step;                 // of the rule that decided: "range", ...
  std::string reason;
  double ulp = 0;      // the largest error of the kernel alone
  bool exact = false;  // it has none
  Location location;   // of the name
};

struct Evidence {
  std::string framework;
  std::vector<MeasuredOperator> operators;  // what refuses the type is left out

  std::vector<const MeasuredOperator*> Of(const std::string& op, Dtype dtype) const;
};

// None, with errors.
std::optional<Evidence> ReadEvidence(const Source& source, const std::string& path, Reach reach,
                                     Diagnostics& diagnostics);

}  // namespace opledger
